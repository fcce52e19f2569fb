/*
 * What the commands share: messages, options, paths, child programs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

void say(const char *fmt, ...)
{
    va_list ap;
    char *text;

    va_start(ap, fmt);
    text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    fprintf(stderr, "csvirt: %s\n", text);
    g_free(text);
}

gboolean cli_options(int *argc, char ***argv, const GOptionEntry *entries,
                     const char *usage, const char *summary)
{
    GOptionContext *context = g_option_context_new(usage);
    char *name = g_strdup_printf("csvirt %s", (*argv)[0]);
    char *command = (*argv)[0];
    GError *error = NULL;
    gboolean ok;

    g_set_prgname(name);
    g_option_context_set_summary(context, summary);
    g_option_context_add_main_entries(context, entries, NULL);
    ok = g_option_context_parse(context, argc, argv, &error);
    if (!ok) {
        say("%s: %s (see csvirt %s --help)", command, error->message,
            command);
        g_error_free(error);
    }
    g_option_context_free(context);
    g_free(name);
    return ok;
}

static char *executable_dir(void)
{
    char *link = g_file_read_link("/proc/self/exe", NULL);
    char *dir = link ? g_path_get_dirname(link) : g_get_current_dir();

    g_free(link);
    return dir;
}

static void paths_of_tree(struct cli_paths *p, const char *build)
{
    p->data = g_path_get_dirname(build);
    p->bin = g_build_filename(build, "guest", NULL);
    p->qemu = g_build_filename(build, "qemu-system-aarch64", NULL);
    p->cache = g_build_filename(build, "cache", NULL);
    p->apt_state = g_build_filename(build, "apt", NULL);
}

static void paths_installed(struct cli_paths *p, const char *bin)
{
    char *prefix = g_path_get_dirname(bin);

    p->data = g_build_filename(prefix, "share", "csvirt", NULL);
    p->bin = g_build_filename(prefix, "libexec", "csvirt", NULL);
    p->qemu = g_build_filename(p->bin, "qemu-system-aarch64", NULL);
    p->cache = g_build_filename(g_get_user_cache_dir(), "csvirt", NULL);
    p->installed = TRUE;
    g_free(prefix);
}

const struct cli_paths *cli_paths(void)
{
    static struct cli_paths paths;

    if (!paths.data) {
        char *dir = executable_dir();
        char *script = g_build_filename(dir, "..", "guest", "image.sh", NULL);

        if (g_file_test(script, G_FILE_TEST_EXISTS)) {
            paths_of_tree(&paths, dir);
        } else {
            paths_installed(&paths, dir);
        }
        g_free(script);
        g_free(dir);
    }
    return &paths;
}

/* The child goes when we go, however we go. */
static void die_with_parent(gpointer unused)
{
    (void)unused;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}

int cli_spawn(char **argv, char **out)
{
    GError *error = NULL;
    int status;

    if (!g_spawn_sync(NULL, argv, NULL,
                      G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN,
                      die_with_parent, NULL, out, NULL, &status, &error)) {
        say("%s", error->message);
        g_error_free(error);
        return -1;
    }
    if (!WIFEXITED(status)) {
        say("%s: ended by signal %d", argv[0], WTERMSIG(status));
        return -1;
    }
    return WEXITSTATUS(status);
}
