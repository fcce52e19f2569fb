/*
 * csvirt run: options, checks and preparations.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "board/trace_graph.h"
#include "cli/run.h"
#include "cli/topology.h"
#include "cli/warm.h"

#define DEFAULT_KERNEL   "debian:trixie"
#define DEFAULT_TOPOLOGY "2etr-4cpu"
#define CPUS_MAX         512
#define DILATION_MAX     1024
#define MEMORY_MIN       128u           /* MiB; kernel and initrd need it */
#define MEMORY_MAX       (1u << 20)

static const char summary[] =
    "Boots an arm64 kernel on the trace network of a topology. With --exec\n"
    "the guest runs one shell command, whose output is csvirt's, and goes;\n"
    "without, its shell is on this terminal (Ctrl-A X ends the emulator).";

static struct run_options opt = { .timeout_s = 300, .seed = 1 };

static const GOptionEntry entries[] = {
    { "kernel", 0, 0, G_OPTION_ARG_STRING, &opt.kernel,
      "debian:SUITE[/VERSION], build:NAME, an Image, or a kernel build tree "
      "(debian:trixie)", "SPEC" },
    { "modules", 0, 0, G_OPTION_ARG_FILENAME, &opt.modules,
      "folder with lib/modules/VERSION of the kernel", "DIR" },
    { "perf", 0, 0, G_OPTION_ARG_FILENAME, &opt.perf,
      "perf of the guest: a .deb or an arm64 program", "DEB|PATH" },
    { "topology", 0, 0, G_OPTION_ARG_FILENAME, &opt.topology,
      "a name of csvirt topology list, a device tree, or new:cpus=N,etrs=M "
      "(2etr-4cpu)", "NAME|FILE|new:SPEC" },
    { "cpus", 0, 0, G_OPTION_ARG_INT, &opt.cpus,
      "CPUs of the machine (as many as the topology has)", "N" },
    { "memory", 0, 0, G_OPTION_ARG_STRING, &opt.memory,
      "memory of the guest (1G)", "SIZE" },
    { "append", 0, 0, G_OPTION_ARG_STRING, &opt.append,
      "more words for the kernel command line", "STR" },
    { "exec", 0, 0, G_OPTION_ARG_STRING, &opt.exec,
      "shell command for the guest", "CMD" },
    { "copy", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &opt.copy,
      "put a file into the guest, as /root/NAME if not told otherwise",
      "FILE[:GUEST]" },
    { "pull", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &opt.pull,
      "fetch a file from the guest after the command", "GUEST:HOST" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &opt.seed,
      "seed of the random numbers of machine and scheduler (1)", "N" },
    { "sched", 0, 0, G_OPTION_ARG_STRING, &opt.sched,
      "who runs next: fair, chaos, or stock, QEMU's own (fair)", "POLICY" },
    { "deterministic", 0, 0, G_OPTION_ARG_NONE, &opt.deterministic,
      "time is instructions: the same seed gives the same run", NULL },
    { "dilation", 0, 0, G_OPTION_ARG_INT, &opt.dilation,
      "a second of the guest lasts N of the machine (by CPUs)", "N" },
    { "accel", 0, 0, G_OPTION_ARG_STRING, &opt.accel,
      "one host thread for all CPUs, or one for each (single)",
      "single|multi" },
    { "snapshot", 0, 0, G_OPTION_ARG_FILENAME, &opt.snapshot,
      "write each read-out of a sink below this folder", "DIR" },
    { "exec-log", 0, 0, G_OPTION_ARG_FILENAME, &opt.exec_log,
      "write what the traced CPUs execute, for csvirt verify", "FILE" },
    { "events", 0, 0, G_OPTION_ARG_FILENAME, &opt.events,
      "write the timeline of the trace network, for Perfetto", "FILE.json" },
    { "timeout", 0, 0, G_OPTION_ARG_INT, &opt.timeout_s,
      "limit of a run with --exec in seconds, 0: none (300)", "S" },
    { "fail-on-warn", 0, 0, G_OPTION_ARG_NONE, &opt.fail_on_warn,
      "exit 1 if the guest kernel reported a WARNING or worse", NULL },
    { "qemu", 0, 0, G_OPTION_ARG_FILENAME, &opt.qemu,
      "another emulator (must have the csvirt machine)", "PATH" },
    { "qemu-opts", 0, 0, G_OPTION_ARG_STRING, &opt.qemu_opts,
      "more options for the emulator", "STR" },
    { "warm", 0, 0, G_OPTION_ARG_NONE, &opt.warm,
      "boot once, start later runs from the saved machine", NULL },
    { "gdb", 0, 0, G_OPTION_ARG_NONE, &opt.gdb,
      "wait for gdb on port 1234 before the first instruction", NULL },
    { "offline", 0, 0, G_OPTION_ARG_NONE, &opt.offline,
      "use only what has been fetched before", NULL },
    { "dry-run", 0, 0, G_OPTION_ARG_NONE, &opt.dry_run,
      "print the emulator's command line instead", NULL },
    { "verbose", 0, 0, G_OPTION_ARG_NONE, &opt.verbose,
      "show the console on stderr", NULL },
    { NULL, 0, 0, 0, NULL, NULL, NULL }
};

