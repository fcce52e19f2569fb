/*
 * csvirt race: what became of a scenario.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "cli/race.h"

#define TWICE_BYTES 4096        /* so many equal bytes are no accident */

/* One more word of an outcome, once. */
static void say_once(GPtrArray *words, char *word)
{
    for (guint i = 0; i < words->len; i++) {
        if (!strcmp(g_ptr_array_index(words, i), word)) {
            g_free(word);
            return;
        }
    }
    g_ptr_array_add(words, word);
}

static const struct race_worker *worker_of(const struct race_result *r,
                                           int64_t tid)
{
    for (guint i = 0; i < r->workers->len; i++) {
        const struct race_worker *w =
            &g_array_index(r->workers, struct race_worker, i);

        if (w->tid == tid) {
            return w;
        }
    }
    return NULL;
}

/* perf's threads by their order: their numbers are others in each run. */
static char *thread_name(const struct race_result *r, int64_t tid)
{
    const struct race_worker *w = worker_of(r, tid);
    unsigned before = 0;

    if (w) {
        return g_strdup(w->name);
    }
    for (guint i = 0; i < r->buffers->len; i++) {
        const struct race_buffer *b = g_ptr_array_index(r->buffers, i);

        before += b->tid > 0 && b->tid < tid;
    }
    return g_strdup_printf("thread%u", before + 1);
}

static char *buffer_name(const struct race_result *r,
                         const struct race_buffer *b)
{
    return b->target || b->tid <= 0 ? g_strdup(b->event)
                                    : thread_name(r, b->tid);
}

/* Is trace of @tid meant for @b? An event of all tasks is for any. */
static gboolean is_meant(const struct race_result *r,
                         const struct race_buffer *b, int64_t tid)
{
    const struct race_worker *w = worker_of(r, tid);

    return b->tid <= 0 || tid == b->tid ||
           (b->inherit && w && w->parent && b->target &&
            !strcmp(w->parent, b->target));
}

static void judge_buffer(const struct race_result *r,
                         const struct race_buffer *b, GPtrArray *words)
{
    char *name = buffer_name(r, b);

    if (b->refused) {
        say_once(words, g_strdup_printf("%s refused (%s)", name, b->refused));
    } else if (b->target && b->reported && b->enabled_ns && !b->running_ns) {
        say_once(words, g_strdup_printf("%s never started", name));
    } else if (b->full) {
        say_once(words, g_strdup_printf("%s is full", name));
    } else if (b->empty && !r->warns->len) {
        say_once(words, g_strdup_printf("%s could not start at first", name));
    }
    for (guint i = 0; i < b->counts->len; i++) {
        const struct race_bytes *c =
            &g_array_index(b->counts, struct race_bytes, i);

        if (c->context > 0 && !is_meant(r, b, c->context)) {
            char *whose = thread_name(r, c->context);

            say_once(words, g_strdup_printf("trace of %s in %s", whose,
                                            name));
            g_free(whose);
        }
    }
    g_free(name);
}

/* An event that ran, and no buffer has a byte of its thread. */
static void judge_loss(const struct race_result *r, GPtrArray *words)
{
    for (guint i = 0; i < r->buffers->len; i++) {
        const struct race_buffer *b = g_ptr_array_index(r->buffers, i);
        uint64_t sum = 0;

        if (b->refused || !b->running_ns || b->tid <= 0) {
            continue;
        }
        for (guint k = 0; k < r->buffers->len; k++) {
            sum += race_sum(g_ptr_array_index(r->buffers, k), b->tid);
        }
        if (!sum) {
            char *whose = thread_name(r, b->tid);

            say_once(words, g_strdup_printf("trace of %s lost", whose));
            g_free(whose);
        }
    }
}

/* Trace of one buffer is in another: the sink's memory was read again. */
static void judge_twice(const struct race_result *r, GPtrArray *words)
{
    for (guint i = 0; i < r->buffers->len; i++) {
        const struct race_buffer *a = g_ptr_array_index(r->buffers, i);

        for (guint k = 0; k < r->buffers->len; k++) {
            const struct race_buffer *b = g_ptr_array_index(r->buffers, k);

            if (i != k && a->data->len >= TWICE_BYTES &&
                (b->data->len > a->data->len ||
                 (b->data->len == a->data->len && i < k)) &&
                memmem(b->data->data, b->data->len, a->data->data,
                       TWICE_BYTES)) {
                say_once(words, g_strdup_printf("trace of %s again in %s",
                                                a->event, b->event));
            }
        }
    }
}

char *race_outcome(const struct race_result *r)
{
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
    char *text;

    if (!r->end) {
        say_once(words, g_strdup("guest died"));
    } else if (strcmp(r->end, "done")) {
        say_once(words, g_strdup_printf("%s%s%s", r->end,
                                        r->error ? ": " : "",
                                        r->error ? r->error : ""));
    }
    if (r->shell) {
        say_once(words, g_strdup_printf("command ended with %d", r->shell));
    }
    for (guint i = 0; i < r->warns->len; i++) {
        say_once(words, g_strdup_printf(
            "WARN %s", (char *)g_ptr_array_index(r->warns, i)));
    }
    for (guint i = 0; i < r->buffers->len; i++) {
        judge_buffer(r, g_ptr_array_index(r->buffers, i), words);
    }
    judge_loss(r, words);
    judge_twice(r, words);
    if (!words->len) {
        say_once(words, g_strdup(r->buffers->len ? "clean"
                                                 : "nothing traced"));
    }
    g_ptr_array_add(words, NULL);
    text = g_strjoinv("; ", (char **)words->pdata);
    g_ptr_array_unref(words);
    return text;
}

void race_details(const struct race_result *r)
{
    for (guint i = 0; i < r->buffers->len; i++) {
        const struct race_buffer *b = g_ptr_array_index(r->buffers, i);
        char *name = buffer_name(r, b);

        printf("    %s:", name);
        g_free(name);
        if (b->refused) {
            printf(" refused (%s)\n", b->refused);
            continue;
        }
        printf(" %" G_GUINT64_FORMAT " bytes in %" G_GUINT64_FORMAT
               " records, %" G_GUINT64_FORMAT " truncated;", b->aux,
               b->records, b->truncated);
        for (guint k = 0; k < b->counts->len; k++) {
            const struct race_bytes *c =
                &g_array_index(b->counts, struct race_bytes, k);
            char *whose = c->context > 0 ? thread_name(r, c->context)
                                         : g_strdup("?");

            printf(" %s 0x%02x %" G_GUINT64_FORMAT, whose, c->atid,
                   c->bytes);
            g_free(whose);
        }
        printf("\n");
    }
}
