/*
 * What `csvirt topology show` prints: the picture, then tables.
 *
 * The default sink is that of the Linux coresight core: highest sink subtype,
 * then the shortest way, then the first found.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "graph_draw.h"
#include "graph_group.h"
#include "knobs.h"

#include <glib.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* the number N of tmc_etrN: a kernel counts its sinks in tree order */
static int etr_number(const struct trace_graph *g, int node)
{
    int n = 0;

    for (size_t i = 0; i < g->n_nodes; i++) {
        n += g->nodes[i].kind == TRACE_TMC_ETR &&
             g->nodes[i].order < g->nodes[node].order ? 1 : 0;
    }
    return n;
}

/* depth of each node below @from, -1 where there is no way */
static void walk(const struct trace_graph *g, int from, int depth,
                 int *depths, GArray *found)
{
    const struct trace_node *n = &g->nodes[from];

    if (depths[from] >= 0 && depths[from] <= depth) {
        return;
    }
    if (n->kind == TRACE_TMC_ETR && depths[from] < 0) {
        g_array_append_val(found, from);
    }
    depths[from] = depth;
    for (size_t i = 0; i < n->n_out; i++) {
        walk(g, n->out[i].peer, depth + 1, depths, found);
    }
}

int trace_graph_sinks(const struct trace_graph *g, int node, int **sinks)
{
    int *depths = g_new(int, g->n_nodes + 1);
    GArray *found = g_array_new(FALSE, FALSE, sizeof(int));
    int n;

    for (size_t i = 0; i < g->n_nodes; i++) {
        depths[i] = -1;
    }
    walk(g, node, 0, depths, found);
    for (guint i = 1; i < found->len; i++) {
        int *v = (int *)(void *)found->data, best = v[i];

        /* the nearest one to the front, others as found */
        if (depths[best] < depths[v[0]]) {
            memmove(v + 1, v, i * sizeof(*v));
            v[0] = best;
        }
    }
    g_free(depths);
    n = (int)found->len;
    *sinks = (int *)(void *)g_array_free(found, FALSE);
    return n;
}

static int name_width(const struct trace_graph *g)
{
    size_t w = strlen("node");

    for (size_t i = 0; i < g->n_nodes; i++) {
        w = MAX(w, strlen(g->nodes[i].name));
    }
    return (int)w;
}

static void print_ports(const struct trace_graph *g,
                        const struct trace_node *n, FILE *out)
{
    for (size_t i = 0; i < n->n_out; i++) {
        const struct trace_node *to = &g->nodes[n->out[i].peer];

        fprintf(out, "%s", i ? ", " : "");
        if (n->n_out > 1) {
            fprintf(out, "%u: ", n->out[i].number);
        }
        fprintf(out, "%s", to->name);
        if (to->kind == TRACE_FUNNEL || to->kind == TRACE_FUNNEL_STATIC) {
            fprintf(out, " in %u", n->out[i].peer_port);
        }
    }
}

static void print_nodes(const struct trace_graph *g, FILE *out)
{
    int w = name_width(g);

    fprintf(out, "%-*s  %-17s  %-10s  %s\n", w, "node", "kind", "address",
            "leads to");
    for (size_t i = 0; i < g->n_nodes; i++) {
        const struct trace_node *n = &g->nodes[i];
        char address[24] = "-";

        if (n->size != 0) {
            g_snprintf(address, sizeof(address), "0x%08" PRIx64, n->base);
        }
        fprintf(out, "%-*s  %-17s  %-10s  ", w, n->name,
                trace_kind_text(n->kind), address);
        print_ports(g, n, out);
        if (n->kind == TRACE_TMC_ETR) {
            fprintf(out, "memory, as tmc_etr%d", etr_number(g, (int)i));
        }
        fprintf(out, "\n");
    }
}

#define PARAMS_WIDTH 74

/*
 * Every parameter of a node, "*" behind those that the tree sets, in lines
 * indented by four (g_free).
 */
static char *params_text(const struct trace_node *n)
{
    GString *s = g_string_new(NULL);
    const struct trace_knob *k;
    gsize line = 0;

    for (size_t i = 0; (k = trace_knob_nth(n->kind, i)) != NULL; i++) {
        uint64_t v = trace_node_knob(n, k->name);
        bool set = false;
        gsize at = s->len;

        for (size_t m = 0; m < n->n_params; m++) {
            set = set || strcmp(n->params[m].name, k->name) == 0;
        }
        g_string_append_printf(s, k->hex ? " %s=0x%" PRIx64 :
                               " %s=%" PRIu64, k->name, v);
        g_string_append(s, set ? "*" : "");
        if (at == 0 || s->len - line > PARAMS_WIDTH) {
            g_string_insert(s, (gssize)at, at ? "\n   " : "   ");
            line = at + (at ? 1 : 0);
        }
    }
    return g_string_free(s, FALSE);
}

