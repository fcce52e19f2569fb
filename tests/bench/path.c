/*
 * path [FILE]: what the way of a trace costs, without an emulator: PE records
 * through the trace unit alone, then on through formatter and ETR into
 * memory.
 *
 * FILE holds struct pe_record as the emulator makes them, the first from a
 * start on; without it three kinds are made up. Prints for each kind the
 * nanoseconds a record takes, least of several rounds, and the bytes it makes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "models/etm4.h"
#include "models/tmc.h"
#include "models/tmc_regs.h"

#define RECORDS 16000u     /* they fit in a cache */
#define REPEATS 60
#define DRAIN   1000u           /* records that come at once */
#define ROUNDS  9
#define MEMORY  (1u << 20)      /* the ETR's buffer */
#define STATE   (PE_STATE_NS | PE_STATE_A64)

struct path {
    struct etm4 unit;
    struct tmc etr;
    struct atb_node hole;
    struct atb_link link;
    uint8_t memory[MEMORY];
};

static struct path path;

static void die(const char *what)
{
    fprintf(stderr, "path: %s\n", what);
    exit(2);
}

static bool mem_write(void *arg, uint64_t addr, const uint8_t *buf, size_t n)
{
    memcpy((uint8_t *)arg + addr, buf, n);
    return true;
}

static void hole_push(void *self, unsigned port, uint8_t atid,
                      const uint8_t *bytes, size_t n)
{
    (void)self, (void)port, (void)atid, (void)bytes, (void)n;
}

static void unit_write(uint32_t off, uint32_t val)
{
    if (etm4_write(&path.unit, off, 4, val, 0) != REG_OK) {
        die("the trace unit refuses a register");
    }
}

static void etr_write(uint32_t off, uint32_t val)
{
    if (tmc_write(&path.etr, off, val, 0) != REG_OK) {
        die("the ETR refuses a register");
    }
}

/* A session as perf's default: context IDs and timestamps, all levels. */
static void path_start(bool to_memory)
{
    static const struct atb_ops hole_ops = { hole_push, NULL };
    struct etm4_params params;
    struct tmc_params tmc_params;
    const struct tmc_ops ops = { mem_write, NULL, path.memory };

    etm4_params_default(&params);
    etm4_init(&path.unit, &params);
    tmc_params_default(&tmc_params);
    tmc_init(&path.etr, &tmc_params, &ops);
    path.hole.ops = &hole_ops;
    path.link.from = &path.unit.atb;
    path.link.to = to_memory ? &path.etr.atb : &path.hole;
    path.unit.out = &path.link;

    etr_write(0xfb0, 0xc5acce55);
    etr_write(TMC_RSZ, MEMORY / 4);
    etr_write(TMC_FFCR, 0x133);
    etr_write(TMC_CTL, 1);

    unit_write(0xfb0, 0xc5acce55);
    unit_write(0x300, 0);
    unit_write(0x010, 0x840);   /* TRCCONFIGR: TS, CID */
    unit_write(0x034, 0xc);     /* TRCSYNCPR */
    unit_write(0x040, 0x10);
    unit_write(0x080, 0x201);
    unit_write(0x004, 1);
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* returns: nanoseconds a record, the least of all rounds */
static double replay(const struct pe_record *rec, size_t n, bool to_memory,
                     double *bytes)
{
    double least = 1e9;
    int round;

    for (round = 0; round < ROUNDS; round++) {
        double from, took;
        size_t i, r;

        path_start(to_memory);
        from = seconds();
        for (r = 0; r < REPEATS; r++) {
            for (i = 0; i < n; i += DRAIN) {
                etm4_pe(&path.unit, rec + i, n - i < DRAIN ? n - i : DRAIN);
            }
        }
        took = seconds() - from;
        least = took < least ? took : least;
    }
    *bytes = (double)path.unit.enc.made / (double)n / REPEATS;
    return least * 1e9 / (double)n / REPEATS;
}

static void measure(const char *what, const struct pe_record *rec, size_t n)
{
    double bytes, unit = replay(rec, n, false, &bytes);
    double all = replay(rec, n, true, &bytes);

    printf("%-10s %8.2f %8.2f %8.2f\n", what, unit, all, bytes);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static uint64_t some_atoms(uint32_t *seed, unsigned n)
{
    uint64_t atoms = 1;

    while (n--) {
        atoms = atoms << 1 | (next_random(seed) % 8 < 5);
    }
    return atoms;
}

static const char *const kinds[] = { "indirect", "branchy", "long" };

/* Calls and returns among 16 functions; branches only; far targets. */
static struct pe_record made_up(unsigned kind, uint32_t *seed)
{
    struct pe_record r = { 0, 0x400000 };
    uint32_t v = next_random(seed);

    switch (kind) {
    case 0:
        r.head = some_atoms(seed, v % 8 % 5);
        r.addr += (v >> 8 & 15) * 52;
        break;
    case 1:
        r.head = (uint64_t)PE_ATOMS << PE_KIND_SHIFT |
                 some_atoms(seed, PE_ATOMS_MAX);
        r.addr = 0;
        break;
    default:
        r.head = some_atoms(seed, v % 24);
        r.addr = (v & 1 ? 0xffff800080000000 : r.addr) + (v & 0xffffc);
        break;
    }
    return r;
}

static void begin(struct pe_record *rec)
{
    rec[0].head = (uint64_t)PE_CONTEXT << PE_KIND_SHIFT | 0x123;
    rec[0].addr = 0;
    rec[1].head = (uint64_t)PE_TIME << PE_KIND_SHIFT;
    rec[1].addr = 1;
    rec[2].head = (uint64_t)PE_START << PE_KIND_SHIFT | STATE;
    rec[2].addr = 0x400000;
}

static size_t from_file(const char *name, struct pe_record *rec, size_t max)
{
    FILE *f = fopen(name, "rb");
    size_t n = f ? fread(rec, sizeof(*rec), max, f) : 0;

    if (!f || ferror(f) || n == 0) {
        fprintf(stderr, "path: %s cannot be read\n", name);
        exit(2);
    }
    fclose(f);
    return n;
}

int main(int argc, char **argv)
{
    struct pe_record *rec = calloc(RECORDS, sizeof(*rec));
    unsigned kind;
    size_t i;

    if (argc > 2) {
        die("usage: path [FILE]");
    }
    if (!rec) {
        die("no memory");
    }
    printf("%-10s %8s %8s %8s\n", "", "unit ns", "all ns", "bytes");
    begin(rec);
    for (kind = 0; argc == 1 && kind < 3; kind++) {
        uint32_t seed = 1;

        for (i = 3; i < RECORDS; i++) {
            rec[i] = made_up(kind, &seed);
        }
        measure(kinds[kind], rec, RECORDS);
    }
    if (argc == 2) {
        measure("file", rec, from_file(argv[1], rec, RECORDS));
    }
    free(rec);
    return 0;
}
