/*
 * TAP 13 for test programs in C; see tap.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tap.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SWEEP_SHOWN 5

static unsigned planned, made, failed;
static uint64_t seed;

void tap_begin(int argc, char **argv, unsigned count)
{
    const char *given = getenv("CSVIRT_SEED");

    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--seed=", 7) == 0) {
            given = argv[i] + 7;
        }
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    seed = given ? strtoull(given, NULL, 0)
                 : (uint64_t)time(NULL) * 1000003u + (uint64_t)clock();
    planned = count;
    printf("TAP version 13\n");
    if (planned) {
        printf("1..%u\n", planned);
    }
    printf("# seed %" PRIu64 "\n", seed);
}

uint64_t tap_seed(void)
{
    return seed;
}

int tap_done(void)
{
    if (!planned) {
        printf("1..%u\n", made);
    } else if (made != planned) {
        printf("# planned %u checks, made %u\n", planned, made);
        return 99;
    }
    if (failed) {
        printf("# %u of %u checks failed; seed %" PRIu64 "\n", failed, made,
               seed);
    }
    return made == 0 ? 99 : failed ? 1 : 0;
}

/* A name is one line, and has no "#": that would start a directive. */
static void result(bool pass, const char *name, va_list args)
{
    char text[400];

    vsnprintf(text, sizeof(text), name, args);
    made++;
    if (!pass) {
        failed++;
    }
    printf("%s %u - ", pass ? "ok" : "not ok", made);
    for (const char *c = text; *c; c++) {
        if (*c == '#') {
            putchar('\\');
        }
        putchar(*c == '\n' ? ' ' : *c);
    }
    putchar('\n');
}

bool tap_ok(const char *file, int line, bool pass, const char *expr,
            const char *name, ...)
{
    va_list args;

    va_start(args, name);
    result(pass, name, args);
    va_end(args);
    if (!pass) {
        printf("# %s:%d: %s\n", file, line, expr);
    }
    return pass;
}

bool tap_is_u64(const char *file, int line, uint64_t got, uint64_t want,
                const char *name, ...)
{
    va_list args;

    va_start(args, name);
    result(got == want, name, args);
    va_end(args);
    if (got != want) {
        printf("# %s:%d: got 0x%" PRIx64 ", want 0x%" PRIx64 "\n", file, line,
               got, want);
    }
    return got == want;
}

bool tap_is_str(const char *file, int line, const char *got,
                const char *want, const char *name, ...)
{
    bool pass = got && want ? strcmp(got, want) == 0 : got == want;
    va_list args;

    va_start(args, name);
    result(pass, name, args);
    va_end(args);
    if (!pass) {
        printf("# %s:%d: got  \"%s\"\n# want \"%s\"\n", file, line,
               got ? got : "(null)", want ? want : "(null)");
    }
    return pass;
}

static void hex(const char *side, const uint8_t *p, size_t from, size_t to)
{
    printf("# %s %6zx:", side, from);
    for (size_t i = from; i < to; i++) {
        printf(" %02x", p[i]);
    }
    putchar('\n');
}

bool tap_is_mem(const char *file, int line, const void *got,
                const void *want, size_t n, const char *name, ...)
{
    const uint8_t *a = got, *b = want;
    size_t at = 0, from, to;
    va_list args;

    while (at < n && a[at] == b[at]) {
        at++;
    }
    va_start(args, name);
    result(at == n, name, args);
    va_end(args);
    if (at < n) {
        from = at & ~(size_t)15;
        to = n - from < 16 ? n : from + 16;
        printf("# %s:%d: differs at offset %zu (0x%zx) of %zu\n", file, line,
               at, at, n);
        hex("got ", a, from, to);
        hex("want", b, from, to);
    }
    return at == n;
}

void tap_skip(unsigned count, const char *why, ...)
{
    va_list args;

    while (count--) {
        printf("ok %u # SKIP ", ++made);
        va_start(args, why);
        vprintf(why, args);
        va_end(args);
        putchar('\n');
    }
}

void tap_skip_all(const char *why, ...)
{
    va_list args;

    printf("TAP version 13\n1..0 # SKIP ");
    va_start(args, why);
    vprintf(why, args);
    va_end(args);
    putchar('\n');
    exit(0);
}

void tap_bail(const char *why, ...)
{
    va_list args;

    printf("Bail out! ");
    va_start(args, why);
    vprintf(why, args);
    va_end(args);
    putchar('\n');
    exit(99);
}

void tap_diag(const char *text, ...)
{
    va_list args;

    printf("# ");
    va_start(args, text);
    vprintf(text, args);
    va_end(args);
    putchar('\n');
}

void sweep_begin(struct sweep *s, const char *name)
{
    s->name = name;
    s->cases = s->failed = 0;
}

bool sweep_case(struct sweep *s, bool pass, const char *text, ...)
{
    va_list args;

    s->cases++;
    if (!pass && s->failed++ < SWEEP_SHOWN) {
        printf("# %s: ", s->name);
        va_start(args, text);
        vprintf(text, args);
        va_end(args);
        putchar('\n');
    }
    return pass;
}

bool sweep_end(const struct sweep *s)
{
    bool pass = s->cases && !s->failed;

    made++;
    if (!pass) {
        failed++;
    }
    printf("%s %u - %s (%" PRIu64 " cases)\n", pass ? "ok" : "not ok", made,
           s->name, s->cases);
    if (!pass) {
        printf("# %" PRIu64 " of %" PRIu64 " cases failed\n", s->failed,
               s->cases);
    }
    return pass;
}

void prng_seed(struct prng *p, uint64_t s)
{
    p->state = s * 0x9e3779b97f4a7c15ull + 0x2545f4914f6cdd1dull;
    if (!p->state) {
        p->state = 1;
    }
}

uint64_t prng_u64(struct prng *p)
{
    uint64_t x = p->state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    p->state = x;
    return x * 0x2545f4914f6cdd1dull;
}

uint64_t prng_below(struct prng *p, uint64_t limit)
{
    return prng_u64(p) % limit;
}
