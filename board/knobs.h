/*
 * The csvirt,... properties: one table for the parser, the machine and the
 * drawing.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_BOARD_KNOBS_H
#define CSVIRT_BOARD_KNOBS_H

#include "trace_graph.h"

struct trace_knob {
    enum trace_kind kind;
    const char *name;        /* without "csvirt," */
    uint64_t min, max;
    uint64_t allowed[10];    /* when not empty: only these; count below */
    size_t n_allowed;
    uint64_t fallback;       /* when the node does not say */
    bool hex;                /* how a person writes it */
    const char *help;
};

/* knob @name of @kind, NULL when it has none of that name */
const struct trace_knob *trace_knob_find(enum trace_kind kind,
                                         const char *name);
/* the @i-th knob of @kind, NULL past the last */
const struct trace_knob *trace_knob_nth(enum trace_kind kind, size_t i);
/* node's value of a knob, the knob's default when the node does not say */
uint64_t trace_node_knob(const struct trace_node *n, const char *name);

/* may the knob be @v? */
bool trace_knob_takes(const struct trace_knob *k, uint64_t v);

#endif
