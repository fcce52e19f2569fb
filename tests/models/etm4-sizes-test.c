/*
 * Each size that TRCIDRn can advertise, used to its end: every comparator,
 * selector, counter's width, event, sequencer state, Exception level and ATID,
 * in the largest unit and in others.  What is decoded is read by tests/oracle.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/models/etm4_rig.h"
#include "tests/oracle/etm4_reader.h"
#include "tests/tap/tap.h"

#define CCI (1u << 4)
#define CID (1u << 6)
#define VMID (1u << 7)
#define TS (1u << 11)

#define K 0xffff800080010000ull

/* TRCRSCTLRn: GROUP and SELECT */
#define SELECT(group, select) ((uint32_t)(group) << 16 | (select))

static struct etm4_rig r;

/* Everything that the register map has room for. */
static struct etm4_params largest(void)
{
    struct etm4_params p;

    etm4_params_default(&p);
    p.counters = 4;
    p.rs_pairs = 16;
    p.ac_pairs = 8;
    p.cid_comps = 8;
    p.vmid_comps = 8;
    p.ss_comps = 8;
    p.exlevel_s = 0xb;
    p.cc_bits = 20;
    return p;
}

static void begin(const struct etm4_params *p, uint32_t configr)
{
    if (etm4_params_check(p)) {
        tap_bail("%s", etm4_params_check(p));
    }
    etm4_rig_init(&r, p);
    etm4_rig_program(&r, configr);
}

static void begin_largest(uint32_t configr)
{
    struct etm4_params p = largest();

    begin(&p, configr);
}

static bool traced(uint64_t addr, uint32_t cid, uint32_t vmid)
{
    return etm4_rig_traced(&r, addr, RIG_EL1, cid, vmid);
}

/* ViewInst's event is selector @n, or with 0x80 pair @n. */
static void view_by(uint32_t event)
{
    etm4_rig_write(&r, 0x080, 0x200 | event);
}

static uint64_t place(unsigned n)
{
    return K + 0x1000 * n;
}

static void test_address_comparators(void)
{
    struct sweep s;
    unsigned n, k;

    begin_largest(0);
    for (n = 0; n < 8; n++) {
        etm4_rig_address_range(&r, n, place(n), place(n) + 0xff);
    }
    sweep_begin(&s, "each address range comparator");
    for (n = 0; n < 8; n++) {
        etm4_rig_write(&r, 0x084, 1u << n);
        for (k = 0; k < 8; k++) {
            sweep_case(&s, traced(place(k) + 0x80, 0, 0) == (k == n),
                       "included by %u, in range %u", n, k);
        }
        etm4_rig_write(&r, 0x084, 0x10000u << n);
        for (k = 0; k < 8; k++) {
            sweep_case(&s, traced(place(k) + 0x80, 0, 0) == (k != n),
                       "excluded by %u, in range %u", n, k);
        }
    }
    sweep_end(&s);
    etm4_rig_write(&r, 0x084, 0);
    view_by(2);
    sweep_begin(&s, "each single address comparator");
    for (n = 0; n < 16; n++) {
        etm4_rig_write(&r, 0x208, SELECT(4, 1u << n));
        for (k = 0; k < 16; k++) {
            uint64_t at = place(k / 2) + (k & 1 ? 0xfc : 0);

            sweep_case(&s, traced(at, 0, 0) == (k == n),
                       "selected %u, at %u", n, k);
        }
    }
    sweep_end(&s);
    etm4_rig_free(&r);
}

