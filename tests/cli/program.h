/*
 * Running a program from a test: its status and what it printed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_TESTS_CLI_PROGRAM_H
#define CSVIRT_TESTS_CLI_PROGRAM_H

/*
 * program_run: run a shell command, stdout and stderr together.
 * out: *@text: what it printed (free). returns: exit status, 128 + signal.
 */
int program_run(char **text, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Last line of a text, without its end (free). */
char *program_last_line(const char *text);

/* A folder for this test, removed with all that is in it at exit. */
const char *program_folder(void);

#endif
