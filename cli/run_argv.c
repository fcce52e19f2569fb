/*
 * csvirt run: the emulator's command line.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "cli/run.h"

#define BOOT_SEED ((gint64)1)   /* of a machine that is to be saved */

static void add(GPtrArray *argv, const char *option, const char *fmt, ...)
    G_GNUC_PRINTF(3, 4);

static void add(GPtrArray *argv, const char *option, const char *fmt, ...)
{
    va_list ap;

    g_ptr_array_add(argv, g_strdup(option));
    va_start(ap, fmt);
    g_ptr_array_add(argv, g_strdup_vprintf(fmt, ap));
    va_end(ap);
}

/* A comma in a value of the emulator's option syntax is written twice. */
static char *comma(const char *path)
{
    char *full = g_canonicalize_filename(path, NULL);
    char **parts = g_strsplit(full, ",", -1);
    char *text = g_strjoinv(",,", parts);

    g_strfreev(parts);
    g_free(full);
    return text;
}

/* Guest memory: the file that the saved machine keeps it in. */
static void add_ram_file(GPtrArray *argv, const struct run_plan *plan,
                         const char *size, const char *unit)
{
    char *name = g_build_filename(plan->warm, "ram", NULL);
    char *path = comma(name);

    add(argv, "-object", "memory-backend-file,id=ram,size=%s%s,mem-path=%s,%s",
        size, unit, path,
        plan->saving ? "share=on" : "share=off,readonly=on,rom=off");
    g_free(path);
    g_free(name);
}

static void add_machine(GPtrArray *argv, const struct run_plan *plan)
{
    const struct run_options *o = plan->opt;
    const char *memory = o->memory ? o->memory : "1G";
    gboolean plain = g_ascii_isdigit(memory[strlen(memory) - 1]);
    char *topology = comma(plan->dtbo);
    GString *m = g_string_new("csvirt");

    g_string_append_printf(m, ",topology=%s", topology);
    g_free(topology);
    if (o->snapshot && !plan->saving) {
        char *dir = comma(o->snapshot);

        g_string_append_printf(m, ",snapshot=%s", dir);
        g_free(dir);
    }
    if (o->exec_log && !plan->saving) {
        char *file = comma(o->exec_log);

        g_string_append_printf(m, ",exec-log=%s", file);
        g_free(file);
    }
    if (o->events && !plan->saving) {
        char *file = comma(o->events);

        g_string_append_printf(m, ",events=%s", file);
        g_free(file);
    }
    if (o->sched && (!plan->saving || !strcmp(o->sched, "stock"))) {
        g_string_append_printf(m, ",sched=%s,sched-seed=%" G_GINT64_FORMAT,
                               o->sched, o->seed);
    }
    if (o->dilation) {
        g_string_append_printf(m, ",dilation=%d", o->dilation);
    }
    if (plan->warm) {
        g_string_append(m, ",warm=on,memory-backend=ram");
        add_ram_file(argv, plan, memory, plain ? "M" : "");
    }
    add(argv, "-M", "%s", m->str);
    g_string_free(m, TRUE);
    add(argv, "-smp", "%u", plan->cpus);
    add(argv, "-m", "%s", memory);
    add(argv, "-accel", "tcg,thread=%s", o->accel ? o->accel : "single");
    add(argv, "-seed", "%" G_GINT64_FORMAT,
        plan->saving ? BOOT_SEED : o->seed);
    if (o->deterministic) {
        /* Time is instructions, and no date of the host gets in. */
        add(argv, "-icount", "shift=0,sleep=off");
        add(argv, "-rtc", "base=2026-01-01T00:00:00,clock=vm");
    }
}

static void add_port(GPtrArray *argv, const char *name, const char *file)
{
    char *path = comma(file);

    add(argv, "-chardev", "file,id=%s,path=%s", name, path);
    add(argv, "-device", "virtserialport,chardev=%s,name=csvirt.%s", name,
        name);
    g_free(path);
}

static void add_file(GPtrArray *argv, const struct run_plan *plan,
                     const char *item, const char *file)
{
    char *name = g_build_filename(plan->tmp, file, NULL);
    char *path = comma(name);

    add(argv, "-fw_cfg", "name=opt/csvirt/%s,file=%s", item, path);
    g_free(path);
    g_free(name);
}

/*
 * Ports are files: a file never makes the guest wait, so how fast the host
 * reads has no part in what the guest does.
 */
static void add_command(GPtrArray *argv, const struct run_plan *plan)
{
    char *console = comma(plan->console);

    add(argv, "-chardev", "file,id=console,path=%s%s", console,
        plan->warm && !plan->saving ? ",append=on" : "");
    add(argv, "-serial", "chardev:console");
    g_free(console);
    add(argv, "-monitor", "none");
    add(argv, "-device", "virtio-serial-pci,ioeventfd=off");
    add_port(argv, "ctl", plan->ctl);
    add_port(argv, "out", plan->out);
    add_port(argv, "err", plan->err);
    add_port(argv, "pull", plan->pull);
    if (plan->saving) {
        add(argv, "-fw_cfg", "name=opt/csvirt/mode,string=park");
        /* Restored, it goes on, though it was stopped when saved. */
        add(argv, "-global", "migration.store-global-state=off");
        add(argv, "-qmp", "unix:%s/qmp,server=on,wait=off", plan->tmp);
        return;
    }
    add_file(argv, plan, "cmd", "cmd");
    if (plan->n_pulls) {
        add_file(argv, plan, "pull", "pull.list");
    }
    if (plan->files) {
        add_file(argv, plan, "files", "copy.cpio");
    }
    if (plan->warm) {
        add(argv, "-incoming", "file:%s/state", plan->warm);
    }
}

char **run_argv(const struct run_plan *plan)
{
    const struct run_options *o = plan->opt;
    GPtrArray *argv = g_ptr_array_new();

    g_ptr_array_add(argv, g_strdup(plan->qemu));
    add_machine(argv, plan);
    add(argv, "-kernel", "%s", plan->kernel);
    add(argv, "-initrd", "%s", plan->initrd);
    add(argv, "-append", "console=ttyAMA0 earlycon panic=-1%s%s",
        o->append ? " " : "", o->append ? o->append : "");
    g_ptr_array_add(argv, g_strdup("-nodefaults"));
    add(argv, "-display", "none");
    g_ptr_array_add(argv, g_strdup("-no-reboot"));
    if (o->exec) {
        add_command(argv, plan);
    } else {
        add(argv, "-serial", "mon:stdio");
    }
    if (o->gdb && !plan->saving) {
        add(argv, "-gdb", "tcp:127.0.0.1:1234");
        g_ptr_array_add(argv, g_strdup("-S"));
    }
    if (o->qemu_opts) {
        GError *error = NULL;
        char **more = NULL;

        if (!g_shell_parse_argv(o->qemu_opts, NULL, &more, &error)) {
            say("run: --qemu-opts: %s", error->message);
            g_error_free(error);
            g_ptr_array_add(argv, NULL);
            g_strfreev((char **)g_ptr_array_free(argv, FALSE));
            return NULL;
        }
        for (char **m = more; *m; m++) {
            g_ptr_array_add(argv, g_strdup(*m));
        }
        g_strfreev(more);
    }
    g_ptr_array_add(argv, NULL);
    return (char **)g_ptr_array_free(argv, FALSE);
}
