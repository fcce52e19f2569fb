/*
 * The tap on a processing element: CPU state to pe_event.h records.
 *
 * The only file of csvirt that knows CPUARMState.  Spec: what is reported when
 * follows Arm IHI 0064H.b, 4.3 "Instruction trace elements" and 2.3.3 "Trace
 * unit behavior on context synchronization".
 *
 * CHOICE: PSCI calls that QEMU answers itself (HVC or SMC conduit) show as
 * nothing: the call returns to the next instruction, as if firmware ran with
 * trace prohibited.  IHI 0064H.b, 3.3 "Prohibited regions".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/memalign.h"
#include "qemu/timer.h"
#include "exec/cpu-common.h"
#include "exec/translation-block.h"
#include "hw/core/cpu.h"
#include "system/cpus.h"
#include "system/cpu-timers.h"
#include "system/runstate.h"
#include "system/tcg.h"
#include "tcg/insn-start-words.h"
#include "target/arm/cpu.h"
#include "target/arm/cpregs.h"
#include "target/arm/internals.h"
#include "events.h"
#include "exec_log.h"
#include "pe_exception.h"
#include "pe_tap.h"

/* The record layouts of the patch and of pe_event.h are one. */
QEMU_BUILD_BUG_ON(ARM_TRACE_ATOMS_FULL != 1ull << PE_ATOMS_MAX);
QEMU_BUILD_BUG_ON(sizeof(struct pe_record) != 16);
QEMU_BUILD_BUG_ON(ARM_TRACE_RANGE != (uint64_t)PE_RANGE << PE_KIND_SHIFT);
QEMU_BUILD_BUG_ON(ARM_TRACE_RANGE_COUNT != PE_RANGE_COUNT_SHIFT);
QEMU_BUILD_BUG_ON(ARM_TRACE_RANGE_TAKEN != PE_RANGE_TAKEN);
QEMU_BUILD_BUG_ON(ARM_TRACE_RANGE_INDIRECT != PE_RANGE_INDIRECT);
QEMU_BUILD_BUG_ON(ARM_TRACE_RANGE_LINK != PE_RANGE_LINK);
QEMU_BUILD_BUG_ON(ARM_TRACE_RANGE_RETURN != PE_RANGE_RETURN);
QEMU_BUILD_BUG_ON(ARM_TRACE_RANGE_ISB != PE_RANGE_ISB);

#define TAP_RECORDS (ARM_TRACE_BUF_SIZE / sizeof(struct pe_record))
#define TAP_SLACK   4       /* a drain appends to a full buffer */
#define TAP_FLAVOURS (CF_ARM_TRACE | CF_ARM_TRACE_RANGE | CF_ARM_INSN_LOG)

/*
 * perf switches a unit off and on at each context switch; the flavour stays
 * that much longer, because new blocks cost more than a few useless records.
 */
#define TAP_COOL_NS (100 * SCALE_MS)

struct PETap {
    CPUState *cpu;
    struct pe_tap_client client;
    struct pe_record *buf;      /* TAP_RECORDS, aligned to twice the size */
    struct pe_record *taken;    /* all before it have been handed over */
    uint32_t words;             /* full words of atoms since the start */
    bool reporting;             /* records count; else they are discarded */
    bool ranges;                /* how branches are reported */
    bool start_ranges;          /* how they will be after the start */
    bool start_queued;
    bool stop_queued;
    QEMUTimer *cool;
};

static CPUARMState *tap_env(const PETap *tap)
{
    return cpu_env(tap->cpu);
}

static struct pe_record *tap_next(const PETap *tap)
{
    return (struct pe_record *)qatomic_load_acquire(&tap_env(tap)->trace.next);
}

static void tap_rewind(PETap *tap)
{
    tap_env(tap)->trace.atoms = 1;
    tap->taken = tap->buf;
    qatomic_set(&tap_env(tap)->trace.next, (uint64_t *)tap->buf);
}

/* Hand over what is published; the client's lock is held. */
static void tap_take(PETap *tap)
{
    struct pe_record *next = tap_next(tap);

    if (next > tap->taken && tap->reporting) {
        tap->client.records(tap->client.opaque, tap->taken, next - tap->taken);
    }
    tap->taken = next;
}

static void tap_append(PETap *tap, uint64_t head, uint64_t addr)
{
    struct pe_record *next = tap_next(tap);

    next->head = head;
    next->addr = addr;
    qatomic_store_release(&tap_env(tap)->trace.next, (uint64_t *)(next + 1));
}

