/*
 * TMC: registers and the state machine.
 * Spec: Arm DDI 0461B, 2.2.1 (states), chapter 3 (registers).  The way of the
 * bytes is in tmc_etr.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tmc_internal.h"

#include <string.h>

#include "bits.h"
#include "regs_mgmt.h"

static const struct reg_desc tmc_regs[] = {
#define X(off, flags, reset, mask, name, note) \
    { (off), 1, 4, (uint16_t)(flags), (reset), (mask), #name, (note) },
#define A(off, name, note) \
    { (off), 1, 4, REG_F_ABSENT, 0, 0, #name, (note) },
    TMC_REGS(X, A)
#undef A
#undef X
};

const struct reg_desc *tmc_table(size_t *n)
{
    *n = sizeof(tmc_regs) / sizeof(tmc_regs[0]);
    return tmc_regs;
}

static const struct reg_desc *find(uint32_t off)
{
    return regs_find(tmc_regs, sizeof(tmc_regs) / sizeof(tmc_regs[0]), off,
                     NULL);
}

void tmc_params_default(struct tmc_params *p)
{
    memset(p, 0, sizeof(*p));
    p->axi_addr_bits = 40;
    p->mem_width_log2 = 6;
    p->rearm = true;
    p->flush_ns = 1000;
    p->ready_ns = 500;
}

/* "Device Configuration Register"; MEMWIDTH 2 is 32 bits, 5 is 256. */
static uint32_t etr_devid(const struct tmc_params *p)
{
    uint32_t id = 0;

    id = field_set(id, TMC_DEVID_NOSCAT, 1);
    id = field_set(id, TMC_DEVID_AXIAW, p->axi_addr_bits);
    id = field_set(id, TMC_DEVID_AXIAW_VALID, 1);
    id = field_set(id, TMC_DEVID_MEMWIDTH, p->mem_width_log2 - 3u);
    return field_set(id, TMC_DEVID_CONFIGTYPE, TMC_CONFIG_ETR);
}

void tmc_init(struct tmc *t, const struct tmc_params *params,
              const struct tmc_ops *ops)
{
    memset(t, 0, sizeof(*t));
    t->ops = *ops;
    t->params = *params;
    if (t->params.axi_addr_bits < 32 || t->params.axi_addr_bits > 52) {
        t->params.axi_addr_bits = 40;
    }
    if (t->params.mem_width_log2 < 5 || t->params.mem_width_log2 > 8) {
        t->params.mem_width_log2 = 6;
    }
    t->atb.ops = &tmc_atb_ops;
    t->atb.self = t;
    t->mgmt.devid = params->devid ? params->devid : etr_devid(&t->params);
    t->mgmt.devtype = 0x21;      /* trace sink, buffer */
    t->mgmt.authstatus = 0x0f;   /* non-secure debug, both kinds, enabled */
    t->mgmt.part = params->soc600 ? 0x9e8 : 0x961;
    t->mgmt.revision = 1;
    t->mgmt.has_lock = !params->soc600;  /* SoC-600 has no software lock */
    t->mgmt.claim_bits = 4;
    tmc_reset(t);
}

void tmc_reset(struct tmc *t)
{
    tmc_drop_waiting(t, ATB_DROP_SINK_DISABLED);
    cs_mgmt_reset(&t->mgmt);
    t->rsz = t->trg = t->ctl = t->bufwm = t->axictl = 0;
    t->dbalo = t->dbahi = t->sts = t->ffcr = t->lbuflevel = 0;
    t->pscr = 0xa;
    t->rrp = t->rwp = 0;
    t->state = TMC_DISABLED;
    t->due_ns = 0;
    t->flush_now = t->flush_next = 0;
    t->flush_wanted = t->announced = t->trg_counting = false;
}

/* TMCReady and FtEmpty: stopped or disabled, and drained. */
static bool ready(const struct tmc *t)
{
    return t->state == TMC_DISABLED || t->state == TMC_STOPPED;
}

