/*
 * Reader of the execution log (hw/exec_log_format.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "cli/exec_log.h"
#include "hw/exec_log_format.h"

#define NONE UINT32_MAX

/* Versions of the opcode at one VA, newest first. */
struct version {
    uint32_t run, opcode, older;
};

/* VA to versions: open addressing, capacity a power of two. */
struct xl_opcodes {
    uint64_t *va;
    uint32_t *newest;
    size_t cap, used;
    struct version *versions;
    size_t n_versions, cap_versions;
};

/* A place in the file, with what is left of a record's block. */
struct cursor {
    const uint8_t *p, *end;
    gboolean bad;
};

/* TRCACVRn of a CPU's unit, as 32-bit words; IHI 0064H.b, 7.3. */
#define TRCACVR       0x400u
#define TRCACVR_WORDS 32u

struct comparators {
    uint32_t word[TRCACVR_WORDS];
    gboolean any;               /* one was ever written other than zero */
};

struct reader {
    const char *file;
    struct xl_log *log;
    uint32_t *next_block;       /* by CPU */
    uint32_t *state;            /* by CPU: the state that holds */
    GHashTable *state_index;    /* of struct xl_state copies */
    struct comparators *comparators;    /* by CPU */
    char *error;
};

static void bad(struct reader *r, const char *fmt, ...) G_GNUC_PRINTF(2, 3);

static void bad(struct reader *r, const char *fmt, ...)
{
    va_list ap;
    char *text;

    va_start(ap, fmt);
    text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    if (!r->error) {
        r->error = g_strdup_printf("%s: %s", r->file, text);
    }
    g_free(text);
}

/* Room for one more in an array that grows. */
#define GROW(array, n, cap) \
    do { \
        if ((n) == (cap)) { \
            (cap) = (cap) ? 2 * (cap) : 64; \
            (array) = g_renew(__typeof__(*(array)), (array), (cap)); \
        } \
    } while (0)

static uint64_t get_le(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < n; i++) {
        v |= (uint64_t)p[i] << (8 * i);
    }
    return v;
}

static uint64_t take_le(struct cursor *c, unsigned n)
{
    uint64_t v;

    if ((size_t)(c->end - c->p) < n) {
        c->bad = TRUE;
        c->p = c->end;
        return 0;
    }
    v = get_le(c->p, n);
    c->p += n;
    return v;
}

static uint64_t take_v(struct cursor *c)
{
    uint64_t v = 0;
    unsigned shift = 0;

    while (c->p < c->end && shift < 64) {
        uint8_t b = *c->p++;

        v |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80)) {
            return v;
        }
        shift += 7;
    }
    c->bad = TRUE;
    return 0;
}

static int64_t take_z(struct cursor *c)
{
    uint64_t v = take_v(c);

    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* zlib's CRC-32, by a table. */
static uint32_t crc_of(const uint8_t *p, size_t n)
{
    static uint32_t table[256];
    uint32_t crc = 0xffffffffu;

    if (!table[1]) {
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t v = i;

            for (int k = 0; k < 8; k++) {
                v = (v >> 1) ^ (v & 1 ? 0xedb88320u : 0);
            }
            table[i] = v;
        }
    }
    while (n--) {
        crc = table[(crc ^ *p++) & 0xff] ^ (crc >> 8);
    }
    return ~crc;
}

/* ---- opcodes ------------------------------------------------------------ */

static size_t slot_of(const uint64_t *va, const uint32_t *newest, size_t cap,
                      uint64_t key)
{
    size_t i = (size_t)((key * 0x9e3779b97f4a7c15ull) >> 24) & (cap - 1);

    while (newest[i] != NONE && va[i] != key) {
        i = (i + 1) & (cap - 1);
    }
    return i;
}

static void opcodes_grow(struct xl_opcodes *o)
{
    size_t cap = o->cap ? 2 * o->cap : 4096;
    uint64_t *va = g_new(uint64_t, cap);
    uint32_t *newest = g_new(uint32_t, cap);

    memset(newest, 0xff, cap * sizeof(*newest));
    for (size_t i = 0; i < o->cap; i++) {
        if (o->newest[i] != NONE) {
            size_t k = slot_of(va, newest, cap, o->va[i]);

            va[k] = o->va[i];
            newest[k] = o->newest[i];
        }
    }
    g_free(o->va);
    g_free(o->newest);
    o->va = va;
    o->newest = newest;
    o->cap = cap;
}

