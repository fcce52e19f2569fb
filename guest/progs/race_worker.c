/*
 * race: tasks that do as they are told.
 *
 * Workers have a real-time priority, so that nothing else takes them off
 * their CPU: what starts and stops their events is the scenario alone.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "race.h"

#define ROUND 64                /* branches of one round */
#define WORK  2000              /* rounds of a step "work" */

static void futex(int *word, int op, int value)
{
    syscall(SYS_futex, word, op, value, NULL, NULL, 0);
}

static void pin(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set)) {
        fail("no CPU %d", cpu);
    }
}

void cpu_own(void)
{
    pin((int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
}

void cpu_any(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        CPU_SET(i, &set);
    }
    sched_setaffinity(0, sizeof(set), &set);
}

/* ---- in the worker ------------------------------------------------------ */

static void __attribute__((noinline)) work_round(void)
{
    for (int i = 0; i < ROUND; i++) {
        __asm__ volatile("" ::: "memory");
    }
}

static void worker_loop(struct worker *w);

static void *thread_main(void *arg)
{
    struct worker *w = arg;

    prctl(PR_SET_NAME, w->name);
    pin(w->cpu);
    w->tid = (pid_t)syscall(SYS_gettid);
    worker_loop(w);
    return NULL;
}

/* Makes the worker of slot @w->spawn: a thread, or a process. */
static void make_child(struct worker *w)
{
    struct worker *c = &shared->worker[w->spawn];
    pthread_t thread;

    if (w->spawn_thread) {
        if (pthread_create(&thread, NULL, thread_main, c)) {
            _exit(1);
        }
        pthread_detach(thread);
    } else if (!fork()) {
        thread_main(c);
        _exit(0);
    }
    __atomic_store_n(&w->command, WORKER_BLOCK, __ATOMIC_SEQ_CST);
}

static void worker_loop(struct worker *w)
{
    for (;;) {
        switch (__atomic_load_n(&w->command, __ATOMIC_SEQ_CST)) {
        case WORKER_RUN:
            work_round();
            __atomic_fetch_add(&w->count, 1, __ATOMIC_RELAXED);
            break;
        case WORKER_SPAWN:
            make_child(w);
            break;
        case WORKER_EXIT:
            /* Of the task, not of its process. */
            syscall(SYS_exit, 0);
            break;
        default:
            __atomic_store_n(&w->blocked, 1, __ATOMIC_SEQ_CST);
            futex(&w->command, FUTEX_WAIT, WORKER_BLOCK);
            __atomic_store_n(&w->blocked, 0, __ATOMIC_SEQ_CST);
        }
    }
}

/* ---- in the main process ------------------------------------------------ */

int worker_find(const char *name)
{
    for (int i = 0; i < WORKERS_MAX; i++) {
        if (!strcmp(shared->worker[i].name, name)) {
            return i;
        }
    }
    fail("no worker %s", name);
}

static int new_slot(const char *name, const struct step *s)
{
    const char *cpu = step_value(s, "cpu");

    for (int i = 0; i < WORKERS_MAX; i++) {
        struct worker *w = &shared->worker[i];

        if (!w->name[0]) {
            snprintf(w->name, sizeof(w->name), "%s", name);
            w->cpu = cpu ? atoi(cpu) : 0;
            w->command = WORKER_BLOCK;
            return i;
        }
    }
    fail("more than %d workers", WORKERS_MAX);
}

static bool has_blocked(const void *arg)
{
    const struct worker *w = arg;

    return w->tid && __atomic_load_n(&w->blocked, __ATOMIC_SEQ_CST);
}

/*
 * When this process runs on the CPU of a worker, which goes before it, the
 * worker has been switched out: its events have stopped.
 */
static void settle(struct worker *w)
{
    cpu_set_t old;

    wait_for(has_blocked, w, w->name);
    sched_getaffinity(0, sizeof(old), &old);
    pin(w->cpu);
    sched_yield();
    sched_setaffinity(0, sizeof(old), &old);
}

void worker_make(const struct step *s)
{
    const char *uid = step_value(s, "uid");
    struct worker *w = &shared->worker[new_slot(s->word[1], s)];
    struct sched_param fifo = { .sched_priority = 1 };
    pid_t pid = fork();

    if (pid < 0) {
        fail("fork: %s", strerror(errno));
    }
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, w->name);
        pin(w->cpu);
        if (sched_setscheduler(0, SCHED_FIFO, &fifo) ||
            (uid && (setgid((gid_t)atoi(uid)) || setuid((uid_t)atoi(uid))))) {
            fail("worker %s: %s", w->name, strerror(errno));
        }
        /* A change of the uid makes a process undumpable: not to trace. */
        prctl(PR_SET_DUMPABLE, 1);
        w->tid = getpid();
        worker_loop(w);
    }
    w->child = true;
    settle(w);
    put("worker %s tid=%d cpu=%d", w->name, (int)w->tid, w->cpu);
}

