/*
 * Registers of the ETMv4 trace unit: identity, access rules, locks, the
 * sequences that drivers do.  Expected values are written from IHI 0064H.b,
 * chapter 7, not taken from the table under test; the table only says where
 * to look.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "tests/models/etm4_rig.h"
#include "tests/tap/tap.h"

/* Every writable register of the default unit, with its writable bits. */
static const struct {
    uint32_t off, mask;
    bool idle;                   /* programmed only while idle */
} writable[] = {
    { 0x004, 0x00000001, false },          /* TRCPRGCTLR */
    { 0x010, 0x000008c0, true },           /* TRCCONFIGR: CID VMID TS */
    { 0x020, 0x0000009f, true },           /* TRCEVENTCTL0R: EVENT0 */
    { 0x024, 0x00000001, true },           /* TRCEVENTCTL1R: INSTEN0 */
    { 0x030, 0x0000009f, true },           /* TRCTSCTLR */
    { 0x034, 0x0000001f, true },           /* TRCSYNCPR */
    { 0x040, 0x0000007f, true },           /* TRCTRACEIDR */
    { 0x080, 0x0030069f, true },           /* TRCVICTLR: NS EL0, EL1 */
    { 0x140, 0x0000ffff, true }, { 0x144, 0x0000ffff, true },
    { 0x150, 0x00019f9f, true },           /* TRCCNTCTLR0: no CNTCHAIN */
    { 0x154, 0x00039f9f, true },
    { 0x160, 0x0000ffff, true }, { 0x164, 0x0000ffff, true },
    { 0x208, 0x003fffff, true }, { 0x20c, 0x001fffff, true },
    { 0x210, 0x003fffff, true }, { 0x214, 0x001fffff, true },
    { 0x218, 0x003fffff, true }, { 0x21c, 0x001fffff, true },
    { 0x220, 0x003fffff, true }, { 0x224, 0x001fffff, true },
    { 0x228, 0x003fffff, true }, { 0x22c, 0x001fffff, true },
    { 0x230, 0x003fffff, true }, { 0x234, 0x001fffff, true },
    { 0x238, 0x003fffff, true }, { 0x23c, 0x001fffff, true },
    { 0x310, 0x00000008, false },          /* TRCPDCR: PU */
};

#define WRITABLE (sizeof(writable) / sizeof(writable[0]))

/* Read-only and write-only offsets of the trace page. */
static const uint32_t read_only[] = {
    0x00c, 0x180, 0x184, 0x188, 0x18c, 0x190, 0x194, 0x1e0, 0x1e4, 0x1e8,
    0x1ec, 0x1f0, 0x1f4, 0x1f8, 0x1fc, 0x304, 0x314,
};

static int writable_at(uint32_t off)
{
    size_t i;

    for (i = 0; i < WRITABLE; i++) {
        if (writable[i].off == off) {
            return (int)i;
        }
    }
    return -1;
}

static bool is_read_only(uint32_t off)
{
    size_t i;

    for (i = 0; i < sizeof(read_only) / sizeof(read_only[0]); i++) {
        if (read_only[i] == off) {
            return true;
        }
    }
    return false;
}

static enum reg_result rd(struct etm4_rig *r, uint32_t off, uint64_t *val)
{
    return etm4_read(&r->e, off, 4, val, 0);
}

static enum reg_result wr(struct etm4_rig *r, uint32_t off, uint64_t val)
{
    return etm4_write(&r->e, off, 4, val, 0);
}

