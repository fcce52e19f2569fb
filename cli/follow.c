/*
 * Comparing decoded ranges with the execution log, instruction by instruction.
 *
 * A segment that begins with Trace On begins where the next window does; one
 * that begins in the middle of a stream (after a wrap, an overflow, a sink
 * that was off) is held back until its place is found: the first at which all
 * of it fits.  Context: IHI 0064H.b 4.3.4, a write to CONTEXTIDR shows from
 * the next P0 element on, so both values are right until then.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>

#include "cli/a64.h"
#include "cli/follow.h"
#include "hw/exec_log_format.h"

#define SHOWN_MAX    10u        /* mismatches told for one read-out */
#define PENDING_MAX  (1u << 20) /* ranges held back */
#define LOOK_RUNS    64u        /* how far the decoder may be ahead */
#define LOOK_WINDOWS 16u
#define REALIGN_RUNS 10000u     /* how far to look after a mismatch */
#define GIVE_UP      100u       /* mismatches in one read-out */
#define SEARCH_WORK  (1u << 28) /* comparisons for one search */

/* TRCCONFIGR and TRCIDR2 fields, IHI 0064H.b 7.3. */
#define CONFIGR_CID  (1u << 6)
#define CONFIGR_VMID (1u << 7)
#define IDR2_WFXMODE (1u << 31)

/* ---- messages ---------------------------------------------------------------- */

void follow_mismatch(struct follow *f, struct unit *u, const char *fmt, ...)
{
    va_list ap;
    char *text;

    u->here.mismatches++;
    u->all.mismatches++;
    if (f->quiet || f->shown > SHOWN_MAX) {
        return;
    }
    va_start(ap, fmt);
    text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    f->shown++;
    if (f->shown > SHOWN_MAX) {
        printf("  ... and more\n");
    } else {
        printf("  MISMATCH cpu %u: %s\n", u->cpu, text);
    }
    g_free(text);
}

void follow_error(void *opaque, const char *text)
{
    struct follow *f = opaque;

    f->errors++;
    if (!f->quiet && ++f->shown <= SHOWN_MAX) {
        printf("  ERROR %s\n", text);
    }
}

/* ---- places ------------------------------------------------------------------ */

static uint64_t va_at(const struct unit *u, struct pos p)
{
    p = follow_normal(u, p);
    return p.run < u->x->n_runs ? u->x->runs[p.run].va + 4ull * p.off : 0;
}

static const struct xl_state *state_of(const struct unit *u, uint32_t run)
{
    return &u->log->states[u->x->runs[run].state];
}

/* What held for the instruction before @p. */
static const struct xl_state *state_before(const struct unit *u, struct pos p)
{
    p = follow_normal(u, p);
    return state_of(u, p.off || !p.run ? p.run : p.run - 1);
}

/* ---- one decoded range ------------------------------------------------------- */

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

/*
 * fits: how many instructions of a range are those from @at on.
 * out: *@at: the place behind them.
 */
static uint32_t fits(const struct unit *u, const struct pending *p,
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
            !context_fits(u, p, old, state_of(u, at->run))) {
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

static void describe(struct follow *f, struct unit *u,
                     const struct pending *p, struct pos at)
{
    uint64_t got = p->va + 4 * (follow_count(u, u->pos, at));
    const struct xl_state *s;

    at = follow_normal(u, at);
    if (at.run >= u->windows[u->window].end) {
        follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": decoded 0x%"
                        G_GINT64_MODIFIER "x, but the unit was to trace no "
                        "more (seq %" G_GUINT64_FORMAT ")", p->index, got,
                        follow_seq(u, at.run));
        return;
    }
    s = state_of(u, at.run);
    follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": decoded 0x%"
                    G_GINT64_MODIFIER "x EL%d %s context 0x%x, executed 0x%"
                    G_GINT64_MODIFIER "x EL%u %s context 0x%x (seq %"
                    G_GUINT64_FORMAT ")", p->index, got, p->el,
                    p->ns ? "NS" : "S", p->contextidr, va_at(u, at), s->el,
                    s->ns ? "NS" : "S", s->contextidr,
                    follow_seq(u, at.run));
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
static size_t event_at(const struct unit *u, uint32_t run)
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

