/*
 * ETMv4: elements to packets to bytes.
 * Spec: Arm IHI 0064H.b, chapter 6 "Trace protocol", 6.4 "Instruction trace
 * packets".  Not made, as the features are absent: Discard, Commit,
 * Cancel, Mispredict, Conditional, Q and data packets.
 *
 * CHOICE: the packet of each element is the shortest one that can carry it;
 * atoms are packed so that their number of packets is minimal (every suffix of
 * an atom packet is an atom packet, so the longest match first is optimal).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "bits.h"
#include "etm4_internal.h"
#include "etm4_regs.h"

/* The next free byte of the FIFO; etm4_pe() keeps room for a record. */
static uint8_t *put_begin(struct etm4 *e)
{
    return e->fifo.byte + e->fifo.fill;
}

static void put_end(struct etm4 *e, const uint8_t *p)
{
    uint32_t fill = (uint32_t)(p - e->fifo.byte);

    e->enc.made += fill - e->fifo.fill;
    e->fifo.fill = fill;
}

/* ---- atoms ---- */

/*
 * Packets for up to five atoms that do not start with EEE and more, indexed by
 * a sentinel bit followed by the atoms, oldest highest.  In the packets the
 * oldest atom is the lowest bit: 0b1111011A F1, 0b110110AA F2, 0b11111AAA F3,
 * 0b110111xx F4 (NEEE, NNNN, NENE, ENEN), F5 (NEEEE, NNNNN, NENEN, ENENE).
 */
#define ATOMS_LONGEST 24u

struct atom_code {
    uint8_t byte;
    uint8_t len;
};

#define F3(p) (uint8_t)(0xf8 | ((p) >> 2 & 1) | ((p) & 2) | ((p) << 2 & 4))
#define F4(p) (uint8_t)((p) == 0x7 ? 0xdc : (p) == 0x0 ? 0xdd : \
                        (p) == 0x5 ? 0xde : (p) == 0xa ? 0xdf : 0)
#define F5(p) (uint8_t)((p) == 0x0f ? 0xf5 : (p) == 0x00 ? 0xd5 : \
                        (p) == 0x0a ? 0xd6 : (p) == 0x15 ? 0xd7 : 0)
#define CODE3(p) { F3(p), 3 }
#define CODE4(p) { F4(p) ? F4(p) : F3((p) >> 1), F4(p) ? 4 : 3 }
#define CODE5(p) { F5(p) ? F5(p) : F4((p) >> 1) ? F4((p) >> 1) : \
                   F3((p) >> 2), F5(p) ? 5 : F4((p) >> 1) ? 4 : 3 }
#define EIGHT(code, p) code((p) + 0), code((p) + 1), code((p) + 2), \
    code((p) + 3), code((p) + 4), code((p) + 5), code((p) + 6), code((p) + 7)

static const struct atom_code atom_codes[64] = {
    { 0, 0 }, { 0, 0 },
    { 0xf6, 1 }, { 0xf7, 1 },
    { 0xd8, 2 }, { 0xda, 2 }, { 0xd9, 2 }, { 0xdb, 2 },
    EIGHT(CODE3, 0),
    EIGHT(CODE4, 0), EIGHT(CODE4, 8),
    EIGHT(CODE5, 0), EIGHT(CODE5, 8), EIGHT(CODE5, 16), EIGHT(CODE5, 24),
};

/*
 * Encode the @n atoms of @w, oldest at bit 63, bits below them zero, as long as
 * at least @least are left (ATOMS_LONGEST: each match is certain).
 * @rest, @nrest: out, the atoms left, laid out as @w.
 * returns: the next free byte.
 */
