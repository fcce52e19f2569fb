/*
 * Running a program from a test.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"
#include "tests/tap/tap.h"

int program_run(char **text, const char *fmt, ...)
{
    char command[2048];
    size_t n = 0, cap = 65536;
    va_list ap;
    FILE *f;
    int status;

    va_start(ap, fmt);
    strcpy(command, "{ ");
    vsnprintf(command + 2, sizeof(command) - 12, fmt, ap);
    va_end(ap);
    strcat(command, "; } 2>&1");
    f = popen(command, "r");
    *text = malloc(cap);
    if (!f || !*text) {
        tap_bail("%s: %s", command, strerror(errno));
    }
    for (;;) {
        size_t got = fread(*text + n, 1, cap - n - 1, f);

        n += got;
        if (!got) {
            break;
        }
        if (cap - n < 2) {
            cap *= 2;
            *text = realloc(*text, cap);
        }
    }
    (*text)[n] = '\0';
    status = pclose(f);
    return WIFEXITED(status) ? WEXITSTATUS(status)
                             : 128 + WTERMSIG(status);
}

char *program_last_line(const char *text)
{
    size_t n = strlen(text), begin;

    while (n && text[n - 1] == '\n') {
        n--;
    }
    begin = n;
    while (begin && text[begin - 1] != '\n') {
        begin--;
    }
    return strndup(text + begin, n - begin);
}

static char folder[256];

static void remove_folder(void)
{
    char command[300];

    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    if (system(command)) {
        fprintf(stderr, "# %s is left\n", folder);
    }
}

const char *program_folder(void)
{
    if (!folder[0]) {
        const char *tmp = getenv("TMPDIR");

        snprintf(folder, sizeof(folder), "%s/csvirt-test.XXXXXX",
                 tmp ? tmp : "/tmp");
        if (!mkdtemp(folder)) {
            tap_bail("%s: %s", folder, strerror(errno));
        }
        atexit(remove_folder);
    }
    return folder;
}
