/*
 * ATB: how trace bytes move from a source to a sink, and how a flush request
 * moves back.  Spec: Arm IHI 0032C (AMBA ATB), chapters 3 and 4.
 *
 * A link joins one output of a component to one input of another.  Data goes
 * downstream in chunks: whole trace packets of one source with one ATID, so
 * that whatever a stage drops or a stopping sink refuses, a packet stays whole
 * (but for a stop at a trigger event, which counts words).  A flush request
 * (AFVALID) goes upstream; it has been acknowledged (AFREADY) when atb_flush()
 * returns: each source has then pushed all that it had.
 *
 * Locking: the models never lock.  Glue that runs them on several threads
 * gives each component a lock/unlock pair; atb_push() holds the receiver's
 * lock while the receiver works, so the order is ETM, link, sink.  atb_flush()
 * holds nothing while it walks upstream.  CHOICE: no back-pressure: every
 * modelled receiver takes a chunk or drops it, counted with its reason.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_ATB_H
#define CSVIRT_MODELS_ATB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ATB_ID_MAX 0x7f          /* ATID is 7 bits; 0x01..0x6f carry trace */

/* Why bytes were dropped; counted per component (conservation rule). */
enum atb_drop {
    ATB_DROP_NONE = 0,
    ATB_DROP_NO_PATH,        /* output not connected or no enabled port */
    ATB_DROP_PORT_CLOSED,    /* funnel slave port disabled */
    ATB_DROP_FILTERED,       /* replicator IDFILTER */
    ATB_DROP_SINK_DISABLED,  /* TraceCaptEn = 0 */
    ATB_DROP_SINK_STOPPED,   /* capture stopped, waiting for re-enable */
    ATB_DROP_BUS_ERROR,      /* AXI error: MemErr */
    ATB_DROP_OVERFLOW,       /* source FIFO overflow */
    ATB_DROP_BAD_ID,         /* reserved ATID 0x00, 0x70-0x7f */
    ATB_DROP_NO_BUFFER,      /* sink enabled with a buffer of no frame */
    ATB_DROP_COUNT
};

const char *atb_drop_text(enum atb_drop why);

struct atb_link;

/* What a component does on the ATB side; all pointers but unused ones set. */
struct atb_ops {
    /*
     * Take a chunk of @n bytes with @atid that arrives at input @port.
     * Called with this component's lock held.  Takes all or drops all.
     */
    void (*push)(void *self, unsigned port, uint8_t atid,
                 const uint8_t *bytes, size_t n);
    /*
     * Pass a flush request upstream (links), or drain (sources).  Called with
     * no lock held.  NULL: nothing upstream.
     */
    void (*flush)(void *self);
};

/* One component's ATB face. */
struct atb_node {
    const struct atb_ops *ops;
    void *self;                           /* first argument of the ops */
    void (*lock)(void *arg);              /* NULL: single-threaded */
    void (*unlock)(void *arg);
    void *lock_arg;
};

/* A wire: output @from_port of @from to input @to_port of @to. */
struct atb_link {
    struct atb_node *from;
    unsigned from_port;
    struct atb_node *to;
    unsigned to_port;
};

/* Bytes taken in and dropped, per ATID; part of links and sinks. */
struct atb_count {
    uint64_t in[ATB_ID_MAX + 1];
    uint64_t dropped[ATB_DROP_COUNT];
    uint64_t dropped_id[ATB_ID_MAX + 1];
};

/* Take and release a component's lock; nothing when it has none. */
void atb_node_lock(const struct atb_node *node);
void atb_node_unlock(const struct atb_node *node);

/*
 * atb_push: send a chunk over a link.
 * @link: may be NULL (output not connected): the caller counts
 * ATB_DROP_NO_PATH.  @bytes/@n: whole packets, 1..65536 bytes.
 * returns: false when @link is NULL, else true (the receiver has counted the
 * bytes as taken or dropped).
 */
bool atb_push(const struct atb_link *link, uint8_t atid,
              const uint8_t *bytes, size_t n);

/* atb_flush: ask the upstream end of @link to flush; NULL: nothing to do. */
void atb_flush(const struct atb_link *link);

/* Add @n bytes of @atid to the drops of @c under reason @why. */
void atb_count_drop(struct atb_count *c, uint8_t atid, enum atb_drop why,
                    size_t n);

#endif
