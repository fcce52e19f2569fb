/*
 * From a device-tree file to a checked trace graph: the driver of the parse,
 * and the connections (in-ports, out-ports, endpoints).
 *
 * Spec: devicetree bindings graph.txt and arm,coresight-*.yaml.
 * Not modelled: filter-source on an endpoint.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "dt_internal.h"

#include <libfdt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void graph_msg(struct trace_graph *g, bool warning, const char *path,
               const char *property, const char *fmt, ...)
{
    struct trace_msg *m;
    va_list ap;

    g->msgs = g_renew(struct trace_msg, g->msgs, g->n_msgs + 1);
    m = &g->msgs[g->n_msgs++];
    m->warning = warning;
    m->path = g_strdup(path);
    m->property = g_strdup(property);
    va_start(ap, fmt);
    m->text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    g->n_errors += warning ? 0 : 1;
}

char *trace_msg_text(const struct trace_graph *g, const struct trace_msg *m)
{
    if (m->path == NULL) {
        return g_strdup_printf("%s %s", g->source, m->text);
    }
    return g_strdup_printf("%s: %s: %s%s%s", g->source, m->path,
                           m->property ? m->property : "",
                           m->property ? " " : "", m->text);
}

/* the direction of an endpoint of the old binding */
static bool legacy_in(const struct parse *p, int endpoint)
{
    return dt_prop(p->t, endpoint, "slave-mode", NULL) != NULL;
}

static void read_port(struct parse *p, int comp, int port, int dir)
{
    const struct dt_tree *t = p->t;
    uint32_t number = 0;

    if (dt_prop(t, port, "reg", NULL) != NULL &&
        !dt_cell(t, port, "reg", &number)) {
        graph_error(p->g, t->items[port].path, "reg",
                    "is not one cell, expected the port's number");
        return;
    }
    for (int e = t->items[port].child; e != DT_NONE; e = t->items[e].next) {
        struct port_end end = { comp, e, port, dir == 0, number, DT_NONE };

        if (strcmp(t->items[e].name, "endpoint") != 0 &&
            !g_str_has_prefix(t->items[e].name, "endpoint@")) {
            continue;
        }
        if (dir < 0) {
            end.in = legacy_in(p, e);
        }
        g_array_append_val(p->ends, end);
    }
}

static bool is_port(const char *name)
{
    return strcmp(name, "port") == 0 || g_str_has_prefix(name, "port@");
}

/* @dir: 0 inputs, 1 outputs, -1 told by each endpoint */
static void read_container(struct parse *p, int comp, int item, int dir)
{
    const struct dt_tree *t = p->t;

    for (int c = t->items[item].child; c != DT_NONE; c = t->items[c].next) {
        if (is_port(t->items[c].name)) {
            read_port(p, comp, c, dir);
        }
    }
}

static void read_ports(struct parse *p, int comp)
{
    struct comp *c = &p->comps[comp];
    int in = dt_child(p->t, c->item, "in-ports");
    int out = dt_child(p->t, c->item, "out-ports");
    int old = dt_child(p->t, c->item, "ports");
    guint before = p->ends->len;

    if (in != DT_NONE) {
        read_container(p, comp, in, 0);
    }
    if (out != DT_NONE) {
        read_container(p, comp, out, 1);
    }
    if (in != DT_NONE || out != DT_NONE) {
        return;
    }
    read_container(p, comp, old != DT_NONE ? old : c->item, -1);
    if (p->ends->len > before && c->state == COMP_MODELLED) {
        c->legacy = true;
        graph_warn(p->g, c->node.path, old != DT_NONE ? "ports" : "port",
                   "is the old binding, today's is in-ports and out-ports");
    }
}

static const char *end_path(const struct parse *p, const struct port_end *e)
{
    return p->t->items[e->item].path;
}

/* the end that @e points to, DT_NONE when it is none (and said so) */
static int find_peer(struct parse *p, const struct port_end *e,
                     GHashTable *by_item)
{
    const char *path = end_path(p, e);
    uint32_t phandle;
    int item, peer;

    if (!dt_cell(p->t, e->item, "remote-endpoint", &phandle)) {
        graph_error(p->g, path, "remote-endpoint",
                    "is missing or not one cell, expected the phandle of an "
                    "endpoint");
        return DT_NONE;
    }
    item = dt_by_phandle(p->t, phandle);
    if (item == DT_NONE) {
        graph_error(p->g, path, "remote-endpoint", "dangles: no node has the "
                    "phandle 0x%x, expected that of an endpoint", phandle);
        return DT_NONE;
    }
    if (g_str_has_prefix(p->t->items[item].path, "/missing-labels/")) {
        return DT_NONE;      /* named when the label was looked up */
    }
    peer = GPOINTER_TO_INT(g_hash_table_lookup(by_item,
                                               GINT_TO_POINTER(item))) - 1;
    if (peer < 0) {
        graph_error(p->g, path, "remote-endpoint", "dangles: it points to "
                    "%s, which is no endpoint of a trace component",
                    p->t->items[item].path);
        return DT_NONE;
    }
    return peer;
}

