/*
 * A synthetic PE's trace, judged by OpenCSD: what both tests of random
 * programs share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_TESTS_ETM4_JUDGED_H
#define CSVIRT_TESTS_ETM4_JUDGED_H

#include "tests/models/etm4_program.h"
#include "tests/models/etm4_rig.h"
#include "tests/oracle/etm4_opencsd.h"

/* TRCCONFIGR */
#define BB (1u << 3)
#define CCI (1u << 4)
#define CID (1u << 6)
#define VMID (1u << 7)
#define TS (1u << 11)
#define RS (1u << 12)

/* A random program, and how it is traced. */
struct judged_options {
    const char *name;
    uint32_t configr;
    unsigned exclude;            /* bit per non-secure EL */
    uint32_t syncpr;
    bool sync_always;            /* at every address: beyond TRCSYNCPR */
    unsigned irq_every, fault_every, time_every;
    unsigned sessions, steps;
};

/* Trace @o->sessions sessions with the unit as it is programmed. */
void judged_sessions(struct etm4_rig *r, struct program *p,
                     const struct judged_options *o);
/*
 * Six checks: what arrived decodes to what was executed, wherever decoding
 * starts.  @threshold: of cycle counts, 0 for none.
 * returns: the timestamps.
 */
size_t judged_checks(struct etm4_rig *r, struct program *p,
                     const struct judged_options *o, unsigned threshold);

/* struct judge's fetch: @arg is the program. */
bool judged_fetch(void *arg, uint64_t addr, uint32_t *insn);
/* Feed the records in batches of random size, with flushes in between. */
void judged_feed(struct etm4_rig *r, struct program *p);
void judged_unit(struct etm4_rig *r, struct judge_unit *u);
/*
 * Drop the cycle counts from @j.  @threshold: 0, there must be none.
 * returns: each is where it must be, with the cycles since the one before.
 */
bool judged_cycles(const struct program *p, struct judge *j,
                   unsigned threshold);
/*
 * Drop timestamps from @j, checking them, and what a session without a P0
 * element leaves: a Trace On before another.  Keep the rest in order.
 */
bool judged_timestamps(struct judge *j, uint64_t last_time, size_t *stamps);
/* Is what was decoded what must be shown of what was executed? */
bool judged_compare(const struct program *p, const struct judge *j,
                    uint32_t configr);
/* Decode from an A-Sync in the middle: what comes is the end of the whole. */
bool judged_from_sync(const struct etm4_rig *r, const struct judge *whole,
                      struct program *p, uint64_t pick);

#endif
