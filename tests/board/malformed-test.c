/*
 * Files that are damaged: cut at every byte, flipped at random, random words
 * in the structure.  Nothing may be read or written out of bounds (the
 * sanitizers see to that), and what is taken must stand up to being applied.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <libfdt.h>
#include <stdio.h>
#include <string.h>

#include "../tap/tap.h"
#include "tree.h"

static const struct trace_limits lim = {
    .cpus = 2, .window_base = TRACE_WINDOW_BASE,
    .window_size = TRACE_WINDOW_SIZE,
};

/* parse @size bytes in a block of just that size; apply when it is good */
static bool survive(const struct tree *base, const char *bytes, size_t size,
                    bool *taken)
{
    char *exact = g_malloc(size ? size : 1);
    struct trace_graph *g;
    bool good;
    FILE *sink = fopen("/dev/null", "w");

    memcpy(exact, bytes, size);
    g = trace_graph_parse("t", exact, size, &lim);
    g_free(exact);
    *taken = g->n_errors == 0;
    good = g->n_errors != 0 || g->n_nodes > 0;
    if (*taken) {
        char *error = NULL;
        size_t out_size;
        void *out = trace_graph_apply(g, base->blob,
                                      (size_t)tree_size(base), &out_size,
                                      &error);

        good = good && (out == NULL) == (error != NULL) &&
               (out == NULL || fdt_check_full(out, out_size) == 0);
        g_free(out);
        g_free(error);
    }
    trace_graph_print(g, sink);
    fclose(sink);
    trace_graph_free(g);
    return good;
}

static void truncate_everywhere(const struct tree *t,
                                const struct tree *base, const char *what)
{
    struct sweep s;
    size_t size = (size_t)tree_size(t);
    bool taken;

    sweep_begin(&s, what);
    for (size_t n = 0; n < size; n++) {
        bool good = survive(base, t->blob, n, &taken);

        sweep_case(&s, good && !taken, "%zu of %zu bytes", n, size);
    }
    sweep_end(&s);
}

static void flip(const struct tree *t, const struct tree *base, int rounds,
                 int bits, const char *what)
{
    struct sweep s;
    struct prng p;
    size_t size = (size_t)tree_size(t), kept = 0;
    char *copy = g_malloc(size);

    prng_seed(&p, tap_seed() + (uint64_t)bits);
    sweep_begin(&s, what);
    for (int i = 0; i < rounds; i++) {
        bool taken;

        memcpy(copy, t->blob, size);
        for (int b = 0; b < bits; b++) {
            copy[prng_below(&p, size)] ^= (char)(1 << prng_below(&p, 8));
        }
        sweep_case(&s, survive(base, copy, size, &taken), "round %d", i);
        kept += taken ? 1 : 0;
    }
    sweep_end(&s);
    tap_diag("%zu of %d were taken", kept, rounds);
    g_free(copy);
}

/* a word of the structure block replaced: tags, lengths, name offsets */
static void words(const struct tree *t, const struct tree *base,
                  const char *what)
{
    static const uint32_t nasty[] = {
        0, 1, 2, 3, 4, 9, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
    };
    struct sweep s;
    size_t size = (size_t)tree_size(t);
    size_t from = fdt_off_dt_struct(t->blob);
    size_t to = from + fdt_size_dt_struct(t->blob);
    char *copy = g_malloc(size);

    sweep_begin(&s, what);
    for (size_t at = from; at + 4 <= to; at += 4) {
        uint32_t v = cpu_to_fdt32(nasty[at / 4 % G_N_ELEMENTS(nasty)]);
        bool taken;

        memcpy(copy, t->blob, size);
        memcpy(copy + at, &v, 4);
        sweep_case(&s, survive(base, copy, size, &taken), "offset %zu", at);
    }
    sweep_end(&s);
    g_free(copy);
}

static void too_deep(void)
{
    struct tree t;
    struct trace_graph *g;
    GString *path = g_string_new("");

    tree_good(&t);
    for (int i = 0; i < 40; i++) {
        tree_add(&t, path->len ? path->str : "/", "n");
        g_string_append(path, "/n");
    }
    g = tree_parse(&t, 2, false);
    is_str(g->n_msgs ? g->msgs[0].text : "", "is nested more than 32 nodes "
           "deep", "too deep a tree");
    trace_graph_free(g);
    g_string_free(path, TRUE);
    tree_free(&t);
}

static void no_tree(void)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *text;
    } files[] = {
        { "", 0, "is empty, expected a device tree blob" },
        { "/dts-v1/;\n/ { };\n", 17, "is text, expected a device tree blob "
          "(a source file must be named .dts or .dtso)" },
        { "\x7f" "ELF\2\1\1\0", 8, "is not a device tree blob (no d00dfeed "
          "at its start)" },
        { "\xd0\x0d\xfe\xed", 4, "is not a device tree blob (no d00dfeed at "
          "its start)" },
    };
    struct trace_graph *g;

    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g = trace_graph_parse("t", files[i].bytes, files[i].size, &lim);
        is_str(g->msgs[0].text, files[i].text, "file %zu", i);
        trace_graph_free(g);
    }
    g = trace_graph_load("/nonexistent/t.dtb", &lim);
    is_str(g->msgs[0].text, "cannot be read: no such file", "a missing file");
    trace_graph_free(g);
    g = trace_graph_load("/dev/zero", &lim);
    is_str(g->msgs[0].text, "cannot be read: it is no regular file",
           "a device");
    trace_graph_free(g);
}

int main(int argc, char **argv)
{
    struct tree good, overlay, base;

    tap_begin(argc, argv, 0);
    no_tree();
    too_deep();
    tree_good(&good);
    tree_overlay(&overlay);
    tree_base(&base, 2, true);
    fdt_pack(good.blob);
    fdt_pack(overlay.blob);
    truncate_everywhere(&good, &base, "a complete tree cut at each byte");
    truncate_everywhere(&overlay, &base, "an overlay cut at each byte");
    flip(&good, &base, 1500, 1, "a complete tree with one bit flipped");
    flip(&good, &base, 1500, 6, "a complete tree with six bits flipped");
    flip(&overlay, &base, 1500, 1, "an overlay with one bit flipped");
    flip(&overlay, &base, 1500, 6, "an overlay with six bits flipped");
    words(&good, &base, "words of a complete tree replaced");
    words(&overlay, &base, "words of an overlay replaced");
    tree_free(&good);
    tree_free(&overlay);
    tree_free(&base);
    return tap_done();
}
