/*
 * Golden bytes: what each element becomes, worked out by hand from IHI
 * 0064H.b, 6.4; the section of each packet is with the first use of it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "tests/models/etm4_rig.h"
#include "tests/oracle/etm4_reader.h"
#include "tests/tap/tap.h"

#define CID (1u << 6)
#define VMID (1u << 7)
#define TS (1u << 11)

/* 6.4.3 A-Sync; 6.4.2 Trace Info: PLCTL 1, INFO 0; 6.4.4 Trace On */
#define ASYNC 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80
#define INFO 0x01, 0x01, 0x00
#define TRACE_ON 0x04

static struct etm4_rig r;

static void begin(uint32_t configr)
{
    etm4_rig_init(&r, NULL);
    etm4_rig_program(&r, configr);
    etm4_rig_enable(&r);
}

/* What the sink has had since the last call is @want. */
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

/* A session at 0xffff800080010000, EL1, whose first bytes are thrown away. */
static void begin_at_kernel(uint32_t configr)
{
    begin(configr);
    etm4_rig_context(&r, 0x11, 0);
    etm4_rig_time(&r, 0x1000);
    etm4_rig_start(&r, RIG_EL1, 0xffff800080010000);
    etm4_deliver(&r.e);
    r.n = 0;
}

static void test_start(void)
{
    begin(CID | VMID | TS);
    etm4_rig_context(&r, 0x12345678, 0x9a);
    etm4_rig_time(&r, 0x1234567);
    etm4_rig_start(&r, RIG_EL0, 0x0000aaaabbbbcccc);
    /*
     * 6.4.10 Address with Context, 64-bit IS0: bits 8:2 = 0x33 (0xccc >> 2 &
     * 0x7f), bits 15:9 = 0xcccc >> 9 = 0x66, then bytes 2..7; information:
     * C, V, NS, SF, EL0 = 0xf0; VMID; Context ID.
         */
    EXPECT("start", ASYNC, INFO, TRACE_ON,
           0x85, 0x33, 0x66, 0xbb, 0xbb, 0xaa, 0xaa, 0x00, 0x00,
           0xf0, 0x9a, 0x00, 0x00, 0x00, 0x78, 0x56, 0x34, 0x12);
    etm4_rig_time(&r, 0x1234568);
    etm4_deliver(&r.e);
    is_u64(r.n, 0, "no P0 element to stamp yet");
    etm4_rig_atoms(&r, "E");
    etm4_rig_time(&r, 0x1234567);
    /* 6.4.5 Timestamp: 0x1234567 in sevens: 67 0a 0d 09, lowest first */
    EXPECT("asked for by Trace Info, after the first P0 element", 0xf7,
           0x02, 0xe7, 0x8a, 0x8d, 0x09);
    etm4_rig_atoms(&r, "E");
    etm4_rig_time(&r, 0x1234569);
    EXPECT("once", 0xf7);
    etm4_rig_free(&r);
}

static void test_atoms(void)
{
    begin_at_kernel(0);
    etm4_rig_atoms(&r, "E");                     /* 6.4.13 F1 0b1111011A */
    EXPECT("E", 0xf7);
    etm4_rig_atoms(&r, "N");
    EXPECT("N", 0xf6);
    etm4_rig_atoms(&r, "EN");                    /* F2 0b110110AA */
    EXPECT("EN", 0xd9);
    etm4_rig_atoms(&r, "NE");
    EXPECT("NE", 0xda);
    etm4_rig_atoms(&r, "ENN");                   /* F3 0b11111AAA */
    EXPECT("ENN", 0xf9);
    etm4_rig_atoms(&r, "NEE");
    EXPECT("NEE", 0xfe);
    etm4_rig_atoms(&r, "EEE");
    EXPECT("EEE", 0xff);
    etm4_rig_atoms(&r, "NEEE");                  /* F4 0b110111AA */
    EXPECT("NEEE", 0xdc);
    etm4_rig_atoms(&r, "NNNN");
    EXPECT("NNNN", 0xdd);
    etm4_rig_atoms(&r, "NENE");
    EXPECT("NENE", 0xde);
    etm4_rig_atoms(&r, "ENEN");
    EXPECT("ENEN", 0xdf);
    etm4_rig_atoms(&r, "NEEEE");                 /* F5 0b11A101AA */
    EXPECT("NEEEE", 0xf5);
    etm4_rig_atoms(&r, "NNNNN");
    EXPECT("NNNNN", 0xd5);
    etm4_rig_atoms(&r, "NENEN");
    EXPECT("NENEN", 0xd6);
    etm4_rig_atoms(&r, "ENENE");
    EXPECT("ENENE", 0xd7);
    etm4_rig_atoms(&r, "EEEE");                  /* F6 0b11A00000 + COUNT */
    EXPECT("4 E", 0xc0);
    etm4_rig_atoms(&r, "EEEN");
    EXPECT("3 E, N", 0xe0);
    etm4_rig_atoms(&r, "EEEEEEEEEEEEEEEEEEEEEEEE");
    EXPECT("24 E", 0xd4);
    etm4_rig_atoms(&r, "EEEEEEEEEEEEEEEEEEEEEEEN");
    EXPECT("23 E, N", 0xf4);
    etm4_rig_atoms(&r, "EEEEEEEEEEEEEEEEEEEEEEEEE");
    EXPECT("25 E", 0xd4, 0xf7);
    etm4_rig_atoms(&r, "EE");
    etm4_rig_atoms(&r, "EE");
    etm4_rig_atoms(&r, "N");
    EXPECT("records join: 4 E, N", 0xe1);
    etm4_rig_free(&r);
}

