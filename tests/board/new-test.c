/*
 * Topologies made from numbers: each size gives a network in which every CPU
 * reaches the sinks that were asked for, at addresses that are its own.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../board/new_topology.h"
#include "../tap/tap.h"
#include "tree.h"

/* ---- plans --------------------------------------------------------------- */

/* number of the ETR of CPU @cpu's group */
static unsigned own_sink(const struct new_spec *s, unsigned cpu)
{
    unsigned g = 0;

    while (cpu >= s->size[g]) {
        cpu -= s->size[g++];
    }
    return g;
}

/* the depth of each ETR below @node, by number; -1: not reached */
static void walk(const struct new_plan *p, int node, int depth, int *depths)
{
    const struct new_node *n = &p->node[node];

    if (n->kind == TRACE_TMC_ETR) {
        if (depths[n->number] < 0 || depths[n->number] > depth) {
            depths[n->number] = depth;
        }
        return;
    }
    for (unsigned i = 0; i < n->n_out; i++) {
        walk(p, n->out[i].node, depth + 1, depths);
    }
}

static const char *etm_fault(const struct new_plan *p,
                             const struct new_spec *s, unsigned cpu)
{
    int depths[NEW_ETRS_MAX];
    unsigned own = own_sink(s, cpu), reached = 0;

    for (unsigned i = 0; i < NEW_ETRS_MAX; i++) {
        depths[i] = -1;
    }
    walk(p, (int)cpu, 0, depths);
    if (depths[own] < 0) {
        return "an ETM does not reach its group's sink";
    }
    for (unsigned i = 0; i < NEW_ETRS_MAX; i++) {
        reached += depths[i] >= 0 ? 1 : 0;
        if (depths[i] >= 0 && depths[i] < depths[own]) {
            return "another sink is nearer than the group's";
        }
    }
    return reached == s->reach ? NULL : "an ETM reaches a wrong number of "
                                        "sinks";
}

static const char *node_fault(const struct new_plan *p, int i)
{
    const struct new_node *n = &p->node[i];
    bool etm = n->kind == TRACE_ETM4, etr = n->kind == TRACE_TMC_ETR;
    uint64_t end = (uint64_t)new_node_base(n) + 0x1000;

    if (etm ? n->n_in != 0 : n->n_in < 1 || n->n_in > 8 ||
        (n->kind != TRACE_FUNNEL && n->n_in != 1)) {
        return "a block has a wrong number of inputs";
    }
    if (n->n_out != (etr ? 0 : n->kind == TRACE_REPLICATOR ? 2 : 1)) {
        return "a block has a wrong number of outputs";
    }
    for (unsigned k = 0; k < n->n_out; k++) {
        const struct new_node *to = &p->node[n->out[k].node];

        if (n->out[k].port >= to->n_in ||
            to->in[n->out[k].port].node != i ||
            to->in[n->out[k].port].port != k) {
            return "a connection's two ends do not agree";
        }
    }
    if (new_node_base(n) < TRACE_WINDOW_BASE ||
        end > TRACE_WINDOW_BASE + TRACE_WINDOW_SIZE) {
        return "a block is outside the window";
    }
    return NULL;
}

static const char *address_fault(const struct new_plan *p)
{
    static uint8_t taken[TRACE_WINDOW_SIZE / 0x1000];
    const char *fault = NULL;

    memset(taken, 0, sizeof(taken));
    for (int i = 0; i < p->n_node && fault == NULL; i++) {
        uint32_t page = (new_node_base(&p->node[i]) - TRACE_WINDOW_BASE) /
                        0x1000;

        fault = taken[page] ? "two blocks have one address" : NULL;
        taken[page] = 1;
    }
    return fault;
}

/* NULL, or what is wrong with the plan of @text */
static const char *plan_fault(const char *text)
{
    struct new_spec s;
    struct new_plan *p;
    const char *fault = NULL;
    char *error;

    if (!new_spec_parse(text, &s, &error)) {
        tap_diag("%s", error);
        g_free(error);
        return "is refused";
    }
    p = new_plan_make(&s);
    for (int i = 0; i < p->n_node && fault == NULL; i++) {
        fault = node_fault(p, i);
    }
    fault = fault != NULL ? fault : address_fault(p);
    for (unsigned i = 0; i < s.cpus && fault == NULL; i++) {
        fault = etm_fault(p, &s, i);
    }
    if (fault == NULL && (p->count[TRACE_ETM4] != s.cpus ||
                          p->count[TRACE_TMC_ETR] != s.etrs)) {
        fault = "wrong numbers of ETMs and ETRs";
    }
    new_plan_free(p);
    return fault;
}