static uint8_t *put_atoms_while(uint8_t *p, uint64_t w, unsigned n,
                                unsigned least, uint64_t *rest,
                                unsigned *nrest)
{
    while (n >= least) {
        unsigned run = w == UINT64_MAX ? 64 : clz64(~w);
        unsigned len;

        if (run >= 3 && n > 3) {
            /* F6, 0b11A00000 + COUNT: COUNT + 3 E atoms, then E or (A) N */
            if (run >= 24) {
                len = 24;
                *p++ = 0xd4;
            } else if (run < n) {
                len = run + 1;
                *p++ = (uint8_t)(0xe0 + (run - 3));
            } else {
                len = run;
                *p++ = (uint8_t)(0xc0 + (run - 4));
            }
        } else {
            unsigned k = n < 5 ? n : 5;
            const struct atom_code *c = &atom_codes[1u << k | w >> (64 - k)];

            len = c->len;
            *p++ = c->byte;
        }
        w <<= len;
        n -= len;
    }
    *rest = w;
    *nrest = n;
    return p;
}

/*
 * All that up to ATOMS_SHORT atoms make, indexed by a sentinel bit followed by
 * the atoms, oldest highest: packets from the lowest byte on, their number in
 * the highest.  Filled once by etm4_packet_init(), constant from then on.
 */
#define ATOMS_SHORT 8u
static uint32_t short_runs[2u << ATOMS_SHORT];

void etm4_packet_init(void)
{
    unsigned n, w;

    if (short_runs[2]) {
        return;
    }
    for (n = ATOMS_SHORT; n > 0; n--) {
        for (w = 0; w < 1u << n; w++) {
            uint8_t b[4] = { 0 };
            uint64_t rest;
            unsigned nrest;
            uint8_t *end = put_atoms_while(b, (uint64_t)w << (64 - n), n, 1,
                                           &rest, &nrest);

            short_runs[1u << n | w] = load_le32(b) |
                                      (uint32_t)(end - b) << 24;
        }
    }
}

/* As put_atoms_while() down to none; writes up to four bytes ahead. */
static uint8_t *put_atoms(uint8_t *p, uint64_t w, unsigned n)
{
    uint32_t run;

    if (n > ATOMS_SHORT) {
        p = put_atoms_while(p, w, n, ATOMS_SHORT + 1, &w, &n);
    }
    if (n == 0) {
        return p;
    }
    run = short_runs[1u << n | w >> (64 - n)];
    store_le32(p, run);
    return p + (run >> 24);
}

void etm4_packet_atoms(struct etm4 *e)
{
    put_end(e, put_atoms(put_begin(e), e->enc.atoms, e->enc.natoms));
    e->enc.atoms = 0;
    e->enc.natoms = 0;
}

void etm4_packet_add_atoms(struct etm4 *e, uint64_t atoms, unsigned n)
{
    struct etm4_encoder *c = &e->enc;

    if (n == 0) {
        return;
    }
    while (c->natoms + n >= 64) {
        unsigned fit = 64 - c->natoms;

        c->atoms |= atoms >> c->natoms;
        atoms <<= fit;
        n -= fit;
        put_end(e, put_atoms_while(put_begin(e), c->atoms, 64, ATOMS_LONGEST,
                                   &c->atoms, &c->natoms));
    }
    c->atoms |= atoms >> c->natoms;
    c->natoms += n;
}

/* ---- addresses ---- */

/*
 * The form of an address packet: exact match of entry 0, 1, 2, short with one
 * and two bytes, long with 32 and 64 bits; 6.4.8.
 */
enum form { MATCH0, MATCH1, MATCH2, SHORT1, SHORT2, LONG32, LONG64 };

static const struct {
    uint8_t head[2];             /* for sub-ISA IS0, IS1 */
    uint8_t len;
} forms[] = {
    [MATCH0] = { { 0x90, 0x90 }, 1 }, [MATCH1] = { { 0x91, 0x91 }, 1 },
    [MATCH2] = { { 0x92, 0x92 }, 1 }, [SHORT1] = { { 0x95, 0x96 }, 2 },
    [SHORT2] = { { 0x95, 0x96 }, 3 }, [LONG32] = { { 0x9a, 0x9b }, 5 },
    [LONG64] = { { 0x9d, 0x9e }, 9 },
};