static gboolean is_exception(const struct xl_event *e,
                             const struct pending *p)
{
    return e->kind == EXEC_LOG_EXCEPTION && e->a == p->type &&
           (!p->has_return || e->c == p->va);
}

/* Did this exception happen right at @at? */
static gboolean exception_fits(const struct unit *u, const struct pending *p,
                               struct pos at)
{
    at = follow_normal(u, at);
    if (at.off) {
        return FALSE;
    }
    for (size_t i = event_at(u, at.run); i < u->x->n_events &&
         u->x->events[i].run == at.run; i++) {
        if (is_exception(&u->x->events[i], p)) {
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
                            va_at(u, from), follow_seq(u, from.run));
        }
        xl_opcode(u->x, va_at(u, from), from.run, &opcode);
        waypoint = a64_is_waypoint(opcode, u->wfx);
    }
    u->last_index = p->index;
    u->last_waypoint = waypoint;
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
    if (!is_exception(e, p)) {
        follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": decoded exception "
                        "type %u returning to 0x%" G_GINT64_MODIFIER "x, "
                        "taken was type %u returning to 0x%"
                        G_GINT64_MODIFIER "x (seq %" G_GUINT64_FORMAT ")",
                        p->index, p->type, p->va, e->a, e->c, e->seq);
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
    uint32_t n = fits(u, p, &at);

    add_span(u, u->pos, at);
    u->here.compared += n;
    u->all.compared += n;
    while (n < p->n) {
        describe(f, u, p, at);
        if (u->here.mismatches > GIVE_UP || !realign(u, p)) {
            u->seg = SEG_NONE;
            return;
        }
        u->exception = event_at(u, u->pos.run + 1);
        at = u->pos;
        n = fits(u, p, &at);
    }
    check_waypoints(f, u, p, u->pos, at);
    check_no_exception(f, u, at);
    u->pos = at;
    if (pos_cmp(u->shadow, at) < 0) {
        u->shadow = at;
    }
}

static void consume(struct follow *f, struct unit *u, const struct pending *p)
{
    if (p->n) {
        consume_range(f, u, p);
    } else {
        consume_exception(f, u, p);
    }
}

/* ---- where a segment begins --------------------------------------------------- */

