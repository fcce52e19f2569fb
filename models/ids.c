/*
 * Trace-ID checks, see ids.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ids.h"

#include <string.h>

static void forget_capture(struct ids *ids, struct ids_sink *s)
{
    memset(s->use, 0, sizeof(s->use));
    for (size_t i = 0; i < IDS_ATIDS; i++) {
        s->use[i].source = IDS_NONE;
    }
    memset(s->member, 0, ids->n_sources * sizeof(*s->member));
}

void ids_init(struct ids *ids)
{
    memset(ids->source, 0, ids->n_sources * sizeof(*ids->source));
    for (size_t i = 0; i < ids->n_sinks; i++) {
        struct ids_sink *s = &ids->sink[i];

        s->on = false;
        s->since_ns = s->captures = s->collisions = 0;
        forget_capture(ids, s);
    }
    ids->collisions = ids->live = 0;
}

void ids_source_on(struct ids *ids, size_t i, uint8_t atid,
                   uint32_t contextidr, uint64_t now_ns)
{
    struct ids_source *s = &ids->source[i];

    if (!s->on) {
        s->on = true;
        s->since_ns = now_ns;
        s->sessions++;
    }
    s->atid = atid & (IDS_ATIDS - 1);
    s->contextidr = contextidr;
}

void ids_source_off(struct ids *ids, size_t i, uint64_t now_ns)
{
    struct ids_source *s = &ids->source[i];

    if (s->on) {
        s->on = false;
        s->since_ns = now_ns;
    }
}

void ids_source_context(struct ids *ids, size_t i, uint32_t contextidr)
{
    ids->source[i].contextidr = contextidr;
}

void ids_sink_on(struct ids *ids, size_t i, uint64_t now_ns)
{
    struct ids_sink *s = &ids->sink[i];

    forget_capture(ids, s);
    s->on = true;
    s->since_ns = now_ns;
    s->captures++;
}

void ids_sink_off(struct ids *ids, size_t i, uint64_t now_ns)
{
    struct ids_sink *s = &ids->sink[i];

    if (s->on) {
        s->on = false;
        s->since_ns = now_ns;
    }
}

static void collide(struct ids *ids, struct ids_collision *c)
{
    const struct ids_source *a = &ids->source[c->first];
    const struct ids_source *b = &ids->source[c->second];

    c->live = a->on && b->on && a->atid == c->atid && b->atid == c->atid;
    ids->collisions++;
    ids->live += c->live ? 1 : 0;
    ids->sink[c->sink].collisions++;
    if (ids->collided) {
        ids->collided(ids->arg, c);
    }
}

/* The first bytes of @source under @atid: has anybody else used it? */
static void first_bytes(struct ids *ids, size_t sink, size_t source,
                        uint8_t atid, uint64_t now_ns)
{
    struct ids_sink *s = &ids->sink[sink];
    struct ids_member *m = &s->member[source];
    struct ids_collision c = {
        .sink = (unsigned)sink, .second = (unsigned)source, .atid = atid,
        .now_ns = now_ns,
    };

    m->seen = true;
    m->atid = atid;
    m->bytes = 0;
    if (s->use[atid].source == IDS_NONE) {
        s->use[atid].source = (int)source;
        s->use[atid].first_ns = now_ns;
        return;
    }
    for (size_t i = 0; i < ids->n_sources; i++) {
        if (i != source && s->member[i].seen && s->member[i].atid == atid) {
            c.first = (unsigned)i;
            collide(ids, &c);
        }
    }
}

void ids_bytes(struct ids *ids, size_t sink, size_t source, uint8_t atid,
               size_t n, uint64_t now_ns)
{
    struct ids_sink *s = &ids->sink[sink];
    struct ids_member *m = &s->member[source];

    atid &= IDS_ATIDS - 1;
    if (!s->on) {
        return;
    }
    if (!m->seen || m->atid != atid) {
        first_bytes(ids, sink, source, atid, now_ns);
    }
    m->bytes += n;
    s->use[atid].bytes += n;
    s->use[atid].last_ns = now_ns;
}
