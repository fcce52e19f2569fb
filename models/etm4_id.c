/*
 * ETMv4: what an instance implements: parameters, TRCIDR0-13, and the bits of
 * each register that exist then.
 * Spec: Arm IHI 0064H.b, 7.3 "Register descriptions"; the fields of the ID
 * registers are in etm4_id_fields.h.
 *
 * CHOICE: fields of features that are absent are RAZ/WI.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "bits.h"
#include "etm4_id_fields.h"
#include "etm4_internal.h"
#include "etm4_regs.h"

void etm4_params_default(struct etm4_params *p)
{
    memset(p, 0, sizeof(*p));
    p->arch_minor = 2;
    p->part = 0xd0c;
    p->counters = 2;
    p->rs_pairs = 8;
    p->ac_pairs = 4;
    p->cid_comps = 1;
    p->vmid_comps = 1;
    p->ss_comps = 1;
    p->seq_states = 4;
    p->events = 4;
    p->ext_inputs = 4;
    p->ext_selectors = 4;
    p->cid_size = 4;
    p->vmid_size = 4;
    p->vmid_opt = 1;
    p->branch_broadcast = 1;
    p->return_stack = 3;
    p->cc_bits = 12;
    p->cc_min = 4;
    p->ts_bits = 64;
    p->exlevel_ns = 0x7;
    p->exlevel_s = 0x0;
    p->cycles_per_tick = 16;
    p->cycles_per_insn = 1;
    p->fifo_drain = 64;
}

static const char *check_resources(const struct etm4_params *p)
{
    if (p->counters > ETM4_COUNTERS) {
        return "counters: 0 to 4";
    }
    if (p->rs_pairs < 1 || p->rs_pairs > ETM4_SELECTORS / 2) {
        return "rs-pairs: 1 to 16";
    }
    if (p->ac_pairs > ETM4_SACS / 2) {
        return "ac-pairs: 0 to 8";
    }
    if (p->cid_comps > ETM4_CTX_COMPS) {
        return "cid-comps: 0 to 8";
    }
    if (p->vmid_comps > ETM4_CTX_COMPS) {
        return "vmid-comps: 0 to 8";
    }
    if (p->ss_comps > ETM4_SS_COMPS) {
        return "ss-comps: 0 to 8";
    }
    if (p->seq_states != 0 && p->seq_states != 4) {
        return "seq-states: 0 or 4";
    }
    if (p->events < 1 || p->events > ETM4_EVENTS) {
        return "events: 1 to 4";
    }
    if (p->ext_selectors > 4) {
        return "ext-selectors: 0 to 4";
    }
    return NULL;
}

static const char *check_trace(const struct etm4_params *p)
{
    if (p->cid_size != 0 && p->cid_size != 4) {
        return "cid-size: 0 or 4";
    }
    if (p->vmid_size != 0 && p->vmid_size != 1 && p->vmid_size != 2 &&
        p->vmid_size != 4) {
        return "vmid-size: 0, 1, 2 or 4";
    }
    if (p->vmid_opt > 1) {
        return "vmid-opt: 0 or 1";
    }
    if (p->branch_broadcast > 1) {
        return "branch-broadcast: 0 or 1";
    }
    if (p->return_stack > ETM4_RS_DEPTH) {
        return "return-stack: 0 to 15";
    }
    if (p->cc_bits != 0 && (p->cc_bits < 12 || p->cc_bits > 20)) {
        return "cc-bits: 0 or 12 to 20";
    }
    if (p->cc_min > 0xfff || p->cc_min < 1) {
        return "cc-min: 1 to 4095";
    }
    if (p->ts_bits != 0 && p->ts_bits != 48 && p->ts_bits != 64) {
        return "ts-bits: 0, 48 or 64";
    }
    return NULL;
}

const char *etm4_params_check(const struct etm4_params *p)
{
    const char *bad = check_resources(p);

    bad = bad ? bad : check_trace(p);
    if (bad) {
        return bad;
    }
    if (p->arch_minor > 6) {
        return "arch-minor: 0 to 6";
    }
    if (p->part > 0xfff) {
        return "part: 12 bits";
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
    if (p->cycles_per_insn < 1 || p->cycles_per_insn > 1000) {
        return "cycles-per-insn: 1 to 1000";
    }
    if (p->fifo_bytes > 1u << 20) {
        return "fifo-bytes: at most 1048576";
    }
    if (p->fifo_drain < 1 || p->fifo_drain > 1u << 20) {
        return "fifo-drain: 1 to 1048576";
    }
    return NULL;
}

void etm4_params_settle(struct etm4_params *p)
{
    p->cid_comps = p->cid_size ? p->cid_comps : 0;
    p->vmid_comps = p->vmid_size ? p->vmid_comps : 0;
    p->vmid_opt = p->vmid_size == 4 ? p->vmid_opt : 0;
    p->ss_comps = p->ac_pairs ? p->ss_comps : 0;
    p->ext_selectors = p->ext_inputs ? p->ext_selectors : 0;
    if (p->fifo_bytes && p->fifo_bytes < ETM4_FIFO_LEAST) {
        p->fifo_bytes = ETM4_FIFO_LEAST;
    }
}

/* ---- identification, 7.3 TRCIDR0-13 ---- */