static void test_selectors(void)
{
    struct sweep s;
    unsigned n;

    begin_largest(CID);
    etm4_rig_address_range(&r, 0, K, K + 0xff);
    etm4_rig_write64(&r, 0x600, 0x11);
    sweep_begin(&s, "each resource selector, alone and in its pair");
    for (n = 2; n < 32; n++) {
        etm4_rig_write(&r, 0x200 + 4 * n, SELECT(5, 1));
        view_by(n);
        sweep_case(&s, traced(K, 0, 0) && !traced(K + 0x100, 0, 0),
                   "selector %u", n);
        etm4_rig_write(&r, 0x200 + 4 * n, 0);
        sweep_case(&s, !traced(K, 0, 0), "selector %u without resources", n);
    }
    for (n = 1; n < 16; n++) {
        etm4_rig_write(&r, 0x200 + 8 * n, SELECT(5, 1));
        etm4_rig_write(&r, 0x204 + 8 * n, SELECT(6, 1));
        view_by(0x80 | n);
        sweep_case(&s, traced(K, 0x11, 0) && !traced(K, 0x12, 0) &&
                   !traced(K + 0x100, 0x11, 0), "pair %u", n);
        etm4_rig_write(&r, 0x200 + 8 * n, 0);
    }
    sweep_end(&s);
    etm4_rig_free(&r);
}

/* @group 6 and TRCCIDCVRn from @cvr on; 7 and TRCVMIDCVRn */
static void context_comparators(const char *name, unsigned group,
                                uint32_t cvr, uint32_t cctlr, uint32_t type)
{
    struct sweep s;
    unsigned n, k;

    begin_largest(CID | VMID);
    etm4_rig_address_range(&r, 0, 0, UINT64_MAX);
    for (n = 0; n < 8; n++) {
        etm4_rig_write64(&r, cvr + 8 * n, 0x01010101u * (n + 1));
    }
    view_by(2);
    sweep_begin(&s, name);
    for (n = 0; n < 8; n++) {
        uint32_t mine = 0x01010101u * (n + 1);

        etm4_rig_write(&r, 0x208, SELECT(group, 1u << n));
        for (k = 0; k < 8; k++) {
            uint32_t id = 0x01010101u * (k + 1);

            sweep_case(&s, traced(K, id, id) == (k == n),
                       "comparator %u, ID of %u", n, k);
        }
        for (k = 0; k < 4; k++) {
            uint32_t near = mine ^ 0x80u << 8 * k;

            etm4_rig_write(&r, cctlr + n / 4 * 4, (1u << k) << 8 * (n % 4));
            sweep_case(&s, traced(K, near, near), "%u, byte %u masked", n, k);
            etm4_rig_write(&r, cctlr + n / 4 * 4, 0);
            sweep_case(&s, !traced(K, near, near), "%u, byte %u not", n, k);
        }
        /* the address comparator's CONTEXT names this one */
        etm4_rig_write64(&r, 0x480, n << 4 | type << 2);
        etm4_rig_write(&r, 0x208, SELECT(5, 1));
        sweep_case(&s, traced(K, mine, mine) && !traced(K, mine + 1, mine + 1),
                   "an address comparator with context %u", n);
    }
    sweep_end(&s);
    etm4_rig_free(&r);
}

static void test_single_shots(void)
{
    struct sweep s;
    unsigned n, k;

    sweep_begin(&s, "each single-shot control");
    for (n = 0; n < 8; n++) {
        begin_largest(0);
        etm4_rig_write64(&r, 0x400 + 8 * n, K + 0x10);
        etm4_rig_write(&r, 0x280 + 4 * n, 1u << n);
        etm4_rig_write(&r, 0x208, SELECT(3, 1u << n));
        etm4_rig_write(&r, 0x020, 2);
        etm4_rig_enable(&r);
        etm4_rig_start(&r, RIG_EL1, K);
        etm4_rig_range(&r, PE_RANGE_TAKEN, 4, K);
        sweep_case(&s, r.e.out_pulses[0] == 0, "%u: not yet", n);
        etm4_rig_range(&r, PE_RANGE_TAKEN, 8, K);
        sweep_case(&s, r.e.out_pulses[0] == 1, "%u: the event", n);
        for (k = 0; k < 8; k++) {
            sweep_case(&s, etm4_rig_read(&r, 0x2a0 + 4 * k) ==
                       (k == n ? 0x80000001u : 1u), "%u: TRCSSCSR%u", n, k);
        }
        etm4_rig_disable(&r);
        etm4_rig_free(&r);
    }
    sweep_end(&s);
}

