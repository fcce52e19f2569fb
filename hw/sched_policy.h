/*
 * Which vCPU runs next and for how long: the policies of the vCPU scheduler.
 *
 * Pure decisions, without QEMU: hw/sched.c asks and does.  A policy is asked at
 * points that depend on the guest alone (a turn is used up, its vCPU waits or
 * yields, an event), so what it answers from a seed replays.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_SCHED_POLICY_H
#define CSVIRT_SCHED_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#define SCHED_CPUS_MAX 512u
#define SCHED_WORDS    (SCHED_CPUS_MAX / 64)

/* A set of vCPUs. */
struct sched_set {
    uint64_t word[SCHED_WORDS];
};

/* Why the last turn ended. */
enum turn_end {
    TURN_SPENT,                /* its instructions are used up */
    TURN_YIELD,                /* WFE or YIELD: it waits for another vCPU */
    TURN_IDLE,                 /* WFI, powered off or stopped */
    TURN_EVENT,                /* the policy's event() asked for it */
};

/* Something a vCPU did to the trace network. */
struct sched_event {
    const char *what;           /* "etm-on", "sink-off", ... */
    unsigned cpu;               /* the vCPU that did it */
    uint32_t context;           /* its CONTEXTIDR_EL1 */
    uint64_t where;             /* address of the component */
};

struct sched_policy;

struct sched_policy_ops {
    const char *name;
    /*
     * next: the vCPU that gets the next turn.
     * in: @ready: vCPUs that can run, not empty; @last: whose turn ended (or
     *     SCHED_CPUS_MAX), and @end why.
     * returns: a member of @ready.
     */
    unsigned (*next)(struct sched_policy *p, const struct sched_set *ready,
                     unsigned last, enum turn_end end);
    /* slice: instructions of the turn that begins, at least 1. */
    int64_t (*slice)(struct sched_policy *p, unsigned cpu);
    /*
     * event (may be NULL): told before the guest goes on.
     * returns: the vCPU's turn ends here.
     */
    bool (*event)(struct sched_policy *p, const struct sched_event *e);
};

/* Shared by all policies; one of its own may embed it. */
struct sched_policy {
    const struct sched_policy_ops *ops;
    uint64_t random;            /* state of sched_random() */
    int64_t quantum;            /* instructions of a plain turn */
    unsigned cpus;
    /* chaos */
    int64_t left;               /* instructions until priorities change */
    uint8_t priority[SCHED_CPUS_MAX];
};

/* sched_policy_names: of all policies, NULL at the end. */
extern const char *const sched_policy_names[];

/*
 * sched_policy_init: @p decides by policy @name for @cpus vCPUs.
 * in: @seed of its random numbers; @quantum: instructions of a plain turn.
 * returns: false if there is no such policy.
 */
bool sched_policy_init(struct sched_policy *p, const char *name,
                       unsigned cpus, uint64_t seed, int64_t quantum);

/* sched_random: 64 random bits, the same for the same seed. */
uint64_t sched_random(struct sched_policy *p);

/* sched_set_next: the first member from @from on, wrapping.
 * returns: SCHED_CPUS_MAX if @s is empty. */
unsigned sched_set_next(const struct sched_set *s, unsigned from);

static inline bool sched_set_has(const struct sched_set *s, unsigned i)
{
    return s->word[i / 64] >> (i % 64) & 1;
}

static inline void sched_set_put(struct sched_set *s, unsigned i, bool in)
{
    uint64_t bit = 1ull << (i % 64);

    s->word[i / 64] = in ? s->word[i / 64] | bit : s->word[i / 64] & ~bit;
}

#endif
