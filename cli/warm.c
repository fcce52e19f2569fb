/*
 * csvirt run --warm: boot once, start later runs from the saved machine.
 *
 * CACHE/warm/KEY holds
 *   ram       guest memory; later runs map it privately
 *   state     everything else, as the emulator's migration writes it
 *   console   what the guest's kernel has said so far
 *   sum       the three files' identities, and the SHA-256 of state
 * KEY is a SHA-256 of the emulator's command line for the boot and of the
 * identities of the files in it. Command, files to copy, seed and policy of the
 * scheduler belong to the restored run. A folder is made under another name,
 * synchronized and renamed; what does not agree with its sum is made again.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "cli/qmp.h"
#include "cli/warm.h"

#define KEEP         8          /* machines; the longest unused goes */
#define SAVE_LIMIT_S 300

static const char *const names[] = { "ram", "state", "console", "sum" };

enum { RAM, STATE, CONSOLE, SUM, SUMMED = SUM };

static char *file_of(const char *dir, int which)
{
    return g_build_filename(dir, names[which], NULL);
}

/* A file as it is now: nobody can change it and keep all of these. */
static void identify(GString *to, const char *name)
{
    struct stat st;

    if (stat(name, &st)) {
        g_string_append_printf(to, "%s missing\n", name);
        return;
    }
    g_string_append_printf(to, "%ju:%ju %jd %jd.%09ld %jd.%09ld\n",
                           (uintmax_t)st.st_dev, (uintmax_t)st.st_ino,
                           (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec,
                           st.st_mtim.tv_nsec, (intmax_t)st.st_ctim.tv_sec,
                           st.st_ctim.tv_nsec);
}

/* ---- the key ------------------------------------------------------------ */

static char *key_of(const struct run_plan *plan)
{
    struct run_plan same = *plan;
    GString *text = g_string_new("csvirt warm 1\n");
    char **argv, *key;

    /* What differs from run to run and is no input. */
    same.saving = TRUE;
    same.warm = (char *)"/warm";
    same.tmp = same.console = same.out = same.err = same.ctl = same.pull =
        (char *)"/tmp";
    argv = run_argv(&same);
    if (!argv) {
        g_string_free(text, TRUE);
        return NULL;
    }
    for (char **a = argv; *a; a++) {
        g_string_append(text, *a);
        g_string_append_c(text, '\n');
    }
    g_strfreev(argv);
    identify(text, plan->qemu);
    identify(text, plan->kernel);
    identify(text, plan->initrd);
    identify(text, plan->dtbo);
    key = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text->str, -1);
    g_string_free(text, TRUE);
    return key;
}

/* ---- a folder's sum ----------------------------------------------------- */

static char *sum_of(const char *dir)
{
    GString *text = g_string_new(NULL);
    char *state = file_of(dir, STATE);
    GMappedFile *map = g_mapped_file_new(state, FALSE, NULL);
    char *sha = NULL;

    for (int i = 0; i < SUMMED; i++) {
        char *name = file_of(dir, i);

        identify(text, name);
        g_free(name);
    }
    if (map) {
        sha = g_compute_checksum_for_data(
            G_CHECKSUM_SHA256, (const guchar *)g_mapped_file_get_contents(map),
            g_mapped_file_get_length(map));
        g_mapped_file_unref(map);
    }
    g_string_append(text, sha ? sha : "no state");
    g_string_append_c(text, '\n');
    g_free(sha);
    g_free(state);
    return g_string_free(text, FALSE);
}

static gboolean sound(const char *dir)
{
    char *name = file_of(dir, SUM);
    char *kept = NULL, *now;
    gboolean ok = FALSE;

    if (g_file_get_contents(name, &kept, NULL, NULL)) {
        now = sum_of(dir);
        ok = !strcmp(kept, now) && !strstr(now, "missing");
        g_free(now);
    }
    g_free(kept);
    g_free(name);
    return ok;
}

static void remove_folder(const char *dir)
{
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        char *name = file_of(dir, (int)i);

        unlink(name);
        g_free(name);
    }
    rmdir(dir);
}

