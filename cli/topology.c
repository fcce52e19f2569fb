/*
 * csvirt topology: what the machine would say and build, said without it.
 * Sources go through dtc; everything else is the board's own code.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "cli/topology.h"

#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board/graph_export.h"
#include "board/new_topology.h"
#include "cli/cli.h"

#define NEW_PREFIX "new:"

/* ---- from a name to a blob ---- */

/* the folder of the topologies that are known by name (g_free) */
static char *dts_dir(void)
{
    const char *data = g_getenv("CSVIRT_DATA");

    return g_build_filename(data ? data : cli_paths()->data, "board", "dts",
                            NULL);
}

/* the source of a topology known by name, NULL when there is none (g_free) */
static char *named_source(const char *name)
{
    char *dir = dts_dir();
    char *base = g_strconcat(name, ".dtso", NULL);
    char *path = g_build_filename(dir, base, NULL);

    if (strchr(name, '/') || !g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
        g_free(path);
        path = NULL;
    }
    g_free(base);
    g_free(dir);
    return path;
}

/* the line of dtc's talk that says what is wrong (g_free) */
static char *dtc_complaint(const char *talk, const char *file)
{
    char **lines = g_strsplit(talk, "\n", -1);
    const char *best = NULL;
    char *text;

    for (char **l = lines; *l != NULL; l++) {
        if (**l != 0 && strstr(*l, "Warning") == NULL &&
            (best == NULL || (strstr(best, "rror") == NULL &&
                              strstr(*l, "rror") != NULL))) {
            best = *l;
        }
    }
    if (best == NULL) {
        text = g_strdup_printf("%s: dtc does not compile it", file);
    } else if (strstr(best, file) != NULL) {
        text = g_strdup_printf("dtc: %s", best);
    } else {
        text = g_strdup_printf("%s: dtc: %s", file, best);
    }
    g_strfreev(lines);
    return text;
}

/* the blob that dtc makes of @file in @out (g_free), or NULL and *@error */
static char *spawn_dtc(const char *file, const char *dir, const char *out,
                       gsize *size, char **error)
{
    const char *argv[] = {
        "dtc", "-@", "-q", "-I", "dts", "-O", "dtb", "-i", dir, "-o", out,
        file, NULL,
    };
    char *talk = NULL, *blob = NULL;
    GError *err = NULL;
    int status;

    if (!g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH |
                      G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, &talk,
                      &status, &err)) {
        *error = g_strdup_printf("%s: dtc cannot be run (package "
                                 "device-tree-compiler): %s", file,
                                 err->message);
    } else if (status != 0) {
        *error = dtc_complaint(talk, file);
    } else if (!g_file_get_contents(out, &blob, size, &err)) {
        *error = g_strdup_printf("%s: compiled, but %s", file, err->message);
    }
    g_clear_error(&err);
    g_free(talk);
    return blob;
}

static char *run_dtc(const char *file, gsize *size, char **error)
{
    char *dir = g_path_get_dirname(file);
    char *tmp = NULL, *blob = NULL;
    int fd = g_file_open_tmp("csvirt-XXXXXX.dtb", &tmp, NULL);

    if (fd < 0) {
        *error = g_strdup_printf("%s: no room to compile it in %s", file,
                                 g_get_tmp_dir());
    } else {
        close(fd);
        blob = spawn_dtc(file, dir, tmp, size, error);
        g_unlink(tmp);
    }
    g_free(tmp);
    g_free(dir);
    return blob;
}

/* put the blob into the cache under its hash; returns its path or NULL */
static char *cache_blob(const char *file, const char *blob, gsize size,
                        char **error)
{
    char *dir = g_build_filename(cli_paths()->cache, "topology", NULL);
    char *sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256,
                                            (const guchar *)blob, size);
    char *base, *path;
    GError *err = NULL;

    sum[16] = 0;             /* enough among the topologies of one user */
    base = g_strdup_printf("%s.dtb", sum);
    path = g_build_filename(dir, base, NULL);
    if (g_mkdir_with_parents(dir, 0777) != 0) {
        *error = g_strdup_printf("%s: no cache folder %s: %s", file, dir,
                                 g_strerror(errno));
    } else if (!g_file_test(path, G_FILE_TEST_EXISTS) &&
               !g_file_set_contents(path, blob, (gssize)size, &err)) {
        *error = g_strdup_printf("%s: %s", file, err->message);
        g_error_free(err);
    }
    if (*error != NULL) {
        g_free(path);
        path = NULL;
    }
    g_free(base);
    g_free(sum);
    g_free(dir);
    return path;
}

static char *compile_source(const char *file, char **error)
{
    gsize size;
    char *path = NULL;
    char *blob = run_dtc(file, &size, error);

    if (blob != NULL) {
        path = cache_blob(file, blob, size, error);
        g_free(blob);
    }
    return path;
}

