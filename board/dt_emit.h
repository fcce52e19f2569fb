/*
 * Writing a tree out of others, in one pass and in the order wanted.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_BOARD_DT_EMIT_H
#define CSVIRT_BOARD_DT_EMIT_H

#include "dt_tree.h"

struct dt_emit {
    const struct dt_tree *t;
    GHashTable *removed;     /* paths to leave out; NULL: none */
    GHashTable *kept_order;  /* paths whose order stands; others reverse */
    /* called before the root is closed, to add nodes; NULL ok */
    int (*tail)(void *sw, void *arg);
    void *arg;
};

/*
 * dt_emit: the tree @e->t as a new packed blob.  libfdt puts a new subnode
 * (property) before its siblings, so an applied overlay comes out backwards,
 * and the kernel numbers its devices (tmc_etr0, ...) in tree order: nodes that
 * are not in kept_order are put first to last again, after the others.
 * @room: bytes for what tail() adds.
 * returns: the blob (g_free) of *@size bytes, or NULL and *@error.
 */
void *dt_emit(const struct dt_emit *e, size_t room, size_t *size,
              char **error);

#endif
