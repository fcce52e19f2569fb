/*
 * Counters, resource selectors and events against a machine that runs cycle
 * by cycle, written from IHI 0064H.b, 4.4 and 7.3; and what events do to
 * ViewInst, timestamps and the Event element.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "models/etm4_internal.h"
#include "tests/models/etm4_rig.h"
#include "tests/oracle/etm4_reader.h"
#include "tests/tap/tap.h"

#define COUNTERS 4

/* ---- the slow machine ---- */
struct slow {
    uint32_t rld[COUNTERS], ctl[COUNTERS], val[COUNTERS], rs[32];
};

static bool slow_single(const struct slow *m, unsigned n)
{
    uint32_t rs = m->rs[n];
    bool active = false;
    unsigned c;

    if (n == 0 || n == 1) {
        return n;
    }
    for (c = 0; c < COUNTERS; c++) {     /* group 2: counters at zero */
        active = active ||
                 ((rs >> 16 & 0xf) == 2 && (rs & 1u << c) && m->val[c] == 0);
    }
    return rs & 1u << 20 ? !active : active;
}

/* PAIRINV, A.INV, B.INV: 000 A AND B, 100 its inverse, and so on */
static bool slow_event(const struct slow *m, uint32_t ev)
{
    unsigned sel = ev & 0x1f;
    bool both;

    if (!(ev & 0x80)) {
        return slow_single(m, sel);
    }
    sel &= 0xf;
    if (sel == 0) {
        return false;
    }
    both = slow_single(m, 2 * sel) && slow_single(m, 2 * sel + 1);
    return m->rs[2 * sel] & 1u << 21 ? !both : both;
}

static void slow_cycle(struct slow *m)
{
    struct slow old = *m;
    bool reload[COUNTERS];
    unsigned c;

    for (c = 0; c < COUNTERS; c++) {
        bool count = slow_event(&old, old.ctl[c] & 0xff);

        reload[c] = (old.ctl[c] & 1u << 16 && old.val[c] == 0) ||
                    slow_event(&old, old.ctl[c] >> 8 & 0xff);
        if (old.ctl[c] & 1u << 17 && reload[c - 1]) {
            count = true;
        }
        if (reload[c]) {
            m->val[c] = m->rld[c];
        } else if (count && m->val[c]) {
            m->val[c]--;
        }
    }
}

static uint32_t random_event(struct prng *g)
{
    static const uint32_t simple[] = { 0, 1, 1, 2, 3, 4, 5, 0x81, 0x82 };

    return simple[prng_below(g, sizeof(simple) / sizeof(simple[0]))];
}

static void random_machine(struct prng *g, struct slow *m)
{
    unsigned i;

    memset(m, 0, sizeof(*m));
    for (i = 0; i < COUNTERS; i++) {
        m->rld[i] = (uint32_t)prng_below(g, prng_below(g, 2) ? 4 : 60);
        m->val[i] = (uint32_t)prng_below(g, 60);
        m->ctl[i] = random_event(g) |
                    (prng_below(g, 3) ? 0 : random_event(g) << 8) |
                    (uint32_t)prng_below(g, 2) << 16 |
                    (i & 1 ? (uint32_t)prng_below(g, 2) << 17 : 0);
    }
    for (i = 2; i < 6; i++) {
        m->rs[i] = (uint32_t)prng_below(g, 16) | 2u << 16 |
                   (uint32_t)prng_below(g, 2) << 20 |
                   (i & 1 ? 0 : (uint32_t)prng_below(g, 2) << 21);
    }
}

static void load(struct etm4 *e, const struct slow *m, uint32_t ts,
                 uint32_t ev)
{
    memcpy(e->regs.cntrldvr, m->rld, sizeof(m->rld));
    memcpy(e->regs.cntctlr, m->ctl, sizeof(m->ctl));
    memcpy(e->regs.cntvr, m->val, sizeof(m->val));
    memcpy(e->regs.rsctlr, m->rs, sizeof(m->rs));
    e->regs.tsctlr = ts;
    e->regs.eventctl0r = ev;
}

