/*
 * What a trace network must satisfy before it is built: the rules of each
 * block, then of the whole.  Every finding is reported, none hides another.
 *
 * Spec: devicetree bindings arm,coresight-*.yaml; funnel and replicator port
 * counts from the CoreSight SoC-400 TRM (Arm DDI 0480), 4.1 and 4.2.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "dt_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ports that a block has: how many of each at most, and their numbers */
static const struct {
    unsigned in, out;        /* highest count, also number limit where > 1 */
} block_ports[TRACE_KIND_COUNT] = {
    [TRACE_ETM4] = { 0, 1 },
    [TRACE_FUNNEL] = { 8, 1 },
    [TRACE_FUNNEL_STATIC] = { 8, 1 },
    [TRACE_REPLICATOR] = { 1, 2 },
    [TRACE_REPLICATOR_STATIC] = { 1, 2 },
    [TRACE_TMC_ETR] = { 1, 0 },
};

static struct port_end *end_at(const struct parse *p, int i)
{
    return &g_array_index(p->ends, struct port_end, i);
}

/* the component at the other end, NULL when the end leads to none */
static struct comp *peer_of(const struct parse *p, const struct port_end *e)
{
    return e->peer == DT_NONE ? NULL : &p->comps[end_at(p, e->peer)->comp];
}

static const char *port_path(const struct parse *p, const struct port_end *e)
{
    return p->t->items[e->port_item].path;
}

static void check_number(struct parse *p, const struct comp *c,
                         const struct port_end *e)
{
    unsigned max = e->in ? block_ports[c->node.kind].in :
                           block_ports[c->node.kind].out;

    if (max > 1 && e->number >= max) {
        graph_error(p->g, port_path(p, e), "reg", "is %u, but the %ss of a %s "
                    "have numbers 0 to %u", e->number,
                    e->in ? "input" : "output",
                    trace_kind_text(c->node.kind), max - 1);
    }
}

/* an end of a kind of port that the block does not have */
static void check_absent(struct parse *p, const struct comp *c,
                         const struct port_end *e)
{
    const struct comp *peer = peer_of(p, e);

    if (c->node.kind == TRACE_ETM4 && e->in) {
        graph_error(p->g, port_path(p, e), NULL, "is an input, but an ETMv4 "
                    "is a source and has none");
    } else if (c->node.kind == TRACE_TMC_ETR && !e->in && peer != NULL &&
               !peer->helper) {
        graph_error(p->g, port_path(p, e), NULL, "is an output: a TMC "
                    "configured as ETF, which is not modelled; expected an "
                    "ETR, a sink without outputs");
    }
}

/*  against the ends of its component before it, from  on */
static void check_duplicate(struct parse *p, const struct comp *c, int first,
                            int i)
{
    const struct port_end *e = end_at(p, i), *other = NULL;
    const char *what = e->in ? "input" : "output";
    unsigned max = e->in ? block_ports[c->node.kind].in :
                           block_ports[c->node.kind].out;

    for (int k = first; k < i; k++) {
        const struct port_end *o = end_at(p, k);

        if (o->in == e->in && (other == NULL || o->number == e->number)) {
            other = o;
        }
    }
    if (other != NULL && other->number == e->number) {
        graph_error(p->g, p->t->items[e->item].path, NULL, "is a second %s "
                    "with port number %u, the first is %s", what, e->number,
                    p->t->items[other->item].path);
    } else if (other != NULL && max == 1) {
        graph_error(p->g, port_path(p, e), NULL, "is a second %s, expected "
                    "one on a block of this kind (%s)", what,
                    trace_kind_text(c->node.kind));
    }
}

/* @first, @last: the ends of component @c are contiguous */
static void check_ports(struct parse *p, const struct comp *c, int first,
                        int last)
{
    unsigned outs = 0;

    for (int i = first; i < last; i++) {
        const struct port_end *e = end_at(p, i);

        check_number(p, c, e);
        check_absent(p, c, e);
        outs += e->in ? 0 : 1;
        check_duplicate(p, c, first, i);
    }
    if (outs == 0 && c->node.kind == TRACE_ETM4) {
        graph_error(p->g, c->node.path, "out-ports", "has no endpoint, "
                    "expected the way that this ETM's trace takes");
    } else if (outs == 0 && c->node.kind != TRACE_TMC_ETR) {
        graph_warn(p->g, c->node.path, "out-ports", "has no endpoint: what "
                   "reaches this %s is lost", trace_kind_text(c->node.kind));
    }
}

static int by_base(const void *a, const void *b)
{
    const struct trace_node *x = *(const struct trace_node *const *)a;
    const struct trace_node *y = *(const struct trace_node *const *)b;

    if (x->base != y->base) {
        return x->base < y->base ? -1 : 1;
    }
    return strcmp(x->path, y->path);
}

