/*
 * Reading an execution log (hw/exec_log_format.h): blocks, and the numbers in
 * them. Shares no code with its writer or with csvirt. A bad log ends the
 * program: a line on stderr, exit status 2.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_TESTS_LOGREAD_H
#define CSVIRT_TESTS_LOGREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What logread_die() says is read; the program sets it. */
extern const char *logread_name;

void logread_die(const char *fmt, ...)
    __attribute__((format(printf, 1, 2), noreturn));

/* The payload being read. */
struct cursor {
    const uint8_t *p, *end;
};

/* The next @n bytes. */
const uint8_t *cursor_take(struct cursor *c, uint64_t n);
/* A number of @n bytes, the first the least significant. */
uint64_t logread_le(const uint8_t *p, unsigned n);
/* "v" of the format: seven bits a byte. */
uint64_t cursor_leb(struct cursor *c);
/* CRC-32 of ISO 3309. */
uint32_t logread_crc(const uint8_t *p, size_t n);

/* The head of the file.  returns: the number of CPUs. */
unsigned logread_begin(FILE *f);
/*
 * The next block, its CRC checked.  @cpu: whose.  @c: its payload, valid until
 * the next call.
 * returns: false at the end block.
 */
bool logread_block(FILE *f, unsigned *cpu, struct cursor *c);

#endif
