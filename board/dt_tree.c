/*
 * Index over a flattened device tree.
 * Spec: Devicetree Specification v0.4: 2.3 (standard properties), 5 (blob).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "dt_tree.h"

#include <inttypes.h>
#include <libfdt.h>
#include <string.h>

static bool looks_like_text(const uint8_t *p, size_t size)
{
    size_t n = MIN(size, 64);

    for (size_t i = 0; i < n; i++) {
        if (p[i] != '\n' && p[i] != '\t' && p[i] != '\r' &&
            (p[i] < 0x20 || p[i] > 0x7e)) {
            return false;
        }
    }
    return n > 0;
}

char *dt_blob_error(const void *blob, size_t size)
{
    uint32_t total;
    int r;

    if (size == 0) {
        return g_strdup("is empty, expected a device tree blob");
    }
    if (looks_like_text(blob, size)) {
        return g_strdup("is text, expected a device tree blob "
                        "(a source file must be named .dts or .dtso)");
    }
    if (size < sizeof(struct fdt_header) || fdt_magic(blob) != FDT_MAGIC) {
        return g_strdup("is not a device tree blob (no d00dfeed at its "
                        "start)");
    }
    total = fdt_totalsize(blob);
    if (total > size) {
        return g_strdup_printf("is truncated: its header says %u"
                               " bytes, there are %" G_GSIZE_FORMAT,
                               total, size);
    }
    r = fdt_check_full(blob, size);
    if (r != 0) {
        return g_strdup_printf("is damaged: %s", fdt_strerror(r));
    }
    return NULL;
}

/* fills @it except for the links */
static void item_fill(struct dt_tree *t, struct dt_item *it, int off,
                      int depth, int parent)
{
    const char *up = parent == DT_NONE ? "" : t->items[parent].path;

    it->off = off;
    it->depth = depth;
    it->parent = parent;
    it->child = it->next = DT_NONE;
    it->name = fdt_get_name(t->fdt, off, NULL);
    if (it->name == NULL) {
        it->name = "";
    }
    if (parent == DT_NONE) {
        it->path = g_strdup("/");
    } else {
        it->path = g_strdup_printf("%s/%s", parent == 0 ? "" : up, it->name);
    }
    it->phandle = fdt_get_phandle(t->fdt, off);
    if (it->phandle == UINT32_MAX) {
        it->phandle = 0;
    }
}

static void item_link(struct dt_tree *t, int index, int *last)
{
    struct dt_item *it = &t->items[index];

    if (it->depth > 0) {
        if (last[it->depth] == DT_NONE) {
            t->items[it->parent].child = index;
        } else {
            t->items[last[it->depth]].next = index;
        }
    }
    last[it->depth] = index;
    last[it->depth + 1] = DT_NONE;
    if (!g_hash_table_contains(t->by_path, it->path)) {
        g_hash_table_insert(t->by_path, it->path, GINT_TO_POINTER(index + 1));
    }
    if (it->phandle != 0 && dt_by_phandle(t, it->phandle) == DT_NONE) {
        g_hash_table_insert(t->by_phandle, GUINT_TO_POINTER(it->phandle),
                            GINT_TO_POINTER(index + 1));
    }
}

struct dt_tree *dt_tree_new(const void *fdt, char **error)
{
    struct dt_tree *t = g_new0(struct dt_tree, 1);
    int last[DT_MAX_DEPTH + 2];
    int depth = 0, room = 0;

    t->fdt = fdt;
    t->by_path = g_hash_table_new(g_str_hash, g_str_equal);
    t->by_phandle = g_hash_table_new(NULL, NULL);
    for (int off = fdt_next_node(fdt, -1, NULL); off >= 0 && depth >= 0;
         off = fdt_next_node(fdt, off, &depth)) {
        if (depth > DT_MAX_DEPTH) {
            *error = g_strdup_printf("is nested more than %d nodes deep",
                                     DT_MAX_DEPTH);
            dt_tree_free(t);
            return NULL;
        }
        if (t->n == room) {
            room = room ? room * 2 : 64;
            t->items = g_renew(struct dt_item, t->items, room);
        }
        item_fill(t, &t->items[t->n], off, depth,
                  depth == 0 ? DT_NONE : last[depth - 1]);
        item_link(t, t->n, last);
        t->n++;
    }
    if (t->n == 0) {
        *error = g_strdup("has no root node");
        dt_tree_free(t);
        return NULL;
    }
    return t;
}

void dt_tree_free(struct dt_tree *t)
{
    if (t == NULL) {
        return;
    }
    for (int i = 0; i < t->n; i++) {
        g_free(t->items[i].path);
    }
    g_free(t->items);
    g_hash_table_destroy(t->by_path);
    g_hash_table_destroy(t->by_phandle);
    g_free(t);
}

int dt_find(const struct dt_tree *t, const char *path)
{
    return GPOINTER_TO_INT(g_hash_table_lookup(t->by_path, path)) - 1;
}

int dt_by_phandle(const struct dt_tree *t, uint32_t phandle)
{
    return GPOINTER_TO_INT(g_hash_table_lookup(t->by_phandle,
                                               GUINT_TO_POINTER(phandle))) - 1;
}

int dt_child(const struct dt_tree *t, int item, const char *name)
{
    for (int c = t->items[item].child; c != DT_NONE; c = t->items[c].next) {
        if (strcmp(t->items[c].name, name) == 0) {
            return c;
        }
    }
    return DT_NONE;
}