static void test_identity(void)
{
    struct etm4_rig r;
    struct etm4_params p;

    etm4_params_default(&p);
    p.mpidr = 0x0000001281020304;
    etm4_rig_init(&r, &p);
    is_u64(etm4_rig_read(&r, 0x1e0), 0x28000001, "TRCIDR0: TSSIZE, COMMOPT");
    is_u64(etm4_rig_read(&r, 0x1e4), 0x4100f420, "TRCIDR1: Arm ETMv4.2");
    is_u64(etm4_rig_read(&r, 0x1e8), 0x00000488,
           "TRCIDR2: IASIZE 64, CIDSIZE 32, VMIDSIZE 8");
    is_u64(etm4_rig_read(&r, 0x1ec), 0x00300000, "TRCIDR3: NS EL0, EL1");
    is_u64(etm4_rig_read(&r, 0x1f0), 0x00070000, "TRCIDR4: 8 pairs");
    is_u64(etm4_rig_read(&r, 0x1f4), 0x20070000,
           "TRCIDR5: TRACEIDSIZE 7, 2 counters");
    is_u64(etm4_rig_read(&r, 0x180), 0, "TRCIDR8: MAXSPEC 0");
    is_u64(etm4_rig_read(&r, 0xfbc), 0x47724a13, "TRCDEVARCH");
    is_u64(etm4_rig_read(&r, 0xfcc), 0x13, "TRCDEVTYPE");
    is_u64(etm4_rig_read(&r, 0xfa8), 0x81020304, "TRCDEVAFF0");
    is_u64(etm4_rig_read(&r, 0xfac), 0x12, "TRCDEVAFF1");
    is_u64(etm4_rig_read(&r, 0xfe0) | etm4_rig_read(&r, 0xfe4) << 8 |
           (etm4_rig_read(&r, 0xfe8) & 0xf) << 16, 0xbbd0c,
           "TRCPIDR0-2: part and JEP106");
    is_u64(etm4_rig_read(&r, 0xff0) | etm4_rig_read(&r, 0xff4) << 8 |
           etm4_rig_read(&r, 0xff8) << 16 | etm4_rig_read(&r, 0xffc) << 24,
           0xb105900d, "TRCCIDR0-3: CoreSight component");
    is_u64(etm4_rig_read(&r, 0x304), 0xa, "TRCOSLSR: own OS lock, set");
    is_u64(etm4_rig_read(&r, 0x00c), 3, "TRCSTATR: idle, PMSTABLE");
}

static void test_variants(void)
{
    struct etm4_params p;
    struct etm4_rig r;
    uint64_t v;

    etm4_params_default(&p);
    p.arch_minor = 5;
    p.ts_bits = 0;
    p.cid_size = 0;
    p.vmid_size = 4;
    p.counters = 0;
    p.rs_pairs = 1;
    p.exlevel_ns = 7;
    p.exlevel_s = 0xb;
    etm4_rig_init(&r, &p);
    etm4_rig_unlock(&r);
    is_u64(etm4_rig_read(&r, 0x1e0), 0x20000001, "no timestamps");
    is_u64(etm4_rig_read(&r, 0x1e4), 0x4100f450, "ETMv4.5");
    is_u64(etm4_rig_read(&r, 0xfbc), 0x47754a13, "TRCDEVARCH v4.5");
    is_u64(etm4_rig_read(&r, 0x1e8), 0x1008, "VMIDSIZE 32, no CID");
    is_u64(etm4_rig_read(&r, 0x1ec), 0x007b0000, "EXLEVEL fields");
    is_u64(etm4_rig_read(&r, 0x1f0), 0, "one selector pair");
    is_u64(etm4_rig_read(&r, 0x1f4), 0x00070000, "no counter");
    wr(&r, 0x010, 0xffffffff);
    is_u64(etm4_rig_read(&r, 0x010), 0x80, "TRCCONFIGR has VMID only");
    wr(&r, 0x080, 0xffffffff);
    is_u64(etm4_rig_read(&r, 0x080), 0x007b069f, "TRCVICTLR, all levels");
    is_u64(wr(&r, 0x030, 1), REG_RES0, "TRCTSCTLR is absent");
    is_u64(wr(&r, 0x140, 1), REG_RES0, "TRCCNTRLDVR0 is absent");
    is_u64(rd(&r, 0x208, &v), REG_RES0, "TRCRSCTLR2 is absent");
    p.counters = 5;
    is_str(etm4_params_check(&p), "counters: 0 to 4", "5 counters: refused");
    p.counters = 4;
    ok(etm4_params_check(&p) == NULL, "4 counters: fine");
    p.vmid_size = 3;
    ok(etm4_params_check(&p) != NULL, "VMID of 3 bytes: refused");
}

