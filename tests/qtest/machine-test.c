/*
 * The machine starts with every shipped topology and refuses bad input with
 * one line on stderr and exit status 1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client.h"
#include "tests/tap/tap.h"

#define GOOD "build/board/dts/1etr-2cpu.dtbo"

static char dir[] = "/tmp/csvirt-machine-XXXXXX";

static char *in_dir(const char *name)
{
    static char path[2][256];
    static unsigned turn;

    turn ^= 1;
    snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
    return path[turn];
}

static void shipped_trees_start(void)
{
    glob_t g = { 0 };
    const char *args[] = { "-smp", "4", NULL };

    glob("build/board/dts/*.dtbo", 0, NULL, &g);
    ok(g.gl_pathc >= 4, "%zu topologies are shipped", g.gl_pathc);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        char machine[512];
        struct qtest *q;

        snprintf(machine, sizeof(machine), ",topology=%s", g.gl_pathv[i]);
        q = qtest_start(machine, args);
        ok(qtest_devices(q, NULL, 0) >= 3, "%s: has devices", g.gl_pathv[i]);
        is_str(qtest_stderr(q), "", "%s: says nothing", g.gl_pathv[i]);
        is_u64(qtest_stop(q), 0, "%s: ends well", g.gl_pathv[i]);
    }
    globfree(&g);
}

static void no_topology_starts(void)
{
    struct qtest *q = qtest_start("", NULL);

    ok(strstr(qtest_stderr(q), "no topology"), "without topology: says so");
    is_u64(qtest_stop(q), 0, "without topology: a plain virt");
}

/* The machine refuses, says @want, and @lines lines in all. */
static void refuses(const char *what, const char *machine,
                    const char *const *args, const char *want)
{
    char text[4096];
    int status = qtest_fails(machine, args, text, sizeof(text));
    char *end = strchr(text, '\n');

    is_u64(status, 1, "%s: exit status 1", what);
    if (!ok(strstr(text, want), "%s: names it", what)) {
        tap_diag("want \"%s\" in \"%s\"", want, text);
    }
    if (!ok(end && !end[1], "%s: one line", what)) {
        tap_diag("%s", text);
    }
}

static void put(const char *path, const char *text, size_t n)
{
    FILE *f = fopen(path, "w");

    if (!f || fwrite(text, 1, n, f) != n || fclose(f) != 0) {
        tap_bail("%s cannot be written", path);
    }
}

static void bad_files(void)
{
    static const char text[] = "/dts-v1/; / { };\n";
    char machine[512], blob[256];
    FILE *f = fopen(GOOD, "r");
    size_t n = f ? fread(blob, 1, sizeof(blob), f) : 0;

    if (n != sizeof(blob)) {
        tap_bail("%s cannot be read", GOOD);
    }
    fclose(f);
    snprintf(machine, sizeof(machine), ",topology=%s", in_dir("none.dtb"));
    refuses("a missing file", machine, NULL, "none.dtb ");
    put(in_dir("text.dtb"), text, sizeof(text) - 1);
    snprintf(machine, sizeof(machine), ",topology=%s", in_dir("text.dtb"));
    refuses("a text file", machine, NULL, "text.dtb ");
    put(in_dir("cut.dtbo"), blob, n);
    snprintf(machine, sizeof(machine), ",topology=%s", in_dir("cut.dtbo"));
    refuses("a truncated file", machine, NULL, "cut.dtbo ");
    unlink(in_dir("text.dtb"));
    unlink(in_dir("cut.dtbo"));
}

static void bad_options(void)
{
    static const char *const one_cpu[] = { "-smp", "1", NULL };
    const char *dtb[] = { "-smp", "2", "-dtb", GOOD, NULL };
    static const char *const two[] = { "-smp", "2", NULL };
    static const char *const a15[] = { "-smp", "2", "-cpu", "cortex-a15",
                                       NULL };
    char machine[512];

    refuses("a CPU that does not exist", ",topology=" GOOD, one_cpu,
            GOOD ": /etm@");
    refuses("-dtb with a topology", ",topology=" GOOD, dtb, "-dtb");
    refuses("a CPU without AArch64", ",topology=" GOOD, a15, "AArch64");
    put(in_dir("file"), "", 0);
    snprintf(machine, sizeof(machine), ",topology=%s,snapshot=%s/below", GOOD,
             in_dir("file"));
    refuses("a snapshot folder below a file", machine, two, "file/below");
    snprintf(machine, sizeof(machine), ",topology=%s,exec-log=%s/below", GOOD,
             in_dir("file"));
    refuses("an execution log below a file", machine, two, "file/below");
    unlink(in_dir("file"));
    mkdir(in_dir("old"), 0700);
    put(in_dir("old/index.tsv"), "", 0);
    snprintf(machine, sizeof(machine), ",topology=%s,snapshot=%s", GOOD,
             in_dir("old"));
    refuses("a used snapshot folder", machine, two, "old/index.tsv");
    unlink(in_dir("old/index.tsv"));
    rmdir(in_dir("old"));
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    if (!mkdtemp(dir)) {
        tap_bail("%s cannot be made", dir);
    }
    shipped_trees_start();
    no_topology_starts();
    bad_files();
    bad_options();
    rmdir(dir);
    return tap_done();
}