/* ---- the folder of a run ---------------------------------------------- */

static const char *const tmp_names[] = {
    "console", "out", "err", "ctl", "pull", "cmd", "pull.list", "copy.cpio",
    "initrd", "qmp",
};

/* Their paths and at last the folder's, for a signal handler to remove. */
static char *tmp_paths[G_N_ELEMENTS(tmp_names) + 1];

static void tmp_remove(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(tmp_names); i++) {
        unlink(tmp_paths[i]);
    }
    rmdir(tmp_paths[G_N_ELEMENTS(tmp_names)]);
}

/* Before the emulator runs; from then on run_guest() takes the signals. */
static void tmp_signal(int sig)
{
    tmp_remove();
    /* Blocked until we return, and SA_RESETHAND has made it deadly. */
    raise(sig);
}

static void tmp_guard(const char *tmp)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
    struct sigaction old, act = {
        .sa_handler = tmp_signal, .sa_flags = (int)SA_RESETHAND,
    };

    for (size_t i = 0; i < G_N_ELEMENTS(tmp_names); i++) {
        tmp_paths[i] = g_build_filename(tmp, tmp_names[i], NULL);
    }
    tmp_paths[G_N_ELEMENTS(tmp_names)] = g_strdup(tmp);
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++) {
        /* What we were told to ignore stays ignored. */
        if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL) {
            sigaction(signals[i], &act, NULL);
        }
    }
}

/* ---- what is wrong with the words --------------------------------------- */

/* MiB if nothing else is said, as for the emulator. */
static gboolean memory_ok(const char *text)
{
    char *end;
    guint64 n = g_ascii_strtoull(text, &end, 10);
    guint64 unit = *end && strchr("Gg", *end) ? 1024 : 1;

    return g_ascii_isdigit(*text) && n &&
           (!*end || (strchr("MGmg", *end) && !end[1])) &&
           n >= MEMORY_MIN / unit && n <= MEMORY_MAX / unit;
}

/* The first option whose text is empty, or NULL. */
static const char *empty_option(void)
{
    for (const GOptionEntry *e = entries; e->long_name; e++) {
        const char *text = e->arg == G_OPTION_ARG_STRING ||
                           e->arg == G_OPTION_ARG_FILENAME
                           ? *(char **)e->arg_data : NULL;

        if (text && !*text && e->arg_data != &opt.append &&
            e->arg_data != &opt.qemu_opts) {
            return e->long_name;
        }
    }
    return NULL;
}

/* --sched, --deterministic and --dilation, also against --accel. */
static gboolean sched_ok(void)
{
    gboolean multi = opt.accel && !strcmp(opt.accel, "multi");

    if (opt.sched && strcmp(opt.sched, "fair") && strcmp(opt.sched, "chaos") &&
        strcmp(opt.sched, "stock")) {
        say("run: --sched %s: fair, chaos or stock", opt.sched);
    } else if (opt.sched && multi) {
        say("run: --sched %s: not with --accel multi", opt.sched);
    } else if (opt.deterministic && multi) {
        say("run: --deterministic: not with --accel multi");
    } else if (opt.deterministic && opt.sched &&
               !strcmp(opt.sched, "stock")) {
        say("run: --deterministic: not with --sched stock");
    } else if (opt.dilation < 0 || opt.dilation > DILATION_MAX) {
        say("run: --dilation %d: from 1 to %d", opt.dilation, DILATION_MAX);
    } else {
        if (opt.sched && !strcmp(opt.sched, "chaos")) {
            opt.deterministic = TRUE;
        }
        return TRUE;
    }
    return FALSE;
}

