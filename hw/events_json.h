/*
 * The timeline file of `csvirt run --events`: Chrome's trace event format, an
 * array of objects, one a line, which Perfetto and chrome://tracing open.
 *
 *   pid 1, tid CPU    "trace": from on to off, with atid and contextidr;
 *                     "thread": the PE runs another contextidr
 *   pid 2, tid sink   "capture": from enable to stop or disable, with base and
 *                     size, then bytes, wrapped, dropped and each ATID's CPU
 *                     and bytes; "program", "flush", "disable"
 *                     "collision": atid, cpus, live
 *
 * ts is the guest's time in microseconds.  The array is closed when the
 * emulator ends; without the end the file is still read by both.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_HW_EVENTS_JSON_H
#define CSVIRT_HW_EVENTS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include "events.h"
#include "models/ids.h"

struct events_json;

/* events_json_open: a new file.  returns: NULL with errno. */
struct events_json *events_json_open(const char *path);
/* events_json_close: the end.  returns: 0, or the errno of what failed. */
int events_json_close(struct events_json *j);

/* names of a CPU's and a sink's row */
void events_json_cpu(struct events_json *j, unsigned cpu);
void events_json_sink(struct events_json *j, unsigned sink, const char *name);

void events_json_on(struct events_json *j, uint64_t now_ns, unsigned cpu,
                    const struct ids_source *s);
void events_json_off(struct events_json *j, uint64_t now_ns, unsigned cpu);
void events_json_thread(struct events_json *j, uint64_t now_ns, unsigned cpu,
                        uint32_t contextidr);

/* A capture begins, something happens to it, it ends. */
void events_json_capture(struct events_json *j, uint64_t now_ns,
                         unsigned sink, const struct csvirt_sink_state *s);
void events_json_sink_note(struct events_json *j, uint64_t now_ns,
                           unsigned sink, const char *what,
                           const struct csvirt_sink_state *s);
/* @cpu: by source index */
void events_json_capture_end(struct events_json *j, uint64_t now_ns,
                             unsigned sink, const struct csvirt_sink_state *s,
                             const struct ids_sink *ids, const unsigned *cpu);
void events_json_collision(struct events_json *j,
                           const struct ids_collision *c,
                           const unsigned *cpu);

#endif
