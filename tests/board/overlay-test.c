/*
 * Overlays: references that nobody defines, damaged fixups, and the tree that
 * the guest gets.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <libfdt.h>
#include <string.h>

#include "../tap/tap.h"
#include "tree.h"

#define IN "/fragment@0/__overlay__/"

static void talk_is(const struct tree *t, unsigned cpus, const char *want,
                    const char *what)
{
    struct trace_graph *g = tree_parse(t, cpus, false);
    char *talk = tree_talk(g);

    is_str(talk, want, "%s", what);
    g_free(talk);
    trace_graph_free(g);
}

static void labels(void)
{
    static const char typo[] = IN "etr@c410000/in-ports/port/endpoint:"
                               "remote-endpoint:0";
    struct tree t;

    tree_overlay(&t);
    talk_is(&t, 1, "E t: /etm@c110000: cpu <&cpu1> is defined neither in "
            "this file nor by the machine, which defines cpu0, gic and "
            "apb_pclk", "a CPU that the machine does not have");
    tree_strings(&t, "/__fixups__", "rep_oot1", typo, sizeof(typo));
    tree_cell(&t, IN "etr@c410000/in-ports/port/endpoint", "remote-endpoint",
              UINT32_MAX);
    tree_unset(&t, "/__local_fixups__" IN "etr@c410000/in-ports/port/"
               "endpoint", "remote-endpoint");
    talk_is(&t, 2, "E t: /etr@c410000/in-ports/port/endpoint: "
            "remote-endpoint <&rep_oot1> is defined neither in this file nor "
            "by the machine, which defines cpu0 to cpu1, gic and apb_pclk",
            "a misspelt endpoint");
    tree_free(&t);
}

static void damaged_fixups(void)
{
    static const struct {
        const char *list;
        int len;
    } bad[] = {
        { IN "etm@c100000:cpu:1", 0 }, { IN "etm@c100000:cpu:-2", 0 },
        { IN "etm@c100000:cpu:", 0 }, { IN "etm@c100000:cpu", 0 },
        { IN "etm@c100000:gpu:0", 0 }, { IN "etm@f00:cpu:0", 0 },
        { IN "etm@c100000:cpu:0x0", 0 },
        { IN "etm@c100000:cpu:99999999999999999999", 0 },
        { ":::", 0 }, { "", 0 },
    };
    struct sweep s;
    struct tree t;

    sweep_begin(&s, "fixups that name no cell are refused");
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        struct trace_graph *g;

        tree_overlay(&t);
        tree_string(&t, "/__fixups__", "cpu0", bad[i].list);
        g = tree_parse(&t, 2, false);
        sweep_case(&s, g->n_errors == 1 &&
                   strstr(g->msgs[0].text, "the overlay is damaged") != NULL,
                   "%s: %s", bad[i].list,
                   g->n_msgs ? g->msgs[0].text : "nothing said");
        trace_graph_free(g);
        tree_free(&t);
    }
    sweep_end(&s);
    tree_overlay(&t);
    tree_strings(&t, "/__fixups__", "cpu0", "abc", 3);
    talk_is(&t, 2, "E t: /__fixups__: cpu0 is not a list of strings: the "
            "overlay is damaged", "a fixup without an end");
    tree_free(&t);
}

static void damaged_local_fixups(void)
{
    struct tree t;

    tree_overlay(&t);
    tree_cell(&t, "/__local_fixups__" IN "etm@c100000/out-ports/port/"
              "endpoint", "remote-endpoint", 1);
    talk_is(&t, 2, "E t: /__local_fixups__" IN "etm@c100000/out-ports/port/"
            "endpoint: remote-endpoint does not name cells of this file: the "
            "overlay is damaged", "a local fixup past the property");
    tree_free(&t);
    tree_overlay(&t);
    tree_add(&t, "/__local_fixups__", "fragment@7");
    talk_is(&t, 2, "E t: /__local_fixups__/fragment@7: names no node of this "
            "file: the overlay is damaged", "a local fixup of no node");
    tree_free(&t);
    tree_overlay(&t);
    tree_string(&t, "/fragment@0", "target-path", "/soc");
    talk_is(&t, 2, "E t: /fragment@0: target-path is \"/soc\", which the "
            "machine does not have; trace nodes go to \"/\"",
            "a place that the machine does not have");
    tree_free(&t);
}

/* names of the nodes below the root, joined by blanks (g_free) */
static char *below_root(const void *fdt)
{
    GString *s = g_string_new(NULL);
    int off;

    fdt_for_each_subnode(off, fdt, 0) {
        g_string_append_printf(s, "%s%s", s->len ? " " : "",
                               fdt_get_name(fdt, off, NULL));
    }
    return g_string_free(s, FALSE);
}

