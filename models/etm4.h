/*
 * ETMv4 trace unit (MMIO), instruction trace only.
 * Spec: Arm IHI 0064H.b (ETMv4.0 to ETMv4.6).
 *
 * One unit = registers (etm4.c, etm4_id.c, etm4_regs.h) + filter
 * (etm4_filter.c, with comparators in etm4_compare.c, counters, sequencer and
 * events in etm4_resource.c) + elements (etm4_elem.c, etm4_range.c) + packets
 * (etm4_branch.c, etm4_packet.c) + byte FIFO (etm4_fifo.c).
 * It sees the PE only through pe_event.h records and the ATB only through its
 * output link.  What is not modelled reads as absent in TRCIDR0-13.
 *
 * Life of a session:
 *   TRCPRGCTLR.EN=1 -> ETM4_STARTING (IDLE reads 0), the glue makes the PE
 *   report; PE_START -> ETM4_RUNNING; TRCPRGCTLR.EN=0 (or the OS lock) ->
 *   ETM4_STOPPING; the glue drains the PE's last records, etm4_stopped() ->
 *   ETM4_IDLE, with every byte pushed to the ATB.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_ETM4_H
#define CSVIRT_MODELS_ETM4_H

#include "atb.h"
#include "pe_event.h"
#include "regs.h"

/* Filled in by etm4_params_default(); each is a property of the DT node. */
struct etm4_params {
    uint8_t arch_minor;      /* 4.N in TRCIDR1 and TRCDEVARCH: 2 */
    uint16_t part;           /* PIDR part number, default 0xd0c */
    uint8_t counters;        /* TRCIDR5.NUMCNTR */
    uint8_t rs_pairs;        /* resource selector pairs, 1..16 */
    uint8_t ac_pairs;        /* TRCIDR4.NUMACPAIRS, 0..8 */
    uint8_t cid_comps;       /* TRCIDR4.NUMCIDC, 0..8 */
    uint8_t vmid_comps;      /* TRCIDR4.NUMVMIDC, 0..8 */
    uint8_t ss_comps;        /* TRCIDR4.NUMSSCC, 0..8 */
    uint8_t seq_states;      /* 0 or 4 */
    uint8_t events;          /* 1..4: TRCIDR0.NUMEVENT + 1 */
    uint8_t ext_inputs;      /* TRCIDR5.NUMEXTIN, 0..255 */
    uint8_t ext_selectors;   /* TRCIDR5.NUMEXTINSEL, 0..4 */
    uint8_t cid_size;        /* bytes: 0 or 4 */
    uint8_t vmid_size;       /* bytes: 0, 1, 2 or 4 */
    uint8_t vmid_opt;        /* 1: TRCCONFIGR.VMIDOPT is implemented */
    uint8_t branch_broadcast; /* 0 or 1 */
    uint8_t return_stack;    /* entries, 0 (absent) to 15 */
    uint8_t cc_bits;         /* cycle counter, 0 (absent) or 12..20 */
    uint16_t cc_min;         /* TRCIDR3.CCITMIN */
    uint8_t ts_bits;         /* 0, 48 or 64 */
    uint8_t exlevel_ns;      /* TRCIDR3.EXLEVEL_NS, bit per EL */
    uint8_t exlevel_s;
    uint32_t cycles_per_tick; /* PE cycles per timer tick, for counters */
    uint32_t cycles_per_insn; /* PE cycles an instruction takes */
    uint32_t fifo_bytes;     /* 0: never overflows; else it does above this */
    uint32_t fifo_drain;     /* 64ths of a byte that leave it in a cycle */
    uint64_t mpidr;          /* of the PE: TRCDEVAFF0/1 */
};

enum etm4_state { ETM4_IDLE, ETM4_STARTING, ETM4_RUNNING, ETM4_STOPPING };

struct etm4;

void etm4_params_default(struct etm4_params *p);
/*
 * etm4_params_check: can a unit have these parameters?
 * returns: NULL, or a text that names the first bad one and what is allowed.
 */
const char *etm4_params_check(const struct etm4_params *p);
/*
 * etm4_init: registers at reset, output not connected, counts zero.
 * @p must pass etm4_params_check().  What needs an absent feature is absent:
 * comparators without ID or address, VMIDOPT unless VMIDs have 4 bytes.
 */
void etm4_init(struct etm4 *e, const struct etm4_params *p);
/* etm4_reset: a trace unit (cold) reset; OS lock set, as the manual says. */
void etm4_reset(struct etm4 *e);

/*
 * Register access, @size 4 or 8 bytes (8 only where the table says REG_F_64).
 * The glue drains the PE before every access, with the unit's lock held.
 * A write may change etm4_state(): the glue looks after each write.
 */
enum reg_result etm4_read(struct etm4 *e, uint32_t off, unsigned size,
                          uint64_t *val, uint64_t now_ns);
enum reg_result etm4_write(struct etm4 *e, uint32_t off, unsigned size,
                           uint64_t val, uint64_t now_ns);
enum etm4_state etm4_state(const struct etm4 *e);
/*
 * etm4_wants_ranges: how the PE has to report (pe_event.h).  While ETM4_IDLE
 * as the registers are programmed now; else as sampled when the session began.
 */
bool etm4_wants_ranges(const struct etm4 *e);
/* etm4_position: with ranges, the VA that the last record led to. */
uint64_t etm4_position(const struct etm4 *e);

/*
 * etm4_valid: may a unit be in this state?  For those who load one from a file.
 * returns: false when a field has a value that no sequence of calls can give.
 */
bool etm4_valid(const struct etm4 *e);

/*
 * etm4_pe: take @n records.  Bytes are pushed to the output link in chunks of
 * whole packets as the FIFO fills; what stays is delivered by etm4_deliver().
 * Records while ETM4_IDLE are ignored.
 */
void etm4_pe(struct etm4 *e, const struct pe_record *rec, size_t n);
/* etm4_deliver: end open atom packets and push all bytes (flush, disable). */
void etm4_deliver(struct etm4 *e);
/* etm4_stopped: the PE has reported its last record: deliver and go idle. */
void etm4_stopped(struct etm4 *e);

/* Trace registers 0x000-0xEFF by offset; from 0xF00 on see cs_mgmt_table(). */
const struct reg_desc *etm4_table(size_t *n);
/*
 * etm4_reg_mask: the writable bits of element @index of @d in this instance.
 * returns: 0 for read-only, absent and not implemented registers.
 */
uint32_t etm4_reg_mask(const struct etm4 *e, const struct reg_desc *d,
                       unsigned index);
/* The same for bits 63:32 of a register with REG_F_64. */
uint32_t etm4_reg_mask_high(const struct etm4 *e, const struct reg_desc *d,
                            unsigned index);

#include "etm4_state.h"      /* struct etm4, for those who embed or save it */

#endif
