/*
 * Each feature that needs range reporting, by itself: golden bytes worked out
 * by hand from IHI 0064H.b, 6.4, comparators, resource groups, single-shot
 * controls, sequencer, events, and which programming asks the PE for ranges.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "tests/models/etm4_rig.h"
#include "tests/tap/tap.h"

#define BB (1u << 3)
#define CCI (1u << 4)
#define CID (1u << 6)
#define VMID (1u << 7)
#define TS (1u << 11)
#define RS (1u << 12)
#define VMIDOPT (1u << 15)

#define TAKEN PE_RANGE_TAKEN
#define JUMP (PE_RANGE_TAKEN | PE_RANGE_INDIRECT)
#define CALL (PE_RANGE_TAKEN | PE_RANGE_LINK)
#define RETURN (JUMP | PE_RANGE_RETURN)

#define K 0xffff800080010000ull

static struct etm4_rig r;

static void expect(const char *name, size_t n, const uint8_t *want)
{
    etm4_deliver(&r.e);
    if (ok(r.n == n, "%s: %zu bytes", name, n)) {
        is_mem(r.bytes, want, n, "%s: the bytes", name);
    } else {
        size_t i;

        for (i = 0; i < r.n; i++) {
            tap_diag("got [%zu] %02x", i, r.bytes[i]);
        }
    }
    r.n = 0;
}

#define EXPECT(name, ...) \
    do { \
        static const uint8_t want_[] = { __VA_ARGS__ }; \
        expect(name, sizeof(want_), want_); \
    } while (0)
#define NOTHING(name) expect(name, 0, NULL)

static void begin(uint32_t configr)
{
    etm4_rig_init(&r, NULL);
    etm4_rig_program(&r, configr);
}

/* Enable, start in EL1 at K, throw the first bytes away. */
static void start(void)
{
    etm4_rig_enable(&r);
    etm4_rig_context(&r, 0x11, 0);
    etm4_rig_time(&r, 0x1000);
    etm4_rig_start(&r, RIG_EL1, K);
    etm4_deliver(&r.e);
    r.n = 0;
}

static void end(void)
{
    etm4_rig_disable(&r);
    etm4_rig_free(&r);
}

static void range(unsigned n, uint64_t low, uint64_t high)
{
    etm4_rig_address_range(&r, n, low, high);
}

/* ---- golden ---- */

static void test_return_stack(void)
{
    begin(RS);
    start();
    etm4_rig_range(&r, CALL, 3, K + 0x100);       /* returns to K + 0xc */
    etm4_rig_range(&r, TAKEN, 2, K + 0x200);
    etm4_rig_range(&r, RETURN, 2, K + 0xc);
    etm4_rig_range(&r, 0, 1, K + 0x10);
    EXPECT("the return address is on the stack: no address", 0xe0);
    etm4_rig_range(&r, RETURN, 1, K + 0xc);
    EXPECT("once: the stack is empty", 0xf7, 0x95, 0x03);
    etm4_rig_range(&r, CALL, 1, K + 0x100);       /* returns to K + 0x10 */
    etm4_rig_range(&r, RETURN, 1, K + 0x20);
    EXPECT("another target: an address", 0xdb, 0x95, 0x08);
    etm4_rig_range(&r, JUMP, 1, K + 0x10);
    EXPECT("which pops nothing; BR pops as well as RET", 0xf7);
    etm4_rig_range(&r, CALL | JUMP, 1, K + 0x14);
    EXPECT("BLR to the place after it: an address", 0xf7, 0x95, 0x05);
    end();
}

