/*
 * OpenCSD's C interface, version 1.5.5.
 *
 * The default decode takes a wrong program image without a word: all checks
 * that the library has are switched on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "cli/dcd.h"

#define FRAME_BYTES 16u

#define STRICT (OCSD_OPFLG_PKTDEC_ERROR_BAD_PKTS | \
                OCSD_OPFLG_N_UNCOND_DIR_BR_CHK | \
                OCSD_OPFLG_STRICT_N_UNCOND_BR_CHK | \
                OCSD_OPFLG_CHK_RANGE_CONTINUE | \
                ETM4_OPFLG_PKTDEC_AA64_OPCODE_CHK)

struct run;

/* The context of one ID's packets. */
struct channel {
    struct run *run;
    unsigned atid;
};

struct run {
    const struct snap_readout *readout;
    const struct dcd_client *client;
    dcd_tree_handle_t tree;
    struct channel *channels;
    size_t n_channels;
    unsigned errors;
};

static void report(struct run *r, const char *text)
{
    r->errors++;
    if (r->client->error) {
        r->client->error(r->client->opaque, text);
    }
}

static void reportf(struct run *r, const char *fmt, ...) G_GNUC_PRINTF(2, 3);

static void reportf(struct run *r, const char *fmt, ...)
{
    va_list ap;
    char *text;

    va_start(ap, fmt);
    text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    report(r, text);
    g_free(text);
}

/* ---- what the library calls --------------------------------------------- */

static void on_message(const void *opaque, const char *text, const int len)
{
    char *line = g_strndup(text, (gsize)len);

    g_strstrip(line);
    if (*line) {
        report((struct run *)(uintptr_t)opaque, line);
    }
    g_free(line);
}

static void on_packet(const void *opaque, const ocsd_datapath_op_t op,
                      const ocsd_trc_index_t index, const void *packet,
                      const uint32_t size, const uint8_t *data)
{
    const struct channel *c = opaque;
    const struct dcd_client *client = c->run->client;

    if (op == OCSD_OP_DATA && client->packet) {
        client->packet(client->opaque, c->atid, index, packet, data, size);
    }
}

static ocsd_datapath_resp_t on_element(const void *opaque,
                                       const ocsd_trc_index_t index,
                                       const uint8_t atid,
                                       const ocsd_generic_trace_elem *elem)
{
    const struct run *r = opaque;

    r->client->element(r->client->opaque, atid, index, elem);
    return OCSD_RESP_CONT;
}

/* Only A64 code: the decoder asks for one word at a time. */
static uint32_t on_memory(const void *opaque, const ocsd_vaddr_t va,
                          const ocsd_mem_space_acc_t space,
                          const uint8_t atid, const uint32_t want,
                          uint8_t *buf)
{
    const struct run *r = opaque;
    uint32_t done = 0;

    (void)space;
    while (done + 4 <= want) {
        uint32_t opcode;

        if (!r->client->memory ||
            !r->client->memory(r->client->opaque, atid, va + done,
                               &opcode)) {
            break;
        }
        for (unsigned i = 0; i < 4; i++) {
            buf[done + i] = (uint8_t)(opcode >> (8 * i));
        }
        done += 4;
    }
    return done;
}

/* ---- making the tree ---------------------------------------------------- */