static void test_addresses(void)
{
    begin_at_kernel(0);
    etm4_rig_indirect(&r, "", 0xffff800080010004);     /* 6.4.8 short IS0 */
    EXPECT("short, one byte", 0xf7, 0x95, 0x01);
    etm4_rig_indirect(&r, "EE", 0xffff8000800101fc);
    EXPECT("short, one byte, largest", 0xff, 0x95, 0x7f);
    etm4_rig_indirect(&r, "", 0xffff800080010200);
    EXPECT("short, two bytes", 0xf7, 0x95, 0x80, 0x81);
    etm4_rig_indirect(&r, "N", 0xffff80008001fffc);
    EXPECT("short, two bytes, largest", 0xda, 0x95, 0xff, 0xff);
    etm4_rig_indirect(&r, "", 0xffff800080020000);
    EXPECT("long, 32 bits", 0xf7, 0x9a, 0x00, 0x00, 0x02, 0x80);
    etm4_rig_indirect(&r, "", 0xffff80017fff1234);
    EXPECT("long, 64 bits", 0xf7,
           0x9d, 0x0d, 0x09, 0xff, 0x7f, 0x01, 0x80, 0xff, 0xff);
    etm4_rig_indirect(&r, "", 0xffff80017fff1234);     /* 6.4.7 exact match */
    EXPECT("exact match, entry 0", 0xf7, 0x90);
    etm4_rig_indirect(&r, "", 0xffff800080020000);
    EXPECT("exact match, entry 2", 0xf7, 0x92);
    etm4_rig_indirect(&r, "", 0xffff80017fff1234);
    EXPECT("exact match, entry 1", 0xf7, 0x91);
    etm4_rig_free(&r);
}

static void test_t32_addresses(void)
{
    begin(0);
    etm4_rig_start(&r, PE_STATE_NS | PE_STATE_T32, 0x8001);
    EXPECT("T32 start: 32-bit IS1, EL0, NS", ASYNC, INFO, TRACE_ON,
           0x83, 0x00, 0x80, 0x00, 0x00, 0x20);
    etm4_rig_indirect(&r, "", 0x8002);
    EXPECT("short IS1, one byte", 0xf7, 0x96, 0x01);
    etm4_rig_indirect(&r, "", 0x8102);
    EXPECT("short IS1, two bytes", 0xf7, 0x96, 0x81, 0x81);
    etm4_rig_indirect(&r, "", 0x1ff02);
    EXPECT("long IS1", 0xf7, 0x9b, 0x01, 0xff, 0x01, 0x00);
    etm4_rig_free(&r);
}