static void opcodes_add(struct xl_opcodes *o, uint64_t va, uint32_t run,
                        uint32_t opcode)
{
    size_t i;

    if (2 * (o->used + 1) > o->cap) {
        opcodes_grow(o);
    }
    i = slot_of(o->va, o->newest, o->cap, va);
    GROW(o->versions, o->n_versions, o->cap_versions);
    o->versions[o->n_versions] = (struct version){
        .run = run, .opcode = opcode, .older = o->newest[i],
    };
    if (o->newest[i] == NONE) {
        o->va[i] = va;
        o->used++;
    }
    o->newest[i] = (uint32_t)o->n_versions++;
}

gboolean xl_opcode(const struct xl_cpu *cpu, uint64_t va, uint32_t run,
                   uint32_t *opcode)
{
    const struct xl_opcodes *o = cpu->opcodes;
    const struct version *v;
    size_t i;

    if (!o->cap) {
        return FALSE;
    }
    i = slot_of(o->va, o->newest, o->cap, va);
    if (o->newest[i] == NONE) {
        return FALSE;
    }
    v = &o->versions[o->newest[i]];
    while (v->run > run && v->older != NONE) {
        v = &o->versions[v->older];
    }
    *opcode = v->opcode;
    return TRUE;
}

/* ---- records ------------------------------------------------------------ */

/*
 * Runs are cut before and behind each comparator's address, so that a filter
 * has one answer for a run.
 * returns: how many of @n instructions from @va on come before the next cut.
 */
static uint64_t before_cut(const struct comparators *c, uint64_t va,
                           uint64_t n)
{
    for (unsigned i = 0; c->any && i < TRCACVR_WORDS; i += 2) {
        uint64_t at = (c->word[i] | (uint64_t)c->word[i + 1] << 32) & ~3ull;

        for (unsigned k = 0; k < 2; k++, at += 4) {
            if (at > va && (at - va) / 4 < n) {
                n = (at - va) / 4;
            }
        }
    }
    return n;
}

static void comparator_written(struct comparators *c, uint32_t offset,
                               uint32_t value)
{
    if (offset >= TRCACVR && offset < TRCACVR + 4 * TRCACVR_WORDS) {
        c->word[(offset - TRCACVR) / 4] = value;
        c->any = c->any || value;
    }
}

static void add_run(struct reader *r, unsigned n, struct cursor *c,
                    uint64_t *expect, gboolean has_opcodes)
{
    struct xl_cpu *cpu = &r->log->cpus[n];
    uint64_t va = *expect + 4 * (uint64_t)take_z(c);
    uint64_t count = take_v(c);

    if (c->bad || !count || count > UINT32_MAX || cpu->n_runs >= NONE ||
        (has_opcodes && count > (uint64_t)(c->end - c->p) / 4)) {
        c->bad = TRUE;
        return;
    }
    *expect = va + 4 * count;
    cpu->n_insns += count;
    while (count) {
        uint64_t part = before_cut(&r->comparators[n], va, count);

        for (uint64_t i = 0; has_opcodes && i < part; i++) {
            opcodes_add(cpu->opcodes, va + 4 * i, (uint32_t)cpu->n_runs,
                        (uint32_t)take_le(c, 4));
        }
        GROW(cpu->runs, cpu->n_runs, cpu->cap_runs);
        cpu->runs[cpu->n_runs++] = (struct xl_run){
            .va = va, .n = (uint32_t)part, .state = r->state[n],
        };
        va += 4 * part;
        count -= part;
    }
}

static guint state_hash(gconstpointer p)
{
    const struct xl_state *s = p;

    return s->contextidr * 31 + s->vmid * 17 + s->el * 4u + s->ns;
}

static gboolean state_equal(gconstpointer p, gconstpointer q)
{
    const struct xl_state *a = p, *b = q;

    return a->el == b->el && a->ns == b->ns && a->vmid == b->vmid &&
           a->contextidr == b->contextidr;
}

