/*
 * Comparing what was decoded with what was executed: ranges and exceptions.
 *
 * Context: IHI 0064H.b 4.3.4, a write to CONTEXTIDR shows from the next P0
 * element on, so both values are right until then.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "cli/a64.h"
#include "cli/follow.h"
#include "hw/exec_log_format.h"

#define REALIGN_RUNS 10000u     /* how far to look after a mismatch */
#define GIVE_UP      100u       /* mismatches in one read-out */

/* ---- places ------------------------------------------------------------- */

uint64_t follow_va(const struct unit *u, struct pos p)
{
    p = follow_normal(u, p);
    return p.run < u->x->n_runs ? u->x->runs[p.run].va + 4ull * p.off : 0;
}

const struct xl_state *follow_state(const struct unit *u, uint32_t run)
{
    return &u->log->states[u->x->runs[run].state];
}

/* What held for the instruction before @p. */
static const struct xl_state *state_before(const struct unit *u, struct pos p)
{
    p = follow_normal(u, p);
    return follow_state(u, p.off || !p.run ? p.run : p.run - 1);
}

/* ---- one decoded range -------------------------------------------------- */

static gboolean context_fits(const struct unit *u, const struct pending *p,
                             const struct xl_state *old,
                             const struct xl_state *now)
{
    if (p->el != now->el || p->ns != now->ns) {
        return FALSE;
    }
    if (u->cid && (!p->cid_valid || (p->contextidr != now->contextidr &&
                                     p->contextidr != old->contextidr))) {
        return FALSE;
    }
    return !u->vmid || (p->vmid_valid && (p->vmid == now->vmid ||
                                          p->vmid == old->vmid));
}

uint32_t follow_fits(const struct unit *u, const struct pending *p,
                     struct pos *at)
{
    uint32_t end = u->windows[u->window].end;
    uint32_t done = 0;
    const struct xl_state *old;

    *at = follow_normal(u, *at);
    if (at->run >= u->x->n_runs) {
        return 0;
    }
    old = state_before(u, *at);
    while (done < p->n) {
        const struct xl_run *run;
        uint32_t n;

        *at = follow_normal(u, *at);
        if (at->run >= end) {
            break;
        }
        run = &u->x->runs[at->run];
        if (p->va + 4ull * done != run->va + 4ull * at->off ||
            !context_fits(u, p, old, follow_state(u, at->run))) {
            break;
        }
        n = MIN(p->n - done, run->n - at->off);
        at->off += n;
        done += n;
    }
    return done;
}

static void add_span(struct unit *u, struct pos from, struct pos to)
{
    struct span *last = u->n_spans ? &u->spans[u->n_spans - 1] : NULL;

    if (!pos_cmp(from, to)) {
        return;
    }
    from = follow_normal(u, from);
    if (last && !u->after_loss && !pos_cmp(follow_normal(u, last->to), from)) {
        last->to = to;
        return;
    }
    FOLLOW_GROW(u->spans, u->n_spans, u->cap_spans);
    u->spans[u->n_spans++] = (struct span){
        .from = from, .to = to, .after_loss = u->after_loss,
    };
    u->after_loss = FALSE;
}

static char *context_text(const struct unit *u, unsigned el, unsigned ns,
                          uint32_t contextidr)
{
    char *id = u->cid ? g_strdup_printf(" context 0x%x", contextidr)
                      : g_strdup("");
    char *text = g_strdup_printf("EL%u %s%s", el, ns ? "NS" : "S", id);

    g_free(id);
    return text;
}

static void describe(struct follow *f, struct unit *u,
                     const struct pending *p, struct pos at)
{
    uint64_t got = p->va + 4 * (follow_count(u, u->pos, at));
    const struct xl_state *s;
    char *want, *have;

    at = follow_normal(u, at);
    if (at.run >= u->windows[u->window].end) {
        follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": decoded 0x%"
                        G_GINT64_MODIFIER "x, but the unit was to trace no "
                        "more (seq %" G_GUINT64_FORMAT ")", p->index, got,
                        follow_seq(u, at.run));
        return;
    }
    s = follow_state(u, at.run);
    want = context_text(u, s->el, s->ns, s->contextidr);
    have = context_text(u, (unsigned)p->el, p->ns, p->contextidr);
    follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": decoded 0x%"
                    G_GINT64_MODIFIER "x %s, executed 0x%"
                    G_GINT64_MODIFIER "x %s (seq %" G_GUINT64_FORMAT ")",
                    p->index, got, have, follow_va(u, at), want,
                    follow_seq(u, at.run));
    g_free(want);
    g_free(have);
}

/* After a mismatch: the next place of this window with this address. */
static gboolean realign(struct unit *u, const struct pending *p)
{
    uint32_t end = MIN(u->windows[u->window].end,
                       u->pos.run + REALIGN_RUNS);

    for (uint32_t r = u->pos.run + 1; r < end; r++) {
        if (u->x->runs[r].va == p->va) {
            u->pos = (struct pos){ .run = r };
            return TRUE;
        }
    }
    return FALSE;
}

/* Exceptions that the log has between what was compared and @to. */
static void check_no_exception(struct follow *f, struct unit *u,
                               struct pos to)
{
    const struct xl_cpu *x = u->x;

    to = follow_normal(u, to);
    for (; u->exception < x->n_events &&
           x->events[u->exception].run <= to.run; u->exception++) {
        const struct xl_event *e = &x->events[u->exception];

        /* At the place itself its element may still come. */
        if (e->run == to.run && !to.off) {
            break;
        }
        if (e->kind == EXEC_LOG_EXCEPTION) {
            follow_mismatch(f, u, "exception type %u returning to 0x%"
                            G_GINT64_MODIFIER "x is not in the trace (seq %"
                            G_GUINT64_FORMAT ")", e->a, e->c, e->seq);
        }
    }
}

