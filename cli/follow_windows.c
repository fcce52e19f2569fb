/*
 * What should have been traced and captured, from the execution log alone:
 * the registers of the units and the events of the sinks.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "cli/a64.h"
#include "cli/follow.h"
#include "cli/follow_view.h"
#include "hw/exec_log_format.h"

/* Offsets and fields: IHI 0064H.b, 7.3. */
#define TRCPRGCTLR   0x004u
#define TRCVICTLR    0x080u
#define TRCOSLAR     0x300u
#define PRGCTLR_EN   1u
#define OSLAR_LOCK   1u
#define VICTLR_EVENT 0xffu
#define EVENT_TRUE   0x01u      /* resource selector 1 */
#define EXLEVEL_S    16         /* TRCVICTLR: a bit excludes S EL0 to EL3 */
#define EXLEVEL_NS   20         /* ... NS EL0 to EL2 */

struct unit_state {
    gboolean enabled, locked, told_on;
    uint32_t victlr;
    uint64_t enabled_seq;
    gboolean saw;               /* an instruction or a window since */
    struct follow_view view;
    gboolean in_view;           /* the last instruction, where filters are */
};

static gboolean by_registers(const struct unit_state *s)
{
    return s->enabled && !s->locked;
}

static gboolean traced_el(const struct unit_state *s,
                          const struct xl_state *x)
{
    return !(s->victlr >> ((x->ns ? EXLEVEL_NS : EXLEVEL_S) + x->el) & 1);
}

static void registers_changed(struct follow *f, struct unit *u,
                              struct unit_state *s, const struct xl_event *e)
{
    gboolean before = by_registers(s);

    follow_view_register(&s->view, e->a, e->b);
    if (e->a == TRCPRGCTLR) {
        s->enabled = (e->b & PRGCTLR_EN) != 0;
    } else if (e->a == TRCOSLAR) {
        s->locked = (e->b & OSLAR_LOCK) != 0;
    } else if (e->a == TRCVICTLR) {
        s->victlr = e->b;
        u->by_event = u->by_event || (e->b & VICTLR_EVENT) != EVENT_TRUE;
    }
    if (!before && by_registers(s)) {
        s->enabled_seq = e->seq;
        s->saw = FALSE;
    } else if (before && !by_registers(s) && !s->saw) {
        follow_mismatch(f, u, "the unit was on from seq %" G_GUINT64_FORMAT
                        " to %" G_GUINT64_FORMAT " and saw no instruction",
                        s->enabled_seq, e->seq);
    }
}

/* The unit goes on or off between runs @r - 1 and @r. */
static void switched(struct unit *u, gboolean on, uint32_t r)
{
    if (on) {
        FOLLOW_GROW(u->on, u->n_on, u->cap_on);
        u->on[u->n_on++] = (struct stretch){ r, (uint32_t)u->x->n_runs };
    } else if (u->n_on) {
        u->on[u->n_on - 1].end = r;
    }
}

static gboolean is_on(const struct unit *u, const struct unit_state *s)
{
    return u->told ? s->told_on : by_registers(s);
}

/*
 * With address filters: is an exception traced? When the last instruction is
 * or, where a waypoint was the last, the one that it prevented.
 */
static gboolean traced_exception(const struct unit *u,
                                 const struct unit_state *s,
                                 const struct xl_event *e)
{
    const struct xl_run *last;
    uint32_t opcode = 0;

    if (!follow_view_active(&s->view) || e->run == 0) {
        return TRUE;
    }
    last = &u->x->runs[e->run - 1];
    if (xl_opcode(u->x, last->va + 4ull * (last->n - 1), e->run - 1,
                  &opcode) && !a64_is_waypoint(opcode, FALSE)) {
        return s->in_view;
    }
    return follow_view_at(&s->view, e->c, &u->log->states[last->state]);
}

/*
 * returns: why a window cannot go on across this event; NO_EDGE: it can.
 */
