/*
 * The trace nodes in the machine's tree: what the guest's kernel will see.
 *
 * Spec: Devicetree Specification v0.4, 2.3; bindings arm,coresight-*.yaml.
 * Not carried over from a complete tree: power domains, IOMMUs, interrupts,
 * resets and second reg entries, which the csvirt machine does not have.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "dt_internal.h"
#include "dt_emit.h"

#include <inttypes.h>
#include <libfdt.h>
#include <string.h>

struct grafting {
    const struct trace_graph *g;
    const struct dt_tree *from;  /* the complete tree */
    const struct dt_tree *base;  /* the machine's, with phandles */
    GHashTable *phandles;        /* of from -> of the result */
    uint32_t last;               /* phandle given out */
    GHashTable *names;           /* taken below the root */
    const int *cpus;
    unsigned n_cpus;
    uint32_t clock;
};

static uint32_t new_phandle(struct grafting *gr, uint32_t old)
{
    gpointer v = g_hash_table_lookup(gr->phandles, GUINT_TO_POINTER(old));

    if (v == NULL) {
        v = GUINT_TO_POINTER(++gr->last);
        g_hash_table_insert(gr->phandles, GUINT_TO_POINTER(old), v);
    }
    return GPOINTER_TO_UINT(v);
}

static bool copied_as_is(const char *name)
{
    return strcmp(name, "compatible") == 0 || strcmp(name, "label") == 0 ||
           g_str_has_prefix(name, "csvirt,") ||
           g_str_has_prefix(name, "qcom,") ||
           (g_str_has_prefix(name, "arm,") &&
            strcmp(name, "arm,cs-dev-assoc") != 0);
}

static int put_own(void *sw, struct grafting *gr, int item)
{
    const struct dt_tree *t = gr->from;
    int off, r = 0;

    fdt_for_each_property_offset(off, t->fdt, t->items[item].off) {
        const char *name;
        int len;
        const void *val = fdt_getprop_by_offset(t->fdt, off, &name, &len);

        if (r == 0 && val != NULL && copied_as_is(name)) {
            r = fdt_property(sw, name, val, len);
        }
    }
    return r;
}

/* reg, clock and cpu in the machine's terms */
static int put_machine(void *sw, const struct grafting *gr,
                       const struct trace_node *n)
{
    int r = 0;

    if (n->size != 0) {
        uint64_t reg[2] = { cpu_to_fdt64(n->base), cpu_to_fdt64(n->size) };

        r = fdt_property(sw, "reg", reg, sizeof(reg));
        if (r == 0) {
            r = fdt_property_u32(sw, "clocks", gr->clock);
        }
        if (r == 0) {
            r = fdt_property_string(sw, "clock-names", "apb_pclk");
        }
    }
    if (r == 0 && n->cpu >= 0) {
        r = fdt_property_u32(sw, "cpu",
                             gr->base->items[gr->cpus[n->cpu]].phandle);
    }
    return r;
}

static int put_port_props(void *sw, struct grafting *gr, int item)
{
    static const char *const plain[] = {
        "reg", "#address-cells", "#size-cells", "slave-mode",
    };
    const struct dt_tree *t = gr->from;
    uint32_t v;
    int r = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(plain) && r == 0; i++) {
        int len;
        const void *val = dt_prop(t, item, plain[i], &len);

        r = val == NULL ? 0 : fdt_property(sw, plain[i], val, len);
    }
    if (r == 0 && dt_cell(t, item, "remote-endpoint", &v)) {
        r = fdt_property_u32(sw, "remote-endpoint", new_phandle(gr, v));
    }
    if (r == 0 && t->items[item].phandle != 0) {
        r = fdt_property_u32(sw, "phandle",
                             new_phandle(gr, t->items[item].phandle));
    }
    return r;
}