static void add_decoder(struct run *r, const struct snap_source *s)
{
    ocsd_etmv4_cfg cfg = {
        .reg_idr0 = s->reg[SNAP_IDR0], .reg_idr1 = s->reg[SNAP_IDR1],
        .reg_idr2 = s->reg[SNAP_IDR2], .reg_idr8 = s->reg[SNAP_IDR8],
        .reg_idr9 = s->reg[SNAP_IDR9], .reg_idr10 = s->reg[SNAP_IDR10],
        .reg_idr11 = s->reg[SNAP_IDR11], .reg_idr12 = s->reg[SNAP_IDR12],
        .reg_idr13 = s->reg[SNAP_IDR13],
        .reg_configr = s->reg[SNAP_CONFIGR],
        .reg_traceidr = s->reg[SNAP_TRACEIDR],
        .arch_ver = ARCH_AA64, .core_prof = profile_CortexA,
    };
    int flags = r->client->element
        ? OCSD_CREATE_FLG_FULL_DECODER | STRICT
        : OCSD_CREATE_FLG_PACKET_PROC;
    struct channel *c = &r->channels[r->n_channels];
    unsigned char id = 0;
    ocsd_err_t err;

    if (snap_source_of(r->readout, s->atid) != s) {
        reportf(r, "trace ID 0x%02x: %s has it, and so has %s", s->atid,
                s->name, snap_source_of(r->readout, s->atid)->name);
        return;
    }
    err = ocsd_dt_create_decoder(r->tree, OCSD_BUILTIN_DCD_ETMV4I, flags,
                                 &cfg, &id);
    c->run = r;
    c->atid = s->atid;
    if (err == OCSD_OK && r->client->packet) {
        err = ocsd_dt_attach_packet_callback(r->tree, id,
                                             OCSD_C_API_CB_PKT_MON,
                                             (void *)on_packet, c);
    }
    if (err != OCSD_OK) {
        reportf(r, "%s, trace ID 0x%02x: no decoder: OpenCSD error %d",
                s->name, s->atid, (int)err);
        return;
    }
    r->n_channels++;
}

static void make_tree(struct run *r)
{
    const struct snap_readout *ro = r->readout;

    static gboolean has_logger; /* the library has one for all trees */

    if (!has_logger) {
        ocsd_def_errlog_init(OCSD_ERR_SEV_ERROR, 1);
        ocsd_def_errlog_config_output(C_API_MSGLOGOUT_FLG_NONE, NULL);
        has_logger = TRUE;
    }
    r->tree = ocsd_create_dcd_tree(
        ro->formatted ? OCSD_TRC_SRC_FRAME_FORMATTED : OCSD_TRC_SRC_SINGLE,
        ro->formatted ? OCSD_DFRMTR_FRAME_MEM_ALIGN |
                        OCSD_DFRMTR_RESET_ON_4X_FSYNC : 0);
    ocsd_def_errlog_set_strprint_cb(r->tree, r, on_message);
    for (size_t i = 0; i < ro->n_sources; i++) {
        if (ro->sources[i].etm4) {
            add_decoder(r, &ro->sources[i]);
        }
    }
    if (r->client->element) {
        ocsd_dt_set_gen_elem_outfn(r->tree, on_element, r);
        ocsd_dt_add_callback_trcid_mem_acc(r->tree, 0, UINT64_MAX,
                                           OCSD_MEM_SPACE_ANY, on_memory, r);
        /* What is at an address depends on the time: nothing is kept. */
        ocsd_dt_set_mem_acc_cacheing(r->tree, 0, 0, 0);
    }
}

/* ---- running it --------------------------------------------------------- */

static void process(struct run *r, const uint8_t *data, size_t size)
{
    ocsd_datapath_resp_t resp = OCSD_RESP_CONT;
    size_t done = 0;
    uint32_t used;

    while (done < size && !OCSD_DATA_RESP_IS_FATAL(resp)) {
        size_t n = MIN(size - done, (size_t)1 << 30);

        used = 0;
        resp = ocsd_dt_process_data(r->tree, OCSD_OP_DATA, done, (uint32_t)n,
                                    data + done, &used);
        done += used;
        if (!used) {
            break;
        }
    }
    if (OCSD_DATA_RESP_IS_FATAL(resp) || done < size) {
        reportf(r, "decoding ended at byte %zu of %zu", done, size);
        return;
    }
    ocsd_dt_process_data(r->tree, OCSD_OP_EOT, 0, 0, NULL, &used);
}

static void take_stats(struct run *r, struct dcd_stats *stats)
{
    stats->ids = g_new0(struct dcd_id_stats, r->n_channels);
    for (size_t i = 0; i < r->n_channels; i++) {
        struct dcd_id_stats *id = &stats->ids[i];
        ocsd_decode_stats_t *s;

        id->atid = r->channels[i].atid;
        stats->n_ids++;
        if (ocsd_dt_get_decode_stats(r->tree, (unsigned char)id->atid, &s) !=
            OCSD_OK) {
            continue;
        }
        id->bytes = s->channel_total;
        id->unsynced = s->channel_unsynced;
        id->bad_headers = s->bad_header_errs;
        id->bad_sequences = s->bad_sequence_errs;
        stats->no_decoder = s->demux.no_id_bytes;
        stats->reserved = s->demux.reserved_id_bytes;
        stats->unknown = s->demux.unknown_id_bytes;
        stats->frame = s->demux.frame_bytes;
    }
}

