/*
 * Where the boxes and lines of a topology's picture go: layers by the longest
 * way from a source, boxes at the mean height of what feeds them, lines in
 * channels between the layers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "graph_layout.h"

#include <inttypes.h>
#include <string.h>

/* ---- boxes and edges ---- */

static char *name_range(const struct trace_graph *g, const struct group *gp)
{
    const struct trace_node *low = &g->nodes[gp->member[0]], *high = low;

    for (int i = 1; i < gp->n; i++) {
        const struct trace_node *n = &g->nodes[gp->member[i]];

        low = n->base < low->base ? n : low;
        high = n->base > high->base ? n : high;
    }
    if (gp->n == 1) {
        return g_strdup(low->name);
    }
    if (low->size == 0) {
        return g_strdup_printf("%s ..", low->name);
    }
    return g_strdup_printf("%s .. %" PRIx64, low->name, high->base);
}

/* does the name tell the kind? */
static bool name_tells(const struct trace_node *n)
{
    static const char *const stem[TRACE_KIND_COUNT] = {
        [TRACE_ETM4] = "etm", [TRACE_FUNNEL] = "funnel",
        [TRACE_FUNNEL_STATIC] = "static-funnel",
        [TRACE_REPLICATOR] = "replicator",
        [TRACE_REPLICATOR_STATIC] = "static-replicator",
        [TRACE_TMC_ETR] = "etr",
    };

    return g_str_has_prefix(n->name, stem[n->kind]);
}

static void label_box(const struct drawing *d, struct box *b)
{
    const struct group *gp = &d->gr->groups[b->group];
    const struct trace_node *n = &d->g->nodes[gp->member[0]];

    b->text[b->n_text++] = name_range(d->g, gp);
    if (gp->n > 1) {
        b->text[b->n_text++] = g_strdup_printf("%d x %s", gp->n,
                                               trace_kind_text(n->kind));
    } else if (!name_tells(n)) {
        b->text[b->n_text++] = g_strdup_printf("(%s)",
                                               trace_kind_text(n->kind));
    }
    if (n->size != 0 && strchr(n->name, '@') == NULL) {
        b->text[b->n_text++] = g_strdup_printf("0x%" PRIx64, n->base);
    }
}

static void label_cpus(const struct drawing *d, struct box *b)
{
    const struct group *gp = &d->gr->groups[b->group];
    unsigned *v = g_new(unsigned, (gsize)gp->n);
    char *r;
    int n = 0;

    for (int i = 0; i < gp->n; i++) {
        int cpu = d->g->nodes[gp->member[i]].cpu;

        if (cpu >= 0) {
            v[n++] = (unsigned)cpu;
        }
    }
    r = range_text(v, (size_t)n);
    b->cpus = d->g->nodes[gp->member[0]].kind == TRACE_ETM4 ?
              g_strdup_printf("cpu%s", n ? r : "?") : NULL;
    g_free(r);
    g_free(v);
}

static int add_box(struct drawing *d, int group, int layer)
{
    struct box *b;

    d->box = g_renew(struct box, d->box, (gsize)d->n_box + 1);
    b = &d->box[d->n_box];
    memset(b, 0, sizeof(*b));
    b->group = group;
    b->layer = layer;
    if (group >= 0) {
        label_box(d, b);
        label_cpus(d, b);
    }
    return d->n_box++;
}

static void add_edge(struct drawing *d, int from, int to, unsigned out,
                     uint32_t ins)
{
    struct edge e = { from, to, out, ins, 0, 0, 0 };
    struct box *f = &d->box[from], *t = &d->box[to];

    d->edge = g_renew(struct edge, d->edge, (gsize)d->n_edge + 1);
    d->edge[d->n_edge] = e;
    f->out = g_renew(int, f->out, (gsize)f->n_out + 1);
    f->out[f->n_out++] = d->n_edge;
    t->in = g_renew(int, t->in, (gsize)t->n_in + 1);
    t->in[t->n_in++] = d->n_edge;
    d->n_edge++;
}

