/*
 * race: what goes to the host, and what the kernel has said.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "race.h"

static int out = -1, kmsg = -1;

static void write_all(int fd, const void *bytes, size_t n)
{
    const char *p = bytes;

    while (n) {
        ssize_t done = write(fd, p, n);

        if (done < 0 && errno != EINTR) {
            fail("write: %s", strerror(errno));
        }
        if (done > 0) {
            p += done;
            n -= (size_t)done;
        }
    }
}

void put(const char *fmt, ...)
{
    char line[512];
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(line, sizeof(line) - 1, fmt, ap);
    va_end(ap);
    n = n > (int)sizeof(line) - 2 ? (int)sizeof(line) - 2 : n;
    line[n] = '\n';
    write_all(STDOUT_FILENO, line, (size_t)n + 1);
}

void out_open(const char *file)
{
    out = open(file, O_WRONLY | O_CREAT | O_APPEND | O_TRUNC, 0666);
    if (out < 0) {
        fail("%s: %s", file, strerror(errno));
    }
}

void out_put(const void *bytes, size_t n, const char *fmt, ...)
{
    char line[256];
    va_list ap;
    int used;

    va_start(ap, fmt);
    used = vsnprintf(line, sizeof(line) - 32, fmt, ap);
    va_end(ap);
    used += snprintf(line + used, 32, " %zu\n", n);
    write_all(out, line, (size_t)used);
    write_all(out, bytes, n);
}

void out_file(const char *tag, const char *file)
{
    FILE *f = fopen(file, "rb");
    char *bytes;
    long n;

    if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < 0) {
        put("%s none", tag);
        if (f) {
            fclose(f);
        }
        return;
    }
    rewind(f);
    bytes = malloc((size_t)n + 1);
    if (!bytes || fread(bytes, 1, (size_t)n, f) != (size_t)n) {
        fail("%s: cannot be read", file);
    }
    out_put(bytes, (size_t)n, "%s %s 0", tag, "data");
    free(bytes);
    fclose(f);
}

/* ---- the kernel's log --------------------------------------------------- */

void kmsg_begin(const char *scenario)
{
    char line[128];
    int n = snprintf(line, sizeof(line), "<5>race: scenario %s\n", scenario);

    if (kmsg < 0) {
        kmsg = open("/dev/kmsg", O_RDWR | O_NONBLOCK | O_CLOEXEC);
        if (kmsg < 0) {
            fail("/dev/kmsg: %s", strerror(errno));
        }
    }
    write_all(kmsg, line, (size_t)n);
    lseek(kmsg, 0, SEEK_END);
}

/* The name before the first "+0x", which ends it. */
static bool function_of(char *text, const char **name)
{
    char *end = strstr(text, "+0x");
    char *begin = end;

    if (!end) {
        return false;
    }
    *end = '\0';
    while (begin > text && (isalnum((unsigned char)begin[-1]) ||
                            begin[-1] == '_' || begin[-1] == '.')) {
        begin--;
    }
    *name = begin;
    return true;
}

void kmsg_report(void)
{
    static const char *const marks[] = {
        "WARNING: ", "BUG: ", "Internal error: ", "self-detected stall",
    };
    char record[8192];
    ssize_t n;

    while ((n = read(kmsg, record, sizeof(record) - 1)) > 0 ||
           (n < 0 && errno == EPIPE)) {
        if (n < 0) {
            continue;           /* some were overwritten: go on after them */
        }
        record[n] = '\0';
        record[strcspn(record, "\n")] = '\0';
        for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
            char *text = strstr(record, marks[i]);
            const char *name = text;

            if (text) {
                function_of(text, &name);
                put("warn %s", name);
                break;
            }
        }
    }
}
