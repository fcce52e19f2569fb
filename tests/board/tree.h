/*
 * Device trees for the board tests, built with libfdt's sequential writer and
 * then broken one way at a time with its read-write functions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_TESTS_BOARD_TREE_H
#define CSVIRT_TESTS_BOARD_TREE_H

#include <glib.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../board/trace_graph.h"

#define TREE_ROOM (256 * 1024)

struct tree {
    char *blob;              /* TREE_ROOM bytes */
};

/*
 * tree_good: a complete tree without a fault.
 *
 *   cpu0 - etm@c100000 0x10 - 0x20 +-----------------+
 *                                  | funnel@c200000  | 0x22 - 0x30 replicator
 *   cpu1 - etm@c110000 0x11 - 0x21 +-----------------+         @c300000
 *
 *   replicator 0x31 - 0x40 etr@c400000, 0x32 - 0x41 etr@c410000
 *
 * The numbers are the phandles of the endpoints; CPUs have 1 and 2, the clock
 * has 3.
 */
void tree_good(struct tree *t);
/* tree_base: what QEMU's virt machine makes, in short; @cpus CPUs */
void tree_base(struct tree *t, unsigned cpus, bool cpu_phandles);
/*
 * tree_overlay: the network of tree_good() as an overlay with phandles of its
 * own, __fixups__ for cpu0, cpu1 and apb_pclk, and __local_fixups__.
 */
void tree_overlay(struct tree *t);
void tree_free(struct tree *t);

/* changes; each bails out when libfdt refuses */
void tree_cell(struct tree *t, const char *path, const char *prop,
               uint32_t v);
void tree_cells(struct tree *t, const char *path, const char *prop, int n,
                ...);
void tree_string(struct tree *t, const char *path, const char *prop,
                 const char *s);
void tree_strings(struct tree *t, const char *path, const char *prop,
                  const char *s, int len);
void tree_unset(struct tree *t, const char *path, const char *prop);
void tree_cut(struct tree *t, const char *path);
void tree_add(struct tree *t, const char *parent, const char *name);
/* an endpoint "parent/port@n/endpoint", made with all above it */
void tree_endpoint(struct tree *t, const char *ports, unsigned number,
                   uint32_t phandle, uint32_t remote);
/* a TMC, funnel or other primecell with reg and clock */
void tree_block(struct tree *t, const char *name, const char *compatible,
                uint32_t base);

int tree_size(const struct tree *t);
/* parse with the machine's window; the tree's name is "t" */
struct trace_graph *tree_parse(const struct tree *t, unsigned cpus,
                               bool strict);
/* all messages, "E text" or "W text", joined by newlines (g_free) */
char *tree_talk(const struct trace_graph *g);
/* the device-tree property as one cell; bails out when it is none */
uint32_t tree_get(const void *fdt, const char *path, const char *prop);

/* One change to tree_good() and all that is said about it then. */
struct tree_case {
    const char *what;
    void (*change)(struct tree *t);
    const char *talk;        /* as tree_talk() gives it */
};
/* one check a case */
void tree_cases(const struct tree_case *cases, size_t n);

#endif
