/*
 * The vCPU scheduler under the monitor and gdb: at random moments a guest of
 * our own (bare.c) is stopped, stepped, saved and started again in a new
 * process, or reset; it counts everything and must not notice.
 *
 * The emulator is $CSVIRT_QEMU or build/qemu-system-aarch64.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/state/savestate.h"
#include "tests/tap/tap.h"

#define GUEST    "build/tests/bare-long"
#define LIMIT_MS 60000
#define MOMENTS  8
#define ARGS     32

static char dir[] = "/tmp/csvirt-sched.XXXXXX";
static struct prng prng;

static const char *in_dir(const char *name)
{
    static char path[4][128];
    static unsigned turn;
    char *p = path[turn++ % 4];

    snprintf(p, sizeof(path[0]), "%s/%s", dir, name);
    return p;
}

/* ---- the emulator ---- */

struct way {
    const char *name, *machine, *cpus;
    const char *args[4];
};

static const struct way ways[] = {
    { "fair", "csvirt", "6", { NULL } },
    { "counted", "csvirt,quantum=2000", "6",
      { "-icount", "shift=0,sleep=off", NULL } },
    { "chaos", "csvirt,sched=chaos,sched-seed=5,quantum=2000", "6",
      { "-icount", "shift=0,sleep=off", NULL } },
};

static void start(const struct way *way, bool restored, const char *more)
{
    const char *qemu = getenv("CSVIRT_QEMU");
    static char serial[160], incoming[160], gdb[160];
    const char *argv[ARGS] = {
        qemu ? qemu : "build/qemu-system-aarch64", "-M", way->machine,
        "-cpu", "neoverse-n1", "-m", "256M", "-accel", "tcg,thread=single",
        "-kernel", GUEST, "-nodefaults", "-display", "none", "-seed", "1",
        "-smp", way->cpus, "-chardev", serial, "-serial", "chardev:uart",
    };
    static char qmp[160];
    int n = 22;

    snprintf(serial, sizeof(serial), "file,id=uart,path=%s%s", in_dir("uart"),
             restored ? ",append=on" : "");
    snprintf(qmp, sizeof(qmp), "unix:%s,server=on,wait=off", in_dir("qmp"));
    snprintf(gdb, sizeof(gdb), "unix:%s,server=on,wait=off", in_dir("gdb"));
    argv[n++] = "-qmp";
    argv[n++] = qmp;
    for (int i = 0; i < 4 && way->args[i]; i++) {
        argv[n++] = way->args[i];
    }
    if (restored) {
        snprintf(incoming, sizeof(incoming), "file:%s", in_dir("state"));
        argv[n++] = "-incoming";
        argv[n++] = incoming;
    }
    if (more && !strcmp(more, "gdb")) {
        argv[n++] = "-gdb";
        argv[n++] = gdb;
    } else if (more) {
        argv[n++] = more;
    }
    argv[n] = NULL;
    guest_start((char **)argv, dir);
}

static void command(const char *json)
{
    if (!qmp_command(json)) {
        tap_bail("%s: %s", json, qmp_answer());
    }
}

/* How many lines of the UART begin with @word. */
static unsigned lines(const char *word)
{
    FILE *f = fopen(in_dir("uart"), "r");
    char line[256];
    unsigned n = 0;

    while (f && fgets(line, sizeof(line), f)) {
        n += !strncmp(line, word, strlen(word));
    }
    if (f) {
        fclose(f);
    }
    return n;
}

/* The guest has gone through all it does without a fault. */
static void guest_was_well(const char *what, unsigned starts)
{
    int status = guest_end();

    is_u64(status, 0, "%s: the emulator's status", what);
    is_u64(lines("check FAIL"), 0, "%s: nothing failed", what);
    is_u64(lines("bare: start"), starts, "%s: starts", what);
    is_u64(lines("bare: done"), 1, "%s: it came to its end", what);
}

static bool run_a_while(void)
{
    return guest_run_us(100 + prng_below(&prng, 15000));
}

/* ---- stop and cont ---- */

static void stop_and_go(const struct way *way)
{
    unsigned n = 0;

    start(way, false, "-no-reboot");
    while (n < 4 * MOMENTS && run_a_while() &&
           qmp_command("{\"execute\":\"stop\"}")) {
        qmp_word(0x40200000);
        command("{\"execute\":\"cont\"}");
        n++;
    }
    ok(n > 0, "%s: stopped %u times", way->name, n);
    guest_was_well(way->name, 1);
}

/* ---- save and restore ---- */

static bool save_and_restore(const struct way *way)
{
    char json[256];

    if (!qmp_command("{\"execute\":\"stop\"}")) {
        return false;
    }
    snprintf(json, sizeof(json), "{\"execute\":\"migrate\",\"arguments\":"
             "{\"uri\":\"file:%s\"}}", in_dir("state"));
    command(json);
    qmp_wait("{\"execute\":\"query-migrate\"}", "\"status\": \"completed\"",
             "\"status\": \"failed\"");
    /* It may be gone before it has answered. */
    qmp_command("{\"execute\":\"quit\"}");
    guest_end();
    start(way, true, "-no-reboot");
    qmp_wait("{\"execute\":\"query-status\"}", "\"paused\"", NULL);
    command("{\"execute\":\"cont\"}");
    return true;
}

static void saves(const struct way *way)
{
    unsigned n = 0;

    start(way, false, "-no-reboot");
    while (n < MOMENTS && run_a_while() && save_and_restore(way)) {
        n++;
    }
    ok(n > 0, "%s: saved %u times", way->name, n);
    guest_was_well(way->name, 1);
}

