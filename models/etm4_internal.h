/*
 * ETMv4: what the files of the trace unit share among themselves.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_ETM4_INTERNAL_H
#define CSVIRT_MODELS_ETM4_INTERNAL_H

#include "etm4.h"

/*
 * The most bytes that one record can make: 64 + 56 atoms as Format 3 packets
 * (40), Overflow (2), Event (1), twice A-Sync with Trace Info (18), Trace On
 * (1), Exception with address (11), Cycle Count (4), Timestamp (13) and Address
 * with Context (18).  etm4_pe() keeps this much free.
 */
#define ETM4_RECORD_BYTES 192

/* ---- etm4_fifo.c ---- */
/* Push all bytes of the FIFO to the output, or count why not. */
void etm4_fifo_push(struct etm4 *e);
/* Forget the bytes of the FIFO, counted as dropped (reset). */
void etm4_fifo_clear(struct etm4 *e);

/* The next free byte of the FIFO; etm4_pe() keeps room for a record. */
static inline uint8_t *etm4_put_begin(struct etm4 *e)
{
    return e->fifo.byte + e->fifo.fill;
}

/* The bytes up to @p have been written. */
static inline void etm4_put_end(struct etm4 *e, const uint8_t *p)
{
    uint32_t fill = (uint32_t)(p - e->fifo.byte);

    e->enc.made += fill - e->fifo.fill;
    e->fifo.fill = fill;
}

/* ---- etm4_branch.c: atoms and addresses to bytes in the FIFO ---- */
/* Fill the encoder's constant tables; any number of times. */
void etm4_packet_init(void);
/* Encode all pending atoms. */
void etm4_packet_atoms(struct etm4 *e);
/* Add @n (0..56) atoms, oldest at bit 63 of @atoms, the rest zero. */
void etm4_packet_add_atoms(struct etm4 *e, uint64_t atoms, unsigned n);
/* Address packet, the shortest; @is: sub-ISA. */
void etm4_packet_address(struct etm4 *e, uint64_t addr, uint8_t is);
/*
 * The header and the address of an Address with Context packet at @p, where
 * nine bytes are free; the context information follows.
 * returns: the next free byte.
 */
uint8_t *etm4_put_long(struct etm4 *e, uint8_t *p, uint64_t addr, unsigned is);
/*
 * A run of PE_INDIRECT records while ViewInst is active and no context is
 * pending.  @n: at least 1.
 * returns: the records taken; fewer at another kind, where atoms are pending,
 * where synchronization is due, and where the FIFO is nearly full.
 */
size_t etm4_packet_branches(struct etm4 *e, const struct pe_record *rec,
                            size_t n);

/* ---- etm4_packet.c: the other elements ---- */
/* A-Sync and Trace Info: forgets what packets are compressed against. */
void etm4_packet_sync(struct etm4 *e);
void etm4_packet_trace_on(struct etm4 *e);
/* Context packet with @ctx where it differs from what was sent. */
void etm4_packet_context(struct etm4 *e, const struct etm4_context *ctx);
/* Address with Context packet, all traced IDs that changed or are unsent. */
void etm4_packet_address_context(struct etm4 *e, uint64_t addr, uint8_t is,
                                 const struct etm4_context *ctx);
/* Exception packet and the address packet that belongs to it. */
void etm4_packet_exception(struct etm4 *e, unsigned type, uint64_t ret,
                           uint8_t is);
void etm4_packet_timestamp(struct etm4 *e, uint64_t ts);
/* @events: a bit each */
void etm4_packet_event(struct etm4 *e, unsigned events);
/* Cycle Count of enc.cycles. */
void etm4_packet_cycles(struct etm4 *e);
/* Overflow: pending atoms are lost, the next element needs a new sync. */
void etm4_packet_overflow(struct etm4 *e);
/* Does @ctx differ from the Context that the decoder has? */
bool etm4_context_differs(const struct etm4 *e,
                          const struct etm4_context *ctx);

/* ---- etm4_id.c ---- */
#define ETM4_FIFO_LEAST 64u   /* a Trace On and what comes with it fit */
/* Features that need an absent one are absent; a tiny FIFO is a small one. */
void etm4_params_settle(struct etm4_params *p);
/* TRCIDRn, @n 0..13 */
uint32_t etm4_idr(const struct etm4 *e, unsigned n);

