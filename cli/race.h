/*
 * csvirt race: what its parts share.
 *
 * A boot of the guest runs scenarios (guest/race/scenarios) by the program
 * race (guest/progs/race.c); its lines and its file of AUX buffers become
 * results, and these outcomes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_CLI_RACE_H
#define CSVIRT_CLI_RACE_H

#include <stdint.h>

#include "cli/cli.h"
#include "cli/snapshot.h"

/* Trace in one buffer: of one unit, made in one context. */
struct race_bytes {
    unsigned atid;
    int64_t context;            /* CONTEXTIDR: a thread's ID; -1 unknown */
    uint64_t bytes;
};

/* An event of a scenario and its AUX buffer. */
struct race_buffer {
    char *event, *owner, *target;
    int tid;
    char *refused;              /* "mmap-aux ENOMEM"; NULL: it was opened */
    gboolean reported, inherit, full;
    uint64_t aux, records, truncated, enabled_ns, running_ns;
    uint64_t empty;             /* truncated records without a byte */
    GByteArray *data;           /* what the buffer held */
    GArray *counts;             /* struct race_bytes */
};

/* A worker of a scenario. */
struct race_worker {
    char *name, *parent;        /* @parent: NULL for none */
    int tid;
};

struct race_result {
    char *scenario;
    char *end;                  /* done, failed, timeout; NULL: guest died */
    char *error;                /* what the program said of its end */
    int shell;                  /* status of the last command that failed */
    GPtrArray *buffers;         /* struct race_buffer */
    GArray *workers;            /* struct race_worker */
    GPtrArray *warns;           /* functions, in order */
};

/* One boot. */
struct race_run {
    const char *kernel;
    gint64 seed;
    int status;                 /* of csvirt run */
    GPtrArray *results;         /* struct race_result */
};

struct race_options {
    char **kernels, *seeds, *sched, *topology, *perf, *scenarios, *json, *qemu;
    gint64 replay;
    int timeout_s;
    gboolean offline, markdown, details;
};

/*
 * race_parse: results from what the guest's program printed and from its file.
 * in: @text: lines; @file: contents of the file, may be NULL (@n 0).
 * returns: array of struct race_result (free function set); empty if none.
 */
GPtrArray *race_parse(const char *text, const uint8_t *file, size_t n);

/*
 * race_count: the bytes of each buffer by trace ID and CONTEXTIDR.
 * in: @set: read-outs of the run, which say which unit has which ID; may be
 * NULL, then nothing is counted.
 */
void race_count(GPtrArray *results, const struct snap_set *set,
                const char *tmp);

/*
 * race_outcome: what became of a scenario, in words that compare equal for
 * equal outcomes (g_free).
 */
char *race_outcome(const struct race_result *r);

/* race_sum: bytes of thread @tid in @b; -1: of all. */
uint64_t race_sum(const struct race_buffer *b, int64_t tid);

/*
 * race_boot: one run of the scenarios in file @scenarios.
 * returns: the run (race_run_free), also one that csvirt run has refused;
 * NULL after saying what is wrong with this host.
 */
struct race_run *race_boot(const struct race_options *opt, const char *kernel,
                           gint64 seed, const char *scenarios);
void race_run_free(struct race_run *run);

/*
 * race_select: the scenarios of file @from that are @name, begin with
 * "@name-", or are any for "all", as text for the guest (g_free).
 * out: @names: their names (g_ptr_array with free function).
 * returns: NULL with *@error set (g_free).
 */
char *race_select(const char *from, const char *name, GPtrArray *names,
                  char **error);

/* race_table: outcomes by scenario and kernel on stdout. */
void race_table(const GPtrArray *names, const GPtrArray *runs,
                const struct race_options *opt);

/* race_details: the events of a result, with whose trace each has. */
void race_details(const struct race_result *r);

/* race_json: all of it.  returns: FALSE after saying what is wrong. */
gboolean race_json(const char *file, const GPtrArray *runs);

#endif