/* Depth 3: the fourth call pushes the first return address out. */
static void test_return_depth(void)
{
    unsigned i;

    begin(RS);
    start();
    for (i = 0; i < 4; i++) {
        etm4_rig_range(&r, CALL, 1, K + 0x100 * (i + 1));
    }
    for (i = 4; i-- > 0;) {
        etm4_rig_range(&r, RETURN, 1, K + 0x100 * i + 4);
    }
    EXPECT("three of four returns match", 0xc4, 0x95, 0x01);
    etm4_rig_range(&r, CALL, 1, K + 0x100);
    etm4_rig_exception(&r, PE_EXC_IRQ, K + 0x104, RIG_EL1, K + 0x280);
    etm4_rig_range(&r, TAKEN, 1, K + 0x300);
    etm4_rig_span(&r, 1);
    etm4_rig_eret(&r, RIG_EL1, K + 0x104);
    etm4_rig_range(&r, RETURN, 1, K + 0x8);
    /* E; Exception 0x06, IRQ << 1 | 1; handler; E E; match of entry 1; E */
    EXPECT("an exception and its return leave the stack alone",
           0xf7, 0x06, 0x1d, 0x95, 0x41, 0x95, 0xa0, 0x81,
           0xdb, 0x91, 0xf7);
    end();
}

static void test_broadcast(void)
{
    begin(BB);
    range(0, K + 0x100, K + 0x1fc);
    etm4_rig_write(&r, 0x03c, 0x101);             /* include mode, range 0 */
    start();
    etm4_rig_range(&r, TAKEN, 1, K + 0x100);
    etm4_rig_range(&r, TAKEN, 1, K + 0x1fc);
    etm4_rig_range(&r, TAKEN, 1, K + 0x100);
    etm4_rig_range(&r, 0, 1, K + 0x104);
    etm4_rig_range(&r, TAKEN | PE_RANGE_ISB, 1, K + 0x108);
    etm4_rig_range(&r, CALL, 1, K + 0x40);
    etm4_rig_range(&r, TAKEN, 1, K + 0x44);
    EXPECT("taken direct branches in the range; not N, not ISB",
           0xdb, 0x95, 0x7f, 0xf7, 0x95, 0x40, 0xfe, 0x95, 0x10, 0xf7);
    end();
    begin(BB | RS);
    range(0, K + 0x100, K + 0x1fc);
    etm4_rig_write(&r, 0x03c, 0x001);             /* exclude mode */
    start();
    etm4_rig_range(&r, TAKEN, 1, K + 0x100);
    etm4_rig_range(&r, TAKEN, 1, K + 0x200);
    EXPECT("outside the range", 0xf7, 0x95, 0x40, 0xf7);
    etm4_rig_range(&r, CALL, 1, K + 0x300);
    etm4_rig_range(&r, RETURN, 1, K + 0x204);
    EXPECT("no use of the return stack there", 0xf7, 0x95, 0xc0, 0x81,
           0xf7, 0x95, 0x01);
    end();
}

static void test_cycles(void)
{
    begin(CCI | TS);
    etm4_rig_write(&r, 0x038, 100);
    etm4_rig_enable(&r);
    etm4_rig_time(&r, 0x1000);
    etm4_rig_start(&r, RIG_EL1, K);
    /* 6.4.2 PLCTL: INFO and CYCT; INFO.CC; the threshold */
    EXPECT("Trace Info tells the threshold",
           0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x09, 0x01, 0x64,
           0x04, 0x85, 0x00, 0x00, 0x01, 0x80, 0x00, 0x80, 0xff, 0xff, 0x31);
    etm4_rig_range(&r, 0, 99, K + 396);
    etm4_rig_range(&r, TAKEN, 1, K);
    EXPECT("Format 3: 100 + 0", 0xda, 0x10);
    etm4_rig_range(&r, TAKEN, 103, K);
    EXPECT("Format 3: 100 + 3", 0xf7, 0x13);
    etm4_rig_range(&r, TAKEN, 104, K);
    EXPECT("Format 1: 100 + 4", 0xf7, 0x0e, 0x04);
    etm4_rig_range(&r, JUMP, 300, K);
    EXPECT("Format 1: 100 + 200, before the address",
           0xf7, 0x0e, 0xc8, 0x01, 0x90);
    etm4_rig_range(&r, TAKEN, 7, K + 0x100);
    etm4_rig_time(&r, 0x1000);
    EXPECT("Timestamp with the cycles since", 0xf7, 0x03, 0x80, 0x20, 0x07);
    etm4_rig_exception(&r, PE_EXC_IRQ, K + 0x100 + 93 * 4, RIG_EL1, K + 0x280);
    EXPECT("an exception counts", 0x06, 0x1d, 0x95, 0x9d, 0x81, 0x10,
           0x95, 0x20);
    etm4_rig_range(&r, TAKEN, 4096, K);
    EXPECT("more than 12 bits: unknown", 0xf7, 0x0f);
    end();
    begin(CCI);
    etm4_rig_write(&r, 0x038, 1);
    start();
    etm4_rig_range(&r, TAKEN, 3, K);
    EXPECT("below CCITMIN: 4 is meant", 0xf7);
    etm4_rig_range(&r, TAKEN, 1, K);
    EXPECT("4 cycles", 0xf7, 0x10);
    end();
}

