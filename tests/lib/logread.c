/*
 * Reading an execution log; see logread.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/lib/logread.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "hw/exec_log_format.h"

const char *logread_name = "no log";

void logread_die(const char *fmt, ...)
{
    va_list ap;

    fprintf(stderr, "%s: ", logread_name);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(2);
}

const uint8_t *cursor_take(struct cursor *c, uint64_t n)
{
    const uint8_t *p = c->p;

    if (n > (uint64_t)(c->end - c->p)) {
        logread_die("a record passes the end of its block");
    }
    c->p += n;
    return p;
}

uint64_t logread_le(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;

    while (n--) {
        v = v << 8 | p[n];
    }
    return v;
}

uint64_t cursor_leb(struct cursor *c)
{
    uint64_t v = 0;
    unsigned shift = 0;
    uint8_t b;

    do {
        b = *cursor_take(c, 1);
        if (shift > 63) {
            logread_die("a number has more than 64 bits");
        }
        v |= (uint64_t)(b & 0x7f) << shift;
        shift += 7;
    } while (b & 0x80);
    return v;
}

uint32_t logread_crc(const uint8_t *p, size_t n)
{
    static uint32_t table[256];
    uint32_t v = 0xffffffffu;

    for (uint32_t i = 0; !table[255] && i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++) {
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
        }
    }
    while (n--) {
        v = v >> 8 ^ table[(v ^ *p++) & 0xff];
    }
    return ~v;
}

unsigned logread_begin(FILE *f)
{
    uint8_t head[EXEC_LOG_HEADER_SIZE];

    if (fread(head, 1, sizeof(head), f) != sizeof(head) ||
        memcmp(head, EXEC_LOG_MAGIC, 8) ||
        logread_le(head + 8, 2) != EXEC_LOG_VERSION) {
        logread_die("no execution log of version %u", EXEC_LOG_VERSION);
    }
    return (unsigned)logread_le(head + 10, 2);
}

bool logread_block(FILE *f, unsigned *cpu, struct cursor *c)
{
    static uint8_t payload[EXEC_LOG_BLOCK_MAX];
    uint8_t head[EXEC_LOG_BLOCK_HEADER];
    uint64_t len;

    if (fread(head, 1, sizeof(head), f) != sizeof(head)) {
        logread_die("ends without its end block");
    }
    *cpu = (unsigned)logread_le(head + 4, 2);
    len = logread_le(head + 8, 4);
    if (logread_le(head, 4) != EXEC_LOG_BLOCK_MAGIC ||
        len > sizeof(payload) || fread(payload, 1, len, f) != len ||
        logread_crc(payload, len) != logread_le(head + 12, 4)) {
        logread_die("a broken block");
    }
    c->p = payload;
    c->end = payload + len;
    return *cpu != EXEC_LOG_END_CPU;
}
