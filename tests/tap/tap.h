/*
 * TAP 13 for test programs in C.  A program calls tap_begin() first; every
 * check is one line of output; a failed check says file and line, what was
 * had and what was wanted.  tap_done() is the exit status: 0, 1, or 99 when
 * the test itself is broken (plan not kept).
 *
 * Random tests: tap_seed() is taken from the argument "--seed=N" or from
 * CSVIRT_SEED, else picked; it is always printed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_TESTS_TAP_H
#define CSVIRT_TESTS_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * tap_begin: print the version line, and the plan.
 * @planned: number of checks; 0, the plan is printed by tap_done().
 */
void tap_begin(int argc, char **argv, unsigned planned);
/* returns: the exit status for main(). */
int tap_done(void);

uint64_t tap_seed(void);

/* Each returns whether the check passed. */
#define ok(cond, ...)  tap_ok(__FILE__, __LINE__, (cond), #cond, __VA_ARGS__)
#define is_u64(got, want, ...) \
    tap_is_u64(__FILE__, __LINE__, (uint64_t)(got), (uint64_t)(want), \
               __VA_ARGS__)
#define is_str(got, want, ...) \
    tap_is_str(__FILE__, __LINE__, (got), (want), __VA_ARGS__)
/* First difference with its offset, 16 bytes of each side around it. */
#define is_mem(got, want, n, ...) \
    tap_is_mem(__FILE__, __LINE__, (got), (want), (n), __VA_ARGS__)

#define TAP_PRINTF(f, a) __attribute__((format(printf, f, a)))

bool tap_ok(const char *file, int line, bool pass, const char *expr,
            const char *name, ...) TAP_PRINTF(5, 6);
bool tap_is_u64(const char *file, int line, uint64_t got, uint64_t want,
                const char *name, ...) TAP_PRINTF(5, 6);
bool tap_is_str(const char *file, int line, const char *got,
                const char *want, const char *name, ...) TAP_PRINTF(5, 6);
bool tap_is_mem(const char *file, int line, const void *got,
                const void *want, size_t n, const char *name, ...)
    TAP_PRINTF(6, 7);

/* @count checks are not made, and why. */
void tap_skip(unsigned count, const char *why, ...) TAP_PRINTF(2, 3);
/* The whole program is not run, and why: exits 0. */
_Noreturn void tap_skip_all(const char *why, ...) TAP_PRINTF(1, 2);
/* The test cannot go on: exits 99. */
_Noreturn void tap_bail(const char *why, ...) TAP_PRINTF(1, 2);
/* A "# " line. */
void tap_diag(const char *text, ...) TAP_PRINTF(1, 2);

/*
 * A sweep is one check over many cases: sweep_fail() prints the first few
 * that fail, sweep_end() is the check.  A sweep of no cases fails.
 */
struct sweep {
    const char *name;
    uint64_t cases, failed;
};
void sweep_begin(struct sweep *s, const char *name);
/* Count one case; when @pass is false say which with the text. */
bool sweep_case(struct sweep *s, bool pass, const char *text, ...)
    TAP_PRINTF(3, 4);
bool sweep_end(const struct sweep *s);

/* xorshift64*: deterministic, the state is the caller's. */
struct prng {
    uint64_t state;
};
void prng_seed(struct prng *p, uint64_t seed);
uint64_t prng_u64(struct prng *p);
/* 0 .. @limit - 1; @limit not 0 */
uint64_t prng_below(struct prng *p, uint64_t limit);

#endif