/* Event n at K + 16 n + 16, by a selector of its own. */
static void test_events(void)
{
    struct etm4_reader rd;
    struct etm4_pkt p;
    struct sweep s;
    unsigned n, seen = 0;

    begin_largest(0);
    for (n = 0; n < 4; n++) {
        etm4_rig_write64(&r, 0x400 + 8 * n, K + 16 * n + 16);
        etm4_rig_write(&r, 0x208 + 4 * n, SELECT(4, 1u << n));
    }
    etm4_rig_write(&r, 0x020, 0x05040302);
    etm4_rig_write(&r, 0x024, 0xf);
    etm4_rig_enable(&r);
    etm4_rig_start(&r, RIG_EL1, K);
    for (n = 0; n < 4; n++) {
        etm4_rig_range(&r, PE_RANGE_TAKEN, 8, K + 16 * n + 16);
        etm4_rig_range(&r, PE_RANGE_TAKEN, 1, K + 0x100);
        etm4_rig_range(&r, PE_RANGE_TAKEN, 1, K + 0x200);
    }
    etm4_rig_disable(&r);
    sweep_begin(&s, "each event has its bit, and its output");
    etm4_reader_init(&rd, r.bytes, r.n, 4, 4);
    while (etm4_reader_next(&rd, &p) == 1) {
        if (p.kind == ETM4_PKT_EVENT && seen > 0) {
            sweep_case(&s, p.event == 1u << (seen - 1), "event %u: bits %#x",
                       seen - 1, p.event);
        }
        /* the first block runs over the place of event 0 */
        seen += p.kind == ETM4_PKT_EVENT;
    }
    sweep_case(&s, seen == 5, "%u Event packets", seen);
    for (n = 0; n < 4; n++) {
        sweep_case(&s, r.e.out_pulses[n] == (n == 0 ? 2u : 1u),
                   "output %u: %llu pulses", n,
                   (unsigned long long)r.e.out_pulses[n]);
    }
    sweep_end(&s);
    etm4_rig_free(&r);
}

static void test_sequencer(void)
{
    struct sweep s;
    unsigned n;

    begin_largest(0);
    /* K + 4 goes forward from each state, K + 8 back */
    etm4_rig_write64(&r, 0x400, K + 4);
    etm4_rig_write64(&r, 0x408, K + 8);
    etm4_rig_write(&r, 0x208, SELECT(4, 1));
    etm4_rig_write(&r, 0x20c, SELECT(4, 2));
    for (n = 0; n < 3; n++) {
        etm4_rig_write(&r, 0x100 + 4 * n, 3u << 8 | 2);
        /* each state is a resource: selector 4 + n, state n + 1 */
        etm4_rig_write(&r, 0x210 + 4 * n, SELECT(2, 0x20u << n));
    }
    etm4_rig_write(&r, 0x020, 0x00060504);
    etm4_rig_enable(&r);
    etm4_rig_start(&r, RIG_EL1, K + 4);
    sweep_begin(&s, "each state of the sequencer, there and back");
    for (n = 1; n <= 4; n++) {
        etm4_rig_range(&r, PE_RANGE_TAKEN, 1, K + 4);
        sweep_case(&s, etm4_rig_read(&r, 0x11c) == (n < 3 ? n : 3),
                   "forward %u: state %u", n, etm4_rig_read(&r, 0x11c));
    }
    etm4_rig_range(&r, PE_RANGE_TAKEN, 1, K + 8);
    for (n = 3; n-- > 0;) {
        etm4_rig_range(&r, PE_RANGE_TAKEN, 1, K + 8);
        sweep_case(&s, etm4_rig_read(&r, 0x11c) == n, "back: state %u, not %u",
                   etm4_rig_read(&r, 0x11c), n);
    }
    etm4_rig_range(&r, PE_RANGE_TAKEN, 1, K + 8);
    sweep_case(&s, etm4_rig_read(&r, 0x11c) == 0, "no state below 0");
    for (n = 0; n < 3; n++) {
        sweep_case(&s, r.e.out_pulses[n] > 0, "state %u is a resource", n + 1);
    }
    sweep_end(&s);
    etm4_rig_disable(&r);
    etm4_rig_free(&r);
}