static void test_vmidopt(void)
{
    begin(VMID | VMIDOPT);
    etm4_rig_enable(&r);
    etm4_rig_start(&r, RIG_EL1, K);
    etm4_deliver(&r.e);
    r.n = 0;
    {
        struct pe_record rec = etm4_rig_record(PE_CONTEXT, 0x11,
                                               0x1234567800000009);

        etm4_pe(&r.e, &rec, 1);
    }
    etm4_rig_atoms(&r, "E");
    EXPECT("VMIDOPT: CONTEXTIDR_EL2", 0xf7, 0x81, 0x71, 0x78, 0x56, 0x34,
           0x12);
    end();
}

/* TRCVICTLR.TRCERR: a System Error where nothing else is traced. */
static void test_forced(void)
{
    begin(0);
    etm4_rig_write(&r, 0x080, 0xa01 | 2u << 20);
    start();
    etm4_rig_exception(&r, PE_EXC_IRQ, K, RIG_EL1, K + 0x280);
    NOTHING("EL1 is excluded");
    etm4_rig_exception(&r, PE_EXC_SYSTEM_ERROR, K, RIG_EL1, K + 0x380);
    etm4_deliver(&r.e);
    ok(r.n > 3 && r.bytes[r.n - 3] == 0x06 && r.bytes[r.n - 2] == 0x09 &&
       r.bytes[r.n - 1] == 0x90, "a System Error is traced: its Exception");
    end();
}

/* A PE that starts to report again: what was between is not known. */
static void test_start_again(void)
{
    begin(RS);
    start();
    etm4_rig_range(&r, CALL, 1, K + 0x100);
    etm4_rig_start(&r, RIG_EL1, K + 0x100);
    EXPECT("Trace On at a second start", 0xf7, 0x04,
           0x82, 0x40, 0x00, 0x01, 0x80, 0x31);
    etm4_rig_range(&r, RETURN, 1, K + 4);
    EXPECT("and an empty return stack", 0xf7, 0x95, 0x01);
    end();
}

/* ---- ViewInst ---- */

static void test_middle(void)
{
    begin(0);
    range(0, K + 0x10, K + 0x1c);                 /* four instructions */
    etm4_rig_write(&r, 0x084, 1);
    start();
    etm4_rig_range(&r, 0, 6, K + 0x18);
    EXPECT("entered in the middle of a block: from its first instruction",
           0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x01, 0x00,
           0x04, 0x85, 0x04, 0x00, 0x01, 0x80, 0x00, 0x80, 0xff, 0xff, 0x31,
           0xf6);
    etm4_rig_range(&r, TAKEN, 3, K);
    NOTHING("left before the next waypoint: not traced");
    etm4_rig_range(&r, TAKEN, 8, K + 0x1c);
    EXPECT("through it, to its last instruction", 0x04,
           0x82, 0x04, 0x00, 0x01, 0x80, 0x31, 0xf7);
    etm4_rig_exception(&r, PE_EXC_DATA_FAULT, K + 0x1c, RIG_EL1, K + 0x200);
    EXPECT("which then faults: traced", 0x06, 0x19, 0x95, 0x07);
    etm4_rig_range(&r, TAKEN, 2, K + 8);
    etm4_rig_exception(&r, PE_EXC_IRQ, K + 0x14, RIG_EL1, K + 0x280);
    EXPECT("an interrupt after three instructions, one of them traced",
           0x04, 0x82, 0x04, 0x00, 0x01, 0x80, 0x31, 0x06, 0x1d, 0x95, 0x05);
    end();
}

static bool traced(uint64_t addr, uint64_t state, uint32_t cid, uint32_t vmid)
{
    return etm4_rig_traced(&r, addr, state, cid, vmid);
}

