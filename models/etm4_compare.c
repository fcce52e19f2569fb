/*
 * ETMv4: address, Context ID and VMID comparators; which of the resources a
 * session uses.
 * Spec: Arm IHI 0064H.b, 4.4 "Trace unit resources", 7.3 TRCACVRn, TRCACATRn,
 * TRCCIDCVRn, TRCCIDCCTLRn and their VMID counterparts.  Not modelled, and
 * absent in TRCIDR4: data address and data value comparators.
 *
 * CHOICE: an instruction is compared by the address of its first byte; bits
 * 1:0 of a single address comparator's value are ignored.
 * CHOICE: an address range has both its ends in it, and the attributes of the
 * comparator with the lower number; one whose ends are swapped never matches.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "bits.h"
#include "etm4_internal.h"
#include "etm4_regs.h"

/* ---- comparators ---- */

/* Are @a and @b equal in the bytes that @ignore has no bit for? */
static bool bytes_equal(uint32_t a, uint32_t b, uint32_t ignore)
{
    uint32_t diff = a ^ b;
    unsigned i;

    for (i = 0; i < 4; i++) {
        if (!(ignore >> i & 1u) && (diff >> 8 * i & 0xffu)) {
            return false;
        }
    }
    return true;
}

bool etm4_match_cid(const struct etm4 *e, unsigned n)
{
    return n < e->params.cid_comps &&
           bytes_equal(e->filter.ctx.cid, e->regs.cidcvr[2 * n],
                       e->regs.cidcctlr[n / 4] >> 8 * (n % 4));
}

bool etm4_match_vmid(const struct etm4 *e, unsigned n)
{
    return n < e->params.vmid_comps &&
           bytes_equal(e->filter.ctx.vmid, e->regs.vmidcvr[2 * n],
                       e->regs.vmidcctlr[n / 4] >> 8 * (n % 4));
}

/* Do Exception level and context allow comparator @n to match? */
static bool attributes_match(const struct etm4 *e, unsigned n)
{
    const struct etm4_context *ctx = &e->filter.ctx;
    uint32_t at = e->regs.acatr[2 * n];
    uint32_t exclude = ctx->ns ? field_get(at, TRCACATR_EXLEVEL_NS)
                               : field_get(at, TRCACATR_EXLEVEL_S);
    unsigned type = field_get(at, TRCACATR_CONTEXTTYPE);
    unsigned comp = field_get(at, TRCACATR_CONTEXT);

    return !(exclude >> ctx->el & 1u) &&
           (!(type & 1u) || etm4_match_cid(e, comp)) &&
           (!(type & 2u) || etm4_match_vmid(e, comp));
}

static uint64_t value_of(const struct etm4 *e, unsigned n)
{
    return e->regs.acvr[2 * n] | (uint64_t)e->regs.acvr[2 * n + 1] << 32;
}

static bool in_range(const struct etm4 *e, unsigned n, uint64_t addr)
{
    return addr >= value_of(e, 2 * n) && addr <= value_of(e, 2 * n + 1) &&
           attributes_match(e, 2 * n);
}

/* Is @addr in one of the ranges of @pairs? */
static bool in_ranges(const struct etm4 *e, uint32_t pairs, uint64_t addr)
{
    unsigned n;

    for (n = 0; n < e->params.ac_pairs; n++) {
        if ((pairs >> n & 1u) && in_range(e, n, addr)) {
            return true;
        }
    }
    return false;
}

struct etm4_inputs etm4_compare(const struct etm4 *e, uint64_t addr)
{
    struct etm4_inputs in = { 0, 0 };
    unsigned n;

    for (n = 0; n < 2u * e->params.ac_pairs; n++) {
        if ((e->use.sac >> n & 1u) && (value_of(e, n) ^ addr) >> 2 == 0 &&
            attributes_match(e, n)) {
            in.sac |= (uint16_t)(1u << n);
        }
    }
    for (n = 0; n < e->params.ac_pairs; n++) {
        if ((e->use.arc >> n & 1u) && in_range(e, n, addr)) {
            in.arc |= (uint8_t)(1u << n);
        }
    }
    return in;
}

bool etm4_broadcast(const struct etm4 *e, uint64_t addr)
{
    uint32_t bb = e->regs.bbctlr;

    return (e->regs.configr & TRCCONFIGR_BB) &&
           in_ranges(e, field_get(bb, TRCBBCTLR_RANGE), addr) ==
           ((bb & TRCBBCTLR_MODE) != 0);
}

/* ---- what is used ---- */

/* Groups of selectors, as bits, and the comparators behind them. */
struct reach {
    uint32_t groups;
    uint32_t sac, arc;
};

#define GROUP(g) (1u << (g))
#define GROUPS_COMPARED (GROUP(TRCRSCTLR_GROUP_SS) |   \
                         GROUP(TRCRSCTLR_GROUP_SAC) |  \
                         GROUP(TRCRSCTLR_GROUP_ARC) |  \
                         GROUP(TRCRSCTLR_GROUP_CID) |  \
                         GROUP(TRCRSCTLR_GROUP_VMID))

static void reach_selector(const struct etm4 *e, unsigned n, struct reach *r)
{
    uint32_t ctl = e->regs.rsctlr[n];
    unsigned group = field_get(ctl, TRCRSCTLR_GROUP);

    if (n < 2 || n >= 2u * e->params.rs_pairs) {
        return;
    }
    if (field_get(ctl, TRCRSCTLR_SELECT)) {
        r->groups |= GROUP(group);
    }
    if (group == TRCRSCTLR_GROUP_SAC) {
        r->sac |= field_get(ctl, TRCRSCTLR_SELECT);
    } else if (group == TRCRSCTLR_GROUP_ARC) {
        r->arc |= field_get(ctl, TRCRSCTLR_SELECT);
    }
}

