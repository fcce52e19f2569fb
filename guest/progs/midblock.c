/*
 * midblock [ROUNDS]: branches into the middle of their own block.
 *
 * Straight code that is entered at each of its instructions by BR, from before
 * it and from its own end (so that a translator's block begins within another
 * that it has), by conditional branches of every kind that go back a few
 * instructions, by a branch to itself until a register changes, and by a
 * return to its middle. Prints "midblock: done".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* x0 = where (0 to 7), x1 = times: the sum of what was entered at 0 to 7. */
__asm__(".text\n"
        ".globl enter_at, back_into, tight\n"
        "enter_at:\n"
        "    mov x2, #0\n"
        "    adr x3, 1f\n"
        "0:  add x4, x3, x0, lsl #2\n"
        "    br x4\n"
        "1:  add x2, x2, #1\n"
        "    add x2, x2, #2\n"
        "    add x2, x2, #4\n"
        "    add x2, x2, #8\n"
        "    add x2, x2, #16\n"
        "    add x2, x2, #32\n"
        "    add x2, x2, #64\n"
        "    add x2, x2, #128\n"
        "    subs x1, x1, #1\n"
        "    b.eq 2f\n"
        "    add x0, x0, #3\n"
        "    and x0, x0, #7\n"
        "    add x4, x3, x0, lsl #2\n"
        "    br x4\n"                    /* into the block that ends here */
        "2:  mov x0, x2\n"
        "    ret\n"
        /* x0 = times: returns and conditional branches into the block */
        "back_into:\n"
        "    mov x9, x30\n"
        "    mov x1, #0\n"
        "    adr x30, 4f\n"
        "3:  add x1, x1, #1\n"
        "4:  add x1, x1, #1\n"
        "5:  add x1, x1, #1\n"
        "6:  sub x0, x0, #1\n"
        "    cbz x0, 7f\n"
        "    tbnz x0, #0, 5b\n"
        "    tst x0, #2\n"
        "    b.ne 4b\n"
        "    tst x0, #4\n"
        "    b.eq 3b\n"
        "    ret\n"                      /* to 4 */
        "7:  mov x0, x1\n"
        "    ret x9\n"
        /* x0 = times: one instruction that branches to itself, then two */
        "tight:\n"
        "    mov x1, x0\n"
        "8:  subs x1, x1, #1\n"
        "    b.ne 8b\n"
        "9:  sub x0, x0, #1\n"
        "    cbnz x0, 9b\n"
        "    adr x2, 10f\n"
        "    mov x3, #4\n"
        "10: sub x3, x3, #1\n"
        "    cbz x3, 11f\n"
        "    br x2\n"
        "11: ret\n");

uint64_t enter_at(uint64_t where, uint64_t times);
uint64_t back_into(uint64_t times);
uint64_t tight(uint64_t times);

static uint64_t entered(uint64_t where, uint64_t times)
{
    uint64_t sum = 0;

    for (; times; times--) {
        sum += 256 - (1u << where);
        where = (where + 3) & 7;
    }
    return sum;
}

static uint64_t went_back(uint64_t n)
{
    uint64_t sum = 3;

    while (--n) {
        sum += n & 1 ? 1 : n & 2 ? 2 : n & 4 ? 2 : 3;
    }
    return sum;
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 100;

    for (unsigned i = 0; i < rounds; i++) {
        if (enter_at(i & 7, 1 + i % 50) != entered(i & 7, 1 + i % 50) ||
            back_into(1 + i) != went_back(1 + i) || tight(1 + i) != 0) {
            printf("midblock: wrong in round %u\n", i);
            return 1;
        }
    }
    printf("midblock: done\n");
    return 0;
}
