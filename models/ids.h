/*
 * Trace-ID checks: who sends what to which sink, under which ATID.
 *
 * An ATID names one source within one sink's buffer (Arm IHI 0029, D4.2.1: a
 * decoder has nothing else to go by).  Two sources that share one make the
 * buffer undecodable, and no register of any hardware says so.  The same ATID
 * at two sinks is legal: newer kernels have a map of IDs for each sink.
 *
 * No clock, no lock, no allocation: the caller gives the time, serializes the
 * calls and owns the arrays.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_IDS_H
#define CSVIRT_MODELS_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IDS_ATIDS 128u
#define IDS_NONE  (-1)

/* A trace unit. */
struct ids_source {
    bool on;
    uint8_t atid;            /* when it was last switched on */
    uint32_t contextidr;     /* of its PE, as last told */
    uint64_t since_ns;       /* of the latest change of on */
    uint64_t sessions;       /* times that it was switched on */
};

/* One ATID at one sink, in the current capture or, if off, the latest. */
struct ids_use {
    int source;              /* the first that used it; IDS_NONE: nobody */
    uint64_t first_ns, last_ns;  /* of its bytes */
    uint64_t bytes;          /* of all that used it */
};

/* What one source sent to one sink in that capture. */
struct ids_member {
    bool seen;
    uint8_t atid;
    uint64_t bytes;          /* under that ATID */
};

struct ids_sink {
    bool on;                 /* capturing */
    uint64_t since_ns;       /* of the latest change of on */
    uint64_t captures;
    uint64_t collisions;     /* of all captures */
    struct ids_use use[IDS_ATIDS];
    struct ids_member *member;   /* by source */
};

/* Two sources under one ATID in one capture; told once for each pair. */
struct ids_collision {
    unsigned sink, first, second;    /* indices; second came later */
    uint8_t atid;
    bool live;               /* both are on with this ATID now */
    uint64_t now_ns;
};

struct ids {
    struct ids_source *source;
    size_t n_sources;
    struct ids_sink *sink;
    size_t n_sinks;
    uint64_t collisions, live;   /* live: those of sources both on */
    void (*collided)(void *arg, const struct ids_collision *c);
    void *arg;
};

/*
 * ids_init: all off, nothing seen.
 * @ids: source, n_sources, sink, n_sinks, every sink's member (n_sources of
 * them) and collided (may be NULL) are set by the caller.
 */
void ids_init(struct ids *ids);

/* ids_source_on: source @i was switched on, with @atid, while its PE ran
 * @contextidr; when it is on already, its ATID has changed. */
void ids_source_on(struct ids *ids, size_t i, uint8_t atid,
                   uint32_t contextidr, uint64_t now_ns);
/* ids_source_off: it has delivered its last byte. */
void ids_source_off(struct ids *ids, size_t i, uint64_t now_ns);
/* ids_source_context: its PE runs @contextidr from now on. */
void ids_source_context(struct ids *ids, size_t i, uint32_t contextidr);

/* ids_sink_on: sink @i begins a capture: what it knew of ATIDs is void. */
void ids_sink_on(struct ids *ids, size_t i, uint64_t now_ns);
/* ids_sink_off: the capture has ended; what is known of it stays. */
void ids_sink_off(struct ids *ids, size_t i, uint64_t now_ns);

/*
 * ids_bytes: @n bytes of source @source with @atid have reached sink @sink.
 * Those that come while the sink is off are nobody's concern here.
 */
void ids_bytes(struct ids *ids, size_t sink, size_t source, uint8_t atid,
               size_t n, uint64_t now_ns);

#endif
