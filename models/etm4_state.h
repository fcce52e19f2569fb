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
#define ETM4_EVENTS      4
#define ETM4_SACS        16      /* single address comparators: two a pair */
#define ETM4_CTX_COMPS   8       /* Context ID, and VMID, comparators */
#define ETM4_SS_COMPS    8       /* single-shot comparator controls */
#define ETM4_RS_DEPTH    15      /* the deepest return stack */
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
    uint32_t ccctlr;
    uint32_t bbctlr;
    uint32_t traceidr;
    uint32_t victlr;                   /* SSSTATUS is live */
    uint32_t viiectlr;
    uint32_t vissctlr;
    uint32_t seqevr[3];
    uint32_t seqrstevr;
    uint32_t seqstr;
    uint32_t extinselr;
    uint32_t cntrldvr[ETM4_COUNTERS];
    uint32_t cntctlr[ETM4_COUNTERS];
    uint32_t cntvr[ETM4_COUNTERS];
    uint32_t rsctlr[ETM4_SELECTORS];   /* 0 and 1 are fixed and unused */
    uint32_t ssccr[ETM4_SS_COMPS];
    uint32_t sscsr[ETM4_SS_COMPS];     /* STATUS is live */
    /* 64-bit registers: the low word first */
    uint32_t acvr[2 * ETM4_SACS];
    uint32_t acatr[2 * ETM4_SACS];
    uint32_t cidcvr[2 * ETM4_CTX_COMPS];
    uint32_t vmidcvr[2 * ETM4_CTX_COMPS];
    uint32_t cidcctlr[2];
    uint32_t vmidcctlr[2];
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
    uint32_t vmid;       /* or CONTEXTIDR_EL2: TRCCONFIGR.VMIDOPT */
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

    /* Range reporting: what is known to the instruction. */
    bool ranges;         /* the PE was asked for ranges in this session */
    bool run_view;       /* ViewInst of the last instruction */
    bool run_gap;        /* it became active at run_from, after a gap */
    bool overflow;       /* the FIFO limit was hit: no trace before it drains */
    uint64_t pos;        /* VA of the next instruction */
    uint64_t run_from;
    uint64_t level;      /* 64ths of a byte in the limited FIFO */
    uint64_t level_made; /* enc.made up to which level counts */
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
    uint64_t cycles;     /* since the last Cycle Count element */
    uint32_t rs_n;       /* entries of the return stack */
    uint64_t rs[ETM4_RS_DEPTH];    /* [rs_n - 1]: the top */
};

struct etm4_fifo {
    uint32_t fill;                     /* whole packets, 0..ETM4_FIFO_BYTES */
    uint8_t byte[ETM4_FIFO_BYTES];
};

/*
 * What the programmed registers mean, worked out once a session; derived from
 * regs and params, so not saved.
 */
struct etm4_use {
    bool ready;
    bool view;           /* ViewInst depends on more than Exception levels */
    bool view_event;     /* its event is not a constant */
    bool resources;      /* counters, sequencer, single-shot or events run */
    uint16_t sac;        /* single address comparators looked at */
    uint8_t arc;         /* address range comparators looked at */
    uint32_t cc_threshold;         /* 0: no cycle counting */
    /* Where a comparator may change its mind: sorted, no doubles. */
    unsigned nedges;
    uint64_t edge[3 * ETM4_SACS];
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
    uint64_t overflows;            /* Overflow packets made */
    uint64_t out_pulses[ETM4_EVENTS];  /* intervals an output was active in */

    /* ---- derived ---- */
    struct etm4_use use;
};

#endif