void tmc_settle(struct tmc *t, enum tmc_state to)
{
    t->state = to;
    t->trg = 0;              /* cleared as TMCReady rises, DDI 0461B 3.3.6 */
    t->trg_counting = false;
    t->flush_now = t->flush_next = 0;
    t->flush_wanted = false;
    t->ffcr &= ~TMC_FFCR_FLUSHMAN;
}

void tmc_request_flush(struct tmc *t, uint8_t who, uint64_t now_ns)
{
    if (t->state != TMC_RUNNING) {
        return;              /* nothing to flush: acknowledged at once */
    }
    if (who == TMC_FLUSH_MAN) {
        t->ffcr |= TMC_FFCR_FLUSHMAN;
    }
    if (t->flush_now) {
        t->flush_next |= who;
        return;
    }
    t->flush_now = who;
    t->due_ns = now_ns + t->params.flush_ns;
}

static void finish_flush(struct tmc *t)
{
    if (t->flush_now & TMC_FLUSH_MAN) {
        t->ffcr &= ~TMC_FFCR_FLUSHMAN;
    }
    t->flush_now = 0;
    if (t->ffcr & TMC_FFCR_TRIGONFL) {
        tmc_insert_trigger(t);
    }
    if (t->state != TMC_RUNNING) {
        return;
    }
    if (t->ffcr & TMC_FFCR_STOPONFL) {
        tmc_drain(t, TMC_STOPPING, t->due_ns);
    } else if (t->flush_next) {
        t->flush_now = t->flush_next;
        t->flush_next = 0;
        t->due_ns += t->params.flush_ns;
    }
}

void tmc_step(struct tmc *t, uint64_t now_ns)
{
    if (now_ns > t->now_ns) {
        t->now_ns = now_ns;
    }
    while (t->state == TMC_RUNNING && t->flush_now &&
           t->now_ns >= t->due_ns) {
        finish_flush(t);
    }
    if (t->now_ns >= t->due_ns) {
        if (t->state == TMC_STOPPING) {
            tmc_settle(t, TMC_STOPPED);
        } else if (t->state == TMC_DISABLING) {
            tmc_settle(t, TMC_DISABLED);
        }
    }
}

void tmc_flush_in(struct tmc *t, uint64_t now_ns)
{
    tmc_step(t, now_ns);
    if (t->ffcr & TMC_FFCR_FONFLIN) {
        tmc_request_flush(t, TMC_FLUSH_IN, t->now_ns);
    }
    tmc_step(t, now_ns);
}

void tmc_trigger_in(struct tmc *t, uint64_t now_ns)
{
    tmc_step(t, now_ns);
    tmc_trigger(t);
    tmc_step(t, now_ns);
}

bool tmc_access_flushes(const struct tmc *t, uint32_t off, bool write,
                        uint32_t val)
{
    if (t->state != TMC_RUNNING) {
        return false;
    }
    if (t->flush_wanted) {
        return true;
    }
    if (write) {
        return !t->mgmt.locked &&
               ((off == TMC_FFCR && (val & TMC_FFCR_FLUSHMAN)) ||
                (off == TMC_CTL && !(val & TMC_CTL_CAPTEN)));
    }
    switch (off) {
    case TMC_STS:
    case TMC_RRP:
    case TMC_RWP:
    case TMC_RRPHI:
    case TMC_RWPHI:
    case TMC_LBUFLEVEL:
    case TMC_CBUFLEVEL:
    case TMC_TRG:
        return true;
    default:
        return false;
    }
}

static uint32_t sts_value(const struct tmc *t)
{
    uint32_t val = t->sts;

    if (ready(t)) {
        val |= TMC_STS_TMCREADY | TMC_STS_FTEMPTY;
    }
    if ((t->ctl & TMC_CTL_CAPTEN) && tmc_level_words(t) == 0) {
        val |= TMC_STS_EMPTY;    /* reads as zero when TraceCaptEn is 0 */
    }
    return val;
}

