/*
 * csvirt doctor: what is installed, built, cached, missing.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <opencsd/c_api/opencsd_c_api.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/cli.h"

static const char summary[] =
    "Says what csvirt needs and finds on this host: tools, its own parts, the\n"
    "kernels that have been fetched. Exit status 1: something is missing.";

static const GOptionEntry entries[] = {
    { NULL, 0, 0, 0, NULL, NULL, NULL }
};

/* Tools that run when csvirt does; what only the build needs is make's. */
static const struct {
    const char *name, *option, *why;
} tools[] = {
    { "apt-get", "--version", "fetches kernels and perf" },
    { "dpkg-deb", "--version", "unpacks them" },
    { "dtc", "--version", "compiles topologies" },
    { "modinfo", "--version", "finds what a kernel module needs" },
    { "readelf", "--version", "finds what perf needs" },
    { "flock", "--version", "keeps two runs off one cache" },
    { "xz", "--version", "unpacks kernel modules" },
};

static const char *const parts[] = {
    "init", "mkcpio", "csread", "libdebuginfod.so.1",
};

static void line(gboolean ok, const char *what, const char *text)
{
    printf("%-8s %-22s %s\n", ok ? "ok" : "MISSING", what, text);
}

/* First line that a program prints about its version. */
static char *version_of(const char *program, const char *option)
{
    char *argv[] = { (char *)program, (char *)option, NULL };
    char *out = NULL, *err = NULL;
    int status;

    if (!g_spawn_sync(NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                      &out, &err, &status, NULL)) {
        return NULL;
    }
    if (out && !*out) {
        g_free(out);
        out = err;
        err = NULL;
    }
    g_free(err);
    out[strcspn(out, "\n")] = '\0';
    return out;
}

static unsigned check_tools(void)
{
    unsigned missing = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(tools); i++) {
        char *path = g_find_program_in_path(tools[i].name);

        /* modinfo and its kin are in sbin, where users often do not look. */
        if (!path) {
            char *sbin = g_build_filename("/usr/sbin", tools[i].name, NULL);

            path = g_file_test(sbin, G_FILE_TEST_IS_EXECUTABLE)
                ? sbin : NULL;
            if (!path) {
                g_free(sbin);
            }
        }
        if (path) {
            char *version = version_of(path, tools[i].option);

            line(TRUE, tools[i].name, version ? version : path);
            g_free(version);
        } else {
            line(FALSE, tools[i].name, tools[i].why);
            missing++;
        }
        g_free(path);
    }
    return missing;
}

static unsigned check_parts(const struct cli_paths *p)
{
    char *script = g_build_filename(p->data, "guest", "image.sh", NULL);
    char *version = g_file_test(p->qemu, G_FILE_TEST_IS_EXECUTABLE)
        ? version_of(p->qemu, "--version") : NULL;
    unsigned missing = 0;

    line(version != NULL, "emulator", version ? version : p->qemu);
    missing += !version;
    g_free(version);
    line(g_file_test(script, G_FILE_TEST_EXISTS), "guest scripts", script);
    missing += !g_file_test(script, G_FILE_TEST_EXISTS);
    g_free(script);
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        char *file = g_build_filename(p->bin, parts[i], NULL);
        gboolean ok = g_file_test(file, G_FILE_TEST_EXISTS);

        line(ok, parts[i], file);
        missing += !ok;
        g_free(file);
    }
    line(TRUE, "OpenCSD", ocsd_get_version_str());
    return missing;
}

/* The answers that image.sh keeps name kernel and perf. */
static void show_request(const char *file)
{
    char *text = NULL;
    char **lines;

    if (!g_file_get_contents(file, &text, NULL, NULL)) {
        return;
    }
    lines = g_strsplit(text, "\n", -1);
    for (char **l = lines; *l; l++) {
        if (g_str_has_prefix(*l, "version=")) {
            char *perf = strstr(text, "perf_version=");
            char *end = perf ? perf + strcspn(perf, "\n") : NULL;
            char *what = perf ? g_strdup_printf("%s, perf %.*s", *l + 8,
                                                (int)(end - perf - 13),
                                                perf + 13)
                              : g_strdup(*l + 8);

            line(TRUE, "cached kernel", what);
            g_free(what);
        }
    }
    g_strfreev(lines);
    g_free(text);
}

static void show_cache(const struct cli_paths *p)
{
    char *dir = g_build_filename(p->cache, "request", NULL);
    GDir *d = g_dir_open(dir, 0, NULL);
    const char *name;

    line(TRUE, "cache", p->cache);
    while (d && (name = g_dir_read_name(d))) {
        char *file = g_build_filename(dir, name, NULL);

        show_request(file);
        g_free(file);
    }
    if (d) {
        g_dir_close(d);
    } else {
        printf("%-8s %-22s %s\n", "none", "cached kernel",
               "csvirt run fetches what it needs");
    }
    g_free(dir);
}

int cmd_doctor(int argc, char **argv)
{
    unsigned missing;

    if (!cli_options(&argc, &argv, entries, NULL, summary)) {
        return CLI_USAGE;
    }
    if (argc > 1) {
        say("doctor: what is '%s'? (see csvirt doctor --help)", argv[1]);
        return CLI_USAGE;
    }
    missing = check_tools() + check_parts(cli_paths());
    show_cache(cli_paths());
    if (missing) {
        fflush(stdout);
        say("doctor: %u missing: make deps installs tools, make builds "
            "parts", missing);
    }
    return missing ? CLI_FAILED : CLI_OK;
}
