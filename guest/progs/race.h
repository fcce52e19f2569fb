/*
 * race: tasks to trace, owners of perf events, steps that order them.
 *
 * The main process reads a scenario and does a step at a time. A worker is a
 * process (or a thread of one) on a CPU that runs, blocks, exits as told. An
 * owner is a process that has perf events, as perf would be. What all must
 * know is in one shared mapping. Each step has ended when the next begins.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RACE_H
#define RACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NAME_MAX_   16
#define WORKERS_MAX 64
#define OWNERS_MAX  16
#define WORDS_MAX   64
#define WAIT_MS     60000       /* limit of each wait, in guest time */

enum command { WORKER_BLOCK, WORKER_RUN, WORKER_EXIT, WORKER_SPAWN };

struct worker {
    char name[NAME_MAX_];
    volatile pid_t tid;         /* 0: not there yet, or gone */
    int cpu;
    bool child;                 /* of the main process: to be reaped */
    int command;                /* enum command; a futex */
    int blocked;                /* it waits for a command */
    uint64_t count;             /* rounds of its loop */
    int spawn, spawn_thread;    /* slot of what it shall make */
};

struct shared {
    struct worker worker[WORKERS_MAX];
};
extern struct shared *shared;

/* A step: its words, of which some are NAME=VALUE. */
struct step {
    char *word[WORDS_MAX];
    int n;
};

/* step_value: VALUE of the word NAME=VALUE; NULL when there is none. */
const char *step_value(const struct step *s, const char *name);
bool step_flag(const struct step *s, const char *word);

/* fail: "error TEXT" on stdout, and the end of this scenario. */
void fail(const char *fmt, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

/* put: one whole line on stdout, though several processes write there. */
void put(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* wait_for: poll @done until it is true, WAIT_MS at most, else fail(). */
void wait_for(bool (*done)(const void *arg), const void *arg,
              const char *what);

/* race_worker.c: the main process's side of workers. */
int worker_find(const char *name);              /* slot; fail() if none */
void worker_make(const struct step *s);         /* worker NAME cpu= [uid=] */
void worker_spawn(const struct step *s);        /* spawn PARENT NAME cpu= */
/*
 * The workers that @s names, all at once; ends when each has blocked or is
 * gone. One that shall run may not do so yet.
 */
void workers_set(const struct step *s, enum command command);
void worker_work(const struct step *s);         /* work NAME...: some loops */
void workers_block(void);                       /* all, without waiting */
void workers_kill(void);
/* cpu_own: to the last CPU, which no worker may have; cpu_any: off it. */
void cpu_own(void);
void cpu_any(void);

/* race_event.c: the side of an owner. */
void owner_step(const char *owner, const struct step *s);

/* race_out.c */
void out_open(const char *file);
/* out_put: a line and @n bytes for the host. */
void out_put(const void *bytes, size_t n, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void out_file(const char *tag, const char *file);
void kmsg_begin(const char *scenario);
/* kmsg_report: "warn FUNCTION" for each report of the kernel since then. */
void kmsg_report(void);

#endif
