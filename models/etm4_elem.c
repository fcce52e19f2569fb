/*
 * ETMv4: PE records to trace elements.
 * Spec: Arm IHI 0064H.b, chapter 5 "Instruction trace elements".  Every P0
 * element is committed as it is traced (TRCIDR8.MAXSPEC = 0).
 *
 * CHOICE: a due synchronization is made where an address is known: after an
 * indirect branch (with range reporting any waypoint), at an exception's
 * handler, and at a Trace On.
 * CHOICE: a timestamp request is served at the first PE_TIME after a P0 or
 * Event element: a Timestamp is the time of the last of these before it.
 * CHOICE: the Event element of an interval is traced once, at its end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "bits.h"
#include "etm4_internal.h"
#include "etm4_regs.h"

bool etm4_elem_sync_due(const struct etm4 *e)
{
    const struct etm4_encoder *c = &e->enc;

    return !c->synced || c->made - c->sync_at >= c->sync_every;
}

void etm4_elem_sync(struct etm4 *e)
{
    etm4_packet_sync(e);
    if (e->regs.configr & TRCCONFIGR_TS) {
        e->filter.ts_request = true;
    }
}

void etm4_elem_view_on(struct etm4 *e, uint64_t addr)
{
    if (etm4_elem_sync_due(e)) {
        etm4_elem_sync(e);
    }
    etm4_packet_trace_on(e);
    etm4_packet_address_context(e, addr, e->filter.is, &e->filter.ctx);
    e->filter.view = true;
    e->enc.ts_mark = e->enc.made;
    e->enc.cycles = (e->filter.pos - addr) / 4 * e->params.cycles_per_insn;
}

void etm4_elem_view_off(struct etm4 *e)
{
    if (e->filter.view) {
        etm4_packet_atoms(e);
        e->filter.view = false;
    }
}

/*
 * The PE is known to be at @addr, in the state of filter.ctx: the target of a
 * P0 element that was traced when ViewInst is active.
 */
static void elem_position(struct etm4 *e, uint64_t addr)
{
    struct etm4_filter *f = &e->filter;

    f->pos = addr;
    if (!etm4_filter_view(e)) {
        etm4_elem_view_off(e);
    } else if (!f->view) {
        etm4_elem_view_on(e, addr);
    } else {
        etm4_packet_atoms(e);
        if (etm4_elem_sync_due(e)) {
            etm4_elem_sync(e);
        }
        if (etm4_context_differs(e, &f->ctx)) {
            etm4_packet_address_context(e, addr, f->is, &f->ctx);
        } else {
            etm4_packet_address(e, addr, f->is);
        }
    }
    f->run_view = f->view;
    f->run_gap = false;
}

/* Atoms of a record: the sentinel goes, the oldest comes to bit 63. */
static uint64_t record_atoms(uint64_t head, unsigned *n)
{
    head &= (1ull << PE_KIND_SHIFT) - 1;
    if (head == 0) {
        *n = 0;              /* no sentinel: no atoms */
        return 0;
    }
    *n = 63 - clz64(head);
    return (head << 1) << (63 - *n);
}

void etm4_elem_context(struct etm4 *e)
{
    etm4_filter_p0(&e->filter);
    if (e->filter.view && etm4_context_differs(e, &e->filter.ctx)) {
        etm4_packet_atoms(e);
        etm4_packet_context(e, &e->filter.ctx);
    }
}

static void elem_atoms(struct etm4 *e, uint64_t head)
{
    unsigned n;
    uint64_t atoms = record_atoms(head, &n);

    if (n && e->filter.ctx_pending) {
        if (e->filter.view) {
            etm4_packet_add_atoms(e, atoms & 1ull << 63, 1);
        }
        etm4_elem_context(e);
        atoms <<= 1;
        n--;
    }
    if (e->filter.view) {
        etm4_packet_add_atoms(e, atoms, n);
    }
}

static void elem_indirect(struct etm4 *e, const struct pe_record *r)
{
    struct etm4_filter *f = &e->filter;

    elem_atoms(e, r->head);
    if (f->view) {
        etm4_packet_add_atoms(e, 1ull << 63, 1);
    }
    etm4_filter_p0(f);
    elem_position(e, r->addr);
}

/* Is the P0 element traced that comes after all instructions so far? */
static bool traced(struct etm4 *e)
{
    return e->filter.ranges ? etm4_range_traced(e) : e->filter.view;
}

static void elem_eret(struct etm4 *e, const struct pe_record *r)
{
    if (traced(e)) {
        etm4_packet_add_atoms(e, 1ull << 63, 1);
        etm4_range_counted(e);
    }
    etm4_filter_p0(&e->filter);
    etm4_filter_state(&e->filter, r->head);
    elem_position(e, r->addr);
}

/* TRCVICTLR.TRCRESET and TRCERR force exceptions into the trace; 7.3 */
static bool forced(const struct etm4 *e, unsigned type)
{
    return !e->filter.overflow &&
           ((type == PE_EXC_RESET && (e->regs.victlr & TRCVICTLR_TRCRESET)) ||
            (type == PE_EXC_SYSTEM_ERROR &&
             (e->regs.victlr & TRCVICTLR_TRCERR)));
}

