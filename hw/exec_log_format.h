/*
 * The execution log: what each vCPU retired, the ground truth of "csvirt
 * verify".  File format and the interface of its writer (exec_log_writer.c).
 * libc only; no code is shared with models/.
 *
 * File: struct-less, all fixed numbers little endian.
 *   header  8 bytes "CSVEXLOG", u16 version, u16 number of CPUs, u32 0
 *   blocks  u32 EXEC_LOG_BLOCK_MAGIC, u16 CPU, u16 0, u32 payload bytes,
 *           u32 CRC-32 of the payload, u32 number of the block in this CPU's
 *           stream (from 0), u32 records in it; then the payload
 *   end     one block of CPU EXEC_LOG_END_CPU whose payload is a u64: the
 *           number of blocks before it.  A log without it is incomplete.
 *
 * A payload is a sequence of whole records: one byte of enum exec_log_kind,
 * then fields.  "v": LEB128, unsigned.  "z": LEB128 of the zigzag code.
 * seq numbers are global: one order over all CPUs, from 1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_EXEC_LOG_FORMAT_H
#define CSVIRT_EXEC_LOG_FORMAT_H

#include <stdint.h>

#define EXEC_LOG_MAGIC        "CSVEXLOG"
#define EXEC_LOG_VERSION      1
#define EXEC_LOG_HEADER_SIZE  16
#define EXEC_LOG_BLOCK_MAGIC  0x4b4c4258u       /* "XBLK" */
#define EXEC_LOG_BLOCK_HEADER 24
#define EXEC_LOG_BLOCK_MAX    (1u << 16)        /* payload bytes */
#define EXEC_LOG_END_CPU      0xffffu
#define EXEC_LOG_NO_CPU       0xffffffffu       /* no vCPU is running */

enum exec_log_kind {
    /*
     * z (VA - end of the run before) / 4, v n: n instructions from VA on
     * retired one after the other.  In a block's first run the run before
     * ends at 0.  The opcodes are those last seen by this CPU at each VA.
     */
    EXEC_LOG_RUN = 1,
    /* The same, and n times u32: opcodes seen for the first time or changed. */
    EXEC_LOG_RUN_NEW = 2,
    /*
     * v seq, u8 state (EXEC_LOG_STATE_*), v CONTEXTIDR_EL1, v VMID (or
     * CONTEXTIDR_EL2 under VHE): holds from the next run on.
     */
    EXEC_LOG_STATE = 3,
    /*
     * v seq, u8 type (number of the ETMv4 Exception packet, IHI 0064H.b
     * 6.4.12), u64 preferred return VA, u64 VA of the vector.
     */
    EXEC_LOG_EXCEPTION = 4,
    /*
     * v seq, v offset, v value: a write to this CPU's trace unit; one of 64
     * bits is two records, the low word first.
     */
    EXEC_LOG_REG = 5,
    /*
     * v seq, v sink, u8 enum exec_log_sink_kind, v snapshot number (or 0).
     * In every CPU's stream, with one seq.
     */
    EXEC_LOG_SINK = 6,
    /* v seq: instructions that nobody recorded retired here. */
    EXEC_LOG_GAP = 7,
    /*
     * v seq, u8 1 or 0: from here on the trace unit sees this CPU's
     * instructions, or no more.  The registers say that it shall, this says
     * where between two instructions it began.  Optional: a stream without
     * such records begins and ends where the registers say so.
     */
    EXEC_LOG_WINDOW = 8,
};

#define EXEC_LOG_STATE_EL   0x03u
#define EXEC_LOG_STATE_NS   0x04u       /* non-secure */

enum exec_log_sink_kind {
    EXEC_LOG_SINK_ENABLE = 1,   /* TraceCaptEn set: captures from here on */
    EXEC_LOG_SINK_STOP = 2,     /* the formatter stopped: captures no more */
    EXEC_LOG_SINK_DISABLE = 3,  /* TraceCaptEn cleared */
    EXEC_LOG_SINK_READOUT = 4,  /* contents written to this snapshot number */
};

