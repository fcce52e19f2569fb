/*
 * Trees for the board tests.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tree.h"

#include <libfdt.h>
#include <string.h>

#include "../tap/tap.h"

static void must(int r, const char *what, const char *path)
{
    if (r < 0) {
        tap_bail("%s %s: %s", what, path, fdt_strerror(r));
    }
}

static int node(const struct tree *t, const char *path)
{
    int off = fdt_path_offset(t->blob, path);

    must(off, "no node", path);
    return off;
}

/* ---- sequential writing ---- */

static void begin(struct tree *t)
{
    t->blob = g_malloc0(TREE_ROOM);
    must(fdt_create(t->blob, TREE_ROOM), "create", "");
    fdt_finish_reservemap(t->blob);
    fdt_begin_node(t->blob, "");
}

static void finish(struct tree *t)
{
    fdt_end_node(t->blob);
    must(fdt_finish(t->blob), "finish", "");
    must(fdt_open_into(t->blob, t->blob, TREE_ROOM), "open", "");
}

static void put_cells(struct tree *t, unsigned ac, unsigned sc)
{
    fdt_property_u32(t->blob, "#address-cells", ac);
    fdt_property_u32(t->blob, "#size-cells", sc);
}

static void put_block(struct tree *t, const char *name, const char *compat,
                      uint32_t base)
{
    uint32_t reg[4] = { 0, cpu_to_fdt32(base), 0, cpu_to_fdt32(0x1000) };
    char both[128];
    int n = g_snprintf(both, sizeof(both), "%s", compat) + 1;

    n += g_snprintf(both + n, sizeof(both) - (gsize)n, "arm,primecell") + 1;
    fdt_begin_node(t->blob, name);
    fdt_property(t->blob, "compatible", both, n);
    fdt_property(t->blob, "reg", reg, sizeof(reg));
    fdt_property_u32(t->blob, "clocks", 3);
    fdt_property_string(t->blob, "clock-names", "apb_pclk");
}

/* @number < 0: a port without number */
static void put_port(struct tree *t, int number, uint32_t phandle,
                     uint32_t remote)
{
    char name[24];

    g_snprintf(name, sizeof(name), number < 0 ? "port" : "port@%d", number);
    fdt_begin_node(t->blob, name);
    if (number >= 0) {
        fdt_property_u32(t->blob, "reg", (uint32_t)number);
    }
    fdt_begin_node(t->blob, "endpoint");
    fdt_property_u32(t->blob, "phandle", phandle);
    fdt_property_u32(t->blob, "remote-endpoint", remote);
    fdt_end_node(t->blob);
    fdt_end_node(t->blob);
}

static void put_ports(struct tree *t, const char *name, int n,
                      uint32_t phandle, uint32_t remote)
{
    fdt_begin_node(t->blob, name);
    if (n > 1) {
        put_cells(t, 1, 0);
    }
    for (int i = 0; i < n; i++) {
        put_port(t, n > 1 ? i : -1, phandle + (uint32_t)i,
                 remote + (uint32_t)i);
    }
    fdt_end_node(t->blob);
}

static void put_etm(struct tree *t, const char *name, uint32_t base,
                    uint32_t cpu, uint32_t phandle, uint32_t remote)
{
    put_block(t, name, "arm,coresight-etm4x", base);
    fdt_property_u32(t->blob, "cpu", cpu);
    put_ports(t, "out-ports", 1, phandle, remote);
    fdt_end_node(t->blob);
}

static void put_network(struct tree *t, bool overlay)
{
    uint32_t cpu = overlay ? UINT32_MAX : 1;

    put_etm(t, "etm@c100000", 0xc100000, cpu, 0x10, 0x20);
    put_etm(t, "etm@c110000", 0xc110000, overlay ? cpu : 2, 0x11, 0x21);
    put_block(t, "funnel@c200000", "arm,coresight-dynamic-funnel", 0xc200000);
    put_ports(t, "in-ports", 2, 0x20, 0x10);
    put_ports(t, "out-ports", 1, 0x22, 0x30);
    fdt_end_node(t->blob);
    put_block(t, "replicator@c300000", "arm,coresight-dynamic-replicator",
              0xc300000);
    put_ports(t, "in-ports", 1, 0x30, 0x22);
    put_ports(t, "out-ports", 2, 0x31, 0x40);
    fdt_end_node(t->blob);
    put_block(t, "etr@c400000", "arm,coresight-tmc", 0xc400000);
    put_ports(t, "in-ports", 1, 0x40, 0x31);
    fdt_end_node(t->blob);
    put_block(t, "etr@c410000", "arm,coresight-tmc", 0xc410000);
    put_ports(t, "in-ports", 1, 0x41, 0x32);
    fdt_end_node(t->blob);
}

