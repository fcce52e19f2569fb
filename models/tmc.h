/*
 * Trace Memory Controller, configured as ETR with a flat buffer.
 *
 * Specs: CoreSight TMC TRM (Arm DDI 0461B), 2.2 (operation) and chapter 3
 * (registers); CoreSight SoC-600 (Arm 100806), chapter 9, for soc600.
 * Not modelled and reading so: ETB and ETF configurations, scatter-gather
 * (DEVID.NOSCAT = 1), FIFO modes, reading the buffer through RRD (it says "no
 * data"), integration mode, synchronization requests to sources (PSCR is kept
 * and has no effect).
 *
 * Time: no clock inside.  Every entry takes now_ns (guest virtual time); the
 * latencies of flush and ready are the instance's and default to small.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_TMC_H
#define CSVIRT_MODELS_TMC_H

#include "atb.h"
#include "formatter.h"
#include "regs.h"

/*
 * DISABLED --CTL=1--> RUNNING --stop event--> STOPPING --ready_ns--> STOPPED
 * RUNNING, STOPPING --CTL=0--> DISABLING --ready_ns--> DISABLED
 * STOPPED --CTL=0--> DISABLED                            DDI 0461B, 2.2.1
 *
 * A stop event is the end of a flush with FFCR.StopOnFl, a trigger event with
 * FFCR.StopOnTrigEvt, or an AXI error.  Everything that the formatter holds is
 * in memory when STOPPING or DISABLING is entered; TMCReady rises at the end.
 *
 * STOPPED --CTL=1 again--> RUNNING       CHOICE, where params.rearm is set
 *
 * The manual draws no such way and wants all programming done in DISABLED.
 * Linux 7.x goes it at each AUX pause: flush, stop, read out, and the enable
 * sequence without TraceCaptEn=0 before.  A re-arm is a disable and an enable
 * in one write: the registers of DISABLED are as they were (writes to them in
 * STOPPED are ignored), both pointers go to DBA, also those of an SoC-600.
 * Without it the sink stays in STOPPED, so that a driver reads the same bytes
 * again and loses what comes.  In both cases the write answers REG_BUSY, so
 * that it can be seen in the log.
 */
enum tmc_state {
    TMC_DISABLED, TMC_RUNNING, TMC_STOPPING, TMC_STOPPED, TMC_DISABLING,
};

/* Who asked for a flush; bits of flush_now and flush_next. */
enum {
    TMC_FLUSH_MAN  = 1u << 0,   /* FFCR.FlushMan */
    TMC_FLUSH_IN   = 1u << 1,   /* FLUSHIN with FFCR.FOnFlIn */
    TMC_FLUSH_TRIG = 1u << 2,   /* trigger event with FFCR.FOnTrigEvt */
};

struct tmc_ops {
    /*
     * Write @n bytes (a multiple of 16) at bus address @addr.
     * returns: true, or false on a bus error.
     */
    bool (*mem_write)(void *arg, uint64_t addr, const uint8_t *buf, size_t n);
    /*
     * Capture stopped or was switched off with bytes in the buffer, all of
     * them in memory: once per capture, when STOPPING, DISABLING or (after a
     * bus error) STOPPED is entered.  NULL ok.
     */
    void (*captured)(void *arg);
    void *arg;
};

/* Filled in by tmc_params_default(); each is a property of the DT node. */
struct tmc_params {
    uint32_t devid;          /* 0: made from the fields below */
    uint8_t axi_addr_bits;   /* 32..52, default 40 */
    uint8_t mem_width_log2;  /* bits: 5..8, default 6 (64 bits) */
    bool soc600;             /* default false; pointers writable and kept */
    bool rearm;              /* default true; see enum tmc_state */
    uint64_t flush_ns;       /* flush request .. done, default 1000 */
    uint64_t ready_ns;       /* flush done or CTL=0 .. TMCReady, default 500 */
};

