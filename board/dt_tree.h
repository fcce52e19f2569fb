/*
 * A flattened device tree with an index: nodes by path and by phandle found
 * without walking the blob again.  Read only; what libfdt lacks for graphs of
 * a thousand endpoints.
 *
 * Spec: Devicetree Specification v0.4, chapters 2 and 5.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_BOARD_DT_TREE_H
#define CSVIRT_BOARD_DT_TREE_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DT_NONE      (-1)
#define DT_MAX_DEPTH 32

struct dt_item {
    int off;                 /* of the node in the blob */
    int parent, child, next; /* item indices or DT_NONE */
    int depth;
    const char *name;
    char *path;
    uint32_t phandle;        /* 0: none */
};

struct dt_tree {
    const void *fdt;
    struct dt_item *items;   /* in blob order; 0 is the root */
    int n;
    GHashTable *by_path;     /* char * -> index + 1 */
    GHashTable *by_phandle;  /* uint32_t -> index + 1 */
};

/*
 * dt_blob_error: is @blob a sound flattened tree of at most @size bytes?
 * returns: NULL when it is, else a text (g_free) of what is wrong.
 */
char *dt_blob_error(const void *blob, size_t size);

/*
 * dt_tree_new: index @fdt, which dt_blob_error() accepted and which must
 * outlive the index.
 * returns: the index, or NULL with *@error (g_free) when it is nested too
 * deep.
 */
struct dt_tree *dt_tree_new(const void *fdt, char **error);
void dt_tree_free(struct dt_tree *t);

/* item index of a path, a phandle, a named child; DT_NONE when there is none */
int dt_find(const struct dt_tree *t, const char *path);
int dt_by_phandle(const struct dt_tree *t, uint32_t phandle);
int dt_child(const struct dt_tree *t, int item, const char *name);

/* property bytes, or NULL; @len may be NULL */
const void *dt_prop(const struct dt_tree *t, int item, const char *name,
                    int *len);
/* first string of a property, NULL when absent or not terminated */
const char *dt_string(const struct dt_tree *t, int item, const char *name);
/* does the string list @prop contain @text? */
bool dt_has_string(const struct dt_tree *t, int item, const char *prop,
                   const char *text);
/* one cell: true and *@value when the property is exactly 4 bytes */
bool dt_cell(const struct dt_tree *t, int item, const char *name,
             uint32_t *value);
/* status of the node and of its ancestors: neither disabled nor failed */
bool dt_available(const struct dt_tree *t, int item);

/*
 * dt_reg: entry @which of reg, translated to the root's address space through
 * the ranges of the buses between.
 * returns: NULL and *@base, *@size set, or a text (g_free) of what is wrong.
 */
char *dt_reg(const struct dt_tree *t, int item, unsigned which,
             uint64_t *base, uint64_t *size);

/*
 * dt_cpus: the CPU nodes in the order in which an arm64 kernel numbers them.
 * returns: their items (g_free), *@n of them; NULL when there are none.
 */
int *dt_cpus(const struct dt_tree *t, unsigned *n);

/* the largest phandle in use, 0 when there is none */
uint32_t dt_max_phandle(const struct dt_tree *t);

#endif