static uint32_t state_number(struct reader *r, const struct xl_state *s)
{
    struct xl_log *log = r->log;
    gpointer found;

    if (g_hash_table_lookup_extended(r->state_index, s, NULL, &found)) {
        return GPOINTER_TO_UINT(found);
    }
    GROW(log->states, log->n_states, log->cap_states);
    log->states[log->n_states] = *s;
    g_hash_table_insert(r->state_index, g_memdup2(s, sizeof(*s)),
                        GUINT_TO_POINTER((guint)log->n_states));
    return (uint32_t)log->n_states++;
}

static void add_event(struct reader *r, unsigned n, struct cursor *c,
                      unsigned kind)
{
    struct xl_cpu *cpu = &r->log->cpus[n];
    struct xl_event e = { .kind = kind, .run = (uint32_t)cpu->n_runs };
    struct xl_state s;

    e.seq = take_v(c);
    switch (kind) {
    case EXEC_LOG_STATE:
        s.el = (uint8_t)take_le(c, 1);
        s.ns = !!(s.el & EXEC_LOG_STATE_NS);
        s.el &= EXEC_LOG_STATE_EL;
        s.contextidr = (uint32_t)take_v(c);
        s.vmid = (uint32_t)take_v(c);
        e.a = r->state[n] = state_number(r, &s);
        break;
    case EXEC_LOG_EXCEPTION:
        e.a = (uint32_t)take_le(c, 1);
        e.c = take_le(c, 8);
        e.d = take_le(c, 8);
        break;
    case EXEC_LOG_REG:
        e.a = (uint32_t)take_v(c);
        e.b = (uint32_t)take_v(c);
        comparator_written(&r->comparators[n], e.a, e.b);
        break;
    case EXEC_LOG_SINK:
        e.a = (uint32_t)take_v(c);
        e.b = (uint32_t)take_le(c, 1);
        e.c = take_v(c);
        break;
    case EXEC_LOG_WINDOW:
        e.a = (uint32_t)take_le(c, 1);
        break;
    case EXEC_LOG_GAP:
        break;
    default:
        c->bad = TRUE;
    }
    GROW(cpu->events, cpu->n_events, cpu->cap_events);
    cpu->events[cpu->n_events++] = e;
}

static gboolean read_payload(struct reader *r, unsigned cpu, uint32_t records,
                             struct cursor c)
{
    uint64_t expect = 0;
    uint32_t n = 0;

    while (c.p < c.end && !c.bad) {
        unsigned kind = (unsigned)take_le(&c, 1);

        if (kind == EXEC_LOG_RUN || kind == EXEC_LOG_RUN_NEW) {
            add_run(r, cpu, &c, &expect, kind == EXEC_LOG_RUN_NEW);
        } else {
            add_event(r, cpu, &c, kind);
        }
        n++;
    }
    return !c.bad && n == records;
}

/* returns: TRUE while there may be more blocks. */
static gboolean read_block(struct reader *r, const uint8_t *base,
                           struct cursor *c, uint64_t number, gboolean *ended)
{
    size_t at = (size_t)(c->p - base);
    const uint8_t *h = c->p;
    uint32_t len, records;
    unsigned cpu;

    if (c->end - c->p < EXEC_LOG_BLOCK_HEADER ||
        get_le(h, 4) != EXEC_LOG_BLOCK_MAGIC) {
        bad(r, "byte %zu: no block begins here", at);
        return FALSE;
    }
    cpu = (unsigned)get_le(h + 4, 2);
    len = (uint32_t)get_le(h + 8, 4);
    records = (uint32_t)get_le(h + 20, 4);
    c->p += EXEC_LOG_BLOCK_HEADER;
    if (len > (size_t)(c->end - c->p)) {
        bad(r, "byte %zu: the log ends in the middle of a block", at);
        return FALSE;
    }
    if (crc_of(c->p, len) != get_le(h + 12, 4)) {
        bad(r, "byte %zu: the checksum of the block is wrong", at);
        return FALSE;
    }
    if (cpu == EXEC_LOG_END_CPU) {
        *ended = TRUE;
        if (len != 8 || get_le(c->p, 8) != number || c->p + 8 != c->end) {
            bad(r, "byte %zu: %" G_GUINT64_FORMAT " blocks, but its end "
                "says otherwise", at, number);
        }
        return FALSE;
    }
    if (cpu >= r->log->n_cpus || get_le(h + 16, 4) != r->next_block[cpu]) {
        bad(r, "byte %zu: CPU %u: a block is missing", at, cpu);
        return FALSE;
    }
    r->next_block[cpu]++;
    if (!read_payload(r, cpu, records,
                      (struct cursor){ .p = c->p, .end = c->p + len })) {
        bad(r, "byte %zu: CPU %u: a record in this block is not one", at,
            cpu);
        return FALSE;
    }
    c->p += len;
    return TRUE;
}

