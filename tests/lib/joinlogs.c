/*
 * joinlogs: makes one run out of those of a chain of emulators (savestate).
 *
 *   joinlogs OUT DIR LOG [DIR LOG]...
 *
 * DIR and LOG are the snapshot folder and the execution log of one emulator, in
 * order. OUT/log is one execution log: each CPU's streams one after the other,
 * sequence and snapshot numbers going on. The snapshots are moved to OUT/snap
 * with numbers that go on, and index.tsv. Format: hw/exec_log_format.h; no
 * code is shared with its writer or with csvirt. Exit status: 0, or 2 with a
 * line on stderr.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hw/exec_log_format.h"
#include "tests/lib/logread.h"

#define ROOM 2048u              /* a record with its opcodes, at most */

/* One CPU's stream of the joined log. */
struct out {
    uint8_t payload[EXEC_LOG_BLOCK_MAX];
    uint32_t len, records, block;
    uint64_t expect;            /* end of the last run in this block */
};

static struct out *outs;
static unsigned n_cpus;
static FILE *joined, *index_file;
static uint64_t n_blocks;
/* What is added to numbers of the log being read; the next log's. */
static uint64_t seq_base, seq_top, number_base, number_top;

/* ---- writing ------------------------------------------------------------- */

static void put_le(uint8_t *p, uint64_t v, unsigned n)
{
    while (n--) {
        *p++ = (uint8_t)v;
        v >>= 8;
    }
}

static void put(struct out *o, const uint8_t *p, size_t n)
{
    memcpy(o->payload + o->len, p, n);
    o->len += (uint32_t)n;
}

static void put_byte(struct out *o, unsigned v)
{
    o->payload[o->len++] = (uint8_t)v;
}

static void put_leb(struct out *o, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) {
        put_byte(o, (unsigned)(v & 0x7f) | 0x80);
    }
    put_byte(o, (unsigned)v);
}

static void write_block(unsigned cpu, const uint8_t *payload, uint32_t len,
                        uint32_t number, uint32_t records)
{
    uint8_t head[EXEC_LOG_BLOCK_HEADER];

    put_le(head, EXEC_LOG_BLOCK_MAGIC, 4);
    put_le(head + 4, cpu, 4);
    put_le(head + 8, len, 4);
    put_le(head + 12, logread_crc(payload, len), 4);
    put_le(head + 16, number, 4);
    put_le(head + 20, records, 4);
    if (fwrite(head, 1, sizeof(head), joined) != sizeof(head) ||
        fwrite(payload, 1, len, joined) != len) {
        logread_die("cannot write the joined log: %s", strerror(errno));
    }
}

static void flush_out(unsigned cpu)
{
    struct out *o = &outs[cpu];

    if (o->records) {
        write_block(cpu, o->payload, o->len, o->block++, o->records);
        n_blocks++;
    }
    o->len = o->records = 0;
    o->expect = 0;
}

/* ---- records ------------------------------------------------------------- */

static void copy_seq(struct out *o, struct cursor *c)
{
    uint64_t seq = cursor_leb(c) + seq_base;

    seq_top = seq > seq_top ? seq : seq_top;
    put_leb(o, seq);
}

static void copy_run(struct out *o, struct cursor *c, unsigned kind,
                     uint64_t *expect)
{
    uint64_t z = cursor_leb(c);
    uint64_t va = *expect + 4 * (z >> 1 ^ (0 - (z & 1)));
    uint64_t n = cursor_leb(c);
    int64_t d = (int64_t)(va - o->expect) / 4;

    put_leb(o, (uint64_t)d << 1 ^ (uint64_t)(d >> 63));
    put_leb(o, n);
    if (kind == EXEC_LOG_RUN_NEW) {
        if (4 * n > ROOM - 64) {
            logread_die("a run with %" PRIu64 " opcodes", n);
        }
        put(o, cursor_take(c, 4 * n), 4 * n);
    }
    *expect = o->expect = va + 4 * n;
}

static void copy_sink(struct out *o, struct cursor *c)
{
    uint8_t kind;
    uint64_t number;

    copy_seq(o, c);
    put_leb(o, cursor_leb(c));
    kind = *cursor_take(c, 1);
    number = cursor_leb(c);
    if (kind == EXEC_LOG_SINK_READOUT && number) {
        number += number_base;
        number_top = number > number_top ? number : number_top;
    }
    put_byte(o, kind);
    put_leb(o, number);
}

