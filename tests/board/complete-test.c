/*
 * A complete tree of another machine: its trace nodes in our tree.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <libfdt.h>
#include <string.h>

#include "../tap/tap.h"
#include "tree.h"

static void *apply(const struct tree *t, const struct tree *base)
{
    struct trace_graph *g = tree_parse(t, 4, false);
    char *error = NULL, *talk = tree_talk(g);
    size_t size;
    void *out = trace_graph_apply(g, base->blob, (size_t)tree_size(base),
                                  &size, &error);

    if (out == NULL) {
        tap_bail("%s; %s", error, talk);
    }
    is_u64(size, fdt_totalsize(out), "packed: its size");
    is_u64(fdt_check_full(out, size), 0, "a sound tree");
    g_free(talk);
    trace_graph_free(g);
    return out;
}

static bool has(const void *fdt, const char *path)
{
    return fdt_path_offset(fdt, path) >= 0;
}

static const void *prop(const void *fdt, const char *path, const char *name,
                        int *len)
{
    return fdt_getprop(fdt, fdt_path_offset(fdt, path), name, len);
}

/* every phandle of @fdt is given once */
static bool phandles_unique(const void *fdt)
{
    GHashTable *seen = g_hash_table_new(NULL, NULL);
    bool good = true;

    for (int off = 0; off >= 0; off = fdt_next_node(fdt, off, NULL)) {
        uint32_t ph = fdt_get_phandle(fdt, off);

        if (ph != 0 && !g_hash_table_add(seen, GUINT_TO_POINTER(ph))) {
            good = false;
        }
    }
    g_hash_table_destroy(seen);
    return good;
}

static void copied(void)
{
    struct tree t, base;
    void *out;

    tree_good(&t);
    /* what the csvirt machine does not have */
    tree_cell(&t, "/etr@c400000", "iommus", 3);
    tree_strings(&t, "/etr@c400000", "arm,scatter-gather", "", 0);
    tree_cells(&t, "/etr@c400000", "clocks", 2, 3, 3);
    tree_strings(&t, "/etr@c400000", "clock-names", "apb_pclk\0atclk",
                 15);
    tree_base(&base, 4, true);
    /* a phandle of the other tree that is taken in ours */
    tree_cell(&base, "/pl011@9000000", "phandle", 0x22);
    out = apply(&t, &base);
    ok(has(out, "/etm@c110000/out-ports/port/endpoint"), "nodes and ports");
    ok(!has(out, "/clk24"), "nothing that is no trace component");
    is_u64(tree_get(out, "/etm@c110000", "cpu"), 2, "CPU by number");
    is_u64(tree_get(out, "/etr@c400000", "clocks"), 0x8000, "our clock");
    ok(prop(out, "/etr@c400000", "iommus", NULL) == NULL,
       "a reference to another machine's part is left out");
    ok(prop(out, "/etr@c400000", "arm,scatter-gather", NULL) != NULL,
       "a binding's own property is kept");
    ok(phandles_unique(out), "every phandle once");
    is_u64(tree_get(out, "/etm@c100000/out-ports/port/endpoint",
                    "remote-endpoint"),
           tree_get(out, "/funnel@c200000/in-ports/port@0/endpoint",
                    "phandle"), "endpoints meet");
    g_free(out);
    tree_free(&t);
    tree_free(&base);
}

static void behind_a_bus(void)
{
    struct tree t, base;
    const uint32_t *reg;
    struct trace_graph *g;
    int len;
    void *out;

    tree_good(&t);
    tree_add(&t, "/", "soc");
    tree_cell(&t, "/soc", "#address-cells", 1);
    tree_cell(&t, "/soc", "#size-cells", 1);
    tree_cells(&t, "/soc", "ranges", 4, 0, 0, 0xc000000, 0x2000000);
    tree_add(&t, "/soc", "etr@500000");
    tree_strings(&t, "/soc/etr@500000", "compatible",
                 "arm,coresight-tmc\0arm,primecell",
                 32);
    tree_cells(&t, "/soc/etr@500000", "reg", 2, 0x500000, 0x1000);
    tree_cell(&t, "/soc/etr@500000", "clocks", 3);
    tree_string(&t, "/soc/etr@500000", "clock-names", "apb_pclk");
    tree_cut(&t, "/etr@c410000");
    tree_endpoint(&t, "/soc/etr@500000/in-ports", 0, 0x41, 0x32);
    g = tree_parse(&t, 2, false);
    is_u64(g->nodes[trace_graph_find(g, "/soc/etr@500000")].base, 0xc500000,
           "the bus's ranges count");
    trace_graph_free(g);
    tree_base(&base, 2, true);
    out = apply(&t, &base);
    reg = prop(out, "/etr@c500000", "reg", &len);
    ok(reg != NULL && len == 16 && fdt32_ld(&reg[1]) == 0xc500000 &&
       fdt32_ld(&reg[3]) == 0x1000, "below our root, by its real address");
    tree_unset(&t, "/soc", "ranges");
    g = tree_parse(&t, 2, false);
    is_str(g->msgs[0].text, "/soc has no ranges: its addresses are not the "
           "machine's", "a bus without ranges");
    trace_graph_free(g);
    g_free(out);
    tree_free(&t);
    tree_free(&base);
}

