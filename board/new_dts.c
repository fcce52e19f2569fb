/*
 * A planned topology as source: an overlay in the form of board/dts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "new_topology.h"

#include <glib.h>

struct text {
    GString *s;
    const struct new_plan *p;
    const struct new_spec *spec;
};

static const char *const stem[TRACE_KIND_COUNT] = {
    [TRACE_ETM4] = "etm", [TRACE_FUNNEL] = "funnel",
    [TRACE_REPLICATOR] = "replicator", [TRACE_TMC_ETR] = "etr",
};

static const char *const compatible[TRACE_KIND_COUNT] = {
    [TRACE_ETM4] = "etm4x", [TRACE_FUNNEL] = "dynamic-funnel",
    [TRACE_REPLICATOR] = "dynamic-replicator", [TRACE_TMC_ETR] = "tmc",
};

static void put(struct text *t, const char *fmt, ...) G_GNUC_PRINTF(2, 3);

static void put(struct text *t, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    g_string_append_vprintf(t->s, fmt, ap);
    va_end(ap);
}

/* label of an endpoint: "funnel3_in0", "replicator0_out1", "etm5_out" */
static void put_label(struct text *t, int node, bool in, unsigned port)
{
    const struct new_node *n = &t->p->node[node];

    put(t, "%s%u_%s", stem[n->kind], n->number, in ? "in" : "out");
    if (in ? n->kind == TRACE_FUNNEL : n->kind == TRACE_REPLICATOR) {
        put(t, "%u", port);
    }
}

static void put_port(struct text *t, int node, bool in, unsigned port,
                     bool numbered)
{
    const struct new_node *n = &t->p->node[node];
    struct new_end peer = in ? n->in[port] : n->out[port];

    if (numbered) {
        put(t, "            port@%u {\n                reg = <%u>;\n\n", port,
            port);
    } else {
        put(t, "            port {\n");
    }
    put(t, "                ");
    put_label(t, node, in, port);
    put(t, ": endpoint {\n                    remote-endpoint = <&");
    put_label(t, peer.node, !in, peer.port);
    put(t, ">;\n                };\n            };\n");
}

/* in-ports or out-ports; funnels number inputs, replicators outputs */
static void put_ports(struct text *t, int node, bool in)
{
    const struct new_node *n = &t->p->node[node];
    unsigned count = in ? n->n_in : n->n_out;
    bool numbered = in ? n->kind == TRACE_FUNNEL :
                         n->kind == TRACE_REPLICATOR;

    if (count == 0) {
        return;
    }
    put(t, "\n        %s-ports {\n", in ? "in" : "out");
    if (numbered) {
        put(t, "            #address-cells = <1>;\n"
            "            #size-cells = <0>;\n\n");
    }
    for (unsigned i = 0; i < count; i++) {
        put(t, "%s", i != 0 ? "\n" : "");
        put_port(t, node, in, i, numbered);
    }
    put(t, "        };\n");
}

static void put_cpus(struct text *t, unsigned first, unsigned last)
{
    if (first == last) {
        put(t, "CPU %u", first);
    } else {
        put(t, "CPUs %u to %u", first, last);
    }
}

/* what a person wants to know of a block before reading it */
static void put_about(struct text *t, const struct new_node *n)
{
    unsigned first = 0;

    for (unsigned g = 0; n->kind == TRACE_ETM4 && g < t->spec->etrs; g++) {
        if (n->first == first) {
            put(t, "    /* ");
            put_cpus(t, first, first + t->spec->size[g] - 1);
            put(t, ": the group of etr@%x. */\n",
                NEW_ETR_BASE + g * 0x1000);
        }
        first += t->spec->size[g];
    }
    if (n->kind == TRACE_FUNNEL && n->sink >= 0) {
        put(t, "    /* What comes for etr@%x. */\n",
            NEW_ETR_BASE + (unsigned)n->sink * 0x1000);
    } else if (n->kind == TRACE_FUNNEL) {
        put(t, "    /* ");
        put_cpus(t, n->first, n->last);
        put(t, ". */\n");
    }
}

static void put_node(struct text *t, int node)
{
    const struct new_node *n = &t->p->node[node];
    uint32_t base = new_node_base(n);

    put(t, "\n");
    put_about(t, n);
    put(t, "    %s@%x {\n"
        "        compatible = \"arm,coresight-%s\", \"arm,primecell\";\n"
        "        reg = <0x0 0x%08x 0x0 0x1000>;\n"
        "        clocks = <&apb_pclk>;\n"
        "        clock-names = \"apb_pclk\";\n",
        stem[n->kind], base, compatible[n->kind], base);
    if (n->kind == TRACE_ETM4) {
        put(t, "        cpu = <&cpu%u>;\n", n->first);
    }
    put_ports(t, node, true);
    put_ports(t, node, false);
    put(t, "    };\n");
}

static void put_head(struct text *t, const char *made_from)
{
    const struct new_spec *s = t->spec;
    const unsigned *c = t->p->count;
    unsigned first = 0;

    put(t, "// SPDX-License-Identifier: GPL-2.0-or-later\n/*\n"
        " * Made by: csvirt topology new %s\n *\n", made_from);
    for (unsigned g = 0; g < s->etrs; g++) {
        put(t, " *   etr@%x  ", NEW_ETR_BASE + g * 0x1000);
        put_cpus(t, first, first + s->size[g] - 1);
        put(t, "\n");
        first += s->size[g];
    }
    put(t, " *\n * %u ETMs, %u funnels, %u replicators, %u ETRs.",
        c[TRACE_ETM4], c[TRACE_FUNNEL], c[TRACE_REPLICATOR],
        c[TRACE_TMC_ETR]);
    if (s->reach > 1) {
        put(t, "  A group reaches %u sinks: its\n * own, the default, and "
            "the next ones around.", s->reach);
    }
    put(t, "\n *\n * An overlay on the machine's own tree, which defines "
        "cpu0..., gic and\n * apb_pclk.\n */\n/dts-v1/;\n/plugin/;\n\n"
        "/ {\n    model = \"%u CPUs, %u ETRs (%s)\";\n};\n\n"
        "&{/} {\n    #address-cells = <2>;\n    #size-cells = <2>;\n",
        s->cpus, s->etrs, made_from);
}

/* sinks last: their order is that of the kernel's names */
static void put_nodes(struct text *t)
{
    static const enum trace_kind order[] = {
        TRACE_ETM4, TRACE_FUNNEL, TRACE_REPLICATOR, TRACE_TMC_ETR,
    };

    for (size_t k = 0; k < G_N_ELEMENTS(order); k++) {
        for (int i = 0; i < t->p->n_node; i++) {
            if (t->p->node[i].kind == order[k]) {
                put_node(t, i);
            }
        }
    }
    put(t, "};\n");
}

char *new_topology(const char *text, char **error)
{
    struct new_spec spec;
    struct new_plan *plan;
    struct text t;

    if (!new_spec_parse(text, &spec, error)) {
        return NULL;
    }
    plan = new_plan_make(&spec);
    t = (struct text){ g_string_new(NULL), plan, &spec };
    put_head(&t, text);
    put_nodes(&t);
    new_plan_free(plan);
    return g_string_free(t.s, FALSE);
}
