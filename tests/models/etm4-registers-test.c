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

#define ACVR(n) { 0x400 + 8 * (n), 0xffffffff, true }, \
    { 0x404 + 8 * (n), 0xffffffff, true }
#define ACATR(n) { 0x480 + 8 * (n), 0x0000700c, true }

/* Every writable register of the default unit, with its writable bits. */
static const struct {
    uint32_t off, mask;
    bool idle;                   /* programmed only while idle */
} writable[] = {
    { 0x004, 0x00000001, false },          /* TRCPRGCTLR */
    /* TRCCONFIGR: BB CCI CID VMID TS RS VMIDOPT */
    { 0x010, 0x000098d8, true },
    { 0x020, 0x9f9f9f9f, true },           /* TRCEVENTCTL0R */
    { 0x024, 0x0000000f, true },           /* TRCEVENTCTL1R: INSTEN */
    { 0x030, 0x0000009f, true },           /* TRCTSCTLR */
    { 0x034, 0x0000001f, true },           /* TRCSYNCPR */
    { 0x038, 0x00000fff, true },           /* TRCCCCTLR: 12 bits */
    { 0x03c, 0x0000010f, true },           /* TRCBBCTLR: 4 ranges, MODE */
    { 0x040, 0x0000007f, true },           /* TRCTRACEIDR */
    { 0x080, 0x00700e9f, true },           /* TRCVICTLR: NS EL0 to EL2 */
    { 0x084, 0x000f000f, true },           /* TRCVIIECTLR: 4 ranges */
    { 0x088, 0x00ff00ff, true },           /* TRCVISSCTLR: 8 comparators */
    { 0x100, 0x00009f9f, true }, { 0x104, 0x00009f9f, true },
    { 0x108, 0x00009f9f, true },           /* TRCSEQEVR0-2 */
    { 0x118, 0x0000009f, true },           /* TRCSEQRSTEVR */
    { 0x11c, 0x00000003, true },           /* TRCSEQSTR */
    { 0x120, 0x03030303, true },           /* TRCEXTINSELR: of 4 inputs */
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
    { 0x280, 0x010f00ff, true },           /* TRCSSCCR0: RST, ARC, SAC */
    { 0x310, 0x00000008, false },          /* TRCPDCR: PU */
    /* TRCACVR0-7, 64 bits each; TRCACATR0-7: contexts, NS EL0 to EL2 */
    ACVR(0), ACVR(1), ACVR(2), ACVR(3), ACVR(4), ACVR(5), ACVR(6), ACVR(7),
    ACATR(0), ACATR(1), ACATR(2), ACATR(3), ACATR(4), ACATR(5), ACATR(6),
    ACATR(7),
    { 0x600, 0xffffffff, true },           /* TRCCIDCVR0 */
    { 0x640, 0xffffffff, true },           /* TRCVMIDCVR0 */
    { 0x680, 0x0000000f, true },           /* TRCCIDCCTLR0: COMP0 */
    { 0x688, 0x0000000f, true },           /* TRCVMIDCCTLR0: COMP0 */
};

#define WRITABLE (sizeof(writable) / sizeof(writable[0]))