static void read_all(struct reader *r, const uint8_t *base, size_t size)
{
    struct cursor c = { .p = base, .end = base + size };
    gboolean ended = FALSE;
    uint64_t blocks = 0;

    if (size < EXEC_LOG_HEADER_SIZE || memcmp(base, EXEC_LOG_MAGIC, 8)) {
        bad(r, "not an execution log");
        return;
    }
    if (get_le(base + 8, 2) != EXEC_LOG_VERSION) {
        bad(r, "version %u of the execution log, %u is expected",
            (unsigned)get_le(base + 8, 2), EXEC_LOG_VERSION);
        return;
    }
    r->log->n_cpus = (unsigned)get_le(base + 10, 2);
    r->log->cpus = g_new0(struct xl_cpu, r->log->n_cpus);
    r->next_block = g_new0(uint32_t, r->log->n_cpus);
    r->comparators = g_new0(struct comparators, r->log->n_cpus);
    r->state = g_new0(uint32_t, r->log->n_cpus);
    for (unsigned i = 0; i < r->log->n_cpus; i++) {
        r->log->cpus[i].opcodes = g_new0(struct xl_opcodes, 1);
    }
    c.p += EXEC_LOG_HEADER_SIZE;
    while (c.p < c.end && read_block(r, base, &c, blocks, &ended)) {
        blocks++;
    }
    if (!ended) {
        bad(r, "the log has no end: was the simulator killed?");
    }
}

struct xl_log *xl_read(const char *file, char **error)
{
    struct reader r = { .file = file };
    struct xl_state none = { 0 };
    GError *e = NULL;
    GMappedFile *map = g_mapped_file_new(file, FALSE, &e);

    if (!map) {
        *error = g_strdup(e->message);
        g_error_free(e);
        return NULL;
    }
    r.log = g_new0(struct xl_log, 1);
    r.state_index = g_hash_table_new_full(state_hash, state_equal, g_free,
                                          NULL);
    state_number(&r, &none);
    read_all(&r, (const uint8_t *)g_mapped_file_get_contents(map),
             g_mapped_file_get_length(map));
    g_mapped_file_unref(map);
    g_hash_table_destroy(r.state_index);
    g_free(r.next_block);
    g_free(r.comparators);
    g_free(r.state);
    if (r.error) {
        *error = r.error;
        xl_free(r.log);
        return NULL;
    }
    return r.log;
}

gboolean xl_has_end(const char *file)
{
    enum { TAIL = EXEC_LOG_BLOCK_HEADER + 8 };
    uint8_t tail[TAIL];
    FILE *f = fopen(file, "rb");
    gboolean ok = f && !fseek(f, -(long)TAIL, SEEK_END) &&
                  fread(tail, TAIL, 1, f) == 1;

    if (f) {
        fclose(f);
    }
    return ok && get_le(tail, 4) == EXEC_LOG_BLOCK_MAGIC &&
           get_le(tail + 4, 2) == EXEC_LOG_END_CPU;
}

void xl_free(struct xl_log *log)
{
    for (unsigned i = 0; i < log->n_cpus; i++) {
        struct xl_opcodes *o = log->cpus[i].opcodes;

        g_free(o->va);
        g_free(o->newest);
        g_free(o->versions);
        g_free(o);
        g_free(log->cpus[i].runs);
        g_free(log->cpus[i].events);
    }
    g_free(log->cpus);
    g_free(log->states);
    g_free(log);
}
