/*
 * ETMv4: resource selectors, counters, sequencer, single-shot comparator
 * controls, event selection.
 * Spec: Arm IHI 0064H.b, 4.4 "Trace unit resources", 7.3 TRCRSCTLRn,
 * TRCCNTCTLRn, TRCSEQEVRn, TRCSSCCRn.  Not modelled, and absent in TRCIDR4: PE
 * comparator inputs.  External inputs are tied low.
 *
 * All of a cycle is worked out from the state at its beginning and from what
 * the comparators say about the instruction that executes in it.
 *
 * CHOICE: where no comparator matters the cycles between two known times are
 * executed when the second becomes known; the result is the same.
 * CHOICE: a selector that is not implemented, selector pair 0 and reserved
 * groups are FALSE.
 * CHOICE: the sequencer makes at most one transition in a cycle: reset first;
 * forward and backward at once cancel out.
 * CHOICE: a single-shot resource is active in the cycle of the match only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "bits.h"
#include "etm4_internal.h"
#include "etm4_regs.h"

/*
 * Steps after which an interval is cut: no program of four 16-bit counters
 * that a tool writes gets near it; it bounds the work a guest can ask for.
 */
#define STEPS_MAX 65536u

/* ---- selectors ---- */

/* Does single-shot control @n match now? */
static bool shot(const struct etm4 *e, const struct etm4_inputs *in,
                 unsigned n)
{
    uint32_t ctl = e->regs.ssccr[n];

    if ((e->regs.sscsr[n] & TRCSSCSR_STATUS) && !(ctl & TRCSSCCR_RST)) {
        return false;
    }
    return (field_get(ctl, TRCSSCCR_SAC) & in->sac) ||
           (field_get(ctl, TRCSSCCR_ARC) & in->arc);
}

static bool any_shot(const struct etm4 *e, const struct etm4_inputs *in,
                     uint32_t select)
{
    unsigned i;

    for (i = 0; i < e->params.ss_comps; i++) {
        if ((select >> i & 1u) && shot(e, in, i)) {
            return true;
        }
    }
    return false;
}

/* SELECT[3:0]: counters at zero; SELECT[7:4]: sequencer states */
static bool any_counter(const struct etm4 *e, uint32_t select)
{
    unsigned i;

    for (i = 0; i < e->params.counters; i++) {
        if ((select >> i & 1u) && e->regs.cntvr[i] == 0) {
            return true;
        }
    }
    return e->params.seq_states && (select >> (4 + e->regs.seqstr) & 1u);
}

static bool any_context(const struct etm4 *e, uint32_t select,
                        bool (*match)(const struct etm4 *e, unsigned n))
{
    unsigned i;

    for (i = 0; i < ETM4_CTX_COMPS; i++) {
        if ((select >> i & 1u) && match(e, i)) {
            return true;
        }
    }
    return false;
}

/* Selector @n without its INV: is one of its selected resources active? */
static bool selected(const struct etm4 *e, const struct etm4_inputs *in,
                     unsigned n)
{
    uint32_t ctl = e->regs.rsctlr[n];
    uint32_t select = field_get(ctl, TRCRSCTLR_SELECT);

    switch (field_get(ctl, TRCRSCTLR_GROUP)) {
    case TRCRSCTLR_GROUP_COUNTER:
        return any_counter(e, select);
    case TRCRSCTLR_GROUP_SS:
        return any_shot(e, in, select);
    case TRCRSCTLR_GROUP_SAC:
        return (select & in->sac) != 0;
    case TRCRSCTLR_GROUP_ARC:
        return (select & in->arc) != 0;
    case TRCRSCTLR_GROUP_CID:
        return any_context(e, select, etm4_match_cid);
    case TRCRSCTLR_GROUP_VMID:
        return any_context(e, select, etm4_match_vmid);
    default:
        return false;
    }
}

