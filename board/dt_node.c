/*
 * Trace components in a device tree: which block a node is, and what it says
 * about itself (reg, clocks, cpu, parameters).
 *
 * Spec: devicetree bindings arm,coresight-*.yaml; arm,primecell.yaml.
 * Not modelled: every block of the second table below, dropped by name.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "dt_internal.h"
#include "knobs.h"

#include <inttypes.h>
#include <libfdt.h>
#include <string.h>

struct modelled {
    const char *compatible;
    enum trace_kind kind;
    bool primecell;          /* needs "arm,primecell", registers and a clock */
    const char *instead;     /* obsolete: today's name */
};

static const struct modelled modelled[] = {
    { "arm,coresight-etm4x", TRACE_ETM4, true, NULL },
    { "arm,coresight-dynamic-funnel", TRACE_FUNNEL, true, NULL },
    { "arm,coresight-funnel", TRACE_FUNNEL, true,
      "arm,coresight-dynamic-funnel" },
    { "arm,coresight-static-funnel", TRACE_FUNNEL_STATIC, false, NULL },
    { "arm,coresight-dynamic-replicator", TRACE_REPLICATOR, true, NULL },
    { "arm,coresight-static-replicator", TRACE_REPLICATOR_STATIC, false,
      NULL },
    { "arm,coresight-replicator", TRACE_REPLICATOR_STATIC, false,
      "arm,coresight-static-replicator" },
    { "arm,coresight-tmc", TRACE_TMC_ETR, true, NULL },
};

static const struct {
    const char *compatible, *text;
    bool helper;
} unmodelled[] = {
    { "arm,coresight-catu", "CATU", true },
    { "arm,coresight-tpiu", "TPIU", false },
    { "arm,coresight-etb10", "ETB10", false },
    { "arm,coresight-stm", "STM", false },
    { "arm,coresight-cti", "CTI", false },
    { "arm,coresight-cti-v8-arch", "CTI", false },
    { "arm,coresight-cpu-debug", "CPU debug unit", false },
    { "arm,coresight-etm4x-sysreg", "ETMv4 with system registers only",
      false },
    { "arm,coresight-etm3x", "ETMv3", false },
    { "arm,embedded-trace-extension", "ETE", false },
    { "arm,trace-buffer-extension", "TRBE", false },
    { "arm,coresight-dummy-source", "dummy source", false },
    { "arm,coresight-dummy-sink", "dummy sink", false },
    { "qcom,coresight-tpdm", "TPDM", false },
    { "qcom,coresight-static-tpdm", "static TPDM", false },
    { "qcom,coresight-tpda", "TPDA", false },
    { "qcom,coresight-tnoc", "trace NoC", false },
    { "qcom,coresight-itnoc", "trace NoC", false },
    { "qcom,coresight-remote-etm", "remote ETM", false },
    { "qcom,sa8775p-ctcu", "CTCU", true },
};

const char *trace_kind_text(enum trace_kind kind)
{
    static const char *const text[TRACE_KIND_COUNT] = {
        [TRACE_ETM4] = "ETMv4",
        [TRACE_FUNNEL] = "funnel",
        [TRACE_FUNNEL_STATIC] = "static funnel",
        [TRACE_REPLICATOR] = "replicator",
        [TRACE_REPLICATOR_STATIC] = "static replicator",
        [TRACE_TMC_ETR] = "TMC-ETR",
    };

    return (unsigned)kind < TRACE_KIND_COUNT ? text[kind] : "?";
}

static const struct modelled *find_modelled(const struct dt_tree *t, int item)
{
    for (size_t i = 0; i < G_N_ELEMENTS(modelled); i++) {
        if (dt_has_string(t, item, "compatible", modelled[i].compatible)) {
            return &modelled[i];
        }
    }
    /* some SoC files give their ETMs "arm,primecell" only */
    if (dt_has_string(t, item, "compatible", "arm,primecell") &&
        g_str_has_prefix(t->items[item].name, "etm@") &&
        dt_prop(t, item, "cpu", NULL) != NULL) {
        return &modelled[0];
    }
    return NULL;
}

