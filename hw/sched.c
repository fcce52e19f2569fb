/*
 * The vCPU scheduler: one host thread that visits only vCPUs that can run.
 *
 * QEMU's own single-threaded loop walks all vCPUs, halted or not, at every
 * turn and every piece of work.  This one keeps two sets: @woken, which any
 * thread may put a vCPU into (QEMU's accelerator hooks for kicks and
 * interrupts are ours), and @ready, which is the thread's own.  A woken vCPU
 * is looked at before the next turn; only those that can run become ready.
 *
 * With -icount a turn is a number of instructions.  Kicks of other threads (the
 * monitor, RCU, work) interrupt it, and it goes on with what is left: they
 * have no part in the order of things, so the same seed gives the same run.
 * When all vCPUs wait, the clock goes to the next deadline here, in the vCPU
 * thread, and timers run here too.  Without -icount a turn ends by a timer, as
 * with QEMU's loop.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qemu/guest-random.h"
#include "qemu/main-loop.h"
#include "qemu/notify.h"
#include "qemu/rcu.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "exec/cpu-common.h"
#include "exec/gdbstub.h"
#include "gdbstub/enums.h"
#include "hw/core/cpu.h"
#include "system/accel-ops.h"
#include "system/cpus.h"
#include "system/cpu-timers.h"
#include "system/replay.h"
#include "system/runstate.h"
#include "system/tcg.h"
#include "tcg/startup.h"
#include "accel/tcg/tcg-accel-ops.h"
#include "accel/tcg/tcg-accel-ops-icount.h"
#include "sched.h"

/* Turns without -icount, as in QEMU's own loop. */
#define TURN_NS (100 * SCALE_MS)
#define QUANTUM 200000

static struct {
    CPUState *cpu[SCHED_CPUS_MAX];
    QemuThread *thread;         /* that of all vCPUs */
    QemuCond *halt_cond;
    QemuEvent wake;
    uint64_t woken[SCHED_WORDS];        /* atomic */
    CPUState *running;          /* atomic: in its turn, without the BQL */
    bool parked;                /* nothing to do; BQL */
    struct sched_set ready;
    unsigned turn;              /* whose turn it is, or was */
    enum turn_end end;         /* why the last turn ended */
    int64_t left;               /* of the turn that goes on; 0: a new one */
    bool cut;                   /* the policy ends the turn here */
    bool held;                  /* until the machine goes on; BQL */
    QEMUTimer *timer;           /* turns without -icount */
    bool armed;                 /* BQL */
    void (*handle_interrupt)(CPUState *cpu, int mask);
    struct sched_policy policy;
} sched;

/* ---- waking ---- */

static bool sched_is_self(void)
{
    return sched.thread && qemu_thread_is_self(sched.thread);
}

static void sched_wake(const CPUState *cpu)
{
    unsigned i = (unsigned)cpu->cpu_index;

    /* Kicks may come before a vCPU has its index. */
    if (i < SCHED_CPUS_MAX && sched.cpu[i]) {
        qatomic_or(&sched.woken[i / 64], 1ull << (i % 64));
    }
}

/*
 * What there is for @cpu was made visible before.  The vCPU that runs leaves
 * its turn, whoever was kicked: the thread is needed.
 */
static void sched_kick(CPUState *cpu)
{
    CPUState *running;

    sched_wake(cpu);
    running = qatomic_read(&sched.running);
    if (!sched_is_self()) {
        if (running) {
            cpu_exit(running);
        }
        qemu_event_set(&sched.wake);
    } else if (cpu == running) {
        cpu_exit(cpu);
    }
}

/* The accelerator's own does not kick vCPUs of the caller's thread. */
static void sched_handle_interrupt(CPUState *cpu, int mask)
{
    sched.handle_interrupt(cpu, mask);
    sched_wake(cpu);
}

/*
 * A halted vCPU counts as idle only for us: QEMU's main loop must not move the
 * clock while a turn is under way, and need not at other times.
 */
static bool sched_thread_is_idle(CPUState *cpu)
{
    return sched_is_self();
}

static void sched_force_rcu(Notifier *n, void *data)
{
    CPUState *running = qatomic_read(&sched.running);

    if (running) {
        cpu_exit(running);
    }
}

static void sched_turn_over(void *opaque)
{
    CPUState *running = qatomic_read(&sched.running);

    sched.armed = !sched.parked;
    if (sched.armed) {
        timer_mod(sched.timer, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) +
                  TURN_NS);
    }
    if (running) {
        cpu_exit(running);
    }
}