static void test_exceptions(void)
{
    begin_at_kernel(CID);
    etm4_rig_atoms(&r, "EN");
    /* 6.4.12: 0x06, E1 = 0, TYPE IRQ 0b01110, E0 = 1; address; then vector */
    etm4_rig_exception(&r, PE_EXC_IRQ, 0xffff800080010010, RIG_EL1,
                       0xffff800080012280);
    EXPECT("IRQ, EL1 to EL1", 0xd9, 0x06, 0x1d, 0x95, 0x04,
           0x95, 0xa0, 0x91);
    etm4_rig_eret(&r, RIG_EL0, 0x0000aaaabbbbcccc);
    EXPECT("ERET to EL0: E, address and context", 0xf7,
           0x85, 0x33, 0x66, 0xbb, 0xbb, 0xaa, 0xaa, 0x00, 0x00, 0x30);
    etm4_rig_exception(&r, PE_EXC_INST_FAULT, 0x0000aaaabbbbcccc, RIG_EL1,
                       0xffff800080012400);
    EXPECT("fault at the target of the ERET: exact match, E = 01",
           0x06, 0x17, 0x90,
           0x85, 0x00, 0x12, 0x01, 0x80, 0x00, 0x80, 0xff, 0xff, 0x31);
    etm4_rig_free(&r);
}

static void test_excluded(void)
{
    etm4_rig_init(&r, NULL);
    etm4_rig_program(&r, CID);
    etm4_rig_write(&r, 0x080, 0x201 | 2u << 20);       /* EL1 excluded */
    etm4_rig_enable(&r);
    etm4_rig_context(&r, 0x11, 0);
    etm4_rig_start(&r, RIG_EL1, 0xffff800080010000);
    etm4_rig_indirect(&r, "EEN", 0xffff800080010100);
    etm4_rig_context(&r, 0x22, 0);
    etm4_deliver(&r.e);
    is_u64(r.n, 0, "EL1 excluded: not a byte from EL1");
    etm4_rig_eret(&r, RIG_EL0, 0x400000);
    EXPECT("into EL0: sync, Trace On, the newest context", ASYNC, INFO,
           TRACE_ON, 0x82, 0x00, 0x00, 0x40, 0x00,
           0xb0, 0x22, 0x00, 0x00, 0x00);
    etm4_rig_exception(&r, PE_EXC_CALL, 0x400008, RIG_EL1,
                       0xffff800080012400);
    EXPECT("SVC into EL1: the exception, no vector", 0x06, 0x05, 0x95, 0x02);
    etm4_rig_atoms(&r, "EEEE");
    etm4_rig_eret(&r, RIG_EL0, 0x400008);
    EXPECT("back: Trace On, address with the whole context", TRACE_ON,
           0x82, 0x02, 0x00, 0x40, 0x00, 0xb0, 0x22, 0x00, 0x00, 0x00);
    etm4_rig_free(&r);
}

static void test_contexts(void)
{
    begin_at_kernel(CID | VMID);
    etm4_rig_context(&r, 0x22, 0);
    etm4_rig_atoms(&r, "NEN");
    /* 6.4.9 Context 0x81: C NS SF EL1; only what changed, after the first */
    EXPECT("new Context ID after the next P0 element", 0xf6,
           0x81, 0xb1, 0x22, 0x00, 0x00, 0x00, 0xd9);
    etm4_rig_context(&r, 0x22, 7);
    etm4_rig_indirect(&r, "", 0xffff800080010004);
    EXPECT("new VMID at an indirect branch: with its address", 0xf7,
           0x82, 0x01, 0x00, 0x01, 0x80, 0x71, 0x07, 0x00, 0x00, 0x00);
    etm4_rig_context(&r, 0x22, 7);
    etm4_rig_indirect(&r, "E", 0xffff800080010008);
    EXPECT("the same values: no packet", 0xdb, 0x95, 0x02);
    etm4_rig_context(&r, 0x33, 7);
    etm4_rig_exception(&r, PE_EXC_IRQ, 0xffff800080010008, RIG_EL1,
                       0xffff80008001000c);
    EXPECT("at an exception: with the vector", 0x06, 0x1d, 0x90,
           0x82, 0x03, 0x00, 0x01, 0x80, 0xb1, 0x33, 0x00, 0x00, 0x00);
    etm4_rig_free(&r);
}