/* groups come sources first, so one pass over the edges by target is enough */
static void make_layers(struct drawing *d)
{
    for (int i = 0; i < d->gr->n_groups; i++) {
        int layer = 0;

        for (int k = 0; k < d->gr->n_edges; k++) {
            const struct group_edge *e = &d->gr->edges[k];

            if (e->to == i && e->from < i) {
                layer = MAX(layer, d->box[e->from].layer + 1);
            }
        }
        add_box(d, i, layer);
        d->n_layer = MAX(d->n_layer, layer + 1);
    }
    for (int k = 0; k < d->gr->n_edges; k++) {
        const struct group_edge *e = &d->gr->edges[k];
        int at = e->from;

        if (d->box[e->to].layer <= d->box[e->from].layer) {
            continue;        /* only in a graph with errors */
        }
        for (int l = d->box[e->from].layer + 1; l < d->box[e->to].layer;
             l++) {
            int pass = add_box(d, -1, l);

            add_edge(d, at, pass, at == e->from ? e->out : 0, 0);
            at = pass;
        }
        add_edge(d, at, e->to, at == e->from ? e->out : 0, e->ins);
    }
}

/* the lowest bit of a set: sets of one box do not overlap */
static uint32_t lowest(uint32_t set)
{
    return set & (~set + 1);
}

static void sort_ports(struct drawing *d)
{
    for (int b = 0; b < d->n_box; b++) {
        int *in = d->box[b].in, *out = d->box[b].out;

        for (int i = 1; i < d->box[b].n_in; i++) {
            for (int k = i; k > 0 && lowest(d->edge[in[k]].ins) <
                 lowest(d->edge[in[k - 1]].ins); k--) {
                int t = in[k];

                in[k] = in[k - 1];
                in[k - 1] = t;
            }
        }
        for (int i = 1; i < d->box[b].n_out; i++) {
            for (int k = i; k > 0 && d->edge[out[k]].out <
                 d->edge[out[k - 1]].out; k--) {
                int t = out[k];

                out[k] = out[k - 1];
                out[k - 1] = t;
            }
        }
    }
}

/* ---- rows ---- */

int drawing_content_rows(const struct box *b)
{
    return MAX(1, MAX(b->n_text, MAX(b->n_in, b->n_out)));
}

/* row, inside the box, of its @i-th of @n ports */
static int port_row(const struct box *b, int i, int n)
{
    int rows = drawing_content_rows(b);

    return b->group < 0 ? 0 : 1 + (rows - n) / 2 + i;
}

/* where a box would like to be: level with what feeds it */
static void make_wish(struct drawing *d, struct box *b, double fallback)
{
    double sum = 0;

    for (int i = 0; i < b->n_in; i++) {
        sum += d->edge[b->in[i]].y1 - port_row(b, i, b->n_in);
    }
    b->wish = b->n_in ? sum / b->n_in : fallback;
}

/* pool adjacent violators: as near to the wishes as boxes allow */
static void place(struct drawing *d, int layer)
{
    int n = d->count[layer], pools = 0, used = 0;
    double *mean = g_new(double, (gsize)n + 1);
    int *size = g_new(int, (gsize)n + 1);
    int *before = g_new0(int, (gsize)n + 1);

    for (int i = 0; i < n; i++) {
        struct box *b = &d->box[d->order[layer][i]];

        before[i] = used;
        used += b->h;
        mean[pools] = b->wish - before[i];
        size[pools++] = 1;
        while (pools > 1 && mean[pools - 1] < mean[pools - 2]) {
            mean[pools - 2] = (mean[pools - 2] * size[pools - 2] +
                               mean[pools - 1] * size[pools - 1]) /
                              (size[pools - 2] + size[pools - 1]);
            size[pools - 2] += size[pools - 1];
            pools--;
        }
    }
    for (int p = 0, i = 0; p < pools; p++) {
        for (int k = 0; k < size[p]; k++, i++) {
            double at = mean[p] + before[i] + 1000.5;

            d->box[d->order[layer][i]].y = (int)at - 1000;
        }
    }
    g_free(mean);
    g_free(size);
    g_free(before);
}

