/*
 * randprog: random A64 programs as static executables, and what they shall do.
 *
 *   randprog [-n N] [-s SEED] [-m MOST] [-x] DIR
 *
 * Writes DIR/pNNNN for N programs (100), of the seeds SEED, SEED + 1, ... (1),
 * each of MOST / 100 to MOST instructions (300000); -x: none of the atomics of
 * ARMv8.1. DIR/expected has the eight bytes that each writes, in order;
 * DIR/list.tsv a line for each: number, seed, bits 43:28 of its addresses,
 * instructions, 1 if exclusives may make it more by fours.
 * Prints the seeds. Exit status 2: bad usage, or a file cannot be written.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/truth/randprog.h"

#define PROGRAMS_MAX 4096
#define TRIES        1000
#define FILE_BYTES   0x9000

static void le(uint8_t *p, uint64_t v, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        p[i] = (uint8_t)(v >> 8 * i);
    }
}

/* An ELF64 program header: PT_LOAD of @n bytes at @off of the file. */
static void segment(uint8_t *p, unsigned flags, uint64_t off, uint64_t va,
                    uint64_t n, uint64_t mem)
{
    le(p, 1, 4);
    le(p + 4, flags, 4);
    le(p + 8, off, 8);
    le(p + 16, va, 8);
    le(p + 24, va, 8);
    le(p + 32, n, 8);
    le(p + 40, mem, 8);
    le(p + 48, 0x10000, 8);
}

static void elf_image(const struct prog *p, uint8_t *b)
{
    memcpy(b, "\177ELF\2\1\1", 7);
    le(b + 16, 2, 2);                        /* ET_EXEC, EM_AARCH64 */
    le(b + 18, 183, 2);
    le(b + 20, 1, 4);
    le(b + 24, p->entry, 8);
    le(b + 32, 64, 8);                       /* program headers */
    le(b + 52, 64, 2);
    le(b + 54, 56, 2);
    le(b + 56, 3, 2);
    segment(b + 64, 5, NEAR_AT, p->near.va, 4 * p->near.n, 4 * p->near.n);
    segment(b + 64 + 56, 6, DATA_AT & 0xffff, p->data_va, TABLE_BYTES,
            DATA_BYTES);
    segment(b + 64 + 112, 5, FAR_AT, p->far.va, 4 * p->far.n, 4 * p->far.n);
    for (uint32_t i = 0; i < p->near.n; i++) {
        le(b + NEAR_AT + 4 * i, p->near.word[i], 4);
    }
    for (uint32_t i = 0; i < p->far.n; i++) {
        le(b + FAR_AT + 4 * i, p->far.word[i], 4);
    }
    for (unsigned i = 0; i < TABLE_BYTES / 8; i++) {
        le(b + (DATA_AT & 0xffff) + 8 * i, p->table[i], 8);
    }
}

static void die(const char *what)
{
    fprintf(stderr, "randprog: %s: %s\n", what, strerror(errno));
    exit(2);
}

static FILE *create(const char *dir, const char *name)
{
    char path[4096];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    f = fopen(path, "wb");
    if (!f) {
        die(path);
    }
    return f;
}

static void elf_write(const struct prog *p, const char *dir, unsigned index)
{
    uint8_t image[FILE_BYTES] = { 0 };
    char name[16];
    FILE *f;

    elf_image(p, image);
    snprintf(name, sizeof(name), "p%04u", index);
    f = create(dir, name);
    if (fchmod(fileno(f), 0755) ||
        fwrite(image, 1, sizeof(image), f) != sizeof(image) || fclose(f)) {
        die(name);
    }
}

/*
 * The program of @seed: the first of its attempts that fits and ends within
 * @most instructions.
 */
static void make(struct prog *p, uint64_t seed, unsigned index, uint64_t most)
{
    for (unsigned i = 0; i < TRIES; i++) {
        const char *why;

        p->seed = seed + i * 0x9e3779b97f4a7c15ull;
        if (!generate(p, index)) {
            continue;
        }
        why = interpret(p, most);
        if (!why && p->insns >= most / 100) {
            return;
        }
        if (why && strcmp(why, INTERPRET_LONG)) {
            fprintf(stderr, "randprog: seed %" PRIu64 ", attempt %u: %s\n",
                    seed, i, why);
            exit(2);
        }
    }
    fprintf(stderr, "randprog: seed %" PRIu64 ": no program of at most %"
            PRIu64 " instructions\n", seed, most);
    exit(2);
}

int main(int argc, char **argv)
{
    static struct prog p = { .use = USE_LSE };
    uint64_t seed = 1, most = 300000, sum = 0;
    unsigned n = 100;
    FILE *expected, *list;
    int o;

    while ((o = getopt(argc, argv, "n:s:m:x")) != -1) {
        switch (o) {
        case 'n':
            n = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case 's':
            seed = strtoull(optarg, NULL, 0);
            break;
        case 'm':
            most = strtoull(optarg, NULL, 0);
            break;
        case 'x':
            p.use = 0;
            break;
        default:
            return 2;
        }
    }
    if (optind != argc - 1 || n < 1 || n > PROGRAMS_MAX) {
        fprintf(stderr, "usage: randprog [-n N] [-s SEED] [-m MOST] [-x] "
                "DIR (N: 1 to %u)\n", PROGRAMS_MAX);
        return 2;
    }
    expected = create(argv[optind], "expected");
    list = create(argv[optind], "list.tsv");
    for (unsigned i = 0; i < n; i++) {
        uint8_t sum_le[8];

        make(&p, seed + i, i, most);
        elf_write(&p, argv[optind], i);
        le(sum_le, p.checksum, 8);
        fwrite(sum_le, 1, 8, expected);
        fprintf(list, "%u\t%" PRIu64 "\t%u\t%" PRIu64 "\t%d\n", i, seed + i,
                PROGRAM_FIRST + i, p.insns, p.exclusives);
        sum += p.insns;
    }
    if (fclose(expected) || fclose(list)) {
        die(argv[optind]);
    }
    printf("randprog: %u programs of the seeds %" PRIu64 " to %" PRIu64 ", %"
           PRIu64 " instructions\n", n, seed, seed + n - 1, sum);
    return 0;
}
