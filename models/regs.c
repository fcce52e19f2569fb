/*
 * Register tables: lookup, access rules, and the CoreSight management page.
 * Spec: Arm IHI 0029F (CoreSight v3.0), part B2.  Not modelled: integration
 * mode (ITCTRL reads as zero), the 64-bit DEVAFF beyond what the block gives.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "regs.h"
#include "regs_mgmt.h"

static const struct reg_desc mgmt_regs[] = {
#define X(off, count, stride, flags, mask, name, note) \
    { (off), (count), (stride), (uint16_t)(flags), 0, (mask), #name, (note) },
    CS_MGMT_REGS(X)
#undef X
};

static unsigned reg_count(const struct reg_desc *d)
{
    return d->count ? d->count : 1u;
}

static unsigned reg_stride(const struct reg_desc *d)
{
    if (d->stride) {
        return d->stride;
    }
    return d->flags & REG_F_64 ? 8u : 4u;
}

const struct reg_desc *regs_find(const struct reg_desc *table, size_t n,
                                 uint32_t off, unsigned *index)
{
    const struct reg_desc *d;
    size_t lo = 0, hi = n;
    unsigned stride, pos;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (table[mid].off <= off) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    if (lo == 0) {
        return NULL;
    }
    d = &table[lo - 1];
    stride = reg_stride(d);
    pos = off - d->off;
    if (pos >= reg_count(d) * stride ||
        pos % stride >= (d->flags & REG_F_64 ? 8u : 4u)) {
        return NULL;
    }
    if (index) {
        *index = pos / stride;
    }
    return d;
}

void regs_name(const struct reg_desc *d, unsigned index,
               char name[REG_NAME_MAX])
{
    unsigned n = 0, first = 0, scale = 1;

    while (d->name[n] && n < REG_NAME_MAX - 4) {
        name[n] = d->name[n];
        n++;
    }
    if (d->count > 1) {
        while (n && name[n - 1] >= '0' && name[n - 1] <= '9') {
            first += scale * (unsigned)(name[--n] - '0');
            scale *= 10;
        }
        index += first;
        if (index > 9) {
            name[n++] = (char)('0' + index / 10 % 10);
        }
        name[n++] = (char)('0' + index % 10);
    }
    name[n] = 0;
}

enum reg_result regs_write_rule(const struct reg_desc *d, bool locked,
                                bool idle)
{
    if (!d) {
        return REG_RES0;
    }
    if (locked && !(d->flags & REG_F_NOLAR)) {
        return REG_LOCKED;
    }
    if (d->flags & REG_F_ABSENT) {
        return REG_RES0;
    }
    if (d->flags & REG_F_RO) {
        return REG_RO;
    }
    if ((d->flags & REG_F_IDLE) && !idle) {
        return REG_BUSY;
    }
    return REG_OK;
}

const char *reg_result_text(enum reg_result result)
{
    switch (result) {
    case REG_OK:
        return "ok";
    case REG_RES0:
        return "no such register";
    case REG_RO:
        return "read-only";
    case REG_WO:
        return "write-only";
    case REG_LOCKED:
        return "locked";
    case REG_BUSY:
        return "not idle";
    case REG_RESERVED:
        return "reserved value";
    case REG_SIZE:
        return "bad access size";
    }
    return "unknown result";
}

static uint32_t claim_mask(const struct cs_mgmt *m)
{
    return m->claim_bits >= 32 ? UINT32_MAX : (1u << m->claim_bits) - 1u;
}

void cs_mgmt_reset(struct cs_mgmt *m)
{
    m->claim = 0;
    m->locked = m->has_lock;
}

/* JEP106 code of Arm: continuation 4, identity 0x3b; IHI 0029F, B2.3 */
static uint32_t pidr(const struct cs_mgmt *m, unsigned n)
{
    switch (n) {
    case 0:
        return m->part & 0xffu;
    case 1:
        return 0xb0u | ((m->part >> 8) & 0xfu);
    case 2:
        return ((uint32_t)m->revision & 0xfu) << 4 | 0x8u | 0x3u;
    case 4:
        return 0x04u;
    default:
        return 0;
    }
}

enum reg_result cs_mgmt_read(const struct cs_mgmt *m, uint32_t off,
                             uint32_t *val)
{
    static const uint8_t cidr[4] = { 0x0d, 0x90, 0x05, 0xb1 };
    unsigned i = 0;
    const struct reg_desc *d = regs_find(mgmt_regs,
                                         sizeof(mgmt_regs) /
                                         sizeof(mgmt_regs[0]), off, &i);

    *val = 0;
    if (!d || (d->flags & REG_F_ABSENT)) {
        return REG_RES0;
    }
    switch (d->off) {
    case CS_CLAIMSET:
        *val = claim_mask(m);
        break;
    case CS_CLAIMCLR:
        *val = m->claim;
        break;
    case CS_DEVAFF0:
        *val = m->devaff0;
        break;
    case CS_DEVAFF1:
        *val = m->devaff1;
        break;
    case CS_LAR:
        return REG_WO;
    case CS_LSR:
        *val = (m->has_lock ? CS_LSR_SLI : 0) | (m->locked ? CS_LSR_SLK : 0);
        break;
    case CS_AUTHSTATUS:
        *val = m->authstatus;
        break;
    case CS_DEVARCH:
        *val = m->devarch;
        break;
    case CS_DEVID:
        *val = m->devid;
        break;
    case CS_DEVTYPE:
        *val = m->devtype;
        break;
    case CS_PIDR4:
        *val = pidr(m, 4 + i);
        break;
    case CS_PIDR0:
        *val = pidr(m, i);
        break;
    case CS_CIDR0:
        *val = cidr[i];
        break;
    default:
        break;                /* DEVID1, DEVID2: zero in every component */
    }
    return REG_OK;
}

enum reg_result cs_mgmt_write(struct cs_mgmt *m, uint32_t off, uint32_t val)
{
    const struct reg_desc *d = regs_find(mgmt_regs,
                                         sizeof(mgmt_regs) /
                                         sizeof(mgmt_regs[0]), off, NULL);
    enum reg_result rule = regs_write_rule(d, m->locked, true);

    if (rule != REG_OK) {
        return rule;
    }
    switch (d->off) {
    case CS_CLAIMSET:
        m->claim |= val & claim_mask(m);
        break;
    case CS_CLAIMCLR:
        m->claim &= ~val;
        break;
    case CS_LAR:
        if (!m->has_lock) {
            return REG_RES0;
        }
        m->locked = val != CS_LAR_KEY;
        return REG_OK;
    default:
        return REG_RO;
    }
    return val & ~claim_mask(m) ? REG_RESERVED : REG_OK;
}

const struct reg_desc *cs_mgmt_table(size_t *n)
{
    *n = sizeof(mgmt_regs) / sizeof(mgmt_regs[0]);
    return mgmt_regs;
}
