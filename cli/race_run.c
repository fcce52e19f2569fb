/*
 * csvirt race: one boot, by csvirt run. It keeps the limits: whatever the
 * guest does, a boot ends and is a result.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/race.h"

static char *guest_program(void)
{
    static const char *const places[] = { "race", "progs/race" };

    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        char *file = g_build_filename(cli_paths()->bin, places[i], NULL);

        if (g_file_test(file, G_FILE_TEST_IS_REGULAR)) {
            return file;
        }
        g_free(file);
    }
    say("no program race in %s: run make first", cli_paths()->bin);
    return NULL;
}

static void add(GPtrArray *argv, const char *option, char *value)
{
    g_ptr_array_add(argv, g_strdup(option));
    g_ptr_array_add(argv, value);
}

static char **run_words(const struct race_options *opt, const char *kernel,
                        gint64 seed, const char *scenarios, const char *tmp,
                        const char *program)
{
    GPtrArray *argv = g_ptr_array_new();
    char *self = g_file_read_link("/proc/self/exe", NULL);

    add(argv, self ? self : "csvirt", g_strdup("run"));
    g_free(self);
    add(argv, "--kernel", g_strdup(kernel));
    add(argv, "--seed", g_strdup_printf("%" G_GINT64_FORMAT, seed));
    add(argv, "--timeout", g_strdup_printf("%d", opt->timeout_s));
    add(argv, "--topology",
        g_strdup(opt->topology ? opt->topology : "2etr-4cpu"));
    if (opt->perf) {
        add(argv, "--perf", g_strdup(opt->perf));
    }
    if (opt->qemu) {
        add(argv, "--qemu", g_strdup(opt->qemu));
    }
    if (opt->sched) {
        add(argv, "--sched", g_strdup(opt->sched));
    }
    if (opt->offline) {
        g_ptr_array_add(argv, g_strdup("--offline"));
    }
    add(argv, "--copy", g_strdup_printf("%s:/usr/bin/race", program));
    add(argv, "--copy", g_strdup_printf("%s:/root/scenarios", scenarios));
    add(argv, "--snapshot", g_build_filename(tmp, "snapshot", NULL));
    add(argv, "--pull", g_strdup_printf("/root/out:%s/out", tmp));
    add(argv, "--exec", g_strdup("race /root/out /root/scenarios"));
    g_ptr_array_add(argv, NULL);
    return (char **)g_ptr_array_free(argv, FALSE);
}

/* Below our own folder only. */
static void remove_all(const char *path)
{
    GDir *d = g_file_test(path, G_FILE_TEST_IS_SYMLINK)
              ? NULL : g_dir_open(path, 0, NULL);
    const char *name;

    while (d && (name = g_dir_read_name(d))) {
        char *sub = g_build_filename(path, name, NULL);

        remove_all(sub);
        g_free(sub);
    }
    if (d) {
        g_dir_close(d);
        rmdir(path);
    } else {
        unlink(path);
    }
}

static void take_results(struct race_run *run, const char *text,
                         const char *tmp)
{
    char *file = g_build_filename(tmp, "out", NULL);
    char *dir = g_build_filename(tmp, "snapshot", NULL);
    char *bytes = NULL, *error = NULL;
    gsize n = 0;
    struct snap_set *set;

    g_file_get_contents(file, &bytes, &n, NULL);
    run->results = race_parse(text ? text : "", (const uint8_t *)bytes, n);
    /* No read-out at all is a result too. */
    set = snap_open(dir, &error);
    g_free(error);
    race_count(run->results, set, tmp);
    if (set) {
        snap_free(set);
    }
    g_free(bytes);
    g_free(dir);
    g_free(file);
}

struct race_run *race_boot(const struct race_options *opt, const char *kernel,
                           gint64 seed, const char *scenarios)
{
    GError *error = NULL;
    char *tmp = g_dir_make_tmp("csvirt-race-XXXXXX", &error);
    char *program = guest_program();
    struct race_run *run = NULL;
    char *text = NULL;
    char **argv;

    if (!tmp) {
        say("no folder for this run: %s", error->message);
        g_error_free(error);
    } else if (program) {
        run = g_new0(struct race_run, 1);
        run->kernel = kernel;
        run->seed = seed;
        argv = run_words(opt, kernel, seed, scenarios, tmp, program);
        run->status = cli_spawn(argv, &text);
        take_results(run, text, tmp);
        g_strfreev(argv);
        g_free(text);
    }
    if (tmp) {
        remove_all(tmp);
    }
    g_free(program);
    g_free(tmp);
    return run;
}

void race_run_free(struct race_run *run)
{
    if (run) {
        g_ptr_array_unref(run->results);
        g_free(run);
    }
}