static gboolean options_ok(int argc, char **argv)
{
    const char *name;

    if (argc > 1) {
        say("run: what is '%s'? (see csvirt run --help)", argv[1]);
    } else if (opt.cpus < 0 || opt.cpus > CPUS_MAX) {
        say("run: --cpus %d: from 1 to %d", opt.cpus, CPUS_MAX);
    } else if (opt.timeout_s < 0) {
        say("run: --timeout %d: seconds, 0 for none", opt.timeout_s);
    } else if (opt.seed < 0) {
        say("run: --seed %" G_GINT64_FORMAT ": from 0 on", opt.seed);
    } else if (opt.accel && strcmp(opt.accel, "single") &&
               strcmp(opt.accel, "multi")) {
        say("run: --accel %s: single or multi", opt.accel);
    } else if (!sched_ok()) {
        return FALSE;
    } else if (opt.memory && !memory_ok(opt.memory)) {
        say("run: --memory %s: a number with M or G, 128M to 1024G",
            opt.memory);
    } else if ((name = empty_option())) {
        say("run: --%s: the value is empty", name);
    } else if (opt.pull && !opt.exec) {
        say("run: --pull needs --exec");
    } else if (opt.warm && !opt.exec) {
        say("run: --warm needs --exec");
    } else {
        return TRUE;
    }
    return FALSE;
}

/* ---- the parts of a plan ------------------------------------------------ */

static int plan_topology(struct run_plan *plan)
{
    const char *name = plan->opt->topology ? plan->opt->topology
                                           : DEFAULT_TOPOLOGY;
    struct trace_graph *graph;
    char *error = NULL;
    int status = CLI_OK;

    graph = topology_load(name, (unsigned)plan->opt->cpus, false,
                          &plan->dtbo, &error);
    if (!graph) {
        say("%s", error);
        g_free(error);
        return CLI_USAGE;
    }
    /* Of a good one the machine tells the warnings when it is built. */
    if (graph->n_errors || plan->opt->dry_run) {
        topology_report(graph);
    }
    plan->cpus = (unsigned)plan->opt->cpus;
    if (graph->n_errors) {
        status = CLI_USAGE;
    } else if (!plan->cpus) {
        plan->cpus = 1;
        for (size_t i = 0; i < graph->n_nodes; i++) {
            int cpu = graph->nodes[i].cpu;

            if (cpu >= (int)plan->cpus) {
                plan->cpus = (unsigned)cpu + 1;
            }
        }
    }
    trace_graph_free(graph);
    return status;
}

static int plan_qemu(struct run_plan *plan)
{
    const char *path = plan->opt->qemu ? plan->opt->qemu : cli_paths()->qemu;

    plan->qemu = g_find_program_in_path(path);
    if (!plan->qemu) {
        say("no emulator at %s%s", path,
            plan->opt->qemu ? "" : ": run make, or give --qemu PATH");
        return CLI_USAGE;
    }
    return CLI_OK;
}

/* One VALUE of image.sh's NAME=VALUE lines, which a shell could read. */
static char *image_value(const char *text, const char *name)
{
    char **lines = g_strsplit(text, "\n", -1);
    char *value = NULL;
    size_t n = strlen(name);

    for (char **l = lines; *l && !value; l++) {
        if (!strncmp(*l, name, n) && (*l)[n] == '=') {
            value = g_shell_unquote(*l + n + 1, NULL);
        }
    }
    g_strfreev(lines);
    return value;
}

