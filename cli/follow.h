/*
 * Following an execution log with decoded trace: which instructions of which
 * CPU a decoded range is, and whether they are the ones that ran.
 *
 * Words: a window is a stretch of a CPU's instructions that its unit should
 * trace: the unit on by its registers, the exception level not excluded by
 * TRCVICTLR, address filters passed.  A capture is the time in which a sink
 * filled the buffer of one read-out.  A segment is what decodes without a
 * break.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_CLI_FOLLOW_H
#define CSVIRT_CLI_FOLLOW_H

#include "cli/dcd.h"
#include "cli/exec_log.h"
#include "cli/snapshot.h"

/* A place between two instructions: before instruction @off of run @run. */
struct pos {
    uint32_t run, off;
};

/* Runs @first to @end - 1. */
struct stretch {
    uint32_t first, end;
};

/* Why a window begins or ends. */
enum edge { EDGE_UNIT, EDGE_EL, EDGE_VIEW, EDGE_LOG, NO_EDGE };

struct window {
    uint32_t first, end;        /* runs */
    enum edge opened, closed;
};

struct capture {
    unsigned number;            /* of the read-out */
    const struct snap_readout *readout;
    uint32_t search;            /* run: nothing before it can be in it */
    uint32_t enable, stop;      /* runs: between them the sink captured */
    gboolean lost_start;        /* wrapped, or the unit was on before */
};

/* Instructions that trace has shown. */
struct span {
    struct pos from, to;
    gboolean after_loss;        /* decoding had lost its place before */
};

/* What was decoded: a range, or an exception (@n is 0, @va the return). */
struct pending {
    uint64_t va, index;
    uint32_t n;
    uint32_t type;              /* of the exception */
    gboolean has_return;
    uint32_t contextidr, vmid;
    int8_t el, ns;
    uint8_t cid_valid, vmid_valid;
};

enum seg { SEG_NONE, SEG_START, SEG_PENDING, SEG_ON };

struct unit_count {
    uint64_t compared, mismatches, exceptions;
    uint64_t cycles;            /* Cycle Counts compared */
};

struct unit {
    unsigned cpu;
    const struct xl_log *log;
    const struct xl_cpu *x;
    gboolean told;              /* the log has window records */
    gboolean by_event;          /* ViewInst follows a resource: any gap may
                                   be */
    uint64_t traceable;         /* instructions in all windows */
    struct window *windows;
    size_t n_windows, cap_windows;
    struct stretch *on;         /* the unit was on */
    size_t n_on, cap_on;
    struct capture *logged;     /* each that the log tells of */
    size_t n_logged, cap_logged;
    struct capture *captures;   /* those with trace of this unit */
    size_t n_captures, cap_captures;
    struct span *spans;
    size_t n_spans, cap_spans;
    /* Where decoding is, for the read-out at hand. */
    gboolean active;            /* it has trace in the read-out */
    size_t capture;
    gboolean cid, vmid, wfx;    /* what its configuration traces */
    enum seg seg;
    gboolean unsure;            /* where the segment begins */
    gboolean overflow;          /* ... because the unit's buffer ran over */
    gboolean after_loss;
    size_t window;              /* of the segment */
    struct pos pos;             /* what has been compared */
    struct pos shadow;          /* what the decoder has read */
    size_t exception;           /* next event that may be one */
    uint64_t last_index;        /* packet of the last range */
    gboolean last_waypoint;     /* it ends in a waypoint */
    struct pending *pending;
    size_t n_pending, cap_pending, next_try;
    gboolean guessed;           /* shadow, while the place is not known */
    gboolean counting;          /* since is known */
    uint64_t since;             /* instructions since the last Cycle Count */
    uint64_t cycles_max;        /* the cycle counter's largest number */
    uint64_t per_insn;          /* cycles an instruction takes; 0: not yet
                                   known */
    struct unit_count here;     /* in this read-out */
    /* Totals. */
    struct unit_count all;
    uint64_t uncaptured;        /* skipped: no sink captured */
    uint64_t lost;              /* skipped: wrap, overflow, late sync */
    uint64_t tail, lead, missing;
};

