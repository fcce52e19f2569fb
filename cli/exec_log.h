/*
 * Reader of the execution log (hw/exec_log_format.h): each CPU's runs of
 * retired instructions, and the events between them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_CLI_EXEC_LOG_H
#define CSVIRT_CLI_EXEC_LOG_H

#include <glib.h>
#include <stdint.h>

/* What instructions run under. */
struct xl_state {
    uint8_t el, ns;
    uint32_t contextidr, vmid;
};

/* @n instructions from @va on, one after the other. */
struct xl_run {
    uint64_t va;
    uint32_t n;
    uint32_t state;             /* index of xl_log.states */
};

/* Something that happened before run number @run. */
struct xl_event {
    uint64_t seq;
    uint32_t run;
    uint32_t kind;              /* enum exec_log_kind */
    uint32_t a, b;              /* REG: offset, value; WINDOW: on;
                                   EXCEPTION: type; STATE: state index;
                                   SINK: sink, kind */
    uint64_t c, d;              /* EXCEPTION: return, target; SINK: number */
};

struct xl_cpu {
    struct xl_run *runs;
    size_t n_runs, cap_runs;
    struct xl_event *events;
    size_t n_events, cap_events;
    uint64_t n_insns;
    struct xl_opcodes *opcodes;
};

struct xl_log {
    unsigned n_cpus;
    struct xl_cpu *cpus;
    struct xl_state *states;    /* [0]: none was given */
    size_t n_states, cap_states;
};

/*
 * xl_read: read a whole log and check it.
 * returns: the log; NULL with *@error set (one line, g_free): no such file,
 * not a log, a checksum or a number that is wrong, or no end.
 */
struct xl_log *xl_read(const char *file, char **error);
void xl_free(struct xl_log *log);

/* xl_has_end: is there a log in @file, as far as its end tells? */
gboolean xl_has_end(const char *file);

/*
 * xl_opcode: what @cpu would have executed at @va at its run number @run: the
 * last opcode seen there until then, else the first seen later.
 * returns: TRUE, or FALSE: this CPU never was there.
 */
gboolean xl_opcode(const struct xl_cpu *cpu, uint64_t va, uint32_t run,
                   uint32_t *opcode);

#endif
