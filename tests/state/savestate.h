/*
 * savestate: the emulator as a child process and its QMP socket.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_TESTS_SAVESTATE_H
#define CSVIRT_TESTS_SAVESTATE_H

#include <stdbool.h>
#include <stdint.h>

/* die: one line on stderr, the emulator killed, exit 3. */
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* guest_start: start @argv, and connect to @dir/qmp. */
void guest_start(char **argv, const char *dir);

/* guest_run_us: let @us microseconds go by.  returns: false: it has ended. */
bool guest_run_us(uint64_t us);

/* guest_end: wait for its end.  returns: its exit status, 3 for a signal. */
int guest_end(void);

/*
 * wait_for_line: until a line of @file begins with @word.
 * returns: false when the emulator ended before.
 */
bool wait_for_line(const char *file, const char *word);

/* qmp_command: returns: true when the answer is no error and there is one. */
bool qmp_command(const char *json);

/* qmp_answer: the last answer, one line. */
const char *qmp_answer(void);

/* qmp_wait: repeat @json until the answer has @good in it; @bad: die. */
void qmp_wait(const char *json, const char *good, const char *bad);

/* qmp_word: 32 bits of physical memory, as the monitor reads them. */
uint32_t qmp_word(uint32_t addr);

#endif
