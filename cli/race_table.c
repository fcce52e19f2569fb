/*
 * csvirt race: what is printed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "cli/race.h"

/* One outcome of a scenario on a kernel. */
struct tally {
    char *outcome;
    unsigned times;
    gint64 seed;                /* the first */
    const struct race_result *result;
};

static void tally_clear(void *p)
{
    g_free(((struct tally *)p)->outcome);
}

static const struct race_result *result_in(const struct race_run *run,
                                           const char *name)
{
    for (guint i = 0; i < run->results->len; i++) {
        const struct race_result *r = g_ptr_array_index(run->results, i);

        if (!strcmp(r->scenario, name)) {
            return r;
        }
    }
    return NULL;
}

static void tally_add(GArray *tallies, const struct race_run *run,
                      const char *name)
{
    const struct race_result *r = result_in(run, name);
    struct tally fresh = {
        .outcome = r ? race_outcome(r) : g_strdup(
            run->status == CLI_USAGE ? "not run" : "guest died before"),
        .times = 1, .seed = run->seed, .result = r,
    };

    for (guint i = 0; i < tallies->len; i++) {
        struct tally *t = &g_array_index(tallies, struct tally, i);

        if (!strcmp(t->outcome, fresh.outcome)) {
            t->times++;
            g_free(fresh.outcome);
            return;
        }
    }
    g_array_append_val(tallies, fresh);
}

static GArray *tallies_of(const GPtrArray *runs, const char *kernel,
                          const char *name)
{
    GArray *tallies = g_array_new(FALSE, FALSE, sizeof(struct tally));

    g_array_set_clear_func(tallies, tally_clear);
    for (guint i = 0; i < runs->len; i++) {
        const struct race_run *run = g_ptr_array_index(runs, i);

        if (!strcmp(run->kernel, kernel)) {
            tally_add(tallies, run, name);
        }
    }
    return tallies;
}

static void cell(const GArray *tallies, gboolean counts)
{
    for (guint i = 0; i < tallies->len; i++) {
        const struct tally *t = &g_array_index(tallies, struct tally, i);

        printf("%s%s", i ? " / " : "", t->outcome);
        if (counts) {
            printf(" (%u, first seed %" G_GINT64_FORMAT ")", t->times,
                   t->seed);
        }
    }
}

/* Scenarios down, kernels across. */
static void markdown(const GPtrArray *names, const GPtrArray *runs,
                     char **kernels)
{
    printf("| scenario |");
    for (char **k = kernels; *k; k++) {
        printf(" %s |", *k);
    }
    printf("\n|---|");
    for (char **k = kernels; *k; k++) {
        printf("---|");
    }
    printf("\n");
    for (guint i = 0; i < names->len; i++) {
        printf("| %s |", (char *)g_ptr_array_index(names, i));
        for (char **k = kernels; *k; k++) {
            GArray *t = tallies_of(runs, *k, g_ptr_array_index(names, i));

            printf(" ");
            cell(t, t->len > 1);
            printf(" |");
            g_array_unref(t);
        }
        printf("\n");
    }
}

void race_table(const GPtrArray *names, const GPtrArray *runs,
                const struct race_options *opt)
{
    if (opt->markdown) {
        markdown(names, runs, opt->kernels);
        return;
    }
    for (guint i = 0; i < names->len; i++) {
        printf("%s\n", (char *)g_ptr_array_index(names, i));
        for (char **k = opt->kernels; *k; k++) {
            GArray *t = tallies_of(runs, *k, g_ptr_array_index(names, i));

            printf("  %s: ", *k);
            cell(t, TRUE);
            printf("\n");
            for (guint n = 0; opt->details && n < t->len; n++) {
                const struct tally *one = &g_array_index(t, struct tally, n);

                if (one->result) {
                    race_details(one->result);
                }
            }
            g_array_unref(t);
        }
    }
}

/* ---- JSON --------------------------------------------------------------- */

/* Names and outcomes are words, numbers and punctuation of ours. */
static void quoted(FILE *f, const char *text)
{
    fputc('"', f);
    for (; text && *text; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', f);
        }
        fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
    }
    fputc('"', f);
}

static void json_buffer(FILE *f, const struct race_buffer *b)
{
    fprintf(f, "{\"event\":");
    quoted(f, b->event);
    fprintf(f, ",\"tid\":%d,\"refused\":", b->tid);
    quoted(f, b->refused);
    fprintf(f, ",\"aux\":%" G_GUINT64_FORMAT ",\"records\":%" G_GUINT64_FORMAT
            ",\"truncated\":%" G_GUINT64_FORMAT ",\"bytes\":[", b->aux,
            b->records, b->truncated);
    for (guint i = 0; i < b->counts->len; i++) {
        const struct race_bytes *c =
            &g_array_index(b->counts, struct race_bytes, i);

        fprintf(f, "%s{\"atid\":%u,\"context\":%" G_GINT64_FORMAT
                ",\"bytes\":%" G_GUINT64_FORMAT "}", i ? "," : "", c->atid,
                c->context, c->bytes);
    }
    fprintf(f, "]}");
}

static void json_result(FILE *f, const struct race_run *run,
                        const struct race_result *r)
{
    char *outcome = race_outcome(r);

    fprintf(f, "{\"kernel\":");
    quoted(f, run->kernel);
    fprintf(f, ",\"seed\":%" G_GINT64_FORMAT ",\"scenario\":", run->seed);
    quoted(f, r->scenario);
    fprintf(f, ",\"outcome\":");
    quoted(f, outcome);
    fprintf(f, ",\"buffers\":[");
    for (guint i = 0; i < r->buffers->len; i++) {
        fprintf(f, "%s", i ? "," : "");
        json_buffer(f, g_ptr_array_index(r->buffers, i));
    }
    fprintf(f, "]}");
    g_free(outcome);
}

gboolean race_json(const char *file, const GPtrArray *runs)
{
    FILE *f = fopen(file, "w");
    gboolean first = TRUE;

    if (!f) {
        say("--json %s: cannot be written", file);
        return FALSE;
    }
    fprintf(f, "[");
    for (guint i = 0; i < runs->len; i++) {
        const struct race_run *run = g_ptr_array_index(runs, i);

        for (guint k = 0; k < run->results->len; k++) {
            fprintf(f, "%s\n", first ? "" : ",");
            json_result(f, run, g_ptr_array_index(run->results, k));
            first = FALSE;
        }
    }
    fprintf(f, "\n]\n");
    if (ferror(f) | fclose(f)) {
        say("--json %s: cannot be written", file);
        return FALSE;
    }
    return TRUE;
}
