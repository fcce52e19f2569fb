/*
 * Faults of ports and connections, one a case, and the exact words about each.
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

static void no_endpoint(struct tree *t)
{
    tree_cell(t, "/etm@c110000/out-ports/port/endpoint", "remote-endpoint",
              3);
}

static void no_remote(struct tree *t)
{
    tree_unset(t, "/etm@c110000/out-ports/port/endpoint", "remote-endpoint");
}

static void not_back(struct tree *t)
{
    tree_cell(t, "/etm@c110000/out-ports/port/endpoint", "remote-endpoint",
              0x20);
}

static void two_outputs_joined(struct tree *t)
{
    tree_cell(t, "/etm@c100000/out-ports/port/endpoint", "remote-endpoint",
              0x11);
    tree_cell(t, "/etm@c110000/out-ports/port/endpoint", "remote-endpoint",
              0x10);
    tree_cut(t, FUNNEL "/in-ports/port@0");
    tree_cut(t, FUNNEL "/in-ports/port@1");
}

static void loop(struct tree *t)
{
    /* the replicator's second output comes back to the funnel */
    tree_cut(t, "/etr@c410000");
    tree_endpoint(t, FUNNEL "/in-ports", 2, 0x41, 0x32);
}

static void self_loop(struct tree *t)
{
    tree_endpoint(t, FUNNEL "/in-ports", 2, 0x22, 0x30);
    tree_cell(t, FUNNEL "/out-ports/port/endpoint", "phandle", 0x51);
    tree_cell(t, FUNNEL "/out-ports/port/endpoint", "remote-endpoint", 0x22);
    tree_cell(t, FUNNEL "/in-ports/port@2/endpoint", "remote-endpoint", 0x51);
    tree_cut(t, REP "/in-ports/port");
}

static void same_output(struct tree *t)
{
    tree_cell(t, REP "/out-ports/port@1", "reg", 0);
}

static void same_input(struct tree *t)
{
    tree_cell(t, FUNNEL "/in-ports/port@1", "reg", 0);
}

static void second_endpoint(struct tree *t)
{
    tree_block(t, "etr@c420000", "arm,coresight-tmc", 0xc420000);
    tree_endpoint(t, "/etr@c420000/in-ports", 0, 0x60, 0x61);
    tree_add(t, "/etm@c110000/out-ports/port", "endpoint@1");
    tree_cell(t, "/etm@c110000/out-ports/port/endpoint@1", "phandle", 0x61);
    tree_cell(t, "/etm@c110000/out-ports/port/endpoint@1", "remote-endpoint",
              0x60);
}

static void funnel_port_8(struct tree *t)
{
    tree_cell(t, FUNNEL "/in-ports/port@1", "reg", 8);
}

static void replicator_port_2(struct tree *t)
{
    tree_cell(t, REP "/out-ports/port@1", "reg", 2);
}

static void port_reg(struct tree *t)
{
    tree_cells(t, FUNNEL "/in-ports/port@1", "reg", 2, 0, 1);
}

static void no_output(struct tree *t)
{
    tree_cut(t, "/etm@c110000/out-ports");
    tree_cut(t, FUNNEL "/in-ports/port@1");
}

static void funnel_no_output(struct tree *t)
{
    tree_cut(t, FUNNEL "/out-ports");
    tree_cut(t, REP "/in-ports");
}

static void source_input(struct tree *t)
{
    tree_cut(t, "/etr@c410000");
    tree_endpoint(t, "/etm@c110000/in-ports", 0, 0x41, 0x32);
}

static void second_output(struct tree *t)
{
    tree_cut(t, "/etr@c410000");
    tree_cut(t, REP "/out-ports/port@1");
    tree_block(t, "etr@c420000", "arm,coresight-tmc", 0xc420000);
    tree_endpoint(t, "/etr@c420000/in-ports", 0, 0x60, 0x61);
    tree_endpoint(t, "/etm@c110000/out-ports", 1, 0x61, 0x60);
}

static void sink_output(struct tree *t)
{
    tree_block(t, "etr@c420000", "arm,coresight-tmc", 0xc420000);
    tree_endpoint(t, "/etr@c420000/in-ports", 0, 0x60, 0x61);
    tree_endpoint(t, "/etr@c410000/out-ports", 0, 0x61, 0x60);
}

static void filter_source(struct tree *t)
{
    tree_cell(t, REP "/out-ports/port@0/endpoint", "filter-source", 1);
}