static uint64_t tap_head(enum pe_kind kind)
{
    return (uint64_t)kind << PE_KIND_SHIFT;
}

static void tap_append_atoms(PETap *tap)
{
    CPUARMState *env = tap_env(tap);

    if (env->trace.atoms != 1) {
        tap_append(tap, tap_head(PE_ATOMS) | env->trace.atoms, 0);
        env->trace.atoms = 1;
    }
}

/* Under icount the clock may be read only where the block allows I/O. */
static bool tap_clock_readable(const PETap *tap)
{
    return !icount_enabled() || !current_cpu || !current_cpu->running ||
           current_cpu->neg.can_do_io;
}

static void tap_append_time(PETap *tap)
{
    if (tap_clock_readable(tap)) {
        tap_append(tap, tap_head(PE_TIME), gt_get_countervalue(tap_env(tap)));
    }
}

/* The owner's thread (or nobody runs): everything goes, the buffer is empty. */
static void tap_drain_all(PETap *tap)
{
    if (tap->reporting) {
        /* These two fit behind the last record: TAP_SLACK. */
        tap_append_atoms(tap);
        tap_append_time(tap);
    }
    tap_take(tap);
    tap_rewind(tap);
}

static bool tap_pe_cannot_run(const PETap *tap)
{
    return qemu_cpu_is_self(tap->cpu) || !runstate_is_running();
}

/*
 * Make room for @n records; called by the owner without the lock.  At least
 * one record stays free, for translated code appends before it tests.
 */
static void tap_room(PETap *tap, size_t n)
{
    if (tap_next(tap) + n >= tap->buf + TAP_RECORDS) {
        qemu_mutex_lock(tap->client.lock);
        tap_drain_all(tap);
        qemu_mutex_unlock(tap->client.lock);
    }
}

/* ---- what translated code calls ---- */

/*
 * Is the clock read for this full word of atoms?  Timestamp requests and
 * counters wait for it, and a decoder wants one before the last P0 element of
 * a short session; a clock costs more than a word.  So with the words 1, 2, 4,
 * 8, ... of a session; each drain of the buffer has it as well.
 */
static bool tap_word_has_time(PETap *tap)
{
    tap->words++;
    return tap->reporting && !(tap->words & (tap->words - 1));
}

/*
 * The buffer is full, or the word of atoms is, and most of the time it becomes
 * a record.  One record stays free, tap_room().
 */
static void tap_full(CPUARMState *env)
{
    PETap *tap = env->trace.opaque;

    if (tap_next(tap) < tap->buf + TAP_RECORDS - 3) {
        tap_append_atoms(tap);
        if (tap_word_has_time(tap)) {
            tap_append_time(tap);
        }
        return;
    }
    qemu_mutex_lock(tap->client.lock);
    tap_drain_all(tap);
    qemu_mutex_unlock(tap->client.lock);
}

static uint64_t tap_state_bits(CPUARMState *env)
{
    uint64_t bits = arm_current_el(env);

    if (!arm_is_secure(env)) {
        bits |= PE_STATE_NS;
    }
    if (is_a64(env)) {
        bits |= PE_STATE_A64;
    }
    return bits;
}

static uint32_t tap_contextid(CPUARMState *env)
{
    return env->cp15.contextidr_el[1];
}

/* PE_CONTEXT's addr: the VMID and CONTEXTIDR_EL2. */
static uint64_t tap_vmid(CPUARMState *env)
{
    return extract64(env->cp15.vttbr_el2, 48, 16) |
           (uint64_t)env->cp15.contextidr_el[2] << 32;
}

/* The log has one of the two: CONTEXTIDR_EL2 where a kernel runs at EL2. */
static uint32_t tap_log_vmid(CPUARMState *env)
{
    return arm_hcr_el2_eff(env) & HCR_E2H ? tap_vmid(env) >> 32
                                          : tap_vmid(env);
}

/* Whichever of the two CONTEXTIDRs the kernel writes. */
static uint32_t tap_thread(CPUARMState *env)
{
    return arm_hcr_el2_eff(env) & HCR_E2H ? env->cp15.contextidr_el[2]
                                          : tap_contextid(env);
}

static void tap_log_state(PETap *tap, CPUARMState *env)
{
    csvirt_exec_log_state(tap->cpu->cpu_index, arm_current_el(env),
                          !arm_is_secure(env), tap_contextid(env),
                          tap_log_vmid(env));
}

