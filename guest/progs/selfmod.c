/*
 * selfmod [ROUNDS]: code that changes while it is known to a translator.
 *
 * Part 1: a function in a writable and executable page is rewritten between
 * calls. Part 2: code rewrites an instruction further on in its own page,
 * some bytes ahead of where it runs, then reaches it. Cache maintenance as
 * the architecture asks for (DC CVAU, DSB, IC IVAU, DSB, ISB), so each call
 * must see the new instruction. Prints "selfmod: done".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096
#define RET 0xd65f03c0u
#define NOP 0xd503201fu
#define MOVZ_X0(imm) (0xd2800000u | (uint32_t)((imm) & 0xffff) << 5)
#define ADD_X0_X0(imm) (0x91000000u | (uint32_t)((imm) & 0xfff) << 10)
#define B_NEXT_BUT(n) (0x14000000u | (uint32_t)(n))

typedef uint64_t (*code_fn)(uint32_t insn);

/*
 * x0/w0 = an instruction word: stores it over the one at 1:, makes it
 * visible, then runs into it. Returns what that leaves in x0.
 */
__asm__(".section .rodata\n"
        ".balign 8\n"
        ".globl patch_code, patch_code_end\n"
        "patch_code:\n"
        "    adr x1, 1f\n"
        "    str w0, [x1]\n"
        "    mov x0, #0\n"
        "    dc cvau, x1\n"
        "    dsb ish\n"
        "    ic ivau, x1\n"
        "    dsb ish\n"
        "    isb\n"
        "    cbnz x0, 2f\n"
        "1:  nop\n"
        "    add x0, x0, #1\n"
        "2:  ret\n"
        "patch_code_end:\n"
        ".text\n");

extern const char patch_code[], patch_code_end[];

static void flush(void *at, size_t n)
{
    __builtin___clear_cache((char *)at, (char *)at + n);
}

static int wrong(const char *part, unsigned round, uint64_t got, uint64_t want)
{
    printf("selfmod: wrong: %s, round %u: %llu, not %llu\n", part, round,
           (unsigned long long)got, (unsigned long long)want);
    return 1;
}

static int rewrite_between_calls(uint32_t *page, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        uint64_t got;

        page[0] = MOVZ_X0(i);
        /* The branch's length changes, too: where blocks end moves. */
        page[1] = B_NEXT_BUT(1 + i % 3);
        page[2] = ADD_X0_X0(1);
        page[3] = ADD_X0_X0(1);
        page[4] = RET;
        flush(page, 20);
        got = ((code_fn)(void *)page)(0);
        if (got != (i & 0xffff) + 2 - i % 3) {
            return wrong("between calls", i, got, (i & 0xffff) + 2 - i % 3);
        }
    }
    return 0;
}

static int rewrite_ahead(char *page, unsigned rounds)
{
    size_t n = (size_t)(patch_code_end - patch_code);

    memcpy(page, patch_code, n);
    flush(page, n);
    for (unsigned i = 0; i < rounds; i++) {
        uint32_t insn = i & 1 ? MOVZ_X0(i) : NOP;
        uint64_t want = (i & 1 ? i & 0xffff : 0) + 1;
        uint64_t got = ((code_fn)(void *)page)(insn);

        if (got != want) {
            return wrong("ahead", i, got, want);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 50;
    char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED) {
        perror("selfmod: mmap");
        return 1;
    }
    if (rewrite_between_calls((uint32_t *)(void *)p, rounds) ||
        rewrite_ahead(p + PAGE, rounds)) {
        return 1;
    }
    printf("selfmod: done\n");
    return 0;
}
