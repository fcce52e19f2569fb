/*
 * workloop ROUNDS: a branchy guest program whose functions perf shall name.
 *
 * Each round hashes (leaf_hash, a leaf), walks a table of functions
 * (walk_table: indirect calls to op_*), and sorts (sort_rows, recursive, with
 * an indirect comparison). Cost per round: about 80,000 instructions, the
 * same every time. Prints the check sum, then "workloop: done".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone))
#define ROWS 256

typedef uint32_t (*op_fn)(uint32_t, uint32_t);
typedef int (*less_fn)(uint32_t, uint32_t);

static uint32_t rows[ROWS];

NOINLINE static uint32_t leaf_hash(const uint32_t *data, int n)
{
    uint32_t h = 0x811c9dc5u;

    for (int i = 0; i < n; i++) {
        for (int b = 0; b < 4; b++) {
            h = (h ^ (data[i] >> 8 * b & 0xff)) * 0x01000193u;
        }
    }
    return h;
}

NOINLINE static uint32_t op_rotate(uint32_t a, uint32_t b)
{
    b &= 31;
    return b ? a << b | a >> (32 - b) : a;
}

NOINLINE static uint32_t op_collatz(uint32_t a, uint32_t b)
{
    a &= 0xffff;
    for (b &= 15; b && a > 1; b--) {
        a = a & 1 ? 3 * a + 1 : a / 2;
    }
    return a;
}

NOINLINE static uint32_t op_mix(uint32_t a, uint32_t b)
{
    return op_rotate(a * 0x85ebca6bu, b) ^ b;
}

NOINLINE static uint32_t op_pick(uint32_t a, uint32_t b)
{
    if (a < b) {
        return b - a;
    }
    return a & 1 ? a - b : a ^ b;
}

static volatile op_fn table[4] = { op_rotate, op_collatz, op_mix, op_pick };

NOINLINE static uint32_t walk_table(uint32_t v, int n)
{
    for (int i = 0; i < n; i++) {
        v = table[(v ^ v >> 7) & 3](v, (uint32_t)i) + 0x9e3779b9u;
    }
    return v;
}

NOINLINE static int less_plain(uint32_t a, uint32_t b)
{
    return a < b;
}

NOINLINE static void sort_rows(uint32_t *r, int n, less_fn less)
{
    uint32_t pivot;
    int i = 0, j = n - 1;

    if (n < 2) {
        return;
    }
    pivot = r[n / 2];
    while (i <= j) {
        while (less(r[i], pivot)) {
            i++;
        }
        while (less(pivot, r[j])) {
            j--;
        }
        if (i <= j) {
            uint32_t t = r[i];

            r[i++] = r[j];
            r[j--] = t;
        }
    }
    sort_rows(r, j + 1, less);
    sort_rows(r + i, n - i, less);
}

NOINLINE static uint32_t one_round(uint32_t seed)
{
    for (int i = 0; i < ROWS; i++) {
        seed = seed * 1664525u + 1013904223u;
        rows[i] = seed;
    }
    seed = walk_table(seed, 4 * ROWS);
    sort_rows(rows, ROWS, less_plain);
    for (int i = 1; i < ROWS; i++) {
        if (rows[i - 1] > rows[i]) {
            printf("workloop: wrong: rows are not sorted\n");
            exit(1);
        }
    }
    return seed ^ leaf_hash(rows, ROWS);
}

int main(int argc, char **argv)
{
    char *end = NULL;
    unsigned long rounds = argc == 2 ? strtoul(argv[1], &end, 10) : 0;
    uint32_t v = 1;

    if (argc != 2 || end == argv[1] || *end) {
        fprintf(stderr, "usage: workloop ROUNDS\n");
        return 2;
    }
    for (unsigned long i = 0; i < rounds; i++) {
        v = one_round(v);
    }
    printf("workloop: %lu rounds, %08x\n", rounds, v);
    printf("workloop: done\n");
    return 0;
}
