/*
 * Fuzzes the parser of topologies.  The first byte of the input chooses: the
 * rest is a blob itself, or edits of a sound tree (complete, or an overlay),
 * which reach further than random bytes.  What parses is applied and drawn.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>
#include <libfdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../board/trace_graph.h"

#define ROOM 16384

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const compatible[] = {
    "arm,coresight-etm4x", "arm,coresight-dynamic-funnel",
    "arm,coresight-dynamic-replicator", "arm,coresight-tmc",
    "arm,coresight-static-funnel", "arm,coresight-static-replicator",
    "arm,coresight-catu", "arm,coresight-tpiu", "acme,thing",
};

static void port(void *f, const char *ports, uint32_t phandle,
                 uint32_t remote)
{
    fdt_begin_node(f, ports);
    fdt_begin_node(f, "port");
    fdt_begin_node(f, "endpoint");
    fdt_property_u32(f, "phandle", phandle);
    fdt_property_u32(f, "remote-endpoint", remote);
    fdt_end_node(f);
    fdt_end_node(f);
    fdt_end_node(f);
}

static void block(void *f, const char *name, int kind, uint32_t base)
{
    uint32_t reg[4] = { 0, cpu_to_fdt32(base), 0, cpu_to_fdt32(4096) };
    char both[80];
    int n = g_snprintf(both, sizeof(both), "%s", compatible[kind]) + 1;

    n += g_snprintf(both + n, sizeof(both) - (gsize)n, "arm,primecell") + 1;
    fdt_begin_node(f, name);
    fdt_property(f, "compatible", both, n);
    fdt_property(f, "reg", reg, sizeof(reg));
    fdt_property_u32(f, "clocks", 2);
    fdt_property_string(f, "clock-names", "apb_pclk");
    fdt_property_u32(f, "csvirt,counters", 2);
}

static void network(void *f)
{
    block(f, "etm@c100000", 0, 0xc100000);
    fdt_property_u32(f, "cpu", 1);
    port(f, "out-ports", 16, 17);
    fdt_end_node(f);
    block(f, "funnel@c200000", 1, 0xc200000);
    port(f, "in-ports", 17, 16);
    port(f, "out-ports", 18, 19);
    fdt_end_node(f);
    block(f, "replicator@c300000", 2, 0xc300000);
    port(f, "in-ports", 19, 18);
    port(f, "out-ports", 20, 21);
    fdt_end_node(f);
    block(f, "etr@c400000", 3, 0xc400000);
    port(f, "in-ports", 21, 20);
    fdt_end_node(f);
}

static void machine(void *f, uint32_t clock)
{
    fdt_begin_node(f, "cpus");
    fdt_property_u32(f, "#address-cells", 1);
    fdt_property_u32(f, "#size-cells", 0);
    fdt_begin_node(f, "cpu@0");
    fdt_property_string(f, "device_type", "cpu");
    fdt_property_u32(f, "phandle", 1);
    fdt_end_node(f);
    fdt_end_node(f);
    fdt_begin_node(f, "apb-pclk");
    fdt_property_u32(f, "phandle", clock);
    fdt_end_node(f);
}

static void overlay(void *f)
{
    fdt_begin_node(f, "fragment@0");
    fdt_property_string(f, "target-path", "/");
    fdt_begin_node(f, "__overlay__");
    fdt_property_u32(f, "#address-cells", 2);
    fdt_property_u32(f, "#size-cells", 2);
    network(f);
    fdt_end_node(f);
    fdt_end_node(f);
    fdt_begin_node(f, "__fixups__");
    fdt_property_string(f, "cpu0", "/fragment@0/__overlay__/etm@c100000:"
                        "cpu:0");
    fdt_property_string(f, "apb_pclk", "/fragment@0/__overlay__/"
                        "etr@c400000:clocks:0");
    fdt_end_node(f);
    fdt_begin_node(f, "__local_fixups__");
    fdt_begin_node(f, "fragment@0");
    fdt_begin_node(f, "__overlay__");
    fdt_begin_node(f, "etm@c100000");
    fdt_property_u32(f, "clocks", 0);
    fdt_end_node(f);
    fdt_end_node(f);
    fdt_end_node(f);
    fdt_end_node(f);
}

/* @what: 0 a complete tree, 1 an overlay, 2 the machine */
static char *build(int what)
{
    char *f = g_malloc0(ROOM);

    fdt_create(f, ROOM);
    fdt_finish_reservemap(f);
    fdt_begin_node(f, "");
    if (what == 1) {
        overlay(f);
    } else {
        fdt_property_u32(f, "#address-cells", 2);
        fdt_property_u32(f, "#size-cells", 2);
        machine(f, 2);
        if (what == 0) {
            network(f);
        }
    }
    fdt_end_node(f);
    if (fdt_finish(f) != 0 || fdt_open_into(f, f, ROOM) != 0) {
        abort();
    }
    return f;
}