static void put_cpus(struct tree *t, unsigned n, bool phandles)
{
    fdt_begin_node(t->blob, "cpus");
    put_cells(t, 1, 0);
    for (unsigned i = 0; i < n; i++) {
        char name[24];

        g_snprintf(name, sizeof(name), "cpu@%u", i);
        fdt_begin_node(t->blob, name);
        fdt_property_string(t->blob, "device_type", "cpu");
        fdt_property_u32(t->blob, "reg", i);
        if (phandles) {
            fdt_property_u32(t->blob, "phandle", i + 1);
        }
        fdt_end_node(t->blob);
    }
    fdt_end_node(t->blob);
}

static void put_clock(struct tree *t, const char *name, uint32_t phandle)
{
    fdt_begin_node(t->blob, name);
    fdt_property_string(t->blob, "compatible", "fixed-clock");
    fdt_property_u32(t->blob, "#clock-cells", 0);
    fdt_property_u32(t->blob, "phandle", phandle);
    fdt_end_node(t->blob);
}

void tree_good(struct tree *t)
{
    begin(t);
    put_cells(t, 2, 2);
    fdt_property_string(t->blob, "model", "good");
    put_cpus(t, 2, true);
    put_clock(t, "clk24", 3);
    put_network(t, false);
    finish(t);
}

void tree_base(struct tree *t, unsigned cpus, bool cpu_phandles)
{
    begin(t);
    put_cells(t, 2, 2);
    fdt_property_string(t->blob, "compatible", "linux,dummy-virt");
    put_cpus(t, cpus, cpu_phandles);
    put_clock(t, "apb-pclk", 0x8000);
    fdt_begin_node(t->blob, "intc@8000000");
    fdt_property_u32(t->blob, "phandle", 0x8005);
    fdt_end_node(t->blob);
    fdt_begin_node(t->blob, "pl011@9000000");
    fdt_property_string(t->blob, "compatible", "arm,primecell");
    fdt_end_node(t->blob);
    fdt_begin_node(t->blob, "chosen");
    fdt_end_node(t->blob);
    finish(t);
}

static const char *const blocks[] = {
    "etm@c100000", "etm@c110000", "funnel@c200000", "replicator@c300000",
    "etr@c400000", "etr@c410000",
};

/* "/fragment@0/__overlay__/BLOCK:PROP:0" of the first @n blocks from @from */
static void put_fixup(struct tree *t, const char *label, const char *prop,
                      size_t from, size_t n)
{
    GString *s = g_string_new(NULL);

    for (size_t i = from; i < from + n; i++) {
        g_string_append_printf(s, "/fragment@0/__overlay__/%s:%s:0",
                               blocks[i], prop);
        g_string_append_c(s, 0);
    }
    fdt_property(t->blob, label, s->str, (int)s->len);
    g_string_free(s, TRUE);
}

static void put_local(struct tree *t, const char *ports, int n)
{
    fdt_begin_node(t->blob, ports);
    for (int i = 0; i < n; i++) {
        char name[24];

        g_snprintf(name, sizeof(name), n > 1 ? "port@%d" : "port", i);
        fdt_begin_node(t->blob, name);
        fdt_begin_node(t->blob, "endpoint");
        fdt_property_u32(t->blob, "remote-endpoint", 0);
        fdt_end_node(t->blob);
        fdt_end_node(t->blob);
    }
    fdt_end_node(t->blob);
}

static void put_local_fixups(struct tree *t)
{
    static const int ins[] = { 0, 0, 2, 1, 1, 1 };
    static const int outs[] = { 1, 1, 1, 2, 0, 0 };

    fdt_begin_node(t->blob, "__local_fixups__");
    fdt_begin_node(t->blob, "fragment@0");
    fdt_begin_node(t->blob, "__overlay__");
    for (size_t i = 0; i < G_N_ELEMENTS(blocks); i++) {
        fdt_begin_node(t->blob, blocks[i]);
        if (ins[i]) {
            put_local(t, "in-ports", ins[i]);
        }
        if (outs[i]) {
            put_local(t, "out-ports", outs[i]);
        }
        fdt_end_node(t->blob);
    }
    fdt_end_node(t->blob);
    fdt_end_node(t->blob);
    fdt_end_node(t->blob);
}

void tree_overlay(struct tree *t)
{
    begin(t);
    fdt_begin_node(t->blob, "fragment@0");
    fdt_property_string(t->blob, "target-path", "/");
    fdt_begin_node(t->blob, "__overlay__");
    put_cells(t, 2, 2);
    put_network(t, true);
    fdt_end_node(t->blob);
    fdt_end_node(t->blob);
    fdt_begin_node(t->blob, "__fixups__");
    put_fixup(t, "cpu0", "cpu", 0, 1);
    put_fixup(t, "cpu1", "cpu", 1, 1);
    put_fixup(t, "apb_pclk", "clocks", 0, G_N_ELEMENTS(blocks));
    fdt_end_node(t->blob);
    put_local_fixups(t);
    finish(t);
}