/*
 * What a node is called that no model exists for, NULL when the node is none
 * of our business.
 */
static const char *find_unmodelled(const struct parse *p, int item,
                                   bool *helper)
{
    const struct dt_tree *t = p->t;
    bool primecell = dt_has_string(t, item, "compatible", "arm,primecell");
    bool ports = dt_child(t, item, "in-ports") != DT_NONE ||
                 dt_child(t, item, "out-ports") != DT_NONE;

    *helper = false;
    for (size_t i = 0; i < G_N_ELEMENTS(unmodelled); i++) {
        if (dt_has_string(t, item, "compatible", unmodelled[i].compatible)) {
            *helper = unmodelled[i].helper;
            return unmodelled[i].text;
        }
    }
    if (ports && dt_prop(t, item, "compatible", NULL) != NULL) {
        return "unknown trace component";
    }
    /* in an overlay every primecell node is new: no hardware backs it */
    return primecell && p->g->overlay ? "unknown primecell" : NULL;
}

void trace_node_clear(struct trace_node *n)
{
    g_free(n->path);
    g_free(n->name);
    g_free(n->in);
    g_free(n->out);
    for (size_t i = 0; i < n->n_params; i++) {
        g_free(n->params[i].name);
    }
    g_free(n->params);
}

static void read_reg(struct parse *p, struct comp *c)
{
    struct trace_node *n = &c->node;
    const struct trace_limits *lim = p->limits;
    char *why = dt_reg(p->t, c->item, 0, &n->base, &n->size);
    uint64_t end = lim->window_base + lim->window_size;

    if (why != NULL) {
        graph_error(p->g, n->path, "reg", "%s", why);
        g_free(why);
    } else if (n->base % 4096 != 0) {
        graph_error(p->g, n->path, "reg", "starts at 0x%" PRIx64
                    ", expected a multiple of 4 KiB", n->base);
    } else if (n->size != 4096) {
        graph_error(p->g, n->path, "reg", "has size 0x%" PRIx64
                    ", expected 0x1000, the registers of one block", n->size);
    } else if (n->base < lim->window_base || n->base >= end ||
               n->size > end - n->base) {
        graph_error(p->g, n->path, "reg", "0x%" PRIx64 "-0x%" PRIx64
                    " is outside the window for trace components, 0x%" PRIx64
                    "-0x%" PRIx64, n->base, n->base + n->size - 1,
                    lim->window_base, end - 1);
    }
}

static void read_clocks(struct parse *p, const struct comp *c)
{
    const char *path = c->node.path;
    int len;
    const void *clocks = dt_prop(p->t, c->item, "clocks", &len);

    if (clocks == NULL || len < 4) {
        graph_error(p->g, path, "clocks", "is missing, expected <&apb_pclk>: "
                    "a kernel never probes a primecell without its clock");
    } else if (dt_by_phandle(p->t, fdt32_ld(clocks)) == DT_NONE) {
        graph_error(p->g, path, "clocks", "points to phandle 0x%x, which no "
                    "node has, expected <&apb_pclk>", fdt32_ld(clocks));
    }
    if (!dt_has_string(p->t, c->item, "clock-names", "apb_pclk")) {
        graph_error(p->g, path, "clock-names", "does not have \"apb_pclk\": a "
                    "kernel never probes a primecell without that clock");
    }
}

static bool under_missing(const struct parse *p, int item)
{
    return item != DT_NONE &&
           g_str_has_prefix(p->t->items[item].path, "/missing-labels/");
}

