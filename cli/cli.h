/*
 * The front end: what its commands share.
 *
 * Results go to stdout, talk to stderr.  The exit statuses are a contract.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_CLI_CLI_H
#define CSVIRT_CLI_CLI_H

#include <glib.h>

enum cli_status {
    CLI_OK = 0,
    CLI_FAILED = 1,             /* the guest's command or a check failed */
    CLI_USAGE = 2,              /* usage or bad input */
    CLI_DIED = 3,               /* the simulator or the guest died */
    CLI_SKIPPED = 77,
    CLI_TIMEOUT = 124,
};

/* One command: @argv[0] is its name.  returns: enum cli_status. */
int cmd_run(int argc, char **argv);
int cmd_decode(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_race(int argc, char **argv);

/* say: "csvirt: " and one line of text on stderr. */
void say(const char *fmt, ...) G_GNUC_PRINTF(1, 2);

/*
 * cli_options: parse the options of a command, in place.
 * in: @usage: what follows "csvirt COMMAND" in the first help line;
 * @summary: the text between that and the options.  --help prints and exits.
 * returns: true; false after saying what is wrong (exit CLI_USAGE).
 */
gboolean cli_options(int *argc, char ***argv, const GOptionEntry *entries,
                     const char *usage, const char *summary);

/* Where the parts of csvirt are, found from the place of the executable. */
struct cli_paths {
    char *data;                 /* has guest/ scripts and board/dts */
    char *bin;                  /* has init, mkcpio and so on */
    char *qemu;                 /* the emulator; may not be built yet */
    char *cache;                /* kernels and images, made by image.sh */
    char *apt_state;            /* lists and packages fetched; may be NULL */
    gboolean installed;         /* else in a build folder */
};

/* cli_paths: the one set of paths of this process; never fails. */
const struct cli_paths *cli_paths(void);

/*
 * cli_spawn: run a program of ours to its end, its stderr being ours.
 * in: @argv: NULL-terminated.  out: *@out: its stdout (g_free).
 * returns: its exit status; -1 with one line said when it cannot be started
 * or was killed.
 */
int cli_spawn(char **argv, char **out);

#endif
