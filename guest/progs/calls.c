/*
 * calls [ROUNDS]: deep recursion and indirect branches.
 *
 * Recursion far deeper than any return stack: direct, mutual, through pointers,
 * and left in the middle by longjmp. Then chains of indirect calls and jumps
 * whose targets depend on data: a table walk, a threaded interpreter whose
 * handlers end in BR, tail calls, returns through a register other than x30,
 * code on pages more than 4 GiB apart. Prints "calls: done".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NOINLINE __attribute__((noinline, noclone))
#define DEPTH 600

typedef uint64_t (*fn)(uint64_t);

static jmp_buf out;

NOINLINE static uint64_t down(uint64_t n)
{
    return n ? 1 + down(n - 1) : 0;
}

static uint64_t odd(uint64_t n);
NOINLINE static uint64_t even(uint64_t n)
{
    return n ? 1 + odd(n - 1) : 0;
}

NOINLINE static uint64_t odd(uint64_t n)
{
    return n ? 1 + even(n - 1) : 0;
}

static volatile fn any[4] = { down, even, odd, even };

NOINLINE static uint64_t through(uint64_t n)
{
    volatile fn f = n % 7 ? through : any[n & 3];

    return n ? 1 + f(n - 1) : 0;
}

static uint64_t leave(uint64_t n);
static volatile fn again = leave;

NOINLINE static uint64_t leave(uint64_t n)
{
    if (n == 0) {
        longjmp(out, 1);
    }
    return 1 + again(n - 1);
}

/*
 * x0: bytes of a program for a machine with one register, x1: where to begin
 * with it. Each handler fetches the next one and branches there.
 */
__asm__(".text\n"
        ".globl threaded\n"
        ".type threaded, %function\n"
        "threaded:\n"
        "    adr x9, 1f\n"
        "    mov x2, x0\n"
        "    mov x0, x1\n"
        "    .macro next\n"
        "    ldrb w3, [x2], #1\n"
        "    ldrsw x4, [x9, x3, lsl #2]\n"
        "    add x4, x9, x4\n"
        "    br x4\n"
        "    .endm\n"
        "    next\n"
        "10: add x0, x0, #3\n"
        "    next\n"
        "11: eor x0, x0, x0, lsl #7\n"
        "    next\n"
        "12: tbz x0, #3, 10b\n"
        "    ror x0, x0, #11\n"
        "    next\n"
        "13: mov x10, x30\n"          /* a return that is not x30's */
        "    bl 20f\n"
        "    mov x30, x10\n"
        "    next\n"
        "14: ret\n"
        "20: mov x11, x30\n"
        "    sub x0, x0, #1\n"
        "    ret x11\n"
        "    .balign 4\n"
        "1:  .word 10b - 1b, 11b - 1b, 12b - 1b, 13b - 1b, 14b - 1b\n"
        ".size threaded, . - threaded\n");

uint64_t threaded(const uint8_t *code, uint64_t x);

static uint64_t expected(const uint8_t *code, uint64_t x)
{
    for (;; code++) {
        switch (*code) {
        case 2:
            if (x >> 3 & 1) {
                x = x >> 11 | x << 53;
                break;
            }
            /* fall through */
        case 0:
            x += 3;
            break;
        case 1:
            x ^= x << 7;
            break;
        case 3:
            x--;
            break;
        default:
            return x;
        }
    }
}

NOINLINE static uint64_t tail(uint64_t n)
{
    return any[n & 3](n & 15);
}

/* A leaf at address @va: add x0, x0, #1; ret */
static fn place(uintptr_t va)
{
    static const uint32_t code[] = { 0x91000400, 0xd65f03c0 };
    char *p = mmap((void *)va, 0x10000, PROT_READ | PROT_WRITE | PROT_EXEC,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    if (p == MAP_FAILED) {
        perror("calls: mmap");
        exit(1);
    }
    memcpy(p + (va >> 20 & 0xff0), code, sizeof(code));
    __builtin___clear_cache(p, p + 0x1000);
    return (fn)(uintptr_t)(p + (va >> 20 & 0xff0));
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 20;
    volatile fn leaf[4] = {
        place(0x1000000000), place(0x1100000000), place(0x2000000000),
        place(0x3000030000),
    };
    uint8_t code[257] = { 0 };
    uint32_t r = 1;

    for (unsigned i = 0; i < rounds; i++) {
        uint64_t n = DEPTH - i % 13, x = i;

        if (down(n) != n || even(n) != n || through(n) < n / 7) {
            printf("calls: wrong depth in round %u\n", i);
            return 1;
        }
        if (setjmp(out) == 0) {
            leave(n / 2);
        }
        for (unsigned k = 0; k < 256; k++) {
            r = r * 1664525u + 1013904223u;
            code[k] = (uint8_t)(r >> 24 & 3);
            x = leaf[r >> 16 & 3](x);
            x += tail(r >> 8 & 63) & 1;
        }
        code[256] = 4;
        if (threaded(code, x) != expected(code, x)) {
            printf("calls: wrong sum in round %u\n", i);
            return 1;
        }
    }
    printf("calls: done\n");
    return 0;
}