static void test_comparators(void)
{
    begin(CID | VMID);
    range(0, K, K + 0xff);
    range(1, 0x1001, 0x1fff);
    etm4_rig_write(&r, 0x084, 3);
    ok(traced(K, RIG_EL1, 0, 0), "the first byte of the range");
    ok(traced(K + 0xfc, RIG_EL1, 0, 0), "the last instruction");
    ok(!traced(K + 0x100, RIG_EL1, 0, 0), "the one after it");
    ok(!traced(K - 4, RIG_EL1, 0, 0), "the one before");
    ok(!traced(0x1000, RIG_EL1, 0, 0) && traced(0x1004, RIG_EL1, 0, 0),
       "a low end that is not aligned");
    etm4_rig_write64(&r, 0x480, 2u << 12);        /* not in NS EL1 */
    ok(!traced(K, RIG_EL1, 0, 0) && traced(K, RIG_EL0, 0, 0),
       "TRCACATR.EXLEVEL_NS");
    etm4_rig_write64(&r, 0x480, 1u << 2);         /* Context ID */
    etm4_rig_write64(&r, 0x600, 0x12345678);
    ok(traced(K, RIG_EL1, 0x12345678, 0) && !traced(K, RIG_EL1, 0x12345679, 0),
       "CONTEXTTYPE: Context ID");
    etm4_rig_write(&r, 0x680, 0x5);               /* but for bytes 0 and 2 */
    ok(traced(K, RIG_EL1, 0x12ff56ff, 0) && !traced(K, RIG_EL1, 0x12345578, 0),
       "TRCCIDCCTLR0 masks bytes");
    etm4_rig_write64(&r, 0x480, 3u << 2);
    etm4_rig_write64(&r, 0x640, 7);
    ok(traced(K, RIG_EL1, 0x12345678, 7) && !traced(K, RIG_EL1, 0x12345678, 8),
       "and VMID");
    etm4_rig_write(&r, 0x688, 0xf);
    ok(traced(K, RIG_EL1, 0x12345678, 8), "TRCVMIDCCTLR0 masks bytes");
    etm4_rig_write(&r, 0x084, 2u << 16);
    ok(!traced(0x1004, RIG_EL1, 0, 0) && traced(K, RIG_EL1, 0, 0) &&
       traced(8, RIG_EL1, 0, 0), "exclude: all but the range");
    etm4_rig_free(&r);
}

/* ---- resources: selector 2 is the ViewInst event ---- */

static void selector(uint32_t group, uint32_t select, uint32_t inv)
{
    etm4_rig_write(&r, 0x208, inv << 20 | group << 16 | select);
    etm4_rig_write(&r, 0x080, 0x202);
}

static void test_groups(void)
{
    begin(CID | VMID);
    range(0, K, K + 0xff);
    etm4_rig_write64(&r, 0x410, K + 0x40);
    etm4_rig_write64(&r, 0x600, 0x11);
    etm4_rig_write64(&r, 0x640, 0x7);
    selector(4, 1u << 2, 0);
    ok(traced(K + 0x40, RIG_EL1, 0, 0) && !traced(K + 0x44, RIG_EL1, 0, 0),
       "group 4: a single address comparator");
    selector(5, 1, 0);
    ok(traced(K + 0x40, RIG_EL1, 0, 0) && !traced(K + 0x140, RIG_EL1, 0, 0),
       "group 5: an address range comparator");
    selector(5, 1, 1);
    ok(!traced(K + 0x40, RIG_EL1, 0, 0) && traced(K + 0x140, RIG_EL1, 0, 0),
       "INV");
    selector(6, 1, 0);
    ok(traced(0, RIG_EL1, 0x11, 0) && !traced(0, RIG_EL1, 0x12, 0),
       "group 6: a Context ID comparator");
    selector(7, 1, 0);
    ok(traced(0, RIG_EL1, 0, 7) && !traced(0, RIG_EL1, 0, 6),
       "group 7: a VMID comparator");
    selector(0, 0xf, 0);
    ok(!traced(0, RIG_EL1, 0, 0), "group 0: external inputs are low");
    selector(0, 0xf, 1);
    ok(traced(0, RIG_EL1, 0, 0), "and their inverse is high");
    selector(2, 1u << 5, 0);
    etm4_rig_write(&r, 0x11c, 1);
    ok(traced(0, RIG_EL1, 0, 0), "group 2: sequencer in state 1");
    etm4_rig_write(&r, 0x11c, 2);
    ok(!traced(0, RIG_EL1, 0, 0), "and in another");
    etm4_rig_write(&r, 0x208, 1u << 21 | 5u << 16 | 1);
    etm4_rig_write(&r, 0x20c, 6u << 16 | 1);
    etm4_rig_write(&r, 0x080, 0x281);             /* pair 1 */
    ok(!traced(K, RIG_EL1, 0x11, 0) && traced(K, RIG_EL1, 0, 0) &&
       traced(0, RIG_EL1, 0x11, 0), "a pair with PAIRINV: NAND");
    etm4_rig_free(&r);
}