/*
 * History entries and `key`s are addresses with the sub-ISA in bit 0, which no
 * instruction address has, so that one comparison tells both.
 */
static uint64_t address_key(uint64_t addr, uint8_t is)
{
    return is ? addr | 1 : addr & ~3ull;
}

/* The shortest form; no branches, as addresses are hard to predict. */
static unsigned best_form(const uint64_t hist[ETM4_HISTORY], uint64_t key,
                          unsigned is)
{
    uint64_t diff = key ^ hist[0];
    unsigned form = SHORT1;

    form += diff >> (9 - is) != 0;
    form += diff >> (17 - is) != 0;
    form += diff >> 32 != 0;
    form = key == hist[2] ? (unsigned)MATCH2 : form;
    form = key == hist[1] ? (unsigned)MATCH1 : form;
    return diff == 0 ? (unsigned)MATCH0 : form;
}

static void push_history(uint64_t hist[ETM4_HISTORY], uint64_t key)
{
    hist[2] = hist[1];
    hist[1] = hist[0];
    hist[0] = key;
}

/*
 * The payload: IS0, bits 8:2 and 15:9 in seven bits each, IS1, bits 7:1 in
 * seven and 15:8 in eight; then byte by byte.  The short form with two bytes
 * has a full second byte and bit 7 of the first set.
 */
static uint64_t payload(uint64_t key, unsigned is, bool short2)
{
    unsigned shift = 2 - is;
    uint64_t b0 = key >> shift & 0x7f;
    uint64_t b1 = key >> (shift + 7) & (short2 || is ? 0xff : 0x7f);

    return (key & ~0xffffull) | b1 << 8 | b0 | (short2 ? 0x80 : 0);
}

/* Writes up to nine bytes at @p whatever the packet's length. */
static uint8_t *put_address(uint64_t hist[ETM4_HISTORY], uint8_t *p,
                            uint64_t addr, unsigned is)
{
    uint64_t key = address_key(addr, (uint8_t)is);
    unsigned form = best_form(hist, key, is);

    push_history(hist, key);
    p[0] = forms[form].head[is];
    store_le64(p + 1, payload(key, is, form == SHORT2));
    return p + forms[form].len;
}

void etm4_packet_address(struct etm4 *e, uint64_t addr, uint8_t is)
{
    put_end(e, put_address(e->enc.hist, put_begin(e), addr, is));
}

/* Atoms of a branch record and the E atom of the branch itself. */
static uint8_t *put_branch_atoms(uint8_t *p, uint64_t head)
{
    if (head - 1 < (1u << ATOMS_SHORT) - 1) {
        uint32_t run = short_runs[head << 1 | 1];

        store_le32(p, run);
        return p + (run >> 24);
    } else {
        unsigned n = 63 - clz64(head | 1);      /* 0: no sentinel, no atoms */

        return put_atoms(p, (head << 1 | 1) << (63 - n), n + 1);
    }
}

/* How many bytes may come before the FIFO must be pushed or sync is due. */
static size_t branch_room(const struct etm4 *e)
{
    const struct etm4_encoder *c = &e->enc;
    uint64_t since = c->made - c->sync_at;
    size_t room = ETM4_FIFO_BYTES - ETM4_RECORD_BYTES - e->fifo.fill;

    if (since >= c->sync_every) {
        return 0;
    }
    return c->sync_every - since < room ? (size_t)(c->sync_every - since)
                                        : room;
}

size_t etm4_packet_branches(struct etm4 *e, const struct pe_record *rec,
                            size_t n)
{
    uint8_t *p = put_begin(e), *end = p + branch_room(e);
    unsigned is = e->filter.is;
    uint64_t hist[ETM4_HISTORY];
    size_t i;

    if (p == end || pe_record_kind(rec) != PE_INDIRECT) {
        return 0;
    }
    if (e->enc.natoms) {
        etm4_packet_atoms(e);
        p = put_begin(e);
    }
    memcpy(hist, e->enc.hist, sizeof(hist));
    for (i = 0; i < n && p < end && rec[i].head >> PE_KIND_SHIFT == PE_INDIRECT;
         i++) {
        p = put_branch_atoms(p, rec[i].head);
        p = put_address(hist, p, rec[i].addr, is);
    }
    memcpy(e->enc.hist, hist, sizeof(hist));
    put_end(e, p);
    return i;
}