/* ports, port, endpoint and all below; depth is bounded by DT_MAX_DEPTH */
static int put_ports(void *sw, struct grafting *gr, int item)
{
    const struct dt_item *it = gr->from->items;
    int r;

    if (g_hash_table_contains(gr->g->src->removed, it[item].path)) {
        return 0;
    }
    r = fdt_begin_node(sw, it[item].name);
    if (r == 0) {
        r = put_port_props(sw, gr, item);
    }
    for (int c = it[item].child; c != DT_NONE && r == 0; c = it[c].next) {
        r = put_ports(sw, gr, c);
    }
    return r != 0 ? r : fdt_end_node(sw);
}

static bool holds_ports(const char *name)
{
    return strcmp(name, "in-ports") == 0 || strcmp(name, "out-ports") == 0 ||
           strcmp(name, "ports") == 0 || strcmp(name, "port") == 0 ||
           g_str_has_prefix(name, "port@");
}

/* the node's name below the machine's root: unit address right, not taken */
static char *free_name(struct grafting *gr, const struct trace_node *n)
{
    char *stem = g_strdup(n->name), *name;
    char *at = strchr(stem, '@');

    if (at != NULL) {
        *at = 0;
    }
    name = n->size != 0 ? g_strdup_printf("%s@%" PRIx64, stem, n->base) :
                          g_strdup(n->name);
    for (unsigned i = 1; g_hash_table_contains(gr->names, name); i++) {
        g_free(name);
        name = n->size != 0 ?
               g_strdup_printf("%s-%u@%" PRIx64, stem, i, n->base) :
               g_strdup_printf("%s-%u", stem, i);
    }
    g_free(stem);
    g_hash_table_add(gr->names, name);
    return name;
}

static int put_node(void *sw, struct grafting *gr, int item,
                    const struct trace_node *n)
{
    const struct dt_item *it = gr->from->items;
    int r = fdt_begin_node(sw, free_name(gr, n));

    if (r == 0) {
        r = put_own(sw, gr, item);
    }
    if (r == 0) {
        r = put_machine(sw, gr, n);
    }
    for (int c = it[item].child; c != DT_NONE && r == 0; c = it[c].next) {
        if (holds_ports(it[c].name)) {
            r = put_ports(sw, gr, c);
        }
    }
    return r != 0 ? r : fdt_end_node(sw);
}

/* in the order of the complete tree, which is that of the kernel's names */
static int put_nodes(void *sw, void *arg)
{
    struct grafting *gr = arg;
    GHashTable *by_path = g_hash_table_new(g_str_hash, g_str_equal);
    int r = 0;

    for (size_t i = 0; i < gr->g->n_nodes; i++) {
        g_hash_table_insert(by_path, gr->g->nodes[i].path,
                            &gr->g->nodes[i]);
    }
    for (int i = 0; i < gr->from->n && r == 0; i++) {
        const struct trace_node *n =
            g_hash_table_lookup(by_path, gr->from->items[i].path);

        if (n != NULL) {
            r = put_node(sw, gr, i, n);
        }
    }
    g_hash_table_destroy(by_path);
    return r;
}

/* does the machine have what the nodes want? NULL, or what is missing */
static char *grafting_lacks(struct grafting *gr)
{
    int clock = dt_find(gr->base, "/apb-pclk");
    uint32_t ac = 0, sc = 0;

    dt_cell(gr->base, 0, "#address-cells", &ac);
    dt_cell(gr->base, 0, "#size-cells", &sc);
    if (ac != 2 || sc != 2) {
        return g_strdup("the machine's root does not have 2 address and 2 "
                        "size cells");
    }
    if (clock == DT_NONE || gr->base->items[clock].phandle == 0) {
        return g_strdup("the machine's tree has no /apb-pclk");
    }
    gr->clock = gr->base->items[clock].phandle;
    if (gr->g->cpus > gr->n_cpus) {
        return g_strdup_printf("the topology needs %u CPUs, the machine has "
                               "%u", gr->g->cpus, gr->n_cpus);
    }
    return NULL;
}

