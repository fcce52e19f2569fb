/*
 * Topologies made from a few numbers: per-cluster funnels, trees of funnels as
 * deep as needed, a sink for each group of CPUs, replicators where a CPU shall
 * reach several.  The result is source text that a person can read and change.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_BOARD_NEW_TOPOLOGY_H
#define CSVIRT_BOARD_NEW_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "trace_graph.h"

#define NEW_CPUS_MAX   512u
#define NEW_ETRS_MAX   64u
#define NEW_WAYS_MAX   512u    /* from groups to sinks, with reach */
#define NEW_FUNNEL_IN  8u      /* inputs of a funnel, DDI 0480 4.1 */

/*
 * Where the blocks are: a 4 KiB page each, in the order of their numbers.
 * All of them end inside the machine's window.
 */
#define NEW_ETM_BASE        0x0c100000u   /* 512 pages */
#define NEW_FUNNEL_BASE     0x0c400000u   /* 2048 */
#define NEW_ETR_BASE        0x0cc00000u   /* 64 */
#define NEW_REPLICATOR_BASE 0x0cd00000u   /* 512 */

/* What is asked for. */
struct new_spec {
    unsigned cpus, etrs;
    unsigned cluster;        /* CPUs of a first funnel */
    unsigned reach;          /* sinks that each CPU reaches */
    unsigned size[NEW_ETRS_MAX];   /* CPUs of each ETR's group */
};

/*
 * new_spec_parse: read "cpus=N,etrs=M,...".
 * Keys: cpus (1 to 512), etrs (1 to 64: 1), cluster (1 to 8: 8), reach (1 to
 * etrs, or all: 1; at most NEW_WAYS_MAX over all groups), groups (N+N+..., the
 * CPUs of each ETR: equal parts) and sinks (etr).  With groups, cpus and etrs
 * may be left out.
 * returns: true, or false with *@error (g_free) one line that names the key.
 */
bool new_spec_parse(const char *text, struct new_spec *spec, char **error);

/* One end of a connection: output @port of node @node. */
struct new_end {
    int node;
    unsigned port;
};

struct new_node {
    enum trace_kind kind;
    unsigned number;         /* among its kind */
    unsigned first, last;    /* ETM, funnel of CPUs: their numbers */
    int sink;                /* funnel in front of a sink: its number; or -1 */
    struct new_end in[NEW_FUNNEL_IN];   /* what feeds each input */
    unsigned n_in;
    struct new_end out[2];   /* node and input that each output leads to */
    unsigned n_out;
};

struct new_plan {
    struct new_node *node;   /* ETMs by CPU first */
    int n_node;
    unsigned count[TRACE_KIND_COUNT];
};

/* new_plan_make: the blocks and how they are joined; new_plan_free(). */
struct new_plan *new_plan_make(const struct new_spec *spec);
void new_plan_free(struct new_plan *plan);

/* where the registers of a node are */
uint32_t new_node_base(const struct new_node *n);

/*
 * new_topology: the overlay's source.  @text: as for new_spec_parse().  The
 * same text gives the same bytes.
 * returns: the source (g_free), or NULL with *@error.
 */
char *new_topology(const char *text, char **error);

#endif