struct follow {
    const struct xl_log *log;
    struct unit *units;         /* by CPU */
    const struct snap_readout *readout;
    gboolean quiet;             /* no text about mismatches */
    unsigned shown;             /* mismatches told in this read-out */
    uint64_t errors;            /* of OpenCSD */
    /* Called with each range that was decoded, right or wrong. */
    void (*range)(void *opaque, unsigned cpu, uint64_t va, uint32_t n,
                  int el);
    void *opaque;
};

/* follow_init: find every window of every CPU.  Mismatches of the log with
 * itself are told and counted. */
void follow_init(struct follow *f, const struct xl_log *log, gboolean quiet);
void follow_free(struct follow *f);

/* follow_begin, follow_end: around the decoding of one read-out. */
void follow_begin(struct follow *f, const struct snap_readout *readout);
void follow_end(struct follow *f);

/* Client functions of dcd_run(); @opaque is the struct follow. */
void follow_element(void *opaque, unsigned atid, uint64_t index,
                    const ocsd_generic_trace_elem *element);
gboolean follow_memory(void *opaque, unsigned atid, uint64_t va,
                       uint32_t *opcode);
void follow_error(void *opaque, const char *text);

/* Instructions before a unit's first that a log without window records may
 * have. */
#define FOLLOW_LEAD_MAX 256u

/* follow_gaps: what no trace has shown: skipped, untraceable or missing. */
void follow_gaps(struct follow *f);

/* ---- between the parts ---- */

void follow_find_windows(struct follow *f, struct unit *u);
void follow_find_captures(struct unit *u);
void follow_add_capture(struct unit *u, const struct snap_readout *readout);
/* First window that begins at or behind a place. */
size_t follow_next_window(const struct unit *u, struct pos p);
/* Address of the instruction at a place; what a run executed under. */
uint64_t follow_va(const struct unit *u, struct pos p);
const struct xl_state *follow_state(const struct unit *u, uint32_t run);
/* The first event before or at run @run. */
size_t follow_event_at(const struct unit *u, uint32_t run);
/* Is the event this exception? Did it happen right at @at? */
gboolean follow_is_exception(const struct xl_event *e,
                             const struct pending *p);
gboolean follow_exception_fits(const struct unit *u, const struct pending *p,
                               struct pos at);
/*
 * How many instructions of a range are those from *@at on, in the window at
 * hand. out: *@at: the place behind them.
 */
uint32_t follow_fits(const struct unit *u, const struct pending *p,
                     struct pos *at);
/* Compare a range or an exception at the unit's place, and go on behind it. */
void follow_consume(struct follow *f, struct unit *u,
                    const struct pending *p);
/* A range was decoded: find where the segment begins, or compare. */
void follow_range(struct follow *f, struct unit *u, const struct pending *p);
/* Find the place of what was held back. @complete: the segment has ended. */
void follow_settle(struct follow *f, struct unit *u, gboolean complete);
/* One mismatch of @u, counted and, if not too many, told. */
void follow_mismatch(struct follow *f, struct unit *u, const char *fmt, ...)
    G_GNUC_PRINTF(3, 4);
/* Sequence number of the last event before a run: to find it in the log. */
uint64_t follow_seq(const struct unit *u, uint32_t run);
/* Are there waypoints between two places? */
gboolean follow_has_waypoint(const struct unit *u, struct pos from,
                             struct pos to);
/* The same place, as the begin of the next run if it is the end of one. */
struct pos follow_normal(const struct unit *u, struct pos p);
uint64_t follow_count(const struct unit *u, struct pos from, struct pos to);

static inline int pos_cmp(struct pos a, struct pos b)
{
    return a.run != b.run ? (a.run < b.run ? -1 : 1)
                          : a.off < b.off ? -1 : a.off > b.off;
}

#define FOLLOW_GROW(array, n, cap) \
    do { \
        if ((n) == (cap)) { \
            (cap) = (cap) ? 2 * (cap) : 64; \
            (array) = g_renew(__typeof__(*(array)), (array), (cap)); \
        } \
    } while (0)

#endif
