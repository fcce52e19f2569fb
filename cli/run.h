/*
 * csvirt run: what its parts share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_CLI_RUN_H
#define CSVIRT_CLI_RUN_H

#include <stdio.h>

#include "cli/cli.h"

/* The options as given. */
struct run_options {
    char *kernel, *modules, *perf, *topology, *memory, *append, *exec;
    char *accel, *sched, *snapshot, *exec_log, *events, *qemu, *qemu_opts;
    char **copy, **pull;
    int cpus, timeout_s, dilation;
    gint64 seed;
    gboolean deterministic, warm, fail_on_warn, gdb, offline, dry_run, verbose;
};

/* One file to fetch from the guest. */
struct run_pull {
    char *guest, *host;
    gboolean seen;              /* the guest has sent it */
};

/* What a run is made of, once every input has been looked at. */
struct run_plan {
    const struct run_options *opt;
    char *tmp;                  /* folder of this run, removed at its end */
    char *qemu, *kernel, *initrd, *version;
    char *dtbo;                 /* compiled topology */
    char *files;                /* --copy as an archive of its own, or NULL */
    char *warm;                 /* folder of the saved machine, or NULL */
    gboolean saving;            /* boot to save it there, not from it */
    unsigned cpus;
    struct run_pull *pulls;
    size_t n_pulls;
    /* Files in tmp that the emulator writes. */
    char *console, *out, *err, *ctl, *pull, *qmp;
};

/*
 * run_plan_make: check the inputs and make what the run needs below @plan->tmp.
 * returns: CLI_OK, or CLI_USAGE with what is wrong said.
 */
int run_plan_make(struct run_plan *plan, const struct run_options *opt);

/*
 * Places for results: what cannot be written is said.  run_room_ok: a folder
 * with room to start; run_place_snapshot: an empty or new folder;
 * run_place_file: the file of --@option.
 * returns: CLI_OK or CLI_USAGE.
 */
int run_room_ok(const char *dir);
int run_place_snapshot(const char *dir);
int run_place_file(const char *option, const char *file);

/* run_plan_free: frees all and removes the run's folder. */
void run_plan_free(struct run_plan *plan);

/* run_argv: the emulator's command line, NULL-terminated (g_strfreev). */
char **run_argv(const struct run_plan *plan);

/*
 * run_guest: start the emulator and stay with it to its end.
 * returns: the exit status of csvirt (enum cli_status).
 */
int run_guest(struct run_plan *plan, char **argv);

/*
 * run_take_pulls: write the files that the guest has sent.
 * returns: CLI_OK; CLI_FAILED after saying which file is missing.
 */
int run_take_pulls(struct run_plan *plan);

/*
 * kernel_log_report: list the WARNING, BUG, lockdep, KASAN, Oops, lockup and
 * RCU stall reports of a console log with their functions.
 * in: @console: file name; @to: where a line for each goes.
 * returns: their number.
 */
unsigned kernel_log_report(const char *console, FILE *to);

/* kernel_log_panicked: the kernel panicked.  returns: its line, or NULL. */
char *kernel_log_panicked(const char *console);

/* kernel_log_tail: the last @lines lines of the console, indented. */
void kernel_log_tail(const char *console, unsigned lines, FILE *to);

#endif
