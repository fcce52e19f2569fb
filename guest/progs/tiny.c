/*
 * tiny: a guest program of under 50,000 instructions, the same every time.
 *
 * No C library: its own start, system calls by svc, so that nothing depends
 * on libc, the loader or the environment. Direct and indirect calls,
 * recursion, taken and not taken conditional branches, CBZ/TBZ forms, a
 * switch, and a few system calls. Prints "tiny: done" and exits with 0.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stddef.h>
#include <stdint.h>

#define NOINLINE __attribute__((noinline, noclone))
#define NR_write 64
#define NR_exit_group 94
#define NR_getppid 173

#define ROWS 48

typedef uint32_t (*step_fn)(uint32_t);

void tiny_main(void);

static uint32_t rows[ROWS];

static inline long svc3(long nr, long a, long b, long c)
{
    register long x8 __asm__("x8") = nr;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;

    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2)
                     : "memory", "cc");
    return x0;
}

static NOINLINE uint32_t fib(uint32_t n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static NOINLINE uint32_t step_add(uint32_t v)
{
    return v + 0x9e37u;
}

static NOINLINE uint32_t step_shift(uint32_t v)
{
    return v & 4 ? v >> 1 : v << 1 | 1;
}

static NOINLINE uint32_t step_mix(uint32_t v)
{
    return v * 0x01000193u ^ v >> 15;
}

static NOINLINE uint32_t step_call(uint32_t v)
{
    return step_add(step_mix(v)) ^ 0x55u;
}

/* Volatile: the calls stay indirect. */
static volatile step_fn steps[4] = {
    step_add, step_shift, step_mix, step_call,
};

static NOINLINE uint32_t run_steps(uint32_t v, int n)
{
    for (int i = 0; i < n; i++) {
        v = steps[v >> 3 & 3](v);
    }
    return v;
}

static NOINLINE void sort_rows(void)
{
    for (int i = 1; i < ROWS; i++) {
        uint32_t v = rows[i];
        int j = i;

        for (; j > 0 && rows[j - 1] > v; j--) {
            rows[j] = rows[j - 1];
        }
        rows[j] = v;
    }
}

static NOINLINE uint32_t classify(uint32_t v)
{
    switch (v % 7) {
    case 0:
        return 11;
    case 1:
        return v + 3;
    case 2:
        return v ^ 0xff;
    case 3:
        return fib(v & 3);
    case 4:
        return v >> 2;
    case 5:
        return 7;
    default:
        return step_mix(v);
    }
}

static NOINLINE uint32_t count_bits(uint32_t v)
{
    uint32_t n = 0;

    while (v) {
        v &= v - 1;
        n++;
    }
    return n;
}

__attribute__((noreturn))
void tiny_main(void)
{
    static const char good[] = "tiny: done\n";
    static const char bad[] = "tiny: wrong\n";
    uint32_t v = 1, sum = 0;
    int ok = 1;

    for (int i = 0; i < ROWS; i++) {
        v = run_steps(v, 5);
        rows[i] = v;
        sum += classify(v) + count_bits(v);
    }
    sort_rows();
    for (int i = 1; i < ROWS; i++) {
        ok &= rows[i - 1] <= rows[i];
    }
    for (int i = 0; i < 4; i++) {
        ok &= svc3(NR_getppid, 0, 0, 0) >= 0;
    }
    ok &= fib(13) == 233 && sum != 0;
    if (ok) {
        svc3(NR_write, 1, (long)good, sizeof(good) - 1);
    } else {
        svc3(NR_write, 1, (long)bad, sizeof(bad) - 1);
    }
    for (;;) {
        svc3(NR_exit_group, !ok, 0, 0);
    }
}

__asm__(".globl _start\n"
        ".type _start, %function\n"
        "_start:\n"
        "    mov x29, #0\n"
        "    mov x30, #0\n"
        "    bl tiny_main\n"
        ".size _start, . - _start\n");
