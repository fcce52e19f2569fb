/*
 * The picture of a topology.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_BOARD_GRAPH_DRAW_H
#define CSVIRT_BOARD_GRAPH_DRAW_H

#include "trace_graph.h"

/*
 * trace_graph_draw: boxes and lines to @out, in UTF-8 line glyphs or ASCII.
 * A graph without errors; one with errors is drawn as far as it goes.
 */
void trace_graph_draw(const struct trace_graph *g, bool utf8, FILE *out);

#endif
