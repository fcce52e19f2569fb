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
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hw/exec_log_format.h"
#include "tests/lib/logread.h"

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
            logread_die("more than %u keys", TOTALS_MAX);
        }
        totals[n_totals].key = key;
        totals[n_totals++].el = el;
    }
    totals[i].insns += n;
    last = i;
}

static void record(struct cpu *cpu, struct cursor *c)
{
    uint8_t kind = *cursor_take(c, 1);
    uint64_t n, d;

    switch (kind) {
    case EXEC_LOG_RUN:
    case EXEC_LOG_RUN_NEW:
        d = cursor_leb(c);
        n = cursor_leb(c);
        if (kind == EXEC_LOG_RUN_NEW) {
            cursor_take(c, 4 * n);
        }
        cpu->end += 4 * (d >> 1 ^ -(d & 1));
        add(cpu, cpu->end, n);
        cpu->end += 4 * n;
        break;
    case EXEC_LOG_STATE:
        cursor_leb(c);
        cpu->state = *cursor_take(c, 1);
        cpu->contextidr = cursor_leb(c);
        cursor_leb(c);
        break;
    case EXEC_LOG_EXCEPTION:
        cursor_leb(c);
        cursor_take(c, 17);
        break;
    case EXEC_LOG_REG:
        cursor_leb(c);
        cursor_leb(c);
        cursor_leb(c);
        break;
    case EXEC_LOG_SINK:
        cursor_leb(c);
        cursor_leb(c);
        cursor_take(c, 1);
        cursor_leb(c);
        break;
    case EXEC_LOG_GAP:
        cursor_leb(c);
        break;
    case EXEC_LOG_WINDOW:
        cursor_leb(c);
        cpu->on = *cursor_take(c, 1);
        cpu->told = true;
        break;
    default:
        logread_die("record of unknown kind %u", kind);
    }
}

static void read_log(FILE *f)
{
    struct cursor c;
    unsigned cpu;

    logread_begin(f);
    while (logread_block(f, &cpu, &c)) {
        if (cpu >= CPUS_MAX) {
            logread_die("CPU %u", cpu);
        }
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
    logread_name = argv[optind];
    f = fopen(logread_name, "rb");
    if (!f) {
        logread_die("cannot be opened");
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
