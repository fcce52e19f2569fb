/*
 * savestate: stands in for the emulator (csvirt run --qemu), starts the real
 * one and, at seeded moments, saves it to a file, ends it and goes on from
 * the file in a new process.
 *
 * Emulator number n gets FILE.n as its execution log and DIR/n as its snapshot
 * folder, of the FILE and DIR on the command line: "csvirt verify" takes them
 * in this order. Guest output is appended to.
 *
 * A moment: the guest runs for a random time, is stopped, and the registers of
 * the sinks say what was going on. It is taken if that is what the point's
 * turn asks for (session, flush or stop sequence, anything), else the guest
 * runs on for a little; after TRIES_MAX of those, whatever is there is taken.
 *
 * Environment:
 *   CSVIRT_STATE_QEMU    the real emulator
 *   CSVIRT_STATE_DIR     where the state file and points.tsv go
 *   CSVIRT_STATE_POINTS  how many times (100)
 *   CSVIRT_STATE_SEED    of the moments (1)
 *   CSVIRT_STATE_SINKS   register pages of the TMCs, hex, comma separated
 *   CSVIRT_STATE_GAP_MS  greatest time between two points, host ms (200)
 * points.tsv: point, tries, what ("session", "flush", "stop", "idle").
 * Exit status: the last emulator's, or 3 when the chain broke.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "savestate.h"

#define TRIES_MAX  400
#define GAP_MIN_MS 20
#define SINKS_MAX  16

#define TMC_CTL    0x020u       /* bit 0 TraceCaptEn */
#define TMC_FFSR   0x300u       /* bit 1 FtStopped */
#define TMC_FFCR   0x304u       /* bit 6 FlushMan */

enum what { IDLE, SESSION, FLUSH, STOP, ANY };
static const char *const what_name[] = {
    "idle", "session", "flush", "stop", "any"
};

static struct {
    const char *qemu, *dir, *ctl;
    unsigned points, gap_ms;
    uint64_t random;
    uint32_t sinks[SINKS_MAX];
    unsigned n_sinks;
    FILE *report;
} conf;

/* xorshift64*: the same moments for the same seed, as far as hosts allow */
static uint64_t random_below(uint64_t n)
{
    conf.random ^= conf.random >> 12;
    conf.random ^= conf.random << 25;
    conf.random ^= conf.random >> 27;
    return (conf.random * 0x2545f4914f6cdd1dull >> 16) % n;
}

static const char *env(const char *name, const char *otherwise)
{
    const char *value = getenv(name);

    if (!value && !otherwise) {
        die("%s is not set", name);
    }
    return value ? value : otherwise;
}

static void configure(int argc, char **argv)
{
    char *sinks = strdup(env("CSVIRT_STATE_SINKS", ""));
    char path[4096];

    conf.qemu = env("CSVIRT_STATE_QEMU", NULL);
    conf.dir = env("CSVIRT_STATE_DIR", NULL);
    conf.points = (unsigned)atoi(env("CSVIRT_STATE_POINTS", "100"));
    conf.gap_ms = (unsigned)atoi(env("CSVIRT_STATE_GAP_MS", "200"));
    conf.random = strtoull(env("CSVIRT_STATE_SEED", "1"), NULL, 0) *
                  0x9e3779b97f4a7c15ull | 1;
    for (char *s = strtok(sinks, ","); s && conf.n_sinks < SINKS_MAX;
         s = strtok(NULL, ",")) {
        conf.sinks[conf.n_sinks++] = (uint32_t)strtoul(s, NULL, 16);
    }
    free(sinks);
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "file,id=ctl,path=", 17)) {
            conf.ctl = argv[i] + 17;
        }
    }
    if (!conf.ctl) {
        die("no control port on the command line");
    }
    if (conf.gap_ms <= GAP_MIN_MS) {
        die("CSVIRT_STATE_GAP_MS: more than %d is expected", GAP_MIN_MS);
    }
    snprintf(path, sizeof(path), "%s/points.tsv", conf.dir);
    conf.report = fopen(path, "w");
    if (!conf.report) {
        die("cannot write %s", path);
    }
    setvbuf(conf.report, NULL, _IOLBF, 0);
}

/* ---- the command line of instance n -------------------------------------- */

/*
 * One machine option "NAME=" of @value, up to a comma that is not doubled:
 * @suffix is put behind it.
 */
static char *suffix_option(const char *value, const char *name,
                           const char *suffix)
{
    const char *at = strstr(value, name);
    const char *end;
    char *out;

    if (!at) {
        return strdup(value);
    }
    for (end = at + 1; *end && !(end[0] == ',' && end[1] != ','); end++) {
        end += end[0] == ',';
    }
    if (asprintf(&out, "%.*s%s%s", (int)(end - value), value, suffix,
                 end) < 0) {
        die("no memory");
    }
    return out;
}

/* The value of machine option ",exec-log=", or NULL. */
static char *log_of(int argc, char **argv)
{
    static const char name[] = ",exec-log=";

    for (int i = 1; i < argc; i++) {
        const char *at = strcmp(argv[i - 1], "-M") ? NULL
                                                   : strstr(argv[i], name);

        if (at) {
            at += sizeof(name) - 1;
            return strndup(at, strcspn(at, ","));
        }
    }
    return NULL;
}

