/*
 * Sequential writing of a device tree.
 * Spec: Devicetree Specification v0.4, 5.4 (structure block).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "dt_emit.h"

#include <libfdt.h>
#include <string.h>

/* : last property first, see dt_emit() */
static int emit_props(void *sw, const struct dt_tree *t, int item,
                      bool backwards)
{
    GArray *offs = g_array_new(FALSE, FALSE, sizeof(int));
    int off, r = 0;

    fdt_for_each_property_offset(off, t->fdt, t->items[item].off) {
        if (backwards) {
            g_array_prepend_val(offs, off);
        } else {
            g_array_append_val(offs, off);
        }
    }
    for (guint i = 0; i < offs->len && r == 0; i++) {
        const char *name;
        int len;
        const void *val = fdt_getprop_by_offset(t->fdt,
                                                g_array_index(offs, int, i),
                                                &name, &len);

        r = val == NULL ? len : fdt_property(sw, name, val, len);
    }
    g_array_free(offs, TRUE);
    return r;
}

static bool keeps_order(const struct dt_emit *e, int item)
{
    return e->kept_order == NULL ||
           g_hash_table_contains(e->kept_order, e->t->items[item].path);
}

static int emit_node(void *sw, const struct dt_emit *e, int item);

static bool is_removed(const struct dt_emit *e, int item)
{
    const char *path = e->t->items[item].path;

    return (e->removed != NULL && g_hash_table_contains(e->removed, path)) ||
           strcmp(path, "/__symbols__") == 0 ||
           strcmp(path, "/__fixups__") == 0 ||
           strcmp(path, "/__local_fixups__") == 0;
}

static int emit_children(void *sw, const struct dt_emit *e, int item)
{
    const struct dt_item *it = e->t->items;
    GArray *fresh = g_array_new(FALSE, FALSE, sizeof(int));
    int r = 0;

    for (int c = it[item].child; c != DT_NONE && r == 0; c = it[c].next) {
        if (is_removed(e, c)) {
            continue;
        }
        if (keeps_order(e, c)) {
            r = emit_node(sw, e, c);
        } else {
            g_array_append_val(fresh, c);
        }
    }
    for (guint i = fresh->len; i > 0 && r == 0; i--) {
        r = emit_node(sw, e, g_array_index(fresh, int, i - 1));
    }
    g_array_free(fresh, TRUE);
    return r;
}

/* recursion is bounded by DT_MAX_DEPTH */
static int emit_node(void *sw, const struct dt_emit *e, int item)
{
    int r = fdt_begin_node(sw, e->t->items[item].name);

    if (r == 0) {
        r = emit_props(sw, e->t, item, !keeps_order(e, item));
    }
    if (r == 0) {
        r = emit_children(sw, e, item);
    }
    if (r == 0 && item == 0 && e->tail != NULL) {
        r = e->tail(sw, e->arg);
    }
    return r != 0 ? r : fdt_end_node(sw);
}

static int emit_all(void *sw, int room, const struct dt_emit *e)
{
    int r = fdt_create(sw, room);
    int n = fdt_num_mem_rsv(e->t->fdt);

    for (int i = 0; i < n && r == 0; i++) {
        uint64_t addr, size;

        r = fdt_get_mem_rsv(e->t->fdt, i, &addr, &size);
        if (r == 0) {
            r = fdt_add_reservemap_entry(sw, addr, size);
        }
    }
    if (r == 0) {
        r = fdt_finish_reservemap(sw);
    }
    if (r == 0) {
        r = emit_node(sw, e, 0);
    }
    return r != 0 ? r : fdt_finish(sw);
}

void *dt_emit(const struct dt_emit *e, size_t room, size_t *size,
              char **error)
{
    /* the same content: a few bytes of padding a property at the most */
    size_t all = fdt_totalsize(e->t->fdt) + room + 4096;
    void *sw = g_malloc0(all);
    int r = emit_all(sw, (int)all, e);

    if (r != 0) {
        *error = g_strdup_printf("the tree cannot be written: %s",
                                 fdt_strerror(r));
        g_free(sw);
        return NULL;
    }
    fdt_set_boot_cpuid_phys(sw, fdt_boot_cpuid_phys(e->t->fdt));
    *size = fdt_totalsize(sw);
    return sw;
}