/* ---- looking at a vCPU ---- */

/* Do what is queued for vCPU @i, and see whether it can run. */
static void sched_look(unsigned i)
{
    CPUState *cpu = sched.cpu[i];

    if (cpu->stop || !cpu_work_list_empty(cpu)) {
        current_cpu = cpu;
        csvirt_flush_catch_up(cpu);
        qemu_wait_io_event_common(cpu);
    }
    sched_set_put(&sched.ready, i,
                  cpu_can_run(cpu) && !cpu_thread_is_idle(cpu));
}

static void sched_look_at_woken(void)
{
    for (unsigned w = 0; w < SCHED_WORDS; w++) {
        uint64_t bits = qatomic_read(&sched.woken[w]);

        if (bits) {
            bits = qatomic_xchg(&sched.woken[w], 0);
        }
        for (; bits; bits &= bits - 1) {
            sched_look(w * 64 + ctz64(bits));
        }
    }
}

static bool sched_any_woken(void)
{
    for (unsigned w = 0; w < SCHED_WORDS; w++) {
        if (qatomic_read(&sched.woken[w])) {
            return true;
        }
    }
    return false;
}

/* ---- turns ---- */

static int sched_run(CPUState *cpu)
{
    int ret;

    bql_unlock();
    if (icount_enabled()) {
        int64_t before = icount_get_raw();

        icount_prepare_for_run(cpu, sched.left);
        ret = tcg_cpu_exec(cpu);
        icount_process_data(cpu);
        sched.left -= icount_get_raw() - before;
    } else {
        ret = tcg_cpu_exec(cpu);
        sched.left = 0;
    }
    bql_lock();
    return ret;
}

/* What @ret, of the vCPU's execution, asks for; whether its turn goes on. */
static void sched_after(CPUState *cpu, int ret)
{
    sched.end = TURN_SPENT;
    switch (ret) {
    case EXCP_DEBUG:
        cpu_handle_guest_debug(cpu);
        break;
    case EXCP_ATOMIC:
        bql_unlock();
        cpu_exec_step_atomic(cpu);
        bql_lock();
        break;
    case EXCP_YIELD:
        sched.left = 0;
        sched.end = TURN_YIELD;
        break;
    default:
        break;
    }
    if (sched.cut) {
        sched.cut = false;
        sched.left = 0;
        sched.end = TURN_EVENT;
    }
    sched_look(sched.turn);
    if (!sched_set_has(&sched.ready, sched.turn)) {
        sched.left = 0;
        sched.end = TURN_IDLE;
    }
}

static void sched_go(CPUState *cpu)
{
    unsigned i = sched.turn;
    int ret;

    current_cpu = cpu;
    csvirt_flush_catch_up(cpu);
    qemu_clock_enable(QEMU_CLOCK_VIRTUAL,
                      !(cpu->singlestep_enabled & SSTEP_NOTIMER));
    /*
     * In this order: who kicks before it is published has put the vCPU into
     * @woken, which is read after; who kicks later ends the turn.
     */
    qatomic_set(&cpu->exit_request, 0);
    qatomic_set_mb(&sched.running, cpu);
    if (qatomic_read(&sched.woken[i / 64]) >> (i % 64) & 1) {
        qatomic_set(&sched.running, NULL);
        return;
    }
    if (sched.timer && !sched.armed) {
        sched.armed = true;
        timer_mod(sched.timer, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) +
                  TURN_NS);
    }
    ret = sched_run(cpu);
    qatomic_set(&sched.running, NULL);
    sched_after(cpu, ret);
}

/* Nothing can run: with -icount the clock moves if it may, else wait. */
static void sched_wait(bool still)
{
    if (icount_enabled() && !still &&
        qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL,
                                   ~QEMU_TIMER_ATTR_EXTERNAL) >= 0) {
        icount_start_warp_timer();
        if (!qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL,
                                        QEMU_TIMER_ATTR_ALL)) {
            return;
        }
    }
    qemu_event_reset(&sched.wake);
    if (sched_any_woken()) {
        return;
    }
    sched.parked = true;
    bql_unlock();
    qemu_event_wait(&sched.wake);
    bql_lock();
    sched.parked = false;
}