static void reach_event(const struct etm4 *e, uint32_t event, struct reach *r)
{
    unsigned sel = field_get(event, TRCEVENT_SEL);

    if (event & TRCEVENT_TYPE_PAIR) {
        reach_selector(e, 2 * (sel & 0xfu), r);
        reach_selector(e, 2 * (sel & 0xfu) + 1, r);
    } else {
        reach_selector(e, sel, r);
    }
}

/* Everything but ViewInst and the event elements that looks at selectors. */
static void reach_others(const struct etm4 *e, struct reach *r)
{
    unsigned i;

    if (e->regs.configr & TRCCONFIGR_TS) {
        reach_event(e, e->regs.tsctlr, r);
    }
    for (i = 0; i < e->params.counters; i++) {
        reach_event(e, field_get(e->regs.cntctlr[i], TRCCNTCTLR_CNTEVENT), r);
        reach_event(e, field_get(e->regs.cntctlr[i], TRCCNTCTLR_RLDEVENT), r);
    }
    for (i = 0; e->params.seq_states && i < 3; i++) {
        reach_event(e, field_get(e->regs.seqevr[i], TRCSEQEVR_F), r);
        reach_event(e, field_get(e->regs.seqevr[i], TRCSEQEVR_B), r);
    }
    reach_event(e, e->regs.seqrstevr, r);
}

/* Single-shot controls work, and tell software so, even if nobody selects. */
static void reach_single_shots(const struct etm4 *e, struct reach *r)
{
    unsigned i;

    for (i = 0; i < e->params.ss_comps; i++) {
        uint32_t ctl = e->regs.ssccr[i];

        r->sac |= field_get(ctl, TRCSSCCR_SAC);
        r->arc |= field_get(ctl, TRCSSCCR_ARC);
        if (ctl & ~TRCSSCCR_RST) {
            r->groups |= GROUP(TRCRSCTLR_GROUP_SS);
        }
    }
}

static void add_edge(struct etm4_use *u, uint64_t addr)
{
    unsigned i = u->nedges;

    while (i > 0 && u->edge[i - 1] > addr) {
        i--;
    }
    if (i > 0 && u->edge[i - 1] == addr) {
        return;
    }
    memmove(u->edge + i + 1, u->edge + i,
            (u->nedges - i) * sizeof(u->edge[0]));
    u->edge[i] = addr;
    u->nedges++;
}

static void add_edges(struct etm4 *e)
{
    struct etm4_use *u = &e->use;
    unsigned n;

    for (n = 0; n < 2u * e->params.ac_pairs; n++) {
        if ((uint32_t)u->sac >> n & 1u) {
            add_edge(u, value_of(e, n) & ~3ull);
            add_edge(u, (value_of(e, n) & ~3ull) + 4);
        }
    }
    for (n = 0; n < e->params.ac_pairs; n++) {
        if ((uint32_t)u->arc >> n & 1u) {
            add_edge(u, (value_of(e, 2 * n) + 3) & ~3ull);
            add_edge(u, (value_of(e, 2 * n + 1) & ~3ull) + 4);
        }
    }
}

static uint32_t cc_threshold(const struct etm4 *e)
{
    uint32_t t = e->regs.ccctlr;

    if (!(e->regs.configr & TRCCONFIGR_CCI)) {
        return 0;
    }
    return t < e->params.cc_min ? e->params.cc_min : t;
}

void etm4_prepare(struct etm4 *e)
{
    struct etm4_use *u = &e->use;
    struct reach view = { 0, 0, 0 }, events = { 0, 0, 0 }, all;
    uint32_t ie = e->regs.viiectlr, ss = e->regs.vissctlr;
    unsigned i;

    memset(u, 0, sizeof(*u));
    reach_event(e, field_get(e->regs.victlr, TRCVICTLR_EVENT), &view);
    for (i = 0; i < e->params.events; i++) {
        reach_event(e, e->regs.eventctl0r >> 8 * i, &events);
    }
    all.groups = view.groups | events.groups;
    all.sac = view.sac | events.sac;
    all.arc = view.arc | events.arc;
    reach_others(e, &all);
    reach_single_shots(e, &all);
    u->resources = view.groups || (all.groups & GROUPS_COMPARED) ||
                   (e->regs.eventctl1r && events.groups);
    u->view = view.groups || ie || ss;
    u->view_event = view.groups != 0;
    u->sac = (uint16_t)(all.sac | field_get(ss, TRCVISSCTLR_START) |
                        field_get(ss, TRCVISSCTLR_STOP));
    u->arc = (uint8_t)(all.arc | field_get(ie, TRCVIIECTLR_INCLUDE) |
                       field_get(ie, TRCVIIECTLR_EXCLUDE));
    u->cc_threshold = cc_threshold(e);
    add_edges(e);
    u->ready = true;
}

bool etm4_needs_ranges(const struct etm4 *e)
{
    struct etm4 copy;

    if (e->params.fifo_bytes || (e->regs.configr &
        (TRCCONFIGR_BB | TRCCONFIGR_CCI | TRCCONFIGR_RS))) {
        return true;
    }
    if (e->use.ready) {
        return e->use.view || e->use.resources;
    }
    copy.params = e->params;
    copy.regs = e->regs;
    etm4_prepare(&copy);
    return copy.use.view || copy.use.resources;
}
