/*
 * Blocks that play the same part, found from both ends: a node's class says
 * what feeds it, and nodes of one class that lead to the same groups are one
 * group.  Sinks stay apart, a person wants to see each.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "graph_group.h"

#include <glib.h>
#include <string.h>

static int by_int(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return x < y ? -1 : x > y;
}

/* number of @key in the table, a new one when it is new; takes @key */
static int number_of(GHashTable *table, char *key)
{
    int n = GPOINTER_TO_INT(g_hash_table_lookup(table, key));

    if (n == 0) {
        n = (int)g_hash_table_size(table) + 1;
        g_hash_table_insert(table, key, GINT_TO_POINTER(n));
    } else {
        g_free(key);
    }
    return n - 1;
}

static GHashTable *new_table(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

/* class of each node: its kind and the classes that feed it */
static void classify(const struct trace_graph *g, int *class)
{
    GHashTable *table = new_table();

    for (size_t i = 0; i < g->n_nodes; i++) {
        const struct trace_node *n = &g->nodes[i];
        int *in = g_new(int, n->n_in + 1);
        GString *key = g_string_new(NULL);

        for (size_t k = 0; k < n->n_in; k++) {
            in[k] = class[n->in[k].peer];
        }
        qsort(in, n->n_in, sizeof(*in), by_int);
        g_string_append_printf(key, "%d:", n->kind);
        for (size_t k = 0; k < n->n_in; k++) {
            g_string_append_printf(key, "%d,", in[k]);
        }
        class[i] = number_of(table, g_string_free(key, FALSE));
        g_free(in);
    }
    g_hash_table_destroy(table);
}

/* group of each node, from the sinks back */
static void assign(const struct trace_graph *g, const int *class, int *group)
{
    size_t etms = 0;
    GHashTable *table = new_table();

    for (size_t i = 0; i < g->n_nodes; i++) {
        etms += g->nodes[i].kind == TRACE_ETM4 ? 1 : 0;
    }
    for (size_t i = g->n_nodes; i-- > 0;) {
        const struct trace_node *n = &g->nodes[i];
        GString *key = g_string_new(NULL);

        if (etms <= GROUP_ABOVE_ETMS || n->n_out == 0) {
            g_string_append_printf(key, "#%" G_GSIZE_FORMAT, i);
        } else {
            g_string_append_printf(key, "%d:", class[i]);
            for (size_t k = 0; k < n->n_out; k++) {
                g_string_append_printf(key, "%u-%d,", n->out[k].number,
                                       group[n->out[k].peer]);
            }
        }
        group[i] = number_of(table, g_string_free(key, FALSE));
    }
    g_hash_table_destroy(table);
}

/* groups numbered anew by their first members, with those */
static void collect(const struct trace_graph *g, int *group,
                    struct grouping *gr)
{
    int *anew = g_new(int, g->n_nodes + 1);

    gr->groups = g_new0(struct group, g->n_nodes + 1);
    for (size_t i = 0; i < g->n_nodes; i++) {
        anew[i] = -1;
    }
    for (size_t i = 0; i < g->n_nodes; i++) {
        struct group *to;

        if (anew[group[i]] < 0) {
            anew[group[i]] = gr->n_groups++;
        }
        group[i] = anew[group[i]];
        to = &gr->groups[group[i]];
        to->member = g_renew(int, to->member, (gsize)to->n + 1);
        to->member[to->n++] = (int)i;
    }
    g_free(anew);
}

static void add_edge(struct grouping *gr, int from, int to,
                     const struct trace_port *p)
{
    struct group_edge *e;

    for (int i = 0; i < gr->n_edges; i++) {
        e = &gr->edges[i];
        if (e->from == from && e->to == to && e->out == p->number) {
            e->ins |= 1u << (p->peer_port & 31);
            return;
        }
    }
    gr->edges = g_renew(struct group_edge, gr->edges, (gsize)gr->n_edges + 1);
    e = &gr->edges[gr->n_edges++];
    e->from = from;
    e->to = to;
    e->out = p->number;
    e->ins = 1u << (p->peer_port & 31);
}

struct grouping *grouping_new(const struct trace_graph *g)
{
    struct grouping *gr = g_new0(struct grouping, 1);
    int *class = g_new0(int, g->n_nodes + 1);
    int *group = g_new0(int, g->n_nodes + 1);

    classify(g, class);
    assign(g, class, group);
    collect(g, group, gr);
    for (size_t i = 0; i < g->n_nodes; i++) {
        for (size_t k = 0; k < g->nodes[i].n_out; k++) {
            const struct trace_port *p = &g->nodes[i].out[k];

            add_edge(gr, group[i], group[p->peer], p);
        }
    }
    g_free(class);
    g_free(group);
    return gr;
}

void grouping_free(struct grouping *gr)
{
    for (int i = 0; i < gr->n_groups; i++) {
        g_free(gr->groups[i].member);
    }
    g_free(gr->groups);
    g_free(gr->edges);
    g_free(gr);
}

char *range_text(const unsigned *v, size_t n)
{
    GString *s = g_string_new(NULL);

    for (size_t i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && v[k] == v[k - 1] + 1; k++) {
        }
        g_string_append_printf(s, k - i > 1 ? "%s%u-%u" : "%s%u",
                               i ? "," : "", v[i], v[k - 1]);
    }
    return g_string_free(s, FALSE);
}
