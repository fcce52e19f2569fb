/*
 * A tree without a fault: what the graph says of it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <libfdt.h>
#include <string.h>

#include "../tap/tap.h"
#include "tree.h"

/* the order asked of a graph: no node before one that feeds it */
static bool sources_first(const struct trace_graph *g)
{
    for (size_t i = 0; i < g->n_nodes; i++) {
        for (size_t k = 0; k < g->nodes[i].n_out; k++) {
            if (g->nodes[i].out[k].peer <= (int)i) {
                return false;
            }
        }
    }
    return true;
}

/* each connection is told alike from both of its ends */
static bool both_ends_agree(const struct trace_graph *g)
{
    for (size_t i = 0; i < g->n_nodes; i++) {
        for (size_t k = 0; k < g->nodes[i].n_out; k++) {
            const struct trace_port *p = &g->nodes[i].out[k];
            const struct trace_node *to = &g->nodes[p->peer];
            bool found = false;

            for (size_t m = 0; m < to->n_in; m++) {
                found = found || (to->in[m].peer == (int)i &&
                                  to->in[m].number == p->peer_port &&
                                  to->in[m].peer_port == p->number);
            }
            if (!found) {
                return false;
            }
        }
    }
    return true;
}

static char *names(const struct trace_graph *g)
{
    GString *s = g_string_new(NULL);

    for (size_t i = 0; i < g->n_nodes; i++) {
        g_string_append_printf(s, "%s%s", i ? " " : "", g->nodes[i].name);
    }
    return g_string_free(s, FALSE);
}

static void check_good(const char *what, struct trace_graph *g)
{
    char *talk = tree_talk(g), *order = names(g);
    int etm0 = trace_graph_find(g, "etm@c100000");
    int funnel = trace_graph_find(g, "/funnel@c200000");
    int rep = trace_graph_find(g, "replicator@c300000");

    is_str(talk, "", "%s: nothing to say", what);
    is_str(order, "etm@c100000 etm@c110000 funnel@c200000 "
           "replicator@c300000 etr@c400000 etr@c410000", "%s: order", what);
    ok(sources_first(g), "%s: sources first", what);
    ok(both_ends_agree(g), "%s: both ends agree", what);
    is_u64(g->cpus, 2, "%s: CPUs needed", what);
    is_u64(g->nodes[etm0].cpu, 0, "%s: CPU of the first ETM", what);
    is_u64(g->nodes[etm0].base, 0xc100000, "%s: its address", what);
    is_u64(g->nodes[etm0].size, 0x1000, "%s: its size", what);
    is_u64(g->nodes[funnel].n_in, 2, "%s: funnel inputs", what);
    is_u64(g->nodes[funnel].in[1].number, 1, "%s: numbered by reg", what);
    is_u64(g->nodes[rep].out[1].number, 1, "%s: replicator output", what);
    is_str(g->nodes[g->nodes[rep].out[1].peer].name, "etr@c410000",
           "%s: leads to the second sink", what);
    g_free(talk);
    g_free(order);
    trace_graph_free(g);
}

static void check_numbers(void)
{
    struct tree t;
    struct trace_graph *g;
    const struct trace_node *f;

    tree_good(&t);
    /* the first ETM moves to input 5: order of the ports is by number */
    tree_cell(&t, "/funnel@c200000/in-ports/port@0", "reg", 5);
    g = tree_parse(&t, 2, false);
    f = &g->nodes[trace_graph_find(g, "funnel@c200000")];
    is_u64(f->in[0].number, 1, "sorted by number");
    is_u64(f->in[1].number, 5, "reg of the port, not its place");
    is_str(g->nodes[f->in[1].peer].name, "etm@c100000", "with its peer");
    trace_graph_free(g);
    tree_free(&t);
}

static void check_params(void)
{
    struct tree t;
    struct trace_graph *g;
    const struct trace_node *n;

    tree_good(&t);
    tree_cell(&t, "/etm@c100000", "csvirt,counters", 3);
    tree_cell(&t, "/etm@c100000", "csvirt,part", 0xd05);
    tree_cells(&t, "/etr@c400000", "csvirt,flush-latency-ns", 2, 0, 90000);
    tree_strings(&t, "/etr@c400000", "csvirt,soc600", "", 0);
    tree_string(&t, "/etr@c410000", "csvirt,config", "etr");
    g = tree_parse(&t, 2, false);
    n = &g->nodes[trace_graph_find(g, "etm@c100000")];
    is_u64(g->n_msgs, 0, "parameters are taken");
    is_u64(trace_node_param(n, "counters", 99), 3, "one cell");
    is_u64(trace_node_param(n, "part", 99), 0xd05, "another");
    is_u64(trace_node_param(n, "ts-bits", 99), 99, "not set: fallback");
    n = &g->nodes[trace_graph_find(g, "etr@c400000")];
    is_u64(trace_node_param(n, "flush-latency-ns", 0), 90000, "two cells");
    is_u64(trace_node_param(n, "soc600", 0), 1, "empty means 1");
    trace_graph_free(g);
    tree_free(&t);
}

static void check_sinks(void)
{
    struct tree t;
    struct trace_graph *g;
    int *v, n;

    tree_good(&t);
    /* output 1 leads to the first ETR of the tree, output 0 to the second */
    tree_cell(&t, "/replicator@c300000/out-ports/port@0", "reg", 1);
    tree_cell(&t, "/replicator@c300000/out-ports/port@1", "reg", 0);
    g = tree_parse(&t, 2, false);
    n = trace_graph_sinks(g, 0, &v);
    is_u64(n, 2, "an ETM reaches both sinks");
    is_str(g->nodes[v[0]].name, "etr@c410000", "the first found is default");
    g_free(v);
    trace_graph_free(g);
    tree_free(&t);
}

int main(int argc, char **argv)
{
    struct tree t;
    struct trace_graph *g;

    tap_begin(argc, argv, 0);
    tree_good(&t);
    check_good("complete tree", tree_parse(&t, 2, false));
    check_good("complete tree, CPUs not given", tree_parse(&t, 0, false));
    g = tree_parse(&t, 0, false);
    is_str(g->model, "good", "the tree's model");
    trace_graph_free(g);
    tree_free(&t);
    tree_overlay(&t);
    check_good("overlay", tree_parse(&t, 2, false));
    check_good("overlay, CPUs not given", tree_parse(&t, 0, false));
    tree_free(&t);
    check_numbers();
    check_params();
    check_sinks();
    tree_good(&t);
    g = tree_parse(&t, 2, false);
    is_u64(trace_graph_find(g, "nothing"), (uint64_t)TRACE_NO_NODE,
           "no node of that name");
    trace_graph_free(g);
    tree_free(&t);
    return tap_done();
}
