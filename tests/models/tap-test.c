/*
 * The TAP library checks itself: runs this program again with failing checks
 * and compares what it prints and how it exits.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/tap/tap.h"

static void failing_checks(void)
{
    struct sweep s;

    ok(1 == 1, "good %d", 7);
    ok(1 == 2, "bad");
    is_u64(16, 17, "number");
    is_str("a", "b", "string");
    is_str(NULL, "b", "null string");
    is_mem("0123456789abcdefgh", "0123456789abcdefXh", 18, "bytes");
    tap_skip(2, "no reason");
    sweep_begin(&s, "sweep");
    for (int i = 0; i < 20; i++) {
        sweep_case(&s, i < 10, "case %d", i);
    }
    sweep_end(&s);
    sweep_begin(&s, "nothing");
    sweep_end(&s);
}

static int inner(int argc, char **argv)
{
    const char *what = argv[1];

    if (strcmp(what, "skip-all") == 0) {
        tap_skip_all("no %s here", "hardware");
    }
    tap_begin(argc, argv, strcmp(what, "plan") == 0 ? 3 : 0);
    if (strcmp(what, "bail") == 0) {
        tap_bail("broken %d", 3);
    } else if (strcmp(what, "fail") == 0) {
        failing_checks();
    } else if (strcmp(what, "empty") != 0) {
        ok(true, "only one");
    }
    return tap_done();
}

static char text[8192];

/* returns: the exit status; the output is in text[]. */
static int run(const char *self, const char *args)
{
    char command[4096];
    size_t n;
    FILE *f;
    int status;

    snprintf(command, sizeof(command), "'%s' %s", self, args);
    f = popen(command, "r");
    if (!f) {
        tap_bail("cannot run %s", command);
    }
    n = fread(text, 1, sizeof(text) - 1, f);
    text[n] = '\0';
    status = pclose(f);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void has(const char *line)
{
    if (!ok(strstr(text, line) != NULL, "prints: %.40s", line)) {
        tap_diag("%s", text);
    }
}

static void failures(const char *self)
{
    is_u64(run(self, "fail --seed=5"), 1, "failed checks: exit 1");
    has("TAP version 13\n# seed 5\n");
    has("ok 1 - good 7\nnot ok 2 - bad\n");
    has("1 == 2\n");
    has("got 0x10, want 0x11\n");
    has("got  \"a\"\n# want \"b\"\n");
    has("got  \"(null)\"\n");
    has("differs at offset 16 (0x10) of 18\n");
    has("# got      10: 67 68\n# want     10: 58 68\n");
    has("ok 7 # SKIP no reason\nok 8 # SKIP no reason\n");
    has("# sweep: case 10\n");
    has("not ok 9 - sweep (20 cases)\n# 10 of 20 cases failed\n");
    has("not ok 10 - nothing (0 cases)\n");
    has("1..10\n");
    ok(!strstr(text, "case 15"), "not every failed case is printed");
}

static void prng(void)
{
    struct prng a, b;
    uint64_t low = 0;
    bool same = true;

    prng_seed(&a, 0);
    prng_seed(&b, 0);
    for (int i = 0; i < 1000; i++) {
        low |= 1ull << prng_below(&a, 64);
        same = same && prng_below(&b, 64) < 64;
    }
    ok(same && a.state == b.state, "a seed gives one sequence");
    is_u64(low, UINT64_MAX, "that reaches every value");
    prng_seed(&b, 1);
    ok(prng_u64(&b) != prng_u64(&a), "another seed, another sequence");
}

int main(int argc, char **argv)
{
    if (argc > 1 && strncmp(argv[1], "--", 2) != 0) {
        return inner(argc, argv);
    }
    tap_begin(argc, argv, 0);
    failures(argv[0]);
    is_u64(run(argv[0], "plan"), 99, "a plan not kept: exit 99");
    has("1..3\n");
    is_u64(run(argv[0], "empty"), 99, "no check at all: exit 99");
    is_u64(run(argv[0], "one"), 0, "all well: exit 0");
    has("ok 1 - only one\n1..1\n");
    is_u64(run(argv[0], "bail"), 99, "bail out: exit 99");
    has("Bail out! broken 3\n");
    is_u64(run(argv[0], "skip-all"), 0, "skip all: exit 0");
    has("1..0 # SKIP no hardware here\n");
    setenv("CSVIRT_SEED", "77", 1);
    run(argv[0], "one");
    has("# seed 77\n");
    prng();
    return tap_done();
}