/* First window that begins at or behind a place. */
static size_t next_window(const struct unit *u, struct pos p)
{
    size_t lo = 0, hi = u->n_windows;

    p = follow_normal(u, p);
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (u->windows[mid].first < p.run ||
            (u->windows[mid].first == p.run && p.off)) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

static void begin_at(struct unit *u, size_t window, struct pos p)
{
    u->window = window;
    u->pos = u->shadow = p;
    u->seg = SEG_ON;
    /* What happened at the place itself was before the unit looked. */
    u->exception = event_at(u, p.run + 1);
}

/* A window that may leave nothing in the trace: no P0 element in it. */
static gboolean may_be_silent(const struct unit *u, const struct window *w)
{
    struct pos a = { .run = w->first }, b = { .run = w->end };

    return w->closed != EDGE_EL && !follow_has_waypoint(u, a, b);
}

/* A log without window records: the unit's first instruction is near. */
static gboolean find_lead(struct unit *u, const struct window *w,
                          const struct pending *p, struct pos *at)
{
    uint64_t before = 0;

    for (uint32_t r = w->first; r < w->end && before < FOLLOW_LEAD_MAX; r++) {
        const struct xl_run *run = &u->x->runs[r];

        if (p->va >= run->va && p->va < run->va + 4ull * run->n) {
            *at = (struct pos){
                .run = r, .off = (uint32_t)((p->va - run->va) / 4),
            };
            return TRUE;
        }
        before += run->n;
    }
    return FALSE;
}

/* returns: TRUE when the segment begins with @p in one of the next windows. */
static gboolean begin_sure(struct unit *u, const struct pending *p)
{
    for (size_t w = next_window(u, u->pos); w < u->n_windows; w++) {
        struct pos at = { .run = u->windows[w].first };

        if (va_at(u, at) == p->va && state_of(u, at.run)->el == p->el) {
            begin_at(u, w, at);
            return TRUE;
        }
        if (!u->told && u->windows[w].opened == EDGE_UNIT &&
            find_lead(u, &u->windows[w], p, &at)) {
            begin_at(u, w, at);
            return TRUE;
        }
        if (!may_be_silent(u, &u->windows[w])) {
            break;
        }
    }
    return FALSE;
}

/* How many of the ranges held back fit from a place on. */
static size_t try_from(struct unit *u, size_t window, struct pos p,
                       uint64_t *work)
{
    size_t i;

    u->window = window;
    for (i = 0; i < u->n_pending; i++) {
        ++*work;
        if (!u->pending[i].n) {
            if (!exception_fits(u, &u->pending[i], p)) {
                break;
            }
        } else if (fits(u, &u->pending[i], &p) < u->pending[i].n) {
            break;
        }
    }
    return i;
}

/*
 * The place that fits best.  Where several take all, a complete segment is
 * the last of them in a window: what follows there must hold no waypoint.
 */
static gboolean search(struct unit *u, gboolean complete)
{
    const struct capture *c = &u->captures[u->capture];
    const struct pending *p = &u->pending[0];
    struct pos best = { 0 };
    size_t best_window = 0, best_n = 0;
    uint64_t work = 0;
    size_t w = next_window(u, u->pos);

    if (w && u->windows[w - 1].end > u->pos.run) {
        w--;
    }
    for (; w < u->n_windows && u->windows[w].first < c->stop; w++) {
        uint32_t r = MAX(u->windows[w].first, u->pos.run);

        for (; r < u->windows[w].end && work < SEARCH_WORK; r++) {
            const struct xl_run *run = &u->x->runs[r];
            struct pos at = { .run = r };
            size_t n;

            if (p->va < run->va || p->va >= run->va + 4ull * run->n) {
                continue;
            }
            at.off = (uint32_t)((p->va - run->va) / 4);
            n = try_from(u, w, at, &work);
            if (n > best_n || (complete && n == best_n && n &&
                               w == best_window)) {
                best = at;
                best_window = w;
                best_n = n;
            }
            if (n == u->n_pending && !complete) {
                begin_at(u, w, at);
                return TRUE;
            }
        }
        if (best_n == u->n_pending) {
            break;
        }
    }
    if (best_n) {
        begin_at(u, best_window, best);
    }
    return best_n != 0;
}

static void settle(struct follow *f, struct unit *u, gboolean complete)
{
    size_t n = u->n_pending;

    if (u->seg != SEG_PENDING || !n) {
        return;
    }
    if (!search(u, complete)) {
        follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": decoded 0x%"
                        G_GINT64_MODIFIER "x EL%d: nothing like this was "
                        "executed in this capture", u->pending[0].index,
                        u->pending[0].va, u->pending[0].el);
        u->seg = SEG_NONE;
    }
    for (size_t i = 0; i < n && u->seg == SEG_ON; i++) {
        consume(f, u, &u->pending[i]);
    }
    u->n_pending = 0;
}

static void range_decoded(struct follow *f, struct unit *u,
                          const struct pending *p)
{
    if (u->seg == SEG_START) {
        if (u->unsure && !u->overflow &&
            !u->captures[u->capture].lost_start) {
            follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": trace begins "
                            "at 0x%" G_GINT64_MODIFIER "x without Trace On",
                            p->index, p->va);
        }
        if (!u->unsure && begin_sure(u, p)) {
            consume(f, u, p);
            return;
        }
        if (!u->unsure) {
            size_t w = next_window(u, u->pos);
            struct pos at = { .run = w < u->n_windows
                              ? u->windows[w].first
                              : (uint32_t)u->x->n_runs };

            follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": trace begins "
                            "at 0x%" G_GINT64_MODIFIER "x EL%d, the unit's "
                            "next instruction is at 0x%" G_GINT64_MODIFIER
                            "x (seq %" G_GUINT64_FORMAT ")", p->index, p->va,
                            p->el, va_at(u, at), follow_seq(u, at.run));
        }
        u->seg = SEG_PENDING;
        u->n_pending = 0;
    }
    if (u->seg == SEG_PENDING) {
        FOLLOW_GROW(u->pending, u->n_pending, u->cap_pending);
        u->pending[u->n_pending++] = *p;
        if (u->n_pending >= PENDING_MAX) {
            settle(f, u, FALSE);
        }
    } else if (u->seg == SEG_ON) {
        consume(f, u, p);
    }
}

/* ---- exceptions ---------------------------------------------------------------- */