static void *graft(struct grafting *gr, size_t *size, char **error)
{
    struct dt_emit e = { .t = gr->base, .tail = put_nodes, .arg = gr };
    unsigned n;
    int *cpus = dt_cpus(gr->base, &n);
    void *out = NULL;

    gr->cpus = cpus;
    gr->n_cpus = n;
    gr->last = dt_max_phandle(gr->base);
    gr->phandles = g_hash_table_new(NULL, NULL);
    gr->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (int c = gr->base->items[0].child; c != DT_NONE;
         c = gr->base->items[c].next) {
        g_hash_table_add(gr->names, g_strdup(gr->base->items[c].name));
    }
    *error = grafting_lacks(gr);
    if (*error == NULL) {
        out = dt_emit(&e, 2 * fdt_totalsize(gr->from->fdt) +
                      256 * gr->g->n_nodes, size, error);
    }
    g_hash_table_destroy(gr->names);
    g_hash_table_destroy(gr->phandles);
    g_free(cpus);
    return out;
}

void *complete_merge(const struct trace_graph *g, const struct dt_tree *base,
                     size_t *size, char **error)
{
    void *prepared = machine_prepare(base, 0, NULL, error);
    struct dt_tree *from, *t;
    void *out = NULL;

    if (prepared == NULL) {
        return NULL;
    }
    from = dt_tree_new(g->src->blob, error);
    t = from ? dt_tree_new(prepared, error) : NULL;
    if (t != NULL) {
        struct grafting gr = { .g = g, .from = from, .base = t };

        out = graft(&gr, size, error);
    }
    dt_tree_free(t);
    dt_tree_free(from);
    g_free(prepared);
    return out;
}

/* labels that the overlay wants and this machine lacks; NULL: none (g_free) */
static char *lacking_label(const struct trace_graph *g,
                           const struct dt_tree *base,
                           const struct dt_tree *ov)
{
    struct trace_graph *found = g_new0(struct trace_graph, 1);
    GHashTable *known = machine_labels(base);
    GPtrArray *missing = g_ptr_array_new_with_free_func(g_free);
    char *text = NULL;

    found->source = g_strdup(g->source);
    overlay_labels(found, ov, known, missing);
    if (found->n_msgs > 0) {
        const struct trace_msg *m = &found->msgs[0];

        text = g_strdup_printf("%s: %s %s", m->path, m->property, m->text);
    }
    g_ptr_array_free(missing, TRUE);
    g_hash_table_destroy(known);
    trace_graph_free(found);
    return text;
}

static void *apply_overlay(const struct trace_graph *g,
                           const struct dt_tree *base, size_t *size,
                           char **error)
{
    struct dt_tree *ov = dt_tree_new(g->src->blob, error);
    void *out = NULL;

    if (ov == NULL) {
        return NULL;
    }
    *error = lacking_label(g, base, ov);
    if (*error == NULL) {
        out = overlay_merge(base, ov, NULL, g->src->removed, size, error);
    }
    dt_tree_free(ov);
    return out;
}

/* what an arm64 kernel would not take becomes an error */
static void *finish(void *out, size_t *size, char **error)
{
    char *why = *error;

    if (out != NULL && *size > TRACE_TREE_MAX) {
        why = g_strdup_printf("the tree would have %" G_GSIZE_FORMAT
                              " bytes, an arm64 kernel takes at most %u",
                              *size, TRACE_TREE_MAX);
        g_free(out);
        out = NULL;
    }
    *error = why;
    return out;
}

void *trace_graph_apply(const struct trace_graph *graph, const void *base,
                        size_t base_size, size_t *out_size, char **error)
{
    struct dt_tree *t;
    void *out = NULL;

    *error = NULL;
    if (graph->n_errors != 0 || graph->src == NULL) {
        *error = g_strdup("has errors, it cannot be used");
        return NULL;
    }
    *error = dt_blob_error(base, base_size);
    if (*error != NULL) {
        char *why = *error;

        *error = g_strdup_printf("the machine's tree %s", why);
        g_free(why);
        return NULL;
    }
    t = dt_tree_new(base, error);
    if (t != NULL) {
        out = graph->overlay ? apply_overlay(graph, t, out_size, error) :
                               complete_merge(graph, t, out_size, error);
    }
    out = finish(out, out_size, error);
    dt_tree_free(t);
    return out;
}
