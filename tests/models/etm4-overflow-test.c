/*
 * A limited FIFO that overflows: the Overflow packet, what is lost, and how
 * trace begins anew; IHI 0064H.b, 5.2.9.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/models/etm4_rig.h"
#include "tests/oracle/etm4_reader.h"
#include "tests/tap/tap.h"

#define CID (1u << 6)
#define JUMP (PE_RANGE_TAKEN | PE_RANGE_INDIRECT)
#define K 0xffff800080010000ull

static struct etm4_rig r;

static void test_overflow(void)
{
    struct etm4_params p;
    struct etm4_reader rd;
    struct etm4_pkt pkt;
    unsigned i, overflows = 0, after = 0;
    enum etm4_pkt_kind last = ETM4_PKT_KINDS;
    bool order = true;

    etm4_params_default(&p);
    p.fifo_bytes = 256;
    p.fifo_drain = 16;                            /* a byte in four cycles */
    etm4_rig_init(&r, &p);
    etm4_rig_program(&r, CID);
    etm4_rig_enable(&r);
    ok(etm4_wants_ranges(&r.e), "a limited FIFO: by ranges");
    etm4_rig_start(&r, RIG_EL1, K);
    for (i = 0; i < 2000; i++) {
        /* two or three bytes in two cycles, then some rest */
        etm4_rig_range(&r, i % 400 < 200 ? JUMP : PE_RANGE_TAKEN,
                       i % 400 < 200 ? 2 : 8, K + (i * 68 & 0xffff));
    }
    etm4_rig_disable(&r);
    etm4_reader_init(&rd, r.bytes, r.n, 4, 4);
    while (etm4_reader_next(&rd, &pkt) == 1) {
        overflows += pkt.kind == ETM4_PKT_OVERFLOW;
        order = order && (last != ETM4_PKT_OVERFLOW ||
                          pkt.kind == ETM4_PKT_ASYNC);
        after += last == ETM4_PKT_OVERFLOW;
        last = pkt.kind;
    }
    ok(rd.pos == r.n && !rd.error, "the stream reads to its end");
    ok(overflows > 2, "%u overflows", overflows);
    is_u64(r.e.overflows, overflows, "counted");
    ok(order && after + 1 >= overflows, "each is followed by A-Sync");
    is_u64(r.e.enc.made, r.n, "bytes made = bytes at the sink");
    etm4_rig_free(&r);
}

/* Taken direct branches only: no packet but an overflow drops the atoms. */
static void test_overflow_atoms(void)
{
    struct etm4_params p;
    struct etm4_reader rd;
    struct etm4_pkt pkt;
    unsigned i, pending, taken = 0, not_taken = 0;
    bool after = false;

    etm4_params_default(&p);
    p.fifo_bytes = 64;
    p.fifo_drain = 1;
    etm4_rig_init(&r, &p);
    etm4_rig_program(&r, 0);
    etm4_rig_enable(&r);
    etm4_rig_start(&r, RIG_EL1, K);
    do {
        pending = r.e.enc.natoms;
        etm4_rig_range(&r, PE_RANGE_TAKEN, 1, K);
    } while (!r.e.overflows);
    ok(pending > 0, "an overflow with %u atoms pending", pending);
    etm4_rig_range(&r, PE_RANGE_TAKEN, 64 * 64, K);        /* it drains */
    for (i = 0; i < 10; i++) {
        etm4_rig_range(&r, PE_RANGE_TAKEN, 1, K);
    }
    etm4_rig_disable(&r);
    etm4_reader_init(&rd, r.bytes, r.n, 4, 4);
    while (etm4_reader_next(&rd, &pkt) == 1) {
        after = after || pkt.kind == ETM4_PKT_OVERFLOW;
        for (i = 0; pkt.kind == ETM4_PKT_ATOMS && i < pkt.natoms; i++) {
            taken += after && (pkt.atoms >> i & 1u);
            not_taken += !(pkt.atoms >> i & 1u);
        }
    }
    ok(rd.pos == r.n && !rd.error, "the stream reads to its end");
    is_u64(not_taken, 0, "they are lost, not sent as something else");
    is_u64(taken, 9, "what is sent after it is of after it");
    etm4_rig_free(&r);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    test_overflow();
    test_overflow_atoms();
    return tap_done();
}
