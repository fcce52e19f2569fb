/*
 * The trace network as data: what a device tree says, checked as a whole,
 * before anything is built.  libfdt and GLib only; shared by the machine and
 * by `csvirt topology`.
 *
 * Bindings: devicetree arm,coresight-*.yaml; graph: in-ports/out-ports with
 * port@N and endpoint remote-endpoint.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_BOARD_TRACE_GRAPH_H
#define CSVIRT_BOARD_TRACE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum trace_kind {
    TRACE_ETM4,
    TRACE_FUNNEL,            /* dynamic */
    TRACE_FUNNEL_STATIC,
    TRACE_REPLICATOR,
    TRACE_REPLICATOR_STATIC,
    TRACE_TMC_ETR,
    TRACE_KIND_COUNT
};

/* "ETMv4", "funnel", "static funnel", ...; never NULL */
const char *trace_kind_text(enum trace_kind kind);

#define TRACE_NO_NODE (-1)

struct trace_port {
    unsigned number;         /* reg of the port: FUNCTL bit, IDFILTER index */
    int peer;                /* index of the node at the other end */
    unsigned peer_port;      /* its port number */
};

/* A parameter of a node: a csvirt,... property; knobs.h lists them. */
struct trace_param {
    char *name;              /* without the "csvirt," prefix */
    uint64_t value;
};

struct trace_node {
    enum trace_kind kind;
    char *path;              /* node path in the tree: "/etm@c010000" */
    char *name;              /* node name, unique: "etm@c010000" */
    uint64_t base, size;     /* reg; 0, 0 for static blocks */
    int order;               /* among the trace nodes of the tree, from 0 */
    int cpu;                 /* ETM: logical CPU index; else -1 */
    struct trace_port *in;   /* sorted by number */
    size_t n_in;
    struct trace_port *out;
    size_t n_out;
    struct trace_param *params;
    size_t n_params;
};

/* One thing wrong (or dropped) in the tree. */
struct trace_msg {
    bool warning;            /* else error */
    char *path;              /* node; NULL: the file itself */
    char *property;          /* may be NULL */
    char *text;              /* what is there and what is expected */
};

struct trace_graph {
    char *source;            /* file the tree came from, for messages */
    char *model;             /* what the tree calls itself; NULL: nothing */
    bool overlay;
    struct trace_node *nodes;
    size_t n_nodes;          /* in topological order: sources first */
    struct trace_msg *msgs;  /* all errors and warnings of one run */
    size_t n_msgs, n_errors;
    size_t packed_size;      /* bytes of the merged tree */
    unsigned cpus;           /* CPUs that the tree needs: last ETM's + 1 */
    struct trace_source *src;    /* for trace_graph_apply() only */
};

struct trace_limits {
    unsigned cpus;           /* of the machine; 0: as many as are needed */
    uint64_t window_base;    /* where reg must fall */
    uint64_t window_size;
    bool strict;             /* unmodelled trace nodes are errors */
};

/* The window that the csvirt machine reserves: virt's platform-bus hole. */
#define TRACE_WINDOW_BASE 0x0c000000ull
#define TRACE_WINDOW_SIZE 0x02000000ull
#define TRACE_TREE_MAX    (2u << 20)     /* arm64 boot limit of a dtb */

/*
 * trace_graph_load: parse and validate a topology.
 * @file: a .dtb or .dtbo; an overlay's references to cpuN, gic, apb_pclk are
 * looked for in its own __fixups__.  @limits: see above.
 * returns: a graph, never NULL; when n_errors is not 0 it must not be built.
 * Free with trace_graph_free().
 */
struct trace_graph *trace_graph_load(const char *file,
                                     const struct trace_limits *limits);
/* The same from @size bytes in memory (copied); @name is for messages. */
struct trace_graph *trace_graph_parse(const char *name, const void *blob,
                                      size_t size,
                                      const struct trace_limits *limits);
void trace_graph_free(struct trace_graph *g);

/*
 * trace_msg_text: one message as a line without its end:
 * "FILE: PATH: PROPERTY TEXT", or "FILE TEXT".
 * returns: a string to g_free().
 */
char *trace_msg_text(const struct trace_graph *g, const struct trace_msg *m);

/*
 * trace_graph_apply: put the trace nodes into the machine's tree.
 * @graph: loaded without errors.  @base: the machine's tree, not modified.
 * @base_size: its bytes.  @out_size: out, bytes of the result, which is packed.
 * An overlay is applied with /__symbols__ (cpu0.., gic, apb_pclk) defined; the
 * result does not have them.  Of a complete tree the trace nodes are copied
 * below the root, their CPUs by number, their clock replaced by the machine's
 * apb_pclk.  Nodes without a model and the ports that lead to them are left
 * out.
 * returns: the new tree (g_free), or NULL with *error set to a text of one
 * line (g_free) that does not name the file.
 */
void *trace_graph_apply(const struct trace_graph *graph, const void *base,
                        size_t base_size, size_t *out_size, char **error);

/*
 * trace_graph_sinks: the sinks that node @node leads to, the one that Linux
 * takes by default first.
 * returns: how many; *@sinks: their indices (g_free).
 */
int trace_graph_sinks(const struct trace_graph *g, int node, int **sinks);

/* node index by path or name; TRACE_NO_NODE when there is none */
int trace_graph_find(const struct trace_graph *g, const char *name);

/* the value of parameter @name of a node, or @fallback */
uint64_t trace_node_param(const struct trace_node *n, const char *name,
                          uint64_t fallback);

/*
 * trace_graph_print: the topology as a person would draw it, one box a block,
 * then its nodes, their parameters, and where each CPU's trace can go.  Line
 * glyphs where the locale of the environment is UTF-8, else ASCII.
 */
void trace_graph_print(const struct trace_graph *g, FILE *out);

#endif