static enum edge event(struct follow *f, struct unit *u, struct unit_state *s,
                      const struct xl_event *e)
{
    gboolean before = is_on(u, s);
    gboolean passes = FALSE;

    switch (e->kind) {
    case EXEC_LOG_REG:
        registers_changed(f, u, s, e);
        break;
    case EXEC_LOG_WINDOW:
        s->told_on = e->a != 0;
        s->saw = s->saw || s->told_on;
        if (s->told_on && !by_registers(s)) {
            follow_mismatch(f, u, "seq %" G_GUINT64_FORMAT ": the unit sees "
                            "instructions, but its registers have it off",
                            e->seq);
        }
        break;
    case EXEC_LOG_STATE:
        /* An excluded level was passed through, maybe without executing. */
        passes = !traced_el(s, &u->log->states[e->a]);
        break;
    case EXEC_LOG_EXCEPTION:
        if (before && !traced_exception(u, s, e)) {
            return EDGE_VIEW;
        }
        break;
    case EXEC_LOG_GAP:
        if (before) {
            follow_mismatch(f, u, "seq %" G_GUINT64_FORMAT ": instructions "
                            "are missing in the execution log", e->seq);
        }
        return TRUE;
    default:
        break;
    }
    if (before != is_on(u, s)) {
        switched(u, !before, e->run);
        return EDGE_UNIT;
    }
    return passes ? EDGE_EL : NO_EDGE;
}

static void add_window(struct unit *u, uint32_t first, enum edge opened)
{
    FOLLOW_GROW(u->windows, u->n_windows, u->cap_windows);
    u->windows[u->n_windows++] = (struct window){
        .first = first, .end = first, .opened = opened, .closed = EDGE_LOG,
    };
}

/* The windows as they are found. */
struct finder {
    struct follow *f;
    struct unit *u;
    struct unit_state s;
    gboolean open;              /* the last window may still grow */
    enum edge edge;             /* last one that went by, for the next */
};

static void close_window(struct finder *w, enum edge edge)
{
    if (w->open) {
        w->u->windows[w->u->n_windows - 1].closed = edge;
    }
    w->open = FALSE;
    w->edge = edge;
}

static void events_until(struct finder *w, size_t *i, uint32_t run)
{
    const struct xl_cpu *x = w->u->x;

    for (; *i < x->n_events && x->events[*i].run <= run; (*i)++) {
        enum edge edge = event(w->f, w->u, &w->s, &x->events[*i]);

        if (edge != NO_EDGE) {
            close_window(w, edge);
        }
    }
}

void follow_find_windows(struct follow *f, struct unit *u)
{
    struct finder w = {
        .f = f, .u = u, .edge = EDGE_UNIT, .s.view.started = TRUE,
    };
    size_t e = 0;

    for (size_t i = 0; i < u->x->n_events && !u->told; i++) {
        u->told = u->x->events[i].kind == EXEC_LOG_WINDOW;
    }
    for (uint32_t r = 0; r < u->x->n_runs; r++) {
        const struct xl_run *run = &u->x->runs[r];

        events_until(&w, &e, r);
        w.s.saw = TRUE;
        if (!is_on(u, &w.s)) {
            close_window(&w, EDGE_UNIT);
            continue;
        }
        w.s.in_view = follow_view_run(&w.s.view, run->va,
                                      &u->log->states[run->state]);
        if (!traced_el(&w.s, &u->log->states[run->state])) {
            w.s.in_view = FALSE;
            close_window(&w, EDGE_EL);
            continue;
        }
        if (!w.s.in_view) {
            close_window(&w, EDGE_VIEW);
            continue;
        }
        if (!w.open) {
            add_window(u, r, w.edge);
            w.open = TRUE;
        }
        u->windows[u->n_windows - 1].end = r + 1;
        u->traceable += run->n;
    }
    events_until(&w, &e, (uint32_t)u->x->n_runs);
}

