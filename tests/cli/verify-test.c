/*
 * csvirt verify on a scene worked out by hand: it agrees when all is right,
 * and each single thing that is wrong turns it red.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "scene.h"
#include "tests/tap/tap.h"

/* Makes the scene and verifies it. returns: exit status; *@text: output. */
static int verify(const struct scene *s, char **text)
{
    const char *dir = program_folder();

    scene_make(s, dir);
    return program_run(text, "build/csvirt verify %s/snap %s/log", dir, dir);
}

static void check(const char *name, struct scene s, int status,
                  const char *last)
{
    char *text, *line;
    bool pass;

    is_u64(verify(&s, &text), status, "%s: exit status", name);
    line = program_last_line(text);
    pass = last ? is_str(line, last, "%s: last line", name)
                : ok(!strstr(line, " 0 mismatches,"), "%s: a mismatch", name);
    if (!pass) {
        tap_diag("%s", text);
    }
    free(line);
    free(text);
}

static void check_right(void)
{
    char last[100];

    snprintf(last, sizeof(last), "verify: %d instructions, 0 mismatches, "
             "0 skipped", SCENE_INSNS);
    check("all is right", (struct scene){ 0 }, 0, last);
    check("wrapped, nothing lost", (struct scene){ .wrapped = true }, 0,
          last);
    snprintf(last, sizeof(last), "verify: %d instructions, 0 mismatches, "
             "0 skipped", SCENE_INSNS_KERNEL);
    check("with the kernel", (struct scene){ .kernel = true }, 0, last);
}

static void check_red(void)
{
    check("one instruction less in the log",
          (struct scene){ .log_skips_insn = true }, 1, NULL);
    check("one instruction more in the log",
          (struct scene){ .log_extra_insn = true }, 1, NULL);
    check("another opcode in the log",
          (struct scene){ .log_other_opcode = true }, 1, NULL);
    check("another context ID in the log",
          (struct scene){ .log_other_context = true }, 1, NULL);
    check("another return address in the log",
          (struct scene){ .log_other_return = true }, 1, NULL);
    check("a type that the vector belies",
          (struct scene){ .log_other_vector = true }, 1, NULL);
    check("EL1 should have been traced",
          (struct scene){ .log_kernel_unit = true }, 1, NULL);
    check("the registers had the unit off",
          (struct scene){ .log_off = true }, 1, NULL);
    check("a waypoint behind the last P0 element",
          (struct scene){ .tail_branches = true }, 1, NULL);
    check("an exception less in the trace",
          (struct scene){ .trace_no_exception = true }, 1, NULL);
    check("the second part less in the trace",
          (struct scene){ .trace_no_second = true }, 1, NULL);
    check("a wrong atom", (struct scene){ .trace_wrong_atom = true }, 1,
          NULL);
    check("no context behind a return to EL0",
          (struct scene){ .kernel = true, .trace_stale_el = true }, 1, NULL);
    check("EL1 in the trace's context", (struct scene){ .trace_el1 = true },
          1, NULL);
    check("secure state in the trace's context",
          (struct scene){ .trace_secure = true }, 1, NULL);
    check("a reserved packet behind all else",
          (struct scene){ .trace_bad_end = true }, 1, NULL);
    check("no synchronisation", (struct scene){ .trace_no_sync = true }, 1,
          NULL);
    check("the begin is lost, but nothing wrapped",
          (struct scene){ .lost_begin = true }, 1, NULL);
    check("another trace ID in the snapshot",
          (struct scene){ .source_atid = 0x13 }, 1, NULL);
}

/* Only what a sink could not have is skipped, and it is counted. */
static void check_skipped(void)
{
    char last[100];

    snprintf(last, sizeof(last), "verify: %d instructions, 0 mismatches, "
             "%d skipped", SCENE_INSNS - 2, 3);
    check("the sink stopped before the end",
          (struct scene){ .sink_off = true }, 0, last);
    snprintf(last, sizeof(last), "verify: %d instructions, 0 mismatches, "
             "%d skipped", SCENE_INSNS - 6, 7);
    check("the unit was on before the sink",
          (struct scene){ .late_sync = true }, 0, last);
    snprintf(last, sizeof(last), "verify: %d instructions, 0 mismatches, "
             "%d skipped", SCENE_INSNS - 6, 6);
    check("the begin is lost in a wrap",
          (struct scene){ .lost_begin = true, .wrapped = true }, 0, last);
    snprintf(last, sizeof(last), "verify: %d instructions, 0 mismatches, "
             "%d skipped", SCENE_INSNS - 12, 14);
    check("the last round of a strobe, another program later",
          (struct scene){ .strobe = true }, 0, last);
    check("a wrap does not excuse what is lost at the end",
          (struct scene){ .wrapped = true, .trace_no_second = true }, 1,
          NULL);
}

/*
 * Each byte of the trace matters, but for the INFO section of the Trace Info
 * packet (bytes 13 to 15), which says nothing here.
 */
static void check_every_byte(void)
{
    struct scene s = { 0 };
    struct sweep sweep;
    unsigned n;

    scene_make(&s, program_folder());
    n = scene_trace_bytes();
    sweep_begin(&sweep, "a byte less in the trace is seen");
    for (s.cut = 1; s.cut <= n; s.cut++) {
        char *text;

        if (s.cut >= 13 && s.cut <= 15) {
            continue;
        }
        sweep_case(&sweep, verify(&s, &text) == 1, "byte %u of %u", s.cut,
                   n);
        free(text);
    }
    sweep_end(&sweep);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    check_right();
    check_red();
    check_skipped();
    check_every_byte();
    return tap_done();
}
