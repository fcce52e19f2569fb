/*
 * What there is no model of, what is switched off and what is old: the exact
 * words about each.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "../tap/tap.h"
#include "tree.h"

#define FUNNEL "/funnel@c200000"
#define REP "/replicator@c300000"

static void etf_config(struct tree *t)
{
    tree_string(t, "/etr@c410000", "csvirt,config", "etf");
}

static void odd_config(struct tree *t)
{
    tree_string(t, "/etr@c410000", "csvirt,config", "ring");
}

static void etb_name(struct tree *t)
{
    tree_cut(t, "/etr@c410000");
    tree_block(t, "etb@c410000", "arm,coresight-tmc", 0xc410000);
    tree_endpoint(t, "/etb@c410000/in-ports", 0, 0x41, 0x32);
}

static void obsolete(struct tree *t)
{
    static const char s[] = "arm,coresight-funnel\0arm,primecell";

    tree_strings(t, FUNNEL, "compatible", s, sizeof(s));
}

static void legacy(struct tree *t)
{
    tree_cut(t, "/etr@c410000/in-ports");
    tree_endpoint(t, "/etr@c410000/ports", 0, 0x41, 0x32);
    tree_strings(t, "/etr@c410000/ports/port@0/endpoint", "slave-mode", "",
                 0);
}

static void catu(struct tree *t)
{
    tree_block(t, "catu@c500000", "arm,coresight-catu", 0xc500000);
    tree_endpoint(t, "/catu@c500000/in-ports", 0, 0x60, 0x61);
    tree_endpoint(t, "/etr@c410000/out-ports", 0, 0x61, 0x60);
}

static void tpiu(struct tree *t)
{
    tree_cut(t, "/etr@c410000");
    tree_block(t, "tpiu@c410000", "arm,coresight-tpiu", 0xc410000);
    tree_endpoint(t, "/tpiu@c410000/in-ports", 0, 0x41, 0x32);
}

static void stranger(struct tree *t)
{
    tree_block(t, "tnt@c600000", "acme,trace-thing", 0xc600000);
    tree_endpoint(t, "/tnt@c600000/out-ports", 0, 0x60, 0x61);
    tree_endpoint(t, FUNNEL "/in-ports", 3, 0x61, 0x60);
}

static void cpu_behind_stranger(struct tree *t)
{
    tree_block(t, "tpda@c600000", "qcom,coresight-tpda", 0xc600000);
    tree_endpoint(t, "/tpda@c600000/in-ports", 0, 0x21, 0x11);
    tree_cut(t, FUNNEL "/in-ports/port@1");
}

static void disabled_sink(struct tree *t)
{
    tree_string(t, "/etr@c410000", "status", "disabled");
}

static void disabled_trunk(struct tree *t)
{
    tree_string(t, REP, "status", "disabled");
}

static void nothing_left(struct tree *t)
{
    tree_cut(t, "/etm@c100000");
    tree_cut(t, "/etm@c110000");
    tree_cut(t, FUNNEL);
    tree_cut(t, REP);
    tree_cut(t, "/etr@c400000");
    tree_cut(t, "/etr@c410000");
}

static const struct tree_case cases[] = {
    { "etf config", etf_config,
      "E t: /etr@c410000: csvirt,config is \"etf\", a TMC configuration "
      "that is not modelled; expected \"etr\"" },
    { "odd config", odd_config,
      "E t: /etr@c410000: csvirt,config is \"ring\", which is no TMC "
      "configuration; expected \"etr\"" },
    { "etb name", etb_name,
      "E t: /etb@c410000: by its name a TMC configured as ETF or ETB, "
      "which is not modelled; expected an ETR (csvirt,config = \"etr\" "
      "says so)" },
    { "obsolete", obsolete,
      "W t: /funnel@c200000: compatible \"arm,coresight-funnel\" is "
      "obsolete, today's name is \"arm,coresight-dynamic-funnel\"" },
    { "legacy", legacy,
      "W t: /etr@c410000: ports is the old binding, today's is in-ports "
      "and out-ports" },
    { "catu", catu,
      "W t: /catu@c500000: CATU: there is no model of it, the node is left "
      "out of the guest's tree" },
    { "tpiu", tpiu,
      "W t: /tpiu@c410000: TPIU: there is no model of it, the node is left "
      "out of the guest's tree" },
    { "stranger", stranger,
      "W t: /tnt@c600000: unknown trace component: there is no model of "
      "it, the node is left out of the guest's tree" },
    { "cpu behind stranger", cpu_behind_stranger,
      "W t: /tpda@c600000: TPDA: there is no model of it, the node is left "
      "out of the guest's tree\n"
      "W t: /etm@c110000: reaches no sink: a session on its CPU cannot "
      "start" },
    { "disabled sink", disabled_sink, "" },
    { "disabled trunk", disabled_trunk,
      "W t: /etm@c100000: reaches no sink: a session on its CPU cannot "
      "start\n"
      "W t: /etm@c110000: reaches no sink: a session on its CPU cannot "
      "start" },
    { "nothing left", nothing_left,
      "E t has no trace component that is modelled, expected ETMs, links "
      "and a TMC-ETR" },
};

static void strict_refuses(void)
{
    struct tree t;
    struct trace_graph *g;
    char *talk;

    tree_good(&t);
    tpiu(&t);
    g = tree_parse(&t, 2, true);
    talk = tree_talk(g);
    is_str(talk, "E t: /tpiu@c410000: TPIU: there is no model of it, "
           "refused because of strict", "strict");
    is_u64(g->n_errors, 1, "strict makes it an error");
    g_free(talk);
    trace_graph_free(g);
    tree_free(&t);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    tree_cases(cases, G_N_ELEMENTS(cases));
    strict_refuses();
    return tap_done();
}
