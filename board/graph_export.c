/*
 * A topology as DOT or SVG; the latter has the layout of graph_layout.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "graph_export.h"
#include "graph_layout.h"

#include <string.h>

/* A cell of the layout in pixels. */
enum { CELL_W = 8, CELL_H = 18 };

/* ---- DOT ----------------------------------------------------------------- */

static void dot_box(GString *s, const struct box *b)
{
    g_string_append_printf(s, "    n%d [label=\"", b->group);
    for (int i = 0; i < b->n_text; i++) {
        g_string_append_printf(s, "%s%s", i ? "\\n" : "", b->text[i]);
    }
    if (b->cpus != NULL) {
        g_string_append_printf(s, "\\n%s", b->cpus);
    }
    g_string_append(s, "\"];\n");
}

static void dot_edge(GString *s, const struct grouping *gr,
                     const struct group_edge *e, bool numbered)
{
    char *ins = drawing_ins_text(e->ins);
    unsigned outs = 0;

    for (int i = 0; i < gr->n_edges; i++) {
        outs += gr->edges[i].from == e->from ? 1 : 0;
    }
    g_string_append_printf(s, "    n%d -> n%d [", e->from, e->to);
    if (outs > 1) {
        g_string_append_printf(s, "taillabel=\"%u\" ", e->out);
    }
    if (numbered) {
        g_string_append_printf(s, "headlabel=\"%s\"", ins);
    }
    g_string_append(s, "];\n");
    g_free(ins);
}

char *trace_graph_dot(const struct trace_graph *g)
{
    struct drawing *d = drawing_new(g);
    GString *s = g_string_new("digraph trace {\n    rankdir=LR;\n"
                              "    node [shape=box];\n");

    for (int b = 0; b < d->n_box; b++) {
        if (d->box[b].group >= 0) {
            dot_box(s, &d->box[b]);
        }
    }
    for (int i = 0; i < d->gr->n_edges; i++) {
        const struct group_edge *e = &d->gr->edges[i];
        enum trace_kind to =
            g->nodes[d->gr->groups[e->to].member[0]].kind;

        dot_edge(s, d->gr, e,
                 to == TRACE_FUNNEL || to == TRACE_FUNNEL_STATIC);
    }
    g_string_append(s, "}\n");
    drawing_free(d);
    return g_string_free(s, FALSE);
}

/* ---- SVG ----------------------------------------------------------------- */

static void svg_text(GString *s, int x, int y, const char *text)
{
    char *t = g_markup_escape_text(text, -1);

    g_string_append_printf(s, "<text x=\"%d\" y=\"%d\">%s</text>\n",
                           x * CELL_W, y * CELL_H + CELL_H * 3 / 4, t);
    g_free(t);
}

static int middle(int y)
{
    return y * CELL_H + CELL_H / 2;
}

static void svg_ports(GString *s, const struct drawing *d,
                      const struct box *b)
{
    int x = d->x[b->layer], w = d->w[b->layer];

    for (int i = 0; i < b->n_in && drawing_ins_width(d, b) > 0; i++) {
        char *t = drawing_ins_text(d->edge[b->in[i]].ins);

        svg_text(s, x + 1, d->edge[b->in[i]].y2, t);
        g_free(t);
    }
    for (int i = 0; i < b->n_out && b->n_out > 1; i++) {
        char t[16];

        g_snprintf(t, sizeof(t), "%u", d->edge[b->out[i]].out);
        svg_text(s, x + w - 2, d->edge[b->out[i]].y1, t);
    }
}

static void svg_box(GString *s, const struct drawing *d, const struct box *b)
{
    int x = d->x[b->layer], w = d->w[b->layer];
    int text_x = x + 2 + drawing_ins_width(d, b);
    int first = b->y + 1 + (drawing_content_rows(b) - b->n_text) / 2;

    g_string_append_printf(s, "<rect x=\"%d\" y=\"%d\" width=\"%d\" "
                           "height=\"%d\"/>\n", x * CELL_W, middle(b->y),
                           (w - 1) * CELL_W, (b->h - 1) * CELL_H);
    for (int i = 0; i < b->n_text; i++) {
        svg_text(s, text_x, first + i, b->text[i]);
    }
    svg_ports(s, d, b);
    if (b->cpus != NULL) {
        int y = middle(b->y + b->h / 2);

        svg_text(s, 0, b->y + b->h / 2, b->cpus);
        g_string_append_printf(s, "<path d=\"M%d %dH%d\"/>\n",
                               ((int)strlen(b->cpus) + 1) * CELL_W, y,
                               x * CELL_W);
    }
}

static void svg_edge(GString *s, const struct drawing *d,
                     const struct edge *e)
{
    int l = d->box[e->from].layer;
    int x1 = d->box[e->from].group < 0 ? d->x[l] : d->x[l] + d->w[l] - 1;
    int turn = d->x[l] + d->w[l] + 1 + 2 * e->track;

    g_string_append_printf(s, "<path d=\"M%d %dH%dV%dH%d\"%s/>\n",
                           x1 * CELL_W, middle(e->y1), turn * CELL_W,
                           middle(e->y2), d->x[l + 1] * CELL_W,
                           d->box[e->to].group < 0 ? "" :
                           " marker-end=\"url(#a)\"");
}

char *trace_graph_svg(const struct trace_graph *g)
{
    struct drawing *d = drawing_new(g);
    GString *s = g_string_new(NULL);

    g_string_append_printf(s,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
        "height=\"%d\" font-family=\"monospace\" font-size=\"13\">\n"
        "<style>rect,path{fill:none;stroke:#000}</style>\n"
        "<defs><marker id=\"a\" markerWidth=\"8\" markerHeight=\"8\" "
        "refX=\"8\" refY=\"4\" orient=\"auto\">"
        "<path d=\"M0 0L8 4L0 8\"/></marker></defs>\n",
        (d->cols + 1) * CELL_W, (d->rows + 1) * CELL_H);
    for (int i = 0; i < d->n_edge; i++) {
        svg_edge(s, d, &d->edge[i]);
    }
    for (int b = 0; b < d->n_box; b++) {
        if (d->box[b].group >= 0) {
            svg_box(s, d, &d->box[b]);
        }
    }
    g_string_append(s, "</svg>\n");
    drawing_free(d);
    return g_string_free(s, FALSE);
}
