/*
 * Where a segment begins: with Trace On, where the next window does; in the
 * middle of a stream (after a wrap, an overflow, a sink that was off) it is
 * held back until its place is found: the first at which all of it fits.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "cli/a64.h"
#include "cli/follow.h"
#include "hw/exec_log_format.h"

#define PENDING_MAX  (1u << 20) /* ranges held back */
#define TRY_FIRST    16u        /* of them before a first search */
#define TRY_FACTOR   4u
#define SEARCH_WORK  (1u << 28) /* comparisons for one search */

/* ---- where a segment begins --------------------------------------------- */

/* First window that begins at or behind a place. */
size_t follow_next_window(const struct unit *u, struct pos p)
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
    u->exception = follow_event_at(u, p.run + 1);
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
    for (size_t w = follow_next_window(u, u->pos); w < u->n_windows; w++) {
        struct pos at = { .run = u->windows[w].first };

        if (follow_va(u, at) == p->va && follow_state(u, at.run)->el == p->el) {
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
            if (!follow_exception_fits(u, &u->pending[i], p)) {
                break;
            }
        } else if (follow_fits(u, &u->pending[i], &p) < u->pending[i].n) {
            break;
        }
    }
    return i;
}

/* What a search is content with. */
enum content {
    ONLY,                       /* the only place that takes all */
    FIRST,                      /* the first place that takes all */
    COMPLETE,                   /* ... the last of a window: the end is known */
};

struct found {
    struct pos at;
    size_t window, n, full;     /* @n ranges fit; places where all did */
};

/* Tries each place of one window; returns FALSE when it has seen enough. */
static gboolean search_window(struct unit *u, size_t w, enum content want,
                              struct found *best, uint64_t *work)
{
    const struct pending *p = &u->pending[0];
    uint32_t r = MAX(u->windows[w].first, u->pos.run);

    for (; r < u->windows[w].end && *work < SEARCH_WORK; r++) {
        const struct xl_run *run = &u->x->runs[r];
        struct pos at = { .run = r };
        size_t n;

        if (p->va < run->va || p->va >= run->va + 4ull * run->n) {
            continue;
        }
        at.off = (uint32_t)((p->va - run->va) / 4);
        n = try_from(u, w, at, work);
        if (n > best->n || (want == COMPLETE && n && n == best->n &&
                            w == best->window)) {
            best->at = at;
            best->window = w;
            best->n = n;
        }
        best->full += n == u->n_pending;
        if (best->full > (want == ONLY) && want != COMPLETE) {
            return FALSE;
        }
    }
    return *work < SEARCH_WORK && !(best->full && want == COMPLETE);
}

/*
 * The place that fits best.  Where several take all, a complete segment is
 * the last of them in a window: what follows there must hold no waypoint.
 */
static gboolean search(struct unit *u, enum content want)
{
    uint32_t stop = u->captures[u->capture].stop;
    struct found best = { .n = 0 };
    uint64_t work = 0;
    size_t w = follow_next_window(u, u->pos);

    if (w && u->windows[w - 1].end > u->pos.run) {
        w--;
    }
    for (; w < u->n_windows && u->windows[w].first < stop; w++) {
        if (!search_window(u, w, want, &best, &work)) {
            break;
        }
    }
    if (!best.n || (want == ONLY && (best.full != 1 || work >= SEARCH_WORK))) {
        return FALSE;
    }
    begin_at(u, best.window, best.at);
    return TRUE;
}

static void consume_pending(struct follow *f, struct unit *u)
{
    for (size_t i = 0; i < u->n_pending && u->seg == SEG_ON; i++) {
        follow_consume(f, u, &u->pending[i]);
    }
    u->n_pending = 0;
}

void follow_settle(struct follow *f, struct unit *u, gboolean complete)
{
    if (u->seg != SEG_PENDING || !u->n_pending) {
        return;
    }
    /*
     * Where ViewInst follows a resource the end is not known: the first place
     * leaves room for what comes next.
     */
    if (!search(u, complete && !u->by_event ? COMPLETE : FIRST)) {
        follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": decoded 0x%"
                        G_GINT64_MODIFIER "x EL%d: nothing like this was "
                        "executed in this capture", u->pending[0].index,
                        u->pending[0].va, u->pending[0].el);
        u->seg = SEG_NONE;
    }
    consume_pending(f, u);
}

/*
 * The sooner the place is known the better: until then the decoder's code may
 * be that of another process.
 */
static void hold_back(struct follow *f, struct unit *u,
                      const struct pending *p)
{
    FOLLOW_GROW(u->pending, u->n_pending, u->cap_pending);
    u->pending[u->n_pending++] = *p;
    if (u->n_pending == u->next_try) {
        u->next_try *= TRY_FACTOR;
        if (search(u, ONLY)) {
            consume_pending(f, u);
        }
    }
    if (u->n_pending >= PENDING_MAX) {
        follow_settle(f, u, FALSE);
    }
}

void follow_range(struct follow *f, struct unit *u,
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
            follow_consume(f, u, p);
            return;
        }
        if (!u->unsure) {
            size_t w = follow_next_window(u, u->pos);
            struct pos at = { .run = w < u->n_windows
                              ? u->windows[w].first
                              : (uint32_t)u->x->n_runs };

            follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": trace begins "
                            "at 0x%" G_GINT64_MODIFIER "x EL%d, the unit's "
                            "next instruction is at 0x%" G_GINT64_MODIFIER
                            "x (seq %" G_GUINT64_FORMAT ")", p->index, p->va,
                            p->el, follow_va(u, at), follow_seq(u, at.run));
        }
        u->seg = SEG_PENDING;
        u->n_pending = 0;
        u->next_try = TRY_FIRST;
    }
    if (u->seg == SEG_PENDING) {
        hold_back(f, u, p);
    } else if (u->seg == SEG_ON) {
        follow_consume(f, u, p);
    }
}