/*
 * A sink may have stopped with a trigger in it and nothing else: frames that
 * announce reserved IDs only (IHI 0029F, D4.2), from the first byte on.
 */
static gboolean without_trace(const struct snap_readout *ro,
                              const uint8_t *data, gsize size)
{
    if (!ro->formatted || size % FRAME_BYTES || (size && !(data[0] & 1))) {
        return FALSE;
    }
    for (gsize i = 0; i < size; i += 2) {
        uint8_t id = data[i] >> 1;

        if ((data[i] & 1) && id >= 0x01 && id <= 0x6f) {
            return FALSE;
        }
    }
    return TRUE;
}

static size_t etms_of(const struct snap_readout *ro)
{
    size_t etms = 0;

    for (size_t i = 0; i < ro->n_sources; i++) {
        etms += ro->sources[i].etm4;
    }
    return etms;
}

static gboolean check_input(const struct snap_readout *ro, gsize size,
                            char **error)
{
    size_t etms = etms_of(ro);

    if (!etms) {
        *error = g_strdup_printf("%s: no ETMv4 source for %s in the "
                                 "snapshot's trace.ini", ro->file, ro->sink);
    } else if (ro->formatted && size % FRAME_BYTES) {
        *error = g_strdup_printf("%s: %zu bytes are not whole frames of %u",
                                 ro->file, (size_t)size, FRAME_BYTES);
    } else if (!ro->formatted && etms != 1) {
        *error = g_strdup_printf("%s: %zu sources for one unformatted "
                                 "stream", ro->file, etms);
    } else {
        return TRUE;
    }
    return FALSE;
}

/*
 * Reserved IDs are not counted as errors: ID 0 is the formatter's padding.
 * Bytes before any ID are right only where the oldest frames are lost.
 */
static void check_ids(struct run *r, const struct dcd_stats *stats)
{
    gboolean others = FALSE;

    for (size_t i = 0; i < r->readout->n_sources; i++) {
        others = others || !r->readout->sources[i].etm4;
    }
    if (stats->no_decoder && !others) {
        reportf(r, "%" G_GUINT64_FORMAT " bytes have an ID that no source "
                "has", stats->no_decoder);
    }
    if (stats->unknown && r->readout->indexed && !r->readout->wrapped) {
        reportf(r, "%" G_GUINT64_FORMAT " bytes come before any ID",
                stats->unknown);
    }
}

gboolean dcd_run(const struct snap_readout *readout,
                 const struct dcd_client *client, struct dcd_stats *stats,
                 char **error)
{
    struct run r = { .readout = readout, .client = client };
    GError *e = NULL;
    GMappedFile *map = g_mapped_file_new(readout->file, FALSE, &e);
    gsize size;

    memset(stats, 0, sizeof(*stats));
    if (!map) {
        *error = g_strdup(e->message);
        g_error_free(e);
        return FALSE;
    }
    size = g_mapped_file_get_length(map);
    if (!etms_of(readout) &&
        without_trace(readout, (const uint8_t *)g_mapped_file_get_contents(
                          map), size)) {
        stats->bytes = size;
        g_mapped_file_unref(map);
        return TRUE;
    }
    if (!check_input(readout, size, error)) {
        g_mapped_file_unref(map);
        return FALSE;
    }
    stats->bytes = size;
    r.channels = g_new0(struct channel, readout->n_sources);
    make_tree(&r);
    process(&r, (const uint8_t *)g_mapped_file_get_contents(map), size);
    take_stats(&r, stats);
    ocsd_destroy_dcd_tree(r.tree);
    check_ids(&r, stats);
    g_free(r.channels);
    g_mapped_file_unref(map);
    return TRUE;
}

void dcd_stats_free(struct dcd_stats *stats)
{
    g_free(stats->ids);
    stats->ids = NULL;
    stats->n_ids = 0;
}
