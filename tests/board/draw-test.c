/*
 * What a person sees of a topology.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "../../board/graph_draw.h"
#include "../tap/tap.h"
#include "tree.h"

static char *slurp(FILE *f)
{
    long n = ftell(f);
    char *s = g_malloc0((gsize)n + 1);

    rewind(f);
    if (fread(s, 1, (size_t)n, f) != (size_t)n) {
        tap_bail("cannot read back");
    }
    fclose(f);
    return s;
}

static char *picture(const struct tree *t, bool utf8)
{
    struct trace_graph *g = tree_parse(t, 0, false);
    FILE *f = tmpfile();
    char *s;

    if (f == NULL) {
        tap_bail("no temporary file");
    }
    trace_graph_draw(g, utf8, f);
    s = slurp(f);
    trace_graph_free(g);
    return s;
}

static char *printed(const struct tree *t)
{
    struct trace_graph *g = tree_parse(t, 0, false);
    FILE *f = tmpfile();
    char *s;

    if (f == NULL) {
        tap_bail("no temporary file");
    }
    trace_graph_print(g, f);
    s = slurp(f);
    trace_graph_free(g);
    return s;
}

/* does @s (freed here) read as the file of that name in tests/data? */
static void is_file(char *s, const char *file, const char *what)
{
    char *path = g_strconcat(TOP_DIR "/tests/data/topology/", file, NULL);
    char *want = NULL;

    if (!g_file_get_contents(path, &want, NULL, NULL)) {
        tap_bail("%s is missing", path);
    }
    is_str(s, want, "%s", what);
    g_free(want);
    g_free(path);
    g_free(s);
}

/* a cluster: two ETMs and their funnel, which leads to @remote */
static void cluster(struct tree *t, unsigned n, uint32_t out,
                    uint32_t remote)
{
    char *f = g_strdup_printf("funnel@c2%u0000", n);
    char *in = g_strdup_printf("/%s/in-ports", f);
    char *outs = g_strdup_printf("/%s/out-ports", f);

    tree_block(t, f, "arm,coresight-dynamic-funnel", 0xc200000 + n * 0x10000);
    tree_endpoint(t, outs, 0, out, remote);
    for (unsigned i = 0; i < 2; i++) {
        unsigned cpu = 2 * n + i;
        char *e = g_strdup_printf("etm@c1%x0000", cpu);
        char *path = g_strdup_printf("/%s", e);
        char *ports = g_strdup_printf("/%s/out-ports", e);
        char *node = g_strdup_printf("/cpus/cpu@%u", cpu);

        if (cpu >= 2) {
            tree_add(t, "/cpus", node + 6);
            tree_string(t, node, "device_type", "cpu");
            tree_cell(t, node, "phandle", 0x200 + cpu);
        }
        tree_block(t, e, "arm,coresight-etm4x", 0xc100000 + cpu * 0x10000);
        tree_cell(t, path, "cpu", cpu < 2 ? cpu + 1 : 0x200 + cpu);
        tree_endpoint(t, ports, 0, 0x300 + cpu, 0x400 + cpu);
        tree_endpoint(t, in, i, 0x400 + cpu, 0x300 + cpu);
        g_free(e);
        g_free(path);
        g_free(ports);
        g_free(node);
    }
    g_free(f);
    g_free(in);
    g_free(outs);
}

/* six clusters of two CPUs on one funnel: drawn as three boxes */
static void big(struct tree *t)
{
    tree_good(t);
    tree_cut(t, "/etm@c100000");
    tree_cut(t, "/etm@c110000");
    tree_cut(t, "/etr@c410000");
    tree_cut(t, "/replicator@c300000");
    tree_cut(t, "/funnel@c200000");
    tree_block(t, "funnel@c280000", "arm,coresight-dynamic-funnel",
               0xc280000);
    tree_endpoint(t, "/funnel@c280000/out-ports", 0, 0x31, 0x40);
    /* CPUs are numbered in tree order, and libfdt adds in front */
    for (unsigned n = 6; n-- > 0;) {
        cluster(t, n, 0x500 + n, 0x600 + n);
        tree_endpoint(t, "/funnel@c280000/in-ports", n, 0x600 + n,
                      0x500 + n);
    }
}

/* four ETMs on one funnel: lines that nest */
static void wide(struct tree *t)
{
    tree_good(t);
    for (unsigned cpu = 2; cpu < 4; cpu++) {
        char *node = g_strdup_printf("/cpus/cpu@%u", cpu);
        char *path = g_strdup_printf("/etm@c1%u0000", cpu);
        char *ports = g_strconcat(path, "/out-ports", NULL);

        tree_add(t, "/cpus", node + 6);
        tree_string(t, node, "device_type", "cpu");
        tree_cell(t, node, "phandle", 0x200 + cpu);
        tree_block(t, path + 1, "arm,coresight-etm4x",
                   0xc100000 + cpu * 0x10000);
        tree_cell(t, path, "cpu", 0x200 + cpu);
        tree_endpoint(t, ports, 0, 0x300 + cpu, 0x400 + cpu);
        tree_endpoint(t, "/funnel@c200000/in-ports", cpu, 0x400 + cpu,
                      0x300 + cpu);
        g_free(node);
        g_free(path);
        g_free(ports);
    }
}

int main(int argc, char **argv)
{
    struct tree t;

    tap_begin(argc, argv, 0);
    tree_good(&t);
    is_file(picture(&t, false), "good-ascii.txt", "in ASCII");
    is_file(picture(&t, true), "good-utf8.txt", "in UTF-8");
    g_setenv("LC_ALL", "C", TRUE);
    tree_cell(&t, "/etm@c100000", "csvirt,counters", 4);
    is_file(printed(&t), "good-text.txt", "picture and tables");
    /* the replicator's outputs crossed */
    tree_cell(&t, "/replicator@c300000/out-ports/port@0", "reg", 1);
    tree_cell(&t, "/replicator@c300000/out-ports/port@1", "reg", 0);
    is_file(picture(&t, false), "good-crossing.txt",
            "sinks in the order of the outputs");
    tree_free(&t);
    wide(&t);
    is_file(picture(&t, false), "good-wide.txt", "lines that nest");
    tree_free(&t);
    big(&t);
    is_file(picture(&t, false), "good-grouped.txt", "equal siblings as one");
    tree_free(&t);
    return tap_done();
}