static void copy_record(unsigned cpu, struct cursor *c, uint64_t *expect)
{
    struct out *o = &outs[cpu];
    unsigned kind = *cursor_take(c, 1);

    if (o->len > EXEC_LOG_BLOCK_MAX - ROOM) {
        flush_out(cpu);
    }
    o->records++;
    put_byte(o, kind);
    switch (kind) {
    case EXEC_LOG_RUN:
    case EXEC_LOG_RUN_NEW:
        copy_run(o, c, kind, expect);
        break;
    case EXEC_LOG_STATE:
        copy_seq(o, c);
        put(o, cursor_take(c, 1), 1);
        put_leb(o, cursor_leb(c));
        put_leb(o, cursor_leb(c));
        break;
    case EXEC_LOG_EXCEPTION:
        copy_seq(o, c);
        put(o, cursor_take(c, 17), 17);
        break;
    case EXEC_LOG_REG:
        copy_seq(o, c);
        put_leb(o, cursor_leb(c));
        put_leb(o, cursor_leb(c));
        break;
    case EXEC_LOG_SINK:
        copy_sink(o, c);
        break;
    case EXEC_LOG_GAP:
        copy_seq(o, c);
        break;
    case EXEC_LOG_WINDOW:
        copy_seq(o, c);
        put(o, cursor_take(c, 1), 1);
        break;
    default:
        logread_die("record of unknown kind %u", kind);
    }
}

static void begin_joined(unsigned cpus)
{
    uint8_t head[EXEC_LOG_HEADER_SIZE] = EXEC_LOG_MAGIC;

    n_cpus = cpus;
    outs = calloc(cpus, sizeof(*outs));
    put_le(head + 8, EXEC_LOG_VERSION, 2);
    put_le(head + 10, cpus, 2);
    if (!outs || fwrite(head, 1, sizeof(head), joined) != sizeof(head)) {
        logread_die("cannot begin the joined log");
    }
}

static void read_log(FILE *f)
{
    unsigned cpus = logread_begin(f), cpu;
    struct cursor c;

    if (!n_cpus) {
        begin_joined(cpus);
    }
    while (logread_block(f, &cpu, &c)) {
        uint64_t expect = 0;

        if (cpu >= n_cpus) {
            logread_die("CPU %u of %u", cpu, n_cpus);
        }
        while (c.p < c.end) {
            copy_record(cpu, &c, &expect);
        }
    }
}

/* ---- snapshots ----------------------------------------------------------- */

static void move_snapshots(const char *dir, const char *out)
{
    char from[4096], to[4096], line[1024], rest[1024];
    uint64_t number, seq;
    FILE *f;

    snprintf(from, sizeof(from), "%s/index.tsv", dir);
    f = fopen(from, "r");
    while (f && fgets(line, sizeof(line), f)) {
        if (sscanf(line, "%" SCNu64 "\t%1000[^\n]", &number, rest) != 2 ||
            !strrchr(rest, '\t')) {
            logread_die("index.tsv: %s", line);
        }
        seq = strtoull(strrchr(rest, '\t'), NULL, 10);
        *strrchr(rest, '\t') = '\0';
        snprintf(from, sizeof(from), "%s/%04" PRIu64, dir, number);
        snprintf(to, sizeof(to), "%s/snap/%04" PRIu64, out,
                 number + number_base);
        if (rename(from, to)) {
            logread_die("%s to %s: %s", from, to, strerror(errno));
        }
        fprintf(index_file, "%" PRIu64 "\t%s\t%" PRIu64 "\n",
                number + number_base, rest, seq + seq_base);
    }
    if (f) {
        fclose(f);              /* none: an emulator without a read-out */
    }
}

static FILE *open_out(const char *out, const char *name)
{
    char path[4096];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", out, name);
    f = fopen(path, "w");
    if (!f) {
        logread_die("%s: %s", path, strerror(errno));
    }
    return f;
}

int main(int argc, char **argv)
{
    uint8_t end[8];
    char path[4096];

    if (argc < 4 || argc % 2) {
        fprintf(stderr, "usage: joinlogs OUT DIR LOG [DIR LOG]...\n");
        return 2;
    }
    logread_name = argv[1];
    snprintf(path, sizeof(path), "%s/snap", argv[1]);
    if ((mkdir(argv[1], 0777) && errno != EEXIST) ||
        (mkdir(path, 0777) && errno != EEXIST)) {
        logread_die("%s", strerror(errno));
    }
    joined = open_out(argv[1], "log");
    index_file = open_out(argv[1], "snap/index.tsv");
    for (int i = 2; i < argc; i += 2) {
        FILE *f = fopen(argv[i + 1], "rb");

        logread_name = argv[i + 1];
        if (!f) {
            logread_die("%s", strerror(errno));
        }
        read_log(f);
        fclose(f);
        logread_name = argv[i];
        move_snapshots(argv[i], argv[1]);
        seq_base = seq_top;
        number_base = number_top;
    }
    for (unsigned cpu = 0; cpu < n_cpus; cpu++) {
        flush_out(cpu);
    }
    put_le(end, n_blocks, 8);
    write_block(EXEC_LOG_END_CPU, end, sizeof(end), 0, 0);
    if (fclose(joined) | fclose(index_file)) {
        logread_die("%s", strerror(errno));
    }
    return 0;
}