/*
 * A segment that is nothing but an exception: the unit came into view and the
 * first instruction was never retired.
 */
static gboolean skip_to_exception(struct unit *u, const struct pending *p)
{
    uint32_t stop = u->captures[u->capture].stop;

    for (size_t i = event_at(u, follow_normal(u, u->pos).run);
         i < u->x->n_events && u->x->events[i].run <= stop; i++) {
        if (is_exception(&u->x->events[i], p)) {
            u->pos = u->shadow = (struct pos){ .run = u->x->events[i].run };
            return TRUE;
        }
    }
    return FALSE;
}

static void exception_decoded(struct follow *f, struct unit *u,
                              uint64_t index,
                              const ocsd_generic_trace_elem *el)
{
    const struct pending p = {
        .va = el->en_addr, .index = index, .type = el->exception_number,
        .has_return = el->excep_ret_addr,
    };

    if (u->seg == SEG_PENDING) {
        FOLLOW_GROW(u->pending, u->n_pending, u->cap_pending);
        u->pending[u->n_pending++] = p;
    } else if (u->seg == SEG_ON) {
        consume(f, u, &p);
    } else if (u->seg == SEG_START && !u->unsure &&
               !skip_to_exception(u, &p)) {
        follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": decoded exception "
                        "type %u returning to 0x%" G_GINT64_MODIFIER "x, "
                        "none like it was taken", index, p.type, p.va);
    }
}

/* ---- what OpenCSD calls --------------------------------------------------------- */

static struct unit *unit_of(struct follow *f, unsigned atid)
{
    const struct snap_source *s = snap_source_of(f->readout, atid);

    return s && s->cpu >= 0 && (unsigned)s->cpu < f->log->n_cpus &&
           f->units[s->cpu].active ? &f->units[s->cpu] : NULL;
}

static struct pending range_of(uint64_t index,
                               const ocsd_generic_trace_elem *el)
{
    return (struct pending){
        .va = el->st_addr, .n = el->num_instr_range, .index = index,
        .contextidr = el->context.context_id, .vmid = el->context.vmid,
        .el = (int8_t)el->context.exception_level,
        .ns = el->context.security_level == ocsd_sec_nonsecure,
        .cid_valid = el->context.ctxt_id_valid,
        .vmid_valid = el->context.vmid_valid,
    };
}

void follow_element(void *opaque, unsigned atid, uint64_t index,
                    const ocsd_generic_trace_elem *el)
{
    struct follow *f = opaque;
    struct unit *u = unit_of(f, atid);
    struct pending p;

    if (!u) {
        return;
    }
    switch (el->elem_type) {
    case OCSD_GEN_TRC_ELEM_NO_SYNC:
        settle(f, u, TRUE);
        u->seg = SEG_START;
        u->unsure = u->after_loss = TRUE;
        u->overflow = el->unsync_eot_info == UNSYNC_OVERFLOW;
        break;
    case OCSD_GEN_TRC_ELEM_TRACE_ON:
        settle(f, u, TRUE);
        /* Only the first after a loss can be any of many windows'. */
        u->unsure = (u->seg == SEG_START && u->unsure &&
                     u->captures[u->capture].lost_start) ||
                    el->trace_on_reason == TRACE_ON_OVERFLOW;
        u->overflow = el->trace_on_reason == TRACE_ON_OVERFLOW;
        u->after_loss = u->unsure;
        u->seg = SEG_START;
        break;
    case OCSD_GEN_TRC_ELEM_EO_TRACE:
        settle(f, u, TRUE);
        u->seg = SEG_NONE;
        break;
    case OCSD_GEN_TRC_ELEM_INSTR_RANGE:
        p = range_of(index, el);
        if (f->range) {
            f->range(f->opaque, u->cpu, p.va, p.n, p.el);
        }
        if (el->isa != ocsd_isa_aarch64) {
            follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": decoded 0x%"
                            G_GINT64_MODIFIER "x is not A64 code", index,
                            p.va);
        } else {
            range_decoded(f, u, &p);
        }
        break;
    case OCSD_GEN_TRC_ELEM_EXCEPTION:
        exception_decoded(f, u, index, el);
        break;
    case OCSD_GEN_TRC_ELEM_ADDR_NACC:
        follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": decoded 0x%"
                        G_GINT64_MODIFIER "x: this CPU never executed there",
                        index, el->st_addr);
        break;
    case OCSD_GEN_TRC_ELEM_I_RANGE_NOPATH:
    case OCSD_GEN_TRC_ELEM_ADDR_UNKNOWN:
        follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": decoded a range "
                        "without a path or an address", index);
        break;
    default:
        break;
    }
}