/* Each word of the trace page after reset, written with ones, with zeros. */
static void test_walk(void)
{
    struct sweep s;
    struct etm4_rig r;
    uint32_t off;
    uint64_t v;

    sweep_begin(&s, "walk: every word of 0x000-0xEFF");
    etm4_rig_init(&r, NULL);
    etm4_rig_unlock(&r);
    for (off = 8; off < 0xf00; off += 4) {      /* TRCPRGCTLR: elsewhere */
        int w = writable_at(off);
        uint32_t mask = w >= 0 ? writable[w].mask : 0;
        enum reg_result res;

        if (off == 0x300) {
            continue;                           /* TRCOSLAR: elsewhere */
        }
        res = rd(&r, off, &v);
        if (is_read_only(off)) {
            sweep_case(&s, res == REG_OK, "%#x readable", off);
            sweep_case(&s, wr(&r, off, ~v) == REG_RO, "%#x is RO", off);
            continue;
        }
        sweep_case(&s, v == 0 && res == (mask ? REG_OK : REG_RES0),
                   "%#x after reset: %#llx, %s", off, (unsigned long long)v,
                   reg_result_text(res));
        res = wr(&r, off, 0xffffffff);
        sweep_case(&s, res == (mask ? REG_RESERVED : REG_RES0),
                   "%#x ones: %s", off, reg_result_text(res));
        rd(&r, off, &v);
        sweep_case(&s, v == mask, "%#x holds %#llx, want %#x", off,
                   (unsigned long long)v, mask);
        res = wr(&r, off, mask);
        sweep_case(&s, res == (mask ? REG_OK : REG_RES0),
                   "%#x all its bits: %s", off, reg_result_text(res));
        wr(&r, off, 0);
        rd(&r, off, &v);
        sweep_case(&s, v == 0, "%#x cleared", off);
    }
    sweep_end(&s);
}

static void test_table(void)
{
    size_t n, i;
    const struct reg_desc *t = etm4_table(&n);
    struct sweep s;
    struct etm4_rig r;

    etm4_rig_init(&r, NULL);
    sweep_begin(&s, "table: sorted, disjoint, masks as the manual's");
    for (i = 0; i < n; i++) {
        unsigned k;

        sweep_case(&s, i == 0 || t[i - 1].off + t[i - 1].count *
                   t[i - 1].stride <= t[i].off, "%s overlaps", t[i].name);
        sweep_case(&s, !strncmp(t[i].name, "TRC", 3), "%#x name", t[i].off);
        for (k = 0; k < t[i].count; k++) {
            uint32_t off = t[i].off + k * t[i].stride;
            int w = writable_at(off);

            sweep_case(&s, off == 0x300 || etm4_reg_mask(&r.e, &t[i], k) ==
                       (w >= 0 ? writable[w].mask : 0), "%s[%u] mask",
                       t[i].name, k);
        }
    }
    sweep_end(&s);
}

static void test_locks(void)
{
    struct etm4_rig r;
    struct sweep s;
    uint64_t v;
    size_t i;

    etm4_rig_init(&r, NULL);
    is_u64(etm4_rig_read(&r, 0xfb4), 3, "TRCLSR: lock present and set");
    sweep_begin(&s, "software lock: no write passes, every read does");
    for (i = 0; i < WRITABLE; i++) {
        sweep_case(&s, wr(&r, writable[i].off, 1) == REG_LOCKED, "%#x",
                   writable[i].off);
        sweep_case(&s, rd(&r, writable[i].off, &v) == REG_OK && v == 0, "%#x",
                   writable[i].off);
    }
    sweep_end(&s);
    is_u64(wr(&r, 0x300, 0), REG_LOCKED, "TRCOSLAR is behind it too");
    is_u64(etm4_rig_read(&r, 0x304), 0xa, "TRCOSLSR as before");
    etm4_rig_write(&r, 0xfb0, 0xc5acce55);
    etm4_rig_write(&r, 0x010, 0x40);
    is_u64(etm4_rig_read(&r, 0x010), 0x40,
           "the OS lock does not block the PE's accesses");
    is_u64(rd(&r, 0x300, &v), REG_WO, "TRCOSLAR is write-only");
    is_u64(v, 0, "and reads as zero");
    is_u64(etm4_rig_read(&r, 0x314), 0x23,
           "TRCPDSR: POWER, STICKYPD after reset, OSLK");
    is_u64(etm4_rig_read(&r, 0x314), 0x21, "STICKYPD cleared by the read");
    etm4_rig_write(&r, 0x300, 0);
    is_u64(etm4_rig_read(&r, 0x314), 0x01, "OSLK follows TRCOSLAR");
    is_u64(etm4_rig_read(&r, 0x304), 0x8, "TRCOSLSR: unlocked");
    etm4_rig_write(&r, 0xfb0, 0);
    is_u64(wr(&r, 0x010, 0), REG_LOCKED, "any other TRCLAR value locks");
}

