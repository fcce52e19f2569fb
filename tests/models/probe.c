/*
 * An ATB end for tests; see probe.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "probe.h"

#include <string.h>

static void probe_push(void *self, unsigned port, uint8_t atid,
                       const uint8_t *bytes, size_t n)
{
    struct probe *p = self;

    p->port = port;
    p->pushes++;
    p->lock_error = p->lock_error || p->depth != 1;
    for (size_t i = 0; i < n && p->n < PROBE_BYTES; i++) {
        p->id[p->n] = atid;
        p->byte[p->n++] = bytes[i];
    }
}

static void probe_flush(void *self)
{
    struct probe *p = self;

    p->flushes++;
    p->lock_error = p->lock_error || p->depth != 0;
    if (p->n_held) {
        atb_push(p->out, p->held_id, p->held, p->n_held);
        p->n_held = 0;
    }
}

static void probe_lock(void *arg)
{
    struct probe *p = arg;

    p->depth++;
}

static void probe_unlock(void *arg)
{
    struct probe *p = arg;

    p->depth--;
}

static const struct atb_ops probe_ops = { probe_push, probe_flush };

void probe_init(struct probe *p)
{
    memset(p, 0, sizeof(*p));
    p->atb.ops = &probe_ops;
    p->atb.self = p;
    p->atb.lock = probe_lock;
    p->atb.unlock = probe_unlock;
    p->atb.lock_arg = p;
}

void probe_hold(struct probe *p, uint8_t id, const uint8_t *bytes, size_t n)
{
    p->held_id = id;
    p->n_held = n < sizeof(p->held) ? n : sizeof(p->held);
    memcpy(p->held, bytes, p->n_held);
}

struct atb_link probe_link(struct atb_node *from, unsigned from_port,
                           struct atb_node *to, unsigned to_port)
{
    return (struct atb_link){ from, from_port, to, to_port };
}