static void tap_eret(CPUARMState *env)
{
    PETap *tap = env->trace.opaque;

    if (!tap->reporting) {
        return;
    }
    tap_room(tap, 4);
    if (tap->ranges) {
        tap_append(tap, tap_head(PE_SPAN) |
                   ((env->trace.here + 4 - env->trace.start) / 4)
                   << PE_RANGE_COUNT_SHIFT, 0);
        env->trace.start = env->pc;
    }
    tap_append_atoms(tap);
    tap_append(tap, tap_head(PE_ERET) | tap_state_bits(env), env->pc);
    tap_append_time(tap);
    tap_log_state(tap, env);
}

static void tap_insn(CPUARMState *env, uint64_t pc, uint32_t insn)
{
    PETap *tap = env->trace.opaque;

    if (tap->reporting) {
        csvirt_exec_log_insn(tap->cpu->cpu_index, pc, insn);
    }
}

static const ARMTraceOps tap_ops = {
    .full = tap_full,
    .eret = tap_eret,
    .insn = tap_insn,
};

/* ---- exceptions ---- */

static void tap_exception(PETap *tap, CPUARMState *env)
{
    int excp = tap->cpu->exception_index;
    enum pe_exception type = pe_exception_type(excp, env->exception.syndrome);
    uint64_t bits = tap_state_bits(env);
    uint64_t ret = env->elr_el[arm_current_el(env)];

    tap_room(tap, 4);
    tap_append_atoms(tap);
    tap_append(tap, tap_head(PE_EXCEPTION) | bits |
               (uint64_t)type << PE_STATE_TYPE_SHIFT, ret);
    tap_append(tap, tap_head(PE_TARGET) | bits, env->pc);
    env->trace.start = env->pc;
    tap_append_time(tap);

    csvirt_exec_log_exception(tap->cpu->cpu_index, type,
                              excp == EXCP_PREFETCH_ABORT, ret, env->pc);
    tap_log_state(tap, env);
}

/*
 * Runs after every change of EL, also exceptions to the same EL, under the
 * BQL.  An exception return is reported by tap_eret() instead; while it runs
 * no exception is pending in the CPU.
 */
static void tap_el_change(ARMCPU *cpu, void *opaque)
{
    PETap *tap = opaque;

    if (tap->reporting && CPU(cpu)->exception_index >= 0 && is_a64(&cpu->env)) {
        tap_exception(tap, &cpu->env);
    }
}

/* ---- context registers ---- */

/*
 * The registers that a Context element is made of.  CONTEXTIDR_EL1's hook sees
 * writes that HCR_EL2.E2H redirects to CONTEXTIDR_EL2, too.
 */
enum { TAP_CID_EL1, TAP_CID_EL12, TAP_CID_EL2, TAP_VTTBR_EL2, TAP_HOOKS };

static const uint32_t tap_hook_key[TAP_HOOKS] = {
    [TAP_CID_EL1] = ENCODE_AA64_CP_REG(CP_REG_ARM64_SYSREG_CP, 13, 0, 3, 0, 1),
    [TAP_CID_EL12] = ENCODE_AA64_CP_REG(CP_REG_ARM64_SYSREG_CP, 13, 0, 3, 5,
                                        1),
    [TAP_CID_EL2] = ENCODE_AA64_CP_REG(CP_REG_ARM64_SYSREG_CP, 13, 0, 3, 4, 1),
    [TAP_VTTBR_EL2] = ENCODE_AA64_CP_REG(CP_REG_ARM64_SYSREG_CP, 2, 1, 3, 4,
                                         0),
};

/* What the register's description called before; NULL: a plain store. */
static CPWriteFn *tap_write_next[TAP_HOOKS];

static void tap_append_context(PETap *tap, CPUARMState *env)
{
    tap_append(tap, tap_head(PE_CONTEXT) | tap_contextid(env), tap_vmid(env));
}

static void tap_write(CPUARMState *env, const ARMCPRegInfo *ri,
                      uint64_t value, unsigned hook)
{
    PETap *tap = env->trace.opaque;

    if (tap_write_next[hook]) {
        tap_write_next[hook](env, ri, value);
    } else {
        raw_write(env, ri, value);
    }
    if (tap && tap->reporting) {
        tap_room(tap, 2);
        tap_append_atoms(tap);
        tap_append_context(tap, env);
        tap_log_state(tap, env);
        csvirt_events_context(tap->cpu->cpu_index, tap_thread(env));
    }
}