static void test_busy(void)
{
    struct etm4_rig r;
    struct sweep s;
    uint64_t v;
    size_t i;

    etm4_rig_init(&r, NULL);
    etm4_rig_program(&r, 0);
    etm4_rig_enable(&r);
    is_u64(etm4_state(&r.e), ETM4_STARTING, "EN = 1: starting");
    is_u64(etm4_rig_read(&r, 0x00c), 0, "IDLE reads 0 at once");
    sweep_begin(&s, "not idle: programming is ignored");
    for (i = 0; i < WRITABLE; i++) {
        uint64_t before;

        if (!writable[i].idle) {
            continue;
        }
        rd(&r, writable[i].off, &before);
        sweep_case(&s, wr(&r, writable[i].off, ~before) == REG_BUSY, "%#x",
                   writable[i].off);
        rd(&r, writable[i].off, &v);
        sweep_case(&s, v == before, "%#x kept", writable[i].off);
    }
    sweep_end(&s);
    etm4_rig_write(&r, 0x310, 0);
    etm4_rig_write(&r, 0x310, 8);
    is_u64(etm4_rig_read(&r, 0x310), 8, "TRCPDCR.PU is always writable");
    etm4_rig_start(&r, RIG_EL1, 0x1000);
    is_u64(etm4_state(&r.e), ETM4_RUNNING, "the PE reports: running");
    etm4_rig_write(&r, 0x310, 0);
    is_u64(etm4_state(&r.e), ETM4_RUNNING, "PU = 0 does nothing");
    etm4_stopped(&r.e);
    is_u64(etm4_state(&r.e), ETM4_RUNNING,
           "the PE stops by itself: running until software says so");
    etm4_rig_write(&r, 0x004, 0);
    is_u64(etm4_state(&r.e), ETM4_STOPPING, "EN = 0: stopping");
    is_u64(etm4_rig_read(&r, 0x00c), 0, "not idle before all is delivered");
    etm4_stopped(&r.e);
    is_u64(etm4_state(&r.e), ETM4_IDLE, "idle");
    is_u64(etm4_rig_read(&r, 0x00c), 3, "IDLE and PMSTABLE");
    ok(r.n > 0, "the bytes had left by then");
    etm4_rig_free(&r);
}

/* Save with the OS lock set, restore, unlock: as CPU power management does. */
static void test_os_lock_session(void)
{
    struct etm4_rig r;

    etm4_rig_init(&r, NULL);
    etm4_rig_program(&r, 0x40);
    etm4_rig_enable(&r);
    etm4_rig_start(&r, RIG_EL1, 0x1000);
    etm4_rig_write(&r, 0x300, 1);
    is_u64(etm4_state(&r.e), ETM4_STOPPING, "OS lock: stopping");
    etm4_rig_write(&r, 0x300, 0);
    is_u64(etm4_state(&r.e), ETM4_STOPPING, "unlocked too early: no change");
    etm4_stopped(&r.e);
    is_u64(etm4_state(&r.e), ETM4_STARTING, "it starts again when it may");
    etm4_rig_write(&r, 0x300, 1);
    etm4_stopped(&r.e);
    is_u64(etm4_rig_read(&r, 0x00c), 3, "OS lock: idle and PMSTABLE");
    is_u64(etm4_rig_read(&r, 0x004), 1, "EN is kept");
    etm4_rig_write(&r, 0x004, 1);
    is_u64(etm4_state(&r.e), ETM4_IDLE, "EN = 1 under the OS lock: idle");
    etm4_rig_write(&r, 0x010, 0xc0);
    etm4_rig_write(&r, 0x040, 0x12);
    is_u64(etm4_rig_read(&r, 0x010), 0xc0, "restore under the OS lock");
    etm4_rig_write(&r, 0x300, 0);
    is_u64(etm4_state(&r.e), ETM4_STARTING, "unlocked: the session goes on");
    etm4_rig_disable(&r);
    is_u64(etm4_state(&r.e), ETM4_IDLE, "disabled before the PE reported");
    etm4_rig_free(&r);
}