/* ---- context ---- */

/* 0bCV-SF.NS.0--EL (bits 7, 6, 4, 5, 1:0), VMID, Context ID; 6.4.9 */
static uint8_t *put_context(struct etm4 *e, uint8_t *p,
                            const struct etm4_context *ctx)
{
    struct etm4_encoder *c = &e->enc;
    bool v = (e->regs.configr & TRCCONFIGR_VMID) &&
             (!c->ctx_valid || ctx->vmid != c->ctx.vmid);
    bool id = (e->regs.configr & TRCCONFIGR_CID) &&
              (!c->ctx_valid || ctx->cid != c->ctx.cid);
    unsigned i;

    *p++ = (uint8_t)(ctx->el | (ctx->a64 ? 0x10 : 0) | (ctx->ns ? 0x20 : 0) |
                     (v ? 0x40 : 0) | (id ? 0x80 : 0));
    for (i = 0; v && i < e->params.vmid_size; i++) {
        *p++ = (uint8_t)(ctx->vmid >> 8 * i);
    }
    for (i = 0; id && i < 4; i++) {
        *p++ = (uint8_t)(ctx->cid >> 8 * i);
    }
    c->ctx = *ctx;
    c->ctx_valid = true;
    return p;
}

bool etm4_context_differs(const struct etm4 *e,
                          const struct etm4_context *ctx)
{
    const struct etm4_context *old = &e->enc.ctx;

    return !e->enc.ctx_valid || ctx->el != old->el || ctx->ns != old->ns ||
           ctx->a64 != old->a64 ||
           ((e->regs.configr & TRCCONFIGR_CID) && ctx->cid != old->cid) ||
           ((e->regs.configr & TRCCONFIGR_VMID) && ctx->vmid != old->vmid);
}

void etm4_packet_context(struct etm4 *e, const struct etm4_context *ctx)
{
    uint8_t *p = put_begin(e);

    *p++ = 0x81;
    put_end(e, put_context(e, p, ctx));
}

void etm4_packet_address_context(struct etm4 *e, uint64_t addr, uint8_t is,
                                 const struct etm4_context *ctx)
{
    uint8_t *p = put_begin(e);
    uint64_t key = address_key(addr, is);

    store_le64(p + 1, payload(key, is, false));
    if ((key ^ e->enc.hist[0]) >> 32 == 0) {
        p[0] = is ? 0x83 : 0x82;
        p += 5;
    } else {
        p[0] = is ? 0x86 : 0x85;
        p += 9;
    }
    push_history(e->enc.hist, key);
    put_end(e, put_context(e, p, ctx));
}

/* ---- the others ---- */

