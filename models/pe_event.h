/*
 * What the processing element (PE) tells its trace unit: a stream of 16-byte
 * records, exact facts in program order, never guesses from block addresses.
 *
 * The CPU side appends records to a per-vCPU buffer where a branch is
 * executed; the trace unit turns them into elements, packets and bytes only
 * when the buffer is drained.  The format is final: later features add kinds.
 *
 * head[63:56] is the kind.  For PE_INDIRECT and PE_ATOMS head[55:0] holds the
 * atoms of the direct branches (and ISBs) since the record before: the highest
 * set bit is a sentinel, below it the oldest atom is the highest, 1 = E
 * (taken), 0 = N.  A word with only the sentinel (1) has no atoms.  At most
 * PE_ATOMS_MAX atoms fit.  For the other kinds head[55:0] is PE_STATE_* fields.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_PE_EVENT_H
#define CSVIRT_MODELS_PE_EVENT_H

#include <stdint.h>

struct pe_record {
    uint64_t head;
    uint64_t addr;
};

#define PE_KIND_SHIFT 56
#define PE_ATOMS_MAX  55         /* the sentinel has reached bit 55: full */

enum pe_kind {
    /* Atoms, then one E atom of an indirect branch; addr: its target (VA). */
    PE_INDIRECT = 0,
    /* Atoms only; addr is 0. */
    PE_ATOMS = 1,
    /*
     * The PE starts to report: addr is the VA of the next instruction, the
     * state fields are the PE's.  Everything before it is unknown.  Always
     * follows PE_CONTEXT and PE_TIME.
     */
    PE_START = 2,
    /*
     * An exception was taken: addr is the preferred return address, the state
     * fields are those of the *target*; PE_STATE_TYPE is the exception type
     * as in the ETMv4 Exception packet.  Always followed by PE_TARGET.
     */
    PE_EXCEPTION = 3,
    /* Where the exception's handler starts: addr (VA). */
    PE_TARGET = 4,
    /* ERET: an E atom of an indirect branch to addr; state after it. */
    PE_ERET = 5,
    /*
     * The context registers were written: PE_STATE_CID in head is the new
     * CONTEXTIDR_EL1, addr[31:0] the VMID, addr[63:32] CONTEXTIDR_EL2.  It
     * takes effect at the next context synchronization event, that is after
     * the next P0 element.
     */
    PE_CONTEXT = 6,
    /*
     * The time is addr: the generic timer's physical count (CNTPCT), as
     * TRCCONFIGR.TS wants it.  Made with each record that the CPU side can
     * afford a clock for: start, exceptions and returns, and each drain.
     */
    PE_TIME = 7,
    /*
     * The PE ends reporting at addr (VA of the next instruction): disable,
     * OS lock, or reset.  Nothing follows before the next PE_START.
     */
    PE_STOP = 8,
    /*
     * Range reporting only (see below): a waypoint was executed.
     * PE_RANGE_COUNT instructions, it being the last, since the place that
     * the record before led to; PE_RANGE_* say what it was; addr is the VA of
     * the instruction that runs next.  Not for ERET.
     */
    PE_RANGE = 9,
    /*
     * Range reporting only: comes right before PE_ERET.  PE_RANGE_COUNT
     * instructions, the ERET being the last.
     */
    PE_SPAN = 10,
    PE_KIND_COUNT
};

/*
 * Two ways to report branches, chosen by the unit when it is switched on:
 *
 * atoms   PE_INDIRECT and PE_ATOMS: cheap; where direct branches were and how
 *         many instructions there are between them is not known.
 * ranges  PE_RANGE for each waypoint and PE_SPAN, never PE_INDIRECT or
 *         PE_ATOMS: every executed address is known.  For address comparators,
 *         cycle counts, branch broadcast and the return stack.
 *
 * With ranges, an exception's preferred return address and PE_STOP's address
 * end the range that is open.
 */
#define PE_RANGE_TAKEN    (1ull << 0)    /* E atom; else N */
#define PE_RANGE_INDIRECT (1ull << 1)
#define PE_RANGE_LINK     (1ull << 2)    /* BL, BLR and PAC forms */
#define PE_RANGE_RETURN   (1ull << 3)    /* RET and PAC forms */
#define PE_RANGE_ISB      (1ull << 4)
#define PE_RANGE_COUNT_SHIFT 8
#define PE_RANGE_COUNT(h) (((h) >> PE_RANGE_COUNT_SHIFT) & ((1ull << 48) - 1))

/* State fields of the non-branch kinds. */
#define PE_STATE_EL(h)    ((unsigned)((h) & 3u))
#define PE_STATE_NS       (1ull << 2)    /* non-secure */
#define PE_STATE_A64      (1ull << 3)    /* AArch64 state */
#define PE_STATE_T32      (1ull << 4)    /* AArch32: T32 instruction set */
#define PE_STATE_TYPE(h)  ((unsigned)(((h) >> 8) & 0x1f))
#define PE_STATE_TYPE_SHIFT 8
#define PE_STATE_CID(h)   ((uint32_t)(h))

static inline enum pe_kind pe_record_kind(const struct pe_record *r)
{
    return (enum pe_kind)(r->head >> PE_KIND_SHIFT);
}

/* Exception types, IHI 0064H.b, 6.4.12 "Exception instruction trace packet" */
enum pe_exception {
    PE_EXC_RESET = 0x0, PE_EXC_DEBUG_HALT = 0x1, PE_EXC_CALL = 0x2,
    PE_EXC_TRAP = 0x3, PE_EXC_SYSTEM_ERROR = 0x4, PE_EXC_INST_DEBUG = 0x6,
    PE_EXC_DATA_DEBUG = 0x7, PE_EXC_ALIGNMENT = 0xa, PE_EXC_INST_FAULT = 0xb,
    PE_EXC_DATA_FAULT = 0xc, PE_EXC_IRQ = 0xe, PE_EXC_FIQ = 0xf,
};

#endif