static void set_ends(struct drawing *d, const struct box *b)
{
    for (int i = 0; i < b->n_in; i++) {
        d->edge[b->in[i]].y2 = b->y + port_row(b, i, b->n_in);
    }
    for (int i = 0; i < b->n_out; i++) {
        d->edge[b->out[i]].y1 = b->y + port_row(b, i, b->n_out);
    }
}

/* sources in the order in which the sinks' inputs lead to them */
static void visit(const struct drawing *d, int b, int *seen, int *rank)
{
    if (seen[b]) {
        return;
    }
    seen[b] = 1;
    for (int i = 0; i < d->box[b].n_in; i++) {
        visit(d, d->edge[d->box[b].in[i]].from, seen, rank);
    }
    if (d->box[b].layer == 0) {
        seen[b] = 2 + (*rank)++;
    }
}

static void order_layer(struct drawing *d, int layer, const int *seen)
{
    int *v = d->order[layer], n = 0;

    for (int b = 0; b < d->n_box; b++) {
        if (d->box[b].layer != layer) {
            continue;
        }
        d->box[b].h = d->box[b].group < 0 ? 1 :
                      drawing_content_rows(&d->box[b]) + 2;
        make_wish(d, &d->box[b], layer == 0 ? seen[b] : 1e6);
        for (int k = n++; ; k--) {
            if (k == 0 || d->box[v[k - 1]].wish <= d->box[b].wish) {
                v[k] = b;
                break;
            }
            v[k] = v[k - 1];
        }
    }
    d->count[layer] = n;
    for (int i = 0, y = 0; i < n && layer == 0; i++) {
        d->box[v[i]].wish = y;
        y += d->box[v[i]].h;
    }
}

static void make_rows(struct drawing *d)
{
    int *seen = g_new0(int, (gsize)d->n_box + 1), rank = 0, top = 0;

    for (int b = 0; b < d->n_box; b++) {
        if (d->box[b].n_out == 0) {
            visit(d, b, seen, &rank);
        }
    }
    for (int l = 0; l < d->n_layer; l++) {
        order_layer(d, l, seen);
        place(d, l);
        for (int i = 0; i < d->count[l]; i++) {
            set_ends(d, &d->box[d->order[l][i]]);
        }
    }
    for (int b = 0; b < d->n_box; b++) {
        top = MIN(top, d->box[b].y);
    }
    for (int b = 0; b < d->n_box; b++) {
        d->box[b].y -= top;
        set_ends(d, &d->box[b]);
        d->rows = MAX(d->rows, d->box[b].y + d->box[b].h);
    }
    g_free(seen);
}

/* ---- channels ---- */

static bool apart(const struct edge *a, const struct edge *b)
{
    return MAX(a->y1, a->y2) < MIN(b->y1, b->y2) ||
           MAX(b->y1, b->y2) < MIN(a->y1, a->y2);
}

/*
 * Must @a turn before (left of) @b?  Where @a leaves on the row on which @b
 * arrives, or they would run over each other; and where the one nests in the
 * other, or they would cross.
 */
static bool turns_before(const struct edge *a, const struct edge *b)
{
    bool down = a->y2 > a->y1;

    if (a->y1 == b->y2 || apart(a, b)) {
        return a->y1 == b->y2;
    }
    if (b->y1 == a->y2 || down != (b->y2 > b->y1)) {
        return false;
    }
    return down ? a->y1 > b->y1 : a->y1 < b->y1;
}

