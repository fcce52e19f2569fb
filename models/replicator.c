/*
 * Trace replicator.  Spec: CoreSight SoC-400 TRM (Arm DDI 0480G), ATB
 * replicator chapter.  Not modelled: integration registers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "replicator.h"

#include <string.h>

#include "replicator_regs.h"

static const struct reg_desc replicator_regs[] = {
#define X(off, flags, reset, mask, name, note) \
    { (off), 1, 4, (uint16_t)(flags), (reset), (mask), #name, (note) },
#define A(off, name, note) \
    { (off), 1, 4, REG_F_ABSENT, 0, 0, #name, (note) },
    REPLICATOR_REGS(X, A)
#undef A
#undef X
};

const struct reg_desc *replicator_table(size_t *n)
{
    *n = sizeof(replicator_regs) / sizeof(replicator_regs[0]);
    return replicator_regs;
}

static const struct reg_desc *find(uint32_t off)
{
    return regs_find(replicator_regs,
                     sizeof(replicator_regs) / sizeof(replicator_regs[0]),
                     off, NULL);
}

/* Both outputs get the chunk, unless the output's filter has the bit of the
 * ID's group of 16. */
static void replicator_push(void *self, unsigned port, uint8_t atid,
                            const uint8_t *bytes, size_t n)
{
    struct replicator *r = self;

    (void)port;
    for (unsigned o = 0; o < REPLICATOR_PORTS; o++) {
        struct atb_count *count = &r->count[o];

        count->in[atid] += n;
        if (!r->is_static && (r->idfilter[o] >> (atid >> 4) & 1u)) {
            atb_count_drop(count, atid, ATB_DROP_FILTERED, n);
        } else if (!atb_push(r->out[o], atid, bytes, n)) {
            atb_count_drop(count, atid, ATB_DROP_NO_PATH, n);
        }
    }
}

/* A flush from either output goes up, whatever the filters say. */
static void replicator_flush(void *self)
{
    const struct replicator *r = self;

    atb_flush(r->in);
}

static const struct atb_ops replicator_ops = {
    replicator_push, replicator_flush
};

void replicator_init(struct replicator *r, bool is_static)
{
    memset(r, 0, sizeof(*r));
    r->atb.ops = &replicator_ops;
    r->atb.self = r;
    r->is_static = is_static;
    r->mgmt.devid = REPLICATOR_PORTS;
    r->mgmt.devtype = 0x22;                /* trace link, replicator */
    r->mgmt.part = 0x909;
    r->mgmt.revision = 2;
    r->mgmt.has_lock = true;
    r->mgmt.claim_bits = 4;
    replicator_reset(r);
}

void replicator_reset(struct replicator *r)
{
    cs_mgmt_reset(&r->mgmt);
    for (unsigned o = 0; o < REPLICATOR_PORTS; o++) {
        r->idfilter[o] = replicator_regs[o].reset;
    }
}

enum reg_result replicator_read(struct replicator *r, uint32_t off,
                                uint32_t *val)
{
    const struct reg_desc *d;

    *val = 0;
    if (r->is_static) {
        return REG_RES0;
    }
    if (off >= 0xf00) {
        return cs_mgmt_read(&r->mgmt, off, val);
    }
    d = find(off);
    if (!d || (d->flags & REG_F_ABSENT)) {
        return REG_RES0;
    }
    *val = r->idfilter[d->off == REPLICATOR_IDFILTER1];
    return REG_OK;
}

enum reg_result replicator_write(struct replicator *r, uint32_t off,
                                 uint32_t val)
{
    const struct reg_desc *d;
    enum reg_result result;

    if (r->is_static) {
        return REG_RES0;
    }
    if (off >= 0xf00) {
        return cs_mgmt_write(&r->mgmt, off, val);
    }
    d = find(off);
    result = regs_write_rule(d, r->mgmt.locked, true);
    if (result != REG_OK) {
        return result;
    }
    r->idfilter[d->off == REPLICATOR_IDFILTER1] = val & d->mask;
    return val & ~d->mask ? REG_RESERVED : REG_OK;
}
