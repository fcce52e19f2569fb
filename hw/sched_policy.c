/*
 * The policies of the vCPU scheduler: fair and chaos.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sched_policy.h"

#include <stddef.h>
#include <string.h>

uint64_t sched_random(struct sched_policy *p)
{
    /* splitmix64: any state is good, also 0 */
    uint64_t z = p->random += 0x9e3779b97f4a7c15ull;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

unsigned sched_set_next(const struct sched_set *s, unsigned from)
{
    unsigned first = from / 64 % SCHED_WORDS;
    uint64_t above = ~0ull << (from % 64);

    for (unsigned k = 0; k <= SCHED_WORDS; k++) {
        unsigned w = (first + k) % SCHED_WORDS;
        uint64_t bits = s->word[w];

        /* The first word comes twice: its upper bits, at last its lower. */
        bits &= k == 0 ? above : k == SCHED_WORDS ? ~above : ~0ull;
        if (bits) {
            return w * 64 + (unsigned)__builtin_ctzll(bits);
        }
    }
    return SCHED_CPUS_MAX;
}

/* ---- fair: in turn, the same for each ------------------------------------ */

static unsigned fair_next(struct sched_policy *p,
                          const struct sched_set *ready, unsigned last,
                          enum turn_end end)
{
    (void)p;
    (void)end;
    return sched_set_next(ready, (last + 1) % SCHED_CPUS_MAX);
}

static int64_t fair_slice(struct sched_policy *p, unsigned cpu)
{
    (void)cpu;
    return p->quantum;
}

static const struct sched_policy_ops fair = {
    .name = "fair", .next = fair_next, .slice = fair_slice,
};

/* ---- chaos: random priorities and slices --------------------------------- */

/*
 * The idea of rr's chaos mode: which vCPU runs is decided by priorities that
 * change at random moments, so that a vCPU may be held up for long in the
 * middle of anything, while another goes a long way.
 */
#define CHAOS_EPOCH_MIN  (1 << 17)      /* instructions */
#define CHAOS_EPOCH_BITS 6              /* up to 2^6 times that */
#define CHAOS_SLICE_BITS 10             /* from 2^-10 of the quantum */

static void chaos_epoch(struct sched_policy *p)
{
    p->left = (int64_t)CHAOS_EPOCH_MIN << sched_random(p) % CHAOS_EPOCH_BITS;
    for (unsigned i = 0; i < p->cpus; i++) {
        /* Most are equal and take turns; some are above or below. */
        uint64_t r = sched_random(p) % 8;

        p->priority[i] = r == 0 ? 0 : r == 1 ? 2 : 1;
    }
}

static unsigned chaos_next(struct sched_policy *p,
                           const struct sched_set *ready, unsigned last,
                           enum turn_end end)
{
    unsigned from = (unsigned)(sched_random(p) % p->cpus);
    unsigned first, best, i;

    if (p->left <= 0) {
        chaos_epoch(p);
    }
    if (end == TURN_YIELD && last < p->cpus) {
        /* It waits for another, perhaps one that is held up. */
        p->priority[last] = 0;
    }
    first = best = i = sched_set_next(ready, from);
    do {
        if (p->priority[i] > p->priority[best] ||
            (best == last && end == TURN_YIELD)) {
            best = i;
        }
        i = sched_set_next(ready, (i + 1) % SCHED_CPUS_MAX);
    } while (i != first);
    return best;
}

static int64_t chaos_slice(struct sched_policy *p, unsigned cpu)
{
    uint64_t bits = sched_random(p) % (CHAOS_SLICE_BITS + 2);
    uint64_t most = ((uint64_t)p->quantum * 2 >> bits) + 1;
    int64_t n = (int64_t)(sched_random(p) % most) + 1;

    (void)cpu;
    p->left -= n;
    return n;
}

static const struct sched_policy_ops chaos = {
    .name = "chaos", .next = chaos_next, .slice = chaos_slice,
};

/* ---- all ----------------------------------------------------------------- */

static const struct sched_policy_ops *const policies[] = { &fair, &chaos };

const char *const sched_policy_names[] = { "fair", "chaos", NULL };

bool sched_policy_init(struct sched_policy *p, const char *name,
                       unsigned cpus, uint64_t seed, int64_t quantum)
{
    memset(p, 0, sizeof(*p));
    for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
        if (!strcmp(policies[i]->name, name)) {
            p->ops = policies[i];
        }
    }
    p->cpus = cpus;
    p->random = seed;
    p->quantum = quantum;
    return p->ops != NULL;
}