static void elem_exception(struct etm4 *e, const struct pe_record *r)
{
    struct etm4_filter *f = &e->filter;
    unsigned type = PE_STATE_TYPE(r->head);

    if (f->ranges) {
        etm4_range_until(e, r->addr);
    }
    if (!traced(e) && forced(e, type)) {
        etm4_elem_view_on(e, r->addr);
    }
    if (f->view) {
        etm4_packet_atoms(e);
        etm4_packet_exception(e, type, r->addr, f->is);
        etm4_range_counted(e);
    }
    etm4_filter_p0(f);
    etm4_filter_state(f, r->head);
}

static void elem_start(struct etm4 *e, const struct pe_record *r)
{
    struct etm4_filter *f = &e->filter;

    etm4_elem_view_off(e);
    etm4_filter_p0(f);
    etm4_filter_state(f, r->head);
    f->pe_on = true;
    if (e->state == ETM4_STARTING) {
        e->state = ETM4_RUNNING;
    }
    elem_position(e, r->addr);
}

static void elem_timestamp(struct etm4 *e)
{
    struct etm4_filter *f = &e->filter;
    struct etm4_encoder *c = &e->enc;
    bool stampable = c->natoms != 0 || c->made != c->ts_mark;

    if (f->ts_request && stampable && c->synced) {
        etm4_packet_atoms(e);
        etm4_packet_timestamp(e, f->time);
        f->ts_request = false;
    }
}

void etm4_elem_events(struct etm4 *e, unsigned what)
{
    unsigned events = what / ETM4_FIRED_EVENT0, i;

    for (i = 0; i < ETM4_EVENTS; i++) {
        e->out_pulses[i] += events >> i & 1u;
    }
    if ((what & ETM4_FIRED_TS) && (e->regs.configr & TRCCONFIGR_TS)) {
        e->filter.ts_request = true;
    }
    events &= e->regs.eventctl1r;
    if (events && !e->filter.overflow) {
        etm4_packet_atoms(e);
        if (!e->enc.synced) {
            etm4_elem_sync(e);
        }
        etm4_packet_event(e, events);
    }
}

static void elem_time(struct etm4 *e, uint64_t time)
{
    unsigned what = etm4_filter_time(e, time);

    if (!e->filter.pe_on) {
        return;
    }
    if (what >= ETM4_FIRED_EVENT0) {
        etm4_elem_events(e, what);
    }
    elem_timestamp(e);
    if (!e->filter.ranges && !etm4_filter_view(e)) {
        etm4_elem_view_off(e);
    }
}

static void elem_record(struct etm4 *e, const struct pe_record *r)
{
    struct etm4_filter *f = &e->filter;

    switch (pe_record_kind(r)) {
    case PE_CONTEXT:
        f->next_cid = PE_STATE_CID(r->head);
        f->next_vmid = (uint32_t)(e->regs.configr & TRCCONFIGR_VMIDOPT
                                  ? r->addr >> 32 : r->addr);
        f->ctx_pending = true;
        return;
    case PE_TIME:
        elem_time(e, r->addr);
        return;
    case PE_START:
        elem_start(e, r);
        return;
    case PE_STOP:
        if (f->pe_on && f->ranges) {
            etm4_range_until(e, r->addr);
        }
        etm4_elem_view_off(e);
        f->pe_on = false;
        return;
    default:
        break;
    }
    if (!f->pe_on) {
        return;
    }
    switch (pe_record_kind(r)) {
    case PE_INDIRECT:
        elem_indirect(e, r);
        break;
    case PE_ATOMS:
        elem_atoms(e, r->head);
        break;
    case PE_EXCEPTION:
        elem_exception(e, r);
        break;
    case PE_TARGET:
        elem_position(e, r->addr);
        break;
    case PE_ERET:
        elem_eret(e, r);
        break;
    case PE_RANGE:
        etm4_range(e, r);
        break;
    case PE_SPAN:
        etm4_range_run(e, PE_RANGE_COUNT(r->head));
        break;
    default:
        break;
    }
}

void etm4_pe(struct etm4 *e, const struct pe_record *rec, size_t n)
{
    size_t i = 0;

    if (e->state == ETM4_IDLE) {
        return;
    }
    if (!e->use.ready) {
        etm4_prepare(e);
    }
    while (i < n) {
        size_t taken = 0;

        if (e->fifo.fill > ETM4_FIFO_BYTES - ETM4_RECORD_BYTES) {
            etm4_fifo_push(e);
        }
        if (e->filter.view && !e->filter.ctx_pending) {
            taken = etm4_packet_branches(e, rec + i, n - i);
        }
        if (taken) {
            i += taken;
        } else {
            if (e->params.fifo_bytes) {
                etm4_range_fifo(e);
            }
            elem_record(e, &rec[i++]);
        }
    }
}

void etm4_deliver(struct etm4 *e)
{
    etm4_packet_atoms(e);
    etm4_fifo_push(e);
}