static void test_timestamps(void)
{
    etm4_rig_init(&r, NULL);
    etm4_rig_program(&r, TS);
    etm4_rig_write(&r, 0x030, 1);              /* TRCTSCTLR: always */
    etm4_rig_enable(&r);
    etm4_rig_time(&r, 0x7f);
    etm4_rig_start(&r, RIG_EL1, 0x1000);
    etm4_deliver(&r.e);
    r.n = 0;
    etm4_rig_exception(&r, PE_EXC_IRQ, 0x1000, RIG_EL1, 0x1004);
    etm4_rig_time(&r, 0x7f);
    EXPECT("first: after Trace Info, against zero", 0x06, 0x1d, 0x90,
           0x95, 0x01, 0x02, 0x7f);
    etm4_rig_time(&r, 0x80);
    etm4_deliver(&r.e);
    is_u64(r.n, 0, "no P0 element since: none");
    etm4_rig_atoms(&r, "E");
    etm4_rig_time(&r, 0x81);
    EXPECT("two sevens changed", 0xf7, 0x02, 0x81, 0x01);
    etm4_rig_atoms(&r, "E");
    etm4_rig_time(&r, 0x82);
    EXPECT("seven bits changed", 0xf7, 0x02, 0x02);
    etm4_rig_atoms(&r, "E");
    etm4_rig_time(&r, 0x8000000000000082);
    EXPECT("bit 63 changed: nine bytes", 0xf7, 0x02,
           0x82, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80);
    etm4_rig_atoms(&r, "E");
    etm4_rig_time(&r, 0x80ffffffffffff82);
    EXPECT("bits 55:0 changed: eight bytes", 0xf7, 0x02,
           0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);
    etm4_rig_free(&r);
}

static void test_event(void)
{
    etm4_rig_init(&r, NULL);
    etm4_rig_program(&r, 0);
    etm4_rig_write(&r, 0x020, 1);              /* event 0: always */
    etm4_rig_write(&r, 0x024, 1);              /* INSTEN */
    etm4_rig_enable(&r);
    etm4_rig_start(&r, RIG_EL1, 0x1000);
    etm4_deliver(&r.e);
    r.n = 0;
    etm4_rig_atoms(&r, "EN");
    etm4_rig_time(&r, 5);
    EXPECT("event 0 after the atoms", 0xd9, 0x71);     /* 6.4.6 0b0111EEEE */
    etm4_rig_free(&r);
}

/* TRCVICTLR.TRCRESET */
static void test_forced_reset(void)
{
    etm4_rig_init(&r, NULL);
    etm4_rig_program(&r, 0);
    etm4_rig_write(&r, 0x080, 0x601 | 2u << 20);
    etm4_rig_enable(&r);
    etm4_rig_start(&r, RIG_EL1, 0x1000);
    etm4_rig_exception(&r, PE_EXC_IRQ, 0x1004, RIG_EL1, 0x2000);
    etm4_deliver(&r.e);
    is_u64(r.n, 0, "an IRQ at an excluded level is not traced");
    etm4_rig_exception(&r, PE_EXC_RESET, 0x1008, RIG_EL1, 0x0);
    EXPECT("TRCRESET: a Reset is", ASYNC, INFO, TRACE_ON,
           0x82, 0x02, 0x08, 0x00, 0x00, 0x31, 0x06, 0x01, 0x90);
    etm4_rig_free(&r);
}

static void test_sync(void)
{
    unsigned i;

    etm4_rig_init(&r, NULL);
    etm4_rig_program(&r, CID);
    etm4_rig_write(&r, 0x034, 8);              /* every 256 bytes */
    etm4_rig_enable(&r);
    etm4_rig_context(&r, 0x11, 0);
    etm4_rig_start(&r, RIG_EL1, 0x1000);
    etm4_deliver(&r.e);
    is_u64(r.n, 15 + 1 + 10, "the first sync");
    for (i = 0; i < 122; i++) {
        etm4_rig_indirect(&r, "", 0x1000);     /* two bytes each */
    }
    r.n = 0;
    etm4_deliver(&r.e);
    is_u64(r.n, 244, "255 bytes since Trace Info: none yet");
    r.n = 0;
    etm4_rig_indirect(&r, "", 0x1000);
    EXPECT("the last before", 0xf7, 0x90);
    etm4_rig_indirect(&r, "E", 0x1004);
    EXPECT("256 bytes: sync between atom and address", 0xdb, ASYNC, INFO,
           0x82, 0x01, 0x08, 0x00, 0x00, 0xb1, 0x11, 0x00, 0x00, 0x00);
    etm4_rig_free(&r);
}