/* The last emulator's log is FILE too: csvirt run looks whether it is whole. */
static void link_last_log(const char *file, unsigned n)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s.%03u", file, n);
    if (link(path, file)) {
        die("%s: %s", path, strerror(errno));
    }
}

static char *machine_of(const char *value, unsigned n)
{
    char dir[16], file[16];
    char *with_dir, *all;

    snprintf(dir, sizeof(dir), "/%03u", n);
    snprintf(file, sizeof(file), ".%03u", n);
    with_dir = suffix_option(value, ",snapshot=", dir);
    all = suffix_option(with_dir, ",exec-log=", file);
    free(with_dir);
    return all;
}

static char **instance_argv(int argc, char **argv, unsigned n)
{
    char **a = calloc((size_t)argc + 8, sizeof(*a));
    int k = 0;

    if (!a) {
        die("no memory");
    }
    a[k++] = (char *)conf.qemu;
    for (int i = 1; i < argc; i++) {
        if (i > 1 && !strcmp(argv[i - 1], "-M")) {
            a[k++] = machine_of(argv[i], n);
        } else if (n && !strncmp(argv[i], "file,id=", 8)) {
            if (asprintf(&a[k++], "%s,append=on", argv[i]) < 0) {
                die("no memory");
            }
        } else {
            a[k++] = argv[i];
        }
    }
    a[k++] = (char *)"-qmp";
    if (asprintf(&a[k++], "unix:%s/qmp,server=on,wait=off", conf.dir) < 0) {
        die("no memory");
    }
    if (n) {
        a[k++] = (char *)"-incoming";
        if (asprintf(&a[k++], "file:%s/state", conf.dir) < 0) {
            die("no memory");
        }
    }
    return a;
}

/* ---- what goes on -------------------------------------------------------- */

static enum what what_goes_on(void)
{
    enum what found = IDLE;

    for (unsigned i = 0; i < conf.n_sinks; i++) {
        uint32_t base = conf.sinks[i];

        if (qmp_word(base + TMC_FFCR) & 1u << 6) {
            return FLUSH;
        }
        if (qmp_word(base + TMC_CTL) & 1) {
            found = qmp_word(base + TMC_FFSR) & 2 ? STOP : SESSION;
        }
    }
    return found;
}

static bool fits(enum what wanted, enum what found)
{
    return wanted == ANY || wanted == found ||
           (wanted == FLUSH && found == STOP);
}

/* Runs and stops the guest. returns: false when it ended on its own. */
static bool take_moment(unsigned point)
{
    static const enum what turns[] = { SESSION, FLUSH, ANY, FLUSH, SESSION };
    enum what wanted = turns[point % 5];
    enum what found = IDLE;
    unsigned ms = GAP_MIN_MS +
                  (unsigned)random_below(conf.gap_ms - GAP_MIN_MS);
    uint64_t us = ms * 1000ull;
    unsigned tries;

    for (tries = 1; tries <= TRIES_MAX; tries++) {
        if (!guest_run_us(us) || !qmp_command("{\"execute\":\"stop\"}")) {
            return false;
        }
        found = what_goes_on();
        if (fits(wanted, found) || tries == TRIES_MAX) {
            break;
        }
        if (!qmp_command("{\"execute\":\"cont\"}")) {
            return false;
        }
        us = 20 + random_below(3000);
    }
    fprintf(conf.report, "%u\t%u\t%s\n", point, tries, what_name[found]);
    return true;
}

static void save_and_end(void)
{
    char text[4300];

    snprintf(text, sizeof(text), "{\"execute\":\"migrate\",\"arguments\":"
             "{\"uri\":\"file:%s/state\"}}", conf.dir);
    if (!qmp_command("{\"execute\":\"migrate-set-parameters\",\"arguments\":"
                     "{\"max-bandwidth\":100000000000}}") ||
        !qmp_command(text)) {
        die("the state cannot be saved: %s", qmp_answer());
    }
    qmp_wait("{\"execute\":\"query-migrate\"}", "\"completed\"", "\"failed\"");
    qmp_command("{\"execute\":\"quit\"}");
    if (guest_end() != 0) {
        die("the emulator ended badly after a save");
    }
}

static void start(int argc, char **argv, unsigned n)
{
    guest_start(instance_argv(argc, argv, n), conf.dir);
    if (n) {
        qmp_wait("{\"execute\":\"query-status\"}", "\"paused\"", NULL);
        if (!qmp_command("{\"execute\":\"cont\"}")) {
            die("the restored guest does not go on: %s", qmp_answer());
        }
    }
}

int main(int argc, char **argv)
{
    unsigned n = 0;
    char *log;
    int status;

    configure(argc, argv);
    start(argc, argv, n);
    if (wait_for_line(conf.ctl, "start")) {
        while (n < conf.points && take_moment(n)) {
            save_and_end();
            start(argc, argv, ++n);
        }
    }
    status = guest_end();
    log = log_of(argc, argv);
    if (log) {
        link_last_log(log, n);
        free(log);
    }
    fprintf(conf.report, "end\t%u\t%d\n", n, status);
    return status;
}