static void plan_case(struct sweep *s, const char *fmt, ...)
    G_GNUC_PRINTF(2, 3);

static void plan_case(struct sweep *s, const char *fmt, ...)
{
    va_list ap;
    char *text;
    const char *fault;

    va_start(ap, fmt);
    text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    fault = plan_fault(text);
    sweep_case(s, fault == NULL, "%s: %s", text, fault);
    g_free(text);
}

static void test_plans(void)
{
    static const unsigned etrs[] = { 1, 3, 16, 64 };
    struct sweep s;

    sweep_begin(&s, "1 to 512 CPUs, 1 to 64 ETRs");
    for (unsigned cpus = 1; cpus <= NEW_CPUS_MAX; cpus++) {
        for (size_t i = 0; i < G_N_ELEMENTS(etrs) && etrs[i] <= cpus; i++) {
            plan_case(&s, "cpus=%u,etrs=%u,cluster=%u", cpus, etrs[i],
                      1 + cpus % 8);
        }
    }
    sweep_end(&s);
    sweep_begin(&s, "every number of sinks reached");
    for (unsigned m = 1; m <= NEW_ETRS_MAX; m++) {
        for (unsigned r = 1; r <= MIN(m, NEW_WAYS_MAX / m); r++) {
            plan_case(&s, "cpus=%u,etrs=%u,reach=%u", 2 * m, m, r);
        }
    }
    plan_case(&s, "cpus=512,etrs=64,reach=8,cluster=1");
    plan_case(&s, "cpus=512,etrs=22,reach=all,cluster=1");
    sweep_end(&s);
    sweep_begin(&s, "unequal groups");
    plan_case(&s, "groups=111+17");
    plan_case(&s, "groups=112+16,reach=all");
    plan_case(&s, "groups=1+511");
    plan_case(&s, "groups=500+1+1+1+1+8,reach=3");
    sweep_end(&s);
}

/* ---- words --------------------------------------------------------------- */

static void test_words(void)
{
    static const struct {
        const char *text, *error;
    } bad[] = {
        { "", "cpus: is missing: cpus=N or groups=N+N expected" },
        { "etrs=2", "cpus: is missing: cpus=N or groups=N+N expected" },
        { "cpus", "'cpus': KEY=VALUE expected" },
        { "cpus=4,", "'': KEY=VALUE expected" },
        { "=4", "'=4': KEY=VALUE expected" },
        { "cpus=", "cpus: '': a number from 1 to 512 expected" },
        { "cpus=0", "cpus: '0': a number from 1 to 512 expected" },
        { "cpus=513", "cpus: '513': a number from 1 to 512 expected" },
        { "cpus=-1", "cpus: '-1': a number from 1 to 512 expected" },
        { "cpus=4x", "cpus: '4x': a number from 1 to 512 expected" },
        { "cpus=4294967297",
          "cpus: '4294967297': a number from 1 to 512 expected" },
        { "cpus=4,cpus=4", "cpus: is given twice" },
        { "cpus=99,etrs=65", "etrs: '65': a number from 1 to 64 expected" },
        { "cpus=4,etrs=5",
          "etrs: 5 of them for 4 CPUs: at most one a CPU expected" },
        { "cpus=4,cluster=9", "cluster: '9': a number from 1 to 8 expected" },
        { "cpus=4,reach=2",
          "reach: 2 sinks of 1: at most 1, or all, expected" },
        { "cpus=64,etrs=64,reach=all",
          "reach: 64 sinks for each of 64 groups: at most 8 expected" },
        { "groups=111+", "groups: '': a number from 1 to 512 expected" },
        { "groups=0+4", "groups: '0': a number from 1 to 512 expected" },
        { "groups=500+13", "groups: 513 CPUs in all: at most 512 expected" },
        { "groups=111+17,cpus=127", "groups: 128 CPUs in all, but cpus=127" },
        { "groups=111+17,etrs=3", "groups: 2 of them, but etrs=3" },
        { "cpus=4,sinks=etf", "sinks: 'etf': a TMC configured as ETF is not "
          "modelled, etr expected" },
        { "cpus=4,sinks=", "sinks: '': etr expected" },
        { "cpus=4,etms=4", "'etms' is not known: cpus, etrs, groups, "
          "cluster, reach or sinks expected" },
    };
    struct new_spec s;
    char *error;

    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        bool good = new_spec_parse(bad[i].text, &s, &error);

        is_str(good ? "accepted" : error, bad[i].error, "'%s'", bad[i].text);
        g_free(error);
    }
    ok(new_spec_parse("groups=111+17,cpus=128,etrs=2,sinks=etr", &s, &error),
       "all at once");
    is_u64(s.size[0], 111, "the first group's size");
    is_u64(s.size[1], 17, "the second's");
    is_u64(s.cluster, 8, "CPUs of a funnel");
    ok(new_spec_parse("etrs=3,cpus=128", &s, &error), "parts");
    is_u64(s.size[0] * 10000 + s.size[1] * 100 + s.size[2], 434342,
           "the first ones are larger");
}

