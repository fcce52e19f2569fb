/*
 * From numbers to blocks and connections.
 *
 *   group:  ETMs - funnels (cluster) - funnels (8) - ... - one funnel
 *   reach:  that funnel - tree of replicators, an output a sink reached
 *   sink:   what comes for it - funnels (8) if several - ETR
 *
 * A group's own sink is the nearest of those that it reaches, and behind the
 * lowest outputs: the one that Linux takes by default.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "new_topology.h"

#include <glib.h>
#include <string.h>

uint32_t new_node_base(const struct new_node *n)
{
    static const uint32_t base[TRACE_KIND_COUNT] = {
        [TRACE_ETM4] = NEW_ETM_BASE,
        [TRACE_FUNNEL] = NEW_FUNNEL_BASE,
        [TRACE_REPLICATOR] = NEW_REPLICATOR_BASE,
        [TRACE_TMC_ETR] = NEW_ETR_BASE,
    };

    return base[n->kind] + n->number * 0x1000;
}

static int add(struct new_plan *p, enum trace_kind kind)
{
    struct new_node *n;

    p->node = g_renew(struct new_node, p->node, (gsize)p->n_node + 1);
    n = &p->node[p->n_node];
    memset(n, 0, sizeof(*n));
    n->kind = kind;
    n->number = p->count[kind]++;
    n->sink = -1;
    return p->n_node++;
}

static void connect_ends(struct new_plan *p, struct new_end from, int to)
{
    struct new_node *f = &p->node[from.node], *t = &p->node[to];

    f->out[from.port] = (struct new_end){ to, t->n_in };
    f->n_out = MAX(f->n_out, from.port + 1);
    t->in[t->n_in++] = from;
}

/* @n ends into funnels of @fan inputs; returns how many those are */
static unsigned add_level(struct new_plan *p, struct new_end *end, unsigned n,
                          unsigned fan, int sink)
{
    unsigned made = 0;

    for (unsigned i = 0; i < n; i += fan) {
        unsigned stop = MIN(i + fan, n);
        int f = add(p, TRACE_FUNNEL);

        p->node[f].sink = sink;
        p->node[f].first = p->node[end[i].node].first;
        p->node[f].last = p->node[end[stop - 1].node].last;
        for (unsigned k = i; k < stop; k++) {
            connect_ends(p, end[k], f);
        }
        end[made++] = (struct new_end){ f, 0 };
    }
    return made;
}

/* the ETMs of a group to one end: at least one funnel */
static struct new_end add_group(struct new_plan *p, unsigned first, unsigned n,
                                unsigned cluster)
{
    struct new_end *end = g_new(struct new_end, n), root;

    for (unsigned i = 0; i < n; i++) {
        end[i] = (struct new_end){ (int)(first + i), 0 };
    }
    n = add_level(p, end, n, cluster, -1);
    while (n > 1) {
        n = add_level(p, end, n, NEW_FUNNEL_IN, -1);
    }
    root = end[0];
    g_free(end);
    return root;
}

/* @from to @n ends; the first is nearest.  At most six deep. */
static void split(struct new_plan *p, struct new_end from, unsigned n,
                  struct new_end *leaf)
{
    int r;

    if (n == 1) {
        *leaf = from;
        return;
    }
    r = add(p, TRACE_REPLICATOR);
    connect_ends(p, from, r);
    split(p, (struct new_end){ r, 0 }, n / 2, leaf);
    split(p, (struct new_end){ r, 1 }, n - n / 2, leaf + n / 2);
}

/* @n ends to a sink, its own group's first */
static void add_sink(struct new_plan *p, struct new_end *end, unsigned n,
                     unsigned number)
{
    while (n > 1) {
        n = add_level(p, end, n, NEW_FUNNEL_IN, (int)number);
    }
    connect_ends(p, end[0], add(p, TRACE_TMC_ETR));
}

struct new_plan *new_plan_make(const struct new_spec *s)
{
    struct new_plan *p = g_new0(struct new_plan, 1);
    struct new_end *leaf = g_new(struct new_end, s->etrs * s->reach);
    struct new_end *end = g_new(struct new_end, s->reach);

    for (unsigned i = 0; i < s->cpus; i++) {
        int n = add(p, TRACE_ETM4);

        p->node[n].first = p->node[n].last = i;
    }
    for (unsigned g = 0, first = 0; g < s->etrs; first += s->size[g++]) {
        split(p, add_group(p, first, s->size[g], s->cluster), s->reach,
              leaf + g * s->reach);
    }
    /* Group g reaches the sinks g, g + 1, ..., around. */
    for (unsigned t = 0; t < s->etrs; t++) {
        for (unsigned i = 0; i < s->reach; i++) {
            unsigned g = (t + s->etrs - i) % s->etrs;

            end[i] = leaf[g * s->reach + i];
        }
        add_sink(p, end, s->reach, t);
    }
    g_free(end);
    g_free(leaf);
    return p;
}

void new_plan_free(struct new_plan *p)
{
    g_free(p->node);
    g_free(p);
}
