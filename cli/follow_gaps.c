/*
 * What the units should have traced and no decoded range has shown.
 *
 * Untraceable: behind the last P0 element before the unit or the sink stops;
 * such a stretch has no waypoint in it.  Skipped: no sink captured it, or it
 * was lost where the log says so (wrap, overflow, capture begun in the middle
 * of the stream, ViewInst by a resource).  Anything else is missing: that is a
 * mismatch.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>

#include "cli/follow.h"

static int by_from(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    return pos_cmp(x->from, y->from);
}

static int by_enable(const void *a, const void *b)
{
    const struct capture *x = a, *y = b;

    return x->enable < y->enable ? -1 : x->enable > y->enable;
}

static struct pos later(struct pos a, struct pos b)
{
    return pos_cmp(a, b) < 0 ? b : a;
}

static struct pos sooner(struct pos a, struct pos b)
{
    return pos_cmp(a, b) < 0 ? a : b;
}

/* Has this capture shown nothing before @p? */
static gboolean before_first(const struct unit *u, const struct capture *c,
                             struct pos p)
{
    const struct pos begin = { .run = c->enable };

    for (size_t i = 0; i < u->n_spans; i++) {
        if (pos_cmp(u->spans[i].to, begin) > 0) {
            return pos_cmp(p, u->spans[i].from) <= 0;
        }
    }
    return TRUE;
}

static gboolean loss_ends_at(const struct unit *u, struct pos p)
{
    for (size_t i = 0; i < u->n_spans; i++) {
        int cmp = pos_cmp(u->spans[i].from, p);

        if (cmp >= 0) {
            return !cmp && u->spans[i].after_loss;
        }
    }
    return FALSE;
}

static void captured_gap(struct follow *f, struct unit *u,
                         const struct window *w, const struct capture *c,
                         struct pos from, struct pos to)
{
    const struct pos stop = { .run = c->stop }, end = { .run = w->end };
    uint64_t n = follow_count(u, from, to);
    gboolean stopped = !pos_cmp(to, stop) || (!pos_cmp(to, end) &&
                                              w->closed != EDGE_EL);

    if (stopped && !follow_has_waypoint(u, from, to)) {
        u->tail += n;
    } else if (!u->told && w->opened == EDGE_UNIT && !from.off &&
               from.run == w->first && n <= FOLLOW_LEAD_MAX &&
               pos_cmp(to, end)) {
        u->lead += n;
    } else if (u->by_event || loss_ends_at(u, to) ||
               (c->lost_start && before_first(u, c, to)) ||
               (!pos_cmp(to, stop) && pos_cmp(stop, end) < 0)) {
        u->lost += n;
    } else {
        from = follow_normal(u, from);
        u->missing += n;
        follow_mismatch(f, u, "%" G_GUINT64_FORMAT " executed instructions "
                        "from 0x%" G_GINT64_MODIFIER "x on are not in the "
                        "trace (seq %" G_GUINT64_FORMAT ")", n,
                        u->x->runs[from.run].va + (uint64_t)4 * from.off,
                        follow_seq(u, from.run));
    }
}

static void free_gap(struct unit *u, const struct window *w, struct pos from,
                     struct pos to)
{
    uint64_t n = follow_count(u, from, to);

    if (w->closed != EDGE_EL && pos_cmp(to, (struct pos){ .run = w->end }) ==
        0 && !follow_has_waypoint(u, from, to)) {
        u->tail += n;
    } else {
        u->uncaptured += n;
    }
}

/* @from to @to of window @w is not in the trace. */
static void gap(struct follow *f, struct unit *u, const struct window *w,
                struct pos from, struct pos to)
{
    for (size_t i = 0; i < u->n_captures && pos_cmp(from, to) < 0; i++) {
        const struct capture *c = &u->captures[i];
        struct pos begin = later(from, (struct pos){ .run = c->enable });
        struct pos end = sooner(to, (struct pos){ .run = c->stop });

        if (pos_cmp(begin, end) >= 0) {
            continue;
        }
        if (pos_cmp(from, begin) < 0) {
            free_gap(u, w, from, begin);
        }
        captured_gap(f, u, w, c, begin, end);
        from = end;
    }
    if (pos_cmp(from, to) < 0) {
        free_gap(u, w, from, to);
    }
}

static void unit_gaps(struct follow *f, struct unit *u)
{
    size_t s = 0;

    for (size_t i = 0; i < u->n_spans; i++) {
        u->spans[i].from = follow_normal(u, u->spans[i].from);
        u->spans[i].to = follow_normal(u, u->spans[i].to);
    }
    if (u->n_spans) {
        qsort(u->spans, u->n_spans, sizeof(*u->spans), by_from);
    }
    if (u->n_captures) {
        qsort(u->captures, u->n_captures, sizeof(*u->captures), by_enable);
    }
    for (size_t i = 0; i < u->n_windows; i++) {
        const struct window *w = &u->windows[i];
        struct pos at = { .run = w->first }, end = { .run = w->end };

        while (s < u->n_spans && pos_cmp(u->spans[s].to, at) <= 0) {
            s++;
        }
        for (size_t k = s; k < u->n_spans &&
             pos_cmp(u->spans[k].from, end) < 0; k++) {
            if (pos_cmp(at, u->spans[k].from) < 0) {
                gap(f, u, w, at, u->spans[k].from);
            }
            at = later(at, u->spans[k].to);
        }
        if (pos_cmp(at, end) < 0) {
            gap(f, u, w, at, end);
        }
    }
}

void follow_gaps(struct follow *f)
{
    f->shown = 0;
    for (unsigned i = 0; i < f->log->n_cpus; i++) {
        unit_gaps(f, &f->units[i]);
    }
}