static bool selector(const struct etm4 *e, const struct etm4_inputs *in,
                     unsigned n)
{
    if (n < 2) {
        return n == 1;         /* 0 is FALSE, 1 is TRUE */
    }
    if (n >= 2u * e->params.rs_pairs) {
        return false;
    }
    return selected(e, in, n) != ((e->regs.rsctlr[n] & TRCRSCTLR_INV) != 0);
}

/* Pair: (A ^ A.INV AND B ^ B.INV) ^ A.PAIRINV; TRCRSCTLRn.PAIRINV */
static bool pair(const struct etm4 *e, const struct etm4_inputs *in,
                 unsigned n)
{
    unsigned a = 2 * n;

    if (n == 0 || n >= e->params.rs_pairs) {
        return false;
    }
    return (selector(e, in, a) && selector(e, in, a + 1)) !=
           ((e->regs.rsctlr[a] & TRCRSCTLR_PAIRINV) != 0);
}

bool etm4_resource_event(const struct etm4 *e, const struct etm4_inputs *in,
                         uint32_t event)
{
    unsigned sel = field_get(event, TRCEVENT_SEL);

    if ((event & 0xffu) <= 1) {
        return event & 1u;         /* most are FALSE or TRUE */
    }
    return event & TRCEVENT_TYPE_PAIR ? pair(e, in, sel & 0xfu)
                                      : selector(e, in, sel);
}

/* ---- a step ---- */

/* What changes at the end of the present cycle. */
struct plan {
    bool reload[ETM4_COUNTERS];
    bool count[ETM4_COUNTERS];
    uint32_t shots;            /* single-shot controls whose STATUS sets */
    uint32_t seqstr;
};

static uint32_t next_state(const struct etm4 *e, const struct etm4_inputs *in)
{
    uint32_t now = e->regs.seqstr;
    bool forward, back;

    if (!(e->regs.seqrstevr | e->regs.seqevr[0] | e->regs.seqevr[1] |
          e->regs.seqevr[2])) {
        return now;              /* selector 0 is FALSE */
    }
    if (etm4_resource_event(e, in, e->regs.seqrstevr)) {
        return 0;
    }
    forward = now < 3 && etm4_resource_event(e, in,
        field_get(e->regs.seqevr[now], TRCSEQEVR_F));
    back = now > 0 && etm4_resource_event(e, in,
        field_get(e->regs.seqevr[now - 1], TRCSEQEVR_B));
    return now + forward - back;
}

static void make_plan(const struct etm4 *e, const struct etm4_inputs *in,
                      struct plan *p)
{
    unsigned i;

    for (i = 0; i < e->params.counters; i++) {
        uint32_t ctl = e->regs.cntctlr[i];

        p->reload[i] =
            ((ctl & TRCCNTCTLR_RLDSELF) && e->regs.cntvr[i] == 0) ||
            etm4_resource_event(e, in, field_get(ctl, TRCCNTCTLR_RLDEVENT));
        p->count[i] =
            etm4_resource_event(e, in, field_get(ctl, TRCCNTCTLR_CNTEVENT)) ||
            ((ctl & TRCCNTCTLR_CNTCHAIN) && i > 0 && p->reload[i - 1]);
    }
    p->shots = 0;
    for (i = 0; (in->sac || in->arc) && i < e->params.ss_comps; i++) {
        if (!(e->regs.sscsr[i] & TRCSSCSR_STATUS) && shot(e, in, i)) {
            p->shots |= 1u << i;
        }
    }
    p->seqstr = next_state(e, in);
}

/*
 * Cycles for which the plan holds: up to the first counter that reaches zero;
 * one where anything changes by other means; @left when nothing changes.
 */