static uint32_t read_lbuflevel(struct tmc *t)
{
    uint32_t val = t->lbuflevel;

    if (t->mgmt.locked) {
        return 0;            /* the read would change state */
    }
    if (t->ctl & TMC_CTL_CAPTEN) {
        t->lbuflevel = tmc_level_words(t);
    }
    return val;
}

static uint32_t read_reg(struct tmc *t, uint32_t off)
{
    switch (off) {
    case TMC_RSZ:
        return t->rsz;
    case TMC_STS:
        return sts_value(t);
    case TMC_RRD:
        return UINT32_MAX;       /* no data */
    case TMC_RRP:
        return (uint32_t)tmc_rrp(t);
    case TMC_RRPHI:
        return (uint32_t)(tmc_rrp(t) >> 32);
    case TMC_RWP:
        return (uint32_t)t->rwp;
    case TMC_RWPHI:
        return (uint32_t)(t->rwp >> 32);
    case TMC_TRG:
        return t->trg;
    case TMC_CTL:
        return t->ctl;
    case TMC_MODE:
        return 0;                /* circular buffer */
    case TMC_LBUFLEVEL:
        return read_lbuflevel(t);
    case TMC_CBUFLEVEL:
        return t->ctl & TMC_CTL_CAPTEN ? tmc_level_words(t) : 0;
    case TMC_BUFWM:
        return t->bufwm;
    case TMC_AXICTL:
        return t->axictl;
    case TMC_DBALO:
        return t->dbalo;
    case TMC_DBAHI:
        return t->dbahi;
    case TMC_FFSR:
        return (t->flush_now ? TMC_FFSR_FLINPROG : 0) |
               (ready(t) ? TMC_FFSR_FTSTOPPED : 0);
    case TMC_FFCR:
        return t->ffcr;
    case TMC_PSCR:
        return t->pscr;
    default:
        return 0;
    }
}

enum reg_result tmc_read(struct tmc *t, uint32_t off, uint32_t *val,
                         uint64_t now_ns)
{
    const struct reg_desc *d;

    tmc_step(t, now_ns);
    if (off >= 0xf00) {
        return cs_mgmt_read(&t->mgmt, off, val);
    }
    *val = 0;
    d = find(off);
    if (!d || (d->flags & REG_F_ABSENT)) {
        return REG_RES0;
    }
    *val = read_reg(t, d->off);
    return REG_OK;
}

/* Writable bits of this instance: the table's, cut to its parameters. */
static uint32_t write_mask(const struct tmc *t, const struct reg_desc *d)
{
    switch (d->off) {
    case TMC_RRP:
    case TMC_RWP:
    case TMC_DBALO:
        return d->mask & ~(tmc_unit(t) - 1);
    case TMC_RRPHI:
    case TMC_RWPHI:
    case TMC_DBAHI:
        return d->mask &
               (uint32_t)((1ull << (t->params.axi_addr_bits - 32)) - 1);
    case TMC_AXICTL:
        return d->mask & ~(t->params.soc600 ? 0 : TMC_AXICTL_ARCACHE);
    default:
        return d->mask;
    }
}

/* As if TraceCaptEn had been cleared and set. */
static enum reg_result rearm(struct tmc *t)
{
    t->rrp = t->rwp = tmc_base(t);
    t->sts = 0;
    tmc_start(t);
    return REG_BUSY;
}

static enum reg_result write_ctl(struct tmc *t, uint32_t val)
{
    bool on = val & TMC_CTL_CAPTEN;

    switch (t->state) {
    case TMC_DISABLED:
        if (!on) {
            return REG_OK;
        }
        t->ctl = TMC_CTL_CAPTEN;
        return tmc_start(t);
    case TMC_RUNNING:
        if (!on) {
            t->ctl = 0;
            tmc_drain(t, TMC_DISABLING, t->now_ns);
        }
        return REG_OK;
    case TMC_STOPPING:
    case TMC_STOPPED:
        if (on) {
            return t->state == TMC_STOPPED && t->params.rearm ? rearm(t)
                                                              : REG_BUSY;
        }
        t->ctl = 0;
        if (t->state == TMC_STOPPED) {
            tmc_settle(t, TMC_DISABLED);
        } else {
            t->state = TMC_DISABLING;
        }
        return REG_OK;
    case TMC_DISABLING:
        /* CHOICE: UNPREDICTABLE before TMCReady; ignored. */
        return on ? REG_BUSY : REG_OK;
    }
    return REG_OK;
}