static bool is_idle(const void *arg)
{
    const struct worker *w = arg;

    return __atomic_load_n(&w->command, __ATOMIC_SEQ_CST) == WORKER_BLOCK &&
           has_blocked(w);
}

void worker_spawn(const struct step *s)
{
    struct worker *w = &shared->worker[worker_find(s->word[1])];
    int slot = new_slot(s->word[2], s);
    struct worker *c = &shared->worker[slot];

    w->spawn = slot;
    w->spawn_thread = step_flag(s, "thread");
    __atomic_store_n(&w->command, WORKER_SPAWN, __ATOMIC_SEQ_CST);
    futex(&w->command, FUTEX_WAKE, 1);
    wait_for(is_idle, w, w->name);
    settle(c);
    c->child = !w->spawn_thread;        /* we are its subreaper in the end */
    put("worker %s tid=%d cpu=%d parent=%s", c->name, (int)c->tid, c->cpu,
        w->name);
}

static bool is_gone(const void *arg)
{
    const struct worker *w = arg;

    if (w->child && waitpid(w->tid, NULL, WNOHANG) == w->tid) {
        return true;
    }
    return kill(w->tid, 0) && errno == ESRCH;
}

void workers_set(const struct step *s, enum command command)
{
    struct worker *w[WORDS_MAX];

    for (int i = 1; i < s->n; i++) {
        w[i] = &shared->worker[worker_find(s->word[i])];
    }
    for (int i = 1; i < s->n; i++) {
        __atomic_store_n(&w[i]->command, command, __ATOMIC_SEQ_CST);
        futex(&w[i]->command, FUTEX_WAKE, 1);
    }
    for (int i = 1; i < s->n; i++) {
        if (command == WORKER_EXIT) {
            wait_for(is_gone, w[i], w[i]->name);
            w[i]->child = false;
        } else if (command == WORKER_BLOCK) {
            settle(w[i]);
        }
    }
}

struct goal {
    struct worker *w;
    uint64_t count;
};

static bool has_worked(const void *arg)
{
    const struct goal *g = arg;

    return __atomic_load_n(&g->w->count, __ATOMIC_RELAXED) >= g->count;
}

void worker_work(const struct step *s)
{
    struct goal g[WORDS_MAX];

    for (int i = 1; i < s->n; i++) {
        g[i].w = &shared->worker[worker_find(s->word[i])];
        g[i].count = g[i].w->count + WORK;
    }
    for (int i = 1; i < s->n; i++) {
        wait_for(has_worked, &g[i], s->word[i]);
    }
}

void workers_block(void)
{
    for (int i = 0; i < WORKERS_MAX; i++) {
        struct worker *w = &shared->worker[i];

        __atomic_store_n(&w->command, WORKER_BLOCK, __ATOMIC_SEQ_CST);
    }
}

void workers_kill(void)
{
    for (int i = 0; i < WORKERS_MAX; i++) {
        struct worker *w = &shared->worker[i];

        if (w->child) {
            kill(w->tid, SIGKILL);
            waitpid(w->tid, NULL, 0);
        }
    }
}
