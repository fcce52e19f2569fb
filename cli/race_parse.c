/*
 * csvirt race: the lines and the file of the guest's program.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/race.h"

static void buffer_free(void *p)
{
    struct race_buffer *b = p;

    g_free(b->event);
    g_free(b->owner);
    g_free(b->target);
    g_free(b->refused);
    g_byte_array_unref(b->data);
    g_array_unref(b->counts);
    g_free(b);
}

static void worker_clear(void *p)
{
    struct race_worker *w = p;

    g_free(w->name);
    g_free(w->parent);
}

static void result_free(void *p)
{
    struct race_result *r = p;

    g_free(r->scenario);
    g_free(r->end);
    g_free(r->error);
    g_ptr_array_unref(r->buffers);
    g_array_unref(r->workers);
    g_ptr_array_unref(r->warns);
    g_free(r);
}

static struct race_result *result_new(const char *scenario)
{
    struct race_result *r = g_new0(struct race_result, 1);

    r->scenario = g_strdup(scenario);
    r->buffers = g_ptr_array_new_with_free_func(buffer_free);
    r->workers = g_array_new(FALSE, TRUE, sizeof(struct race_worker));
    g_array_set_clear_func(r->workers, worker_clear);
    r->warns = g_ptr_array_new_with_free_func(g_free);
    return r;
}

static struct race_result *result_of(GPtrArray *results, const char *name)
{
    for (guint i = 0; i < results->len; i++) {
        struct race_result *r = g_ptr_array_index(results, i);

        if (!strcmp(r->scenario, name)) {
            return r;
        }
    }
    return NULL;
}

/* The buffer of an event, made when it is new. */
static struct race_buffer *buffer_of(struct race_result *r, const char *event)
{
    struct race_buffer *b;

    for (guint i = 0; i < r->buffers->len; i++) {
        b = g_ptr_array_index(r->buffers, i);
        if (!strcmp(b->event, event)) {
            return b;
        }
    }
    b = g_new0(struct race_buffer, 1);
    b->event = g_strdup(event);
    b->data = g_byte_array_new();
    b->counts = g_array_new(FALSE, TRUE, sizeof(struct race_bytes));
    g_ptr_array_add(r->buffers, b);
    return b;
}

/* ---- lines -------------------------------------------------------------- */

static const char *value_of(char **words, const char *name)
{
    size_t n = strlen(name);

    for (; *words; words++) {
        if (g_str_has_prefix(*words, name) && (*words)[n] == '=') {
            return *words + n + 1;
        }
    }
    return "";
}

static uint64_t number_of(char **words, const char *name)
{
    return g_ascii_strtoull(value_of(words, name), NULL, 10);
}

static void worker_line(struct race_result *r, char **w)
{
    const char *parent = value_of(w, "parent");
    struct race_worker worker = {
        .name = g_strdup(w[1]), .tid = (int)number_of(w, "tid"),
        .parent = *parent ? g_strdup(parent) : NULL,
    };

    g_array_append_val(r->workers, worker);
}

static void buffer_line(struct race_result *r, char **w)
{
    struct race_buffer *b = buffer_of(r, w[1]);

    if (b->reported) {
        return;                 /* once at its close, nothing at the end */
    }
    b->reported = TRUE;
    b->owner = g_strdup(value_of(w, "owner"));
    b->target = g_strdup(value_of(w, "target"));
    b->tid = atoi(value_of(w, "tid"));
    b->full = number_of(w, "full") != 0;
    b->inherit = number_of(w, "inherit") != 0;
    b->aux = number_of(w, "aux");
    b->records = number_of(w, "records");
    b->truncated = number_of(w, "truncated");
    b->empty = number_of(w, "empty");
    b->enabled_ns = number_of(w, "enabled");
    b->running_ns = number_of(w, "running");
}

static void open_line(struct race_result *r, char **w, guint n)
{
    struct race_buffer *b = buffer_of(r, w[1]);

    if (n >= 5 && !strcmp(w[2], "refused")) {
        b->refused = g_strdup_printf("%s %s", w[3], w[4]);
    }
}