const void *dt_prop(const struct dt_tree *t, int item, const char *name,
                    int *len)
{
    int unused;

    return fdt_getprop(t->fdt, t->items[item].off, name, len ? len : &unused);
}

const char *dt_string(const struct dt_tree *t, int item, const char *name)
{
    int len;
    const char *s = dt_prop(t, item, name, &len);

    if (s == NULL || len <= 0 || memchr(s, 0, (size_t)len) == NULL) {
        return NULL;
    }
    return s;
}

bool dt_has_string(const struct dt_tree *t, int item, const char *prop,
                   const char *text)
{
    return fdt_stringlist_search(t->fdt, t->items[item].off, prop, text) >= 0;
}

bool dt_cell(const struct dt_tree *t, int item, const char *name,
             uint32_t *value)
{
    int len;
    const void *p = dt_prop(t, item, name, &len);

    if (p == NULL || len != 4) {
        return false;
    }
    *value = fdt32_ld(p);
    return true;
}

bool dt_available(const struct dt_tree *t, int item)
{
    for (; item != DT_NONE; item = t->items[item].parent) {
        const char *s = dt_string(t, item, "status");

        if (s != NULL && strcmp(s, "okay") != 0 && strcmp(s, "ok") != 0) {
            return false;
        }
    }
    return true;
}

static unsigned cells(const struct dt_tree *t, int item, const char *name,
                      unsigned fallback)
{
    uint32_t v;

    return dt_cell(t, item, name, &v) ? v : fallback;
}

static uint64_t load_cells(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < n; i++) {
        v = v << 32 | fdt32_ld((const fdt32_t *)(const void *)(p + 4 * i));
    }
    return v;
}

/* one bus up: *@base from @bus's address space to that of its parent */
static char *translate(const struct dt_tree *t, int bus, uint64_t *base)
{
    int len;
    const uint8_t *p = dt_prop(t, bus, "ranges", &len);
    unsigned ca = cells(t, bus, "#address-cells", 2);
    unsigned cs = cells(t, bus, "#size-cells", 1);
    unsigned pa = cells(t, t->items[bus].parent, "#address-cells", 2);
    int step = (int)(ca + pa + cs) * 4;

    if (p == NULL) {
        return g_strdup_printf("%s has no ranges: its addresses are not the "
                               "machine's", t->items[bus].path);
    }
    if (len == 0) {
        return NULL;
    }
    if (ca > 2 || pa > 2 || cs > 2 || ca == 0 || pa == 0) {
        return g_strdup_printf("%s has ranges of %u+%u+%u cells, expected 1 "
                               "or 2 each", t->items[bus].path, ca, pa, cs);
    }
    for (; len >= step; p += step, len -= step) {
        uint64_t child = load_cells(p, ca);
        uint64_t parent = load_cells(p + 4 * ca, pa);
        uint64_t size = load_cells(p + 4 * (ca + pa), cs);

        if (*base >= child && *base - child < size) {
            *base = *base - child + parent;
            return NULL;
        }
    }
    return g_strdup_printf("0x%" PRIx64 " is in none of the ranges of %s",
                           *base, t->items[bus].path);
}

char *dt_reg(const struct dt_tree *t, int item, unsigned which,
             uint64_t *base, uint64_t *size)
{
    int len, up = t->items[item].parent;
    const uint8_t *p = dt_prop(t, item, "reg", &len);
    unsigned ac, sc, step;
    char *why = NULL;

    if (p == NULL || up == DT_NONE) {
        return g_strdup("is missing, expected an address and a size");
    }
    ac = cells(t, up, "#address-cells", 2);
    sc = cells(t, up, "#size-cells", 1);
    if (ac < 1 || ac > 2 || sc < 1 || sc > 2) {
        return g_strdup_printf("is under #address-cells %u, #size-cells %u; "
                               "expected 1 or 2 each", ac, sc);
    }
    step = (ac + sc) * 4;
    if (len == 0 || (unsigned)len % step != 0) {
        return g_strdup_printf("has %d bytes, expected a multiple of %u "
                               "(%u address and %u size cells)", len, step,
                               ac, sc);
    }
    if ((which + 1) * step > (unsigned)len) {
        return g_strdup_printf("has no entry %u", which);
    }
    p += which * step;
    *base = load_cells(p, ac);
    *size = load_cells(p + 4 * ac, sc);
    for (; up > 0 && why == NULL; up = t->items[up].parent) {
        why = translate(t, up, base);
    }
    return why;
}

int *dt_cpus(const struct dt_tree *t, unsigned *n)
{
    int top = dt_find(t, "/cpus");
    GArray *a = g_array_new(FALSE, FALSE, sizeof(int));

    for (int c = top == DT_NONE ? DT_NONE : t->items[top].child; c != DT_NONE;
         c = t->items[c].next) {
        const char *type = dt_string(t, c, "device_type");

        if (type != NULL && strcmp(type, "cpu") == 0) {
            g_array_append_val(a, c);
        }
    }
    *n = a->len;
    return (int *)(void *)g_array_free(a, a->len == 0);
}

uint32_t dt_max_phandle(const struct dt_tree *t)
{
    uint32_t max = 0;

    for (int i = 0; i < t->n; i++) {
        max = MAX(max, t->items[i].phandle);
    }
    return max;
}