static void test_random(void)
{
    struct etm4_params p;
    struct etm4_rig r;
    struct sweep s;
    struct prng g;
    unsigned i;

    prng_seed(&g, tap_seed());
    etm4_params_default(&p);
    p.counters = COUNTERS;
    etm4_rig_init(&r, &p);
    sweep_begin(&s, "random counters: as cycle by cycle");
    for (i = 0; i < 4000; i++) {
        uint64_t cycles = prng_below(&g, prng_below(&g, 2) ? 20 : 3000), k;
        uint32_t ts = random_event(&g), ev = random_event(&g);
        struct slow m;
        unsigned want, got;

        random_machine(&g, &m);
        load(&r.e, &m, ts, ev);
        want = (slow_event(&m, ts) ? ETM4_FIRED_TS : 0u) |
               (slow_event(&m, ev) ? ETM4_FIRED_EVENT0 : 0u);
        for (k = 0; k < cycles; k++) {
            slow_cycle(&m);
            want |= (slow_event(&m, ts) ? ETM4_FIRED_TS : 0u) |
                    (slow_event(&m, ev) ? ETM4_FIRED_EVENT0 : 0u);
        }
        got = etm4_resource_time(&r.e, cycles);
        sweep_case(&s, got == want &&
                   !memcmp(m.val, r.e.regs.cntvr, sizeof(m.val)),
                   "case %u, %llu cycles: fired %u, want %u; counter 0 %u, "
                   "want %u", i, (unsigned long long)cycles, got, want,
                   r.e.regs.cntvr[0], m.val[0]);
    }
    sweep_end(&s);
}

/* The longest interval there is takes no time worth naming. */
static void test_long(void)
{
    struct etm4_rig r;

    etm4_rig_init(&r, NULL);
    r.e.regs.cntrldvr[0] = 1;
    r.e.regs.cntvr[0] = 1;
    r.e.regs.cntctlr[0] = 1u << 16 | 1;
    r.e.regs.rsctlr[2] = 2u << 16 | 1;
    r.e.regs.tsctlr = 2;
    is_u64(etm4_resource_time(&r.e, UINT64_MAX), ETM4_FIRED_TS,
           "2^64 - 1 cycles of the driver's timestamp counter");
    is_u64(r.e.regs.cntvr[0], 0, "an odd number of cycles ends at zero");
    r.e.regs.cntrldvr[0] = 0xffff;
    r.e.regs.cntvr[0] = 0xffff;
    is_u64(etm4_resource_time(&r.e, 0xfffe), 0, "65534 cycles: not yet");
    is_u64(etm4_resource_time(&r.e, 1), ETM4_FIRED_TS, "65535: at zero");
    is_u64(etm4_resource_time(&r.e, 1), ETM4_FIRED_TS, "it was at the start");
    is_u64(r.e.regs.cntvr[0], 0xffff, "and reloads");
}

static size_t count_kind(const struct etm4_rig *r, enum etm4_pkt_kind kind)
{
    struct etm4_reader rd;
    struct etm4_pkt p;
    size_t n = 0;
    int res;

    etm4_reader_init(&rd, r->bytes, r->n, 4, 4);
    while ((res = etm4_reader_next(&rd, &p)) == 1) {
        n += p.kind == kind;
    }
    return res ? SIZE_MAX : n;
}