/* do two ends that found each other fit? only asked of modelled ones */
static bool check_pair(struct parse *p, const struct port_end *e,
                       const struct port_end *o, GHashTable *by_item)
{
    uint32_t back = 0;
    int item;

    dt_cell(p->t, o->item, "remote-endpoint", &back);
    item = dt_by_phandle(p->t, back);
    if (item == DT_NONE ||
        !g_hash_table_contains(by_item, GINT_TO_POINTER(item))) {
        return false;        /* the other end's fault, said there */
    }
    if (item != e->item) {
        graph_error(p->g, end_path(p, e), "remote-endpoint", "points to %s, "
                    "which points back to %s", end_path(p, o),
                    p->t->items[item].path);
        return false;
    }
    if (e->in == o->in) {
        graph_error(p->g, end_path(p, e), "remote-endpoint", "joins this %s "
                    "to %s, also an %s", e->in ? "input" : "output",
                    end_path(p, o), o->in ? "input" : "output");
        return false;
    }
    return true;
}

static void connect_end(struct parse *p, guint i, GHashTable *by_item)
{
    struct port_end *e = &g_array_index(p->ends, struct port_end, i);
    const struct port_end *o;
    int peer;

    if (p->comps[e->comp].state != COMP_MODELLED) {
        return;
    }
    if (dt_prop(p->t, e->item, "filter-source", NULL) != NULL) {
        graph_error(p->g, end_path(p, e), "filter-source",
                    "is not modelled, expected an endpoint for every source");
    }
    peer = find_peer(p, e, by_item);
    if (peer == DT_NONE) {
        return;
    }
    o = &g_array_index(p->ends, struct port_end, peer);
    if (p->comps[o->comp].state != COMP_MODELLED ||
        check_pair(p, e, o, by_item)) {
        e->peer = peer;
    }
}

/* does the other end of @e go, and with it this end? */
static bool end_goes(const struct parse *p, const struct port_end *e)
{
    const struct port_end *o;
    enum comp_state state;

    if (e->peer == DT_NONE) {
        return false;
    }
    o = &g_array_index(p->ends, struct port_end, e->peer);
    state = p->comps[o->comp].state;
    /* an overlay's disabled nodes stay in the tree, to be skipped there too */
    return state == COMP_DROPPED ||
           (state == COMP_DISABLED && !p->g->overlay);
}

/* does the port of end @i keep an endpoint? */
static bool port_stays(const struct parse *p, guint i)
{
    const struct port_end *e = &g_array_index(p->ends, struct port_end, i);

    for (guint k = 0; k < p->ends->len; k++) {
        const struct port_end *o = &g_array_index(p->ends, struct port_end, k);

        if (o->port_item == e->port_item && !end_goes(p, o)) {
            return true;
        }
    }
    return false;
}

/* note what goes with a dropped node: the ports that lead to it */
static void remove_ends(struct parse *p)
{
    GHashTable *removed = p->g->src->removed;

    for (int i = 0; i < p->n_comps; i++) {
        if (p->comps[i].state == COMP_DROPPED) {
            g_hash_table_add(removed, g_strdup(p->comps[i].node.path));
        }
    }
    for (guint i = 0; i < p->ends->len; i++) {
        const struct port_end *e = &g_array_index(p->ends, struct port_end, i);

        if (end_goes(p, e)) {
            int item = port_stays(p, i) ? e->item : e->port_item;

            g_hash_table_add(removed, g_strdup(p->t->items[item].path));
        }
    }
}

static void parse_connections(struct parse *p)
{
    GHashTable *by_item = g_hash_table_new(NULL, NULL);

    for (int i = 0; i < p->n_comps; i++) {
        read_ports(p, i);
    }
    for (guint i = 0; i < p->ends->len; i++) {
        int item = g_array_index(p->ends, struct port_end, i).item;

        g_hash_table_insert(by_item, GINT_TO_POINTER(item),
                            GINT_TO_POINTER((int)i + 1));
    }
    for (guint i = 0; i < p->ends->len; i++) {
        connect_end(p, i, by_item);
    }
    g_hash_table_destroy(by_item);
    remove_ends(p);
}