struct tmc {
    /* ---- fixed after init ---- */
    struct tmc_ops ops;
    struct tmc_params params;
    struct atb_node atb;
    const struct atb_link *in;   /* upstream, set by the wiring; NULL: none */

    /* ---- registers (manual's names in lower case) ---- */
    struct cs_mgmt mgmt;
    uint32_t rsz, trg, ctl, bufwm, axictl, dbalo, dbahi;
    uint32_t sts;                /* Full, Triggered, MemErr; the rest derives */
    uint32_t ffcr, pscr;
    uint32_t lbuflevel;          /* words */
    uint64_t rrp, rwp;           /* rrp is read as rwp when Full */

    /* ---- run state ---- */
    enum tmc_state state;
    uint64_t now_ns;             /* latest time seen */
    uint64_t due_ns;             /* end of the latency in progress */
    uint8_t flush_now;           /* TMC_FLUSH_*: 0, no flush in progress */
    uint8_t flush_next;          /* asked for meanwhile: one more follows */
    bool flush_wanted;           /* a trigger asked; sources not yet drained */
    bool announced;              /* ops.captured was called */
    bool trg_counting;           /* a trigger was seen, trg counts down */
    struct formatter fmt;
    struct atb_count count;
    uint64_t written;            /* trace bytes whose frames reached memory */
    uint64_t written_id[ATB_ID_MAX + 1];
};

void tmc_params_default(struct tmc_params *p);

/*
 * tmc_init: registers at reset, no input link.
 * @params, @ops: copied; values of @params outside their range take the
 * default.
 */
void tmc_init(struct tmc *t, const struct tmc_params *params,
              const struct tmc_ops *ops);

/*
 * tmc_reset: back to DISABLED; bytes that wait in the formatter count as
 * dropped (ATB_DROP_SINK_DISABLED).  Counters are kept, also over a reset.
 */
void tmc_reset(struct tmc *t);

/*
 * tmc_access_flushes: must everything upstream be drained before this access?
 * True for a FFCR write that starts a flush, for reads of RRP/RWP/STS/levels
 * while capturing and for CTL 1 -> 0.  The glue calls tmc_step(), then this,
 * then atb_flush(t->in) with no lock held, takes the lock and does the access.
 */
bool tmc_access_flushes(const struct tmc *t, uint32_t off, bool write,
                        uint32_t val);

/*
 * 32-bit accesses, @off 0..0xffc.  returns: see enum reg_result.  Of a write
 * that answers REG_RESERVED, or REG_BUSY for FFCR, the other bits count.
 */
enum reg_result tmc_read(struct tmc *t, uint32_t off, uint32_t *val,
                         uint64_t now_ns);
enum reg_result tmc_write(struct tmc *t, uint32_t off, uint32_t val,
                          uint64_t now_ns);

/* tmc_step: let time pass: finish a flush, stop or disable that is due. */
void tmc_step(struct tmc *t, uint64_t now_ns);

/*
 * Inputs from a CTI.  FLUSHIN: as FlushMan when FFCR.FOnFlIn is set (the
 * caller drains the sources first); TRIGIN: a trigger, counted by TRG.
 */
void tmc_flush_in(struct tmc *t, uint64_t now_ns);
void tmc_trigger_in(struct tmc *t, uint64_t now_ns);

/* Buffer as [base, size) in bytes, and the valid part: oldest byte first. */
struct tmc_capture {
    uint64_t base, size;       /* DBA and RSZ * 4, whole frames */
    uint64_t start, len;       /* oldest byte's address; bytes valid */
    bool wrapped;
};
void tmc_capture(const struct tmc *t, struct tmc_capture *c);

/*
 * tmc_valid: may a TMC be in this state?  For those who load one from a file.
 * returns: false when a field has a value that no sequence of calls can give.
 */
bool tmc_valid(const struct tmc *t);

/* tmc_pending: trace bytes taken that wait in the formatter's frame. */
size_t tmc_pending(const struct tmc *t);

const struct reg_desc *tmc_table(size_t *n);

#endif
