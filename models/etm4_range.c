/*
 * ETMv4: elements of a PE that reports by ranges (pe_event.h): every executed
 * address is known.  Filtering to the instruction, resources, cycle counting,
 * branch broadcast, return stack, FIFO overflow.
 * Spec: Arm IHI 0064H.b, 4.2 "Filtering the instruction trace", 5.2.5 "Branch
 * broadcasting", 5.2.6 "Return stack", 5.2.7 "Cycle counting", 5.2.9
 * "Overflow".
 *
 * CHOICE: a P0 element is traced when ViewInst is active for the instruction
 * that makes it.  What a decoder is told of the instructions before begins
 * where ViewInst became active (Trace On); those after the last traced P0
 * element are not traced.
 * CHOICE: an exception is traced when ViewInst is active for the last
 * instruction before it or, when none was executed since the last P0 element,
 * for the one that it prevented.
 * CHOICE: an instruction takes a constant number of cycles; the cycle counter
 * starts anew with the first instruction after a Trace On.
 * CHOICE: BLR never takes its target from the return stack.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "bits.h"
#include "etm4_internal.h"
#include "etm4_regs.h"

/*
 * Spans of one record that are looked at one by one; the rest is as if it were
 * not there.  It bounds the work a guest can ask for.
 */
#define SPANS_MAX 4096u

/* ---- instructions ---- */

/*
 * From filter.pos on, instructions up to @end for which comparators agree: at
 * least one, also where a PC is not aligned.
 */
static uint64_t same_inputs(const struct etm4 *e, uint64_t end)
{
    const struct etm4_use *u = &e->use;
    uint64_t pos = e->filter.pos, left = end - pos;
    unsigned i;

    for (i = 0; i < u->nedges; i++) {
        if (u->edge[i] > pos) {
            uint64_t near = u->edge[i] - pos;

            return ((near < left ? near : left) + 3) / 4;
        }
    }
    return left / 4;
}

static void follow_view(struct etm4 *e, const struct etm4_inputs *in)
{
    struct etm4_filter *f = &e->filter;
    bool view;

    if (field_get(e->regs.vissctlr, TRCVISSCTLR_START) & in->sac) {
        e->regs.victlr |= TRCVICTLR_SSSTATUS;
    }
    view = !f->overflow && etm4_filter_view_at(e, in);
    if (view && !f->run_view) {
        f->run_from = f->pos;
        f->run_gap = true;
    }
    f->run_view = view;
    if (field_get(e->regs.vissctlr, TRCVISSCTLR_STOP) & in->sac) {
        e->regs.victlr &= ~TRCVICTLR_SSSTATUS;
    }
}

/*
 * Some of the next @n instructions, for which comparators are at @in: those
 * for which ViewInst stays as it is.
 * @what: ETM4_FIRED_* bits are added.
 */
static uint64_t run_some(struct etm4 *e, const struct etm4_inputs *in,
                         uint64_t n, unsigned *what)
{
    uint64_t cpi = e->params.cycles_per_insn;

    follow_view(e, in);
    if (e->use.resources) {
        if (e->use.view_event) {
            n = (etm4_resource_stable(e, in, n * cpi) + cpi - 1) / cpi;
        }
        *what |= etm4_resource_run(e, in, n * cpi);
    }
    e->filter.pos += 4 * n;
    return n;
}

static unsigned run_detail(struct etm4 *e, uint64_t end)
{
    unsigned spans = SPANS_MAX, what = 0;

    while (e->filter.pos != end && spans) {
        struct etm4_inputs in = etm4_compare(e, e->filter.pos);
        uint64_t n = same_inputs(e, end);

        for (; n && spans; spans--) {
            n -= run_some(e, &in, n, &what);
        }
    }
    return what;
}

void etm4_range_run(struct etm4 *e, uint64_t count)
{
    struct etm4_filter *f = &e->filter;
    uint64_t end = f->pos + 4 * count;
    uint64_t cycles = count * e->params.cycles_per_insn;
    unsigned what;

    e->enc.cycles += cycles;
    if (e->params.fifo_bytes) {
        uint64_t drained = cycles * e->params.fifo_drain;

        f->level -= drained < f->level ? drained : f->level;
    }
    if (e->use.view || e->use.resources) {
        what = run_detail(e, end);
        if (what) {
            etm4_elem_events(e, what);
        }
    }
    f->pos = end;
}

void etm4_range_until(struct etm4 *e, uint64_t ret)
{
    etm4_range_run(e, ret > e->filter.pos ? (ret - e->filter.pos) / 4 : 0);
}