/* Batches of branches: no A-Sync early, none late by more than a record. */
static void test_sync_period(void)
{
    struct pe_record rec[512];
    struct etm4_reader rd;
    struct etm4_pkt p;
    struct sweep s;
    size_t last = 0, i;

    etm4_rig_init(&r, NULL);
    etm4_rig_program(&r, 0);
    etm4_rig_write(&r, 0x034, 9);              /* every 512 bytes */
    etm4_rig_enable(&r);
    etm4_rig_start(&r, RIG_EL1, 0x1000);
    for (i = 0; i < 512; i++) {
        rec[i] = etm4_rig_record(PE_INDIRECT, 0x5, 0x1000 + (i % 7 << 10));
    }
    for (i = 0; i < 40; i++) {
        etm4_pe(&r.e, rec, 512);
    }
    etm4_deliver(&r.e);
    sweep_begin(&s, "A-Sync each 512 bytes after the last Trace Info");
    etm4_reader_init(&rd, r.bytes, r.n, 4, 1);
    while (etm4_reader_next(&rd, &p) == 1) {
        if (p.kind == ETM4_PKT_ASYNC && p.off > 0) {
            sweep_case(&s, p.off - last >= 512 && p.off - last <= 512 + 8,
                       "%zu bytes from %zu", p.off - last, last);
        }
        if (p.kind == ETM4_PKT_TRACE_INFO) {
            last = p.off + p.len;
        }
    }
    sweep_case(&s, !rd.error && r.n - last <= 512 + 8, "at the end");
    sweep_end(&s);
    ok(r.n > 100 * 512, "over a hundred of them");
    etm4_rig_free(&r);
}

static void test_stop(void)
{
    begin_at_kernel(0);
    etm4_rig_atoms(&r, "E");
    etm4_rig_stop(&r, 0xffff800080010040);
    etm4_rig_atoms(&r, "NNN");
    EXPECT("PE_STOP: nothing after the last P0 element", 0xf7);
    etm4_rig_start(&r, RIG_EL1, 0xffff800080010080);
    EXPECT("a gap: Trace On", TRACE_ON,
           0x82, 0x20, 0x00, 0x01, 0x80, 0x31);
    etm4_rig_atoms(&r, "N");
    etm4_rig_disable(&r);
    EXPECT("disable delivers", 0xf6);
    etm4_rig_enable(&r);
    etm4_rig_start(&r, RIG_EL1, 0x1000);
    EXPECT("a new session: sync first", ASYNC, INFO, TRACE_ON,
           0x82, 0x00, 0x08, 0x00, 0x00, 0x31);
    etm4_rig_free(&r);
}

static void test_delivery(void)
{
    static const uint8_t ids[] = { 0x00, 0x70, 0x7f };
    unsigned i;

    for (i = 0; i < sizeof(ids); i++) {
        etm4_rig_init(&r, NULL);
        etm4_rig_program(&r, 0);
        etm4_rig_write(&r, 0x040, ids[i]);
        etm4_rig_enable(&r);
        etm4_rig_start(&r, RIG_EL1, 0x1000);
        etm4_deliver(&r.e);
        ok(r.n == 0 && r.e.count.dropped[ATB_DROP_BAD_ID] == 22 &&
           r.e.enc.made == 22, "reserved ATID %#x: counted, not sent",
           ids[i]);
        etm4_rig_free(&r);
    }
    begin(0);
    r.e.out = NULL;
    etm4_rig_start(&r, RIG_EL1, 0x1000);
    etm4_deliver(&r.e);
    is_u64(r.e.count.dropped[ATB_DROP_NO_PATH], 22, "no output: counted");
    is_u64(r.e.count.in[0x10], 22, "and by ATID");
    etm4_rig_free(&r);
    begin(0);
    etm4_rig_start(&r, RIG_EL1, 0x1000);
    for (i = 0; i < 10000; i++) {
        etm4_rig_indirect(&r, "", (i & 1 ? 0x12345678 : 0x1000) + 4 * i);
    }
    ok(r.largest <= 4096, "chunks of at most 4 KiB: %zu", r.largest);
    etm4_deliver(&r.e);
    is_u64(r.n, r.e.enc.made, "bytes made = bytes at the sink");
    is_u64(r.n, r.e.pushed, "= bytes counted as pushed");
    is_u64(r.atid, 0x10, "with the ATID of TRCTRACEIDR");
    etm4_rig_free(&r);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    test_start();
    test_atoms();
    test_addresses();
    test_t32_addresses();
    test_exceptions();
    test_excluded();
    test_contexts();
    test_timestamps();
    test_event();
    test_forced_reset();
    test_sync();
    test_sync_period();
    test_stop();
    test_delivery();
    return tap_done();
}