static const struct tree_case cases[] = {
    { "dangling", dangling,
      "E t: /etm@c110000/out-ports/port/endpoint: remote-endpoint dangles: "
      "no node has the phandle 0x99, expected that of an endpoint" },
    { "no endpoint", no_endpoint,
      "E t: /etm@c110000/out-ports/port/endpoint: remote-endpoint dangles: "
      "it points to /clk24, which is no endpoint of a trace component" },
    { "no remote", no_remote,
      "E t: /etm@c110000/out-ports/port/endpoint: remote-endpoint is "
      "missing or not one cell, expected the phandle of an endpoint" },
    { "not back", not_back,
      "E t: /etm@c110000/out-ports/port/endpoint: remote-endpoint points "
      "to /funnel@c200000/in-ports/port@0/endpoint, which points back to "
      "/etm@c100000/out-ports/port/endpoint\n"
      "E t: /funnel@c200000/in-ports/port@1/endpoint: remote-endpoint "
      "points to /etm@c110000/out-ports/port/endpoint, which points back "
      "to /funnel@c200000/in-ports/port@0/endpoint" },
    { "two outputs joined", two_outputs_joined,
      "E t: /etm@c100000/out-ports/port/endpoint: remote-endpoint joins "
      "this output to /etm@c110000/out-ports/port/endpoint, also an "
      "output\n"
      "E t: /etm@c110000/out-ports/port/endpoint: remote-endpoint joins "
      "this output to /etm@c100000/out-ports/port/endpoint, also an output" },
    { "loop", loop,
      "E t: /replicator@c300000: is in a loop: /replicator@c300000 -> "
      "/funnel@c200000 -> /replicator@c300000" },
    { "self loop", self_loop,
      "E t: /funnel@c200000: is in a loop: /funnel@c200000 -> "
      "/funnel@c200000" },
    { "same output", same_output,
      "E t: /replicator@c300000/out-ports/port@1/endpoint: is a second "
      "output with port number 0, the first is "
      "/replicator@c300000/out-ports/port@0/endpoint" },
    { "same input", same_input,
      "E t: /funnel@c200000/in-ports/port@1/endpoint: is a second input "
      "with port number 0, the first is "
      "/funnel@c200000/in-ports/port@0/endpoint" },
    { "second endpoint", second_endpoint,
      "E t: /etm@c110000/out-ports/port/endpoint: is a second output with "
      "port number 0, the first is /etm@c110000/out-ports/port/endpoint@1" },
    { "funnel port 8", funnel_port_8,
      "E t: /funnel@c200000/in-ports/port@1: reg is 8, but the inputs of a "
      "funnel have numbers 0 to 7" },
    { "replicator port 2", replicator_port_2,
      "E t: /replicator@c300000/out-ports/port@1: reg is 2, but the "
      "outputs of a replicator have numbers 0 to 1" },
    { "port reg", port_reg,
      "E t: /funnel@c200000/in-ports/port@1: reg is not one cell, expected "
      "the port's number\n"
      "E t: /etm@c110000/out-ports/port/endpoint: remote-endpoint dangles: "
      "it points to /funnel@c200000/in-ports/port@1/endpoint, which is no "
      "endpoint of a trace component" },
    { "no output", no_output,
      "E t: /etm@c110000: out-ports has no endpoint, expected the way that "
      "this ETM's trace takes" },
    { "funnel no output", funnel_no_output,
      "W t: /funnel@c200000: out-ports has no endpoint: what reaches this "
      "funnel is lost\n"
      "W t: /etm@c100000: reaches no sink: a session on its CPU cannot "
      "start\n"
      "W t: /etm@c110000: reaches no sink: a session on its CPU cannot "
      "start" },
    { "source input", source_input,
      "E t: /etm@c110000/in-ports/port@0: is an input, but an ETMv4 is a "
      "source and has none\n"
      "E t: /funnel@c200000: is in a loop: /funnel@c200000 -> "
      "/replicator@c300000 -> /etm@c110000 -> /funnel@c200000" },
    { "second output", second_output,
      "E t: /etm@c110000/out-ports/port: is a second output, expected one "
      "on a block of this kind (ETMv4)" },
    { "sink output", sink_output,
      "E t: /etr@c410000/out-ports/port@0: is an output: a TMC configured "
      "as ETF, which is not modelled; expected an ETR, a sink without "
      "outputs" },
    { "filter source", filter_source,
      "E t: /replicator@c300000/out-ports/port@0/endpoint: filter-source "
      "is not modelled, expected an endpoint for every source" },
};

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    tree_cases(cases, G_N_ELEMENTS(cases));
    return tap_done();
}
