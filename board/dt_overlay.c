/*
 * Device-tree overlays: references checked and named before libfdt applies
 * them, which by itself answers FDT_ERR_NOTFOUND and trusts the offsets in
 * __fixups__ and __local_fixups__.
 *
 * Spec: the overlay format of dtc, Documentation/dt-object-internal.txt.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "dt_internal.h"
#include "dt_emit.h"

#include <errno.h>
#include <libfdt.h>
#include <stdlib.h>
#include <string.h>

#define MISSING_NODE "missing-labels"

bool dt_is_overlay(const struct dt_tree *t)
{
    if (dt_find(t, "/__fixups__") != DT_NONE) {
        return true;
    }
    for (int c = t->items[0].child; c != DT_NONE; c = t->items[c].next) {
        if (dt_child(t, c, "__overlay__") != DT_NONE) {
            return true;
        }
    }
    return false;
}

/* the place in the machine's tree that @path of an overlay stands for */
static char *target_path(const struct dt_tree *t, const char *path)
{
    const char *rest = strstr(path, "/__overlay__");
    const char *target = NULL;
    char *frag;
    int item;

    if (rest == NULL) {
        return g_strdup(path);
    }
    frag = g_strndup(path, (gsize)(rest - path));
    item = dt_find(t, frag);
    g_free(frag);
    if (item != DT_NONE) {
        target = dt_string(t, item, "target-path");
    }
    rest += strlen("/__overlay__");
    if (target == NULL) {
        return g_strdup(path);
    }
    if (strcmp(target, "/") == 0) {
        return g_strdup(*rest ? rest : "/");
    }
    return g_strconcat(target, rest, NULL);
}

/* One string of a __fixups__ property: path:property:offset. */
struct fixup {
    char *path;
    char *prop;
};

static bool fixup_parse(const struct dt_tree *t, const char *s,
                        struct fixup *f)
{
    char **part = g_strsplit(s, ":", 3);
    bool good = false;

    if (g_strv_length(part) == 3 && g_ascii_isdigit(part[2][0])) {
        char *end;
        int len, item = dt_find(t, part[0]);
        unsigned long at;

        errno = 0;
        at = strtoul(part[2], &end, 10);
        good = errno == 0 && *end == 0 && item != DT_NONE &&
               dt_prop(t, item, part[1], &len) != NULL && len >= 4 &&
               at <= (unsigned long)len - 4;
    }
    if (good) {
        f->path = g_strdup(part[0]);
        f->prop = g_strdup(part[1]);
    }
    g_strfreev(part);
    return good;
}

static char *known_text(GHashTable *known)
{
    unsigned cpus = 0;
    GHashTableIter it;
    gpointer key;

    g_hash_table_iter_init(&it, known);
    while (g_hash_table_iter_next(&it, &key, NULL)) {
        cpus += g_str_has_prefix(key, "cpu") ? 1 : 0;
    }
    if (cpus == 0) {
        return g_strdup("gic and apb_pclk");
    }
    if (cpus == 1) {
        return g_strdup("cpu0, gic and apb_pclk");
    }
    return g_strdup_printf("cpu0 to cpu%u, gic and apb_pclk", cpus - 1);
}

static void label_missing(struct trace_graph *g, const struct dt_tree *t,
                          GHashTable *known, const char *label,
                          const struct fixup *f)
{
    char *path = target_path(t, f->path);
    char *text = known_text(known);

    graph_error(g, path, f->prop,
                "<&%s> is defined neither in this file nor by the machine, "
                "which defines %s", label, text);
    g_free(text);
    g_free(path);
}

/* one property of __fixups__: returns false when it is damaged */
static bool check_label(struct trace_graph *g, const struct dt_tree *t,
                        GHashTable *known, GPtrArray *missing,
                        const char *label, const char *list, int len)
{
    bool is_known = g_hash_table_contains(known, label);

    if (len <= 0 || list[len - 1] != 0) {
        graph_error(g, "/__fixups__", label,
                    "is not a list of strings: the overlay is damaged");
        return false;
    }
    if (!is_known) {
        g_ptr_array_add(missing, g_strdup(label));
    }
    for (const char *s = list; s < list + len; s += strlen(s) + 1) {
        struct fixup f;

        if (!fixup_parse(t, s, &f)) {
            graph_error(g, "/__fixups__", label,
                        "\"%s\" is not the path:property:offset of a cell in "
                        "this file: the overlay is damaged", s);
            return false;
        }
        if (!is_known) {
            label_missing(g, t, known, label, &f);
        }
        g_free(f.path);
        g_free(f.prop);
    }
    return true;
}

