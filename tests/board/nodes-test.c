/*
 * Faults of single nodes, one a case, and the exact words about each; then
 * three in one run.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "../tap/tap.h"
#include "tree.h"

#define FUNNEL "/funnel@c200000"
#define REP "/replicator@c300000"

static void dangling(struct tree *t)
{
    tree_cell(t, "/etm@c110000/out-ports/port/endpoint", "remote-endpoint",
              0x99);
}

static void same_address(struct tree *t)
{
    tree_cells(t, "/etr@c410000", "reg", 4, 0, 0xc400000, 0, 0x1000);
}

static void outside(struct tree *t)
{
    tree_cells(t, "/etr@c410000", "reg", 4, 0, 0xe000000, 0, 0x1000);
}

static void below(struct tree *t)
{
    tree_cells(t, "/etr@c410000", "reg", 4, 0, 0xbfff000, 0, 0x1000);
}

static void unaligned(struct tree *t)
{
    tree_cells(t, "/etr@c410000", "reg", 4, 0, 0xc410800, 0, 0x1000);
}

static void wrong_size(struct tree *t)
{
    tree_cells(t, "/etr@c410000", "reg", 4, 0, 0xc410000, 0, 0x10000);
}

static void no_reg(struct tree *t)
{
    tree_unset(t, "/etr@c410000", "reg");
}

static void odd_reg(struct tree *t)
{
    tree_cells(t, "/etr@c410000", "reg", 3, 0, 0xc410000, 0x1000);
}

static void no_cpu(struct tree *t)
{
    tree_unset(t, "/etm@c110000", "cpu");
}

static void wrong_cpu(struct tree *t)
{
    tree_cell(t, "/etm@c110000", "cpu", 3);
}

static void unknown_cpu(struct tree *t)
{
    tree_cell(t, "/etm@c110000", "cpu", 0x77);
}

static void same_cpu(struct tree *t)
{
    tree_cell(t, "/etm@c110000", "cpu", 1);
}

static void no_clock(struct tree *t)
{
    tree_unset(t, FUNNEL, "clocks");
}

static void clock_phandle(struct tree *t)
{
    tree_cell(t, FUNNEL, "clocks", 0x55);
}

static void clock_name(struct tree *t)
{
    tree_string(t, FUNNEL, "clock-names", "atclk");
}

static void no_primecell(struct tree *t)
{
    tree_string(t, FUNNEL, "compatible", "arm,coresight-dynamic-funnel");
}

static void static_reg(struct tree *t)
{
    tree_string(t, FUNNEL, "compatible", "arm,coresight-static-funnel");
}

static void unknown_knob(struct tree *t)
{
    tree_cell(t, "/etr@c400000", "csvirt,depth", 4);
}

static void funnel_knob(struct tree *t)
{
    tree_cell(t, FUNNEL, "csvirt,depth", 4);
}

static void knob_range(struct tree *t)
{
    tree_cell(t, "/etm@c100000", "csvirt,counters", 5);
}

static void knob_choice(struct tree *t)
{
    tree_cell(t, "/etm@c100000", "csvirt,ts-bits", 32);
}

static void knob_text(struct tree *t)
{
    tree_string(t, "/etm@c100000", "csvirt,counters", "many of them");
}

static void three_faults(struct tree *t)
{
    no_cpu(t);
    no_clock(t);
    dangling(t);
}

static const struct tree_case cases[] = {
    { "same address", same_address,
      "E t: /etr@c410000: reg 0xc400000-0xc400fff overlaps that of "
      "/etr@c400000, 0xc400000-0xc400fff" },
    { "outside", outside,
      "E t: /etr@c410000: reg 0xe000000-0xe000fff is outside the window "
      "for trace components, 0xc000000-0xdffffff" },
    { "below", below,
      "E t: /etr@c410000: reg 0xbfff000-0xbffffff is outside the window "
      "for trace components, 0xc000000-0xdffffff" },
    { "unaligned", unaligned,
      "E t: /etr@c410000: reg starts at 0xc410800, expected a multiple of "
      "4 KiB" },
    { "wrong size", wrong_size,
      "E t: /etr@c410000: reg has size 0x10000, expected 0x1000, the "
      "registers of one block" },
    { "no reg", no_reg,
      "E t: /etr@c410000: reg is missing, expected an address and a size" },
    { "odd reg", odd_reg,
      "E t: /etr@c410000: reg has 12 bytes, expected a multiple of 16 (2 "
      "address and 2 size cells)" },
    { "no cpu", no_cpu,
      "E t: /etm@c110000: cpu is missing or not one cell, expected the CPU "
      "that this ETM traces: <&cpu0>" },
    { "wrong cpu", wrong_cpu,
      "E t: /etm@c110000: cpu points to /clk24 (phandle 0x3), expected a "
      "node of /cpus" },
    { "unknown cpu", unknown_cpu,
      "E t: /etm@c110000: cpu points to no node (phandle 0x77), expected a "
      "node of /cpus" },
    { "same cpu", same_cpu,
      "E t: /etm@c110000: cpu is CPU 0, which /etm@c100000 traces already" },
    { "no clock", no_clock,
      "E t: /funnel@c200000: clocks is missing, expected <&apb_pclk>: a "
      "kernel never probes a primecell without its clock" },
    { "clock phandle", clock_phandle,
      "E t: /funnel@c200000: clocks points to phandle 0x55, which no node "
      "has, expected <&apb_pclk>" },
    { "clock name", clock_name,
      "E t: /funnel@c200000: clock-names does not have \"apb_pclk\": a "
      "kernel never probes a primecell without that clock" },
    { "no primecell", no_primecell,
      "E t: /funnel@c200000: compatible has "
      "\"arm,coresight-dynamic-funnel\" but not \"arm,primecell\": a "
      "kernel makes no AMBA device of it" },
    { "static reg", static_reg,
      "E t: /funnel@c200000: reg is there, but a static funnel has no "
      "registers" },
    { "unknown knob", unknown_knob,
      "E t: /etr@c400000: csvirt,depth is no TMC-ETR parameter; there are: "
      "csvirt,mem-width, csvirt,axi-width, csvirt,soc600, "
      "csvirt,rearm, csvirt,flush-latency-ns, csvirt,ready-latency-ns" },
    { "funnel knob", funnel_knob,
      "E t: /funnel@c200000: csvirt,depth is no funnel parameter; there "
      "are: none" },
    { "knob range", knob_range,
      "E t: /etm@c100000: csvirt,counters is 5, expected 0 to 4" },
    { "knob choice", knob_choice,
      "E t: /etm@c100000: csvirt,ts-bits is 32, expected 0, 48 or 64" },
    { "knob text", knob_text,
      "E t: /etm@c100000: csvirt,counters has 13 bytes, expected one number" },
    { "three faults", three_faults,
      "E t: /etm@c110000: cpu is missing or not one cell, expected the CPU "
      "that this ETM traces: <&cpu0>\n"
      "E t: /funnel@c200000: clocks is missing, expected <&apb_pclk>: a "
      "kernel never probes a primecell without its clock\n"
      "E t: /etm@c110000/out-ports/port/endpoint: remote-endpoint dangles: "
      "no node has the phandle 0x99, expected that of an endpoint" },
};

static void few_cpus(void)
{
    struct tree t;
    struct trace_graph *g;
    char *talk;

    tree_good(&t);
    g = tree_parse(&t, 1, false);
    talk = tree_talk(g);
    is_str(talk, "E t: /etm@c110000: cpu is CPU 1 (/cpus/cpu@1), but the "
           "machine has only 1", "a machine with fewer CPUs");
    g_free(talk);
    trace_graph_free(g);
    tree_free(&t);
}

static void too_big(void)
{
    struct tree t;
    struct trace_graph *g;
    char *label = g_strnfill(TRACE_TREE_MAX, 'x'), *talk;
    const struct trace_limits lim = {
        .window_base = TRACE_WINDOW_BASE, .window_size = TRACE_WINDOW_SIZE,
    };

    tree_good(&t);
    t.blob = g_realloc(t.blob, TREE_ROOM + TRACE_TREE_MAX);
    /* totalsize: the buffer has grown */
    t.blob[4] = 0, t.blob[5] = (char)((TREE_ROOM + TRACE_TREE_MAX) >> 16);
    tree_strings(&t, "/etr@c400000", "label", label, TRACE_TREE_MAX);
    g = trace_graph_parse("t", t.blob, (size_t)tree_size(&t), &lim);
    talk = tree_talk(g);
    ok(strncmp(talk, "E t makes a tree of 2", 21) == 0 &&
       strstr(talk, "bytes, an arm64 kernel takes at most 2097152") != NULL,
       "a tree over 2 MiB");
    tap_diag("%s", talk);
    g_free(talk);
    g_free(label);
    trace_graph_free(g);
    tree_free(&t);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    tree_cases(cases, G_N_ELEMENTS(cases));
    few_cpus();
    too_big();
    return tap_done();
}
