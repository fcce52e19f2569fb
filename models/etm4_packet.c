/*
 * ETMv4: elements to packets to bytes.
 * Spec: Arm IHI 0064H.b, chapter 6 "Trace protocol", 6.4 "Instruction trace
 * packets".  Not made, as the features are absent: Overflow, Discard,
 * Cycle Count, Commit, Cancel, Mispredict, Conditional, Q and data packets.
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

static uint8_t *put_atoms(uint8_t *p, uint64_t w, unsigned n)
{
    return put_atoms_while(p, w, n, 1, &w, &n);
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

static uint8_t *put_history(struct etm4 *e, uint8_t *p, uint64_t addr,
                            uint8_t is)
{
    e->enc.hist[2] = e->enc.hist[1];
    e->enc.hist[1] = e->enc.hist[0];
    e->enc.hist[0] = addr;
    e->enc.hist_is[2] = e->enc.hist_is[1];
    e->enc.hist_is[1] = e->enc.hist_is[0];
    e->enc.hist_is[0] = is;
    return p;
}

/* Two 7-bit bytes IS0, or one of 7 and one of 8 bits IS1, then the rest. */
static uint8_t *put_long(uint8_t *p, uint64_t addr, uint8_t is, unsigned n)
{
    uint8_t b[8];

    store_le64(b, addr);
    b[0] = (uint8_t)(is ? addr >> 1 & 0x7f : addr >> 2 & 0x7f);
    b[1] = (uint8_t)(is ? addr >> 8 & 0xff : addr >> 9 & 0x7f);
    memcpy(p, b, n);
    return p + n;
}

static uint64_t aligned(uint64_t addr, uint8_t is)
{
    return addr & ~(is ? 1ull : 3ull);
}

static uint8_t *put_address(struct etm4 *e, uint8_t *p, uint64_t addr,
                            uint8_t is)
{
    const struct etm4_encoder *c = &e->enc;
    unsigned shift = is ? 1 : 2;
    uint64_t diff;

    addr = aligned(addr, is);
    diff = addr ^ c->hist[0];
    if (diff == 0 && c->hist_is[0] == is) {
        *p++ = 0x90;                       /* 0b100100QE: exact match, QE */
    } else if (addr == c->hist[1] && c->hist_is[1] == is) {
        *p++ = 0x91;
    } else if (addr == c->hist[2] && c->hist_is[2] == is) {
        *p++ = 0x92;
    } else if (diff >> (7 + shift) == 0) {
        *p++ = is ? 0x96 : 0x95;           /* short, one byte */
        *p++ = (uint8_t)(addr >> shift & 0x7f);
    } else if (diff >> (15 + shift) == 0) {
        *p++ = is ? 0x96 : 0x95;           /* short, two bytes */
        *p++ = (uint8_t)(0x80 | (addr >> shift & 0x7f));
        *p++ = (uint8_t)(addr >> (shift + 7));
    } else if (diff >> 32 == 0) {
        *p++ = is ? 0x9b : 0x9a;
        p = put_long(p, addr, is, 4);
    } else {
        *p++ = is ? 0x9e : 0x9d;
        p = put_long(p, addr, is, 8);
    }
    return put_history(e, p, addr, is);
}

void etm4_packet_address(struct etm4 *e, uint64_t addr, uint8_t is)
{
    put_end(e, put_address(e, put_begin(e), addr, is));
}

void etm4_packet_indirect(struct etm4 *e, uint64_t atoms, unsigned n,
                          uint64_t addr)
{
    uint8_t *p = put_begin(e);
    uint8_t is = e->filter.is;

    if (e->enc.natoms) {
        p = put_atoms(p, e->enc.atoms, e->enc.natoms);
        e->enc.atoms = 0;
        e->enc.natoms = 0;
    }
    p = put_atoms(p, atoms | 1ull << (63 - n), n + 1);
    put_end(e, put_address(e, p, addr, is));
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

    addr = aligned(addr, is);
    if ((addr ^ e->enc.hist[0]) >> 32 == 0) {
        *p++ = is ? 0x83 : 0x82;
        p = put_long(p, addr, is, 4);
    } else {
        *p++ = is ? 0x86 : 0x85;
        p = put_long(p, addr, is, 8);
    }
    p = put_context(e, p, ctx);
    put_end(e, put_history(e, p, addr, is));
}

/* ---- the others ---- */

void etm4_packet_sync(struct etm4 *e)
{
    uint8_t *p = put_begin(e);
    struct etm4_encoder *c = &e->enc;

    memset(p, 0, 11);
    p[11] = 0x80;
    p[12] = 0x01;            /* Trace Info: PLCTL says INFO follows, */
    p[13] = 0x01;
    p[14] = 0x00;            /* INFO: no cycle counting, no data trace */
    put_end(e, p + 15);
    memset(c->hist, 0, sizeof(c->hist));
    memset(c->hist_is, 0, sizeof(c->hist_is));
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
    put_end(e, put_address(e, p, ret, is));
}

/* 0x02 and the changed low bits, 7 a byte; a ninth byte holds bits 63:56. */
void etm4_packet_timestamp(struct etm4 *e, uint64_t ts)
{
    uint8_t *p = put_begin(e);
    uint64_t diff;
    unsigned i;

    if (e->params.ts_bits < 64) {
        ts &= (1ull << e->params.ts_bits) - 1;
    }
    diff = ts ^ e->enc.ts;
    *p++ = 0x02;
    for (i = 0; i < 8 && diff >> 7 * (i + 1) != 0; i++) {
        *p++ = (uint8_t)(0x80 | (ts >> 7 * i & 0x7f));
    }
    *p++ = (uint8_t)(i < 8 ? ts >> 7 * i & 0x7f : ts >> 56);
    put_end(e, p);
    e->enc.ts = ts;
    e->enc.ts_mark = e->enc.made;
}

/* 0b0111EEEE: a bit per event */
void etm4_packet_event(struct etm4 *e, unsigned number)
{
    uint8_t *p = put_begin(e);

    *p++ = (uint8_t)(0x70 | 1u << number);
    put_end(e, p);
}
