/*
 * Topologies by name or file, for the commands that take one.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_CLI_TOPOLOGY_H
#define CSVIRT_CLI_TOPOLOGY_H

#include <stdbool.h>

#include "board/trace_graph.h"

/* csvirt topology list | show | check.  returns: enum cli_status. */
int cmd_topology(int argc, char **argv);

/*
 * topology_compile: the device-tree blob of a topology.
 * @name_or_file: a name that `csvirt topology list` shows, a .dts or .dtso
 * (compiled by dtc into the cache folder, under the hash of the blob), or a
 * file that is a blob already and is not looked into.
 * returns: its path (g_free), or NULL with *@error one line without an end
 * (g_free) that names the file.
 */
char *topology_compile(const char *name_or_file, char **error);

/*
 * topology_load: compile, parse and check; messages name what the user gave.
 * @cpus: of the machine, 0 for as many as the topology needs.
 * returns: the graph (trace_graph_free), maybe with errors in it; NULL with
 * *@error when there is no blob.  *@blob, if @blob is not NULL: its path.
 */
struct trace_graph *topology_load(const char *name_or_file, unsigned cpus,
                                  bool strict, char **blob, char **error);

/* topology_report: the messages of a graph on stderr, a line each. */
void topology_report(const struct trace_graph *g);

#endif