/* Timestamps every @reload + 1 cycles at most; 16 cycles a tick. */
static size_t stamps_with_reload(uint32_t reload)
{
    struct etm4_rig r;
    size_t n;
    unsigned i;

    etm4_rig_init(&r, NULL);
    etm4_rig_program(&r, 1u << 11);
    etm4_rig_write(&r, 0x140, reload);
    etm4_rig_write(&r, 0x150, 1u << 16 | 1);
    etm4_rig_write(&r, 0x160, reload);
    etm4_rig_write(&r, 0x208, 2u << 16 | 1);
    etm4_rig_write(&r, 0x030, 2);
    etm4_rig_enable(&r);
    etm4_rig_time(&r, 1000);
    etm4_rig_start(&r, RIG_EL1, 0x1000);
    for (i = 1; i <= 1000; i++) {
        etm4_rig_atoms(&r, "E");
        etm4_rig_time(&r, 1000 + i);
    }
    etm4_rig_disable(&r);
    n = count_kind(&r, ETM4_PKT_TIMESTAMP);
    etm4_rig_free(&r);
    return n;
}

static void test_timestamp_rate(void)
{
    is_u64(stamps_with_reload(1), 1000, "reload 1: at each known time");
    is_u64(stamps_with_reload(63), 1 + 250,
           "reload 63: the first, then each 64 cycles, 4 ticks");
    is_u64(stamps_with_reload(8191), 1 + 1,
           "reload 8191: each 512 ticks, 1000 ticks");
}

/* The ViewInst event as the inverse of "counter 0 at zero": 160 cycles. */
static void test_view_event(void)
{
    struct etm4_rig r;

    etm4_rig_init(&r, NULL);
    etm4_rig_program(&r, 0);
    etm4_rig_write(&r, 0x140, 160);
    etm4_rig_write(&r, 0x150, 1);              /* counts, does not reload */
    etm4_rig_write(&r, 0x160, 160);
    etm4_rig_write(&r, 0x208, 1u << 20 | 2u << 16 | 1);
    etm4_rig_write(&r, 0x080, 0x202);
    etm4_rig_enable(&r);
    ok(etm4_wants_ranges(&r.e), "ViewInst by a counter: by ranges");
    etm4_rig_start(&r, RIG_EL1, 0x1000);
    etm4_rig_range(&r, PE_RANGE_TAKEN, 60, 0x2000);
    etm4_rig_range(&r, 0, 99, 0x2000 + 4 * 99);
    is_u64(etm4_rig_read(&r, 0x160), 1, "TRCCNTVR0 has counted 159");
    etm4_deliver(&r.e);
    is_u64(count_kind(&r, ETM4_PKT_ATOMS), 1, "active so far");
    etm4_rig_range(&r, PE_RANGE_TAKEN, 1, 0x3000);
    etm4_rig_range(&r, PE_RANGE_TAKEN, 1, 0x4000);
    etm4_rig_exception(&r, PE_EXC_IRQ, 0x4000, RIG_EL1, 0x5000);
    etm4_rig_disable(&r);
    is_u64(r.e.enc.made, r.n, "all is delivered");
    is_u64(r.bytes[r.n - 1], 0xf7, "one more E atom and nothing else");
    is_u64(count_kind(&r, ETM4_PKT_EXCEPTION), 0, "no exception either");
    is_u64(etm4_rig_read(&r, 0x160), 0, "TRCCNTVR0 reads the count");
    etm4_rig_free(&r);
}

/* SSSTATUS = 0 stops ViewInst; the event FALSE too. */
static void test_no_view(void)
{
    static const uint32_t victlr[] = { 0x001, 0x200, 0x281, 0x203 };
    unsigned i;

    for (i = 0; i < sizeof(victlr) / sizeof(victlr[0]); i++) {
        struct etm4_rig r;

        etm4_rig_init(&r, NULL);
        etm4_rig_program(&r, 0);
        etm4_rig_write(&r, 0x080, victlr[i]);
        etm4_rig_enable(&r);
        etm4_rig_start(&r, RIG_EL1, 0x1000);
        etm4_rig_indirect(&r, "E", 0x2000);
        etm4_rig_disable(&r);
        is_u64(r.n, 0, "TRCVICTLR %#x: no trace", victlr[i]);
        etm4_rig_free(&r);
    }
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    test_random();
    test_long();
    test_timestamp_rate();
    test_view_event();
    test_no_view();
    return tap_done();
}
