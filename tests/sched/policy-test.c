/*
 * The policies of the vCPU scheduler: each answer is a vCPU that can run, fair
 * is fair, chaos replays from its seed and lets nobody wait for ever.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "hw/sched_policy.h"
#include "tests/tap/tap.h"

#define QUANTUM 1000

static struct sched_set set_of(const unsigned *member, size_t n)
{
    struct sched_set s = { { 0 } };

    for (size_t i = 0; i < n; i++) {
        sched_set_put(&s, member[i], true);
    }
    return s;
}

static void sets(void)
{
    static const unsigned some[] = { 0, 5, 63, 64, 300, 511 };
    struct sched_set s = set_of(some, 6), empty = { { 0 } };
    unsigned at = 0;

    for (size_t i = 0; i < 6; i++) {
        is_u64(sched_set_next(&s, at), some[i], "member %zu", i);
        at = some[i] + 1;
    }
    is_u64(sched_set_next(&s, 512 % 512), 0, "it wraps");
    is_u64(sched_set_next(&empty, 77), SCHED_CPUS_MAX, "an empty set");
    sched_set_put(&s, 64, false);
    is_u64(sched_set_next(&s, 64), 300, "one left out");
    s = set_of((const unsigned[]){ 70 }, 1);
    is_u64(sched_set_next(&s, 71), 70, "behind us in the same word");
}

static void names(void)
{
    struct sched_policy p;

    for (size_t i = 0; sched_policy_names[i]; i++) {
        ok(sched_policy_init(&p, sched_policy_names[i], 4, 1, QUANTUM) &&
           !strcmp(p.ops->name, sched_policy_names[i]), "%s is there",
           sched_policy_names[i]);
    }
    ok(!sched_policy_init(&p, "best", 4, 1, QUANTUM), "no policy best");
}

static void fair(void)
{
    static const unsigned some[] = { 1, 2, 130 };
    struct sched_set s = set_of(some, 3);
    struct sched_policy p;
    unsigned last = SCHED_CPUS_MAX - 1;

    sched_policy_init(&p, "fair", 131, 1, QUANTUM);
    for (unsigned i = 0; i < 6; i++) {
        last = p.ops->next(&p, &s, last, TURN_SPENT);
        is_u64(last, some[i % 3], "fair: turn %u", i);
        is_u64(p.ops->slice(&p, last), QUANTUM, "fair: turn %u's length", i);
    }
}

/* The order of 1000 turns by @seed, as a hash; also what must hold. */
static uint64_t chaos_run(uint64_t seed, struct sweep *sound, unsigned *turns)
{
    static const unsigned some[] = { 0, 3, 64, 99 };
    struct sched_set s = set_of(some, 4);
    struct sched_policy p;
    unsigned last = SCHED_CPUS_MAX - 1;
    uint64_t hash = 0;

    sched_policy_init(&p, "chaos", 100, seed, QUANTUM);
    for (unsigned i = 0; i < 100000; i++) {
        enum turn_end end = i % 5 ? TURN_SPENT : TURN_YIELD;
        unsigned cpu = p.ops->next(&p, &s, last, end);
        int64_t n = p.ops->slice(&p, cpu);

        sweep_case(sound, sched_set_has(&s, cpu) && n >= 1 &&
                   n <= 2 * QUANTUM + 1, "seed %llu turn %u: CPU %u, %lld",
                   (unsigned long long)seed, i, cpu, (long long)n);
        turns[cpu]++;
        hash = (hash ^ cpu ^ (uint64_t)n << 16) * 0x100000001b3ull;
        last = cpu;
    }
    return hash;
}

static void chaos(void)
{
    struct sweep sound;
    unsigned turns[SCHED_CPUS_MAX] = { 0 };
    uint64_t first, again, other;

    sweep_begin(&sound, "chaos: each turn is one that can be");
    first = chaos_run(7, &sound, turns);
    ok(turns[0] > 1000 && turns[3] > 1000 && turns[64] > 1000 &&
       turns[99] > 1000, "chaos: nobody waits for ever");
    again = chaos_run(7, &sound, turns);
    other = chaos_run(8, &sound, turns);
    sweep_end(&sound);
    is_u64(again, first, "chaos: the same seed, the same turns");
    ok(other != first, "chaos: another seed, others");
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    sets();
    names();
    fair();
    chaos();
    return tap_done();
}
