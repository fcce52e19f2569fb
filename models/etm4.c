/*
 * ETMv4: registers, programming rules and the life of a session.
 * Spec: Arm IHI 0064H.b, chapter 7 "Register descriptions"; 7.2.1 for when
 * registers accept writes; 3.3 for the OS lock and power.
 *
 * CHOICE: a write to a register that may only be programmed in the idle state
 * is ignored while the unit is not idle.
 * CHOICE: memory-mapped accesses are the PE's own: the OS lock stops tracing
 * and never blocks them; the software lock (TRCLAR) blocks writes only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "bits.h"
#include "etm4_internal.h"
#include "etm4_regs.h"
#include "regs_mgmt.h"

static const struct reg_desc trace_regs[] = {
#define X(off, count, stride, flags, reset, mask, name, member) \
    { (off), (count), (stride), (uint16_t)(flags), (reset), (mask), #name },
    ETM4_REGS(X)
#undef X
};

/* Where each register of trace_regs[] is kept: a word of struct etm4_regs. */
static const uint16_t trace_words[] = {
#define X(off, count, stride, flags, reset, mask, name, member) \
    (uint16_t)(offsetof(struct etm4_regs, member) / sizeof(uint32_t)),
    ETM4_REGS(X)
#undef X
};

#define TRACE_REGS (sizeof(trace_regs) / sizeof(trace_regs[0]))
#define MGMT_PAGE  0xf00u

const struct reg_desc *etm4_table(size_t *n)
{
    *n = TRACE_REGS;
    return trace_regs;
}

void etm4_params_default(struct etm4_params *p)
{
    memset(p, 0, sizeof(*p));
    p->arch_minor = 2;
    p->part = 0xd0c;
    p->counters = 2;
    p->rs_pairs = 8;
    p->cid_size = 4;
    p->vmid_size = 1;
    p->ts_bits = 64;
    p->exlevel_ns = 0x3;
    p->exlevel_s = 0x0;
    p->cycles_per_tick = 16;
}

const char *etm4_params_check(const struct etm4_params *p)
{
    if (p->arch_minor > 6) {
        return "arch-minor: 0 to 6";
    }
    if (p->part > 0xfff) {
        return "part: 12 bits";
    }
    if (p->counters > ETM4_COUNTERS) {
        return "counters: 0 to 4";
    }
    if (p->rs_pairs < 1 || p->rs_pairs > ETM4_SELECTORS / 2) {
        return "rs-pairs: 1 to 16";
    }
    if (p->cid_size != 0 && p->cid_size != 4) {
        return "cid-size: 0 or 4";
    }
    if (p->vmid_size != 0 && p->vmid_size != 1 && p->vmid_size != 2 &&
        p->vmid_size != 4) {
        return "vmid-size: 0, 1, 2 or 4";
    }
    if (p->ts_bits != 0 && p->ts_bits != 48 && p->ts_bits != 64) {
        return "ts-bits: 0, 48 or 64";
    }
    if (p->exlevel_ns > 0x7) {
        return "exlevel-ns: bits 0 to 2";
    }
    if (p->exlevel_s > 0xf) {
        return "exlevel-s: bits 0 to 3";
    }
    if (p->cycles_per_tick < 1) {
        return "cycles-per-tick: at least 1";
    }
    return NULL;
}

/* ---- identification, 7.3 TRCIDR0-13 ---- */

static uint32_t idr0(const struct etm4_params *p)
{
    uint32_t tssize = p->ts_bits == 64 ? 8u : p->ts_bits == 48 ? 6u : 0u;

    return 1u << 29 | tssize << 24 | 1u;      /* COMMOPT, TSSIZE, RES1 */
}

static uint32_t idr2(const struct etm4_params *p)
{
    return (uint32_t)p->vmid_size << 10 | (uint32_t)p->cid_size << 5 | 8u;
}

/* TRCIDRn, @n 0..13 */
static uint32_t idr(const struct etm4_params *p, unsigned n)
{
    switch (n) {
    case 0:
        return idr0(p);
    case 1:                                   /* Arm, RES1, 4.minor, r0 */
        return 0x4100f400u | (uint32_t)p->arch_minor << 4;
    case 2:
        return idr2(p);
    case 3:
        return (uint32_t)p->exlevel_ns << 20 | (uint32_t)p->exlevel_s << 16;
    case 4:
        return (uint32_t)(p->rs_pairs - 1) << 16;
    case 5:                                   /* NUMCNTR, TRACEIDSIZE 7 */
        return (uint32_t)p->counters << 28 | 7u << 16;
    default:
        return 0;
    }
}

/* ---- sessions ---- */

static bool may_run(const struct etm4 *e)
{
    return (e->regs.prgctlr & TRCPRGCTLR_EN) && !e->regs.oslk;
}