static gboolean synced(const char *name)
{
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    gboolean ok = fd >= 0 && !fsync(fd);

    if (!ok) {
        say("%s: %s", name, strerror(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
    return ok;
}

/* ---- the store ---------------------------------------------------------- */

/* A folder that is being made: its maker may be gone. */
static gboolean is_left_over(const char *name)
{
    const char *dot = strrchr(name, '.');
    long pid = dot ? strtol(dot + 1, NULL, 10) : 0;

    return pid > 0 && kill((pid_t)pid, 0) && errno == ESRCH;
}

/* Leave the newest KEEP; a folder in use stays with who has mapped it. */
static void prune(const char *store)
{
    GDir *d = g_dir_open(store, 0, NULL);
    char *oldest = NULL;
    struct stat st, oldest_st = { 0 };
    const char *name;
    unsigned n = 0;

    while (d && (name = g_dir_read_name(d))) {
        char *dir = g_build_filename(store, name, NULL);

        if (is_left_over(name)) {
            remove_folder(dir);
        } else if (!strchr(name, '.') && !stat(dir, &st)) {
            n++;
            if (!oldest || st.st_mtime < oldest_st.st_mtime) {
                g_free(oldest);
                oldest = g_strdup(dir);
                oldest_st = st;
            }
        }
        g_free(dir);
    }
    if (d) {
        g_dir_close(d);
    }
    if (n > KEEP) {
        remove_folder(oldest);
    }
    g_free(oldest);
}

static char *store_dir(void)
{
    return g_build_filename(cli_paths()->cache, "warm", NULL);
}

static gboolean warm_find(struct run_plan *plan)
{
    char *key = key_of(plan);
    char *store = store_dir();
    char *dir = key ? g_build_filename(store, key, NULL) : NULL;
    gboolean found = dir && sound(dir);

    if (found) {
        /* Used now: the last to be removed. */
        utime(dir, NULL);
        plan->warm = dir;
        dir = NULL;
    } else if (dir && g_file_test(dir, G_FILE_TEST_EXISTS)) {
        say("%s is damaged: it is made again", dir);
        remove_folder(dir);
    }
    g_free(dir);
    g_free(store);
    g_free(key);
    return found;
}

gboolean warm_save(const struct run_plan *plan)
{
    char *state = file_of(plan->warm, STATE);
    char *quoted = g_strescape(state, NULL);
    char *json = g_strdup_printf("{\"execute\":\"migrate\",\"arguments\":"
                                 "{\"uri\":\"file:%s\"}}", quoted);
    struct qmp *q = qmp_open(plan->qmp);
    gboolean ok = FALSE;
    char *line;

    if (q) {
        ok = qmp_until(q, "{\"execute\":\"query-status\"}", "\"paused\"", NULL,
                       SAVE_LIMIT_S);
        line = ok ? qmp_command(q, json) : NULL;
        ok = line && qmp_until(q, "{\"execute\":\"query-migrate\"}",
                               "\"status\": \"completed\"",
                               "\"status\": \"failed\"", SAVE_LIMIT_S);
        g_free(line);
        line = ok ? qmp_command(q, "{\"execute\":\"quit\"}") : NULL;
        g_free(line);
        qmp_close(q);
    }
    g_free(json);
    g_free(quoted);
    g_free(state);
    return ok;
}

/* The emulator has ended: console, synchronization, sum. */
static gboolean complete(const struct run_plan *plan)
{
    char *console = file_of(plan->warm, CONSOLE);
    char *sum = file_of(plan->warm, SUM);
    char *text = NULL;
    gsize n;
    gboolean ok = g_file_get_contents(plan->console, &text, &n, NULL) &&
                  g_file_set_contents(console, text, (gssize)n, NULL);

    for (int i = 0; ok && i < SUMMED; i++) {
        char *name = file_of(plan->warm, i);

        ok = synced(name);
        g_free(name);
    }
    g_free(text);
    text = ok ? sum_of(plan->warm) : NULL;
    ok = ok && g_file_set_contents(sum, text, -1, NULL) && synced(sum);
    if (!ok) {
        say("%s: cannot be written", plan->warm);
    }
    g_free(text);
    g_free(sum);
    g_free(console);
    return ok;
}

/* Files of the run that the boot has written to. */
static gboolean empty_files(const struct run_plan *plan)
{
    const char *all[] = { plan->console, plan->out, plan->err, plan->ctl,
                          plan->pull };

    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        if (truncate(all[i], 0)) {
            say("%s: %s", all[i], strerror(errno));
            return FALSE;
        }
    }
    return TRUE;
}

static int warm_make(struct run_plan *plan)
{
    char *key = key_of(plan);
    char *store = store_dir();
    char *dir = key ? g_build_filename(store, key, NULL) : NULL;
    char **argv = NULL;
    int status = CLI_USAGE;

    if (!key) {
        goto out;
    }
    plan->warm = g_strdup_printf("%s.%ld", dir, (long)getpid());
    if (g_mkdir_with_parents(plan->warm, 0777)) {
        say("--warm: %s: %s", plan->warm, strerror(errno));
        goto out;
    }
    plan->saving = TRUE;
    argv = run_argv(plan);
    status = argv ? run_guest(plan, argv) : CLI_USAGE;
    plan->saving = FALSE;
    if (!status && (!complete(plan) || !empty_files(plan))) {
        status = CLI_DIED;
    }
    /* Somebody else may have been faster: theirs is as good. */
    if (!status && g_rename(plan->warm, dir) && !sound(dir)) {
        say("--warm: %s: %s", dir, strerror(errno));
        status = CLI_DIED;
    }
    if (g_file_test(plan->warm, G_FILE_TEST_EXISTS)) {
        remove_folder(plan->warm);
    }
    g_free(plan->warm);
    plan->warm = status ? NULL : g_strdup(dir);
    prune(store);
out:
    g_strfreev(argv);
    g_free(dir);
    g_free(store);
    g_free(key);
    return status;
}

int warm_take(struct run_plan *plan)
{
    int status = CLI_OK;
    char *name, *text;
    gsize n;

    if (!warm_find(plan)) {
        if (plan->opt->dry_run) {
            say("--warm: the machine has not been booted yet");
            return CLI_USAGE;
        }
        say("--warm: booting the machine once");
        status = warm_make(plan);
    }
    if (!status && !plan->opt->dry_run) {
        name = g_build_filename(plan->warm, "console", NULL);
        text = NULL;
        if (!g_file_get_contents(name, &text, &n, NULL) ||
            !g_file_set_contents(plan->console, text, (gssize)n, NULL)) {
            say("--warm: %s cannot be copied", name);
            status = CLI_DIED;
        }
        g_free(text);
        g_free(name);
    }
    return status;
}