static void disabled_and_dropped(void)
{
    struct tree t, base;
    void *out;

    tree_good(&t);
    tree_string(&t, "/etr@c410000", "status", "disabled");
    tree_block(&t, "stm@c600000", "arm,coresight-stm", 0xc600000);
    tree_endpoint(&t, "/stm@c600000/out-ports", 0, 0x60, 0x61);
    tree_endpoint(&t, "/funnel@c200000/in-ports", 7, 0x61, 0x60);
    tree_base(&base, 2, true);
    out = apply(&t, &base);
    ok(!has(out, "/etr@c410000"), "what is disabled is not copied");
    ok(!has(out, "/replicator@c300000/out-ports/port@1"), "nor its port");
    ok(!has(out, "/stm@c600000"), "nor what has no model");
    ok(!has(out, "/funnel@c200000/in-ports/port@7"), "nor its port");
    ok(has(out, "/funnel@c200000/in-ports/port@1"), "the rest is");
    g_free(out);
    tree_free(&t);
    tree_free(&base);
}

static void fewer_cpus(void)
{
    struct tree t, base;
    struct trace_graph *g;
    char *error;
    size_t size;

    tree_good(&t);
    tree_base(&base, 1, true);
    g = tree_parse(&t, 2, false);
    ok(trace_graph_apply(g, base.blob, (size_t)tree_size(&base), &size,
                         &error) == NULL, "fewer CPUs than it needs");
    is_str(error, "the topology needs 2 CPUs, the machine has 1",
           "and says so");
    g_free(error);
    trace_graph_free(g);
    tree_free(&t);
    tree_free(&base);
}

/* two buses, and a block of one name on each */
static void same_names(void)
{
    struct tree t, base;
    struct trace_graph *g;
    void *out;

    tree_good(&t);
    tree_add(&t, "/", "bus");
    tree_strings(&t, "/bus", "ranges", "", 0);
    tree_cell(&t, "/bus", "#address-cells", 2);
    tree_cell(&t, "/bus", "#size-cells", 2);
    for (int i = 0; i < 2; i++) {
        const char *parent = i ? "/bus" : "/";
        const char *path = i ? "/bus/mix" : "/mix";
        char *in = g_strconcat(path, "/in-ports", NULL);
        char *outs = g_strconcat(path, "/out-ports", NULL);
        const char *etr = i ? "/etr@c410000/in-ports/port/endpoint" :
                        "/etr@c400000/in-ports/port/endpoint";
        const char *rep = i ? "/replicator@c300000/out-ports/port@1/endpoint" :
                        "/replicator@c300000/out-ports/port@0/endpoint";
        uint32_t n = (uint32_t)i;

        tree_add(&t, parent, "mix");
        tree_string(&t, path, "compatible", "arm,coresight-static-funnel");
        tree_endpoint(&t, in, 0, 0x70 + n, 0x31 + n);
        tree_endpoint(&t, outs, 0, 0x80 + n, 0x40 + n);
        tree_cell(&t, rep, "remote-endpoint", 0x70 + n);
        tree_cell(&t, etr, "remote-endpoint", 0x80 + n);
        g_free(in);
        g_free(outs);
    }
    g = tree_parse(&t, 2, false);
    is_u64(g->n_msgs, 0, "one name on two buses");
    ok(trace_graph_find(g, "mix") >= 0 && trace_graph_find(g, "mix-1") >= 0,
       "becomes two names");
    trace_graph_free(g);
    tree_base(&base, 2, true);
    out = apply(&t, &base);
    ok(has(out, "/mix") && has(out, "/mix-1"), "in the guest's tree too");
    g_free(out);
    tree_free(&t);
    tree_free(&base);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    copied();
    behind_a_bus();
    disabled_and_dropped();
    fewer_cpus();
    same_names();
    return tap_done();
}