/* TRCPRGCTLR.EN or the OS lock changed. */
static void run_update(struct etm4 *e)
{
    if (may_run(e)) {
        if (e->state == ETM4_IDLE) {
            etm4_filter_start(e);
            e->state = ETM4_STARTING;
        }
    } else if (e->state != ETM4_IDLE) {
        e->state = ETM4_STOPPING;
    }
}

void etm4_stopped(struct etm4 *e)
{
    if (e->state != ETM4_STOPPING) {
        return;
    }
    etm4_deliver(e);
    e->filter.pe_on = false;
    e->filter.view = false;
    e->state = ETM4_IDLE;
    run_update(e);
}

enum etm4_state etm4_state(const struct etm4 *e)
{
    return e->state;
}

static void flush_op(void *self)
{
    etm4_deliver(self);
}

static const struct atb_ops source_ops = { NULL, flush_op };

void etm4_reset(struct etm4 *e)
{
    uint32_t *words = &e->regs.prgctlr;
    size_t i, k;

    etm4_fifo_clear(e);
    memset(&e->regs, 0, sizeof(e->regs));
    for (i = 0; i < TRACE_REGS; i++) {
        for (k = 0; trace_regs[i].reset && k < trace_regs[i].count; k++) {
            words[trace_words[i] + k] = trace_regs[i].reset;
        }
    }
    e->regs.oslk = 1;
    e->regs.stickypd = 1;
    cs_mgmt_reset(&e->mgmt);
    etm4_filter_start(e);
    e->state = ETM4_IDLE;
}

void etm4_init(struct etm4 *e, const struct etm4_params *p)
{
    memset(e, 0, sizeof(*e));
    etm4_packet_init();
    e->params = *p;
    e->atb.ops = &source_ops;
    e->atb.self = e;
    e->mgmt.devarch = 0x47704a13u | (uint32_t)p->arch_minor << 16;
    e->mgmt.devtype = 0x13;
    /* non-invasive debug only, implemented and permitted: 0b11 per state */
    e->mgmt.authstatus = p->exlevel_s ? 0xccu : 0x0cu;
    e->mgmt.devaff0 = (uint32_t)p->mpidr;
    e->mgmt.devaff1 = (uint32_t)(p->mpidr >> 32);
    e->mgmt.part = p->part;
    e->mgmt.revision = 4;
    e->mgmt.has_lock = true;
    e->mgmt.claim_bits = 4;
    etm4_reset(e);
}

/* ---- register access ---- */

uint32_t etm4_reg_mask(const struct etm4 *e, const struct reg_desc *d,
                       unsigned index)
{
    const struct etm4_params *p = &e->params;

    switch (d->off) {
    case TRCCONFIGR:
        return (p->cid_size ? TRCCONFIGR_CID : 0) |
               (p->vmid_size ? TRCCONFIGR_VMID : 0) |
               (p->ts_bits ? TRCCONFIGR_TS : 0);
    case TRCTSCTLR:
        return p->ts_bits ? d->mask : 0;
    case TRCVICTLR:
        return (d->mask & 0xffffu) | (uint32_t)p->exlevel_s << 16 |
               (uint32_t)p->exlevel_ns << 20;
    case TRCCNTCTLR:
        if (!(index & 1)) {
            return index < p->counters ? d->mask & ~TRCCNTCTLR_CNTCHAIN : 0;
        }
        return index < p->counters ? d->mask : 0;
    case TRCCNTRLDVR:
    case TRCCNTVR:
        return index < p->counters ? d->mask : 0;
    case TRCRSCTLR:
        if (index < 2 || index >= 2u * p->rs_pairs) {
            return 0;
        }
        return index & 1 ? d->mask & ~TRCRSCTLR_PAIRINV : d->mask;
    default:
        return d->flags & (REG_F_RO | REG_F_ABSENT) ? 0 : d->mask;
    }
}

/*
 * Bits that software may write as 1 without that being worth a report: the
 * exclude bits of Exception levels that are not implemented.
 */
static uint32_t quiet_bits(const struct reg_desc *d)
{
    return d->off == TRCVICTLR ? 0x00ff0000u : 0;
}

static const struct reg_desc *find(uint32_t off, unsigned size,
                                   unsigned *index, enum reg_result *why)
{
    const struct reg_desc *d;

    *why = REG_OK;
    if ((size != 4 && size != 8) || off % size != 0) {
        *why = REG_SIZE;
        return NULL;
    }
    d = regs_find(trace_regs, TRACE_REGS, off, index);
    if (size == 8 && (!d || !(d->flags & REG_F_64))) {
        *why = REG_SIZE;
        return NULL;
    }
    if (!d) {
        *why = REG_RES0;
    }
    return d;
}