static int plan_image(struct run_plan *plan)
{
    const struct cli_paths *paths = cli_paths();
    const struct run_options *o = plan->opt;
    GPtrArray *argv = g_ptr_array_new();
    char *script = g_build_filename(paths->data, "guest", "image.sh", NULL);
    char *out = NULL;
    int status;

    g_ptr_array_add(argv, (char *)"sh");
    g_ptr_array_add(argv, script);
    g_ptr_array_add(argv, (char *)"--cache");
    g_ptr_array_add(argv, paths->cache);
    g_ptr_array_add(argv, (char *)"--bin");
    g_ptr_array_add(argv, paths->bin);
    if (paths->apt_state) {
        g_ptr_array_add(argv, (char *)"--apt-state");
        g_ptr_array_add(argv, paths->apt_state);
    }
    if (o->offline) {
        g_ptr_array_add(argv, (char *)"--offline");
    }
    if (o->perf) {
        g_ptr_array_add(argv, (char *)"--perf");
        g_ptr_array_add(argv, o->perf);
    }
    if (o->modules) {
        g_ptr_array_add(argv, (char *)"--modules");
        g_ptr_array_add(argv, o->modules);
    }
    g_ptr_array_add(argv, o->kernel ? o->kernel : (char *)DEFAULT_KERNEL);
    g_ptr_array_add(argv, NULL);
    status = cli_spawn((char **)argv->pdata, &out);
    g_ptr_array_free(argv, TRUE);
    g_free(script);
    if (!status) {
        plan->kernel = image_value(out, "kernel");
        plan->initrd = image_value(out, "initrd");
        plan->version = image_value(out, "version");
        if (!plan->kernel || !plan->initrd) {
            say("guest/image.sh did not say kernel= and initrd=");
            status = CLI_USAGE;
        }
    }
    g_free(out);
    return status ? CLI_USAGE : CLI_OK;
}

/* Appends a file to an open one. */
static gboolean append_file(FILE *to, const char *name)
{
    GMappedFile *map = g_mapped_file_new(name, FALSE, NULL);
    gboolean ok = map != NULL;

    if (ok) {
        gsize n = g_mapped_file_get_length(map);
        static const char zeros[4];

        ok = fwrite(g_mapped_file_get_contents(map), 1, n, to) == n &&
             fwrite(zeros, 1, -n & 3, to) == (-n & 3);
        g_mapped_file_unref(map);
    }
    return ok;
}

/* The kernel takes several cpio files one after the other, 4-byte aligned. */
static int plan_copy(struct run_plan *plan)
{
    const struct cli_paths *paths = cli_paths();
    GPtrArray *argv = g_ptr_array_new();
    char *script = g_build_filename(paths->data, "guest", "pack.sh", NULL);
    char *cpio = g_build_filename(plan->tmp, "copy.cpio", NULL);
    char *whole = g_build_filename(plan->tmp, "initrd", NULL);
    int status = CLI_OK;
    FILE *f;

    g_ptr_array_add(argv, (char *)"sh");
    g_ptr_array_add(argv, script);
    g_ptr_array_add(argv, (char *)"--bin");
    g_ptr_array_add(argv, paths->bin);
    g_ptr_array_add(argv, cpio);
    for (char **c = plan->opt->copy; *c; c++) {
        g_ptr_array_add(argv, *c);
    }
    g_ptr_array_add(argv, NULL);
    if (cli_spawn((char **)argv->pdata, NULL)) {
        status = CLI_USAGE;
    } else if (plan->opt->warm) {
        /* The saved machine has its initrd already. */
        plan->files = g_strdup(cpio);
    } else {
        f = fopen(whole, "wb");
        if (!f || !append_file(f, plan->initrd) || !append_file(f, cpio) ||
            fflush(f)) {
            say("cannot write %s: %s", whole, strerror(errno));
            status = CLI_USAGE;
        }
        if (f) {
            fclose(f);
        }
        g_free(plan->initrd);
        plan->initrd = whole;
        whole = NULL;
    }
    g_ptr_array_free(argv, TRUE);
    g_free(script);
    g_free(cpio);
    g_free(whole);
    return status;
}

static int plan_pulls(struct run_plan *plan)
{
    size_t n = g_strv_length(plan->opt->pull);
    GString *list = g_string_new(NULL);
    char *name = g_build_filename(plan->tmp, "pull.list", NULL);
    int status = CLI_OK;

    plan->pulls = g_new0(struct run_pull, n);
    for (size_t i = 0; i < n && !status; i++) {
        const char *text = plan->opt->pull[i];
        const char *colon = strchr(text, ':');
        struct run_pull *p = &plan->pulls[i];
        char *dir;

        if (text[0] != '/' || !colon || !colon[1]) {
            say("run: --pull %s: /PATH/IN/GUEST:HOST is expected", text);
            status = CLI_USAGE;
            break;
        }
        p->guest = g_strndup(text, (gsize)(colon - text));
        p->host = g_strdup(colon + 1);
        if (g_file_test(p->host, G_FILE_TEST_IS_DIR)) {
            char *base = g_path_get_basename(p->guest);

            g_free(p->host);
            p->host = g_build_filename(colon + 1, base, NULL);
            g_free(base);
        }
        plan->n_pulls = i + 1;
        dir = g_path_get_dirname(p->host);
        if (g_access(dir, W_OK)) {
            say("run: --pull %s: %s: %s", text, dir, strerror(errno));
            status = CLI_USAGE;
        }
        g_free(dir);
        g_string_append_printf(list, "%s\n", p->guest);
    }
    if (!status && !g_file_set_contents(name, list->str, -1, NULL)) {
        say("cannot write %s", name);
        status = CLI_USAGE;
    }
    g_string_free(list, TRUE);
    g_free(name);
    return status;
}