static void sched_step(void)
{
    bool still = sched.held || !runstate_is_running();

    if (icount_enabled() && !still) {
        icount_account_warp_timer();
        icount_handle_deadline();
    }
    sched_look_at_woken();
    if (still || sched_set_next(&sched.ready, 0) == SCHED_CPUS_MAX) {
        sched_wait(still);
        return;
    }
    if (sched.left <= 0 || !sched_set_has(&sched.ready, sched.turn)) {
        sched.turn = sched.policy.ops->next(&sched.policy, &sched.ready,
                                            sched.turn, sched.end);
        sched.left = sched.policy.ops->slice(&sched.policy, sched.turn);
    }
    sched_go(sched.cpu[sched.turn]);
}

static void *sched_thread_fn(void *arg)
{
    CPUState *first = arg;
    Notifier force_rcu = { .notify = sched_force_rcu };

    rcu_register_thread();
    rcu_add_force_rcu_notifier(&force_rcu);
    tcg_register_thread();
    bql_lock();
    qemu_thread_get_self(first->thread);
    first->thread_id = qemu_get_thread_id();
    first->neg.can_do_io = true;
    current_cpu = first;
    cpu_thread_signal_created(first);
    qemu_guest_random_seed_thread_part2(first->random_seed);
    for (;;) {
        sched_step();
    }
    return NULL;
}

static void sched_create_vcpu_thread(CPUState *cpu)
{
    assert((unsigned)cpu->cpu_index < SCHED_CPUS_MAX);
    tcg_cpu_init_cflags(cpu, false);
    if (!sched.thread) {
        sched.halt_cond = cpu->halt_cond;
        sched.cpu[cpu->cpu_index] = cpu;
        sched.thread = cpu->thread;
        qemu_thread_create(cpu->thread, "ALL CPUs/TCG", sched_thread_fn, cpu,
                           QEMU_THREAD_JOINABLE);
        return;
    }
    /* All share the first one's. */
    g_free(cpu->thread);
    qemu_cond_destroy(cpu->halt_cond);
    g_free(cpu->halt_cond);
    cpu->thread = sched.thread;
    cpu->halt_cond = sched.halt_cond;
    cpu->thread_id = first_cpu->thread_id;
    cpu->neg.can_do_io = true;
    cpu->created = true;
    sched.cpu[cpu->cpu_index] = cpu;
}

/* ---- what others call ---- */

void csvirt_sched_event(const struct sched_event *e)
{
    CPUState *running = qatomic_read(&sched.running);

    if (running && sched_is_self() && sched.policy.ops->event &&
        sched.policy.ops->event(&sched.policy, e)) {
        sched.cut = true;
        cpu_exit(running);
    }
}

void csvirt_sched_hold(void)
{
    sched.held = sched_is_self();
}

static void sched_vm_state(void *opaque, bool running, RunState state)
{
    if (running) {
        sched.held = false;
    }
}

bool csvirt_sched_install(const struct csvirt_sched_config *config,
                          Error **errp)
{
    const char *name = config->policy ? config->policy : "fair";
    const char *why = NULL;
    AccelOpsClass *ops;

    if (!strcmp(name, "stock")) {
        return true;
    }
    if (!sched_policy_init(&sched.policy, name, config->cpus, config->seed,
                           config->quantum ? config->quantum : QUANTUM)) {
        error_setg(errp, "sched=%s: fair, chaos or stock expected", name);
        return false;
    }
    if (!tcg_enabled()) {
        why = "needs -accel tcg";
    } else if (qemu_tcg_mttcg_enabled()) {
        why = "needs -accel tcg,thread=single";
    } else if (replay_mode != REPLAY_MODE_NONE) {
        why = "cannot record or replay";
    } else if (config->policy && strcmp(name, "fair") && !icount_enabled()) {
        why = "needs -icount: it counts instructions";
    }
    if (why) {
        if (config->policy) {
            error_setg(errp, "sched=%s: %s", name, why);
        }
        return !config->policy;
    }
    ops = ACCEL_OPS_CLASS(object_class_by_name(ACCEL_OPS_NAME("tcg")));
    sched.handle_interrupt = ops->handle_interrupt;
    ops->create_vcpu_thread = sched_create_vcpu_thread;
    ops->kick_vcpu_thread = sched_kick;
    ops->handle_interrupt = sched_handle_interrupt;
    ops->cpu_thread_is_idle = sched_thread_is_idle;
    qemu_event_init(&sched.wake, false);
    sched.turn = SCHED_CPUS_MAX - 1;
    sched.end = TURN_IDLE;
    if (!icount_enabled() && config->cpus > 1) {
        sched.timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, sched_turn_over, NULL);
    }
    qemu_add_vm_change_state_handler(sched_vm_state, NULL);
    csvirt_flush_begin(config->cpus);
    return true;
}