/* ---- captures ----------------------------------------------------------- */

/* Where one sink stands while a CPU's events are read. */
struct sink_state {
    uint32_t search, enable, stop;
    gboolean stopped;
};

static void sink_event(struct unit *u, GArray *sinks, const struct xl_event *e)
{
    struct sink_state *s;
    struct capture c = { 0 };

    if (e->a >= sinks->len) {
        g_array_set_size(sinks, e->a + 1);
    }
    s = &g_array_index(sinks, struct sink_state, e->a);
    switch (e->b) {
    case EXEC_LOG_SINK_ENABLE:
        s->enable = e->run;
        s->stopped = FALSE;
        break;
    case EXEC_LOG_SINK_STOP:
    case EXEC_LOG_SINK_DISABLE:
        if (!s->stopped) {
            s->stop = e->run;
            s->stopped = TRUE;
        }
        break;
    case EXEC_LOG_SINK_READOUT:
        c.number = (unsigned)e->c;
        c.search = s->search;
        c.enable = s->enable;
        c.stop = s->stopped ? s->stop : e->run;
        s->search = c.stop;
        FOLLOW_GROW(u->logged, u->n_logged, u->cap_logged);
        u->logged[u->n_logged++] = c;
        break;
    default:
        break;
    }
}

void follow_find_captures(struct unit *u)
{
    GArray *sinks = g_array_new(FALSE, TRUE, sizeof(struct sink_state));

    for (size_t i = 0; i < u->x->n_events; i++) {
        if (u->x->events[i].kind == EXEC_LOG_SINK) {
            sink_event(u, sinks, &u->x->events[i]);
        }
    }
    g_array_free(sinks, TRUE);
}

/*
 * From the sink's events in this CPU's stream.  Without any, the read-out may
 * hold everything that the read-outs before have not.
 */
void follow_add_capture(struct unit *u, const struct snap_readout *readout)
{
    struct capture c = {
        .number = readout->number, .search = u->pos.run,
        .enable = u->pos.run, .stop = (uint32_t)u->x->n_runs,
    };

    for (size_t i = 0; i < u->n_logged; i++) {
        if (u->logged[i].number == readout->number) {
            c = u->logged[i];
            break;
        }
    }
    c.readout = readout;
    c.lost_start = readout->wrapped;
    for (size_t i = 0; i < u->n_on && !c.lost_start; i++) {
        c.lost_start = u->on[i].first < c.enable && u->on[i].end > c.enable;
    }
    FOLLOW_GROW(u->captures, u->n_captures, u->cap_captures);
    u->captures[u->n_captures++] = c;
}

/* ---- counting ----------------------------------------------------------- */

uint64_t follow_seq(const struct unit *u, uint32_t run)
{
    size_t lo = 0, hi = u->x->n_events;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (u->x->events[mid].run <= run) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo ? u->x->events[lo - 1].seq : 0;
}

struct pos follow_normal(const struct unit *u, struct pos p)
{
    if (p.run < u->x->n_runs && p.off >= u->x->runs[p.run].n) {
        p.run++;
        p.off = 0;
    }
    return p;
}

uint64_t follow_count(const struct unit *u, struct pos from, struct pos to)
{
    uint64_t n = 0;

    for (uint32_t r = from.run; r < to.run; r++) {
        n += u->x->runs[r].n;
    }
    return n + to.off - from.off;
}

gboolean follow_has_waypoint(const struct unit *u, struct pos from,
                             struct pos to)
{
    while (pos_cmp(from, to) < 0) {
        const struct xl_run *run = &u->x->runs[from.run];
        uint32_t opcode;

        if (from.off >= run->n) {
            from.run++;
            from.off = 0;
            continue;
        }
        if (!xl_opcode(u->x, run->va + 4ull * from.off, from.run, &opcode) ||
            a64_is_waypoint(opcode, u->wfx)) {
            return TRUE;
        }
        from.off++;
    }
    return FALSE;
}
