/*
 * From a checked trace graph to QEMU devices joined by ATB links, see wire.h.
 *
 * The links live as long as the machine.  A link that leaves a source or
 * enters a sink has a tap in its data direction (hw/atb_qom.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qapi/error.h"
#include "hw/qdev-properties.h"
#include "hw/sysbus.h"
#include "hw/atb_qom.h"
#include "hw/etm4_qom.h"
#include "hw/events.h"
#include "hw/regs_qom.h"
#include "hw/snapshot.h"
#include "models/formatter.h"
#include "wire.h"

/* One edge of the graph. */
struct edge {
    struct atb_link link;       /* what is joined: flushes go here */
    struct atb_link data;       /* what the sender pushes to */
    struct csvirt_tap tap;
};

static struct {
    DeviceState **dev;          /* by node index */
    enum trace_kind *kind;
    size_t n_nodes;
    struct atb_node **sources;  /* by source index */
    size_t n_sources;
    struct edge *edges;
} wire;

static const struct {
    const char *type;
    bool can_be_static;
} device_of[TRACE_KIND_COUNT] = {
    [TRACE_ETM4] = { TYPE_CSVIRT_ETM4 },
    [TRACE_FUNNEL] = { "csvirt-funnel", true },
    [TRACE_FUNNEL_STATIC] = { "csvirt-funnel", true },
    [TRACE_REPLICATOR] = { "csvirt-replicator", true },
    [TRACE_REPLICATOR_STATIC] = { "csvirt-replicator", true },
    [TRACE_TMC_ETR] = { "csvirt-tmc-etr" },
};

static bool is_static(enum trace_kind kind)
{
    return kind == TRACE_FUNNEL_STATIC || kind == TRACE_REPLICATOR_STATIC;
}

/* ---- one device ---- */

static bool set_params(DeviceState *dev, const struct trace_node *n,
                       Error **errp)
{
    if (n->kind == TRACE_ETM4 &&
        !object_property_set_uint(OBJECT(dev), "cpu", n->cpu, errp)) {
        return false;
    }
    if (device_of[n->kind].can_be_static &&
        !object_property_set_bool(OBJECT(dev), "static", is_static(n->kind),
                                  errp)) {
        return false;
    }
    for (size_t i = 0; i < n->n_params; i++) {
        const struct trace_param *p = &n->params[i];

        if (!object_property_set_uint(OBJECT(dev), p->name, p->value, errp)) {
            error_prepend(errp, "csvirt,%s: ", p->name);
            return false;
        }
    }
    return true;
}

static bool map_registers(DeviceState *dev, const struct trace_node *n,
                          Error **errp)
{
    if (is_static(n->kind)) {
        return true;
    }
    if (n->size != CSVIRT_PAGE) {
        error_setg(errp, "reg: 0x%" PRIx64 " bytes: 0x%x expected", n->size,
                   CSVIRT_PAGE);
        return false;
    }
    /* virt's platform bus lies below: an empty container, lower priority. */
    sysbus_mmio_map_overlap(SYS_BUS_DEVICE(dev), 0, n->base, 1);
    return true;
}

static bool build_node(Object *parent, const struct trace_node *n,
                       DeviceState **out, Error **errp)
{
    DeviceState *dev = qdev_new(device_of[n->kind].type);
    bool ok = object_property_try_add_child(parent, n->name, OBJECT(dev),
                                            errp) &&
        set_params(dev, n, errp) &&
        sysbus_realize(SYS_BUS_DEVICE(dev), errp) &&
        map_registers(dev, n, errp);

    /* On success the parent and the bus hold it. */
    object_unref(OBJECT(dev));
    *out = dev;
    if (!ok) {
        error_prepend(errp, "%s: ", n->path);
    }
    return ok;
}

/* ---- links ---- */

static struct atb_node *atb_of(DeviceState *dev)
{
    return CSVIRT_ATB_GET_CLASS(dev)->node(dev);
}

static bool connect_port(const struct trace_graph *g, size_t from,
                         const struct trace_port *port, int source,
                         struct csvirt_arrivals **arrivals, struct edge *e,
                         Error **errp)
{
    DeviceState *up = wire.dev[from];
    DeviceState *down = wire.dev[port->peer];
    CsvirtAtbClass *up_class = CSVIRT_ATB_GET_CLASS(up);
    CsvirtAtbClass *down_class = CSVIRT_ATB_GET_CLASS(down);

    e->link = (struct atb_link) {
        .from = atb_of(up), .from_port = port->number,
        .to = atb_of(down), .to_port = port->peer_port,
    };
    e->data = e->link;
    if (source != CSVIRT_NO_SOURCE || arrivals[port->peer]) {
        csvirt_tap_init(&e->tap, &e->link, source, arrivals[port->peer]);
        e->data.to = &e->tap.node;
    }
    if (!up_class->set_out || !up_class->set_out(up, port->number, &e->data)) {
        error_setg(errp, "%s: out-ports: no output %u", g->nodes[from].path,
                   port->number);
        return false;
    }
    if (!down_class->set_in ||
        !down_class->set_in(down, port->peer_port, &e->link)) {
        error_setg(errp, "%s: in-ports: no input %u",
                   g->nodes[port->peer].path, port->peer_port);
        return false;
    }
    return true;
}