uint32_t etm4_idr(const struct etm4 *e, unsigned n)
{
    const struct etm4_params *p = &e->params;
    const unsigned off = IDR(n);
    uint32_t val = 0;

#define F(reg, lo, width, name, value, file, test) \
    val |= (reg) == off ? (uint32_t)(value) << (lo) : 0u;
#define Z(reg, lo, width, name, why)
    ETM4_ID_FIELDS(F, Z)
#undef Z
#undef F
    return val;
}

/* ---- which bits exist ---- */

/* @n bits from bit 0 up, 0..31. */
static uint32_t ones(unsigned n)
{
    return (1u << n) - 1u;
}

static uint32_t configr_mask(const struct etm4_params *p)
{
    return (p->branch_broadcast ? TRCCONFIGR_BB : 0) |
           (p->cc_bits ? TRCCONFIGR_CCI : 0) |
           (p->cid_size ? TRCCONFIGR_CID : 0) |
           (p->vmid_size ? TRCCONFIGR_VMID : 0) |
           (p->ts_bits ? TRCCONFIGR_TS : 0) |
           (p->return_stack ? TRCCONFIGR_RS : 0) |
           (p->vmid_opt ? TRCCONFIGR_VMIDOPT : 0);
}

/* Fields of @bits each 8 bits apart, @n of them, the first being @first. */
static uint32_t bytes_mask(unsigned first, unsigned n, uint32_t bits)
{
    uint32_t mask = 0;
    unsigned i;

    for (i = 0; i < 4 && first + i < n; i++) {
        mask |= bits << 8 * i;
    }
    return mask;
}

/* External input selectors hold numbers below NUMEXTIN. */
static uint32_t extinsel_mask(const struct etm4_params *p)
{
    unsigned bits = 0;

    while (p->ext_inputs > 1u << bits) {
        bits++;
    }
    return bytes_mask(0, p->ext_selectors, ones(bits));
}

static uint32_t acatr_mask(const struct etm4_params *p)
{
    unsigned comps = p->cid_comps > p->vmid_comps ? p->cid_comps
                                                  : p->vmid_comps;

    return (p->cid_comps ? 1u << 2 : 0) | (p->vmid_comps ? 1u << 3 : 0) |
           (comps > 4 ? 7u : comps > 2 ? 3u : comps > 1 ? 1u : 0) << 4 |
           (uint32_t)p->exlevel_s << 8 | (uint32_t)p->exlevel_ns << 12;
}

static uint32_t filter_mask(const struct etm4_params *p, uint32_t off)
{
    switch (off) {
    case TRCVICTLR:
        return 0xe9fu |
               (uint32_t)p->exlevel_s << 16 | (uint32_t)p->exlevel_ns << 20;
    case TRCVIIECTLR:
        return ones(p->ac_pairs) | ones(p->ac_pairs) << 16;
    case TRCVISSCTLR:
        return ones(2u * p->ac_pairs) | ones(2u * p->ac_pairs) << 16;
    default:                                  /* TRCBBCTLR */
        return p->branch_broadcast ? ones(p->ac_pairs) | TRCBBCTLR_MODE : 0;
    }
}

