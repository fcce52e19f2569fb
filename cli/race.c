/*
 * csvirt race: scenarios of a shared sink on several kernels.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/race.h"

#define SEEDS_MAX 10000

static const char summary[] =
    "Runs SCENARIO once for each seed on each kernel: all that are called so\n"
    "or SCENARIO-..., or \"all\"; \"list\" prints their names. Prints what\n"
    "became of each: kernel warnings, refusals, trace that is lost or in the\n"
    "buffer of another. A dead or hanging guest is an outcome.";

static struct race_options opt = { .timeout_s = 600, .replay = -1 };

static const GOptionEntry entries[] = {
    { "kernel", 0, 0, G_OPTION_ARG_STRING_ARRAY, &opt.kernels,
      "as of csvirt run; several are compared (debian:trixie)", "SPEC" },
    { "seeds", 0, 0, G_OPTION_ARG_STRING, &opt.seeds,
      "a boot for each of these seeds (1)", "A-B" },
    { "replay", 0, 0, G_OPTION_ARG_INT64, &opt.replay,
      "only this seed, with details", "SEED" },
    { "sched", 0, 0, G_OPTION_ARG_STRING, &opt.sched,
      "scheduler of the vCPUs, as of csvirt run", "POLICY" },
    { "topology", 0, 0, G_OPTION_ARG_FILENAME, &opt.topology,
      "the topology (2etr-4cpu)", "NAME|FILE" },
    { "perf", 0, 0, G_OPTION_ARG_FILENAME, &opt.perf,
      "perf of the guest", "DEB|PATH" },
    { "scenarios", 0, 0, G_OPTION_ARG_FILENAME, &opt.scenarios,
      "a file of scenarios of yours", "FILE" },
    { "timeout", 0, 0, G_OPTION_ARG_INT, &opt.timeout_s,
      "limit of a boot in seconds (600)", "S" },
    { "details", 0, 0, G_OPTION_ARG_NONE, &opt.details,
      "bytes of each buffer by thread and trace ID", NULL },
    { "markdown", 0, 0, G_OPTION_ARG_NONE, &opt.markdown,
      "a table of scenarios by kernels", NULL },
    { "json", 0, 0, G_OPTION_ARG_FILENAME, &opt.json,
      "write all results to this file", "FILE" },
    { "qemu", 0, 0, G_OPTION_ARG_FILENAME, &opt.qemu,
      "another emulator", "PATH" },
    { "offline", 0, 0, G_OPTION_ARG_NONE, &opt.offline,
      "use only what has been fetched before", NULL },
    { NULL, 0, 0, 0, NULL, NULL, NULL }
};

static gboolean is_chosen(const char *scenario, const char *name)
{
    size_t n = strlen(name);

    return !strcmp(name, "all") || !strcmp(scenario, name) ||
           (!strncmp(scenario, name, n) && scenario[n] == '-');
}

char *race_select(const char *from, const char *name, GPtrArray *names,
                  char **error)
{
    GString *text = g_string_new(NULL);
    GError *gerror = NULL;
    gboolean chosen = FALSE;
    char *all = NULL;
    char **lines;

    if (!g_file_get_contents(from, &all, NULL, &gerror)) {
        *error = g_strdup(gerror->message);
        g_error_free(gerror);
        g_string_free(text, TRUE);
        return NULL;
    }
    lines = g_strsplit(all, "\n", -1);
    for (char **l = lines; *l; l++) {
        if (g_str_has_prefix(*l, "scenario ")) {
            char *scenario = g_strstrip(g_strdup(*l + strlen("scenario ")));

            chosen = is_chosen(scenario, name);
            if (chosen) {
                g_ptr_array_add(names, scenario);
            } else {
                g_free(scenario);
            }
        }
        if (chosen) {
            g_string_append_printf(text, "%s\n", *l);
        }
    }
    g_strfreev(lines);
    g_free(all);
    if (!names->len) {
        *error = g_strdup_printf("%s has no scenario %s (see csvirt race "
                                 "list)", from, name);
        g_string_free(text, TRUE);
        return NULL;
    }
    return g_string_free(text, FALSE);
}

/* "7" or "1-100".  returns: FALSE after saying what is wrong. */
static gboolean seeds_of(gint64 *first, gint64 *last)
{
    char *end;

    if (opt.replay >= 0) {
        *first = *last = opt.replay;
        return TRUE;
    }
    *first = *last = 1;
    if (!opt.seeds) {
        return TRUE;
    }
    *first = g_ascii_strtoll(opt.seeds, &end, 10);
    *last = *end == '-' && g_ascii_isdigit(end[1])
            ? g_ascii_strtoll(end + 1, &end, 10) : *first;
    if (!g_ascii_isdigit(*opt.seeds) || *end || *last < *first ||
        *last - *first >= SEEDS_MAX) {
        say("race: --seeds %s: a number, or A-B of at most %d", opt.seeds,
            SEEDS_MAX);
        return FALSE;
    }
    return TRUE;
}

