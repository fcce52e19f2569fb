/*
 * Execution log glue: which of the instructions that began have retired.
 *
 * csvirt_exec_log_insn() is called before an instruction is executed.  Three
 * things can follow: the next instruction (retired), an exception (the return
 * address says), or the same instruction again without an exception: QEMU
 * left the block in its middle and replays it (self-modifying store,
 * exclusives under multi-threaded TCG).  Only a branch can really be followed
 * by itself, and branches are never replayed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "hw/core/cpu.h"
#include "exec_log.h"
#include "exec_log_format.h"
#include "models/pe_event.h"

struct last_insn {
    uint64_t pc;
    uint32_t insn;
    bool valid;             /* nothing but this instruction since */
};

static struct exec_log *log_file;
static struct last_insn *last;      /* by CPU */

static void exec_log_at_exit(void)
{
    int err = exec_log_close(log_file);

    log_file = NULL;
    if (err) {
        error_report("exec-log: %s", strerror(err));
    }
}

bool csvirt_exec_log_open(const char *path, unsigned cpus)
{
    log_file = exec_log_open(path, cpus);
    if (!log_file) {
        return false;
    }
    last = g_new0(struct last_insn, cpus);
    atexit(exec_log_at_exit);
    return true;
}

bool csvirt_exec_log_on(void)
{
    return log_file != NULL;
}

/* B, BL, B.cond, CBZ/CBNZ, TBZ/TBNZ, BR/BLR/RET/ERET and their PAC forms. */
static bool is_branch(uint32_t insn)
{
    return (insn & 0x7c000000u) == 0x14000000u ||
           (insn & 0xff000000u) == 0x54000000u ||
           (insn & 0x7c000000u) == 0x34000000u ||
           (insn & 0xfe000000u) == 0xd6000000u;
}

void csvirt_exec_log_insn(unsigned cpu, uint64_t pc, uint32_t insn)
{
    struct last_insn *l = &last[cpu];

    if (l->valid && l->pc == pc && !is_branch(insn)) {
        exec_log_drop_last(log_file, cpu);
    }
    l->pc = pc;
    l->insn = insn;
    l->valid = true;
    exec_log_insn(log_file, cpu, pc, insn);
}

static bool last_has_retired(const struct last_insn *l, unsigned type,
                             bool fetch, uint64_t ret)
{
    if (!l->valid || l->pc != ret || fetch) {
        return true;
    }
    /* Asynchronous: a branch to itself has retired, others come again. */
    if (type == PE_EXC_IRQ || type == PE_EXC_FIQ ||
        type == PE_EXC_SYSTEM_ERROR) {
        return is_branch(l->insn);
    }
    return false;
}

void csvirt_exec_log_exception(unsigned cpu, unsigned type, bool fetch,
                               uint64_t ret, uint64_t target)
{
    if (!log_file) {
        return;
    }
    if (!last_has_retired(&last[cpu], type, fetch, ret)) {
        exec_log_drop_last(log_file, cpu);
    }
    last[cpu].valid = false;
    exec_log_exception(log_file, cpu, type, ret, target);
}

void csvirt_exec_log_state(unsigned cpu, unsigned el, bool ns, uint32_t cid,
                           uint32_t vmid)
{
    if (log_file) {
        exec_log_state(log_file, cpu, el, ns, cid, vmid);
    }
}

void csvirt_exec_log_window(unsigned cpu, bool on)
{
    if (log_file) {
        last[cpu].valid = false;
        exec_log_window(log_file, cpu, on);
    }
}

static unsigned running_cpu(void)
{
    return current_cpu ? current_cpu->cpu_index : EXEC_LOG_NO_CPU;
}

void csvirt_exec_log_reg(unsigned cpu, uint32_t off, uint32_t val)
{
    if (log_file) {
        exec_log_reg(log_file, running_cpu(), cpu, off, val);
    }
}

uint64_t csvirt_exec_log_sink(unsigned sink, enum exec_log_sink_kind kind,
                              unsigned snapshot)
{
    return log_file ? exec_log_sink(log_file, running_cpu(), sink, kind,
                                    snapshot) : 0;
}
