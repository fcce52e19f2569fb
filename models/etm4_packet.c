/*
 * ETMv4: elements to packets to bytes.
 * Spec: Arm IHI 0064H.b, chapter 6 "Trace protocol", 6.4 "Instruction trace
 * packets".  Not made, as the features are absent: Discard, Commit,
 * Cancel, Mispredict, Conditional, Q and data packets.
 *
 * Atoms and Address packets are in etm4_branch.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "bits.h"
#include "etm4_internal.h"
#include "etm4_regs.h"

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
    uint8_t *p = etm4_put_begin(e);

    *p++ = 0x81;
    etm4_put_end(e, put_context(e, p, ctx));
}

void etm4_packet_address_context(struct etm4 *e, uint64_t addr, uint8_t is,
                                 const struct etm4_context *ctx)
{
    uint8_t *p = etm4_put_long(e, etm4_put_begin(e), addr, is);

    etm4_put_end(e, put_context(e, p, ctx));
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
    uint8_t *p = etm4_put_begin(e);
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
    etm4_put_end(e, p);
    memset(c->hist, 0, sizeof(c->hist));
    c->rs_n = 0;
    c->ts = 0;
    c->ctx_valid = false;
    c->synced = true;
    c->sync_at = c->made;
}

void etm4_packet_trace_on(struct etm4 *e)
{
    uint8_t *p = etm4_put_begin(e);

    *p++ = 0x04;
    etm4_put_end(e, p);
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
    uint8_t *p = etm4_put_begin(e);

    *p++ = 0x06;
    *p++ = (uint8_t)(type << 1 | 1);
    etm4_put_end(e, p);
    etm4_packet_address(e, ret, is);
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
    uint8_t *p = etm4_put_begin(e);
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
    etm4_put_end(e, p);
    e->enc.ts = ts;
    e->enc.ts_mark = e->enc.made;
}

/* 0b0111EEEE: a bit per event */
void etm4_packet_event(struct etm4 *e, unsigned events)
{
    uint8_t *p = etm4_put_begin(e);

    *p++ = (uint8_t)(0x70 | events);
    etm4_put_end(e, p);
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
    uint8_t *p = etm4_put_begin(e);

    if (c->cycles > cycles_max(e)) {
        *p++ = 0x0f;
    } else if (above < 4) {
        *p++ = (uint8_t)(0x10 | above);
    } else {
        *p++ = 0x0e;
        p = put_leb(p, (uint32_t)above);
    }
    etm4_put_end(e, p);
    c->cycles = 0;
}

void etm4_packet_overflow(struct etm4 *e)
{
    uint8_t *p = etm4_put_begin(e);

    *p++ = 0x00;
    *p++ = 0x05;
    etm4_put_end(e, p);
    e->enc.atoms = 0;
    e->enc.natoms = 0;
    e->enc.synced = false;
}