static void test_claim(void)
{
    struct etm4_rig r;

    etm4_rig_init(&r, NULL);
    etm4_rig_unlock(&r);
    is_u64(etm4_rig_read(&r, 0xfa4), 0, "no claim tag at reset");
    etm4_rig_write(&r, 0xfa0, 2);
    is_u64(etm4_rig_read(&r, 0xfa4), 2, "claimed");
    etm4_rig_write(&r, 0xfa4, 2);
    is_u64(etm4_rig_read(&r, 0xfa4), 0, "released");
}

static void test_sizes(void)
{
    static const uint32_t wide[] = { 0x400, 0x438, 0x480, 0x4f8, 0x600, 0x638,
                                     0x640, 0x678 };
    struct etm4_rig r;
    struct sweep s;
    uint64_t v;
    size_t i;

    etm4_rig_init(&r, NULL);
    etm4_rig_unlock(&r);
    sweep_begin(&s, "64-bit accesses to comparators: RAZ/WI");
    for (i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
        v = 1;
        sweep_case(&s, etm4_read(&r.e, wide[i], 8, &v, 0) == REG_RES0 && !v,
                   "%#x read", wide[i]);
        sweep_case(&s, etm4_write(&r.e, wide[i], 8, ~0ull, 0) == REG_RES0,
                   "%#x write", wide[i]);
    }
    sweep_end(&s);
    is_u64(etm4_read(&r.e, 0x080, 8, &v, 0), REG_SIZE, "64 bits of TRCVICTLR");
    is_u64(etm4_write(&r.e, 0x080, 8, 1, 0), REG_SIZE, "and written");
    is_u64(etm4_read(&r.e, 0x082, 4, &v, 0), REG_SIZE, "not aligned");
    is_u64(etm4_read(&r.e, 0x080, 2, &v, 0), REG_SIZE, "16 bits");
    is_u64(etm4_read(&r.e, 0xfe0, 8, &v, 0), REG_SIZE, "64 bits of TRCPIDR0");
    is_u64(etm4_read(&r.e, 0x404, 8, &v, 0), REG_SIZE, "64 bits at +4");
}

static void test_reset(void)
{
    struct etm4_rig r;
    struct etm4 *e = &r.e;
    uint64_t dropped = 0;
    unsigned i;

    etm4_rig_init(&r, NULL);
    etm4_rig_program(&r, 0x40);
    ok(etm4_valid(e), "a programmed unit is valid");
    etm4_rig_enable(&r);
    etm4_rig_start(&r, RIG_EL1, 0x1000);
    etm4_reset(e);
    is_u64(etm4_state(e), ETM4_IDLE, "reset: idle");
    is_u64(etm4_rig_read(&r, 0x304), 0xa, "reset: OS lock set");
    is_u64(etm4_rig_read(&r, 0x010), 0, "reset: TRCCONFIGR");
    for (i = 0; i < ATB_DROP_COUNT; i++) {
        dropped += e->count.dropped[i];
    }
    ok(r.n == 0 && dropped == e->enc.made && dropped > 0,
       "bytes in the FIFO are counted as dropped");
    ok(etm4_valid(e), "a unit after reset is valid");
    e->enc.natoms = 64;
    ok(!etm4_valid(e), "too many atoms: not valid");
    e->enc.natoms = 3;
    e->enc.atoms = 1;
    ok(!etm4_valid(e), "bits below the atoms: not valid");
    e->enc.atoms = 1ull << 61;
    ok(etm4_valid(e), "three atoms: valid");
    e->regs.cntvr[0] = 0x10000;
    ok(!etm4_valid(e), "a counter over 16 bits: not valid");
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    test_identity();
    test_variants();
    test_walk();
    test_table();
    test_locks();
    test_busy();
    test_os_lock_session();
    test_claim();
    test_sizes();
    test_reset();
    return tap_done();
}