/* @fix below __local_fixups__ describes cells of @item: all inside? */
static bool check_local(struct trace_graph *g, const struct dt_tree *t,
                        int fix, int item)
{
    int off;

    fdt_for_each_property_offset(off, t->fdt, t->items[fix].off) {
        const char *name;
        int len, plen;
        const char *val = fdt_getprop_by_offset(t->fdt, off, &name, &len);

        if (val == NULL || len % 4 != 0 ||
            dt_prop(t, item, name, &plen) == NULL) {
            plen = -1;
        }
        for (int i = 0; plen >= 0 && i < len; i += 4) {
            uint32_t at = fdt32_ld((const fdt32_t *)(const void *)(val + i));

            if (plen < 4 || at > (uint32_t)plen - 4) {
                plen = -1;
            }
        }
        if (plen < 0) {
            graph_error(g, t->items[fix].path, name ? name : "?",
                        "does not name cells of this file: the overlay is "
                        "damaged");
            return false;
        }
    }
    for (int c = t->items[fix].child; c != DT_NONE; c = t->items[c].next) {
        int same = dt_child(t, item, t->items[c].name);

        if (same == DT_NONE) {
            graph_error(g, t->items[c].path, NULL,
                        "names no node of this file: the overlay is damaged");
            return false;
        }
        if (!check_local(g, t, c, same)) {
            return false;
        }
    }
    return true;
}

bool overlay_labels(struct trace_graph *g, const struct dt_tree *t,
                    GHashTable *known, GPtrArray *missing)
{
    int fix = dt_find(t, "/__fixups__");
    int local = dt_find(t, "/__local_fixups__");
    int off;

    if (fix != DT_NONE) {
        fdt_for_each_property_offset(off, t->fdt, t->items[fix].off) {
            const char *label;
            int len;
            const char *list = fdt_getprop_by_offset(t->fdt, off, &label,
                                                     &len);

            if (list == NULL || !check_label(g, t, known, missing, label,
                                             list, len)) {
                return false;
            }
        }
    }
    return local == DT_NONE || check_local(g, t, local, 0);
}

static void stand_in_cpus(void *sw, unsigned cpus)
{
    fdt_begin_node(sw, "cpus");
    fdt_property_u32(sw, "#address-cells", 1);
    fdt_property_u32(sw, "#size-cells", 0);
    for (unsigned i = 0; i < cpus; i++) {
        char name[24];

        g_snprintf(name, sizeof(name), "cpu@%u", i);
        fdt_begin_node(sw, name);
        fdt_property_string(sw, "device_type", "cpu");
        fdt_property_u32(sw, "reg", (i >> 4) << 8 | (i & 15));
        fdt_property_u32(sw, "phandle", 0x8100 + i);
        fdt_end_node(sw);
    }
    fdt_end_node(sw);
}

void *machine_stand_in(unsigned cpus, size_t *size)
{
    int room = 8192 + (int)cpus * 128;
    void *sw = g_malloc0((gsize)room);

    fdt_create(sw, room);
    fdt_finish_reservemap(sw);
    fdt_begin_node(sw, "");
    fdt_property_u32(sw, "#address-cells", 2);
    fdt_property_u32(sw, "#size-cells", 2);
    fdt_property_string(sw, "compatible", "linux,dummy-virt");
    stand_in_cpus(sw, cpus);
    fdt_begin_node(sw, "intc@8000000");
    fdt_property_string(sw, "compatible", "arm,gic-v3");
    fdt_property_u32(sw, "#interrupt-cells", 3);
    fdt_property_u32(sw, "phandle", 0x8001);
    fdt_end_node(sw);
    fdt_begin_node(sw, "apb-pclk");
    fdt_property_string(sw, "compatible", "fixed-clock");
    fdt_property_u32(sw, "#clock-cells", 0);
    fdt_property_u32(sw, "phandle", 0x8000);
    fdt_end_node(sw);
    fdt_begin_node(sw, "chosen");
    fdt_end_node(sw);
    fdt_begin_node(sw, "aliases");
    fdt_end_node(sw);
    fdt_end_node(sw);
    fdt_finish(sw);
    *size = fdt_totalsize(sw);
    return sw;
}

/* the machine's GIC node, DT_NONE when there is none */
static int find_gic(const struct dt_tree *t)
{
    for (int c = t->items[0].child; c != DT_NONE; c = t->items[c].next) {
        if (g_str_has_prefix(t->items[c].name, "intc@")) {
            return c;
        }
    }
    return DT_NONE;
}

/* calls @fn(label, item) for each label; stops at the first non-zero */
static int each_label(const struct dt_tree *base,
                      int (*fn)(const char *label, int item, void *arg),
                      void *arg)
{
    unsigned n;
    int *cpus = dt_cpus(base, &n);
    int r = 0, item;

    for (unsigned i = 0; i < n && r == 0; i++) {
        char label[24];

        g_snprintf(label, sizeof(label), "cpu%u", i);
        r = fn(label, cpus[i], arg);
    }
    g_free(cpus);
    item = find_gic(base);
    if (r == 0 && item != DT_NONE) {
        r = fn("gic", item, arg);
    }
    item = dt_find(base, "/apb-pclk");
    if (r == 0 && item != DT_NONE) {
        r = fn("apb_pclk", item, arg);
    }
    return r;
}

static int collect_label(const char *label, int item, void *arg)
{
    (void)item;
    g_hash_table_add(arg, g_strdup(label));
    return 0;
}