/* ---- etm4_compare.c ---- */
/* What the comparators say of an instruction: a bit for each that matches. */
struct etm4_inputs {
    uint16_t sac;                 /* single address comparators */
    uint8_t arc;                  /* address range comparators */
};
/* The comparators in use, for the instruction at @addr. */
struct etm4_inputs etm4_compare(const struct etm4 *e, uint64_t addr);
bool etm4_match_cid(const struct etm4 *e, unsigned n);
bool etm4_match_vmid(const struct etm4 *e, unsigned n);
/* Is the branch at @addr one that branch broadcasting traces? */
bool etm4_broadcast(const struct etm4 *e, uint64_t addr);
/* Work out e->use from the registers. */
void etm4_prepare(struct etm4 *e);
/* Does the session that the registers describe need range reporting? */
bool etm4_needs_ranges(const struct etm4 *e);

/* ---- etm4_resource.c ---- */
enum {
    ETM4_FIRED_TS = 1u << 0,      /* TRCTSCTLR.EVENT was active */
    ETM4_FIRED_EVENT0 = 1u << 1,  /* TRCEVENTCTL0R.EVENT0, 1, 2, 3 from here */
};
/*
 * Let @cycles PE cycles pass for counters, sequencer, single-shot controls and
 * events, with the comparators at @in in each of them.
 * returns: ETM4_FIRED_* bits of the events active in at least one cycle.
 */
unsigned etm4_resource_run(struct etm4 *e, const struct etm4_inputs *in,
                           uint64_t cycles);
/* The same where no comparator matters; the end of the interval counts too. */
unsigned etm4_resource_time(struct etm4 *e, uint64_t cycles);
/*
 * returns: the cycles, 1..@cycles, in which no resource changes its state with
 * the comparators at @in.
 */
uint64_t etm4_resource_stable(const struct etm4 *e,
                              const struct etm4_inputs *in, uint64_t cycles);
/* Is the event that the 8-bit selector field @event names active now? */
bool etm4_resource_event(const struct etm4 *e, const struct etm4_inputs *in,
                         uint32_t event);

/* ---- etm4_range.c ---- */
/*
 * @count instructions have been executed from filter.pos on: filter.run_*
 * follow ViewInst, resources run, Event elements are made.
 */
void etm4_range_run(struct etm4 *e, uint64_t count);
/*
 * The last of these made a P0 element.
 * returns: it is traced; Trace On has been made where that was due.
 */
bool etm4_range_traced(struct etm4 *e);
/* A P0 element was traced: the Cycle Count that is due. */
void etm4_range_counted(struct etm4 *e);
/* PE_RANGE. */
void etm4_range(struct etm4 *e, const struct pe_record *r);
/* Instructions before an exception, whose preferred return address is @ret. */
void etm4_range_until(struct etm4 *e, uint64_t ret);
/* A limited FIFO: has it filled, has it drained?  Before each record. */
void etm4_range_fifo(struct etm4 *e);

/* ---- etm4_elem.c ---- */
void etm4_elem_sync(struct etm4 *e);
bool etm4_elem_sync_due(const struct etm4 *e);
/* ViewInst becomes active at @addr: Trace On and all that a decoder needs. */
void etm4_elem_view_on(struct etm4 *e, uint64_t addr);
void etm4_elem_view_off(struct etm4 *e);
/* Event elements, ETM4_FIRED_*, those that TRCEVENTCTL1R wants. */
void etm4_elem_events(struct etm4 *e, unsigned what);
/* The Context that a P0 element just made effective, where no address is. */
void etm4_elem_context(struct etm4 *e);

/* ---- etm4_filter.c ---- */
/* New session: filter and encoder as after TRCPRGCTLR.EN 0 -> 1. */
void etm4_filter_start(struct etm4 *e);
/* ViewInst for an instruction at filter.pos, in the PE's present state. */
bool etm4_filter_view(const struct etm4 *e);
/* The same, with comparators at @in; start comparators count already. */
bool etm4_filter_view_at(const struct etm4 *e, const struct etm4_inputs *in);
/* Take over EL, security, execution state of a record's head. */
void etm4_filter_state(struct etm4_filter *f, uint64_t head);
/* Time has come to CNTPCT @time: run resources, take requests. */
unsigned etm4_filter_time(struct etm4 *e, uint64_t time);
/* Has the PE passed a P0 element: pending context IDs take effect. */
static inline void etm4_filter_p0(struct etm4_filter *f)
{
    if (f->ctx_pending) {
        f->ctx.cid = f->next_cid;
        f->ctx.vmid = f->next_vmid;
        f->ctx_pending = false;
    }
}

#endif