/* the @n-th node, round and round */
static int nth_node(const char *f, unsigned n)
{
    int off = 0, count = 0;

    for (int o = 0; o >= 0; o = fdt_next_node(f, o, NULL)) {
        count++;
    }
    for (n %= (unsigned)count; n > 0; n--) {
        off = fdt_next_node(f, off, NULL);
    }
    return off;
}

static const char *nth_prop(const char *f, int node, unsigned n)
{
    static const char *const more[] = {
        "reg", "remote-endpoint", "phandle", "cpu", "status", "ranges",
        "csvirt,config", "csvirt,ts-bits", "slave-mode", "compatible",
    };
    const char *name = NULL;
    int off;

    if (n % 2) {
        return more[n / 2 % G_N_ELEMENTS(more)];
    }
    n /= 2;
    fdt_for_each_property_offset(off, f, node) {
        fdt_getprop_by_offset(f, off, &name, NULL);
        if (n-- == 0) {
            break;
        }
    }
    return name ? name : "reg";
}

/* one edit of four bytes: what, node, property, value */
static void edit(char *f, const uint8_t *e)
{
    int node = nth_node(f, e[1]);
    char *prop = g_strdup(nth_prop(f, node, e[2]));
    char name[24];

    switch (e[0] % 8) {
    case 0:
        fdt_setprop_u32(f, node, prop, e[3]);
        break;
    case 1:
        fdt_setprop_u32(f, node, prop, 0xffffffff - e[3]);
        break;
    case 2:
        fdt_delprop(f, node, prop);
        break;
    case 3:
        if (node != 0) {
            fdt_del_node(f, node);
        }
        break;
    case 4:
        fdt_setprop_string(f, node, "compatible",
                           compatible[e[3] % G_N_ELEMENTS(compatible)]);
        break;
    case 5:
        g_snprintf(name, sizeof(name), "port@%u", e[3]);
        fdt_add_subnode(f, node, e[3] % 2 ? name : "endpoint");
        break;
    case 6:
        fdt_setprop(f, node, prop, e, e[3] % 4);
        break;
    default:
        f[fdt_off_dt_struct(f) + (e[1] * 256u + e[2]) %
          fdt_size_dt_struct(f)] = (char)e[3];
        break;
    }
    g_free(prop);
}

static void use(const char *blob, size_t size)
{
    static const struct trace_limits lim = {
        .cpus = 1, .window_base = TRACE_WINDOW_BASE,
        .window_size = TRACE_WINDOW_SIZE,
    };
    static FILE *null;
    struct trace_graph *g = trace_graph_parse("t", blob, size, &lim);
    char *base = build(2), *error = NULL;
    size_t out_size;
    void *out = trace_graph_apply(g, base, ROOM, &out_size, &error);

    if ((out == NULL) == (error == NULL) ||
        (out != NULL && fdt_check_full(out, out_size) != 0)) {
        abort();
    }
    if (null == NULL) {
        null = fopen("/dev/null", "w");
    }
    trace_graph_print(g, null);
    g_free(out);
    g_free(error);
    g_free(base);
    trace_graph_free(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *f;

    if (size == 0) {
        return 0;
    }
    if (data[0] % 4 == 0) {
        use((const char *)data + 1, size - 1);
        return 0;
    }
    f = build(data[0] % 2);
    /* an edit may spoil the structure: libfdt's writers want a sound tree */
    for (size_t i = 1; i + 4 <= size && i < 64 &&
         fdt_check_full(f, ROOM) == 0; i += 4) {
        edit(f, data + i);
    }
    use(f, ROOM);
    g_free(f);
    return 0;
}
