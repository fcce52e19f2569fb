/*
 * Snapshot folders: each read-out in the Trace and Debug Snapshot form.
 *
 * A folder is one that csvirt run --snapshot has written (0001/, 0002/, ...,
 * index.tsv), or a single snapshot from anywhere (snapshot.ini in it).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_CLI_SNAPSHOT_H
#define CSVIRT_CLI_SNAPSHOT_H

#include <glib.h>
#include <stdint.h>

/* A register of a trace unit; its value is 0 unless the file has it. */
enum snap_reg {
    SNAP_CONFIGR, SNAP_TRACEIDR, SNAP_IDR0, SNAP_IDR1, SNAP_IDR2, SNAP_IDR8,
    SNAP_IDR9, SNAP_IDR10, SNAP_IDR11, SNAP_IDR12, SNAP_IDR13,
    SNAP_REG_COUNT
};

/* A trace unit whose trace a buffer may have. */
struct snap_source {
    char *name;                 /* "etm_0" */
    char *core;                 /* "cpu_0" */
    int cpu;                    /* number at the end of the core's name */
    gboolean etm4;              /* else another kind: not decoded */
    uint32_t reg[SNAP_REG_COUNT];
    unsigned atid;
};

/* One buffer of one snapshot. */
struct snap_readout {
    unsigned number;            /* folder number; 0: a single snapshot */
    char *label;                /* "0001 tmc_etr0" */
    char *sink;
    char *file;                 /* path of the trace data */
    gboolean formatted;         /* 16-byte frames; else one source's bytes */
    struct snap_source *sources;
    size_t n_sources;
    /* From index.tsv, if there is one. */
    gboolean indexed, wrapped;
    uint64_t time_ns, seq;
};

struct snap_set {
    struct snap_readout *readouts;      /* by number */
    size_t n_readouts;
};

/*
 * snap_open: read all that @dir has.
 * returns: the set, with at least one read-out; NULL with *@error set
 * (g_free), one line that names the file.
 */
struct snap_set *snap_open(const char *dir, char **error);
void snap_free(struct snap_set *set);

/* The ETMv4 unit of trace ID @atid, or NULL. */
const struct snap_source *snap_source_of(const struct snap_readout *r,
                                         unsigned atid);

#endif