static void test_exception_levels(void)
{
    static const char *const names[2] = {
        "each Secure level: traced, and excluded by its bit",
        "each Non-secure level: traced, and excluded by its bit",
    };
    static const uint8_t levels[2] = { 0xb, 0x7 };
    struct sweep s;
    unsigned ns, el, k;

    begin_largest(0);
    etm4_rig_address_range(&r, 0, K, K + 0xff);
    for (ns = 0; ns < 2; ns++) {
        sweep_begin(&s, names[ns]);
        for (el = 0; el < 4; el++) {
            uint64_t state = el | PE_STATE_A64 | (ns ? PE_STATE_NS : 0);
            uint32_t bit = 1u << (el + (ns ? 20 : 16));

            if (!(levels[ns] >> el & 1u)) {
                continue;
            }
            etm4_rig_write(&r, 0x084, 0);
            for (k = 16; k < 24; k++) {
                /* one level excluded; Non-secure EL3 does not exist */
                if (!(0x7bu >> (k - 16) & 1u)) {
                    continue;
                }
                etm4_rig_write(&r, 0x080, 0x201 | 1u << k);
                sweep_case(&s, etm4_rig_traced(&r, K, state, 0, 0) ==
                           (bit != 1u << k), "EL%u, bit %u", el, k);
            }
            etm4_rig_write(&r, 0x080, 0x201);
            etm4_rig_write(&r, 0x084, 1);
            for (k = 8; k < 16; k++) {
                if (!(0x7bu >> (k - 8) & 1u)) {
                    continue;
                }
                etm4_rig_write64(&r, 0x480, 1u << k);
                sweep_case(&s, etm4_rig_traced(&r, K, state, 0, 0) ==
                           (bit >> 8 != 1u << k), "EL%u, TRCACATR0 bit %u",
                           el, k);
                etm4_rig_write64(&r, 0x480, 0);
            }
        }
        sweep_end(&s);
    }
    etm4_rig_free(&r);
}

/* The only packet of @kind in the sink. */
static struct etm4_pkt only(enum etm4_pkt_kind kind)
{
    struct etm4_reader rd;
    struct etm4_pkt p, found = { .kind = ETM4_PKT_KINDS };
    unsigned n = 0;

    etm4_reader_init(&rd, r.bytes, r.n, r.e.params.cid_size,
                     r.e.params.vmid_size);
    while (etm4_reader_next(&rd, &p) == 1) {
        if (p.kind == kind) {
            found = p;
            n++;
        }
    }
    if (n != 1 || rd.error) {
        tap_diag("%u of %s %s", n, etm4_pkt_name(kind),
                 rd.error ? rd.error : "");
        found.kind = ETM4_PKT_KINDS;
    }
    r.n = 0;
    return found;
}

static void test_timestamp_size(void)
{
    static const struct {
        uint8_t bits;
        uint64_t want;
    } cases[] = {
        { 48, 0x00005678fedcba98 }, { 64, 0x92345678fedcba98 },
    };
    struct sweep s;
    size_t i;

    sweep_begin(&s, "timestamps are cut to TSSIZE");
    for (i = 0; i < 2; i++) {
        struct etm4_params p = largest();
        struct etm4_pkt pkt;

        p.ts_bits = cases[i].bits;
        begin(&p, TS);
        etm4_rig_enable(&r);
        etm4_rig_start(&r, RIG_EL1, K);
        etm4_rig_atoms(&r, "E");
        etm4_rig_time(&r, 0x92345678fedcba98);
        etm4_rig_disable(&r);
        pkt = only(ETM4_PKT_TIMESTAMP);
        sweep_case(&s, pkt.kind == ETM4_PKT_TIMESTAMP &&
                   pkt.ts == cases[i].want, "%u bits: %#llx", p.ts_bits,
                   (unsigned long long)pkt.ts);
        etm4_rig_free(&r);
    }
    sweep_end(&s);
}

