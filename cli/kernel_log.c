/*
 * Reports of the guest's kernel, found in its console log: WARNING, BUG, Oops,
 * KASAN and its kin, lockdep, lockups, stalls, hung tasks.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "cli/run.h"

#define FUNCTION_LINES 40       /* how far behind a report "pc :" may be */

/* In order: the first that matches a line names the report. */
static const struct {
    const char *text, *name;
} patterns[] = {
    { "Kernel panic - ", "panic" },
    { "WARNING: possible circular locking", "lockdep" },
    { "WARNING: possible recursive locking", "lockdep" },
    { "WARNING: inconsistent lock state", "lockdep" },
    { "WARNING: suspicious RCU usage", "lockdep" },
    { "WARNING: bad unlock balance", "lockdep" },
    { "WARNING: ", "WARNING" },
    { "BUG: KASAN", "KASAN" },
    { "BUG: KFENCE", "KFENCE" },
    { "BUG: KCSAN", "KCSAN" },
    { "UBSAN: ", "UBSAN" },
    { "BUG: soft lockup", "soft lockup" },
    { "hard LOCKUP", "hard lockup" },
    { "self-detected stall", "RCU stall" },
    { "detected stalls on CPUs/tasks", "RCU stall" },
    { "detected expedited stalls", "RCU stall" },
    { "blocked for more than", "hung task" },
    { "kernel BUG at", "BUG" },
    { "BUG: ", "BUG" },
    { "Internal error: ", "Oops" },
};

/* "function" of the first "function+0x1/0x2" of a line, or NULL. */
static char *function_in(const char *line)
{
    const char *plus = line;

    while ((plus = strstr(plus, "+0x"))) {
        const char *slash = plus + 3;
        const char *begin = plus;

        while (g_ascii_isxdigit(*slash)) {
            slash++;
        }
        while (begin > line && (g_ascii_isalnum(begin[-1]) ||
                                strchr("_.$", begin[-1]))) {
            begin--;
        }
        if (g_str_has_prefix(slash, "/0x") && begin < plus) {
            return g_strndup(begin, (gsize)(plus - begin));
        }
        plus++;
    }
    return NULL;
}

/* Names that say where the report was made, not what it is about. */
static gboolean is_helper(const char *name)
{
    static const char *const helpers[] = {
        "dump_backtrace", "show_stack", "dump_stack_lvl", "dump_stack",
        "print_report", "kasan_report", "lockdep_rcu_suspicious",
        "print_circular_bug", "check_noncircular", "__lock_acquire",
        "lock_acquire", "rcu_sched_clock_irq", "sched_show_task",
    };

    for (size_t i = 0; i < G_N_ELEMENTS(helpers); i++) {
        if (!strcmp(name, helpers[i])) {
            return TRUE;
        }
    }
    return FALSE;
}

static const char *report_name(const char *line)
{
    for (size_t p = 0; p < G_N_ELEMENTS(patterns); p++) {
        if (strstr(line, patterns[p].text)) {
            return patterns[p].name;
        }
    }
    return NULL;
}

/* On the line itself, else the first behind it: "pc :" or the call trace. */
static char *function_of(char **lines, size_t i, size_t n)
{
    char *name = function_in(lines[i]);
    size_t end = MIN(n, i + FUNCTION_LINES);

    for (size_t k = i + 1; !name && k < end && !report_name(lines[k]); k++) {
        name = function_in(lines[k]);
        if (name && is_helper(name)) {
            g_free(name);
            name = NULL;
        }
    }
    return name;
}

/* The text behind "[    1.234567] ". */
static const char *text_of(const char *line)
{
    const char *p = strchr(line, '[');
    const char *end = p ? strstr(p, "] ") : NULL;

    return p == line && end ? end + 2 : line;
}

static char **lines_of(const char *console, size_t *n)
{
    char *text = NULL;
    char **lines;
    gsize len = 0;

    *n = 0;
    if (!g_file_get_contents(console, &text, &len, NULL)) {
        return g_new0(char *, 1);
    }
    for (gsize i = 0; i < len; i++) {
        if (text[i] == '\r' || text[i] == '\0') {
            text[i] = ' ';
        }
    }
    lines = g_strsplit(text, "\n", -1);
    g_free(text);
    while (lines[*n]) {
        g_strchomp(lines[*n]);
        (*n)++;
    }
    return lines;
}

unsigned kernel_log_report(const char *console, FILE *to)
{
    unsigned reports = 0;
    size_t n;
    char **lines = lines_of(console, &n);

    for (size_t i = 0; i < n; i++) {
        const char *name = report_name(lines[i]);
        char *function;

        /* Init's own lines and the user's are not the kernel's. */
        if (!name || text_of(lines[i]) == lines[i]) {
            continue;
        }
        function = strcmp(name, "panic") ? function_of(lines, i, n) : NULL;
        fprintf(to, "csvirt: guest kernel: %s%s%s: %s\n", name,
                function ? " in " : "", function ? function : "",
                text_of(lines[i]));
        g_free(function);
        reports++;
    }
    g_strfreev(lines);
    return reports;
}

char *kernel_log_panicked(const char *console)
{
    size_t n;
    char **lines = lines_of(console, &n);
    char *found = NULL;

    for (size_t i = 0; i < n && !found; i++) {
        if (strstr(lines[i], "Kernel panic - not syncing")) {
            found = g_strdup(text_of(lines[i]));
        }
    }
    g_strfreev(lines);
    return found;
}

void kernel_log_tail(const char *console, unsigned lines_max, FILE *to)
{
    size_t n, first;
    char **lines = lines_of(console, &n);

    while (n && !*lines[n - 1]) {
        n--;
    }
    first = n > lines_max ? n - lines_max : 0;
    for (size_t i = first; i < n; i++) {
        fprintf(to, "    %s\n", lines[i]);
    }
    if (!n) {
        fprintf(to, "    (nothing)\n");
    }
    g_strfreev(lines);
}
