/*
 * Random A64 programs: what their generator, the interpreter that says what
 * they shall do, and the writer of ELF files share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_TESTS_RANDPROG_H
#define CSVIRT_TESTS_RANDPROG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_WORDS   0xf80       /* at most, of each of the two code regions */
#define DATA_BYTES   0x20000     /* page 0: tables; what follows is zero */
#define STACK_BYTES  0x20000
#define TABLE_BYTES  0x1000
#define FUNCTIONS    12
#define FN_TABLE     8           /* code pointers of each function */

/*
 * Address space: program N lives at bits 43:28 of its addresses (near code,
 * then data), its far code has bit 44 as well, so that every address says
 * whose it is.  The low 16 bits are offsets in the file, as kernels with 64 KiB
 * pages want it.
 */
#define PROGRAM_SHIFT 28
#define PROGRAM_FIRST 0x1000u
#define FAR_BIT       (1ull << 44)
#define NEAR_AT       0x100ull
#define FAR_AT        0x4000ull
#define DATA_AT       0x4008000ull
#define STACK_AT      0x7000000000ull     /* the interpreter's only */

/* Bits of what a program may contain. */
#define USE_LSE 1u

struct region {
    uint64_t va;
    uint32_t n;                  /* words of code */
    uint32_t word[CODE_WORDS];
};

struct prog {
    uint64_t seed;
    unsigned use;
    struct region near, far;
    uint64_t data_va;
    uint64_t table[TABLE_BYTES / 8];
    uint64_t entry;
    bool exclusives;             /* its number of instructions may vary */
    /* what the interpreter found */
    uint64_t checksum, insns;
};

/*
 * generate: code and tables from @p->seed, @p->use, at the @index-th place.
 * returns: false, it got too large.
 */
bool generate(struct prog *p, unsigned index);

/*
 * interpret: run to exit.  out: checksum (the eight bytes it writes), insns.
 * returns: NULL, or why it cannot be used: INTERPRET_LONG, or a defect
 * here.
 */
#define INTERPRET_LONG "more instructions than the limit"
const char *interpret(struct prog *p, uint64_t limit);

#endif