static void run_free(void *p)
{
    race_run_free(p);
}

/*
 * Boots for all kernels and seeds.
 * returns: CLI_OK; CLI_USAGE when one cannot be had, which csvirt run has said.
 */
static int boots(GPtrArray *runs, const char *scenarios)
{
    gint64 first, last;
    int status = CLI_OK;

    if (!seeds_of(&first, &last)) {
        return CLI_USAGE;
    }
    for (char **k = opt.kernels; *k; k++) {
        for (gint64 seed = first; seed <= last; seed++) {
            struct race_run *run = race_boot(&opt, *k, seed, scenarios);

            if (!run) {
                return CLI_USAGE;
            }
            say("race: %s, seed %" G_GINT64_FORMAT ": %u scenario%s done", *k,
                seed, run->results->len, run->results->len == 1 ? "" : "s");
            status = run->status == CLI_USAGE ? CLI_USAGE : status;
            g_ptr_array_add(runs, run);
        }
    }
    return status;
}

static int race(const char *text, const GPtrArray *names)
{
    GPtrArray *runs = g_ptr_array_new_with_free_func(run_free);
    GError *error = NULL;
    char *file = NULL;
    int status = CLI_USAGE;
    int fd = g_file_open_tmp("csvirt-scenarios-XXXXXX", &file, &error);

    if (fd < 0 || !g_file_set_contents(file, text, -1, &error)) {
        say("%s", error->message);
        g_error_free(error);
    } else {
        status = boots(runs, file);
        if (runs->len) {
            race_table(names, runs, &opt);
        }
        if (opt.json && !race_json(opt.json, runs)) {
            status = CLI_USAGE;
        }
    }
    if (fd >= 0) {
        close(fd);
        unlink(file);
    }
    g_free(file);
    g_ptr_array_unref(runs);
    return status;
}

int cmd_race(int argc, char **argv)
{
    static char *default_kernels[] = { (char *)"debian:trixie", NULL };
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    gboolean list;
    char *error = NULL;
    char *text, *from;
    int status = CLI_OK;

    if (!cli_options(&argc, &argv, entries, "SCENARIO", summary)) {
        return CLI_USAGE;
    }
    if (argc != 2 || opt.timeout_s < 1) {
        say(argc != 2 ? "race: one SCENARIO is needed (see csvirt race --help)"
                      : "race: --timeout: seconds, from 1 on");
        return CLI_USAGE;
    }
    opt.kernels = opt.kernels ? opt.kernels : default_kernels;
    opt.details = opt.details || opt.replay >= 0;
    list = !strcmp(argv[1], "list");
    from = opt.scenarios ? g_strdup(opt.scenarios)
           : g_build_filename(cli_paths()->data, "guest", "race", "scenarios",
                              NULL);
    text = race_select(from, list ? "all" : argv[1], names, &error);
    if (!text) {
        say("race: %s", error);
        g_free(error);
        status = CLI_USAGE;
    }
    for (guint i = 0; text && list && i < names->len; i++) {
        puts(g_ptr_array_index(names, i));
    }
    if (text && !list) {
        status = race(text, names);
    }
    g_ptr_array_unref(names);
    g_free(from);
    g_free(text);
    return status;
}