static enum reg_result write_ffcr(struct tmc *t, uint32_t val)
{
    const uint32_t fixed = TMC_FFCR_ENFT | TMC_FFCR_ENTI;
    enum reg_result result = REG_OK;

    /* CHOICE: EnFt and EnTI outside DISABLED are UNPREDICTABLE; ignored. */
    if (t->state != TMC_DISABLED && ((t->ffcr ^ val) & fixed)) {
        val = (val & ~fixed) | (t->ffcr & fixed);
        result = REG_BUSY;
    }
    if ((val & TMC_FFCR_FLUSHMAN) && !(t->ffcr & TMC_FFCR_FLUSHMAN)) {
        tmc_request_flush(t, TMC_FLUSH_MAN, t->now_ns);
    }
    t->ffcr = (val & ~TMC_FFCR_FLUSHMAN) | (t->ffcr & TMC_FFCR_FLUSHMAN);
    return result;
}

/* MemErr clears by writing it as one; SoC-600 can also set and clear Full. */
static enum reg_result write_sts(struct tmc *t, uint32_t val)
{
    if (!ready(t)) {
        return REG_BUSY;
    }
    if (val & TMC_STS_MEMERR) {
        t->sts &= ~TMC_STS_MEMERR;
    }
    if (t->params.soc600 && t->state == TMC_DISABLED) {
        t->sts = (t->sts & ~TMC_STS_FULL) | (val & TMC_STS_FULL);
    }
    return REG_OK;
}

static enum reg_result write_reg(struct tmc *t, uint32_t off, uint32_t val)
{
    switch (off) {
    case TMC_RSZ:
        t->rsz = val;
        break;
    case TMC_STS:
        return write_sts(t, val);
    case TMC_RRP:
        t->rrp = (t->rrp & ~(uint64_t)UINT32_MAX) | val;
        break;
    case TMC_RRPHI:
        t->rrp = (t->rrp & UINT32_MAX) | (uint64_t)val << 32;
        break;
    case TMC_RWP:
        t->rwp = (t->rwp & ~(uint64_t)UINT32_MAX) | val;
        break;
    case TMC_RWPHI:
        t->rwp = (t->rwp & UINT32_MAX) | (uint64_t)val << 32;
        break;
    case TMC_TRG:
        t->trg = val;
        break;
    case TMC_CTL:
        return write_ctl(t, val);
    case TMC_BUFWM:
        t->bufwm = val;
        break;
    case TMC_AXICTL:
        t->axictl = val;
        break;
    case TMC_DBALO:
        t->dbalo = val;
        break;
    case TMC_DBAHI:
        t->dbahi = val;
        break;
    case TMC_FFCR:
        return write_ffcr(t, val);
    case TMC_PSCR:
        t->pscr = val;
        break;
    default:
        break;                   /* MODE: circular buffer only */
    }
    return REG_OK;
}

enum reg_result tmc_write(struct tmc *t, uint32_t off, uint32_t val,
                          uint64_t now_ns)
{
    const struct reg_desc *d;
    enum reg_result result;
    uint32_t mask;

    tmc_step(t, now_ns);
    if (off >= 0xf00) {
        return cs_mgmt_write(&t->mgmt, off, val);
    }
    d = find(off);
    result = regs_write_rule(d, t->mgmt.locked, t->state == TMC_DISABLED);
    if (result != REG_OK) {
        return result;
    }
    mask = write_mask(t, d);
    result = write_reg(t, d->off, val & mask);
    tmc_step(t, now_ns);
    /* A driver writes back what it read of STS: no reserved bits there. */
    if (result == REG_OK && (val & ~mask) && d->off != TMC_STS) {
        return REG_RESERVED;
    }
    return result;
}
