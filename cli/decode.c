/*
 * csvirt decode: what the sinks captured, by OpenCSD.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/follow.h"
#include "cli/symbols.h"

#define ERRORS_SHOWN 10u
#define TOP_DEFAULT  20

static const char summary[] =
    "Decodes every read-out of the snapshot folder DIR with OpenCSD: packets\n"
    "by kind, bytes and synchronisation points of each trace ID, errors with\n"
    "the byte at which they are. With --exec-log or --elf packets are decoded\n"
    "to instructions, and counted by function. Exit status 1: errors.";

static char *exec_log, **elf;
static gboolean list_packets;
static int top = TOP_DEFAULT;

static const GOptionEntry entries[] = {
    { "exec-log", 0, 0, G_OPTION_ARG_FILENAME, &exec_log,
      "take the code from an execution log", "FILE" },
    { "elf", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &elf,
      "program whose functions are named (and, without --exec-log, whose "
      "code is decoded)", "FILE" },
    { "top", 0, 0, G_OPTION_ARG_INT, &top, "how many functions (20)", "N" },
    { "packets", 0, 0, G_OPTION_ARG_NONE, &list_packets,
      "list every packet", NULL },
    { NULL, 0, 0, 0, NULL, NULL, NULL }
};

/* Packets of one kind. */
struct kind {
    ocsd_etmv4_i_pkt_type type;
    char *name;                 /* OpenCSD's */
    uint64_t packets, bytes;
};

struct id_count {
    unsigned atid;
    GArray *kinds;              /* struct kind */
    uint64_t instructions;
};

/* Instructions of one function, by its first address. */
struct function_count {
    const struct sym_function *fn;
    uint64_t n;
};

struct decode {
    const struct snap_readout *readout;
    struct symbols symbols;
    struct follow follow;
    struct xl_log *log;         /* NULL: none */
    GArray *ids;                /* struct id_count of this read-out */
    GHashTable *functions;      /* sym_function to function_count */
    uint64_t unknown, instructions;
    uint64_t errors, no_code;
    unsigned shown;
};

/* ---- packets ------------------------------------------------------------ */

static struct id_count *id_of(struct decode *d, unsigned atid)
{
    struct id_count id = { .atid = atid };

    for (guint i = 0; i < d->ids->len; i++) {
        struct id_count *have = &g_array_index(d->ids, struct id_count, i);

        if (have->atid == atid) {
            return have;
        }
    }
    id.kinds = g_array_new(FALSE, TRUE, sizeof(struct kind));
    g_array_append_val(d->ids, id);
    return &g_array_index(d->ids, struct id_count, d->ids->len - 1);
}

static struct kind *kind_of(struct id_count *id,
                            const ocsd_etmv4_i_pkt *packet, const char *text)
{
    struct kind kind = { .type = packet->type };

    for (guint i = 0; i < id->kinds->len; i++) {
        struct kind *have = &g_array_index(id->kinds, struct kind, i);

        if (have->type == packet->type) {
            return have;
        }
    }
    kind.name = g_strndup(text, strcspn(text, " :;,"));
    g_array_append_val(id->kinds, kind);
    return &g_array_index(id->kinds, struct kind, id->kinds->len - 1);
}

/* Not synchronised up to the end is no packet cut short. */
static gboolean is_bad(const ocsd_etmv4_i_pkt *packet)
{
    return (packet->type == ETM4_PKT_I_INCOMPLETE_EOT &&
            packet->err_type != ETM4_PKT_I_NOTSYNC) ||
           packet->type == ETM4_PKT_I_BAD_SEQUENCE ||
           packet->type == ETM4_PKT_I_BAD_TRACEMODE ||
           packet->type == ETM4_PKT_I_RESERVED ||
           packet->type == ETM4_PKT_I_RESERVED_CFG;
}

static void on_error(void *opaque, const char *text)
{
    struct decode *d = opaque;

    d->errors++;
    if (++d->shown <= ERRORS_SHOWN) {
        printf("  ERROR %s\n", text);
    }
}

static void on_packet(void *opaque, unsigned atid, uint64_t index,
                      const ocsd_etmv4_i_pkt *packet, const uint8_t *bytes,
                      uint32_t n)
{
    struct decode *d = opaque;
    struct id_count *id = id_of(d, atid);
    char text[1024] = "";
    struct kind *kind;

    ocsd_pkt_str(OCSD_PROTOCOL_ETMV4I, packet, text, sizeof(text));
    kind = kind_of(id, packet, text);
    kind->packets++;
    kind->bytes += n;
    if (list_packets) {
        printf("  %8" G_GUINT64_FORMAT " 0x%02x", index, atid);
        for (uint32_t i = 0; i < n; i++) {
            printf(" %02x", bytes[i]);
        }
        printf("  %s\n", text);
    }
    if (is_bad(packet)) {
        char *what = g_strdup_printf("byte %" G_GUINT64_FORMAT ", ID 0x%02x: "
                                     "%s", index, atid, text);

        on_error(d, what);
        g_free(what);
    }
}