/* The first event before or at run @run. */
size_t follow_event_at(const struct unit *u, uint32_t run)
{
    size_t lo = 0, hi = u->x->n_events;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (u->x->events[mid].run < run) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

gboolean follow_is_exception(const struct xl_event *e,
                             const struct pending *p)
{
    return e->kind == EXEC_LOG_EXCEPTION && e->a == p->type &&
           (!p->has_return || e->c == p->va);
}

/* Did this exception happen right at @at? */
gboolean follow_exception_fits(const struct unit *u, const struct pending *p,
                               struct pos at)
{
    at = follow_normal(u, at);
    if (at.off) {
        return FALSE;
    }
    for (size_t i = follow_event_at(u, at.run); i < u->x->n_events &&
         u->x->events[i].run == at.run; i++) {
        if (follow_is_exception(&u->x->events[i], p)) {
            return TRUE;
        }
    }
    return FALSE;
}

/*
 * OpenCSD walks to an exception's return address across whatever is between:
 * a branch there without its atom must not pass.
 */
static void check_waypoints(struct follow *f, struct unit *u,
                            const struct pending *p, struct pos from,
                            struct pos to)
{
    gboolean waypoint = FALSE;

    for (from = follow_normal(u, from); pos_cmp(from, to) < 0; from.off++) {
        uint32_t opcode = 0;

        from = follow_normal(u, from);
        if (waypoint) {
            follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": the waypoint "
                            "before 0x%" G_GINT64_MODIFIER "x has no atom "
                            "(seq %" G_GUINT64_FORMAT ")", p->index,
                            follow_va(u, from), follow_seq(u, from.run));
        }
        xl_opcode(u->x, follow_va(u, from), from.run, &opcode);
        waypoint = a64_is_waypoint(opcode, u->wfx);
    }
    u->last_index = p->index;
    u->last_waypoint = waypoint;
}

/*
 * The log has its type from where the trace unit has it; the vector's offset
 * and the code tell as well.  DDI 0487, D1.3.2; IHI 0064H.b, 6.4.12.
 */
static gboolean type_possible(const struct unit *u, const struct xl_event *e)
{
    uint32_t opcode;

    switch (e->d >> 7 & 3) {
    case 1:
        return e->a == 0xe;             /* IRQ */
    case 2:
        return e->a == 0xf;             /* FIQ */
    case 3:
        return e->a == 0x4;             /* SError */
    default:
        break;
    }
    if (e->a == 0x2 && xl_opcode(u->x, e->c - 4, e->run, &opcode)) {
        /* Call: after SVC, HVC, SMC */
        return (opcode & 0xffe0001c) == 0xd4000000 && (opcode & 3);
    }
    return e->a != 0xe && e->a != 0xf && e->a != 0x4;
}

static void consume_exception(struct follow *f, struct unit *u,
                              const struct pending *p)
{
    struct pos at = follow_normal(u, u->pos);
    const struct xl_event *e;

    while (u->exception < u->x->n_events &&
           u->x->events[u->exception].run <= at.run &&
           u->x->events[u->exception].kind != EXEC_LOG_EXCEPTION) {
        u->exception++;
    }
    e = u->exception < u->x->n_events ? &u->x->events[u->exception] : NULL;
    if (!e || at.off || e->run != at.run) {
        follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": decoded exception "
                        "type %u returning to 0x%" G_GINT64_MODIFIER "x, "
                        "none was taken (seq %" G_GUINT64_FORMAT ")",
                        p->index, p->type, p->va, follow_seq(u, at.run));
        return;
    }
    u->exception++;
    if (!follow_is_exception(e, p)) {
        follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": decoded exception "
                        "type %u returning to 0x%" G_GINT64_MODIFIER "x, "
                        "taken was type %u returning to 0x%"
                        G_GINT64_MODIFIER "x (seq %" G_GUINT64_FORMAT ")",
                        p->index, p->type, p->va, e->a, e->c, e->seq);
        return;
    }
    if (!type_possible(u, e)) {
        follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": exception type %u "
                        "cannot be: returning to 0x%" G_GINT64_MODIFIER
                        "x, vector 0x%" G_GINT64_MODIFIER "x (seq %"
                        G_GUINT64_FORMAT ")", p->index, e->a, e->c, e->d,
                        e->seq);
        return;
    }
    /* The range was made for the exception, not by an atom. */
    if (u->last_waypoint && u->last_index == p->index) {
        follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": the waypoint "
                        "before 0x%" G_GINT64_MODIFIER "x has no atom (seq %"
                        G_GUINT64_FORMAT ")", p->index, p->va, e->seq);
    }
    u->here.exceptions++;
    u->all.exceptions++;
}

static void consume_range(struct follow *f, struct unit *u,
                          const struct pending *p)
{
    struct pos at = u->pos;
    uint32_t n = follow_fits(u, p, &at);

    add_span(u, u->pos, at);
    u->here.compared += n;
    u->all.compared += n;
    while (n < p->n) {
        describe(f, u, p, at);
        if (u->here.mismatches > GIVE_UP || !realign(u, p)) {
            u->seg = SEG_NONE;
            return;
        }
        u->exception = follow_event_at(u, u->pos.run + 1);
        at = u->pos;
        n = follow_fits(u, p, &at);
    }
    check_waypoints(f, u, p, u->pos, at);
    check_no_exception(f, u, at);
    u->pos = at;
    if (pos_cmp(u->shadow, at) < 0) {
        u->shadow = at;
    }
}

void follow_consume(struct follow *f, struct unit *u, const struct pending *p)
{
    if (p->n) {
        consume_range(f, u, p);
    } else {
        consume_exception(f, u, p);
    }
}