/* 7 bits a byte, the lowest first; bit 7: more follow. */
static uint8_t *put_leb(uint8_t *p, uint32_t v)
{
    while (v > 0x7f) {
        *p++ = (uint8_t)(0x80 | (v & 0x7f));
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

void etm4_packet_sync(struct etm4 *e)
{
    uint8_t *p = put_begin(e);
    struct etm4_encoder *c = &e->enc;

    memset(p, 0, 11);
    p[11] = 0x80;
    p[12] = 0x01;            /* Trace Info: PLCTL says INFO follows, */
    p[13] = 0x01;
    p[14] = 0x00;            /* INFO: no cycle counting, no data trace */
    p += 15;
    if (e->use.cc_threshold) {
        p[-2] = 0x09;        /* and CYCT: the threshold */
        p[-1] = 0x01;        /* INFO.CC */
        p = put_leb(p, e->use.cc_threshold);
    }
    put_end(e, p);
    memset(c->hist, 0, sizeof(c->hist));
    c->rs_n = 0;
    c->ts = 0;
    c->ctx_valid = false;
    c->synced = true;
    c->sync_at = c->made;
}

void etm4_packet_trace_on(struct etm4 *e)
{
    uint8_t *p = put_begin(e);

    *p++ = 0x04;
    put_end(e, p);
    e->enc.ctx_valid = false;
    e->enc.rs_n = 0;
}

/*
 * 0x06, then 0 E1 TYPE E0 with E = 0b01: an Exception element only.
 * CHOICE: E = 0b10 (the address is also the target of the branch before) is
 * never used: that Target Address element has its own packet already, and the
 * address packet here is then an exact match of one byte.
 */
void etm4_packet_exception(struct etm4 *e, unsigned type, uint64_t ret,
                           uint8_t is)
{
    uint8_t *p = put_begin(e);

    *p++ = 0x06;
    *p++ = (uint8_t)(type << 1 | 1);
    put_end(e, put_address(e->enc.hist, p, ret, is));
}

static uint32_t cycles_max(const struct etm4 *e)
{
    return (1u << e->params.cc_bits) - 1u;
}

/*
 * 0x02 and the changed low bits, 7 a byte; a ninth byte holds bits 63:56.  With
 * cycle counting 0x03, and the cycles since the last Cycle Count element.
 * CHOICE: that count saturates at the size of the cycle counter.
 */
void etm4_packet_timestamp(struct etm4 *e, uint64_t ts)
{
    uint8_t *p = put_begin(e);
    uint64_t diff;
    unsigned i;

    if (e->params.ts_bits < 64) {
        ts &= (1ull << e->params.ts_bits) - 1;
    }
    diff = ts ^ e->enc.ts;
    *p++ = e->use.cc_threshold ? 0x03 : 0x02;
    for (i = 0; i < 8 && diff >> 7 * (i + 1) != 0; i++) {
        *p++ = (uint8_t)(0x80 | (ts >> 7 * i & 0x7f));
    }
    *p++ = (uint8_t)(i < 8 ? ts >> 7 * i & 0x7f : ts >> 56);
    if (e->use.cc_threshold) {
        p = put_leb(p, e->enc.cycles < cycles_max(e)
                    ? (uint32_t)e->enc.cycles : cycles_max(e));
    }
    put_end(e, p);
    e->enc.ts = ts;
    e->enc.ts_mark = e->enc.made;
}

/* 0b0111EEEE: a bit per event */
void etm4_packet_event(struct etm4 *e, unsigned events)
{
    uint8_t *p = put_begin(e);

    *p++ = (uint8_t)(0x70 | events);
    put_end(e, p);
}

/*
 * Format 3, 0b000100CC, up to three cycles above the threshold; Format 1,
 * 0b00001110 and what is above the threshold; 0b00001111: UNKNOWN.  TRCIDR0.
 * COMMOPT is 1, so that none has a commit field; Format 2 would save nothing.
 * CHOICE: more cycles than the cycle counter holds are UNKNOWN.
 */
void etm4_packet_cycles(struct etm4 *e)
{
    struct etm4_encoder *c = &e->enc;
    uint64_t above = c->cycles - e->use.cc_threshold;
    uint8_t *p = put_begin(e);

    if (c->cycles > cycles_max(e)) {
        *p++ = 0x0f;
    } else if (above < 4) {
        *p++ = (uint8_t)(0x10 | above);
    } else {
        *p++ = 0x0e;
        p = put_leb(p, (uint32_t)above);
    }
    put_end(e, p);
    c->cycles = 0;
}

void etm4_packet_overflow(struct etm4 *e)
{
    uint8_t *p = put_begin(e);

    *p++ = 0x00;
    *p++ = 0x05;
    put_end(e, p);
    e->enc.atoms = 0;
    e->enc.natoms = 0;
    e->enc.synced = false;
}
