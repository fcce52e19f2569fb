/*
 * ETMv4: PE records to trace elements.
 * Spec: Arm IHI 0064H.b, chapter 5 "Instruction trace elements".  Every P0
 * element is committed as it is traced (TRCIDR8.MAXSPEC = 0).
 *
 * CHOICE: a due synchronization is made where an address is known and traced:
 * after an indirect branch, at an exception's handler, and at a Trace On.
 * CHOICE: a timestamp request is served at the first PE_TIME after a P0 or
 * Event element: a Timestamp is the time of the last of these before it.
 * CHOICE: the Event element of an interval is traced once, at its end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "bits.h"
#include "etm4_internal.h"
#include "etm4_regs.h"

static bool sync_due(const struct etm4_encoder *c)
{
    return !c->synced || c->made - c->sync_at >= c->sync_every;
}

static void elem_sync(struct etm4 *e)
{
    etm4_packet_sync(e);
    if (e->regs.configr & TRCCONFIGR_TS) {
        e->filter.ts_request = true;
    }
}

/* ViewInst becomes active at @addr: Trace On and all that a decoder needs. */
static void view_on(struct etm4 *e, uint64_t addr)
{
    if (sync_due(&e->enc)) {
        elem_sync(e);
    }
    etm4_packet_trace_on(e);
    etm4_packet_address_context(e, addr, e->filter.is, &e->filter.ctx);
    e->filter.view = true;
    e->enc.ts_mark = e->enc.made;
}

static void view_off(struct etm4 *e)
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

    if (!etm4_filter_view(e)) {
        view_off(e);
    } else if (!f->view) {
        view_on(e, addr);
    } else {
        etm4_packet_atoms(e);
        if (sync_due(&e->enc)) {
            elem_sync(e);
        }
        if (etm4_context_differs(e, &f->ctx)) {
            etm4_packet_address_context(e, addr, f->is, &f->ctx);
        } else {
            etm4_packet_address(e, addr, f->is);
        }
    }
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

/* The Context that a P0 element just made effective, where no address is. */
static void elem_context(struct etm4 *e)
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
        elem_context(e);
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

static void elem_eret(struct etm4 *e, const struct pe_record *r)
{
    if (e->filter.view) {
        etm4_packet_add_atoms(e, 1ull << 63, 1);
    }
    etm4_filter_p0(&e->filter);
    etm4_filter_state(&e->filter, r->head);
    elem_position(e, r->addr);
}

/* TRCVICTLR.TRCRESET forces a Reset exception into the trace; 7.3 TRCVICTLR */
static bool forced(const struct etm4 *e, unsigned type)
{
    return type == PE_EXC_RESET && (e->regs.victlr & TRCVICTLR_TRCRESET);
}

static void elem_exception(struct etm4 *e, const struct pe_record *r)
{
    struct etm4_filter *f = &e->filter;
    unsigned type = PE_STATE_TYPE(r->head);

    if (!f->view && forced(e, type)) {
        view_on(e, r->addr);
    }
    if (f->view) {
        etm4_packet_atoms(e);
        etm4_packet_exception(e, type, r->addr, f->is);
    }
    etm4_filter_p0(f);
    etm4_filter_state(f, r->head);
}

static void elem_start(struct etm4 *e, const struct pe_record *r)
{
    struct etm4_filter *f = &e->filter;

    view_off(e);
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

    if (f->ts_request && stampable) {
        etm4_packet_atoms(e);
        etm4_packet_timestamp(e, f->time);
        f->ts_request = false;
    }
}

static void elem_event(struct etm4 *e)
{
    etm4_packet_atoms(e);
    if (!e->enc.synced) {
        elem_sync(e);
    }
    etm4_packet_event(e, 0);
}

static void elem_time(struct etm4 *e, uint64_t time)
{
    unsigned what = etm4_filter_time(e, time);

    if (!e->filter.pe_on) {
        return;
    }
    if ((what & ETM4_FIRED_EVENT0) &&
        (e->regs.eventctl1r & TRCEVENTCTL1R_INSTEN0)) {
        elem_event(e);
    }
    elem_timestamp(e);
    if (!etm4_filter_view(e)) {
        view_off(e);
    }
}

static void elem_record(struct etm4 *e, const struct pe_record *r)
{
    struct etm4_filter *f = &e->filter;

    switch (pe_record_kind(r)) {
    case PE_CONTEXT:
        f->next_cid = PE_STATE_CID(r->head);
        f->next_vmid = (uint32_t)r->addr;
        f->ctx_pending = true;
        return;
    case PE_TIME:
        elem_time(e, r->addr);
        return;
    case PE_START:
        elem_start(e, r);
        return;
    case PE_STOP:
        view_off(e);
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
    default:
        break;               /* kinds of later issues: none yet */
    }
}

void etm4_pe(struct etm4 *e, const struct pe_record *rec, size_t n)
{
    size_t i = 0;

    if (e->state == ETM4_IDLE) {
        return;
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
            elem_record(e, &rec[i++]);
        }
    }
}

void etm4_deliver(struct etm4 *e)
{
    etm4_packet_atoms(e);
    etm4_fifo_push(e);
}
