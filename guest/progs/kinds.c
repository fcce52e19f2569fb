/*
 * kinds integer|branchy|indirect|memory ROUNDS: four kinds of CPU-bound code,
 * one at a time, for measuring what tracing costs.
 *
 * integer    arithmetic in counted loops, long blocks
 * branchy    conditional branches that depend on data, short blocks
 * indirect   calls through a table of functions, and their returns
 * memory     walks a list of 2 MiB in a random order, and copies it
 *
 * A round is about a million instructions, the same every time. Prints the
 * check sum, then "kinds: done".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))
#define CELLS (1u << 15)        /* a cache line of 64 bytes each */
#define STEPS 100000u

struct cell {
    struct cell *next;
    uint64_t value[7];
};

static struct cell *cells, *copies, *walker;

NOINLINE static uint64_t integer(uint64_t v)
{
    uint64_t a = v, b = v ^ 0x9e3779b97f4a7c15u, c = ~v, d = v << 7;

    for (int i = 0; i < 20000; i++) {
        for (int k = 0; k < 2; k++) {
            a += b;
            d = (d ^ a) << 16 | (d ^ a) >> 48;
            c += d;
            b = (b ^ c) << 12 | (b ^ c) >> 52;
            a += b * 3;
            d = (d ^ a) << 8 | (d ^ a) >> 56;
            c += d * 5;
            b = (b ^ c) << 7 | (b ^ c) >> 57;
        }
        a ^= c >> 29;
        c = c * 0xbf58476d1ce4e5b9u + (uint64_t)i;
    }
    return a ^ b ^ c ^ d;
}

NOINLINE static uint64_t branchy(uint64_t v)
{
    uint64_t sum = 0, odd = 0, high = 0;

    for (int i = 0; i < 70000; i++) {
        v = v * 6364136223846793005u + 1442695040888963407u;
        if (v >> 63) {
            high++;
            if (v >> 62 & 1) {
                sum += v >> 40;
            }
        } else if (v >> 61 & 1) {
            odd++;
        }
        if ((v >> 33 & 7) == 3) {
            sum ^= odd;
        }
        if (v >> 50 & 1) {
            sum += high;
        }
    }
    return sum + odd + high;
}

typedef uint64_t (*op_fn)(uint64_t v, uint64_t arg);

NOINLINE static uint64_t op_add(uint64_t v, uint64_t arg)
{
    return v + arg;
}

NOINLINE static uint64_t op_xor(uint64_t v, uint64_t arg)
{
    return (v ^ arg) * 5;
}

NOINLINE static uint64_t op_rotate(uint64_t v, uint64_t arg)
{
    return v << (arg & 31) | v >> (63 - (arg & 31));
}

NOINLINE static uint64_t op_twice(uint64_t v, uint64_t arg)
{
    return op_add(v, arg) + op_xor(v, arg);
}

static volatile op_fn ops[4] = { op_add, op_xor, op_rotate, op_twice };

NOINLINE static uint64_t indirect(uint64_t v)
{
    for (uint64_t i = 0; i < 40000; i++) {
        v = ops[(v ^ v >> 9) & 3](v, i);
    }
    return v;
}

/* The cells as one ring, in a random order that is always the same. */
static void make_ring(void)
{
    uint32_t *order = malloc(CELLS * sizeof(*order));
    uint64_t v = 1;

    cells = calloc(CELLS, sizeof(*cells));
    copies = calloc(CELLS, sizeof(*copies));
    if (!order || !cells || !copies) {
        fprintf(stderr, "kinds: no memory\n");
        exit(1);
    }
    for (uint32_t i = 0; i < CELLS; i++) {
        order[i] = i;
    }
    for (uint32_t i = CELLS - 1; i > 0; i--) {
        uint32_t k, t = order[i];

        v = v * 6364136223846793005u + 1442695040888963407u;
        k = (uint32_t)(v >> 33) % (i + 1);
        order[i] = order[k];
        order[k] = t;
    }
    for (uint32_t i = 0; i < CELLS; i++) {
        cells[order[i]].next = &cells[order[(i + 1) % CELLS]];
        cells[i].value[0] = i;
    }
    free(order);
    walker = cells;
}

NOINLINE static uint64_t memory(uint64_t v)
{
    size_t from = (size_t)v % (CELLS / 2);

    for (unsigned i = 0; i < STEPS; i++) {
        v += walker->value[0];
        walker->value[1] = v;
        walker = walker->next;
    }
    memcpy(copies + from, cells + from, CELLS / 8 * sizeof(*cells));
    return v ^ copies[from].value[1];
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        uint64_t (*run)(uint64_t v);
    } kinds[] = {
        { "integer", integer }, { "branchy", branchy },
        { "indirect", indirect }, { "memory", memory },
    };
    char *end = NULL;
    unsigned long rounds = argc == 3 ? strtoul(argv[2], &end, 10) : 0;
    unsigned k = 0;
    uint64_t v = 1;

    while (argc == 3 && k < 4 && strcmp(argv[1], kinds[k].name) != 0) {
        k++;
    }
    if (argc != 3 || k == 4 || end == argv[2] || *end) {
        fprintf(stderr, "usage: kinds integer|branchy|indirect|memory "
                "ROUNDS\n");
        return 2;
    }
    if (kinds[k].run == memory) {
        make_ring();
    }
    for (unsigned long i = 0; i < rounds; i++) {
        v = kinds[k].run(v);
    }
    printf("kinds: %s, %lu rounds, %016llx\n", argv[1], rounds,
           (unsigned long long)v);
    printf("kinds: done\n");
    return 0;
}