/* The decoder reads ahead of the elements that it has given: follow it. */
static void move_shadow(struct unit *u, uint64_t va)
{
    const struct xl_run *runs = u->x->runs;
    struct pos s = follow_normal(u, u->shadow);
    size_t w;

    if (s.run < u->x->n_runs && runs[s.run].va + 4ull * s.off == va) {
        u->shadow = (struct pos){ .run = s.run, .off = s.off + 1 };
        return;
    }
    for (uint32_t r = s.run + 1; r < u->x->n_runs && r <= s.run + LOOK_RUNS;
         r++) {
        if (runs[r].va == va) {
            u->shadow = (struct pos){ .run = r, .off = 1 };
            return;
        }
    }
    w = next_window(u, s);
    for (size_t k = w; k < u->n_windows && k < w + LOOK_WINDOWS; k++) {
        if (runs[u->windows[k].first].va == va) {
            u->shadow = (struct pos){ .run = u->windows[k].first, .off = 1 };
            return;
        }
    }
}

gboolean follow_memory(void *opaque, unsigned atid, uint64_t va,
                       uint32_t *opcode)
{
    struct follow *f = opaque;
    struct unit *u = unit_of(f, atid);

    if (!u) {
        return FALSE;
    }
    if ((u->seg == SEG_START || u->seg == SEG_PENDING) && u->unsure) {
        /* The latest that can be in this buffer. */
        return xl_opcode(u->x, va, u->captures[u->capture].stop, opcode);
    }
    move_shadow(u, va);
    return xl_opcode(u->x, va, u->shadow.run, opcode);
}

/* ---- read-outs ------------------------------------------------------------------ */

void follow_init(struct follow *f, const struct xl_log *log, gboolean quiet)
{
    f->log = log;
    f->quiet = quiet;
    f->units = g_new0(struct unit, log->n_cpus);
    for (unsigned i = 0; i < log->n_cpus; i++) {
        struct unit *u = &f->units[i];

        u->cpu = i;
        u->log = log;
        u->x = &log->cpus[i];
        follow_find_windows(f, u);
        follow_find_captures(u);
    }
}

void follow_free(struct follow *f)
{
    for (unsigned i = 0; i < f->log->n_cpus; i++) {
        struct unit *u = &f->units[i];

        g_free(u->windows);
        g_free(u->on);
        g_free(u->logged);
        g_free(u->captures);
        g_free(u->spans);
        g_free(u->pending);
    }
    g_free(f->units);
}

void follow_begin(struct follow *f, const struct snap_readout *readout)
{
    f->readout = readout;
    f->shown = 0;
    for (size_t i = 0; i < readout->n_sources; i++) {
        const struct snap_source *s = &readout->sources[i];
        struct unit *u;

        if (!s->etm4 || s->cpu < 0 || (unsigned)s->cpu >= f->log->n_cpus) {
            continue;
        }
        u = &f->units[s->cpu];
        u->active = TRUE;
        u->here = (struct unit_count){ 0 };
        u->cid = (s->reg[SNAP_CONFIGR] & CONFIGR_CID) != 0;
        u->vmid = (s->reg[SNAP_CONFIGR] & CONFIGR_VMID) != 0;
        u->wfx = (s->reg[SNAP_IDR2] & IDR2_WFXMODE) != 0;
        u->seg = SEG_START;
        u->unsure = u->after_loss = TRUE;
        u->overflow = FALSE;
        u->n_pending = 0;
        follow_add_capture(u, readout);
        u->capture = u->n_captures - 1;
        u->pos = u->shadow = (struct pos){
            .run = u->captures[u->capture].lost_start
                   ? u->captures[u->capture].search
                   : u->captures[u->capture].enable,
        };
    }
}

void follow_end(struct follow *f)
{
    for (unsigned i = 0; i < f->log->n_cpus; i++) {
        struct unit *u = &f->units[i];

        if (u->active) {
            settle(f, u, TRUE);
            u->active = FALSE;
        }
    }
}