static uint32_t *word_of(struct etm4 *e, const struct reg_desc *d,
                         unsigned index)
{
    uint32_t *words = &e->regs.prgctlr;

    return words + trace_words[d - trace_regs] + index;
}

static uint32_t read_pdsr(struct etm4 *e)
{
    uint32_t val = TRCPDSR_POWER | (e->regs.oslk ? TRCPDSR_OSLK : 0) |
                   (e->regs.stickypd ? TRCPDSR_STICKYPD : 0);

    e->regs.stickypd = 0;
    return val;
}

static uint32_t read_trace(struct etm4 *e, const struct reg_desc *d,
                           unsigned index)
{
    switch (d->off) {
    case TRCSTATR:
        return e->state == ETM4_IDLE ? TRCSTATR_IDLE | TRCSTATR_PMSTABLE : 0;
    case TRCIDR8:
        return idr(&e->params, 8 + index);
    case TRCIDR0:
        return idr(&e->params, index);
    case TRCOSLSR:
        return TRCOSLSR_OSLM | (e->regs.oslk ? TRCOSLSR_OSLK : 0);
    case TRCPDSR:
        return read_pdsr(e);
    default:
        return *word_of(e, d, index);
    }
}

enum reg_result etm4_read(struct etm4 *e, uint32_t off, unsigned size,
                          uint64_t *val, uint64_t now_ns)
{
    const struct reg_desc *d;
    enum reg_result why;
    unsigned index = 0;

    (void)now_ns;              /* no latencies: idle as soon as drained */
    *val = 0;
    if (off >= MGMT_PAGE && size == 4 && off % 4 == 0) {
        uint32_t v;

        why = cs_mgmt_read(&e->mgmt, off, &v);
        *val = v;
        return why;
    }
    d = find(off, size, &index, &why);
    if (!d) {
        return why;
    }
    if (d->flags & REG_F_WO) {
        return REG_WO;
    }
    if ((d->flags & REG_F_ABSENT) ||
        (!(d->flags & REG_F_RO) && !etm4_reg_mask(e, d, index))) {
        return REG_RES0;
    }
    *val = read_trace(e, d, index);
    return REG_OK;
}

static void write_trace(struct etm4 *e, const struct reg_desc *d,
                        unsigned index, uint32_t val)
{
    switch (d->off) {
    case TRCPRGCTLR:
        e->regs.prgctlr = val;
        run_update(e);
        break;
    case TRCOSLAR:
        e->regs.oslk = val & TRCOSLAR_OSLK;
        run_update(e);
        break;
    default:
        *word_of(e, d, index) = val;
        break;
    }
}

enum reg_result etm4_write(struct etm4 *e, uint32_t off, unsigned size,
                           uint64_t val, uint64_t now_ns)
{
    const struct reg_desc *d;
    enum reg_result why;
    unsigned index = 0;
    uint32_t mask;

    (void)now_ns;
    if (off >= MGMT_PAGE && size == 4 && off % 4 == 0) {
        return cs_mgmt_write(&e->mgmt, off, (uint32_t)val);
    }
    d = find(off, size, &index, &why);
    if (why == REG_SIZE) {
        return why;
    }
    why = regs_write_rule(d, e->mgmt.locked, e->state == ETM4_IDLE);
    if (why != REG_OK) {
        return why;
    }
    mask = etm4_reg_mask(e, d, index);
    if (!mask) {
        return REG_RES0;
    }
    write_trace(e, d, index, (uint32_t)val & mask);
    return val & ~(uint64_t)(mask | quiet_bits(d)) ? REG_RESERVED : REG_OK;
}

static bool regs_valid(const struct etm4 *e)
{
    const uint32_t *words = &e->regs.prgctlr;
    size_t i;
    unsigned k;

    for (i = 0; i < TRACE_REGS; i++) {
        const struct reg_desc *d = &trace_regs[i];

        if (d->flags & (REG_F_RO | REG_F_WO | REG_F_ABSENT)) {
            continue;
        }
        for (k = 0; k < d->count; k++) {
            if (words[trace_words[i] + k] & ~etm4_reg_mask(e, d, k)) {
                return false;
            }
        }
    }
    return e->regs.oslk <= 1 && e->regs.stickypd <= 1;
}

bool etm4_valid(const struct etm4 *e)
{
    const struct etm4_encoder *c = &e->enc;

    return e->state <= ETM4_STOPPING && e->fifo.fill <= ETM4_FIFO_BYTES &&
           c->natoms < 64 && !(c->atoms << c->natoms) &&
           e->filter.ctx.el <= 3 && c->ctx.el <= 3 && e->filter.is <= 1 &&
           regs_valid(e);
}