static void tap_write_cid_el1(CPUARMState *env, const ARMCPRegInfo *ri,
                              uint64_t value)
{
    tap_write(env, ri, value, TAP_CID_EL1);
}

static void tap_write_cid_el12(CPUARMState *env, const ARMCPRegInfo *ri,
                               uint64_t value)
{
    tap_write(env, ri, value, TAP_CID_EL12);
}

static void tap_write_cid_el2(CPUARMState *env, const ARMCPRegInfo *ri,
                              uint64_t value)
{
    tap_write(env, ri, value, TAP_CID_EL2);
}

static void tap_write_vttbr_el2(CPUARMState *env, const ARMCPRegInfo *ri,
                                uint64_t value)
{
    tap_write(env, ri, value, TAP_VTTBR_EL2);
}

static CPWriteFn *const tap_write_fn[TAP_HOOKS] = {
    tap_write_cid_el1, tap_write_cid_el12, tap_write_cid_el2,
    tap_write_vttbr_el2,
};

/*
 * A register's description is this CPU's own copy, but blocks are shared
 * between CPUs and call through the copy of whoever translated them: all
 * CPUs' copies are changed, and the hook finds its tap through env.  A CPU
 * without EL2 (or without VHE) lacks some of the registers, or has constants.
 */
static void tap_hook_context(ARMCPU *cpu)
{
    unsigned i;

    for (i = 0; i < TAP_HOOKS; i++) {
        ARMCPRegInfo *ri = (ARMCPRegInfo *)get_arm_cp_reginfo(cpu->cp_regs,
                                                              tap_hook_key[i]);

        assert(ri || i != TAP_CID_EL1);
        if (ri && !(ri->type & ARM_CP_CONST) &&
            ri->writefn != tap_write_fn[i]) {
            tap_write_next[i] = ri->writefn;
            if (!ri->raw_writefn) {
                /* Loading a state is no write of the guest's. */
                ri->raw_writefn = ri->writefn ? ri->writefn : raw_write;
            }
            ri->writefn = tap_write_fn[i];
        }
    }
}

/* ---- start and stop ---- */

static void tap_set_flavour(PETap *tap)
{
    uint32_t flavour = CF_ARM_TRACE;

    if (tap->ranges) {
        flavour |= CF_ARM_TRACE_RANGE;
    }
    if (csvirt_exec_log_on()) {
        flavour |= CF_ARM_INSN_LOG;
    }
    tap->cpu->tcg_cflags &= ~TAP_FLAVOURS;
    tap->cpu->tcg_cflags |= flavour;
    if (tap->cpu->cflags_next_tb != -1) {
        /* A block that must come next was asked for in the old flavour. */
        tap->cpu->cflags_next_tb &= ~TAP_FLAVOURS;
        tap->cpu->cflags_next_tb |= flavour;
    }
    timer_del(tap->cool);
}

static void tap_begin(PETap *tap)
{
    CPUARMState *env = tap_env(tap);

    tap->ranges = tap->start_ranges;
    env->trace.start = env->pc;
    tap_set_flavour(tap);
    tap_rewind(tap);
    tap->words = 0;
    tap->reporting = true;
    tap_append_context(tap, env);
    tap_append_time(tap);
    tap_append(tap, tap_head(PE_START) | tap_state_bits(env), env->pc);
    csvirt_exec_log_window(tap->cpu->cpu_index, true);
    tap_log_state(tap, env);
}

/* Between two blocks in the PE's thread: env->pc is exact. */
static void tap_start_work(CPUState *cpu, run_on_cpu_data data)
{
    PETap *tap = data.host_ptr;

    qemu_mutex_lock(tap->client.lock);
    if (tap->start_queued) {
        tap->start_queued = false;
        tap_begin(tap);
    }
    qemu_mutex_unlock(tap->client.lock);
}

void pe_tap_start(PETap *tap, bool ranges)
{
    tap->start_ranges = ranges;
    if (tcg_enabled() && !tap->start_queued) {
        tap->start_queued = true;
        async_run_on_cpu(tap->cpu, tap_start_work, RUN_ON_CPU_HOST_PTR(tap));
    }
}

/*
 * The next instruction of the PE.  Inside a store to a device (its block's
 * last instruction) the CPU state has only the block's page.
 */