static uint64_t plan_cycles(const struct etm4 *e, const struct plan *p,
                            uint64_t left)
{
    uint64_t run = left;
    unsigned i;

    if (p->shots || p->seqstr != e->regs.seqstr) {
        return 1;
    }
    for (i = 0; i < e->params.counters; i++) {
        uint32_t val = e->regs.cntvr[i];

        if (p->reload[i]) {
            if (val != e->regs.cntrldvr[i]) {
                return 1;
            }
        } else if (p->count[i] && val != 0 && val < run) {
            run = val;
        }
    }
    return run;
}

static void advance(struct etm4 *e, const struct plan *p, uint64_t cycles)
{
    unsigned i;

    for (i = 0; i < e->params.counters; i++) {
        if (p->reload[i]) {
            e->regs.cntvr[i] = e->regs.cntrldvr[i];
        } else if (p->count[i] && e->regs.cntvr[i] != 0) {
            e->regs.cntvr[i] -= (uint32_t)cycles;
        }
    }
    for (i = 0; p->shots && i < e->params.ss_comps; i++) {
        if (p->shots >> i & 1u) {
            e->regs.sscsr[i] |= TRCSSCSR_STATUS;
        }
    }
    e->regs.seqstr = p->seqstr;
}

static unsigned fired(const struct etm4 *e, const struct etm4_inputs *in)
{
    unsigned what = 0, i;

    if (etm4_resource_event(e, in, e->regs.tsctlr)) {
        what |= ETM4_FIRED_TS;
    }
    for (i = 0; i < ETM4_EVENTS && e->regs.eventctl0r >> 8 * i; i++) {
        if (etm4_resource_event(e, in, e->regs.eventctl0r >> 8 * i)) {
            what |= (unsigned)ETM4_FIRED_EVENT0 << i;
        }
    }
    return what;
}

/* ---- many steps ---- */

/* What the next step depends on, inputs and single-shot STATUS apart. */
struct memory {
    uint32_t cntvr[ETM4_COUNTERS];
    uint32_t seqstr;
};

static void remember(const struct etm4 *e, struct memory *m)
{
    memcpy(m->cntvr, e->regs.cntvr, sizeof(m->cntvr));
    m->seqstr = e->regs.seqstr;
}

static bool same_again(const struct etm4 *e, const struct memory *m)
{
    return !memcmp(m->cntvr, e->regs.cntvr, sizeof(m->cntvr)) &&
           m->seqstr == e->regs.seqstr;
}

/*
 * With the same inputs all along this is a deterministic machine, so it falls
 * into a loop.  Once the state of an earlier step is back, whole loops are
 * skipped (Brent: the remembered step moves on at each power of two).  A
 * STATUS that sets, which happens once, makes what was remembered void.
 */
unsigned etm4_resource_run(struct etm4 *e, const struct etm4_inputs *in,
                           uint64_t cycles)
{
    struct memory seen;
    uint64_t left = cycles, seen_left = cycles;
    unsigned step, next = 1, what = 0;
    bool looped = false;

    remember(e, &seen);
    for (step = 1; left > 0 && step < STEPS_MAX; step++) {
        struct plan p;
        uint64_t n;

        what |= fired(e, in);
        make_plan(e, in, &p);
        n = plan_cycles(e, &p, left);
        advance(e, &p, n);
        left -= n;
        if (looped) {
            continue;
        }
        if (p.shots) {
            remember(e, &seen);
            seen_left = left;
        } else if (same_again(e, &seen)) {
            left %= seen_left - left;
            looped = true;
        } else if (step == next) {
            remember(e, &seen);
            seen_left = left;
            next *= 2;
        }
    }
    return what;
}

unsigned etm4_resource_time(struct etm4 *e, uint64_t cycles)
{
    static const struct etm4_inputs none = { 0, 0 };
    unsigned what = etm4_resource_run(e, &none, cycles);

    return what | fired(e, &none);
}

uint64_t etm4_resource_stable(const struct etm4 *e,
                              const struct etm4_inputs *in, uint64_t cycles)
{
    struct plan p;

    make_plan(e, in, &p);
    return plan_cycles(e, &p, cycles);
}
