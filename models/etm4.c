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
#define X(off, count, stride, flags, reset, mask, name, member, note) \
    { (off), (count), (stride), (uint16_t)(flags), (reset), (mask), #name, \
      (note) },
#define A(off, count, stride, name, note) \
    { (off), (count), (stride), ETM4_ABSENT(stride), 0, 0, #name, (note) },
    ETM4_REGS(X, A)
#undef A
#undef X
};

/* Where each register of trace_regs[] is kept: a word of struct etm4_regs. */
static const uint16_t trace_words[] = {
#define WORD(member) \
    (uint16_t)(offsetof(struct etm4_regs, member) / sizeof(uint32_t))
#define X(off, count, stride, flags, reset, mask, name, member, note) \
    WORD(member),
#define A(off, count, stride, name, note) WORD(none),
    ETM4_REGS(X, A)
#undef A
#undef X
};

#define TRACE_REGS (sizeof(trace_regs) / sizeof(trace_regs[0]))
#define MGMT_PAGE  0xf00u

const struct reg_desc *etm4_table(size_t *n)
{
    *n = TRACE_REGS;
    return trace_regs;
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
            e->state = ETM4_STARTING;
            etm4_filter_start(e);
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

bool etm4_wants_ranges(const struct etm4 *e)
{
    return e->state == ETM4_IDLE ? etm4_needs_ranges(e) : e->filter.ranges;
}

uint64_t etm4_position(const struct etm4 *e)
{
    return e->filter.pos;
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
    e->state = ETM4_IDLE;
    etm4_filter_start(e);
    e->use.ready = false;      /* registers may be loaded now */
}

void etm4_init(struct etm4 *e, const struct etm4_params *p)
{
    memset(e, 0, sizeof(*e));
    etm4_packet_init();
    e->params = *p;
    etm4_params_settle(&e->params);
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

/*
 * Bits that software may write as 1 without that being worth a report: the
 * exclude bits of Exception levels that are not implemented, and read-only
 * bits that it writes back.
 */
static uint32_t quiet_bits(const struct reg_desc *d)
{
    switch (d->off) {
    case TRCVICTLR:
        return 0x00ff0000u;
    case TRCACATR:
        return 0x0000ff00u;
    case TRCSSCSR:
        return TRCSSCSR_INST;
    default:
        return 0;
    }
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

    return words + trace_words[d - trace_regs] +
           (d->flags & REG_F_64 ? 2 * index : index);
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
        return etm4_idr(e, 8 + index);
    case TRCIDR0:
        return etm4_idr(e, index);
    case TRCSSCSR:
        return *word_of(e, d, index) | TRCSSCSR_INST;
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
    if (d->flags & REG_F_64) {
        uint64_t high = word_of(e, d, index)[1];

        *val = off & 4 ? high : size == 8 ? *val | high << 32 : *val;
    }
    return REG_OK;
}

/* A register of 64 bits, whole or a half of it. */
static enum reg_result write_wide(struct etm4 *e, const struct reg_desc *d,
                                  unsigned index, uint32_t off, unsigned size,
                                  uint64_t val)
{
    uint32_t *word = word_of(e, d, index);
    uint64_t mask = etm4_reg_mask(e, d, index) |
                    (uint64_t)etm4_reg_mask_high(e, d, index) << 32;
    uint64_t quiet = quiet_bits(d);

    if (off & 4) {
        word[1] = (uint32_t)(val & mask >> 32);
        return val & ~(mask >> 32) & UINT32_MAX ? REG_RESERVED : REG_OK;
    }
    word[0] = (uint32_t)(val & mask);
    if (size == 8) {
        word[1] = (uint32_t)((val & mask) >> 32);
    }
    return val & ~(mask | quiet) ? REG_RESERVED : REG_OK;
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
    e->use.ready = false;
    if (d->flags & REG_F_64) {
        return write_wide(e, d, index, off, size, val);
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
            const uint32_t *w = words + trace_words[i] +
                                (d->flags & REG_F_64 ? 2 * k : k);

            if ((w[0] & ~etm4_reg_mask(e, d, k)) ||
                ((d->flags & REG_F_64) &&
                 (w[1] & ~etm4_reg_mask_high(e, d, k)))) {
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
           c->rs_n <= e->params.return_stack &&
           e->filter.ctx.el <= 3 && c->ctx.el <= 3 && e->filter.is <= 1 &&
           regs_valid(e);
}
