/*
 * Counts the instructions of an execution log (hw/exec_log_format.h), without
 * any code of the writer, of "csvirt verify" or of a decoder: the oracle for
 * tests that count samples.
 *
 *   logcount [-e EL] [-c CONTEXTIDR] [-l] [-a SHIFT] LOG
 *
 * Prints the number of instructions that retired while their CPU's trace unit
 * was on, at exception level EL (0 to 3; default: any), with CONTEXTIDR
 * (default: any). -l prints instead one line for each CONTEXTIDR and EL:
 * "CONTEXTIDR EL INSTRUCTIONS"; with -a SHIFT bits SHIFT+15:SHIFT of the
 * address take the place of CONTEXTIDR. Exit status: 0, or 2 for a bad log.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hw/exec_log_format.h"

#define CPUS_MAX    0x10000u
#define TOTALS_MAX  0x10000u

struct total {
    uint64_t key;
    unsigned el;
    uint64_t insns;
};

struct cpu {
    bool on;                    /* unit window; true when none was told */
    bool told;
    uint8_t state;
    uint64_t contextidr;
    uint64_t end;               /* address behind the last run */
};

static struct cpu cpus[CPUS_MAX];
static struct total totals[TOTALS_MAX];
static size_t n_totals, last;
static int key_bit = -1;            /* -a: count by address */
static const char *log_name;

static void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)))
    __attribute__((noreturn));
static void die(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fprintf(stderr, "logcount: %s: ", log_name);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(2);
}

static uint64_t le(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;

    while (n--) {
        v = v << 8 | p[n];
    }
    return v;
}

/* The payload being read. */
struct cursor {
    const uint8_t *p, *end;
};

static const uint8_t *take(struct cursor *c, uint64_t n)
{
    const uint8_t *p = c->p;

    if (n > (uint64_t)(c->end - c->p)) {
        die("a record passes the end of its block");
    }
    c->p += n;
    return p;
}

static uint64_t leb(struct cursor *c)
{
    uint64_t v = 0;
    unsigned shift = 0;
    uint8_t b;

    do {
        b = *take(c, 1);
        if (shift > 63) {
            die("a number has more than 64 bits");
        }
        v |= (uint64_t)(b & 0x7f) << shift;
        shift += 7;
    } while (b & 0x80);
    return v;
}

static void add(const struct cpu *cpu, uint64_t va, uint64_t n)
{
    unsigned el = cpu->state & EXEC_LOG_STATE_EL;
    uint64_t key = key_bit < 0 ? cpu->contextidr : va >> key_bit & 0xffff;
    size_t i = last;

    if (cpu->told && !cpu->on) {
        return;
    }
    if (i >= n_totals || totals[i].key != key || totals[i].el != el) {
        for (i = 0; i < n_totals; i++) {
            if (totals[i].key == key && totals[i].el == el) {
                break;
            }
        }
    }
    if (i == n_totals) {
        if (n_totals == TOTALS_MAX) {
            die("more than %u keys", TOTALS_MAX);
        }
        totals[n_totals].key = key;
        totals[n_totals++].el = el;
    }
    totals[i].insns += n;
    last = i;
}

static void record(struct cpu *cpu, struct cursor *c)
{
    uint8_t kind = *take(c, 1);
    uint64_t n, d;

    switch (kind) {
    case EXEC_LOG_RUN:
    case EXEC_LOG_RUN_NEW:
        d = leb(c);
        n = leb(c);
        if (kind == EXEC_LOG_RUN_NEW) {
            take(c, 4 * n);
        }
        cpu->end += 4 * (d >> 1 ^ -(d & 1));
        add(cpu, cpu->end, n);
        cpu->end += 4 * n;
        break;
    case EXEC_LOG_STATE:
        leb(c);
        cpu->state = *take(c, 1);
        cpu->contextidr = leb(c);
        leb(c);
        break;
    case EXEC_LOG_EXCEPTION:
        leb(c);
        take(c, 17);
        break;
    case EXEC_LOG_REG:
        leb(c);
        leb(c);
        leb(c);
        break;
    case EXEC_LOG_SINK:
        leb(c);
        leb(c);
        take(c, 1);
        leb(c);
        break;
    case EXEC_LOG_GAP:
        leb(c);
        break;
    case EXEC_LOG_WINDOW:
        leb(c);
        cpu->on = *take(c, 1);
        cpu->told = true;
        break;
    default:
        die("record of unknown kind %u", kind);
    }
}

static void read_log(FILE *f)
{
    static uint8_t payload[EXEC_LOG_BLOCK_MAX];
    uint8_t head[EXEC_LOG_BLOCK_HEADER];

    if (fread(head, 1, EXEC_LOG_HEADER_SIZE, f) != EXEC_LOG_HEADER_SIZE ||
        memcmp(head, EXEC_LOG_MAGIC, 8) ||
        le(head + 8, 2) != EXEC_LOG_VERSION) {
        die("no execution log of version %u", EXEC_LOG_VERSION);
    }
    for (;;) {
        struct cursor c = { .p = payload };
        unsigned cpu;
        uint64_t len;

        if (fread(head, 1, sizeof(head), f) != sizeof(head)) {
            die("ends without its end block");
        }
        cpu = (unsigned)le(head + 4, 2);
        len = le(head + 8, 4);
        if (le(head, 4) != EXEC_LOG_BLOCK_MAGIC || len > sizeof(payload) ||
            fread(payload, 1, len, f) != len) {
            die("a broken block");
        }
        if (cpu == EXEC_LOG_END_CPU) {
            return;
        }
        c.end = payload + len;
        cpus[cpu].end = 0;
        while (c.p < c.end) {
            record(&cpus[cpu], &c);
        }
    }
}

int main(int argc, char **argv)
{
    uint64_t contextidr = 0, sum = 0;
    bool any_context = true, list = false;
    int el = -1, o;
    FILE *f;

    while ((o = getopt(argc, argv, "e:c:la:")) != -1) {
        switch (o) {
        case 'e':
            el = atoi(optarg);
            break;
        case 'c':
            contextidr = strtoull(optarg, NULL, 0);
            any_context = false;
            break;
        case 'a':
            key_bit = atoi(optarg);
            break;
        case 'l':
            list = true;
            break;
        default:
            return 2;
        }
    }
    if (optind != argc - 1) {
        fprintf(stderr, "usage: logcount [-l] [-a SHIFT] [-e EL] "
                "[-c CONTEXTIDR] LOG\n");
        return 2;
    }
    log_name = argv[optind];
    f = fopen(log_name, "rb");
    if (!f) {
        die("cannot be opened");
    }
    read_log(f);
    fclose(f);
    for (size_t i = 0; i < n_totals; i++) {
        const struct total *t = &totals[i];

        if ((el >= 0 && t->el != (unsigned)el) ||
            (!any_context && t->key != contextidr)) {
            continue;
        }
        sum += t->insns;
        if (list) {
            printf("%" PRIu64 " %u %" PRIu64 "\n", t->key, t->el,
                   t->insns);
        }
    }
    if (!list) {
        printf("%" PRIu64 "\n", sum);
    }
    return 0;
}
