/*
 * What the files of board/ share while a tree is being parsed.  Order:
 * overlay merge -> components (dt_node.c) -> connections (dt_graph.c) ->
 * checks (graph_check.c) -> struct trace_graph.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_BOARD_DT_INTERNAL_H
#define CSVIRT_BOARD_DT_INTERNAL_H

#include "dt_tree.h"
#include "trace_graph.h"

enum comp_state {
    COMP_MODELLED,
    COMP_DROPPED,            /* known, but there is no model of it */
    COMP_DISABLED,           /* status says so */
};

/* A node of the tree that is a trace component, modelled or not. */
struct comp {
    int item;
    enum comp_state state;
    bool helper;             /* CATU, CTCU: no ATB on its ports */
    bool legacy;             /* ports without in-ports/out-ports */
    int index;               /* in trace_graph.nodes, once it is there */
    struct trace_node node;  /* ports filled in by dt_graph.c */
};

/* An endpoint of a component. */
struct port_end {
    int comp;
    int item;                /* the endpoint */
    int port_item;           /* its port */
    bool in;
    unsigned number;         /* reg of the port */
    int peer;                /* index of the other end, or DT_NONE */
};

struct parse {
    struct trace_graph *g;
    const struct trace_limits *limits;
    const struct dt_tree *t;
    GHashTable *machine_paths;   /* nodes that are the machine's own; or NULL */
    int *cpus;                   /* items of the CPU nodes */
    unsigned n_cpus;
    struct comp *comps;
    int n_comps;
    GArray *ends;                /* struct port_end */
};

/* Kept with a graph for trace_graph_apply(). */
struct trace_source {
    void *blob;
    size_t size;
    GHashTable *removed;         /* paths (in the merged tree) to leave out */
};

/* add an error or a warning; @property may be NULL */
void graph_msg(struct trace_graph *g, bool warning, const char *path,
               const char *property, const char *fmt, ...)
    G_GNUC_PRINTF(5, 6);
#define graph_error(g, path, prop, ...) \
    graph_msg(g, false, path, prop, __VA_ARGS__)
#define graph_warn(g, path, prop, ...) \
    graph_msg(g, true, path, prop, __VA_ARGS__)

/* dt_node.c: find the components and what each says about itself */
void parse_components(struct parse *p);
void trace_node_clear(struct trace_node *n);

/*
 * graph_check.c: rules of each block, then of the whole; puts the modelled
 * components, in topological order, into p->g.
 */
void graph_check(struct parse *p);

/* dt_overlay.c */
bool dt_is_overlay(const struct dt_tree *t);
/*
 * overlay_labels: check the references of overlay @t (an index of it) and
 * name each label that is not in @known: errors into @g.
 * returns: false when the overlay is damaged and must not be applied.
 */
bool overlay_labels(struct trace_graph *g, const struct dt_tree *t,
                    GHashTable *known, GPtrArray *missing);
/* a tree with what an overlay may refer to: @cpus CPUs, gic, apb_pclk */
void *machine_stand_in(unsigned cpus, size_t *size);
/*
 * machine_prepare: copy @base into a buffer with @room bytes to spare, give
 * its CPUs phandles and add /__symbols__ (cpu0.., gic, apb_pclk); @missing
 * labels, or NULL, get nodes of their own under /missing-labels.
 * returns: the copy (g_free), or NULL and *@error.
 */
void *machine_prepare(const struct dt_tree *base, size_t room,
                      GPtrArray *missing, char **error);
/* labels that machine_prepare() defines: a set of char * (own the keys) */
GHashTable *machine_labels(const struct dt_tree *base);
/*
 * overlay_merge: apply overlay @ov to @base with the author's node order
 * kept, /__symbols__ gone, and without the nodes of @removed (may be NULL).
 * returns: a packed tree (g_free) of *@size bytes, or NULL and *@error.
 */
void *overlay_merge(const struct dt_tree *base, const struct dt_tree *ov,
                    GPtrArray *missing, GHashTable *removed, size_t *size,
                    char **error);

/* dt_apply.c: the same for a complete tree's trace nodes */
void *complete_merge(const struct trace_graph *g, const struct dt_tree *base,
                     size_t *size, char **error);

#endif
