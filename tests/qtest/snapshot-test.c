/*
 * The snapshot folder: what a read-out writes, the cap, and a folder that
 * cannot be written.  A SoC-600 ETR takes the pointers that it is given, so
 * that a buffer can be "full of trace" without a PE.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client.h"
#include "models/tmc_regs.h"
#include "tests/tap/tap.h"

#define ETR    0x0c400000ull
#define BUFFER 0x42000000u
#define BYTES  0x1000u

static const char tree[] =
    "/dts-v1/;\n/plugin/;\n"
    "&{/} {\n"
    "  #address-cells = <2>; #size-cells = <2>;\n"
    "  etm@c100000 {\n"
    "    compatible = \"arm,coresight-etm4x\", \"arm,primecell\";\n"
    "    reg = <0 0x0c100000 0 0x1000>;\n"
    "    clocks = <&apb_pclk>; clock-names = \"apb_pclk\"; cpu = <&cpu0>;\n"
    "    out-ports { port { a: endpoint { remote-endpoint = <&b>; }; }; };\n"
    "  };\n"
    "  etr@c400000 {\n"
    "    compatible = \"arm,coresight-tmc\", \"arm,primecell\";\n"
    "    reg = <0 0x0c400000 0 0x1000>;\n"
    "    clocks = <&apb_pclk>; clock-names = \"apb_pclk\";\n"
    "    csvirt,soc600 = <1>;\n"
    "    in-ports { port { b: endpoint { remote-endpoint = <&a>; }; }; };\n"
    "  };\n"
    "};\n";

static char dir[] = "/tmp/csvirt-snapshot-XXXXXX";
static uint8_t buffer[BYTES];

static char *in_dir(const char *name)
{
    static char path[4][256];
    static unsigned turn;

    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
    return path[turn];
}

static size_t load(const char *name, uint8_t *to, size_t size)
{
    FILE *f = fopen(in_dir(name), "r");
    size_t n = f ? fread(to, 1, size, f) : 0;

    if (f) {
        fclose(f);
    }
    return n;
}

static bool has(const char *name, const char *text)
{
    char content[4096];
    size_t n = load(name, (uint8_t *)content, sizeof(content) - 1);

    content[n] = '\0';
    return ok(strstr(content, text), "%s has \"%s\"", name, text);
}

static void make_tree(void)
{
    char command[1024];
    FILE *f = fopen(in_dir("tree.dtso"), "w");

    if (!f || fputs(tree, f) < 0 || fclose(f) != 0) {
        tap_bail("%s cannot be written", in_dir("tree.dtso"));
    }
    snprintf(command, sizeof(command), "dtc -q -@ -I dts -O dtb -o %s %s",
             in_dir("tree.dtbo"), in_dir("tree.dtso"));
    if (system(command) != 0) {
        tap_bail("%s", command);
    }
}

static struct qtest *start(const char *snapshot, const char *more)
{
    char machine[1024];
    struct qtest *q;

    snprintf(machine, sizeof(machine), ",topology=%s,snapshot=%s%s",
             in_dir("tree.dtbo"), in_dir(snapshot), more);
    q = qtest_start(machine, NULL);
    qtest_write(q, BUFFER, buffer, BYTES);
    qtest_writel(q, ETR + 0xfb0, 0xc5acce55);
    return q;
}

/* A capture that ends with RWP at @end bytes and Full or not. */
static void capture(struct qtest *q, uint32_t end, bool full)
{
    qtest_writel(q, ETR + TMC_RSZ, BYTES / 4);
    qtest_writel(q, ETR + TMC_DBALO, BUFFER);
    qtest_writel(q, ETR + TMC_RRP, BUFFER);
    qtest_writel(q, ETR + TMC_RWP, BUFFER + end);
    qtest_writel(q, ETR + TMC_STS, full ? TMC_STS_FULL : 0);
    qtest_writel(q, ETR + TMC_FFCR, 0x133);
    qtest_writel(q, ETR + TMC_CTL, 1);
    /* perf stops twice: one read-out */
    for (unsigned i = 0; i < 2; i++) {
        qtest_writel(q, ETR + TMC_FFCR, 0x1133 | TMC_FFCR_FLUSHMAN);
        qtest_clock_step(q, 100000);
        qtest_readl(q, ETR + TMC_STS);
    }
    qtest_writel(q, ETR + TMC_CTL, 0);
    qtest_clock_step(q, 100000);
}