static void parse_tree(struct trace_graph *g, const struct trace_limits *lim,
                       const struct dt_tree *t, GHashTable *machine_paths)
{
    struct parse p = {
        .g = g, .limits = lim, .t = t, .machine_paths = machine_paths,
        .ends = g_array_new(FALSE, FALSE, sizeof(struct port_end)),
    };

    parse_components(&p);
    parse_connections(&p);
    graph_check(&p);
    for (int i = 0; i < p.n_comps; i++) {
        trace_node_clear(&p.comps[i].node);
    }
    g_free(p.comps);
    g_free(p.cpus);
    g_array_free(p.ends, TRUE);
}

/* CPUs that an overlay refers to: its highest cpuN + 1 */
static unsigned overlay_cpus(const struct dt_tree *t)
{
    int off, fix = dt_find(t, "/__fixups__");
    unsigned n = 1;

    if (fix == DT_NONE) {
        return n;
    }
    fdt_for_each_property_offset(off, t->fdt, t->items[fix].off) {
        const char *label = NULL;
        char *end;
        unsigned long v;

        fdt_getprop_by_offset(t->fdt, off, &label, NULL);
        if (label == NULL || !g_str_has_prefix(label, "cpu") ||
            !g_ascii_isdigit(label[3])) {
            continue;
        }
        v = strtoul(label + 3, &end, 10);
        if (*end == 0 && v < 512 && v + 1 > n) {
            n = (unsigned)v + 1;
        }
    }
    return n;
}

/* fragments whose place the machine does not have */
static bool check_targets(struct trace_graph *g, const struct dt_tree *ov,
                          const struct dt_tree *base)
{
    bool good = true;

    for (int c = ov->items[0].child; c != DT_NONE; c = ov->items[c].next) {
        const char *target = dt_string(ov, c, "target-path");

        if (dt_child(ov, c, "__overlay__") == DT_NONE || target == NULL) {
            continue;
        }
        if (dt_find(base, target) == DT_NONE) {
            graph_error(g, ov->items[c].path, "target-path", "is \"%s\", "
                        "which the machine does not have; trace nodes go to "
                        "\"/\"", target);
            good = false;
        }
    }
    return good;
}

static GHashTable *all_paths(const struct dt_tree *t)
{
    GHashTable *h = g_hash_table_new(g_str_hash, g_str_equal);

    for (int i = 0; i < t->n; i++) {
        g_hash_table_add(h, t->items[i].path);
    }
    return h;
}

/* parse @merged, the stand-in machine's tree with the overlay in it */
static void parse_merged(struct trace_graph *g, const struct trace_limits *lim,
                         const void *merged, const struct dt_tree *base)
{
    char *error = NULL;
    struct dt_tree *t = dt_tree_new(merged, &error);
    GHashTable *paths;

    if (t == NULL) {
        graph_error(g, NULL, NULL, "%s", error);
        g_free(error);
        return;
    }
    paths = all_paths(base);
    parse_tree(g, lim, t, paths);
    g_hash_table_destroy(paths);
    dt_tree_free(t);
}

static void parse_overlay(struct trace_graph *g,
                          const struct trace_limits *lim,
                          const struct dt_tree *ov,
                          const struct dt_tree *base)
{
    GHashTable *known = machine_labels(base);
    GPtrArray *missing = g_ptr_array_new_with_free_func(g_free);
    char *error = NULL;
    void *merged = NULL;

    if (overlay_labels(g, ov, known, missing) &&
        check_targets(g, ov, base)) {
        merged = overlay_merge(base, ov, missing, NULL, &g->packed_size,
                               &error);
        if (merged == NULL) {
            graph_error(g, NULL, NULL, "%s", error);
            g_free(error);
        } else {
            parse_merged(g, lim, merged, base);
        }
    }
    g_free(merged);
    g_ptr_array_free(missing, TRUE);
    g_hash_table_destroy(known);
}

static void check_size(struct trace_graph *g)
{
    if (g->packed_size > TRACE_TREE_MAX) {
        graph_error(g, NULL, NULL, "makes a tree of %" G_GSIZE_FORMAT
                    " bytes, an arm64 kernel takes at most %u",
                    g->packed_size, TRACE_TREE_MAX);
    }
}