void tree_free(struct tree *t)
{
    g_free(t->blob);
    t->blob = NULL;
}

/* ---- changes ---- */

void tree_cell(struct tree *t, const char *path, const char *prop,
               uint32_t v)
{
    must(fdt_setprop_u32(t->blob, node(t, path), prop, v), prop, path);
}

void tree_cells(struct tree *t, const char *path, const char *prop, int n,
                ...)
{
    uint32_t v[16];
    va_list ap;

    va_start(ap, n);
    for (int i = 0; i < n; i++) {
        v[i] = cpu_to_fdt32(va_arg(ap, uint32_t));
    }
    va_end(ap);
    must(fdt_setprop(t->blob, node(t, path), prop, v, 4 * n), prop, path);
}

void tree_string(struct tree *t, const char *path, const char *prop,
                 const char *s)
{
    must(fdt_setprop_string(t->blob, node(t, path), prop, s), prop, path);
}

void tree_strings(struct tree *t, const char *path, const char *prop,
                  const char *s, int len)
{
    must(fdt_setprop(t->blob, node(t, path), prop, s, len), prop, path);
}

void tree_unset(struct tree *t, const char *path, const char *prop)
{
    must(fdt_delprop(t->blob, node(t, path), prop), prop, path);
}

void tree_cut(struct tree *t, const char *path)
{
    must(fdt_del_node(t->blob, node(t, path)), "delete", path);
}

void tree_add(struct tree *t, const char *parent, const char *name)
{
    must(fdt_add_subnode(t->blob, node(t, parent), name), "add", name);
}

void tree_endpoint(struct tree *t, const char *ports, unsigned number,
                   uint32_t phandle, uint32_t remote)
{
    char *parent = g_path_get_dirname(ports);
    char *port = g_strdup_printf("%s/port@%u", ports, number);
    char *end = g_strconcat(port, "/endpoint", NULL);

    if (fdt_path_offset(t->blob, ports) < 0) {
        tree_add(t, parent, strrchr(ports, '/') + 1);
    }
    tree_add(t, ports, strrchr(port, '/') + 1);
    tree_cell(t, port, "reg", number);
    tree_add(t, port, "endpoint");
    tree_cell(t, end, "phandle", phandle);
    tree_cell(t, end, "remote-endpoint", remote);
    g_free(end);
    g_free(port);
    g_free(parent);
}

void tree_block(struct tree *t, const char *name, const char *compatible,
                uint32_t base)
{
    char *path = g_strconcat("/", name, NULL);
    GString *both = g_string_new(compatible);

    g_string_append_c(both, 0);
    g_string_append(both, "arm,primecell");
    tree_add(t, "/", name);
    tree_strings(t, path, "compatible", both->str, (int)both->len + 1);
    tree_cells(t, path, "reg", 4, 0, base, 0, 0x1000);
    tree_cell(t, path, "clocks", 3);
    tree_string(t, path, "clock-names", "apb_pclk");
    g_string_free(both, TRUE);
    g_free(path);
}

int tree_size(const struct tree *t)
{
    return (int)fdt_totalsize(t->blob);
}

struct trace_graph *tree_parse(const struct tree *t, unsigned cpus,
                               bool strict)
{
    const struct trace_limits limits = {
        .cpus = cpus, .window_base = TRACE_WINDOW_BASE,
        .window_size = TRACE_WINDOW_SIZE, .strict = strict,
    };

    return trace_graph_parse("t", t->blob, (size_t)tree_size(t), &limits);
}

char *tree_talk(const struct trace_graph *g)
{
    GString *s = g_string_new(NULL);

    for (size_t i = 0; i < g->n_msgs; i++) {
        char *text = trace_msg_text(g, &g->msgs[i]);

        g_string_append_printf(s, "%s%c %s", i ? "\n" : "",
                               g->msgs[i].warning ? 'W' : 'E', text);
        g_free(text);
    }
    return g_string_free(s, FALSE);
}

uint32_t tree_get(const void *fdt, const char *path, const char *prop)
{
    int len, off = fdt_path_offset(fdt, path);
    const void *p;

    must(off, "no node", path);
    p = fdt_getprop(fdt, off, prop, &len);
    if (p == NULL || len != 4) {
        tap_bail("%s: %s is no cell", path, prop);
    }
    return fdt32_ld(p);
}

void tree_cases(const struct tree_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct tree t;
        struct trace_graph *g;
        char *talk;

        tree_good(&t);
        cases[i].change(&t);
        g = tree_parse(&t, 2, false);
        talk = tree_talk(g);
        is_str(talk, cases[i].talk, "%s", cases[i].what);
        g_free(talk);
        trace_graph_free(g);
        tree_free(&t);
    }
}