static uint64_t tap_next_pc(PETap *tap)
{
    CPUState *cpu = tap->cpu;
    uint64_t data[TARGET_INSN_START_WORDS];

    if (current_cpu == cpu && cpu->running &&
        cpu_unwind_state_data(cpu, cpu->mem_io_pc, data)) {
        uint64_t pc = data[0];

        if (cpu->tcg_cflags & CF_PCREL) {
            pc |= tap_env(tap)->pc & TARGET_PAGE_MASK;
        }
        return pc + 4;
    }
    return tap_env(tap)->pc;
}

static void tap_end(PETap *tap)
{
    if (tap->reporting) {
        tap_append_atoms(tap);
        tap_append_time(tap);
        tap_append(tap, tap_head(PE_STOP), tap_next_pc(tap));
        tap_take(tap);
        tap_rewind(tap);
        tap->reporting = false;
        csvirt_exec_log_window(tap->cpu->cpu_index, false);
        timer_mod(tap->cool, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) +
                  TAP_COOL_NS);
    }
    tap->client.stopped(tap->client.opaque);
}

static void tap_stop_work(CPUState *cpu, run_on_cpu_data data)
{
    PETap *tap = data.host_ptr;

    qemu_mutex_lock(tap->client.lock);
    if (tap->stop_queued) {
        tap->stop_queued = false;
        tap_end(tap);
    }
    qemu_mutex_unlock(tap->client.lock);
}

void pe_tap_stop(PETap *tap)
{
    tap->start_queued = false;
    if (tap_pe_cannot_run(tap) || !tap->reporting) {
        tap->stop_queued = false;
        tap_end(tap);
    } else if (!tap->stop_queued) {
        tap->stop_queued = true;
        async_run_on_cpu(tap->cpu, tap_stop_work, RUN_ON_CPU_HOST_PTR(tap));
    }
}

void pe_tap_drain(PETap *tap)
{
    if (!tap->reporting) {
        return;
    }
    if (tap_pe_cannot_run(tap)) {
        tap_drain_all(tap);
    } else {
        tap_take(tap);
    }
}

void pe_tap_resume(PETap *tap, bool ranges, uint64_t start)
{
    if (tcg_enabled()) {
        tap->ranges = ranges;
        tap_env(tap)->trace.start = start;
        tap_set_flavour(tap);
        tap_rewind(tap);
        tap->reporting = true;
        csvirt_exec_log_window(tap->cpu->cpu_index, true);
        tap_log_state(tap, tap_env(tap));
    }
}

static void tap_cool_work(CPUState *cpu, run_on_cpu_data data)
{
    PETap *tap = data.host_ptr;

    if (!tap->reporting && !tap->start_queued) {
        cpu->tcg_cflags &= ~TAP_FLAVOURS;
    }
}

static void tap_cool(void *opaque)
{
    PETap *tap = opaque;

    async_run_on_cpu(tap->cpu, tap_cool_work, RUN_ON_CPU_HOST_PTR(tap));
}

/* ---- life ---- */

PETap *pe_tap_new(unsigned cpu_index, const struct pe_tap_client *client)
{
    CPUState *cs = qemu_get_cpu(cpu_index);
    PETap *tap;

    if (!cs || cpu_env(cs)->trace.opaque) {
        return NULL;
    }
    tap = g_new0(PETap, 1);
    tap->cpu = cs;
    tap->client = *client;
    tap->buf = qemu_memalign(2 * ARM_TRACE_BUF_SIZE, ARM_TRACE_BUF_SIZE +
                             TAP_SLACK * sizeof(struct pe_record));
    tap->cool = timer_new_ns(QEMU_CLOCK_VIRTUAL, tap_cool, tap);
    cpu_env(cs)->trace.ops = &tap_ops;
    cpu_env(cs)->trace.opaque = tap;
    tap_rewind(tap);
    arm_register_el_change_hook(ARM_CPU(cs), tap_el_change, tap);
    tap_hook_context(ARM_CPU(cs));
    return tap;
}

uint64_t pe_tap_mpidr(const PETap *tap)
{
    return arm_cpu_mp_affinity(ARM_CPU(tap->cpu));
}

uint32_t pe_tap_contextid(const PETap *tap)
{
    return tap_thread(tap_env(tap));
}

bool pe_tap_has_el(const PETap *tap, unsigned el)
{
    CPUARMState *env = tap_env(tap);

    return el < 2 || arm_feature(env, el == 2 ? ARM_FEATURE_EL2
                                              : ARM_FEATURE_EL3);
}
