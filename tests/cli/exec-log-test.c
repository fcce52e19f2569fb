/*
 * The execution log's writer against a reader of its own, written from the
 * format's description: a random history of several CPUs comes back whole,
 * in order, with the right opcodes; dropped instructions do not.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/exec_log_format.h"
#include "program.h"
#include "tests/tap/tap.h"

#define CPUS  3
#define STEPS 200000
#define CODE  4096              /* words of code; some change at times */
#define BASE  0xffff800000000000ull

/* What one CPU did: instructions, and events as their sequence numbers. */
struct item {
    bool insn;
    uint64_t va;                /* or seq */
    uint32_t opcode;
};

static struct item *did[CPUS];
static size_t n_did[CPUS];

static void note(unsigned cpu, struct item item)
{
    did[cpu][n_did[cpu]++] = item;
}

/* ---- history ------------------------------------------------------------ */

static uint32_t code[CODE];

/* Sink events are in every stream: told now, there before the next insn. */
static void sink_event(struct exec_log *log, unsigned cpu)
{
    uint64_t seq = exec_log_sink(log, cpu, 1, EXEC_LOG_SINK_STOP, 0);

    for (unsigned i = 0; i < CPUS; i++) {
        note(i, (struct item){ .va = seq });
    }
}

static void make_history(struct exec_log *log, struct prng *rng)
{
    uint64_t at[CPUS] = { 0 };
    uint64_t seq = 0;

    for (unsigned step = 0; step < STEPS; step++) {
        unsigned cpu = (unsigned)prng_below(rng, CPUS);
        uint64_t *i = &at[cpu];

        if (!prng_below(rng, 6)) {
            *i = prng_below(rng, CODE);
        }
        if (!prng_below(rng, 50)) {
            code[*i % CODE] = (uint32_t)prng_u64(rng) | 1;
        }
        exec_log_insn(log, cpu, BASE + 4 * (*i % CODE), code[*i % CODE]);
        if (!prng_below(rng, 20)) {
            if (!exec_log_drop_last(log, cpu)) {
                tap_bail("nothing to drop");
            }
        } else {
            note(cpu, (struct item){ .insn = true,
                                     .va = BASE + 4 * (*i % CODE),
                                     .opcode = code[*i % CODE] });
            (*i)++;
        }
        if (!prng_below(rng, 30)) {
            exec_log_reg(log, cpu, cpu, 4, step);
            note(cpu, (struct item){ .va = ++seq });
        } else if (!prng_below(rng, 100)) {
            unsigned other = (cpu + 1) % CPUS;

            exec_log_reg(log, cpu, other, 4, step);
            note(other, (struct item){ .va = ++seq });
        } else if (!prng_below(rng, 100)) {
            sink_event(log, cpu);
            seq++;
        }
    }
}

/* ---- reader ------------------------------------------------------------- */

static uint64_t le(const uint8_t *p, unsigned n)
{
    return n ? p[0] | le(p + 1, n - 1) << 8 : 0;
}

static uint64_t varint(const uint8_t **p)
{
    uint64_t low = **p & 0x7f;

    return *(*p)++ & 0x80 ? low | varint(p) << 7 : low;
}

static struct sweep same;
static size_t n_read[CPUS];
static uint32_t seen[CPUS][CODE];

static void came_back(unsigned cpu, struct item got)
{
    const struct item *want = &did[cpu][n_read[cpu]];

    if (n_read[cpu] >= n_did[cpu]) {
        sweep_case(&same, false, "cpu %u: more than it did", cpu);
        return;
    }
    sweep_case(&same, want->insn == got.insn && want->va == got.va &&
               want->opcode == got.opcode, "cpu %u item %zu: %d %llx %x",
               cpu, n_read[cpu], got.insn, (unsigned long long)got.va,
               (unsigned)got.opcode);
    n_read[cpu]++;
}

