/*
 * What happens in the trace network, as it happens: trace units on and off,
 * the thread that each PE runs, sinks programmed, enabled, flushed, stopped.
 * One place for who wants to know: the trace-ID checks (models/ids.h), the
 * timeline file (events_json.h), the properties of /machine/csvirt.
 *
 * Properties, for qom-get of QMP and of the monitor:
 *   /machine/csvirt atid-collisions   uint64: two sources, one ATID, one
 *                                     capture of one sink
 *   /machine/csvirt atids             for each sink, its ATIDs with CPU and
 *                                     bytes; for each CPU, its trace unit
 *
 * Threads: any; one lock inside, taken last of all.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_HW_EVENTS_H
#define CSVIRT_HW_EVENTS_H

#include "qapi/error.h"
#include "qom/object.h"

/* ---- set-up, by the wiring and the machine ---- */

/*
 * csvirt_events_open: write a timeline to @path.  To be called before
 * csvirt_events_ready().
 * returns: false with *errp when it cannot be made.
 */
bool csvirt_events_open(const char *path, Error **errp);

/* The trace unit of @cpu, the sink @name: in the order of their indices. */
void csvirt_events_add_source(unsigned cpu);
void csvirt_events_add_sink(const char *name);

/* csvirt_events_ready: all are added; @network gets the properties. */
void csvirt_events_ready(Object *network);

/* ---- sources ---- */

/* The unit of @cpu begins with @atid while the PE runs @contextidr. */
void csvirt_events_source_on(unsigned cpu, uint8_t atid, uint32_t contextidr);
/* It has delivered its last byte. */
void csvirt_events_source_off(unsigned cpu);
/* The PE of a unit that is on runs another thread. */
void csvirt_events_context(unsigned cpu, uint32_t contextidr);

/* ---- sinks ---- */

enum csvirt_sink_event {
    CSVIRT_SINK_PROGRAM,        /* the address of the buffer was written */
    CSVIRT_SINK_ENABLE,         /* a capture begins */
    CSVIRT_SINK_FLUSH,          /* by hand: FFCR.FlushMan */
    CSVIRT_SINK_STOP,           /* the capture has ended by itself */
    CSVIRT_SINK_DISABLE,
};

struct csvirt_sink_state {
    uint64_t base, size;        /* of the buffer, in bytes */
    uint64_t bytes;             /* in it */
    bool wrapped;
    uint64_t dropped;           /* since the machine's start, all reasons */
};

void csvirt_events_sink(unsigned sink, enum csvirt_sink_event what,
                        const struct csvirt_sink_state *state);

/* @n bytes of source @source have reached sink @sink; indices. */
void csvirt_events_bytes(unsigned sink, unsigned source, uint8_t atid,
                         size_t n);

#endif