/* ---- the whole ---------------------------------------------------------- */

static int plan_tmp(struct run_plan *plan)
{
    GError *error = NULL;
    char *name;

    plan->tmp = g_dir_make_tmp("csvirt-XXXXXX", &error);
    if (!plan->tmp) {
        say("no folder for this run: %s", error->message);
        g_error_free(error);
        return CLI_USAGE;
    }
    tmp_guard(plan->tmp);
    plan->console = g_build_filename(plan->tmp, "console", NULL);
    plan->out = g_build_filename(plan->tmp, "out", NULL);
    plan->err = g_build_filename(plan->tmp, "err", NULL);
    plan->ctl = g_build_filename(plan->tmp, "ctl", NULL);
    plan->pull = g_build_filename(plan->tmp, "pull", NULL);
    plan->qmp = g_build_filename(plan->tmp, "qmp", NULL);
    if (plan->opt->exec) {
        name = g_build_filename(plan->tmp, "cmd", NULL);
        if (!g_file_set_contents(name, plan->opt->exec, -1, &error)) {
            say("%s", error->message);
            g_error_free(error);
            g_free(name);
            return CLI_USAGE;
        }
        g_free(name);
    }
    return run_room_ok(plan->tmp);
}

int run_plan_make(struct run_plan *plan, const struct run_options *o)
{
    int status;

    plan->opt = o;
    status = plan_topology(plan);
    if (!status) {
        status = plan_qemu(plan);
    }
    if (!status) {
        status = plan_tmp(plan);
    }
    if (!status && o->pull) {
        status = plan_pulls(plan);
    }
    if (!status) {
        status = plan_image(plan);
    }
    if (!status && o->copy) {
        status = plan_copy(plan);
    }
    if (!status && o->exec_log && !o->dry_run) {
        status = run_place_file("exec-log", o->exec_log);
    }
    if (!status && o->events && !o->dry_run) {
        status = run_place_file("events", o->events);
    }
    if (!status && o->snapshot && !o->dry_run) {
        status = run_place_snapshot(o->snapshot);
    }
    return status;
}

void run_plan_free(struct run_plan *plan)
{
    if (plan->tmp) {
        tmp_remove();
    }
    for (size_t i = 0; i < plan->n_pulls; i++) {
        g_free(plan->pulls[i].guest);
        g_free(plan->pulls[i].host);
    }
    g_free(plan->pulls);
    g_free(plan->tmp);
    g_free(plan->qemu);
    g_free(plan->kernel);
    g_free(plan->initrd);
    g_free(plan->version);
    g_free(plan->dtbo);
    g_free(plan->console);
    g_free(plan->out);
    g_free(plan->err);
    g_free(plan->ctl);
    g_free(plan->pull);
    g_free(plan->qmp);
    g_free(plan->files);
    g_free(plan->warm);
}

static void print_argv(char **argv)
{
    for (char **a = argv; *a; a++) {
        char *q = g_shell_quote(*a);

        printf("%s%s", strpbrk(*a, " '\"$\\&;()<>|*?#`") || !**a ? q : *a,
               a[1] ? " " : "\n");
        g_free(q);
    }
}

int cmd_run(int argc, char **argv)
{
    struct run_plan plan = { 0 };
    char **qemu_argv;
    int status;

    if (!cli_options(&argc, &argv, entries, NULL, summary) ||
        !options_ok(argc, argv)) {
        return CLI_USAGE;
    }
    status = run_plan_make(&plan, &opt);
    if (!status && opt.warm) {
        status = warm_take(&plan);
    }
    if (!status) {
        qemu_argv = run_argv(&plan);
        if (!qemu_argv) {
            status = CLI_USAGE;
        } else if (opt.dry_run) {
            print_argv(qemu_argv);
        } else {
            status = run_guest(&plan, qemu_argv);
        }
        g_strfreev(qemu_argv);
    }
    run_plan_free(&plan);
    return status;
}
