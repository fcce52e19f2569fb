/*
 * The graph as it is drawn: equal siblings as one block when there are many.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_BOARD_GRAPH_GROUP_H
#define CSVIRT_BOARD_GRAPH_GROUP_H

#include "trace_graph.h"

/* More ETMs than this, and equal siblings are drawn as one block. */
#define GROUP_ABOVE_ETMS 8

struct group {
    int *member;             /* node indices, ascending */
    int n;
};

/* All connections that lead from one group's output to another group. */
struct group_edge {
    int from, to;            /* groups */
    unsigned out;            /* output number of from */
    uint32_t ins;            /* bit per input number of to */
};

struct grouping {
    struct group *groups;    /* in the order of their first members */
    int n_groups;
    struct group_edge *edges;
    int n_edges;
};

/* returns: the groups of @g; free with grouping_free() */
struct grouping *grouping_new(const struct trace_graph *g);
void grouping_free(struct grouping *gr);

/* "0", "0-3", "0,2-3" for a set of numbers (g_free) */
char *range_text(const unsigned *v, size_t n);

#endif
