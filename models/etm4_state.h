/*
 * ETMv4: the state of one trace unit, apart from behaviour.
 *
 * Everything from `regs` to `fifo` is plain data without pointers: glue lists
 * its fields for migration.  `atb`, `out` and `params` are set when the machine
 * is built; `count` is statistics.  See etm4.h for who may touch it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_ETM4_STATE_H
#define CSVIRT_MODELS_ETM4_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "etm4.h"

#define ETM4_COUNTERS    4
#define ETM4_SELECTORS   32
#define ETM4_HISTORY     3       /* address history, IHI 0064H.b, 6.4.1 */
#define ETM4_FIFO_BYTES  4096    /* also the largest chunk on the ATB */

/*
 * Programmed registers, the manual's names in lower case.  All members are
 * 32-bit words: etm4.c finds them by the offsets in etm4_regs.h.
 */
struct etm4_regs {
    uint32_t prgctlr;
    uint32_t configr;
    uint32_t eventctl0r;
    uint32_t eventctl1r;
    uint32_t tsctlr;
    uint32_t syncpr;
    uint32_t traceidr;
    uint32_t victlr;
    uint32_t cntrldvr[ETM4_COUNTERS];
    uint32_t cntctlr[ETM4_COUNTERS];
    uint32_t cntvr[ETM4_COUNTERS];
    uint32_t rsctlr[ETM4_SELECTORS];   /* 0 and 1 are fixed and unused */
    uint32_t oslk;                     /* 1: OS lock set */
    uint32_t pdcr;
    uint32_t stickypd;                 /* TRCPDSR.STICKYPD */
    uint32_t none;                     /* registers without storage */
};

/* Context of the PE as an ETMv4 Context element carries it. */
struct etm4_context {
    uint8_t el;          /* 0..3 */
    bool ns;             /* non-secure */
    bool a64;            /* AArch64 state (SF) */
    uint32_t cid;        /* CONTEXTIDR_EL1 */
    uint32_t vmid;
};

/* ViewInst, resources and what is known about the PE. */
struct etm4_filter {
    bool pe_on;          /* between PE_START and PE_STOP */
    bool view;           /* the PE's position is in the trace: ViewInst on */
    bool event;          /* the ViewInst event, at the last known time */
    bool ctx_pending;    /* next_* take effect after the next P0 element */
    uint8_t is;          /* sub-ISA of addresses: 1 T32, else 0 */
    struct etm4_context ctx;
    uint32_t next_cid, next_vmid;
    bool time_known;
    uint64_t time;       /* CNTPCT of the last PE_TIME */
    bool ts_request;     /* a timestamp is asked for, not yet given */
};

/* What a decoder knows by now: everything packets are compressed against. */
struct etm4_encoder {
    uint64_t atoms;      /* pending: oldest at bit 63, 1 = E; rest 0 */
    uint32_t natoms;     /* 0..63 */
    bool synced;         /* A-Sync and Trace Info sent in this session */
    bool ctx_valid;      /* ctx was sent since the last sync or Trace On */
    struct etm4_context ctx;
    uint64_t hist[ETM4_HISTORY];   /* sub-ISA in bit 0 */
    uint64_t ts;         /* last Timestamp value */
    uint64_t made;       /* bytes encoded since init */
    uint64_t sync_at;    /* `made` after the last Trace Info */
    uint64_t sync_every; /* bytes; UINT64_MAX: no periodic sync */
    uint64_t ts_mark;    /* `made` when nothing was left to stamp */
};

struct etm4_fifo {
    uint32_t fill;                     /* whole packets, 0..ETM4_FIFO_BYTES */
    uint8_t byte[ETM4_FIFO_BYTES];
};

struct etm4 {
    /* ---- fixed after init ---- */
    struct etm4_params params;
    struct atb_node atb;               /* source: flush delivers the FIFO */
    const struct atb_link *out;        /* NULL: not connected */

    /* ---- saved ---- */
    enum etm4_state state;
    struct etm4_regs regs;
    struct cs_mgmt mgmt;
    struct etm4_filter filter;
    struct etm4_encoder enc;
    struct etm4_fifo fifo;

    /*
     * ---- statistics: enc.made = fifo.fill + pushed + dropped ----
     * count.in: bytes that left the FIFO, by ATID; count.dropped: those of
     * them that no receiver took.
     */
    struct atb_count count;
    uint64_t pushed;
};

#endif
