/*
 * One read-out through OpenCSD: frames to packets, packets to elements.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_CLI_DCD_H
#define CSVIRT_CLI_DCD_H

#include <opencsd/c_api/opencsd_c_api.h>

#include "cli/snapshot.h"

/* Who wants to know; any function may be NULL. */
struct dcd_client {
    void *opaque;
    /* A packet, also a bad one, and its @n bytes at @index of the buffer. */
    void (*packet)(void *opaque, unsigned atid, uint64_t index,
                   const ocsd_etmv4_i_pkt *packet, const uint8_t *bytes,
                   uint32_t n);
    /* Given: packets are decoded to elements, with code from memory(). */
    void (*element)(void *opaque, unsigned atid, uint64_t index,
                    const ocsd_generic_trace_elem *element);
    /* The A64 opcode at @va.  returns: FALSE when it is not known. */
    gboolean (*memory)(void *opaque, unsigned atid, uint64_t va,
                       uint32_t *opcode);
    /* Something is wrong: OpenCSD's text, with the byte index. */
    void (*error)(void *opaque, const char *text);
};

/* What OpenCSD counted for one trace ID. */
struct dcd_id_stats {
    unsigned atid;
    uint64_t bytes, unsynced;
    unsigned bad_headers, bad_sequences;
};

struct dcd_stats {
    uint64_t bytes;             /* of the buffer */
    struct dcd_id_stats *ids;   /* one for each source that is decoded */
    size_t n_ids;
    uint64_t no_decoder;        /* bytes of IDs that no source has */
    uint64_t reserved, unknown; /* bytes of reserved IDs, before any ID */
    uint64_t frame;             /* bytes that are not trace: IDs */
};

/*
 * dcd_run: decode one read-out, strictly: each doubt of OpenCSD is an error.
 * out: @stats (dcd_stats_free).
 * returns: TRUE when all bytes were processed, errors of the trace having
 * gone to client->error; FALSE with *@error set (g_free): the file cannot be
 * read or has no source.
 */
gboolean dcd_run(const struct snap_readout *readout,
                 const struct dcd_client *client, struct dcd_stats *stats,
                 char **error);
void dcd_stats_free(struct dcd_stats *stats);

#endif
