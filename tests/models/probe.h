/*
 * An ATB end for tests: takes what comes at its input, and, as a source,
 * pushes what it holds when it is asked to flush.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_TESTS_PROBE_H
#define CSVIRT_TESTS_PROBE_H

#include "models/atb.h"

#define PROBE_BYTES 65536

struct probe {
    struct atb_node atb;
    uint8_t id[PROBE_BYTES], byte[PROBE_BYTES];
    size_t n;                    /* bytes taken */
    unsigned port;               /* of the latest push */
    unsigned pushes, flushes;
    int depth;                   /* of the lock: 1 while a push runs */
    bool lock_error;             /* a push without the lock, or a flush with */
    const struct atb_link *out;  /* as a source: where held bytes go */
    uint8_t held_id;
    uint8_t held[16];
    size_t n_held;
};

void probe_init(struct probe *p);
/* Give the source bytes that it pushes at the next flush, 16 at most. */
void probe_hold(struct probe *p, uint8_t id, const uint8_t *bytes, size_t n);
struct atb_link probe_link(struct atb_node *from, unsigned from_port,
                           struct atb_node *to, unsigned to_port);

#endif