/* ---- reset ---- */

static void resets(const struct way *way)
{
    unsigned n = 0, starts;

    start(way, false, NULL);
    while (n < MOMENTS && run_a_while() &&
           qmp_command("{\"execute\":\"system_reset\"}")) {
        n++;
    }
    ok(n > 0, "%s: reset %u times", way->name, n);
    /* A reset may come before the guest says that it starts. */
    is_u64(guest_end(), 0, "%s: the emulator's status", way->name);
    starts = lines("bare: start");
    ok(starts > 1 && starts <= n + 1, "%s: %u starts", way->name, starts);
    is_u64(lines("check FAIL"), 0, "%s: nothing failed", way->name);
    is_u64(lines("bare: done"), 1, "%s: it came to its end", way->name);
}

/* ---- gdb ---- */

static int gdb_fd;
static char gdb_text[8192];

static void gdb_connect(void)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };

    strcpy(to.sun_path, in_dir("gdb"));
    gdb_fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (gdb_fd < 0 || connect(gdb_fd, (struct sockaddr *)&to, sizeof(to))) {
        tap_bail("%s: %s", to.sun_path, strerror(errno));
    }
}

/* One packet of the remote protocol. */
static const char *gdb_receive(void)
{
    size_t n = 0;
    char c = 0;
    bool inside = false;

    for (;;) {
        struct pollfd p = { .fd = gdb_fd, .events = POLLIN };

        if (poll(&p, 1, LIMIT_MS) != 1 || read(gdb_fd, &c, 1) != 1) {
            tap_bail("gdb: no answer");
        }
        if (c == '$') {
            inside = true;
            n = 0;
        } else if (c == '#' && inside) {
            break;
        } else if (inside && n < sizeof(gdb_text) - 1) {
            gdb_text[n++] = c;
        }
    }
    gdb_text[n] = '\0';
    if (read(gdb_fd, &c, 1) != 1 || read(gdb_fd, &c, 1) != 1 ||
        write(gdb_fd, "+", 1) != 1) {
        tap_bail("gdb: half an answer");
    }
    return gdb_text;
}

static void gdb_send(const char *text)
{
    char packet[256];
    unsigned sum = 0;

    for (const char *c = text; *c; c++) {
        sum += (unsigned char)*c;
    }
    snprintf(packet, sizeof(packet), "$%s#%02x", text, sum & 0xff);
    if (write(gdb_fd, packet, strlen(packet)) != (ssize_t)strlen(packet)) {
        tap_bail("gdb: %s", strerror(errno));
    }
}

static const char *gdb(const char *text)
{
    gdb_send(text);
    return gdb_receive();
}

/* Where @symbol of the guest is. */
static unsigned long address_of(const char *symbol)
{
    char line[256];
    unsigned long at = 0;
    FILE *f;

    snprintf(line, sizeof(line), "nm %s", GUEST);
    f = popen(line, "r");
    while (f && fgets(line, sizeof(line), f)) {
        line[strcspn(line, "\n")] = '\0';
        if (strlen(line) > 19 && !strcmp(line + 19, symbol)) {
            at = strtoul(line, NULL, 16);
        }
    }
    if (f) {
        pclose(f);
    }
    if (!at) {
        tap_bail("%s has no %s", GUEST, symbol);
    }
    return at;
}

/* PC of the current thread: register 32. */
static uint64_t gdb_pc(void)
{
    const char *hex = gdb("p20");
    uint64_t pc = 0;

    for (int i = 7; i >= 0; i--) {
        unsigned byte = 0;

        sscanf(hex + 2 * i, "%2x", &byte);
        pc = pc << 8 | byte;
    }
    return pc;
}

static void debugged(const struct way *way)
{
    unsigned long at = address_of("test_pages");
    char text[64];

    start(way, false, "gdb");
    guest_run_us(3000);
    gdb_connect();
    ok(gdb("?")[0] == 'T', "%s: gdb stops it", way->name);
    snprintf(text, sizeof(text), "Z0,%lx,4", at);
    is_str(gdb(text), "OK", "%s: a breakpoint", way->name);
    for (unsigned i = 0; i < 3; i++) {
        gdb("vCont;c");
        gdb_text[3] = 0;
        is_str(gdb_text, "T05", "%s: it is hit",
               way->name);
        is_u64(gdb_pc(), at, "%s: at its place", way->name);
        for (unsigned k = 0; k < 20; k++) {
            uint64_t pc = gdb_pc();

            /* The first CPU; without a name QEMU would step all. */
            gdb("vCont;s:p1.1");
            if (gdb_pc() == pc) {
                ok(false, "%s: step %u goes nowhere", way->name, k);
            }
        }
    }
    text[0] = 'z';
    is_str(gdb(text), "OK", "%s: no breakpoint", way->name);
    is_str(gdb("D"), "OK", "%s: gdb leaves", way->name);
    close(gdb_fd);
    guest_was_well(way->name, 1);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    if (access(GUEST, R_OK)) {
        tap_skip_all("no compiler for arm64");
    }
    if (!mkdtemp(dir)) {
        tap_bail("%s cannot be made", dir);
    }
    prng_seed(&prng, tap_seed());
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        debugged(&ways[i]);
        stop_and_go(&ways[i]);
        saves(&ways[i]);
        resets(&ways[i]);
    }
    unlink(in_dir("uart"));
    unlink(in_dir("state"));
    unlink(in_dir("qmp"));
    unlink(in_dir("gdb"));
    rmdir(dir);
    return tap_done();
}
