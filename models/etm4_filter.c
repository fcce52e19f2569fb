/*
 * ETMv4: ViewInst and what the trace unit knows about the PE.
 * Spec: Arm IHI 0064H.b, 4.2 "Filtering the instruction trace" and 7.3
 * TRCVICTLR.  ViewInst = event AND start/stop (SSSTATUS) AND include/exclude
 * AND the Exception level is not excluded.
 *
 * CHOICE: an instruction at a start address is traced, and so is one at a stop
 * address: the stop takes effect after it, also where it is both.
 * CHOICE: without range reporting (the event is a constant then, or a test's
 * counter) the ViewInst event is sampled where time is known (PE_TIME).
 * CHOICE: timestamps are requested by each Trace Info and by TRCTSCTLR.EVENT.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "bits.h"
#include "etm4_internal.h"
#include "etm4_regs.h"

static bool view_event(const struct etm4 *e, const struct etm4_inputs *in)
{
    return etm4_resource_event(e, in,
                               field_get(e->regs.victlr, TRCVICTLR_EVENT));
}

static const struct etm4_inputs none;

/*
 * TRCSYNCPR.PERIOD: 2^N bytes, 0 never.
 * CHOICE: reserved values count as the nearest permitted one.
 */
static uint64_t sync_period(uint32_t period)
{
    if (period == 0) {
        return UINT64_MAX;
    }
    if (period < TRCSYNCPR_PERIOD_MIN) {
        period = TRCSYNCPR_PERIOD_MIN;
    } else if (period > TRCSYNCPR_PERIOD_MAX) {
        period = TRCSYNCPR_PERIOD_MAX;
    }
    return 1ull << period;
}

void etm4_filter_start(struct etm4 *e)
{
    uint64_t made = e->enc.made;

    memset(&e->filter, 0, sizeof(e->filter));
    memset(&e->enc, 0, sizeof(e->enc));
    e->enc.made = made;
    e->enc.ts_mark = made;
    e->enc.sync_at = made;
    e->enc.sync_every = sync_period(e->regs.syncpr);
    etm4_prepare(e);
    e->filter.event = view_event(e, &none);
    e->filter.ranges = etm4_needs_ranges(e);
    e->filter.level_made = made;
}

static bool view_level(const struct etm4 *e)
{
    const struct etm4_filter *f = &e->filter;
    uint32_t vi = e->regs.victlr;
    uint32_t exclude = f->ctx.ns ? field_get(vi, TRCVICTLR_EXLEVEL_NS)
                                 : field_get(vi, TRCVICTLR_EXLEVEL_S);

    return !(exclude >> f->ctx.el & 1u);
}

bool etm4_filter_view_at(const struct etm4 *e, const struct etm4_inputs *in)
{
    uint32_t include = field_get(e->regs.viiectlr, TRCVIIECTLR_INCLUDE);
    uint32_t exclude = field_get(e->regs.viiectlr, TRCVIIECTLR_EXCLUDE);
    uint32_t start = field_get(e->regs.vissctlr, TRCVISSCTLR_START);

    return view_level(e) && view_event(e, in) &&
           ((e->regs.victlr & TRCVICTLR_SSSTATUS) || (start & in->sac)) &&
           (!include || (include & in->arc)) && !(exclude & in->arc);
}

bool etm4_filter_view(const struct etm4 *e)
{
    struct etm4_inputs in;

    if (e->filter.overflow) {
        return false;
    }
    if (e->filter.ranges && e->use.view) {
        in = etm4_compare(e, e->filter.pos);
        return etm4_filter_view_at(e, &in);
    }
    return e->filter.event && (e->regs.victlr & TRCVICTLR_SSSTATUS) &&
           view_level(e);
}

void etm4_filter_state(struct etm4_filter *f, uint64_t head)
{
    f->ctx.el = (uint8_t)PE_STATE_EL(head);
    f->ctx.ns = (head & PE_STATE_NS) != 0;
    f->ctx.a64 = (head & PE_STATE_A64) != 0;
    f->is = !f->ctx.a64 && (head & PE_STATE_T32);
}

unsigned etm4_filter_time(struct etm4 *e, uint64_t time)
{
    struct etm4_filter *f = &e->filter;
    uint64_t ticks = f->time_known && time > f->time ? time - f->time : 0;
    unsigned what = 0;

    if (f->pe_on && !(f->ranges && e->use.resources)) {
        what = etm4_resource_time(e, ticks * e->params.cycles_per_tick);
        f->event = view_event(e, &none);
    }
    f->time = time;
    f->time_known = true;
    if ((what & ETM4_FIRED_TS) && (e->regs.configr & TRCCONFIGR_TS)) {
        f->ts_request = true;
    }
    return what;
}
