/*
 * Trace funnel, dynamic and static.  Topology:
 *
 *   src[0..7] --[0..7]--> funnel --[0]--> dst
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "models/funnel.h"
#include "models/funnel_regs.h"
#include "models/regs_mgmt.h"
#include "tests/models/probe.h"
#include "tests/tap/tap.h"

static struct funnel f;
static struct probe src[FUNNEL_PORTS], dst;
static struct atb_link in[FUNNEL_PORTS], out;

static void build(bool is_static)
{
    funnel_init(&f, is_static);
    probe_init(&dst);
    out = probe_link(&f.atb, 0, &dst.atb, 0);
    f.out = &out;
    for (unsigned i = 0; i < FUNNEL_PORTS; i++) {
        probe_init(&src[i]);
        in[i] = probe_link(&src[i].atb, 0, &f.atb, i);
        src[i].out = &in[i];
        f.in[i] = &in[i];
    }
    funnel_write(&f, CS_LAR, CS_LAR_KEY);
}

static uint32_t rd(uint32_t off)
{
    uint32_t val = 0xdeadbeef;

    funnel_read(&f, off, &val);
    return val;
}

static void identity(void)
{
    build(false);
    is_u64(rd(FUNNEL_FUNCTL), 0x300, "FUNCTL reset: ports closed, hold 3");
    is_u64(rd(FUNNEL_PRICTL), 0xfac688, "PRICTL reset: port order");
    is_u64(rd(CS_DEVID), 0x38, "DEVID: eight ports");
    is_u64(rd(CS_DEVTYPE), 0x12, "DEVTYPE: link, funnel");
    is_u64(rd(CS_PIDR0) | (rd(CS_PIDR0 + 4) & 0xf) << 8, 0x908, "part");
    is_u64(rd(CS_LSR), 1, "software lock implemented");
}

/* What a driver does: claim, read-modify-write, lock; contract 3.4 of Linux */
static void driver_sequence(void)
{
    build(false);
    is_u64(rd(FUNNEL_FUNCTL) & 0xff, 0, "no port is open");
    funnel_write(&f, CS_CLAIMSET, 2);
    is_u64(rd(CS_CLAIMCLR), 2, "claimed");
    is_u64(funnel_write(&f, FUNNEL_FUNCTL,
                        (rd(FUNNEL_FUNCTL) & ~0xf00u) | 0x700 | 1u << 3),
           REG_OK, "open port 3");
    funnel_write(&f, FUNNEL_PRICTL, 0);
    funnel_write(&f, CS_LAR, 0);
    is_u64(rd(FUNNEL_FUNCTL), 0x708, "FUNCTL reads back while locked");
    is_u64(rd(FUNNEL_PRICTL), 0, "PRICTL reads back");
    is_u64(funnel_write(&f, FUNNEL_FUNCTL, 0), REG_LOCKED, "locked");
    is_u64(rd(FUNNEL_FUNCTL), 0x708, "... and unchanged");
    funnel_write(&f, CS_LAR, CS_LAR_KEY);
    funnel_write(&f, FUNNEL_FUNCTL, rd(FUNNEL_FUNCTL) & ~(1u << 3));
    is_u64(rd(FUNNEL_FUNCTL), 0x700, "closed again");
    is_u64(funnel_write(&f, FUNNEL_FUNCTL, 0xf01), REG_RESERVED,
           "hold time 0xf is reserved");
    is_u64(rd(FUNNEL_FUNCTL), 0x701, "... only the port bits count");
    is_u64(funnel_write(&f, FUNNEL_FUNCTL, 0x10301), REG_RESERVED,
           "reserved bits");
    is_u64(rd(FUNNEL_FUNCTL), 0x301, "... are not kept");
    is_u64(funnel_write(&f, 0x008, 1), REG_RES0, "no register at 0x008");
    is_u64(funnel_write(&f, FUNNEL_ITATBCTR0, 1), REG_RES0,
           "integration mode is absent");
    funnel_write(&f, CS_CLAIMSET, 1);
    funnel_reset(&f);
    is_u64(rd(FUNNEL_FUNCTL), 0x300, "reset closes the ports");
    is_u64(rd(CS_CLAIMCLR), 0, "... and releases");
    is_u64(rd(CS_LSR), 3, "... and locks");
}

