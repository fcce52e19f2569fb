/*
 * Two decoders, one sequence of instructions? For each trace ID, the
 * addresses of perf's samples (one an instruction) against the ranges of
 * OpenCSD's lister.
 *
 *   samesteps LIST SAMPLES
 *
 * LIST is what trc_pkt_lister -decode prints; SAMPLES are lines "[CPU] ADDRESS"
 * (perf script --itrace=i1i -F cpu,ip). CPU n has the ID 0x10 + 2n, as Linux
 * gives it while it is free. Prints "ID INSTRUCTIONS" a line.
 * Exit status: 0; 1 they differ, with the first place on stderr; 2 bad input.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDS 0x80u

struct steps {
    uint64_t *va;
    size_t n, room;
};

static struct steps listed[IDS], sampled[IDS];

static void add(struct steps *s, uint64_t va)
{
    if (s->n == s->room) {
        s->room = s->room ? 2 * s->room : 4096;
        s->va = realloc(s->va, s->room * sizeof(*s->va));
        if (!s->va) {
            fputs("samesteps: no memory\n", stderr);
            exit(2);
        }
    }
    s->va[s->n++] = va;
}

/* "Idx:32; ID:12; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0xA:[0xB] ..." */
static void take_range(const char *line)
{
    static const char kind[] = "OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=";
    const char *id = strstr(line, "ID:"), *range = strstr(line, kind);
    uint64_t from, to;
    unsigned n;

    if (!range) {
        return;
    }
    if (!id || sscanf(id, "ID:%x", &n) != 1 || n >= IDS ||
        sscanf(range + strlen(kind), "%" SCNx64 ":[%" SCNx64 "]", &from,
               &to) != 2 || to < from || (to - from) % 4) {
        fprintf(stderr, "samesteps: no range: %s", line);
        exit(2);
    }
    for (; from < to; from += 4) {
        add(&listed[n], from);
    }
}

static void take_sample(const char *line)
{
    uint64_t va;
    unsigned cpu;

    if (sscanf(line, " [%u] %" SCNx64, &cpu, &va) == 2 &&
        0x10 + 2 * cpu < IDS) {
        add(&sampled[0x10 + 2 * cpu], va);
    }
}

static void read_lines(const char *name, void (*take)(const char *))
{
    FILE *f = fopen(name, "r");
    char line[4096];

    if (!f) {
        perror(name);
        exit(2);
    }
    while (fgets(line, sizeof(line), f)) {
        take(line);
    }
    fclose(f);
}

/* returns: 0 when both are the same. */
static int compare(unsigned id)
{
    const struct steps *a = &listed[id], *b = &sampled[id];
    size_t i = 0;

    while (i < a->n && i < b->n && a->va[i] == b->va[i]) {
        i++;
    }
    if (i == a->n && i == b->n) {
        return 0;
    }
    fprintf(stderr, "samesteps: ID 0x%02x: %zu listed, %zu sampled; at %zu: "
            "0x%" PRIx64 ", 0x%" PRIx64 "\n", id, a->n, b->n, i,
            i < a->n ? a->va[i] : 0, i < b->n ? b->va[i] : 0);
    return 1;
}

int main(int argc, char **argv)
{
    int bad = 0;

    if (argc != 3) {
        fputs("usage: samesteps LIST SAMPLES\n", stderr);
        return 2;
    }
    read_lines(argv[1], take_range);
    read_lines(argv[2], take_sample);
    for (unsigned id = 0; id < IDS; id++) {
        if (listed[id].n || sampled[id].n) {
            bad |= compare(id);
            printf("0x%02x %zu\n", id, listed[id].n);
        }
    }
    return bad;
}
