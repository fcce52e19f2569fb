/*
 * Trace replicator, dynamic and static.  Topology:
 *
 *   src --> replicator --[0]--> dst[0]
 *                      --[1]--> dst[1]
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "models/regs_mgmt.h"
#include "models/replicator.h"
#include "models/replicator_regs.h"
#include "tests/models/probe.h"
#include "tests/tap/tap.h"

static struct replicator r;
static struct probe src, dst[2];
static struct atb_link in, out[2];

static void build(bool is_static)
{
    replicator_init(&r, is_static);
    probe_init(&src);
    in = probe_link(&src.atb, 0, &r.atb, 0);
    src.out = &in;
    r.in = &in;
    for (unsigned o = 0; o < 2; o++) {
        probe_init(&dst[o]);
        out[o] = probe_link(&r.atb, o, &dst[o].atb, 0);
        r.out[o] = &out[o];
    }
    replicator_write(&r, CS_LAR, CS_LAR_KEY);
}

static uint32_t rd(uint32_t off)
{
    uint32_t val = 0xdeadbeef;

    replicator_read(&r, off, &val);
    return val;
}

static void registers(void)
{
    build(false);
    is_u64(rd(REPLICATOR_IDFILTER0), 0, "IDFILTER0 reset: all pass");
    is_u64(rd(REPLICATOR_IDFILTER1), 0, "IDFILTER1 reset");
    is_u64(rd(CS_DEVID), 2, "DEVID: two ports");
    is_u64(rd(CS_DEVTYPE), 0x22, "DEVTYPE: link, replicator");
    is_u64(rd(CS_PIDR0) | (rd(CS_PIDR0 + 4) & 0xf) << 8, 0x909, "part");
    is_u64(replicator_write(&r, REPLICATOR_IDFILTER0, 0xff), REG_OK, "close");
    replicator_write(&r, REPLICATOR_IDFILTER1, 0xff);
    is_u64(rd(REPLICATOR_IDFILTER0), 0xff, "IDFILTER0 reads back");
    is_u64(rd(REPLICATOR_IDFILTER1), 0xff, "IDFILTER1 reads back");
    is_u64(replicator_write(&r, REPLICATOR_IDFILTER1, 0x155), REG_RESERVED,
           "reserved bits");
    is_u64(rd(REPLICATOR_IDFILTER1), 0x55, "... are not kept");
    is_u64(rd(REPLICATOR_IDFILTER0), 0xff, "... the other is untouched");
    replicator_write(&r, CS_LAR, 0);
    is_u64(replicator_write(&r, REPLICATOR_IDFILTER0, 0), REG_LOCKED,
           "locked");
    is_u64(rd(REPLICATOR_IDFILTER0), 0xff, "... and unchanged");
    replicator_write(&r, CS_LAR, CS_LAR_KEY);
    is_u64(replicator_write(&r, REPLICATOR_ITATBCTR0, 1), REG_RES0,
           "integration mode is absent");
    is_u64(replicator_write(&r, 0x008, 1), REG_RES0, "no register at 0x008");
    replicator_reset(&r);
    is_u64(rd(REPLICATOR_IDFILTER0), 0, "reset opens");
}

/* Every filter bit against every ATID, on both outputs. */
static void filters(bool is_static)
{
    struct sweep s;

    sweep_begin(&s, is_static ? "static: no filter" : "filters by 16 IDs");
    for (unsigned bit = 0; bit < 8; bit++) {
        for (unsigned id = 0; id < 0x80; id++) {
            uint8_t byte = (uint8_t)id;
            bool blocked = !is_static && id / 16 == bit;

            build(is_static);
            replicator_write(&r, REPLICATOR_IDFILTER0, 1u << bit);
            replicator_write(&r, REPLICATOR_IDFILTER1, 0xff & ~(1u << bit));
            atb_push(&in, (uint8_t)id, &byte, 1);
            sweep_case(&s, dst[0].n == (blocked ? 0 : 1),
                       "output 0 bit %u id 0x%02x", bit, id);
            sweep_case(&s, dst[1].n == (is_static || blocked ? 1 : 0),
                       "output 1 bit %u id 0x%02x", bit, id);
            sweep_case(&s, r.count[0].dropped[ATB_DROP_FILTERED] ==
                       (blocked ? 1 : 0), "drops bit %u id 0x%02x", bit, id);
        }
    }
    sweep_end(&s);
}

static void paths(void)
{
    uint8_t bytes[3] = { 1, 2, 3 };

    build(false);
    replicator_write(&r, REPLICATOR_IDFILTER0, 0xff);
    replicator_write(&r, REPLICATOR_IDFILTER1, 0xff);
    probe_hold(&src, 0x10, bytes, 3);
    atb_flush(&out[1]);
    is_u64(src.flushes, 1, "a flush passes closed filters");
    is_u64(r.count[0].dropped[ATB_DROP_FILTERED], 3, "its bytes are filtered");
    is_u64(r.count[1].in[0x10], 3, "and counted per output");
    build(false);
    r.out[1] = NULL;
    r.in = NULL;
    atb_push(&in, 0x10, bytes, 3);
    is_u64(dst[0].n, 3, "an open output does not stop the other");
    is_u64(r.count[1].dropped[ATB_DROP_NO_PATH], 3, "... and is counted");
    r.atb.ops->flush(&r);
    is_u64(src.flushes, 0, "a flush with no input returns");
}

int main(int argc, char **argv)
{
    uint32_t val;

    tap_begin(argc, argv, 0);
    registers();
    filters(false);
    filters(true);
    is_u64(replicator_read(&r, CS_PIDR0, &val), REG_RES0,
           "static: no registers to read");
    is_u64(replicator_write(&r, REPLICATOR_IDFILTER0, 0xff), REG_RES0,
           "... nor to write");
    paths();
    return tap_done();
}