static void test_vmid_size(void)
{
    static const uint8_t sizes[] = { 1, 2, 4 };
    static const uint32_t want[] = { 0x78, 0x5678, 0x12345678 };
    struct sweep s;
    size_t i;

    sweep_begin(&s, "VMIDs are cut to VMIDSIZE");
    for (i = 0; i < sizeof(sizes); i++) {
        struct etm4_params p = largest();
        struct etm4_pkt pkt;

        p.vmid_size = sizes[i];
        p.vmid_opt = 0;
        begin(&p, VMID | CID);
        etm4_rig_enable(&r);
        etm4_rig_context(&r, 0x99, 0x12345678);
        etm4_rig_start(&r, RIG_EL1, K);
        etm4_rig_disable(&r);
        pkt = only(ETM4_PKT_ADDRESS_CONTEXT);
        sweep_case(&s, pkt.has_vmid && pkt.vmid == want[i] && pkt.has_cid &&
                   pkt.cid == 0x99, "%u bytes: %#x, Context ID %#x", sizes[i],
                   pkt.vmid, pkt.cid);
        etm4_rig_free(&r);
    }
    sweep_end(&s);
}

static void test_cycle_counter(void)
{
    struct sweep s;
    unsigned bits;

    sweep_begin(&s, "the cycle counter has CCSIZE + 12 bits");
    for (bits = 12; bits <= 20; bits++) {
        struct etm4_params p = largest();
        uint32_t most = (1u << bits) - 1;
        struct etm4_pkt pkt;

        p.cc_bits = (uint8_t)bits;
        begin(&p, CCI);
        sweep_case(&s, (etm4_rig_read(&r, 0x1e8) >> 25 & 0xf) + 12 == bits,
                   "%u bits: CCSIZE", bits);
        etm4_rig_write(&r, 0x038, most);
        etm4_rig_enable(&r);
        etm4_rig_start(&r, RIG_EL1, K);
        etm4_rig_range(&r, PE_RANGE_TAKEN, most - 1, K);
        etm4_rig_range(&r, PE_RANGE_TAKEN, 1, K);
        etm4_deliver(&r.e);
        pkt = only(ETM4_PKT_CYCLES);
        sweep_case(&s, !pkt.unknown && pkt.cycles == most,
                   "%u bits: the most, %u", bits, pkt.cycles);
        etm4_rig_range(&r, PE_RANGE_TAKEN, most + 1, K);
        etm4_deliver(&r.e);
        sweep_case(&s, r.n == 2 && r.bytes[1] == 0x0f,
                   "%u bits: one more is UNKNOWN", bits);
        etm4_rig_free(&r);
    }
    sweep_end(&s);
}

static void test_atids(void)
{
    struct sweep s;
    unsigned id;

    begin_largest(0);
    sweep_begin(&s, "every ATID of 7 bits");
    for (id = 0; id < 0x80; id++) {
        uint64_t before = r.e.count.dropped[ATB_DROP_BAD_ID];

        r.atid = 0xff;
        etm4_rig_write(&r, 0x040, id);
        if (id == 0 || id >= 0x70) {     /* reserved, IHI 0029F D4.2.4 */
            sweep_case(&s, !traced(K, 0, 0) && r.atid == 0xff &&
                       r.e.count.dropped[ATB_DROP_BAD_ID] > before,
                       "%#x is reserved: counted", id);
        } else {
            sweep_case(&s, traced(K, 0, 0) && r.atid == id, "%#x, not %#x",
                       id, r.atid);
        }
    }
    sweep_end(&s);
    etm4_rig_free(&r);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    test_address_comparators();
    test_selectors();
    context_comparators("each Context ID comparator", 6, 0x600, 0x680, 1);
    context_comparators("each VMID comparator", 7, 0x640, 0x688, 2);
    test_single_shots();
    test_events();
    test_sequencer();
    test_exception_levels();
    test_timestamp_size();
    test_vmid_size();
    test_cycle_counter();
    test_atids();
    return tap_done();
}
