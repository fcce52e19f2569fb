/*
 * csvirt race with a stand-in for the emulator: whose trace is counted in
 * which buffer, and what each thing that can happen is called. The trace is
 * the scene's: one unit, ATID 0x12, CONTEXTIDR 0x55.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "scene.h"
#include "tests/tap/tap.h"

#define TID     0x55            /* of the scene's thread */
#define REPEATS 64              /* of the scene, for a long buffer */

static const char *dir;
static unsigned char trace[65536];
static size_t trace_size;

/* ---- what the guest says and sends -------------------------------------- */

static FILE *file(const char *name)
{
    char path[256];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    f = fopen(path, "wb");
    if (!f) {
        tap_bail("%s cannot be written", path);
    }
    return f;
}

static void put(const char *name, const char *text)
{
    FILE *f = file(name);

    fputs(text, f);
    fclose(f);
}

/* The file with buffer A, @repeats times the scene, and B if @second. */
static void send_buffers(unsigned repeats, bool second)
{
    FILE *f = file("file");

    fprintf(f, "scenario one 0\n");
    for (unsigned k = 0; k <= second; k++) {
        fprintf(f, "aux %c %d %zu\n", 'A' + (int)k, TID,
                trace_size * repeats);
        for (unsigned i = 0; i < repeats; i++) {
            fwrite(trace, 1, trace_size, f);
        }
    }
    fclose(f);
}

static void put64(FILE *f, uint64_t v)
{
    fwrite(&v, sizeof(v), 1, f);
}

/* A perf.data file with one AUXTRACE record of thread @tid. */
static void send_perf(uint64_t tid)
{
    FILE *f = file("file");
    uint64_t data = 48 + trace_size;

    fprintf(f, "scenario one 0\nperf data 0 %zu\n",
            (size_t)(56 + data));
    fwrite("PERFILE2", 8, 1, f);
    for (unsigned i = 0; i < 4; i++) {
        put64(f, 0);
    }
    put64(f, 56);               /* where records are */
    put64(f, data);
    put64(f, 71 | 48ull << 48); /* PERF_RECORD_AUXTRACE, 48 bytes */
    put64(f, trace_size);
    put64(f, 0);
    put64(f, 0);
    put64(f, tid << 32);
    put64(f, 0);
    fwrite(trace, 1, trace_size, f);
    fclose(f);
}

static int race(char **text, const char *options)
{
    return program_run(text, "RACE_FAKE=%s %s/tree/build/csvirt race one "
                       "--topology 1etr-2cpu --scenarios %s/scenarios "
                       "--qemu tests/race/fake-guest.sh --details %s",
                       dir, dir, dir, options);
}

/* With these lines of the guest the outcome on kernel k is this. */
static void outcome(const char *lines, const char *want, const char *name)
{
    char *text, line[256];

    put("text", lines);
    is_u64(race(&text, "--kernel k"), 0, "%s: exit status", name);
    snprintf(line, sizeof(line), "\n  k: %s (1, first seed 1)\n", want);
    if (!ok(strstr(text, line) != NULL, "%s: %s", name, want)) {
        tap_diag("%s", text);
    }
    free(text);
}

/* ---- checks ------------------------------------------------------------- */

#define BEGIN "scenario one\nworker T1 tid=85 cpu=0\nworker T2 tid=99 cpu=1\n"
#define A_OF(t, tid) "buffer A owner=P target=" t " tid=" tid " aux=1 " \
    "records=1 bytes=1 truncated=0 empty=0 inherit=0 enabled=9 running=9\n"
#define B_OF(t, tid) "buffer B owner=P target=" t " tid=" tid " aux=0 " \
    "records=1 bytes=0 truncated=1 empty=1 inherit=0 enabled=9 running=0\n"
#define END "end one done\n"

static void check_owner(void)
{
    char *text, line[80];

    send_buffers(1, false);
    outcome(BEGIN "open A ok\n" A_OF("T1", "85") END, "clean", "own trace");
    race(&text, "--kernel k");
    snprintf(line, sizeof(line), " T1 0x12 %u\n", scene_trace_bytes());
    if (!ok(strstr(text, line) != NULL, "every byte is counted for T1")) {
        tap_diag("%s", text);
    }
    free(text);
    outcome(BEGIN "open A ok\n" A_OF("T2", "99") END,
            "trace of T1 in A; trace of T2 lost", "another's trace");
    send_perf(TID);
    outcome("scenario one\n" END, "clean", "perf.data of the thread");
    send_perf(TID - 1);
    outcome("scenario one\n" END, "trace of thread2 in thread1",
            "perf.data of another");
}

static void check_twice(void)
{
    send_buffers(REPEATS, true);
    outcome(BEGIN "open A ok\nopen B ok\n" A_OF("T1", "85") END,
            "trace of A again in B", "one read-out in two buffers");
}