static int channel_tracks(struct drawing *d, int layer)
{
    int tracks = 0;
    bool moved = true;

    /* at most one round an edge: a cycle of wishes just stops there */
    for (int round = 0; round <= d->n_edge && moved; round++) {
        moved = false;
        for (int i = 0; i < d->n_edge; i++) {
            struct edge *b = &d->edge[i];

            if (d->box[b->from].layer != layer || b->y1 == b->y2) {
                continue;
            }
            for (int k = 0; k < d->n_edge; k++) {
                const struct edge *a = &d->edge[k];

                if (k == i || d->box[a->from].layer != layer ||
                    a->y1 == a->y2) {
                    continue;
                }
                if (b->track <= a->track && a->track < d->n_edge &&
                    (turns_before(a, b) ||
                     (k < i && a->track == b->track && !apart(a, b)))) {
                    b->track = a->track + 1;
                    moved = true;
                }
            }
            tracks = MAX(tracks, b->track + 1);
        }
    }
    return tracks;
}

char *drawing_ins_text(uint32_t ins)
{
    unsigned v[32];
    size_t n = 0;

    for (unsigned i = 0; i < 32; i++) {
        if (ins >> i & 1) {
            v[n++] = i;
        }
    }
    return range_text(v, n);
}

static bool has_numbers(const struct drawing *d, const struct box *b)
{
    const struct group *gp = &d->gr->groups[b->group];
    enum trace_kind k = d->g->nodes[gp->member[0]].kind;

    return k == TRACE_FUNNEL || k == TRACE_FUNNEL_STATIC;
}

/* columns that the input numbers of a funnel take, 0 for other blocks */
int drawing_ins_width(const struct drawing *d, const struct box *b)
{
    int w = 0;

    for (int i = 0; i < b->n_in && has_numbers(d, b); i++) {
        char *s = drawing_ins_text(d->edge[b->in[i]].ins);

        w = MAX(w, (int)strlen(s));
        g_free(s);
    }
    return w;
}

static int box_width(const struct drawing *d, const struct box *b)
{
    int text = 0;

    for (int i = 0; i < b->n_text; i++) {
        text = MAX(text, (int)strlen(b->text[i]));
    }
    return b->group < 0 ? 0 :
           text + drawing_ins_width(d, b) + (b->n_out > 1) + 4;
}

static void make_columns(struct drawing *d)
{
    int x;

    for (int b = 0; b < d->n_box; b++) {
        struct box *bx = &d->box[b];

        d->w[bx->layer] = MAX(d->w[bx->layer], box_width(d, bx));
        if (bx->cpus != NULL) {
            d->left = MAX(d->left, (int)strlen(bx->cpus) + 4);
        }
    }
    x = d->left;
    for (int l = 0; l < d->n_layer; l++) {
        d->x[l] = x;
        d->gap[l] = l + 1 < d->n_layer ?
                    MAX(3, 2 * channel_tracks(d, l) + 2) : 0;
        x += d->w[l] + d->gap[l];
    }
    d->cols = x;
}

struct drawing *drawing_new(const struct trace_graph *g)
{
    struct drawing *d = g_new0(struct drawing, 1);
    gsize layers;

    d->g = g;
    d->gr = grouping_new(g);
    make_layers(d);
    layers = (gsize)d->n_layer + 1;
    d->order = g_new0(int *, layers);
    d->count = g_new0(int, layers);
    d->x = g_new0(int, layers);
    d->w = g_new0(int, layers);
    d->gap = g_new0(int, layers);
    for (int l = 0; l < d->n_layer; l++) {
        d->order[l] = g_new0(int, (gsize)d->n_box + 1);
    }
    sort_ports(d);
    make_rows(d);
    make_columns(d);
    return d;
}

void drawing_free(struct drawing *d)
{
    for (int b = 0; b < d->n_box; b++) {
        for (int i = 0; i < d->box[b].n_text; i++) {
            g_free(d->box[b].text[i]);
        }
        g_free(d->box[b].cpus);
        g_free(d->box[b].in);
        g_free(d->box[b].out);
    }
    for (int l = 0; l < d->n_layer; l++) {
        g_free(d->order[l]);
    }
    g_free(d->order);
    g_free(d->count);
    g_free(d->x);
    g_free(d->w);
    g_free(d->gap);
    g_free(d->box);
    g_free(d->edge);
    g_free(d->line);
    g_free(d->chr);
    grouping_free(d->gr);
    g_free(d);
}
