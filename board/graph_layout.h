/*
 * Layout of a topology's picture.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_BOARD_GRAPH_LAYOUT_H
#define CSVIRT_BOARD_GRAPH_LAYOUT_H

#include "graph_group.h"

#include <glib.h>

/* A box, or (width 0 text) a line passing through a layer. */
struct box {
    int group;               /* -1: a line passing */
    int layer;
    char *text[3];
    int n_text;
    char *cpus;              /* ETMs: what stands before the box */
    int *in, *out;           /* edges, in port order */
    int n_in, n_out;
    int y, h;                /* rows, borders included */
    double wish;             /* row wanted for its middle */
};

struct edge {
    int from, to;            /* boxes in neighbouring layers */
    unsigned out;
    uint32_t ins;
    int y1, y2;              /* rows of the two ends */
    int track;
};

struct drawing {
    const struct trace_graph *g;
    struct grouping *gr;
    struct box *box;
    int n_box;
    struct edge *edge;
    int n_edge;
    int n_layer;
    int **order;             /* boxes of a layer, top to bottom */
    int *count;
    int *x, *w, *gap;        /* column, width, channel behind, of a layer */
    int cols, rows, left;
    unsigned char *line;     /* cells: bits of lines */
    char *chr;               /* cells: text, 0 where there is none */
};

/* returns: a drawing, all but its cells made; free with drawing_free() */
struct drawing *drawing_new(const struct trace_graph *g);
void drawing_free(struct drawing *d);

/* rows of a box between its borders */
int drawing_content_rows(const struct box *b);
/* numbers of a set of inputs, "0-3" (g_free) */
char *drawing_ins_text(uint32_t ins);
/* columns that the input numbers of a box take: 0 where they say nothing */
int drawing_ins_width(const struct drawing *d, const struct box *b);

#endif