static void check_other(void)
{
    put("file", "scenario one 0\n");
    outcome(BEGIN "open B refused mmap-aux ENOMEM\n" END,
            "B refused (mmap-aux ENOMEM)", "refused");
    outcome(BEGIN "open B ok\n" B_OF("T2", "99") END, "B never started",
            "not started");
    outcome(BEGIN "open A ok\nbuffer A owner=P target=T9 tid=-1 aux=1 "
            "records=1 "
            "bytes=1 truncated=1 empty=1 full=1 enabled=9 running=9\n" END,
            "A is full", "no room");
    outcome(BEGIN "open A ok\nbuffer A owner=P target=T9 tid=-1 aux=1 "
            "records=2 "
            "bytes=1 truncated=1 empty=1 full=0 enabled=9 running=9\n" END,
            "A could not start at first", "a late start");
    outcome(BEGIN "warn tmc_update_etr_buffer\nwarn tmc_update_etr_buffer\n"
            END, "WARN tmc_update_etr_buffer", "warnings are named once");
    outcome(BEGIN "open A ok\n" A_OF("T1", "85") END, "trace of T1 lost",
            "no trace at all");
    outcome(BEGIN "shell 0\nshell 7\n" END, "command ended with 7",
            "a command that fails");
    outcome(BEGIN "error no CPU 9\nend one failed\n", "failed: no CPU 9",
            "a scenario that fails");
    outcome(BEGIN, "guest died", "the guest went");
    outcome("", "guest died before", "the guest went at once");
}

static void check_limits(void)
{
    char *text;

    put("text", BEGIN);
    put("hang", "");
    is_u64(race(&text, "--kernel k --timeout 1"), 0, "hang: exit status");
    ok(strstr(text, "\n  k: guest died (1, first seed 1)\n") != NULL,
       "a hang is an outcome");
    free(text);
    program_run(&text, "rm %s/hang", dir);
    free(text);
    put("text", BEGIN END);
    is_u64(race(&text, "--kernel k --seeds 3-5"), 0, "seeds: exit status");
    ok(strstr(text, "\n  k: nothing traced (3, first seed 3)\n") != NULL,
       "three seeds are counted");
    free(text);
    is_u64(race(&text, "--kernel none --kernel k --markdown"), 2,
           "no such kernel: exit status");
    ok(strstr(text, "| one | not run | nothing traced |\n") != NULL,
       "the other kernel is in the table");
    free(text);
}

static void refused(const char *options, const char *want)
{
    char *text, *last;

    is_u64(program_run(&text, "build/csvirt race %s", options), 2,
           "%s: exit status", options);
    last = program_last_line(text);
    if (!ok(strstr(last, want) != NULL, "%s", want)) {
        tap_diag("%s", text);
    }
    free(last);
    free(text);
}

static void check_words(void)
{
    refused("", "one SCENARIO is needed");
    refused("nothing", "has no scenario nothing");
    refused("named-threads --seeds 5-3", "--seeds 5-3: a number, or A-B");
    refused("named-threads --seeds x", "--seeds x: a number, or A-B");
    refused("named-threads --timeout 0", "--timeout: seconds, from 1 on");
    refused("all --scenarios /nonexistent", "/nonexistent");
}

static void read_trace(void)
{
    char path[256];
    FILE *f;

    snprintf(path, sizeof(path), "%s/snap/etr.bin", dir);
    f = fopen(path, "rb");
    if (!f) {
        snprintf(path, sizeof(path), "%s/snap/0001/etr.bin", dir);
        f = fopen(path, "rb");
    }
    if (!f) {
        tap_bail("no trace in the scene");
    }
    trace_size = fread(trace, 1, sizeof(trace), f);
    fclose(f);
}

int main(int argc, char **argv)
{
    struct scene s = { 0 };
    char *text;

    tap_begin(argc, argv, 0);
    dir = program_folder();
    scene_make(&s, dir);
    read_trace();
    put("scenarios", "scenario one\nreport\n");
    if (program_run(&text, "mkdir -p %s/tree/build %s/tree/guest && "
                    "cp build/csvirt %s/tree/build/ && "
                    "ln -s $PWD/build/guest %s/tree/build/guest && "
                    "ln -s $PWD/board %s/tree/board && "
                    "cp guest/pack.sh guest/rootfs.list %s/tree/guest/ && "
                    "cp tests/race/fake-image.sh %s/tree/guest/image.sh",
                    dir, dir, dir, dir, dir, dir, dir)) {
        tap_bail("%s", text);
    }
    free(text);
    check_owner();
    check_twice();
    check_other();
    check_limits();
    check_words();
    return tap_done();
}