bool etm4_range_traced(struct etm4 *e)
{
    struct etm4_filter *f = &e->filter;

    if (!f->run_view || f->overflow) {
        etm4_elem_view_off(e);
        return false;
    }
    if (f->run_gap) {
        etm4_elem_view_off(e);
        etm4_elem_view_on(e, f->run_from);
        f->run_gap = false;
    }
    return f->view;
}

void etm4_range_counted(struct etm4 *e)
{
    if (e->use.cc_threshold && e->enc.cycles >= e->use.cc_threshold) {
        etm4_packet_atoms(e);
        etm4_packet_cycles(e);
    }
}

/* ---- FIFO ---- */

/*
 * CHOICE: after an overflow trace begins anew when the FIFO is half empty.
 * What is in the FIFO then is delivered all the same.
 */
void etm4_range_fifo(struct etm4 *e)
{
    struct etm4_filter *f = &e->filter;
    uint64_t limit = 64ull * e->params.fifo_bytes;

    if (!f->ranges) {
        return;
    }
    f->level += 64 * (e->enc.made - f->level_made);
    f->level_made = e->enc.made;
    if (f->overflow) {
        f->overflow = f->level > limit / 2;
    } else if (f->level > limit && e->enc.synced) {
        etm4_packet_overflow(e);
        e->overflows++;
        f->overflow = true;
        f->view = f->run_view = f->run_gap = false;
    }
}

/* ---- return stack ---- */

static void push(struct etm4 *e, uint64_t addr)
{
    struct etm4_encoder *c = &e->enc;
    uint32_t depth = e->params.return_stack;

    if (!(e->regs.configr & TRCCONFIGR_RS)) {
        return;
    }
    if (c->rs_n == depth) {
        memmove(c->rs, c->rs + 1, (depth - 1) * sizeof(c->rs[0]));
        c->rs_n--;
    }
    c->rs[c->rs_n++] = addr;
}

static bool pop(struct etm4 *e, uint64_t to)
{
    struct etm4_encoder *c = &e->enc;

    if (c->rs_n == 0 || c->rs[c->rs_n - 1] != to) {
        return false;
    }
    c->rs_n--;
    return true;
}

/* ---- waypoints ---- */

/* Must a decoder be told where the traced waypoint at @at goes? */
static bool needs_address(struct etm4 *e, const struct pe_record *r,
                          uint64_t at, bool context)
{
    uint64_t head = r->head;

    if (etm4_elem_sync_due(e)) {
        return true;
    }
    if (head & PE_RANGE_INDIRECT) {
        return context || (head & PE_RANGE_LINK) || etm4_broadcast(e, at) ||
               !pop(e, r->addr);
    }
    return (head & PE_RANGE_TAKEN) && !(head & PE_RANGE_ISB) &&
           etm4_broadcast(e, at);
}

/* A traced waypoint at @at has led to filter.pos, which is in view. */
static void waypoint_target(struct etm4 *e, const struct pe_record *r,
                            uint64_t at, bool context)
{
    struct etm4_filter *f = &e->filter;

    if (!needs_address(e, r, at, context)) {
        if (context) {
            etm4_elem_context(e);
        }
        return;
    }
    etm4_packet_atoms(e);
    if (etm4_elem_sync_due(e)) {
        etm4_elem_sync(e);
    }
    if (etm4_context_differs(e, &f->ctx)) {
        etm4_packet_address_context(e, r->addr, f->is, &f->ctx);
    } else {
        etm4_packet_address(e, r->addr, f->is);
    }
}

/* The P0 element of a waypoint that is traced. */
static void waypoint(struct etm4 *e, const struct pe_record *r)
{
    bool context = e->filter.ctx_pending;
    uint64_t at = e->filter.pos - 4;

    etm4_packet_add_atoms(e, r->head & PE_RANGE_TAKEN ? 1ull << 63 : 0, 1);
    etm4_filter_p0(&e->filter);
    etm4_range_counted(e);
    if (r->head & PE_RANGE_LINK) {
        push(e, e->filter.pos);
    }
    e->filter.pos = r->addr;
    if (!etm4_filter_view(e)) {
        etm4_elem_view_off(e);
    } else {
        waypoint_target(e, r, at, context);
    }
}

void etm4_range(struct etm4 *e, const struct pe_record *r)
{
    struct etm4_filter *f = &e->filter;

    etm4_range_run(e, PE_RANGE_COUNT(r->head));
    if (etm4_range_traced(e)) {
        waypoint(e, r);
    } else {
        etm4_filter_p0(f);
        f->pos = r->addr;
        if (etm4_filter_view(e)) {
            etm4_elem_view_on(e, r->addr);
        }
    }
    f->run_view = f->view;
    f->run_gap = false;
}