/* ---- instructions ------------------------------------------------------- */

static void count_at(struct decode *d, uint64_t va, uint64_t n)
{
    const struct sym_function *fn = symbols_find(&d->symbols, va);
    struct function_count *c;

    if (!fn) {
        d->unknown += n;
        return;
    }
    c = g_hash_table_lookup(d->functions, fn);
    if (!c) {
        c = g_new0(struct function_count, 1);
        c->fn = fn;
        g_hash_table_insert(d->functions, (gpointer)fn, c);
    }
    c->n += n;
}

static void on_element(void *opaque, unsigned atid, uint64_t index,
                       const ocsd_generic_trace_elem *el)
{
    struct decode *d = opaque;

    if (d->log) {
        follow_element(&d->follow, atid, index, el);
    }
    if (el->elem_type == OCSD_GEN_TRC_ELEM_ADDR_NACC) {
        d->no_code++;
    }
    if (el->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE) {
        id_of(d, atid)->instructions += el->num_instr_range;
        d->instructions += el->num_instr_range;
        /* A range seldom crosses a function, but it may. */
        for (uint32_t i = 0; elf && i < el->num_instr_range; i++) {
            count_at(d, el->st_addr + (uint64_t)4 * i, 1);
        }
    }
}

static gboolean on_memory(void *opaque, unsigned atid, uint64_t va,
                          uint32_t *opcode)
{
    struct decode *d = opaque;

    return d->log ? follow_memory(&d->follow, atid, va, opcode)
                  : symbols_opcode(&d->symbols, va, opcode);
}

/* ---- printing ----------------------------------------------------------- */

static gint by_packets(gconstpointer a, gconstpointer b)
{
    const struct kind *x = a, *y = b;

    return x->packets < y->packets ? 1 : x->packets > y->packets ? -1
           : strcmp(x->name, y->name);
}

static const struct dcd_id_stats *stats_of(const struct dcd_stats *stats,
                                           unsigned atid)
{
    static const struct dcd_id_stats none;

    for (size_t i = 0; i < stats->n_ids; i++) {
        if (stats->ids[i].atid == atid) {
            return &stats->ids[i];
        }
    }
    return &none;
}

static void print_id(const struct decode *d, struct id_count *id,
                     const struct dcd_stats *stats)
{
    const struct snap_source *s = snap_source_of(d->readout, id->atid);
    const struct dcd_id_stats *st = stats_of(stats, id->atid);
    uint64_t packets = 0, syncs = 0;

    g_array_sort(id->kinds, by_packets);
    for (guint i = 0; i < id->kinds->len; i++) {
        const struct kind *k = &g_array_index(id->kinds, struct kind, i);

        packets += k->packets;
        syncs += k->type == ETM4_PKT_I_ASYNC ? k->packets : 0;
    }
    printf("  ID 0x%02x %s: %" G_GUINT64_FORMAT " bytes, %" G_GUINT64_FORMAT
           " packets, %" G_GUINT64_FORMAT " syncs, %" G_GUINT64_FORMAT
           " bytes before the first, %u bad headers, %u bad sequences\n",
           id->atid, s ? s->name : "?", st->bytes, packets, syncs,
           st->unsynced, st->bad_headers, st->bad_sequences);
    for (guint i = 0; i < id->kinds->len; i++) {
        const struct kind *k = &g_array_index(id->kinds, struct kind, i);

        printf("    %-24s %10" G_GUINT64_FORMAT " packets %10"
               G_GUINT64_FORMAT " bytes\n", k->name, k->packets, k->bytes);
    }
    if (exec_log || elf) {
        printf("    %-24s %10" G_GUINT64_FORMAT "\n", "instructions",
               id->instructions);
    }
}

static void clear_ids(struct decode *d)
{
    for (guint i = 0; i < d->ids->len; i++) {
        GArray *kinds = g_array_index(d->ids, struct id_count, i).kinds;

        for (guint k = 0; k < kinds->len; k++) {
            g_free(g_array_index(kinds, struct kind, k).name);
        }
        g_array_free(kinds, TRUE);
    }
    g_array_set_size(d->ids, 0);
}

static gint by_count(gconstpointer a, gconstpointer b)
{
    const struct function_count *x = a, *y = b;

    return x->n < y->n ? 1 : x->n > y->n ? -1 : strcmp(x->fn->name,
                                                       y->fn->name);
}

