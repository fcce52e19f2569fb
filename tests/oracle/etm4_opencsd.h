/*
 * OpenCSD as a judge of one ETMv4 byte stream: every executed instruction,
 * exception, Trace On and timestamp that it finds.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_TESTS_ORACLE_ETM4_OPENCSD_H
#define CSVIRT_TESTS_ORACLE_ETM4_OPENCSD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Register values of the unit that made the stream. */
struct judge_unit {
    uint32_t configr, traceidr, idr0, idr1, idr2, idr8;
};

enum judge_kind {
    JUDGE_TRACE_ON, JUDGE_INSN, JUDGE_EXCEPTION, JUDGE_TIMESTAMP, JUDGE_EVENT,
    JUDGE_CYCLES,
};

struct judge_item {
    enum judge_kind kind;
    uint64_t addr;           /* INSN; EXCEPTION: preferred return address */
    unsigned type;           /* EXCEPTION; EVENT: a bit each;
                              * TRACE_ON: 1 after an overflow */
    unsigned el;             /* INSN: the context in force */
    bool ns;
    uint32_t cid, vmid;
    uint64_t ts;             /* TIMESTAMP */
    uint32_t cycles;         /* CYCLES; TIMESTAMP: since the last one */
};

struct judge {
    /* set by the caller */
    struct judge_unit unit;
    /* returns: false, no code at @addr (the decoder reports it: an error). */
    bool (*fetch)(void *arg, uint64_t addr, uint32_t *insn);
    void *arg;
    /* results */
    struct judge_item *item;
    size_t n, room;
    char error[256];         /* the first complaint; "" none */
    struct judge_item now;   /* context in force */
};

/*
 * judge_decode: decode @n bytes, appending to j->item.
 * returns: true; false and j->error when OpenCSD complains about anything,
 * with -direct_br_cond, -strict_br_cond and -range_cont checks on.
 */
bool judge_decode(struct judge *j, const uint8_t *bytes, size_t n);
void judge_free(struct judge *j);

#endif