/* ---- sources ------------------------------------------------------------- */

/* what dtc makes of @text (g_free) */
static char *compile(const char *text, gsize *size)
{
    char *in = NULL, *out = NULL, *blob = NULL;
    int a = g_file_open_tmp("new-XXXXXX.dts", &in, NULL);
    int b = g_file_open_tmp("new-XXXXXX.dtb", &out, NULL);
    char *argv[] = { (char *)"dtc", (char *)"-q", (char *)"-@",
                     (char *)"-Idts", (char *)"-Odtb", (char *)"-o", out, in,
                     NULL };

    if (a < 0 || b < 0 || !g_file_set_contents(in, text, -1, NULL)) {
        tap_bail("no temporary files");
    }
    close(a);
    close(b);
    if (g_spawn_sync(NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                     NULL, NULL, NULL)) {
        g_file_get_contents(out, &blob, size, NULL);
    }
    g_unlink(in);
    g_unlink(out);
    g_free(in);
    g_free(out);
    return blob;
}

/* the graph agrees with what was asked for: NULL, or what does not */
static const char *graph_fault(const struct trace_graph *g,
                               const struct new_spec *s)
{
    unsigned etms = 0;

    for (size_t i = 0; i < g->n_nodes; i++) {
        const struct trace_node *n = &g->nodes[i];
        bool good;
        int *sinks;

        if (n->kind != TRACE_ETM4) {
            continue;
        }
        if (n->cpu != (int)etms++) {
            return "an ETM's CPU";
        }
        good = trace_graph_sinks(g, (int)i, &sinks) == (int)s->reach;
        /* its own, the next one, ... */
        for (unsigned k = 0; k < s->reach && good; k++) {
            unsigned etr = (own_sink(s, (unsigned)n->cpu) + k) % s->etrs;

            good = g->nodes[sinks[k]].base == NEW_ETR_BASE + 0x1000 * etr;
        }
        g_free(sinks);
        if (!good) {
            return "the sinks of an ETM";
        }
    }
    return etms == s->cpus ? NULL : "the number of ETMs";
}

static void source_case(const char *text)
{
    struct trace_limits limits = {
        .window_base = TRACE_WINDOW_BASE, .window_size = TRACE_WINDOW_SIZE,
    };
    char *error, *source = new_topology(text, &error);
    char *again = new_topology(text, &error), *talk, *blob;
    const char *fault;
    struct new_spec s;
    struct trace_graph *g;
    gsize size;

    new_spec_parse(text, &s, &error);
    is_str(source, again, "%s: the same text again", text);
    blob = compile(source, &size);
    if (blob == NULL) {
        tap_bail("dtc does not run, or does not take %s", text);
    }
    g = trace_graph_parse("t", blob, size, &limits);
    talk = tree_talk(g);
    is_str(talk, "", "%s: without a word", text);
    fault = graph_fault(g, &s);
    is_str(fault ? fault : "none", "none", "%s: faults of the graph", text);
    g_free(talk);
    trace_graph_free(g);
    g_free(blob);
    g_free(source);
    g_free(again);
}

int main(int argc, char **argv)
{
    static const char *const texts[] = {
        "cpus=1", "cpus=9,etrs=2,reach=all", "groups=111+17",
        "groups=112+16,reach=2", "cpus=9,etrs=5,reach=3", "cpus=70,etrs=64",
        "cpus=512,etrs=16",
    };

    char *dtc = g_find_program_in_path("dtc");

    tap_begin(argc, argv, 0);
    test_words();
    test_plans();
    if (dtc == NULL) {
        tap_skip(1, "no dtc");
        return tap_done();
    }
    g_free(dtc);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        source_case(texts[i]);
    }
    return tap_done();
}