static void read_outs(void)
{
    uint8_t got[2 * BYTES], want[BYTES];
    struct qtest *q = start("s", "");

    capture(q, 0, false);
    ok(access(in_dir("s/0001"), F_OK) != 0, "an empty capture writes nothing");
    capture(q, 0x40, false);
    is_u64(load("s/0001/etr@c400000.bin", got, sizeof(got)), 0x40,
           "bytes of the first read-out");
    is_mem(got, buffer, 0x40, "contents of the first read-out");
    ok(access(in_dir("s/0002"), F_OK) != 0, "a second stop writes nothing");
    capture(q, 0x120, true);
    is_u64(load("s/0002/etr@c400000.bin", got, sizeof(got)), BYTES,
           "bytes of a wrapped read-out");
    memcpy(want, buffer + 0x120, BYTES - 0x120);
    memcpy(want + BYTES - 0x120, buffer, 0x120);
    is_mem(got, want, BYTES, "oldest byte first");
    has("s/0001/snapshot.ini", "metadata=trace.ini");
    has("s/0001/snapshot.ini", "=etr@c400000.ini");
    has("s/0001/trace.ini", "file=etr@c400000.bin\nformat=coresight");
    has("s/0001/etr@c400000.ini", "RWP(0x006)=0x42000040");
    has("s/index.tsv", "1\tetr@c400000\t");
    has("s/index.tsv", "\t64\t0\t0\n2\tetr@c400000\t");
    has("s/index.tsv", "\t4096\t1\t0\n");
    ok(access(in_dir("s/0001/etm_0.ini"), F_OK) != 0,
       "a unit that sent nothing is not in it");
    is_str(qtest_stderr(q), "", "nothing to complain of");
    is_u64(qtest_stop(q), 0, "ends well");
}

static unsigned lines(const char *text)
{
    unsigned n = 0;

    while ((text = strchr(text, '\n')) != NULL) {
        text++;
        n++;
    }
    return n;
}

static void cap(void)
{
    struct qtest *q = start("cap", ",snapshot-max=96");

    for (unsigned i = 0; i < 3; i++) {
        capture(q, 0x40, false);
    }
    ok(access(in_dir("cap/0001"), F_OK) == 0, "cap: the first fits");
    ok(access(in_dir("cap/0002"), F_OK) != 0, "cap: the second does not");
    ok(strstr(qtest_stderr(q), "the cap of 96 bytes"), "cap: told");
    is_u64(lines(qtest_stderr(q)), 1, "cap: told once");
    is_u64(qtest_stop(q), 0, "cap: the guest went on");
}

static void no_folder(void)
{
    struct qtest *q = start("gone", "");

    rmdir(in_dir("gone"));
    capture(q, 0x40, false);
    capture(q, 0x40, false);
    ok(strstr(qtest_stderr(q), in_dir("gone")), "lost folder: named");
    is_u64(lines(qtest_stderr(q)), 1, "lost folder: told once");
    is_u64(qtest_stop(q), 0, "lost folder: the guest went on");
}

int main(int argc, char **argv)
{
    char command[512];
    struct prng r;

    tap_begin(argc, argv, 0);
    prng_seed(&r, tap_seed());
    for (size_t i = 0; i < BYTES; i++) {
        buffer[i] = (uint8_t)prng_u64(&r);
    }
    if (!mkdtemp(dir)) {
        tap_bail("%s cannot be made", dir);
    }
    make_tree();
    read_outs();
    cap();
    no_folder();
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    return system(command) == 0 ? tap_done() : 99;
}
