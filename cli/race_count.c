/*
 * csvirt race: whose trace is in which buffer.
 *
 * Packets are enough: a context packet says for which CONTEXTIDR a unit
 * traces from there on. What comes between a sync and the first context
 * packet after it belongs to that context too.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/dcd.h"
#include "cli/race.h"

#define ATIDS 128

/* Where a unit's trace is: one for each trace ID. */
struct stream {
    int64_t context;
    uint64_t pending;           /* bytes since a sync, context not yet known */
};

struct count {
    struct race_buffer *buffer;
    struct stream stream[ATIDS];
};

static void add(struct count *c, unsigned atid, int64_t context,
                uint64_t bytes)
{
    GArray *counts = c->buffer->counts;
    struct race_bytes fresh = { atid, context, bytes };

    if (!bytes) {
        return;
    }
    for (guint i = 0; i < counts->len; i++) {
        struct race_bytes *b = &g_array_index(counts, struct race_bytes, i);

        if (b->atid == atid && b->context == context) {
            b->bytes += bytes;
            return;
        }
    }
    g_array_append_val(counts, fresh);
}

static void packet(void *opaque, unsigned atid, uint64_t index,
                   const ocsd_etmv4_i_pkt *pkt, const uint8_t *bytes,
                   uint32_t n)
{
    struct count *c = opaque;
    struct stream *s = &c->stream[atid % ATIDS];

    (void)index;
    (void)bytes;
    if (pkt->type == ETM4_PKT_I_ASYNC) {
        add(c, atid, -1, s->pending);
        s->pending = 0;
        s->context = -1;
    } else if (pkt->context.updated_c) {
        s->context = pkt->context.ctxtID;
        add(c, atid, s->context, s->pending);
        s->pending = 0;
    }
    if (s->context < 0) {
        s->pending += n;
    } else {
        add(c, atid, s->context, n);
    }
}

/* All units that any read-out of the run names, for any buffer. */
static GArray *sources_of(const struct snap_set *set)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(struct snap_source));
    gboolean seen[ATIDS] = { FALSE };

    for (size_t i = 0; i < set->n_readouts; i++) {
        const struct snap_readout *r = &set->readouts[i];

        for (size_t k = 0; k < r->n_sources; k++) {
            unsigned atid = r->sources[k].atid % ATIDS;

            if (atid && !seen[atid]) {
                seen[atid] = TRUE;
                g_array_append_val(all, r->sources[k]);
            }
        }
    }
    return all;
}

static void count_buffer(struct race_buffer *b, GArray *sources,
                         const char *file)
{
    struct count *c = g_new0(struct count, 1);
    struct snap_readout readout = {
        .label = b->event, .sink = b->event, .file = (char *)file,
        .formatted = TRUE,
        .sources = (struct snap_source *)(void *)sources->data,
        .n_sources = sources->len,
    };
    struct dcd_client client = { .opaque = c, .packet = packet };
    struct dcd_stats stats = { 0 };
    char *error = NULL;

    c->buffer = b;
    for (unsigned i = 0; i < ATIDS; i++) {
        c->stream[i].context = -1;
    }
    if (g_file_set_contents(file, (const char *)b->data->data,
                            (gssize)b->data->len, NULL) &&
        dcd_run(&readout, &client, &stats, &error)) {
        for (unsigned i = 0; i < ATIDS; i++) {
            add(c, i, -1, c->stream[i].pending);
        }
        dcd_stats_free(&stats);
    } else {
        say("buffer %s: %s", b->event, error ? error : "cannot be written");
        g_free(error);
    }
    unlink(file);
    g_free(c);
}

void race_count(GPtrArray *results, const struct snap_set *set,
                const char *tmp)
{
    GArray *sources = set ? sources_of(set) : NULL;
    char *file = g_build_filename(tmp, "aux", NULL);

    for (guint i = 0; sources && sources->len && i < results->len; i++) {
        struct race_result *r = g_ptr_array_index(results, i);

        for (guint k = 0; k < r->buffers->len; k++) {
            struct race_buffer *b = g_ptr_array_index(r->buffers, k);

            if (b->data->len) {
                count_buffer(b, sources, file);
            }
        }
    }
    g_free(file);
    if (sources) {
        g_array_unref(sources);
    }
}

uint64_t race_sum(const struct race_buffer *b, int64_t tid)
{
    uint64_t sum = 0;

    for (guint i = 0; i < b->counts->len; i++) {
        const struct race_bytes *c =
            &g_array_index(b->counts, struct race_bytes, i);

        sum += tid < 0 || c->context == tid ? c->bytes : 0;
    }
    return sum;
}
