/*
 * csvirt decode on the scene: what it counts is what the scene has; damage is
 * named with its byte. And what decode and verify say of input that is none.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"
#include "scene.h"
#include "tests/tap/tap.h"

static const char *dir;

/* Is there a line with this beginning and these words after it? */
static bool has_line(const char *text, const char *begin, const char *rest)
{
    const char *p = text;

    while ((p = strstr(p, begin))) {
        size_t n = strcspn(p, "\n");
        char *line = strndup(p, n);
        bool found = strstr(line, rest) != NULL;

        free(line);
        if (found) {
            return true;
        }
        p++;
    }
    return false;
}

static void check_line(const char *text, const char *begin, const char *rest)
{
    if (!ok(has_line(text, begin, rest), "%s: %s", begin, rest)) {
        tap_diag("%s", text);
    }
}

static void check_counts(void)
{
    struct scene s = { 0 };
    char *text, total[80];

    scene_make(&s, dir);
    is_u64(program_run(&text, "build/csvirt decode %s/snap", dir), 0,
           "packets: exit status");
    check_line(text, "ID 0x12 etm_0", "1 syncs");
    snprintf(total, sizeof(total), "%u bytes", scene_trace_bytes());
    check_line(text, "ID 0x12 etm_0", total);
    /* 3 rounds of 3 atoms, and the last branch. */
    check_line(text, "    I_ATOM_F1", " 10 packets");
    check_line(text, "    I_ADDR_L_64IS0", " 4 packets");
    check_line(text, "    I_ADDR_CTXT_L_64IS0", " 2 packets");
    check_line(text, "    I_TRACE_ON", " 2 packets");
    check_line(text, "    I_EXCEPT", " 1 packets");
    check_line(text, "    I_ASYNC", " 1 packets");
    check_line(text, "decode:", "1 read-outs, 0 errors");
    free(text);
    is_u64(program_run(&text, "build/csvirt decode %s/snap --exec-log "
                       "%s/log", dir, dir), 0, "instructions: exit status");
    snprintf(total, sizeof(total), "1 read-outs, %d instructions, 0 errors",
             SCENE_INSNS);
    check_line(text, "decode:", total);
    free(text);
    is_u64(program_run(&text, "build/csvirt decode %s/snap --packets", dir),
           0, "list: exit status");
    check_line(text, "I_EXCEPT", "Call");
    free(text);
}

static void check_damage(void)
{
    struct scene s = { .cut = 17 };     /* the header of an address */
    char *text;

    scene_make(&s, dir);
    is_u64(program_run(&text, "build/csvirt decode %s/snap --exec-log "
                       "%s/log", dir, dir), 1, "damage: exit status");
    check_line(text, "  ERROR ", "TrcIdx=");
    free(text);
    s = (struct scene){ .source_atid = 0x13 };
    scene_make(&s, dir);
    is_u64(program_run(&text, "build/csvirt decode %s/snap", dir), 1,
           "a source less: exit status");
    check_line(text, "  ERROR ", "an ID that no source has");
    free(text);
}

/* @change is a shell command in the folder of a good scene. */
static void check_refused(const char *name, const char *change,
                          const char *command, const char *words)
{
    struct scene s = { 0 };
    char *text;
    int status;

    scene_make(&s, dir);
    status = program_run(&text, "cd %s && { %s; }", dir, change);
    if (status) {
        tap_bail("%s: %s", change, text);
    }
    free(text);
    is_u64(program_run(&text, "build/csvirt %s", command), 2,
           "%s: exit status", name);
    ok(strstr(text, "csvirt: ") == text && strchr(text, '\n') ==
       text + strlen(text) - 1 && strstr(text, words) != NULL,
       "%s: one line with '%s': %s", name, words, text);
    free(text);
}

#define NO_SOURCE "sed -i /etm_0/d snap/0001/trace.ini snap/0001/snapshot.ini"
/* A trigger (ID 0x7d, one byte of 0), then nulls. */
#define TRIGGER "printf '\\373\\0\\1\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0'"

/* A sink that holds a trigger and no trace: all of the scene is missing. */
static void check_trigger_alone(void)
{
    struct scene s = { 0 };
    char *text;
    int status;

    scene_make(&s, dir);
    status = program_run(&text, "cd %s && " NO_SOURCE " && " TRIGGER
                         " >snap/0001/etr.bin", dir);
    is_u64(status, 0, "made: %s", text);
    free(text);
    is_u64(program_run(&text, "build/csvirt verify %s/snap %s/log", dir,
                       dir), 1, "a trigger and no trace: exit status");
    check_line(text, "cpu 0:", " 0 compared");
    free(text);
}

static void check_bad_input(void)
{
    char decode[300], verify[300];

    snprintf(decode, sizeof(decode), "decode %s/snap >/dev/null", dir);
    snprintf(verify, sizeof(verify), "verify %s/snap %s/log >/dev/null", dir,
             dir);
    check_refused("no folder", "rm -r snap", decode, "/snap");
    check_refused("an empty folder", "rm -r snap && mkdir snap", decode,
                  "no read-outs");
    check_refused("no trace.ini", "rm snap/0001/trace.ini", decode,
                  "trace.ini");
    check_refused("no trace", "rm snap/0001/etr.bin", decode, "etr.bin");
    check_refused("a frame cut", "truncate -s -3 snap/0001/etr.bin", decode,
                  "whole frames");
    check_refused("no source", NO_SOURCE, verify, "no ETMv4 source");
    check_refused("a trigger and bytes before it", NO_SOURCE " && "
                  "{ head -c 16 /dev/zero; " TRIGGER "; } "
                  ">snap/0001/etr.bin", verify, "no ETMv4 source");
    check_refused("no log", "rm log", verify, "/log");
    check_refused("not a log", "echo text >log", verify,
                  "not an execution log");
    check_refused("an empty log", ": >log", verify, "not an execution log");
    check_refused("a log without its end", "truncate -s -32 log", verify,
                  "no end");
    check_refused("a log cut", "truncate -s -36 log", verify,
                  "in the middle of a block");
    check_refused("a changed log",
                  "printf X | dd of=log bs=1 seek=60 conv=notrunc "
                  "2>/dev/null", verify, "checksum");
    check_refused("no arguments", ":", "verify", "DIR and EXEC-LOG");
    check_refused("an unknown option", ":", "decode --nonsense x",
                  "nonsense");
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    dir = program_folder();
    check_counts();
    check_damage();
    check_trigger_alone();
    check_bad_input();
    return tap_done();
}
