/*
 * Execution log: the ground truth that `csvirt verify` compares with.
 *
 * Glue between the PE tap and cli's log writer.  It learns instructions from
 * a call before each one, never from branch records, and shares nothing with
 * models/.  All entries are no-ops while the log is off.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_HW_EXEC_LOG_H
#define CSVIRT_HW_EXEC_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include "exec_log_format.h"

/* Open @path.  returns: true, or false with errno. */
bool csvirt_exec_log_open(const char *path, unsigned cpus);
bool csvirt_exec_log_on(void);

/* ---- from the PE's thread ---- */

/* @insn at @pc is about to execute: it retires unless told otherwise. */
void csvirt_exec_log_insn(unsigned cpu, uint64_t pc, uint32_t insn);
/*
 * An exception was taken: @ret preferred return address, @fetch: it was the
 * fetch of an instruction that faulted.  Decides whether the last instruction
 * has retired.
 */
void csvirt_exec_log_exception(unsigned cpu, unsigned type, bool fetch,
                               uint64_t ret, uint64_t target);
/* EL, security, CONTEXTIDR_EL1 and VMID of the instructions that follow. */
void csvirt_exec_log_state(unsigned cpu, unsigned el, bool ns, uint32_t cid,
                           uint32_t vmid);
/* The unit of @cpu sees instructions from here on (or no more). */
void csvirt_exec_log_window(unsigned cpu, bool on);

/* ---- from device code, any thread ---- */

/* A write to a trace unit's register, by its CPU number. */
void csvirt_exec_log_reg(unsigned cpu, uint32_t off, uint32_t val);
/*
 * An event of sink number @sink (its order among the topology's sinks).
 * @snapshot: the folder's number for EXEC_LOG_SINK_READOUT, else 0.
 * returns: the event's sequence number, for index.tsv; 0 when the log is off.
 */
uint64_t csvirt_exec_log_sink(unsigned sink, enum exec_log_sink_kind kind,
                              unsigned snapshot);

#endif