GHashTable *machine_labels(const struct dt_tree *base)
{
    GHashTable *h = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                          NULL);

    each_label(base, collect_label, h);
    return h;
}

struct preparing {
    const struct dt_tree *base;
    void *fdt;
    uint32_t phandle;        /* the last one given out */
};

/* adds label and, where the node has none, a phandle */
static int add_label(const char *label, int item, void *arg)
{
    struct preparing *p = arg;
    const struct dt_item *it = &p->base->items[item];
    int off, r;

    if (it->phandle == 0) {
        off = fdt_path_offset(p->fdt, it->path);
        r = off < 0 ? off : fdt_setprop_u32(p->fdt, off, "phandle",
                                            ++p->phandle);
        if (r != 0) {
            return r;
        }
    }
    off = fdt_path_offset(p->fdt, "/__symbols__");
    return off < 0 ? off : fdt_setprop_string(p->fdt, off, label, it->path);
}

/* a node for a label that nobody defines, so that parsing can go on */
static int add_missing(struct preparing *p, unsigned i, const char *label)
{
    char name[24], *path;
    int off, r;

    g_snprintf(name, sizeof(name), "label%u", i);
    off = fdt_path_offset(p->fdt, "/" MISSING_NODE);
    if (off == -FDT_ERR_NOTFOUND) {
        off = fdt_add_subnode(p->fdt, 0, MISSING_NODE);
    }
    off = off < 0 ? off : fdt_add_subnode(p->fdt, off, name);
    if (off < 0) {
        return off;
    }
    r = fdt_setprop_u32(p->fdt, off, "phandle", ++p->phandle);
    if (r == 0) {
        r = fdt_setprop_string(p->fdt, off, "label", label);
    }
    off = fdt_path_offset(p->fdt, "/__symbols__");
    path = g_strdup_printf("/" MISSING_NODE "/%s", name);
    if (r == 0) {
        r = off < 0 ? off : fdt_setprop_string(p->fdt, off, label, path);
    }
    g_free(path);
    return r;
}

static int prepare(struct preparing *p, GPtrArray *missing)
{
    int r = fdt_path_offset(p->fdt, "/__symbols__");

    if (r == -FDT_ERR_NOTFOUND) {
        r = fdt_add_subnode(p->fdt, 0, "__symbols__");
    }
    if (r < 0) {
        return r;
    }
    r = each_label(p->base, add_label, p);
    for (guint i = 0; missing != NULL && i < missing->len && r == 0; i++) {
        r = add_missing(p, i, g_ptr_array_index(missing, i));
    }
    return r;
}

void *machine_prepare(const struct dt_tree *base, size_t room,
                      GPtrArray *missing, char **error)
{
    size_t all = fdt_totalsize(base->fdt) + room + 16384 +
                 (size_t)base->n * 64;
    struct preparing p = { .base = base, .phandle = dt_max_phandle(base) };
    int r;

    for (guint i = 0; missing != NULL && i < missing->len; i++) {
        all += 256 + 3 * strlen(g_ptr_array_index(missing, i));
    }
    p.fdt = g_malloc0(all);
    r = fdt_open_into(base->fdt, p.fdt, (int)all);
    if (r == 0) {
        r = prepare(&p, missing);
    }
    if (r != 0) {
        *error = g_strdup_printf("the machine's tree cannot take labels: %s",
                                 fdt_strerror(r));
        g_free(p.fdt);
        return NULL;
    }
    return p.fdt;
}

static GHashTable *path_set(const struct dt_tree *t)
{
    GHashTable *h = g_hash_table_new(g_str_hash, g_str_equal);

    for (int i = 0; i < t->n; i++) {
        g_hash_table_add(h, t->items[i].path);
    }
    return h;
}

/* @fdt with the overlay applied: in order, without the removed nodes */
static void *tidy(const struct dt_tree *base, const void *fdt,
                  GHashTable *removed, size_t *size, char **error)
{
    struct dt_tree *t = dt_tree_new(fdt, error);
    struct dt_emit e = { .t = t, .removed = removed };
    void *out;

    if (t == NULL) {
        return NULL;
    }
    e.kept_order = path_set(base);
    out = dt_emit(&e, 0, size, error);
    g_hash_table_destroy(e.kept_order);
    dt_tree_free(t);
    return out;
}

void *overlay_merge(const struct dt_tree *base, const struct dt_tree *ov,
                    GPtrArray *missing, GHashTable *removed, size_t *size,
                    char **error)
{
    size_t ov_size = fdt_totalsize(ov->fdt);
    void *fdt = machine_prepare(base, 4 * ov_size, missing, error);
    void *copy, *out = NULL;
    int r;

    if (fdt == NULL) {
        return NULL;
    }
    copy = g_malloc(ov_size);
    memcpy(copy, ov->fdt, ov_size);
    r = fdt_overlay_apply(fdt, copy);
    g_free(copy);
    if (r != 0) {
        *error = g_strdup_printf("the overlay cannot be applied to the "
                                 "machine's tree: %s", fdt_strerror(r));
    } else {
        out = tidy(base, fdt, removed, size, error);
    }
    g_free(fdt);
    return out;
}
