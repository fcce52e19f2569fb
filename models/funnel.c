/*
 * Trace funnel.  Spec: CoreSight SoC-400 TRM (Arm DDI 0480G), ATB
 * funnel chapter.  Not modelled: integration registers, arbitration (a chunk
 * passes at once).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "funnel.h"

#include <string.h>

#include "bits.h"
#include "funnel_regs.h"

static const struct reg_desc funnel_regs[] = {
#define X(off, flags, reset, mask, name, note) \
    { (off), 1, 4, (uint16_t)(flags), (reset), (mask), #name, (note) },
#define A(off, name, note) \
    { (off), 1, 4, REG_F_ABSENT, 0, 0, #name, (note) },
    FUNNEL_REGS(X, A)
#undef A
#undef X
};

const struct reg_desc *funnel_table(size_t *n)
{
    *n = sizeof(funnel_regs) / sizeof(funnel_regs[0]);
    return funnel_regs;
}

static const struct reg_desc *find(uint32_t off)
{
    return regs_find(funnel_regs,
                     sizeof(funnel_regs) / sizeof(funnel_regs[0]), off, NULL);
}

static bool port_open(const struct funnel *f, unsigned port)
{
    return f->is_static || (f->functl >> port & 1u);
}

static void funnel_push(void *self, unsigned port, uint8_t atid,
                        const uint8_t *bytes, size_t n)
{
    struct funnel *f = self;

    f->count.in[atid] += n;
    if (port >= FUNNEL_PORTS || !port_open(f, port)) {
        atb_count_drop(&f->count, atid, ATB_DROP_PORT_CLOSED, n);
    } else if (!atb_push(f->out, atid, bytes, n)) {
        atb_count_drop(&f->count, atid, ATB_DROP_NO_PATH, n);
    }
}

/*
 * CHOICE: only open ports are asked.  A closed port is out of the arbitration,
 * and what its source still holds stays there; a chunk that was accepted has
 * left already, so closing a port loses nothing.
 */
static void funnel_flush(void *self)
{
    struct funnel *f = self;
    unsigned open = 0;

    atb_node_lock(&f->atb);
    for (unsigned port = 0; port < FUNNEL_PORTS; port++) {
        open |= (port_open(f, port) ? 1u : 0u) << port;
    }
    atb_node_unlock(&f->atb);
    for (unsigned port = 0; port < FUNNEL_PORTS; port++) {
        if (open >> port & 1u) {
            atb_flush(f->in[port]);
        }
    }
}

static const struct atb_ops funnel_ops = { funnel_push, funnel_flush };

void funnel_init(struct funnel *f, bool is_static)
{
    memset(f, 0, sizeof(*f));
    f->atb.ops = &funnel_ops;
    f->atb.self = f;
    f->is_static = is_static;
    f->mgmt.devid = 0x30 | FUNNEL_PORTS;   /* programmable static priority */
    f->mgmt.devtype = 0x12;                /* trace link, funnel */
    f->mgmt.part = 0x908;
    f->mgmt.revision = 3;
    f->mgmt.has_lock = true;
    f->mgmt.claim_bits = 4;
    funnel_reset(f);
}

void funnel_reset(struct funnel *f)
{
    cs_mgmt_reset(&f->mgmt);
    f->functl = funnel_regs[0].reset;
    f->prictl = funnel_regs[1].reset;
}

enum reg_result funnel_read(struct funnel *f, uint32_t off, uint32_t *val)
{
    const struct reg_desc *d;

    *val = 0;
    if (f->is_static) {
        return REG_RES0;
    }
    if (off >= 0xf00) {
        return cs_mgmt_read(&f->mgmt, off, val);
    }
    d = find(off);
    if (!d || (d->flags & REG_F_ABSENT)) {
        return REG_RES0;
    }
    *val = d->off == FUNNEL_FUNCTL ? f->functl : f->prictl;
    return REG_OK;
}

enum reg_result funnel_write(struct funnel *f, uint32_t off, uint32_t val)
{
    const struct reg_desc *d;
    enum reg_result result;

    if (f->is_static) {
        return REG_RES0;
    }
    if (off >= 0xf00) {
        return cs_mgmt_write(&f->mgmt, off, val);
    }
    d = find(off);
    result = regs_write_rule(d, f->mgmt.locked, true);
    if (result != REG_OK) {
        return result;
    }
    result = val & ~d->mask ? REG_RESERVED : REG_OK;
    val &= d->mask;
    if (d->off == FUNNEL_PRICTL) {
        f->prictl = val;
        return result;
    }
    if (field_get(val, FUNNEL_FUNCTL_HT) == 0xf) {
        /* CHOICE: hold time 0xf is reserved; the old one is kept */
        val = field_set(val, FUNNEL_FUNCTL_HT,
                        field_get(f->functl, FUNNEL_FUNCTL_HT));
        result = REG_RESERVED;
    }
    f->functl = val;
    return result;
}