static struct csvirt_arrivals *arrivals_new(unsigned sink, size_t n)
{
    struct csvirt_arrivals *a = g_new0(struct csvirt_arrivals, 1);

    a->sink = sink;
    a->n = n;
    a->by_source = g_new0(struct csvirt_arrival, n);
    return a;
}

static bool connect_all(const struct trace_graph *g, Error **errp)
{
    g_autofree struct csvirt_arrivals **arrivals =
        g_new0(struct csvirt_arrivals *, g->n_nodes);
    struct edge *e;
    size_t n_edges = 0;
    unsigned sink = 0;
    int source = 0;

    for (size_t i = 0; i < g->n_nodes; i++) {
        CsvirtAtbClass *ac = CSVIRT_ATB_GET_CLASS(wire.dev[i]);

        n_edges += g->nodes[i].n_out;
        if (ac->set_sink) {
            arrivals[i] = arrivals_new(sink, wire.n_sources);
            ac->set_sink(wire.dev[i], sink++, arrivals[i]);
            csvirt_events_add_sink(g->nodes[i].name);
        }
    }
    e = wire.edges = g_new0(struct edge, n_edges);
    for (size_t i = 0; i < g->n_nodes; i++) {
        const struct trace_node *n = &g->nodes[i];
        int of = n->kind == TRACE_ETM4 ? source++ : CSVIRT_NO_SOURCE;

        for (size_t p = 0; p < n->n_out; p++) {
            if (!connect_port(g, i, &n->out[p], of, arrivals, e++, errp)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- interface ---- */

bool csvirt_wire_build(Object *parent, const struct trace_graph *g,
                       Error **errp)
{
    wire.dev = g_new0(DeviceState *, g->n_nodes);
    wire.kind = g_new0(enum trace_kind, g->n_nodes);
    wire.n_nodes = g->n_nodes;
    wire.sources = g_new0(struct atb_node *, g->n_nodes);
    for (size_t i = 0; i < g->n_nodes; i++) {
        const struct trace_node *n = &g->nodes[i];

        wire.kind[i] = n->kind;
        if (!build_node(parent, n, &wire.dev[i], errp)) {
            return false;
        }
        if (n->kind == TRACE_ETM4) {
            wire.sources[wire.n_sources++] = atb_of(wire.dev[i]);
            csvirt_snapshot_add_source(wire.dev[i], n->cpu);
            csvirt_events_add_source(n->cpu);
        }
    }
    if (!connect_all(g, errp)) {
        return false;
    }
    csvirt_events_ready(parent);
    return true;
}

/*
 * Adds what node @i passed on to @sent and what reached it to @taken, by ATID.
 * A replicator counts a byte at each of its two outputs.
 */
static void add_node(size_t i, uint64_t *sent, uint64_t *taken)
{
    struct atb_count *c = g_new0(struct atb_count, 1);
    enum trace_kind kind = wire.kind[i];
    unsigned times = kind == TRACE_REPLICATOR ||
                     kind == TRACE_REPLICATOR_STATIC ? 2 : 1;

    CSVIRT_ATB_GET_CLASS(wire.dev[i])->tally(wire.dev[i], c);
    for (unsigned id = 0; id <= ATB_ID_MAX; id++) {
        sent[id] += kind == TRACE_TMC_ETR ? 0 : c->in[id] - c->dropped_id[id];
        taken[id] += kind == TRACE_ETM4 ? 0 : c->in[id] / times;
    }
    g_free(c);
}

bool csvirt_wire_conserves(void)
{
    uint64_t sent[ATB_ID_MAX + 1] = { 0 }, taken[ATB_ID_MAX + 1] = { 0 };
    bool good = true;

    for (size_t i = 0; i < wire.n_nodes; i++) {
        add_node(i, sent, taken);
    }
    for (unsigned id = 0; id <= ATB_ID_MAX; id++) {
        /* Sinks make trigger packets themselves. */
        if (id != FORMATTER_ID_TRIGGER && sent[id] != taken[id]) {
            error_report("csvirt: ATID 0x%02x: %" PRIu64 " bytes were sent "
                         "over links, %" PRIu64 " came", id, sent[id],
                         taken[id]);
            good = false;
        }
    }
    return good;
}

void csvirt_drain_all(void)
{
    for (size_t i = 0; i < wire.n_sources; i++) {
        wire.sources[i]->ops->flush(wire.sources[i]->self);
    }
}