/* "new:SPEC": its source, made, and compiled like a file */
static char *compile_new(const char *name, char **error)
{
    char *why = NULL, *tmp = NULL, *path = NULL;
    char *text = new_topology(name + strlen(NEW_PREFIX), &why);
    int fd;

    if (text == NULL) {
        *error = g_strdup_printf("%s: %s", name, why);
        g_free(why);
        return NULL;
    }
    fd = g_file_open_tmp("csvirt-XXXXXX.dts", &tmp, NULL);
    if (fd < 0 || close(fd) != 0 ||
        !g_file_set_contents(tmp, text, -1, NULL)) {
        *error = g_strdup_printf("%s: no room to make it in %s", name,
                                 g_get_tmp_dir());
    } else {
        path = compile_source(tmp, error);
    }
    if (fd >= 0) {
        g_unlink(tmp);
    }
    g_free(tmp);
    g_free(text);
    return path;
}

char *topology_compile(const char *name_or_file, char **error)
{
    bool source = g_str_has_suffix(name_or_file, ".dts") ||
                  g_str_has_suffix(name_or_file, ".dtso");
    char *named, *path;

    *error = NULL;
    if (g_str_has_prefix(name_or_file, NEW_PREFIX)) {
        return compile_new(name_or_file, error);
    }
    if (g_file_test(name_or_file, G_FILE_TEST_IS_REGULAR)) {
        return source ? compile_source(name_or_file, error) :
                        g_strdup(name_or_file);
    }
    if (g_file_test(name_or_file, G_FILE_TEST_IS_DIR)) {
        *error = g_strdup_printf("%s: is a folder, expected a device tree",
                                 name_or_file);
        return NULL;
    }
    named = named_source(name_or_file);
    if (named == NULL) {
        *error = g_strdup_printf("%s: no such file, and no topology of that "
                                 "name (csvirt topology list)",
                                 name_or_file);
        return NULL;
    }
    path = compile_source(named, error);
    g_free(named);
    return path;
}

struct trace_graph *topology_load(const char *name_or_file, unsigned cpus,
                                  bool strict, char **blob, char **error)
{
    struct trace_limits limits = {
        .cpus = cpus,
        .window_base = TRACE_WINDOW_BASE,
        .window_size = TRACE_WINDOW_SIZE,
        .strict = strict,
    };
    char *path = topology_compile(name_or_file, error);
    struct trace_graph *g;

    if (path == NULL) {
        return NULL;
    }
    g = trace_graph_load(path, &limits);
    g_free(g->source);
    g->source = g_strdup(name_or_file);
    if (blob != NULL) {
        *blob = path;
    } else {
        g_free(path);
    }
    return g;
}

void topology_report(const struct trace_graph *g)
{
    for (size_t i = 0; i < g->n_msgs; i++) {
        char *text = trace_msg_text(g, &g->msgs[i]);

        say("%s%s", g->msgs[i].warning ? "warning: " : "", text);
        g_free(text);
    }
}

/* ---- the commands ---- */

static int count_kind(const struct trace_graph *g, enum trace_kind kind)
{
    int n = 0;

    for (size_t i = 0; i < g->n_nodes; i++) {
        n += g->nodes[i].kind == kind ? 1 : 0;
    }
    return n;
}