static void read_cpu(struct parse *p, struct comp *c)
{
    const char *path = c->node.path;
    uint32_t phandle;
    int item;

    if (!dt_cell(p->t, c->item, "cpu", &phandle)) {
        graph_error(p->g, path, "cpu", "is missing or not one cell, expected "
                    "the CPU that this ETM traces: <&cpu0>");
        return;
    }
    item = dt_by_phandle(p->t, phandle);
    if (under_missing(p, item)) {
        return;              /* named when the label was looked up */
    }
    for (unsigned i = 0; i < p->n_cpus; i++) {
        if (p->cpus[i] == item) {
            c->node.cpu = (int)i;
        }
    }
    if (item == DT_NONE || c->node.cpu < 0) {
        graph_error(p->g, path, "cpu", "points to %s%s (phandle 0x%x), "
                    "expected a node of /cpus",
                    item == DT_NONE ? "no node" : "",
                    item == DT_NONE ? "" : p->t->items[item].path, phandle);
    } else if (p->limits->cpus != 0 &&
               (unsigned)c->node.cpu >= p->limits->cpus) {
        graph_error(p->g, path, "cpu", "is CPU %d (%s), but the machine has "
                    "only %u", c->node.cpu, p->t->items[item].path,
                    p->limits->cpus);
        c->node.cpu = -1;
    }
}

static char *knob_names(enum trace_kind kind)
{
    GString *s = g_string_new(NULL);
    const struct trace_knob *k;

    for (size_t i = 0; (k = trace_knob_nth(kind, i)) != NULL; i++) {
        g_string_append_printf(s, "%scsvirt,%s", i ? ", " : "", k->name);
    }
    if (s->len == 0) {
        g_string_append(s, "none");
    }
    return g_string_free(s, FALSE);
}

/* what a knob takes, for messages (g_free) */
static char *knob_range(const struct trace_knob *k)
{
    GString *s = g_string_new(NULL);

    if (k->n_allowed == 0) {
        g_string_printf(s, "%" PRIu64 " to %" PRIu64, k->min, k->max);
    }
    for (size_t i = 0; i < k->n_allowed; i++) {
        g_string_append_printf(s, "%s%" PRIu64, i == 0 ? "" :
                               i + 1 == k->n_allowed ? " or " : ", ",
                               k->allowed[i]);
    }
    return g_string_free(s, FALSE);
}

static void add_param(struct trace_node *n, const char *name, uint64_t value)
{
    n->params = g_renew(struct trace_param, n->params, n->n_params + 1);
    n->params[n->n_params].name = g_strdup(name);
    n->params[n->n_params].value = value;
    n->n_params++;
}

/* an empty property is 1; else one or two cells */
static bool integer(const void *val, int len, uint64_t *out)
{
    switch (len) {
    case 0:
        *out = 1;
        return true;
    case 4:
        *out = fdt32_ld(val);
        return true;
    case 8:
        *out = fdt64_ld(val);
        return true;
    default:
        return false;
    }
}

static void read_knob(struct parse *p, struct comp *c, const char *prop,
                      const void *val, int len)
{
    struct trace_node *n = &c->node;
    const struct trace_knob *k = trace_knob_find(n->kind,
                                                 prop + strlen("csvirt,"));
    uint64_t v;
    char *text;

    if (k == NULL) {
        text = knob_names(n->kind);
        graph_error(p->g, n->path, prop, "is no %s parameter; there are: "
                    "%s", trace_kind_text(n->kind), text);
        g_free(text);
    } else if (!integer(val, len, &v)) {
        graph_error(p->g, n->path, prop, "has %d bytes, expected one number",
                    len);
    } else if (!trace_knob_takes(k, v)) {
        text = knob_range(k);
        graph_error(p->g, n->path, prop, "is %" PRIu64 ", expected %s", v,
                    text);
        g_free(text);
    } else {
        add_param(n, k->name, v);
    }
}

/* csvirt,config says "etr", or what is not modelled */
static void read_config(struct parse *p, struct comp *c)
{
    const char *want = dt_string(p->t, c->item, "csvirt,config");
    const char *name = c->node.name;

    if (want != NULL && strcmp(want, "etr") == 0) {
        return;
    }
    if (want != NULL || dt_prop(p->t, c->item, "csvirt,config", NULL)) {
        bool known = want && (strcmp(want, "etf") == 0 ||
                              strcmp(want, "etb") == 0);

        graph_error(p->g, c->node.path, "csvirt,config", "is \"%s\", %s; "
                    "expected \"etr\"", want ? want : "?",
                    known ? "a TMC configuration that is not modelled" :
                    "which is no TMC configuration");
    } else if (g_str_has_prefix(name, "etf@") ||
               g_str_has_prefix(name, "etb@") ||
               g_str_has_prefix(name, "tmc_etf@") ||
               g_str_has_prefix(name, "tmc_etb@")) {
        graph_error(p->g, c->node.path, NULL, "by its name a TMC configured "
                    "as ETF or ETB, which is not modelled; expected an ETR "
                    "(csvirt,config = \"etr\" says so)");
    }
}