static void check_addresses(struct parse *p)
{
    const struct trace_node **v = g_new(const struct trace_node *,
                                        (gsize)p->n_comps + 1);
    const struct trace_node *top = NULL;
    size_t n = 0;

    for (int i = 0; i < p->n_comps; i++) {
        if (p->comps[i].state == COMP_MODELLED && p->comps[i].node.size) {
            v[n++] = &p->comps[i].node;
        }
    }
    qsort(v, n, sizeof(*v), by_base);
    for (size_t i = 0; i < n; i++) {
        if (top != NULL && v[i]->base - top->base < top->size) {
            graph_error(p->g, v[i]->path, "reg", "0x%" PRIx64 "-0x%" PRIx64
                        " overlaps that of %s, 0x%" PRIx64 "-0x%" PRIx64,
                        v[i]->base, v[i]->base + v[i]->size - 1, top->path,
                        top->base, top->base + top->size - 1);
        }
        if (top == NULL || v[i]->base + v[i]->size >= top->base + top->size) {
            top = v[i];
        }
    }
    g_free(v);
}

static void check_cpus(struct parse *p)
{
    const struct trace_node **owner = g_new0(const struct trace_node *,
                                             p->n_cpus + 1);

    for (int i = 0; i < p->n_comps; i++) {
        const struct trace_node *n = &p->comps[i].node;

        if (p->comps[i].state != COMP_MODELLED || n->cpu < 0) {
            continue;
        }
        if (owner[n->cpu] != NULL) {
            graph_error(p->g, n->path, "cpu", "is CPU %d, which %s traces "
                        "already", n->cpu, owner[n->cpu]->path);
        } else {
            owner[n->cpu] = n;
        }
        p->g->cpus = MAX(p->g->cpus, (unsigned)n->cpu + 1);
    }
    g_free(owner);
}

/* ---- order ---- */

struct ordering {
    struct parse *p;
    int *order;              /* components, sources first */
    int n;
    int *waits;              /* inputs not yet placed, -1: placed or none */
};

/* call @fn for each component that @from leads to */
static void each_next(const struct parse *p, int from,
                      void (*fn)(struct ordering *o, int to),
                      struct ordering *o)
{
    for (guint i = 0; i < p->ends->len; i++) {
        const struct port_end *e = end_at(p, (int)i);
        const struct comp *peer = peer_of(p, e);

        if (e->comp == from && !e->in && peer != NULL &&
            peer->state == COMP_MODELLED) {
            fn(o, (int)(peer - p->comps));
        }
    }
}

static void wait_more(struct ordering *o, int to)
{
    o->waits[to]++;
}

static void wait_less(struct ordering *o, int to)
{
    o->waits[to]--;
}

/* ETMs by CPU before the rest, which keeps the order of the tree */
static long rank(const struct parse *p, int c)
{
    const struct trace_node *n = &p->comps[c].node;

    return n->kind == TRACE_ETM4 ? n->cpu : 0x10000L + c;
}

static int next_ready(const struct ordering *o)
{
    int best = DT_NONE;

    for (int i = 0; i < o->p->n_comps; i++) {
        if (o->waits[i] == 0 &&
            (best == DT_NONE || rank(o->p, i) < rank(o->p, best))) {
            best = i;
        }
    }
    return best;
}

/* some component before @c that is not placed; there is one in a loop */
static int before(const struct ordering *o, int c)
{
    const struct parse *p = o->p;

    for (guint i = 0; i < p->ends->len; i++) {
        const struct port_end *e = end_at(p, (int)i);
        const struct comp *peer = peer_of(p, e);

        if (e->comp == c && e->in && peer != NULL &&
            peer->state == COMP_MODELLED && o->waits[peer - p->comps] > 0) {
            return (int)(peer - p->comps);
        }
    }
    return DT_NONE;
}

/* name one loop among the components that could not be placed */
static void report_loop(struct ordering *o, int start)
{
    struct parse *p = o->p;
    GString *s = g_string_new(NULL);
    int slow = start, c;

    for (int i = 0; i < p->n_comps && slow != DT_NONE; i++) {
        slow = before(o, slow);
    }
    if (slow == DT_NONE) {
        slow = start;        /* an input that is no output's: reported */
    }
    c = slow;
    do {
        g_string_prepend(s, p->comps[c].node.path);
        g_string_prepend(s, " -> ");
        c = before(o, c);
    } while (c != slow && c != DT_NONE);
    g_string_prepend(s, p->comps[slow].node.path);
    graph_error(p->g, p->comps[slow].node.path, NULL, "is in a loop: %s",
                s->str);
    g_string_free(s, TRUE);
}

static void order_nodes(struct ordering *o)
{
    struct parse *p = o->p;
    int c;

    for (int i = 0; i < p->n_comps; i++) {
        if (p->comps[i].state == COMP_MODELLED) {
            each_next(p, i, wait_more, o);
        } else {
            o->waits[i] = -1;
        }
    }
    while ((c = next_ready(o)) != DT_NONE) {
        o->waits[c] = -1;
        o->order[o->n++] = c;
        each_next(p, c, wait_less, o);
    }
    for (int i = 0, told = 0; i < p->n_comps; i++) {
        if (o->waits[i] > 0) {
            if (!told++) {
                report_loop(o, i);
            }
            o->order[o->n++] = i;
        }
    }
}