/* Read-only and write-only offsets of the trace page. */
static const uint32_t read_only[] = {
    0x00c, 0x180, 0x184, 0x188, 0x18c, 0x190, 0x194, 0x1c0, 0x1e0, 0x1e4, 0x1e8,
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

/*
 * Words of zeros that exist: the high halves of 64-bit registers, and
 * TRCSSCSR0, whose INST bit reads as one.
 */
static bool is_high_half(uint32_t off)
{
    return (off >= 0x480 && off < 0x4c0 && off % 8 == 4) || off == 0x604 ||
           off == 0x644;
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
    is_u64(etm4_rig_read(&r, 0x1e0), 0x28000ea1,
           "TRCIDR0: COMMOPT, TSSIZE, 4 events, RETSTACK, CCI, BB");
    is_u64(etm4_rig_read(&r, 0x1e4), 0x4100f420, "TRCIDR1: Arm ETMv4.2");
    is_u64(etm4_rig_read(&r, 0x1e8), 0x20001088,
           "TRCIDR2: VMIDOPT, CCSIZE 12, VMIDSIZE 32, CIDSIZE 32, IASIZE 64");
    is_u64(etm4_rig_read(&r, 0x1ec), 0x01700004,
           "TRCIDR3: TRCERR, NS EL0 to EL2, CCITMIN 4");
    is_u64(etm4_rig_read(&r, 0x1f0), 0x11170004,
           "TRCIDR4: 1 VMID, 1 CID, 1 single-shot, 8 selector pairs, 4 pairs");
    is_u64(etm4_rig_read(&r, 0x1f4), 0x28070804,
           "TRCIDR5: 2 counters, 4 states, TRACEIDSIZE 7, 4 of 4 inputs");
    is_u64(etm4_rig_read(&r, 0x180), 0, "TRCIDR8: MAXSPEC 0");
    is_u64(etm4_rig_read(&r, 0xfbc), 0x47724a13, "TRCDEVARCH");
    is_u64(etm4_rig_read(&r, 0xfcc), 0x13, "TRCDEVTYPE");
    is_u64(etm4_rig_read(&r, 0xfb8), 0x0c,
           "TRCAUTHSTATUS: Non-secure non-invasive debug");
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
    uint32_t off;
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
    p.ac_pairs = 0;
    p.vmid_comps = 0;
    p.seq_states = 0;
    p.events = 1;
    p.ext_inputs = 0;
    p.vmid_opt = 0;
    p.branch_broadcast = 0;
    p.return_stack = 0;
    p.cc_bits = 0;
    etm4_rig_init(&r, &p);
    etm4_rig_unlock(&r);
    is_u64(etm4_rig_read(&r, 0x1e0), 0x20000001, "no timestamps");
    is_u64(etm4_rig_read(&r, 0x1e4), 0x4100f450, "ETMv4.5");
    is_u64(etm4_rig_read(&r, 0xfbc), 0x47754a13, "TRCDEVARCH v4.5");
    is_u64(etm4_rig_read(&r, 0xfb8), 0xcc,
           "TRCAUTHSTATUS: Secure too, where there are Secure levels");
    is_u64(etm4_rig_read(&r, 0x1e8), 0x1008, "VMIDSIZE 32, no CID");
    is_u64(etm4_rig_read(&r, 0x1ec), 0x017b0000,
           "EXLEVEL fields, no CCITMIN");
    is_u64(etm4_rig_read(&r, 0x1f0), 0, "one selector pair");
    is_u64(etm4_rig_read(&r, 0x1f4), 0x00070000, "no counter");
    wr(&r, 0x010, 0xffffffff);
    is_u64(etm4_rig_read(&r, 0x010), 0x80, "TRCCONFIGR has VMID only");
    wr(&r, 0x080, 0xffffffff);
    is_u64(etm4_rig_read(&r, 0x080), 0x007b0e9f, "TRCVICTLR, all levels");
    is_u64(wr(&r, 0x030, 1), REG_RES0, "TRCTSCTLR is absent");
    is_u64(wr(&r, 0x140, 1), REG_RES0, "TRCCNTRLDVR0 is absent");
    is_u64(rd(&r, 0x208, &v), REG_RES0, "TRCRSCTLR2 is absent");
    for (off = 0x038; off <= 0x03c; off += 4) {
        is_u64(wr(&r, off, 1), REG_RES0, "%#x is absent", off);
    }
    is_u64(wr(&r, 0x100, 1), REG_RES0, "TRCSEQEVR0 is absent");
    is_u64(wr(&r, 0x084, 1), REG_RES0, "TRCVIIECTLR is absent");
    is_u64(etm4_write(&r.e, 0x400, 8, 1, 0), REG_RES0, "TRCACVR0 is absent");
    is_u64(rd(&r, 0x2a0, &v), REG_RES0, "TRCSSCSR0 is absent");
    is_u64(wr(&r, 0x680, 1), REG_RES0, "TRCCIDCCTLR0: no IDs, absent");
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

        if (off == 0x300 || off == 0x2a0) {
            continue;                           /* elsewhere */
        }
        if (is_high_half(off)) {
            sweep_case(&s, wr(&r, off, 1) == REG_RESERVED &&
                       rd(&r, off, &v) == REG_OK && v == 0, "%#x", off);
            continue;
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
        sweep_case(&s, res == (mask == UINT32_MAX ? REG_OK :
                                      mask ? REG_RESERVED : REG_RES0),
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

            sweep_case(&s, off == 0x300 || off == 0x2a0 ||
                       etm4_reg_mask(&r.e, &t[i], k) ==
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
    struct etm4_rig r;
    uint64_t v;

    etm4_rig_init(&r, NULL);
    etm4_rig_unlock(&r);
    is_u64(etm4_write(&r.e, 0x438, 8, 0x123456789abcdef0, 0), REG_OK,
           "TRCACVR7 written whole");
    is_u64(etm4_read(&r.e, 0x438, 8, &v, 0), REG_OK, "and read whole");
    is_u64(v, 0x123456789abcdef0, "the same");
    is_u64(etm4_rig_read(&r, 0x438), 0x9abcdef0, "its low half");
    is_u64(etm4_rig_read(&r, 0x43c), 0x12345678, "its high half");
    etm4_rig_write(&r, 0x43c, 0xffff0000);
    etm4_read(&r.e, 0x438, 8, &v, 0);
    is_u64(v, 0xffff00009abcdef0, "the high half written");
    is_u64(etm4_write(&r.e, 0x480, 8, ~0ull, 0), REG_RESERVED,
           "TRCACATR0: reserved bits");
    etm4_read(&r.e, 0x480, 8, &v, 0);
    is_u64(v, 0x700c, "those that exist are kept");
    is_u64(etm4_write(&r.e, 0x480, 8, 0xff0c, 0), REG_OK,
           "levels that do not exist: no word about them");
    is_u64(etm4_write(&r.e, 0x600, 8, 1ull << 32, 0), REG_RESERVED,
           "TRCCIDCVR0 has 32 bits");
    is_u64(etm4_write(&r.e, 0x608, 8, 1, 0), REG_RES0,
           "TRCCIDCVR1 is not there");
    is_u64(etm4_write(&r.e, 0x500, 8, 1, 0), REG_RES0,
           "nor is TRCDVCVR0");
    is_u64(etm4_read(&r.e, 0x080, 8, &v, 0), REG_SIZE, "64 bits of TRCVICTLR");
    is_u64(etm4_write(&r.e, 0x080, 8, 1, 0), REG_SIZE, "and written");
    is_u64(etm4_read(&r.e, 0x082, 4, &v, 0), REG_SIZE, "not aligned");
    is_u64(etm4_read(&r.e, 0x080, 2, &v, 0), REG_SIZE, "16 bits");
    is_u64(etm4_read(&r.e, 0xfe0, 8, &v, 0), REG_SIZE, "64 bits of TRCPIDR0");
    is_u64(etm4_read(&r.e, 0x404, 8, &v, 0), REG_SIZE, "64 bits at +4");
}

/* The status of a single-shot control: INST is fixed, STATUS is software's. */
static void test_single_shot(void)
{
    struct etm4_rig r;

    etm4_rig_init(&r, NULL);
    etm4_rig_unlock(&r);
    is_u64(etm4_rig_read(&r, 0x2a0), 1, "TRCSSCSR0: INST");
    etm4_rig_write(&r, 0x2a0, 0x80000001);
    is_u64(etm4_rig_read(&r, 0x2a0), 0x80000001, "STATUS can be set");
    etm4_rig_write(&r, 0x2a0, 0);
    is_u64(etm4_rig_read(&r, 0x2a0), 1, "and cleared");
    is_u64(wr(&r, 0x2a0, 2), REG_RESERVED, "DA does not exist");
    etm4_rig_free(&r);
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
    test_single_shot();
    test_reset();
    return tap_done();
}