static int list_one(const char *name)
{
    char *error = NULL;
    struct trace_graph *g = topology_load(name, 0, false, NULL, &error);
    int status = CLI_OK;

    if (g == NULL) {
        say("%s", error);
        g_free(error);
        return CLI_USAGE;
    }
    topology_report(g);
    if (g->n_errors != 0) {
        status = CLI_USAGE;
    } else {
        printf("%-18s %4u %5d  %s\n", name, g->cpus,
               count_kind(g, TRACE_TMC_ETR), g->model ? g->model : "");
    }
    trace_graph_free(g);
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int cmd_list(void)
{
    char *where = dts_dir();
    GDir *dir = g_dir_open(where, 0, NULL);
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    const char *file;
    int status = CLI_OK;

    while (dir != NULL && (file = g_dir_read_name(dir)) != NULL) {
        if (g_str_has_suffix(file, ".dtso")) {
            g_ptr_array_add(names, g_strndup(file, strlen(file) - 5));
        }
    }
    if (names->len == 0) {
        say("no topologies in %s", where);
        status = CLI_USAGE;
    } else {
        g_ptr_array_sort(names, by_name);
        printf("%-18s %4s %5s  %s\n", "name", "CPUs", "sinks", "what it is");
    }
    for (guint i = 0; i < names->len; i++) {
        int s = list_one(g_ptr_array_index(names, i));

        status = s != CLI_OK ? s : status;
    }
    g_ptr_array_free(names, TRUE);
    if (dir != NULL) {
        g_dir_close(dir);
    }
    g_free(where);
    return status;
}

static void print_ok(const char *name, const struct trace_graph *g)
{
    int links = (int)g->n_nodes - count_kind(g, TRACE_ETM4) -
                count_kind(g, TRACE_TMC_ETR);

    printf("%s: ok: %d ETMs, %d links, %d sinks; needs %u CPUs; "
           "a tree of %" G_GSIZE_FORMAT " bytes with a bare machine (at most "
           "%u)\n", name,
           count_kind(g, TRACE_ETM4), links, count_kind(g, TRACE_TMC_ETR),
           g->cpus, g->packed_size, TRACE_TREE_MAX);
}

static int show_or_check(bool show, const char *name, unsigned cpus,
                         bool strict)
{
    char *error = NULL;
    struct trace_graph *g = topology_load(name, cpus, strict, NULL, &error);
    int status = CLI_OK;

    if (g == NULL) {
        say("%s", error);
        g_free(error);
        return CLI_USAGE;
    }
    topology_report(g);
    if (g->n_errors != 0) {
        status = CLI_USAGE;
    } else if (show) {
        trace_graph_print(g, stdout);
    } else {
        print_ok(name, g);
    }
    trace_graph_free(g);
    return status;
}

/* @text (freed here) to @file or stdout */
static int put_text(const char *command, char *text, const char *file)
{
    GError *err = NULL;
    int status = CLI_OK;

    if (file == NULL) {
        fputs(text, stdout);
    } else if (!g_file_set_contents(file, text, -1, &err)) {
        say("topology %s: %s", command, err->message);
        g_error_free(err);
        status = CLI_USAGE;
    }
    g_free(text);
    return status;
}

/* SVG to a file of that name, else DOT */
static int cmd_graph(const char *name, unsigned cpus, bool strict,
                     const char *file)
{
    char *error = NULL;
    struct trace_graph *g = topology_load(name, cpus, strict, NULL, &error);
    int status = CLI_USAGE;

    if (g == NULL) {
        say("%s", error);
        g_free(error);
        return CLI_USAGE;
    }
    topology_report(g);
    if (g->n_errors == 0) {
        status = put_text("graph", file && g_str_has_suffix(file, ".svg") ?
                          trace_graph_svg(g) : trace_graph_dot(g), file);
    }
    trace_graph_free(g);
    return status;
}

/* the source of a new topology, to @file or stdout */
static int cmd_new(const char *spec, const char *file)
{
    char *error = NULL, *text;

    if (g_str_has_prefix(spec, NEW_PREFIX)) {
        spec += strlen(NEW_PREFIX);
    }
    text = new_topology(spec, &error);
    if (text == NULL) {
        say("topology new: %s", error);
        g_free(error);
        return CLI_USAGE;
    }
    return put_text("new", text, file);
}

/* is @file a name that tells what to draw? */
static bool graph_file_ok(const char *file)
{
    if (file == NULL || g_str_has_suffix(file, ".svg") ||
        g_str_has_suffix(file, ".dot")) {
        return true;
    }
    say("topology graph: --output %s: a name in .svg or .dot expected", file);
    return false;
}

int cmd_topology(int argc, char **argv)
{
    int cpus = 0;
    gboolean strict = FALSE;
    char *out = NULL;
    const GOptionEntry entries[] = {
        { "cpus", 0, 0, G_OPTION_ARG_INT, &cpus,
          "CPUs of the machine (as many as the topology needs)", "N" },
        { "strict", 0, 0, G_OPTION_ARG_NONE, &strict,
          "what there is no model of is an error", NULL },
        { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out,
          "new, graph: the file to write, instead of stdout", "FILE" },
        { 0 }
    };

    if (!cli_options(&argc, &argv, entries,
                     "list | show NAME | check NAME | graph NAME | new SPEC",
                     "list   the topologies that are known by name\n"
                     "show   draw one, with its parameters and sinks\n"
                     "check  say whether the machine can be built from it\n"
                     "graph  as SVG (--output F.svg) or for Graphviz\n"
                     "new    write one: cpus=N[,etrs=M][,groups=N+N+...]"
                     "[,cluster=K]\n"
                     "       [,reach=R|all]\n\n"
                     "NAME is one of the list, new:SPEC, or a file: a device "
                     "tree or an overlay,\nas source (.dts, .dtso) or "
                     "blob.")) {
        return CLI_USAGE;
    }
    if (cpus < 0 || cpus > 512) {
        say("topology: --cpus %d: from 1 to 512", cpus);
    } else if (argc == 3 && strcmp(argv[1], "new") == 0) {
        return cmd_new(argv[2], out);
    } else if (argc == 3 && strcmp(argv[1], "graph") == 0) {
        return graph_file_ok(out) ?
               cmd_graph(argv[2], (unsigned)cpus, strict, out) : CLI_USAGE;
    } else if (out != NULL) {
        say("topology: --output goes with new and graph only");
    } else if (argc == 2 && strcmp(argv[1], "list") == 0) {
        return cmd_list();
    } else if (argc == 3 && (strcmp(argv[1], "show") == 0 ||
                             strcmp(argv[1], "check") == 0)) {
        return show_or_check(argv[1][0] == 's', argv[2], (unsigned)cpus,
                             strict);
    } else {
        say("topology: list, show NAME, check NAME, graph NAME or new SPEC "
            "(see csvirt topology --help)");
    }
    return CLI_USAGE;
}