/* ---- the graph ---- */

static int by_number(const void *a, const void *b)
{
    const struct trace_port *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}

static void add_port(struct trace_port **v, size_t *n, unsigned number,
                     const struct port_end *peer, int index)
{
    *v = g_renew(struct trace_port, *v, *n + 1);
    (*v)[*n].number = number;
    (*v)[*n].peer = index;
    (*v)[*n].peer_port = peer->number;
    (*n)++;
}

static void fill_ports(struct parse *p)
{
    struct trace_node *nodes = p->g->nodes;

    for (guint i = 0; i < p->ends->len; i++) {
        const struct port_end *e = end_at(p, (int)i);
        const struct comp *c = &p->comps[e->comp];
        const struct comp *peer = peer_of(p, e);
        struct trace_node *n;

        if (c->index == TRACE_NO_NODE || peer == NULL ||
            peer->index == TRACE_NO_NODE) {
            continue;
        }
        n = &nodes[c->index];
        add_port(e->in ? &n->in : &n->out, e->in ? &n->n_in : &n->n_out,
                 e->number, end_at(p, e->peer), peer->index);
    }
    for (size_t i = 0; i < p->g->n_nodes; i++) {
        if (nodes[i].n_in > 1) {
            qsort(nodes[i].in, nodes[i].n_in, sizeof(*nodes[i].in),
                  by_number);
        }
        if (nodes[i].n_out > 1) {
            qsort(nodes[i].out, nodes[i].n_out, sizeof(*nodes[i].out),
                  by_number);
        }
    }
}

/*
 * Names are used below one parent: the second "funnel@1000" of a tree with
 * several buses becomes "funnel@1000-1".
 */
static void unique_name(GHashTable *taken, struct trace_node *n)
{
    char *stem = n->name;

    for (unsigned i = 1; g_hash_table_contains(taken, n->name); i++) {
        if (n->name != stem) {
            g_free(n->name);
        }
        n->name = g_strdup_printf("%s-%u", stem, i);
    }
    if (n->name != stem) {
        g_free(stem);
    }
    g_hash_table_add(taken, n->name);
}

static void build_graph(struct parse *p)
{
    struct ordering o = {
        .p = p,
        .order = g_new0(int, (gsize)p->n_comps + 1),
        .waits = g_new0(int, (gsize)p->n_comps + 1),
    };
    struct trace_graph *g = p->g;
    GHashTable *taken = g_hash_table_new(g_str_hash, g_str_equal);

    order_nodes(&o);
    g->nodes = g_new0(struct trace_node, (gsize)o.n + 1);
    g->n_nodes = (size_t)o.n;
    for (int i = 0; i < o.n; i++) {
        struct comp *c = &p->comps[o.order[i]];

        g->nodes[i] = c->node;
        memset(&c->node, 0, sizeof(c->node));
        c->index = i;
        g->nodes[i].order = o.order[i];
        unique_name(taken, &g->nodes[i]);
    }
    fill_ports(p);
    g_hash_table_destroy(taken);
    g_free(o.order);
    g_free(o.waits);
}

/* nodes are sources first: one pass from the back tells who reaches a sink */
static void check_reach(struct trace_graph *g)
{
    bool *reach = g_new0(bool, g->n_nodes + 1);

    for (size_t i = g->n_nodes; i-- > 0;) {
        const struct trace_node *n = &g->nodes[i];

        reach[i] = n->kind == TRACE_TMC_ETR;
        for (size_t k = 0; k < n->n_out; k++) {
            reach[i] = reach[i] || reach[n->out[k].peer];
        }
    }
    for (size_t i = 0; i < g->n_nodes; i++) {
        const struct trace_node *n = &g->nodes[i];

        if (!reach[i] && n->kind == TRACE_ETM4) {
            graph_warn(g, n->path, NULL, "reaches no sink: a session on its "
                       "CPU cannot start");
        }
    }
    g_free(reach);
}

void graph_check(struct parse *p)
{
    int last;

    for (int first = 0; first < (int)p->ends->len; first = last) {
        int owner = end_at(p, first)->comp;

        for (last = first; last < (int)p->ends->len &&
             end_at(p, last)->comp == owner; last++) {
        }
        p->comps[owner].index = 0;
        if (p->comps[owner].state == COMP_MODELLED) {
            check_ports(p, &p->comps[owner], first, last);
        }
    }
    for (int i = 0; i < p->n_comps; i++) {
        if (p->comps[i].index == TRACE_NO_NODE &&
            p->comps[i].state == COMP_MODELLED) {
            check_ports(p, &p->comps[i], 0, 0);
        }
        p->comps[i].index = TRACE_NO_NODE;
    }
    check_addresses(p);
    check_cpus(p);
    build_graph(p);
    if (p->g->n_errors == 0) {
        check_reach(p->g);
    }
    if (p->g->n_nodes == 0) {
        graph_error(p->g, NULL, NULL, "has no trace component that is "
                    "modelled, expected ETMs, links and a TMC-ETR");
    }
}