static uint32_t counter_mask(const struct etm4_params *p,
                             const struct reg_desc *d, unsigned index)
{
    if (index >= p->counters) {
        return 0;
    }
    return d->off == TRCCNTCTLR && !(index & 1)
           ? d->mask & ~TRCCNTCTLR_CNTCHAIN : d->mask;
}

static uint32_t selector_mask(const struct etm4_params *p,
                              const struct reg_desc *d, unsigned index)
{
    if (index < 2 || index >= 2u * p->rs_pairs) {
        return 0;
    }
    return index & 1 ? d->mask & ~TRCRSCTLR_PAIRINV : d->mask;
}

static uint32_t single_shot_mask(const struct etm4_params *p,
                                 const struct reg_desc *d, unsigned index)
{
    if (index >= p->ss_comps) {
        return 0;
    }
    return d->off == TRCSSCSR ? d->mask
           : ones(2u * p->ac_pairs) | ones(p->ac_pairs) << 16 |
             TRCSSCCR_RST;
}

/* A context comparator's value, @comps of them for IDs of @size bytes. */
static uint32_t value_mask(unsigned index, unsigned comps, unsigned size)
{
    return index >= comps ? 0 : size == 4 ? UINT32_MAX : ones(8 * size);
}

static uint32_t comparator_mask(const struct etm4_params *p,
                                const struct reg_desc *d, unsigned index)
{
    switch (d->off) {
    case TRCACVR:
        return index < 2u * p->ac_pairs ? UINT32_MAX : 0;
    case TRCACATR:
        return index < 2u * p->ac_pairs ? acatr_mask(p) : 0;
    case TRCCIDCVR:
        return value_mask(index, p->cid_comps, p->cid_size);
    case TRCVMIDCVR:
        return value_mask(index, p->vmid_comps, p->vmid_size);
    case TRCCIDCCTLR0:
        return bytes_mask(4 * index, p->cid_comps, ones(p->cid_size));
    default:                                  /* TRCVMIDCCTLR0 */
        return bytes_mask(4 * index, p->vmid_comps, ones(p->vmid_size));
    }
}

uint32_t etm4_reg_mask(const struct etm4 *e, const struct reg_desc *d,
                       unsigned index)
{
    const struct etm4_params *p = &e->params;

    switch (d->off) {
    case TRCCONFIGR:
        return configr_mask(p);
    case TRCEVENTCTL0R:
        return bytes_mask(0, p->events, 0x9f);
    case TRCEVENTCTL1R:
        return ones(p->events);
    case TRCTSCTLR:
        return p->ts_bits ? d->mask : 0;
    case TRCCCCTLR:
        return p->cc_bits ? ones(p->cc_bits) : 0;
    case TRCBBCTLR:
    case TRCVICTLR:
    case TRCVIIECTLR:
    case TRCVISSCTLR:
        return filter_mask(p, d->off);
    case TRCSEQEVR:
    case TRCSEQRSTEVR:
    case TRCSEQSTR:
        return p->seq_states ? d->mask : 0;
    case TRCEXTINSELR:
        return extinsel_mask(p);
    case TRCCNTCTLR:
    case TRCCNTRLDVR:
    case TRCCNTVR:
        return counter_mask(p, d, index);
    case TRCRSCTLR:
        return selector_mask(p, d, index);
    case TRCSSCCR:
    case TRCSSCSR:
        return single_shot_mask(p, d, index);
    case TRCACVR:
    case TRCACATR:
    case TRCCIDCVR:
    case TRCVMIDCVR:
    case TRCCIDCCTLR0:
    case TRCVMIDCCTLR0:
        return comparator_mask(p, d, index);
    default:
        return d->flags & (REG_F_RO | REG_F_ABSENT) ? 0 : d->mask;
    }
}

uint32_t etm4_reg_mask_high(const struct etm4 *e, const struct reg_desc *d,
                            unsigned index)
{
    return d->off == TRCACVR ? etm4_reg_mask(e, d, index) : 0;
}