static void read_params(struct parse *p, struct comp *c)
{
    const struct dt_tree *t = p->t;
    int off;

    fdt_for_each_property_offset(off, t->fdt, t->items[c->item].off) {
        const char *name;
        int len;
        const void *val = fdt_getprop_by_offset(t->fdt, off, &name, &len);

        if (val != NULL && g_str_has_prefix(name, "csvirt,")) {
            if (c->node.kind != TRACE_TMC_ETR ||
                strcmp(name, "csvirt,config") != 0) {
                read_knob(p, c, name, val, len);
            }
        }
    }
    if (c->node.kind == TRACE_TMC_ETR) {
        read_config(p, c);
    }
}

static void read_modelled(struct parse *p, struct comp *c,
                          const struct modelled *m)
{
    c->node.kind = m->kind;
    if (m->instead != NULL) {
        graph_warn(p->g, c->node.path, "compatible", "\"%s\" is obsolete, "
                   "today's name is \"%s\"", m->compatible, m->instead);
    }
    if (m->primecell) {
        if (!dt_has_string(p->t, c->item, "compatible", "arm,primecell")) {
            graph_error(p->g, c->node.path, "compatible", "has \"%s\" but not "
                        "\"arm,primecell\": a kernel makes no AMBA device of "
                        "it", m->compatible);
        }
        read_reg(p, c);
        read_clocks(p, c);
    } else if (dt_prop(p->t, c->item, "reg", NULL) != NULL) {
        graph_error(p->g, c->node.path, "reg", "is there, but a %s has no "
                    "registers", trace_kind_text(m->kind));
    }
    if (m->kind == TRACE_ETM4) {
        read_cpu(p, c);
    }
    read_params(p, c);
}

static void drop(struct parse *p, struct comp *c, const char *what)
{
    c->state = COMP_DROPPED;
    graph_msg(p->g, !p->limits->strict, c->node.path, NULL, "%s: there is no "
              "model of it, %s", what, p->limits->strict ?
              "refused because of strict" :
              "the node is left out of the guest's tree");
}

/* is @item a component of its own? then *@c says which */
static bool read_component(struct parse *p, int item, struct comp *c)
{
    const struct dt_tree *t = p->t;
    const struct modelled *m;
    const char *what = NULL;

    if (p->machine_paths != NULL &&
        g_hash_table_contains(p->machine_paths, t->items[item].path)) {
        return false;
    }
    m = find_modelled(t, item);
    if (m == NULL) {
        what = find_unmodelled(p, item, &c->helper);
    }
    if (m == NULL && what == NULL) {
        return false;
    }
    c->item = item;
    c->index = TRACE_NO_NODE;
    c->node.cpu = -1;
    c->node.path = g_strdup(t->items[item].path);
    c->node.name = g_strdup(t->items[item].name);
    if (!dt_available(t, item)) {
        c->state = COMP_DISABLED;
    } else if (m != NULL) {
        read_modelled(p, c, m);
    } else {
        drop(p, c, what);
    }
    return true;
}

void parse_components(struct parse *p)
{
    int room = 0;

    p->cpus = dt_cpus(p->t, &p->n_cpus);
    for (int i = 1; i < p->t->n; i++) {
        struct comp c = { 0 };

        if (!read_component(p, i, &c)) {
            continue;
        }
        if (p->n_comps == room) {
            room = room ? room * 2 : 64;
            p->comps = g_renew(struct comp, p->comps, (gsize)room);
        }
        p->comps[p->n_comps++] = c;
    }
}