static void print_functions(struct decode *d)
{
    GList *list = g_list_sort(g_hash_table_get_values(d->functions),
                              by_count);
    int n = 0;

    for (GList *l = list; l && n < top; l = l->next, n++) {
        const struct function_count *c = l->data;

        printf("%12" G_GUINT64_FORMAT " %5.1f%% %s\n", c->n,
               100.0 * (double)c->n / (double)d->instructions, c->fn->name);
    }
    if (d->unknown) {
        printf("%12" G_GUINT64_FORMAT " %5.1f%% (elsewhere)\n", d->unknown,
               100.0 * (double)d->unknown / (double)d->instructions);
    }
    g_list_free(list);
}

/* ---- the command -------------------------------------------------------- */

static gboolean has_etm4(const struct snap_readout *ro)
{
    for (size_t i = 0; i < ro->n_sources; i++) {
        if (ro->sources[i].etm4) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean decode_readout(struct decode *d,
                               const struct snap_readout *ro)
{
    gboolean full = exec_log || elf;
    const struct dcd_client client = {
        .opaque = d, .packet = on_packet, .error = on_error,
        .element = full ? on_element : NULL,
        .memory = full ? on_memory : NULL,
    };
    struct dcd_stats stats;
    char *error = NULL;

    d->readout = ro;
    d->shown = 0;
    if (!has_etm4(ro)) {
        printf("%s: no ETMv4 source: not decoded\n", ro->label);
        return TRUE;
    }
    if (d->log) {
        follow_begin(&d->follow, ro);
    }
    printf("%s:\n", ro->label);
    if (!dcd_run(ro, &client, &stats, &error)) {
        fflush(stdout);
        say("%s", error);
        g_free(error);
        return FALSE;
    }
    if (d->log) {
        follow_end(&d->follow);
    }
    if (d->shown > ERRORS_SHOWN) {
        printf("  ... %u errors\n", d->shown);
    }
    printf("  %" G_GUINT64_FORMAT " bytes%s, %" G_GUINT64_FORMAT " of them "
           "IDs, %" G_GUINT64_FORMAT " padding\n", stats.bytes,
           ro->wrapped ? " (wrapped)" : "", stats.frame, stats.reserved);
    for (guint i = 0; i < d->ids->len; i++) {
        print_id(d, &g_array_index(d->ids, struct id_count, i), &stats);
    }
    clear_ids(d);
    dcd_stats_free(&stats);
    return TRUE;
}

static int decode_all(struct decode *d, const struct snap_set *set)
{
    uint64_t errors;

    for (size_t i = 0; i < set->n_readouts; i++) {
        if (!decode_readout(d, &set->readouts[i])) {
            return CLI_USAGE;
        }
    }
    if (elf && d->instructions) {
        printf("functions:\n");
        print_functions(d);
    }
    /* Code that --elf does not have is no error of the trace. */
    errors = d->errors + (d->log ? d->no_code : 0);
    printf("decode: %zu read-outs, ", set->n_readouts);
    if (exec_log || elf) {
        printf("%" G_GUINT64_FORMAT " instructions, ", d->instructions);
    }
    if (d->no_code) {
        printf("%" G_GUINT64_FORMAT " times no code, ", d->no_code);
    }
    printf("%" G_GUINT64_FORMAT " errors\n", errors);
    return errors ? CLI_FAILED : CLI_OK;
}

static gboolean load(struct decode *d, char **error)
{
    for (char **e = elf; e && *e; e++) {
        if (!symbols_add(&d->symbols, *e, error)) {
            return FALSE;
        }
    }
    if (exec_log) {
        d->log = xl_read(exec_log, error);
        if (!d->log) {
            return FALSE;
        }
        follow_init(&d->follow, d->log, TRUE);
    }
    return TRUE;
}

int cmd_decode(int argc, char **argv)
{
    struct decode d = { 0 };
    struct snap_set *set;
    char *error = NULL;
    int status = CLI_USAGE;

    if (!cli_options(&argc, &argv, entries, "DIR", summary)) {
        return CLI_USAGE;
    }
    if (argc != 2) {
        say("decode: DIR is needed (see csvirt decode --help)");
        return CLI_USAGE;
    }
    d.ids = g_array_new(FALSE, TRUE, sizeof(struct id_count));
    d.functions = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    symbols_init(&d.symbols);
    set = snap_open(argv[1], &error);
    if (set && load(&d, &error)) {
        status = decode_all(&d, set);
    } else {
        say("%s", error);
        g_free(error);
    }
    if (d.log) {
        follow_free(&d.follow);
        xl_free(d.log);
    }
    symbols_free(&d.symbols);
    g_hash_table_destroy(d.functions);
    clear_ids(&d);
    g_array_free(d.ids, TRUE);
    if (set) {
        snap_free(set);
    }
    return status;
}
