/*
 * csvirt run: files that the guest sends over csvirt.pull: "file SIZE PATH",
 * a line end and SIZE bytes, or "missing PATH" and a line end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "cli/run.h"

static struct run_pull *pull_of(struct run_plan *plan, const char *guest)
{
    for (size_t i = 0; i < plan->n_pulls; i++) {
        if (!plan->pulls[i].seen && !strcmp(plan->pulls[i].guest, guest)) {
            plan->pulls[i].seen = TRUE;
            return &plan->pulls[i];
        }
    }
    return NULL;
}

/* Whole or not at all: g_file_set_contents writes aside and renames. */
static int take(struct run_plan *plan, const char *guest, const char *data,
                guint64 size)
{
    struct run_pull *p = pull_of(plan, guest);
    GError *error = NULL;

    if (p && !g_file_set_contents(p->host, data, (gssize)size, &error)) {
        say("--pull %s: %s", guest, error->message);
        g_error_free(error);
        return CLI_FAILED;
    }
    return CLI_OK;
}

static int take_all(struct run_plan *plan, const char *p, const char *end)
{
    int status = CLI_OK;

    while (p < end) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        char *line = nl ? g_strndup(p, (gsize)(nl - p)) : NULL;
        char *path = NULL;
        guint64 size = 0;

        if (line && g_str_has_prefix(line, "missing ")) {
            say("--pull %s: no such file in the guest", line + 8);
            pull_of(plan, line + 8);
            status = CLI_FAILED;
            p = nl + 1;
        } else if (line && g_str_has_prefix(line, "file ") &&
                   (size = g_ascii_strtoull(line + 5, &path, 10),
                    path && *path == ' ') &&
                   size <= (guint64)(end - nl - 1)) {
            if (take(plan, path + 1, nl + 1, size)) {
                status = CLI_FAILED;
            }
            p = nl + 1 + size;
        } else {
            say("the guest's files end in the middle");
            status = CLI_FAILED;
            p = end;
        }
        g_free(line);
    }
    return status;
}

int run_take_pulls(struct run_plan *plan)
{
    GError *error = NULL;
    GMappedFile *map = g_mapped_file_new(plan->pull, FALSE, &error);
    int status = CLI_OK;

    if (!map) {
        say("%s", error->message);
        g_error_free(error);
        return CLI_FAILED;
    }
    if (g_mapped_file_get_length(map)) {
        const char *p = g_mapped_file_get_contents(map);

        status = take_all(plan, p, p + g_mapped_file_get_length(map));
    }
    g_mapped_file_unref(map);
    for (size_t i = 0; i < plan->n_pulls; i++) {
        if (!plan->pulls[i].seen) {
            say("--pull %s: the guest did not send it",
                plan->pulls[i].guest);
            status = CLI_FAILED;
        }
    }
    return status;
}
