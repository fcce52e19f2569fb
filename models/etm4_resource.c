/*
 * ETMv4: resource selectors, counters, event selection.
 * Spec: Arm IHI 0064H.b, 4.4 "Trace unit resources", 7.3 TRCRSCTLRn,
 * TRCCNTCTLRn.  Not modelled, and absent in TRCIDR4/5: comparators, sequencer,
 * external inputs, single-shot control.
 *
 * CHOICE: the cycles between two known times are executed when the second
 * becomes known; resources have no other input than the counters, so the
 * result is that of running them cycle by cycle.
 * CHOICE: a selector that is not implemented, and selector pair 0, is FALSE.
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

/* Selector @n without its INV: is one of its selected resources active? */
static bool selected(const struct etm4 *e, unsigned n)
{
    uint32_t ctl = e->regs.rsctlr[n];
    unsigned i;

    if (field_get(ctl, TRCRSCTLR_GROUP) != TRCRSCTLR_GROUP_COUNTER) {
        return false;
    }
    for (i = 0; i < e->params.counters; i++) {
        if ((ctl >> i & 1u) && e->regs.cntvr[i] == 0) {
            return true;
        }
    }
    return false;
}

static bool selector(const struct etm4 *e, unsigned n)
{
    if (n < 2) {
        return n == 1;         /* 0 is FALSE, 1 is TRUE */
    }
    if (n >= 2u * e->params.rs_pairs) {
        return false;
    }
    return selected(e, n) != ((e->regs.rsctlr[n] & TRCRSCTLR_INV) != 0);
}

/* Pair: (A ^ A.INV AND B ^ B.INV) ^ A.PAIRINV; TRCRSCTLRn.PAIRINV */
static bool pair(const struct etm4 *e, unsigned n)
{
    unsigned a = 2 * n;

    if (n == 0 || n >= e->params.rs_pairs) {
        return false;
    }
    return (selector(e, a) && selector(e, a + 1)) !=
           ((e->regs.rsctlr[a] & TRCRSCTLR_PAIRINV) != 0);
}

bool etm4_resource_event(const struct etm4 *e, uint32_t event)
{
    unsigned sel = field_get(event, TRCEVENT_SEL);

    return event & TRCEVENT_TYPE_PAIR ? pair(e, sel & 0xfu) : selector(e, sel);
}

/* What each counter does in the present cycle. */
struct plan {
    bool reload[ETM4_COUNTERS];
    bool count[ETM4_COUNTERS];
};

static void make_plan(const struct etm4 *e, struct plan *p)
{
    unsigned i;

    for (i = 0; i < e->params.counters; i++) {
        uint32_t ctl = e->regs.cntctlr[i];

        p->reload[i] =
            ((ctl & TRCCNTCTLR_RLDSELF) && e->regs.cntvr[i] == 0) ||
            etm4_resource_event(e, field_get(ctl, TRCCNTCTLR_RLDEVENT));
        p->count[i] =
            etm4_resource_event(e, field_get(ctl, TRCCNTCTLR_CNTEVENT)) ||
            ((ctl & TRCCNTCTLR_CNTCHAIN) && i > 0 && p->reload[i - 1]);
    }
}

/*
 * Cycles for which the plan holds: up to the first counter that reaches zero;
 * one where a counter changes by a reload; @left when nothing changes.
 */
static uint64_t plan_cycles(const struct etm4 *e, const struct plan *p,
                            uint64_t left)
{
    uint64_t run = left;
    unsigned i;

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
}

static unsigned fired(const struct etm4 *e)
{
    return (etm4_resource_event(e, e->regs.tsctlr) ? ETM4_FIRED_TS : 0u) |
           (etm4_resource_event(e, e->regs.eventctl0r) ? ETM4_FIRED_EVENT0
                                                        : 0u);
}

/*
 * The counters are a deterministic machine without input, so it falls into a
 * loop.  Once the state of an earlier step is back, whole loops are skipped
 * (Brent: the remembered step moves on at each power of two).
 */
unsigned etm4_resource_run(struct etm4 *e, uint64_t cycles)
{
    uint32_t seen[ETM4_COUNTERS];
    uint64_t left = cycles, seen_left = cycles;
    unsigned step, next = 1, what = fired(e);
    bool looped = false;

    memcpy(seen, e->regs.cntvr, sizeof(seen));
    for (step = 1; left > 0 && step < STEPS_MAX; step++) {
        struct plan p;
        uint64_t n;

        make_plan(e, &p);
        n = plan_cycles(e, &p, left);
        advance(e, &p, n);
        left -= n;
        what |= fired(e);
        if (looped) {
            continue;
        }
        if (!memcmp(seen, e->regs.cntvr, sizeof(seen))) {
            left %= seen_left - left;
            looped = true;
        } else if (step == next) {
            memcpy(seen, e->regs.cntvr, sizeof(seen));
            seen_left = left;
            next *= 2;
        }
    }
    return what;
}