static void *apply(const struct tree *t, const struct tree *base)
{
    struct trace_graph *g = tree_parse(t, 2, false);
    char *error = NULL, *before = g_malloc(TREE_ROOM);
    size_t size = 0;
    void *out;

    memcpy(before, base->blob, TREE_ROOM);
    out = trace_graph_apply(g, base->blob, (size_t)tree_size(base), &size,
                            &error);
    ok(out != NULL, "applied");
    is_str(error, NULL, "without a complaint");
    is_mem(base->blob, before, TREE_ROOM, "the base is as before");
    if (out == NULL) {
        tap_bail("%s", error);
    }
    is_u64(size, fdt_totalsize(out), "packed: its size");
    is_u64(fdt_check_full(out, size), 0, "a sound tree");
    g_free(before);
    trace_graph_free(g);
    return out;
}

static void applied(bool cpu_phandles)
{
    struct tree t, base;
    void *out;
    char *names;
    uint32_t cpu1;

    tree_overlay(&t);
    tree_base(&base, 4, cpu_phandles);
    out = apply(&t, &base);
    names = below_root(out);
    is_str(names, "cpus apb-pclk intc@8000000 pl011@9000000 chosen "
           "etm@c100000 etm@c110000 funnel@c200000 replicator@c300000 "
           "etr@c400000 etr@c410000", "the author's order, nothing else");
    cpu1 = tree_get(out, "/cpus/cpu@1", "phandle");
    is_u64(tree_get(out, "/etm@c110000", "cpu"), cpu1, "the CPU's phandle");
    is_u64(tree_get(out, "/etr@c400000", "clocks"), 0x8000,
           "the machine's clock");
    is_u64(tree_get(out, "/etm@c100000/out-ports/port/endpoint",
                    "remote-endpoint"),
           tree_get(out, "/funnel@c200000/in-ports/port@0/endpoint",
                    "phandle"), "endpoints still meet");
    g_free(names);
    g_free(out);
    tree_free(&t);
    tree_free(&base);
}

static void dropped(void)
{
    static const char tpiu[] = "arm,coresight-tpiu\0arm,primecell";
    struct tree t, base;
    void *out;

    tree_overlay(&t);
    tree_strings(&t, IN "etr@c410000", "compatible", tpiu, sizeof(tpiu));
    tree_base(&base, 2, true);
    out = apply(&t, &base);
    ok(fdt_path_offset(out, "/etr@c410000") == -FDT_ERR_NOTFOUND,
       "a node without a model is gone");
    ok(fdt_path_offset(out, "/replicator@c300000/out-ports/port@1") ==
       -FDT_ERR_NOTFOUND, "and the port that led to it");
    ok(fdt_path_offset(out, "/replicator@c300000/out-ports/port@0") > 0,
       "the other one is there");
    ok(fdt_path_offset(out, "/pl011@9000000") > 0,
       "the machine's own primecells stay");
    g_free(out);
    tree_free(&t);
    tree_free(&base);
}

static void refused(void)
{
    struct tree t, base;
    struct trace_graph *g;
    char *error = NULL;
    size_t size;

    tree_overlay(&t);
    tree_base(&base, 1, true);
    g = tree_parse(&t, 2, false);
    ok(trace_graph_apply(g, base.blob, (size_t)tree_size(&base), &size,
                         &error) == NULL, "fewer CPUs than it was loaded for");
    is_str(error, "/etm@c110000: cpu <&cpu1> is defined neither in this file "
           "nor by the machine, which defines cpu0, gic and apb_pclk",
           "and says so");
    g_free(error);
    ok(trace_graph_apply(g, "text", 4, &size, &error) == NULL,
       "a base that is no tree");
    is_str(error, "the machine's tree is text, expected a device tree blob "
           "(a source file must be named .dts or .dtso)", "and says so");
    g_free(error);
    trace_graph_free(g);
    tree_free(&t);
    tree_free(&base);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    labels();
    damaged_fixups();
    damaged_local_fixups();
    applied(true);
    applied(false);
    dropped();
    refused();
    return tap_done();
}