/* The writer.  One writer per file; each cpu is written by its own thread. */
struct exec_log;

/**
 * exec_log_open: create @path (truncated) for CPUs 0 to @ncpus - 1.
 * returns: the log; NULL with errno set (EINVAL: @ncpus is 0 or > 0xfffe).
 */
struct exec_log *exec_log_open(const char *path, unsigned ncpus);

/**
 * exec_log_insn: @cpu is about to retire the A64 instruction @opcode at @va.
 * Call in program order, from the vCPU's thread, before the instruction.
 * in: @va: run-time VA, a multiple of 4; @opcode: as fetched.
 */
void exec_log_insn(struct exec_log *log, unsigned cpu, uint64_t va,
                   uint32_t opcode);

/**
 * exec_log_drop_last: the instruction of the last exec_log_insn did not
 * retire: it faulted (ELR is its own VA) or will be executed again.  Not for
 * SVC, HVC and SMC, which retire.  At most once per exec_log_insn and before
 * any other record of the CPU; otherwise nothing happens.
 * returns: 1 dropped, 0 there was nothing to drop.
 */
int exec_log_drop_last(struct exec_log *log, unsigned cpu);

/**
 * exec_log_state: from the next instruction on @cpu runs so.  Cheap when
 * nothing changed.  Call at exceptions, returns and context register writes.
 * in: @el: 0 to 3; @ns: 1 non-secure; @vmid: VMID, or CONTEXTIDR_EL2 (VHE).
 */
void exec_log_state(struct exec_log *log, unsigned cpu, unsigned el,
                    unsigned ns, uint32_t contextidr, uint32_t vmid);

/**
 * exec_log_exception: @cpu takes an exception.  Call before exec_log_state
 * for the handler.
 * in: @type: as in the ETMv4 Exception packet; @ret: preferred return address;
 * @target: address of the vector.
 */
void exec_log_exception(struct exec_log *log, unsigned cpu, unsigned type,
                        uint64_t ret, uint64_t target);

/**
 * exec_log_reg: the trace unit of @unit was written, by the vCPU @running
 * (EXEC_LOG_NO_CPU: by none).  Needed for TRCPRGCTLR, TRCOSLAR, TRCCONFIGR,
 * TRCVICTLR, TRCTRACEIDR and TRCSYNCPR.  Only writes that had an effect.
 * Placed exactly when @running == @unit or the vCPUs share one thread, else
 * at the next instruction of @unit.
 */
void exec_log_reg(struct exec_log *log, unsigned running, unsigned unit,
                  uint32_t offset, uint32_t value);

/**
 * exec_log_sink: an event of sink number @sink (order of the topology).
 * in: @number: number of the snapshot folder for EXEC_LOG_SINK_READOUT.
 * returns: the seq of the event, for index.tsv.
 */
uint64_t exec_log_sink(struct exec_log *log, unsigned running, unsigned sink,
                       enum exec_log_sink_kind kind, uint32_t number);

/**
 * exec_log_gap: @cpu retired instructions that were not given to
 * exec_log_insn (logging was off).  Call when logging starts again.
 */
void exec_log_gap(struct exec_log *log, unsigned cpu);

/**
 * exec_log_window: the trace unit of @cpu sees its instructions from the next
 * one on (@on 1) or no more (0).  From the vCPU's own thread.
 */
void exec_log_window(struct exec_log *log, unsigned cpu, int on);

/**
 * exec_log_error: returns 0, or the errno of the first write that failed.
 * After a failure nothing more is written.
 */
int exec_log_error(struct exec_log *log);

/**
 * exec_log_close: write what is left and the end block, free everything.
 * No vCPU may run any more.
 * returns: 0, or the errno of the first write that failed.
 */
int exec_log_close(struct exec_log *log);

#endif