/* nodes with the same parameters share a line */
static void print_params(const struct trace_graph *g, FILE *out)
{
    char **text = g_new0(char *, g->n_nodes + 1);

    fprintf(out, "parameters (csvirt,NAME of the node; * set by the tree)\n");
    for (size_t i = 0; i < g->n_nodes; i++) {
        text[i] = params_text(&g->nodes[i]);
    }
    for (size_t i = 0; i < g->n_nodes; i++) {
        size_t same = 0, earlier = 0;

        for (size_t k = 0; k < g->n_nodes; k++) {
            if (g->nodes[k].kind == g->nodes[i].kind &&
                strcmp(text[k], text[i]) == 0) {
                same++;
                earlier += k < i ? 1 : 0;
            }
        }
        if (earlier > 0 || text[i][0] == 0) {
            continue;
        }
        fprintf(out, "  %s", g->nodes[i].name);
        if (same > 1) {
            fprintf(out, " and %" G_GSIZE_FORMAT " more of its kind",
                    same - 1);
        }
        fprintf(out, ":\n%s\n", text[i]);
    }
    for (size_t i = 0; i < g->n_nodes; i++) {
        g_free(text[i]);
    }
    g_free(text);
}

/* the sinks of an ETM, the default one first, by name (g_free) */
static char *sinks_text(const struct trace_graph *g, int node)
{
    int *v, n = trace_graph_sinks(g, node, &v);
    GString *s = g_string_new(NULL);

    for (int i = 0; i < n; i++) {
        g_string_append_printf(s, "%s%s (tmc_etr%d)%s", i ? ", " : "",
                               g->nodes[v[i]].name, etr_number(g, v[i]),
                               i == 0 ? " by default" : "");
    }
    if (n == 0) {
        g_string_append(s, "none");
    }
    g_free(v);
    return g_string_free(s, FALSE);
}

static void print_cpus(const struct trace_graph *g, FILE *out)
{
    char **text = g_new0(char *, g->n_nodes + 1);
    unsigned *cpus = g_new(unsigned, g->n_nodes + 1);

    fprintf(out, "sinks that each CPU reaches\n");
    for (size_t i = 0; i < g->n_nodes; i++) {
        if (g->nodes[i].kind == TRACE_ETM4 && g->nodes[i].cpu >= 0) {
            text[i] = sinks_text(g, (int)i);
        }
    }
    for (size_t i = 0; i < g->n_nodes; i++) {
        size_t n = 0;
        char *range;

        if (text[i] == NULL) {
            continue;
        }
        for (size_t k = g->n_nodes; k-- > i;) {
            if (text[k] != NULL && strcmp(text[k], text[i]) == 0) {
                memmove(cpus + 1, cpus, n++ * sizeof(*cpus));
                cpus[0] = (unsigned)g->nodes[k].cpu;
                if (k != i) {
                    g_free(text[k]);
                    text[k] = NULL;
                }
            }
        }
        range = range_text(cpus, n);
        fprintf(out, "  cpu%-8s  %s\n", range, text[i]);
        g_free(range);
        g_free(text[i]);
        text[i] = NULL;
    }
    g_free(cpus);
    g_free(text);
}

static bool locale_is_utf8(void)
{
    static const char *const vars[] = { "LC_ALL", "LC_CTYPE", "LANG" };

    for (size_t i = 0; i < G_N_ELEMENTS(vars); i++) {
        const char *v = getenv(vars[i]);

        if (v != NULL && *v != 0) {
            char *up = g_ascii_strup(v, -1);
            bool utf8 = strstr(up, "UTF-8") != NULL ||
                        strstr(up, "UTF8") != NULL;

            g_free(up);
            return utf8;
        }
    }
    return false;
}

void trace_graph_print(const struct trace_graph *g, FILE *out)
{
    trace_graph_draw(g, locale_is_utf8(), out);
    fprintf(out, "\n");
    print_nodes(g, out);
    fprintf(out, "\n");
    print_params(g, out);
    fprintf(out, "\n");
    print_cpus(g, out);
    fprintf(out, "\ntree: %" G_GSIZE_FORMAT " bytes packed, at most %u\n",
            g->packed_size, TRACE_TREE_MAX);
}
