/*
 * ETMv4: what the files of the trace unit share among themselves.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_ETM4_INTERNAL_H
#define CSVIRT_MODELS_ETM4_INTERNAL_H

#include "etm4.h"

/*
 * The most bytes that one record can make: 64 + 56 atoms as Format 3 packets,
 * Event, A-Sync, Trace Info, Trace On, Exception with address, Timestamp and
 * Address with Context.  etm4_pe() keeps this much free.
 */
#define ETM4_RECORD_BYTES 160

/* ---- etm4_fifo.c ---- */
/* Push all bytes of the FIFO to the output, or count why not. */
void etm4_fifo_push(struct etm4 *e);
/* Forget the bytes of the FIFO, counted as dropped (reset). */
void etm4_fifo_clear(struct etm4 *e);

/* ---- etm4_packet.c: elements to bytes in the FIFO ---- */
/* Fill the encoder's constant tables; any number of times. */
void etm4_packet_init(void);
/* Encode all pending atoms. */
void etm4_packet_atoms(struct etm4 *e);
/* Add @n (0..56) atoms, oldest at bit 63 of @atoms, the rest zero. */
void etm4_packet_add_atoms(struct etm4 *e, uint64_t atoms, unsigned n);
/*
 * A run of PE_INDIRECT records while ViewInst is active and no context is
 * pending.  @n: at least 1.
 * returns: the records taken; fewer at another kind, where synchronization is
 * due, and where the FIFO is nearly full.
 */
size_t etm4_packet_branches(struct etm4 *e, const struct pe_record *rec,
                            size_t n);
/* A-Sync and Trace Info: forgets what packets are compressed against. */
void etm4_packet_sync(struct etm4 *e);
void etm4_packet_trace_on(struct etm4 *e);
/* Context packet with @ctx where it differs from what was sent. */
void etm4_packet_context(struct etm4 *e, const struct etm4_context *ctx);
/* Address packet, the shortest; @is: sub-ISA. */
void etm4_packet_address(struct etm4 *e, uint64_t addr, uint8_t is);
/* Address with Context packet, all traced IDs that changed or are unsent. */
void etm4_packet_address_context(struct etm4 *e, uint64_t addr, uint8_t is,
                                 const struct etm4_context *ctx);
/* Exception packet and the address packet that belongs to it. */
void etm4_packet_exception(struct etm4 *e, unsigned type, uint64_t ret,
                           uint8_t is);
void etm4_packet_timestamp(struct etm4 *e, uint64_t ts);
void etm4_packet_event(struct etm4 *e, unsigned number);
/* Does @ctx differ from the Context that the decoder has? */
bool etm4_context_differs(const struct etm4 *e,
                          const struct etm4_context *ctx);

/* ---- etm4_resource.c ---- */
enum {
    ETM4_FIRED_TS = 1u << 0,      /* TRCTSCTLR.EVENT was active */
    ETM4_FIRED_EVENT0 = 1u << 1,  /* TRCEVENTCTL0R.EVENT0 was active */
};
/*
 * Let @cycles PE cycles pass for counters and events.
 * returns: ETM4_FIRED_* bits of the events active in at least one cycle.
 */
unsigned etm4_resource_run(struct etm4 *e, uint64_t cycles);
/* Is the event that the 8-bit selector field @event names active now? */
bool etm4_resource_event(const struct etm4 *e, uint32_t event);

/* ---- etm4_filter.c ---- */
/* New session: filter and encoder as after TRCPRGCTLR.EN 0 -> 1. */
void etm4_filter_start(struct etm4 *e);
/* ViewInst for the PE's present state. */
bool etm4_filter_view(const struct etm4 *e);
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