/* Each mask of open ports: who gets through, who is asked to flush. */
static void ports(bool is_static)
{
    struct sweep s;

    sweep_begin(&s, is_static ? "static: all ports pass"
                              : "each mask of open ports");
    for (unsigned mask = 0; mask < 0x100; mask++) {
        unsigned passed = 0, flushed = 0, open = is_static ? 0xff : mask;
        uint64_t closed = 0;
        uint8_t byte = 0x5a;

        build(is_static);
        funnel_write(&f, FUNNEL_FUNCTL, mask | 0x700);
        for (unsigned i = 0; i < FUNNEL_PORTS; i++) {
            size_t before = dst.n;

            atb_push(&in[i], (uint8_t)(0x10 + i), &byte, 1);
            passed |= (unsigned)(dst.n - before) << i;
            probe_hold(&src[i], (uint8_t)(0x10 + i), &byte, 1);
            closed += open >> i & 1 ? 0 : 1;
        }
        atb_flush(&out);
        for (unsigned i = 0; i < FUNNEL_PORTS; i++) {
            flushed |= src[i].flushes << i;
        }
        sweep_case(&s, passed == open, "mask %02x passed %02x", mask, passed);
        sweep_case(&s, flushed == open, "mask %02x flushed %02x", mask,
                   flushed);
        sweep_case(&s, f.count.dropped[ATB_DROP_PORT_CLOSED] == closed,
                   "mask %02x: drops", mask);
        sweep_case(&s, dst.n == 2 * (8 - closed), "mask %02x: bytes", mask);
        sweep_case(&s, !dst.lock_error, "mask %02x: lock", mask);
    }
    sweep_end(&s);
}

static void no_output(void)
{
    uint8_t bytes[3] = { 1, 2, 3 };

    build(true);
    f.out = NULL;
    f.in[2] = NULL;
    atb_push(&in[0], 0x10, bytes, 3);
    atb_push(&in[0], 0x11, bytes, 2);
    is_u64(f.count.dropped[ATB_DROP_NO_PATH], 5, "no output: counted");
    is_u64(f.count.in[0x10], 3, "bytes in, by ATID");
    is_u64(f.count.dropped_id[0x11], 2, "drops, by ATID");
    f.atb.ops->flush(&f);
    is_u64(src[7].flushes, 1, "an open input does not stop a flush");
}

static void walk(void)
{
    size_t n;
    const struct reg_desc *t = funnel_table(&n);
    struct sweep s;

    sweep_begin(&s, "walk of the register table");
    for (size_t i = 0; i < n; i++) {
        enum reg_result w;

        build(false);
        sweep_case(&s, rd(t[i].off) == t[i].reset, "%s reset", t[i].name);
        w = funnel_write(&f, t[i].off, ~t[i].mask);
        if (t[i].flags & REG_F_ABSENT) {
            sweep_case(&s, w == REG_RES0 && rd(t[i].off) == 0, "%s absent",
                       t[i].name);
            continue;
        }
        sweep_case(&s, w == REG_RESERVED && rd(t[i].off) == 0, "%s reserved",
                   t[i].name);
        funnel_write(&f, CS_LAR, 0);
        sweep_case(&s, funnel_write(&f, t[i].off, 1) == REG_LOCKED &&
                   rd(t[i].off) == 0, "%s locked", t[i].name);
    }
    sweep_end(&s);
}

int main(int argc, char **argv)
{
    uint32_t val;

    tap_begin(argc, argv, 0);
    identity();
    driver_sequence();
    ports(false);
    ports(true);
    is_u64(funnel_read(&f, CS_PIDR0, &val), REG_RES0,
           "static: no registers to read");
    is_u64(funnel_write(&f, FUNNEL_FUNCTL, 1), REG_RES0, "... nor to write");
    no_output();
    walk();
    return tap_done();
}