static void test_single_shot(void)
{
    begin(0);
    etm4_rig_write64(&r, 0x400, K + 0x8);
    etm4_rig_write(&r, 0x280, 1);                 /* SAC 0, RST 0 */
    etm4_rig_write(&r, 0x208, 3u << 16 | 1);      /* single-shot 0 */
    etm4_rig_write(&r, 0x020, 2);
    etm4_rig_write(&r, 0x024, 1);
    start();
    etm4_rig_range(&r, TAKEN, 2, K);
    EXPECT("not reached", 0xf7);
    is_u64(etm4_rig_read(&r, 0x2a0), 1, "TRCSSCSR0: no");
    etm4_rig_range(&r, TAKEN, 3, K);
    EXPECT("an event, before the P0 element of its block", 0x71, 0xf7);
    is_u64(etm4_rig_read(&r, 0x2a0), 0x80000001, "TRCSSCSR0.STATUS");
    etm4_rig_range(&r, TAKEN, 3, K);
    EXPECT("once only", 0xf7);
    etm4_rig_disable(&r);
    etm4_rig_write(&r, 0x280, 1u << 24 | 1);
    start();
    etm4_rig_range(&r, TAKEN, 3, K);
    etm4_rig_range(&r, TAKEN, 4, K);
    EXPECT("RST: each time", 0x71, 0xf7, 0x71, 0xf7);
    end();
}

/* State 0 -F-> 1 at K + 8, 1 -F-> 2 at K, back at K + 4, reset at K + 0x20. */
static void test_sequencer(void)
{
    unsigned i;

    begin(0);
    for (i = 0; i < 4; i++) {
        static const uint64_t at[4] = { K + 8, K, K + 4, K + 0x20 };

        etm4_rig_write64(&r, 0x400 + 8 * i, at[i]);
        etm4_rig_write(&r, 0x208 + 4 * i, 4u << 16 | 1u << i);
    }
    etm4_rig_write(&r, 0x100, 2);
    etm4_rig_write(&r, 0x104, 4u << 8 | 3);
    etm4_rig_write(&r, 0x118, 5);
    start();
    etm4_rig_range(&r, TAKEN, 2, K);
    is_u64(etm4_rig_read(&r, 0x11c), 0, "state 0: nothing that moves it");
    etm4_rig_range(&r, TAKEN, 3, K);
    is_u64(etm4_rig_read(&r, 0x11c), 1, "K + 8: state 1");
    etm4_rig_range(&r, TAKEN, 1, K + 4);
    is_u64(etm4_rig_read(&r, 0x11c), 2, "K: state 2");
    etm4_rig_range(&r, TAKEN, 1, K + 0x1c);
    is_u64(etm4_rig_read(&r, 0x11c), 1, "K + 4: back");
    etm4_rig_range(&r, TAKEN, 2, K);
    is_u64(etm4_rig_read(&r, 0x11c), 0, "K + 0x20: reset");
    end();
}

