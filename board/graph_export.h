/*
 * A topology as a file for other programs: DOT for Graphviz, SVG.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_BOARD_GRAPH_EXPORT_H
#define CSVIRT_BOARD_GRAPH_EXPORT_H

#include <glib.h>

#include "trace_graph.h"

/*
 * Both draw equal siblings as one, as trace_graph_print() does, of a graph
 * without errors.
 * returns: the text (g_free).
 */
char *trace_graph_dot(const struct trace_graph *g);
char *trace_graph_svg(const struct trace_graph *g);

#endif