static void line(GPtrArray *results, const char *text)
{
    struct race_result *r = results->len
                            ? g_ptr_array_index(results, results->len - 1)
                            : NULL;
    char **w = g_strsplit(text, " ", -1);
    guint n = g_strv_length(w);

    if (n >= 2 && !strcmp(w[0], "scenario")) {
        g_ptr_array_add(results, result_new(w[1]));
    } else if (!r || n < 2) {
        /* Talk of something that a scenario has run. */
    } else if (!strcmp(w[0], "worker")) {
        worker_line(r, w);
    } else if (!strcmp(w[0], "open")) {
        open_line(r, w, n);
    } else if (!strcmp(w[0], "buffer")) {
        buffer_line(r, w);
    } else if (!strcmp(w[0], "shell")) {
        r->shell = atoi(w[1]) ? atoi(w[1]) : r->shell;
    } else if (!strcmp(w[0], "warn")) {
        g_ptr_array_add(r->warns, g_strdup(w[1]));
    } else if (!strcmp(w[0], "error")) {
        g_free(r->error);
        r->error = g_strdup(text + strlen("error "));
    } else if (!strcmp(w[0], "end") && n >= 3) {
        g_free(r->end);
        r->end = g_strdup(w[2]);
    }
    g_strfreev(w);
}

/* ---- the file ----------------------------------------------------------- */

#define PERF_MAGIC        "PERFILE2"
#define PERF_DATA_SECTION 40            /* of struct perf_file_header */
#define RECORD_AUXTRACE   71

static uint64_t get64(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof(v));           /* both little-endian */
    return v;
}

static uint32_t get32(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof(v));
    return v;
}

/*
 * The AUX data of a perf.data file: a buffer for each thread, or for each CPU
 * if the session has one for each CPU.
 */
static void take_perf(struct race_result *r, const uint8_t *p, size_t n)
{
    uint64_t at, end;

    if (n < PERF_DATA_SECTION + 16 || memcmp(p, PERF_MAGIC, 8)) {
        return;
    }
    at = get64(p + PERF_DATA_SECTION);
    end = get64(p + PERF_DATA_SECTION + 8);
    end = at <= n && end <= n - at ? at + end : n;
    while (at <= end && end - at >= 8) {
        uint32_t type = get32(p + at), size = get32(p + at + 4) >> 16;

        if (size < 8 || size > end - at) {
            return;
        }
        if (type == RECORD_AUXTRACE && size >= 48) {
            uint64_t bytes = get64(p + at + 8);
            int tid = (int)get32(p + at + 36);
            char *name = tid > 0 ? g_strdup_printf("tid%d", tid)
                         : g_strdup_printf("cpu%u", get32(p + at + 40));
            struct race_buffer *b = buffer_of(r, name);

            g_free(name);
            if (bytes > end - at - size) {
                return;
            }
            b->reported = TRUE;
            b->tid = tid;
            b->records++;
            b->aux += bytes;
            g_byte_array_append(b->data, p + at + size, (guint)bytes);
            at += bytes;
        }
        at += size;
    }
}

static void take(GPtrArray *results, struct race_result **r, char **w,
                 const uint8_t *bytes, size_t n)
{
    if (!strcmp(w[0], "scenario")) {
        *r = result_of(results, w[1]);
    } else if (*r && !strcmp(w[0], "aux")) {
        struct race_buffer *b = buffer_of(*r, w[1]);

        if (!b->data->len) {
            g_byte_array_append(b->data, bytes, (guint)n);
        }
    } else if (*r && !strcmp(w[0], "perf")) {
        take_perf(*r, bytes, n);
    }
}

GPtrArray *race_parse(const char *text, const uint8_t *file, size_t n)
{
    GPtrArray *results = g_ptr_array_new_with_free_func(result_free);
    char **lines = g_strsplit(text, "\n", -1);
    struct race_result *r = NULL;

    for (char **l = lines; *l; l++) {
        line(results, *l);
    }
    g_strfreev(lines);
    /* Each item: words and a length, a newline, so many bytes. */
    for (size_t at = 0; at < n;) {
        const uint8_t *eol = memchr(file + at, '\n', n - at);
        char *head;
        char **w;
        guint words;
        uint64_t size;

        if (!eol) {
            break;
        }
        head = g_strndup((const char *)file + at,
                         (gsize)(eol - file) - at);
        w = g_strsplit(head, " ", -1);
        words = g_strv_length(w);
        at = (size_t)(eol - file) + 1;
        size = words >= 3 ? g_ascii_strtoull(w[words - 1], NULL, 10) : n;
        if (size <= n - at) {
            take(results, &r, w, file + at, (size_t)size);
        }
        at = size <= n - at ? at + (size_t)size : n;
        g_strfreev(w);
        g_free(head);
    }
    return results;
}