/* Counter 0 counts instructions of a range, counter 1 its reloads. */
static void test_counters(void)
{
    begin(0);
    range(0, K, K + 0xff);
    etm4_rig_write(&r, 0x208, 5u << 16 | 1);
    etm4_rig_write(&r, 0x140, 9);
    etm4_rig_write(&r, 0x150, 1u << 16 | 2);
    etm4_rig_write(&r, 0x160, 9);
    etm4_rig_write(&r, 0x144, 100);
    etm4_rig_write(&r, 0x154, 1u << 17);
    etm4_rig_write(&r, 0x164, 100);
    start();
    etm4_rig_range(&r, TAKEN, 6, K + 0x1000);
    etm4_rig_range(&r, TAKEN, 500, K + 0x80);
    is_u64(etm4_rig_read(&r, 0x160), 3, "six instructions in the range");
    etm4_rig_range(&r, TAKEN, 3, K + 0x1000);
    is_u64(etm4_rig_read(&r, 0x160), 0, "nine: at zero");
    etm4_rig_range(&r, TAKEN, 1, K + 0x2000);
    is_u64(etm4_rig_read(&r, 0x160), 9, "RLDSELF: reloaded by any cycle");
    is_u64(etm4_rig_read(&r, 0x164), 99, "CNTCHAIN: counter 1 has counted");
    end();
}

static void test_events(void)
{
    begin(0);
    range(0, K, K + 0xff);
    etm4_rig_write64(&r, 0x410, K + 0x10);
    etm4_rig_write(&r, 0x208, 5u << 16 | 1);
    etm4_rig_write(&r, 0x20c, 4u << 16 | 1u << 2);
    etm4_rig_write(&r, 0x020, 3u << 24 | 2u << 8 | 3);
    etm4_rig_write(&r, 0x024, 0xa);               /* INSTEN 1 and 3 */
    start();
    etm4_rig_range(&r, TAKEN, 1, K + 0x200);
    etm4_rig_range(&r, TAKEN, 2, K + 0xc);
    etm4_rig_range(&r, TAKEN, 2, K + 0x200);
    EXPECT("event 1 alone; none; events 1 and 3 in one packet",
           0x72, 0xdb, 0x7a, 0xf7);
    is_u64(r.e.out_pulses[0], 1, "external output 0 was active once");
    is_u64(r.e.out_pulses[1], 2, "output 1 twice");
    is_u64(r.e.out_pulses[2], 0, "output 2 never");
    end();
}

/* ---- who needs ranges ---- */

static void test_wants(void)
{
    static const struct {
        const char *what;
        uint32_t off, val;
        bool want;
    } cases[] = {
        { "nothing special", 0x010, CID | VMID | TS | VMIDOPT, false },
        { "branch broadcast", 0x010, BB, true },
        { "cycle counting", 0x010, CCI, true },
        { "return stack", 0x010, RS, true },
        { "an include range", 0x084, 1, true },
        { "an exclude range", 0x084, 1u << 16, true },
        { "a start address", 0x088, 1, true },
        { "ViewInst by a comparator", 0x080, 0x203, true },
        { "ViewInst by a counter", 0x080, 0x202, true },
        { "timestamps by a counter", 0x030, 2, false },
        { "an event by a counter, not traced", 0x020, 2, false },
        { "an event by a comparator", 0x020, 3, true },
        { "a counter of comparator matches", 0x150, 3, true },
        { "a sequencer by comparators", 0x100, 3, true },
        { "a sequencer by a counter", 0x100, 2, false },
        { "a single-shot control", 0x280, 1, true },
    };
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(TS);
        etm4_rig_write(&r, 0x208, 2u << 16 | 1);  /* counter 0 */
        etm4_rig_write(&r, 0x20c, 4u << 16 | 1);  /* address comparator 0 */
        etm4_rig_write(&r, cases[i].off, cases[i].val);
        ok(etm4_wants_ranges(&r.e) == cases[i].want, "%s: %s",
           cases[i].what, cases[i].want ? "ranges" : "atoms");
        etm4_rig_enable(&r);
        ok(etm4_wants_ranges(&r.e) == cases[i].want, "%s: still",
           cases[i].what);
        etm4_rig_free(&r);
    }
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    test_return_stack();
    test_return_depth();
    test_broadcast();
    test_cycles();
    test_vmidopt();
    test_forced();
    test_start_again();
    test_middle();
    test_comparators();
    test_groups();
    test_single_shot();
    test_sequencer();
    test_counters();
    test_events();
    test_wants();
    return tap_done();
}