/* the size that the machine's tree has with a complete tree's trace nodes */
static void measure_complete(struct trace_graph *g,
                             const struct dt_tree *base)
{
    char *error = NULL;
    void *out;

    if (g->n_errors != 0) {
        return;
    }
    out = complete_merge(g, base, &g->packed_size, &error);
    if (out == NULL) {
        graph_error(g, NULL, NULL, "%s", error);
    }
    g_free(error);
    g_free(out);
}

static void parse_blob(struct trace_graph *g, const struct trace_limits *lim,
                       const struct dt_tree *t)
{
    unsigned cpus = lim->cpus;
    size_t size;
    void *stand_in;
    struct dt_tree *base;
    char *error = NULL;

    g->overlay = dt_is_overlay(t);
    g->model = g_strdup(dt_string(t, 0, "model"));
    if (cpus == 0) {
        int *list = dt_cpus(t, &cpus);

        g_free(list);
        cpus = g->overlay ? overlay_cpus(t) : MAX(cpus, 1);
    }
    stand_in = machine_stand_in(cpus, &size);
    base = dt_tree_new(stand_in, &error);
    if (g->overlay) {
        parse_overlay(g, lim, t, base);
    } else {
        parse_tree(g, lim, t, NULL);
        measure_complete(g, base);
    }
    check_size(g);
    dt_tree_free(base);
    g_free(stand_in);
}

struct trace_graph *trace_graph_parse(const char *name, const void *blob,
                                      size_t size,
                                      const struct trace_limits *limits)
{
    struct trace_graph *g = g_new0(struct trace_graph, 1);
    struct dt_tree *t;
    char *error;

    g->source = g_strdup(name);
    g->src = g_new0(struct trace_source, 1);
    g->src->removed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                            NULL);
    error = dt_blob_error(blob, size);
    if (error == NULL) {
        g->src->size = size;
        g->src->blob = g_malloc(size);
        memcpy(g->src->blob, blob, size);
        t = dt_tree_new(g->src->blob, &error);
        if (t != NULL) {
            parse_blob(g, limits, t);
            dt_tree_free(t);
        }
    }
    if (error != NULL) {
        graph_error(g, NULL, NULL, "%s", error);
        g_free(error);
    }
    return g;
}

struct trace_graph *trace_graph_load(const char *file,
                                     const struct trace_limits *limits)
{
    struct trace_graph *g;
    GError *err = NULL;
    char *data;
    gsize size;

    /* A device or a pipe may have no end. */
    bool endless = g_file_test(file, G_FILE_TEST_EXISTS) &&
                   !g_file_test(file, G_FILE_TEST_IS_REGULAR) &&
                   !g_file_test(file, G_FILE_TEST_IS_DIR);

    if (!endless && g_file_get_contents(file, &data, &size, &err)) {
        g = trace_graph_parse(file, data, size, limits);
        g_free(data);
        return g;
    }
    g = g_new0(struct trace_graph, 1);
    g->source = g_strdup(file);
    if (endless) {
        graph_error(g, NULL, NULL, "cannot be read: it is no regular file");
        return g;
    }
    graph_error(g, NULL, NULL, "cannot be read: %s",
                err->code == G_FILE_ERROR_NOENT ? "no such file" :
                err->code == G_FILE_ERROR_ACCES ? "permission denied" :
                err->code == G_FILE_ERROR_ISDIR ? "it is a folder" :
                err->message);
    g_error_free(err);
    return g;
}

void trace_graph_free(struct trace_graph *g)
{
    if (g == NULL) {
        return;
    }
    for (size_t i = 0; i < g->n_nodes; i++) {
        trace_node_clear(&g->nodes[i]);
    }
    for (size_t i = 0; i < g->n_msgs; i++) {
        g_free(g->msgs[i].path);
        g_free(g->msgs[i].property);
        g_free(g->msgs[i].text);
    }
    if (g->src != NULL) {
        g_hash_table_destroy(g->src->removed);
        g_free(g->src->blob);
        g_free(g->src);
    }
    g_free(g->nodes);
    g_free(g->msgs);
    g_free(g->model);
    g_free(g->source);
    g_free(g);
}

int trace_graph_find(const struct trace_graph *g, const char *name)
{
    for (size_t i = 0; i < g->n_nodes; i++) {
        if (strcmp(g->nodes[i].path, name) == 0 ||
            strcmp(g->nodes[i].name, name) == 0) {
            return (int)i;
        }
    }
    return TRACE_NO_NODE;
}