static void read_block(unsigned cpu, const uint8_t *p, const uint8_t *end)
{
    uint64_t expect = 0;

    while (p < end) {
        unsigned kind = *p++;

        if (kind == EXEC_LOG_RUN || kind == EXEC_LOG_RUN_NEW) {
            uint64_t z = varint(&p);
            uint64_t va = expect + 4 * ((z >> 1) ^ (0 - (z & 1)));
            uint64_t n = varint(&p);

            for (uint64_t i = 0; i < n; i++, va += 4) {
                uint32_t *op = &seen[cpu][(va - BASE) / 4 % CODE];

                if (kind == EXEC_LOG_RUN_NEW) {
                    *op = (uint32_t)le(p, 4);
                    p += 4;
                }
                came_back(cpu, (struct item){ true, va, *op });
            }
            expect = va;
            continue;
        }
        came_back(cpu, (struct item){ false, varint(&p), 0 });
        if (kind == EXEC_LOG_SINK) {
            varint(&p);
            p++;
            varint(&p);
        } else if (kind == EXEC_LOG_REG) {
            varint(&p);
            varint(&p);
        } else {
            tap_bail("record kind %u", kind);
        }
    }
}

static void read_log(const char *file)
{
    static uint8_t buf[64 << 20];
    FILE *f = fopen(file, "rb");
    size_t n = f ? fread(buf, 1, sizeof(buf), f) : 0;
    const uint8_t *p = buf + EXEC_LOG_HEADER_SIZE;
    uint64_t blocks = 0;

    ok(n > EXEC_LOG_HEADER_SIZE && !memcmp(buf, EXEC_LOG_MAGIC, 8) &&
       le(buf + 8, 2) == EXEC_LOG_VERSION && le(buf + 10, 2) == CPUS,
       "the header");
    for (; le(p + 4, 2) != EXEC_LOG_END_CPU; blocks++) {
        const uint8_t *begin = p + EXEC_LOG_BLOCK_HEADER;

        if (le(p, 4) != EXEC_LOG_BLOCK_MAGIC || le(p + 4, 2) >= CPUS) {
            tap_bail("no block at byte %zu", (size_t)(p - buf));
        }
        p = begin + le(p + 8, 4);
        read_block((unsigned)le(begin - EXEC_LOG_BLOCK_HEADER + 4, 2), begin,
                   p);
    }
    is_u64(le(p + EXEC_LOG_BLOCK_HEADER, 8), blocks, "blocks in its end");
    is_u64(p + EXEC_LOG_BLOCK_HEADER + 8 - buf, n, "nothing behind the end");
    ok(blocks > CPUS, "several blocks for a CPU");
    fclose(f);
}

int main(int argc, char **argv)
{
    char file[300];
    struct exec_log *log;
    struct prng rng;

    tap_begin(argc, argv, 0);
    prng_seed(&rng, tap_seed());
    snprintf(file, sizeof(file), "%s/log", program_folder());
    for (unsigned i = 0; i < CPUS; i++) {
        did[i] = calloc(2 * STEPS, sizeof(*did[i]));
    }
    for (unsigned i = 0; i < CODE; i++) {
        code[i] = (uint32_t)prng_u64(&rng) | 1;
    }
    log = exec_log_open(file, CPUS);
    if (!log) {
        tap_bail("%s", file);
    }
    make_history(log, &rng);
    is_u64(exec_log_close(log), 0, "written");
    sweep_begin(&same, "all that was done comes back, in order");
    read_log(file);
    sweep_end(&same);
    for (unsigned i = 0; i < CPUS; i++) {
        is_u64(n_read[i], n_did[i], "CPU %u: nothing is missing", i);
        free(did[i]);
    }
    ok(!exec_log_open("/nonexistent/log", 1), "no such folder");
    log = exec_log_open("/dev/full", 1);
    ok(!log, "a full disk is told at once");
    return tap_done();
}
