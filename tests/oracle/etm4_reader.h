/*
 * ETMv4 instruction trace packet reader: bytes to packets, with the values
 * that a decoder would have after each.  Written from IHI 0064H.b, chapter 6;
 * shares nothing with models/.  Knows the packets of a unit with TRCIDR0.
 * COMMOPT, without conditional trace and data trace; anything else is an error.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_TESTS_ORACLE_ETM4_READER_H
#define CSVIRT_TESTS_ORACLE_ETM4_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum etm4_pkt_kind {
    ETM4_PKT_ASYNC, ETM4_PKT_TRACE_INFO, ETM4_PKT_TRACE_ON, ETM4_PKT_CONTEXT,
    ETM4_PKT_ADDRESS, ETM4_PKT_ADDRESS_CONTEXT, ETM4_PKT_EXCEPTION,
    ETM4_PKT_ATOMS, ETM4_PKT_TIMESTAMP, ETM4_PKT_EVENT, ETM4_PKT_CYCLES,
    ETM4_PKT_OVERFLOW, ETM4_PKT_KINDS
};

struct etm4_pkt {
    enum etm4_pkt_kind kind;
    size_t off, len;         /* bytes in the stream */
    uint64_t addr;           /* ADDRESS*, EXCEPTION: the address packet's */
    unsigned is;
    bool addr_long;          /* 32 or 64 bits in the packet, not compressed */
    unsigned match;          /* ADDRESS: 1..3 exact match of entry 0..2 */
    /* values after the packet; the has_ flags: the packet carries them */
    unsigned el;
    bool sf, ns;
    bool has_cid, has_vmid;
    uint32_t cid, vmid;
    uint32_t atoms;          /* ATOMS: bit 0 the oldest, 1 = E */
    unsigned natoms, format;
    unsigned type, e;        /* EXCEPTION: TYPE and E1:E0 */
    uint64_t ts;
    unsigned event;          /* bit per event */
    unsigned info;           /* TRACE_INFO: the INFO field */
    uint32_t threshold;      /* after TRACE_INFO: of cycle counts */
    uint32_t cycles;         /* CYCLES; TIMESTAMP with cycle counting */
    bool unknown;            /* CYCLES: of an unknown number */
};

struct etm4_reader {
    const uint8_t *b;
    size_t n, pos;
    unsigned cid_bytes, vmid_bytes;
    bool synced;             /* A-Sync seen */
    uint64_t hist[3];
    unsigned hist_is[3];
    struct etm4_pkt last;    /* context and time carry over from here */
    const char *error;       /* set when etm4_reader_next() returned -1 */
};

void etm4_reader_init(struct etm4_reader *r, const uint8_t *bytes, size_t n,
                      unsigned cid_bytes, unsigned vmid_bytes);
/* returns: 1 a packet in @p, 0 the end, -1 an error at r->pos. */
int etm4_reader_next(struct etm4_reader *r, struct etm4_pkt *p);
const char *etm4_pkt_name(enum etm4_pkt_kind kind);

#endif
