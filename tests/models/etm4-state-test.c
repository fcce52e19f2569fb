/*
 * A trace unit's saved fields are all of its state: a session that moves from
 * one unit to another at random points makes the same bytes as one that stays.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "tests/models/etm4_program.h"
#include "tests/models/etm4_rig.h"
#include "tests/tap/tap.h"

/* What is saved and loaded; see struct etm4. */
static void move(struct etm4 *to, const struct etm4 *from)
{
    to->state = from->state;
    to->regs = from->regs;
    to->mgmt.claim = from->mgmt.claim;
    to->mgmt.locked = from->mgmt.locked;
    to->filter = from->filter;
    to->enc = from->enc;
    to->fifo = from->fifo;
    to->count = from->count;
    to->pushed = from->pushed;
    to->overflows = from->overflows;
    memcpy(to->out_pulses, from->out_pulses, sizeof(to->out_pulses));
}

static void program(struct etm4_rig *r, bool ranges)
{
    etm4_rig_program(r, 1u << 6 | 1u << 7 | 1u << 11 |
                     (ranges ? 1u << 3 | 1u << 4 | 1u << 12 : 0));
    if (ranges) {                /* all that ranges are for */
        etm4_rig_write(r, 0x038, 50);
        etm4_rig_write64(r, 0x400, 0xaaaad5550100);
        etm4_rig_write64(r, 0x408, 0xaaaad5550bff);
        etm4_rig_write64(r, 0x410, 0xaaaad5550104);
        etm4_rig_write(r, 0x03c, 0x101);
        etm4_rig_write(r, 0x084, 1u << 16);
        etm4_rig_write(r, 0x210, 4u << 16 | 1u << 2);
        etm4_rig_write(r, 0x100, 4);
        etm4_rig_write(r, 0x280, 4);
        etm4_rig_write(r, 0x020, 4u << 8);
        etm4_rig_write(r, 0x024, 2);
    }
    etm4_rig_write(r, 0x034, 8);
    etm4_rig_write(r, 0x080, 0x201 | 2u << 20);
    etm4_rig_write(r, 0x140, 100);
    etm4_rig_write(r, 0x150, 1u << 16 | 1);
    etm4_rig_write(r, 0x160, 100);
    etm4_rig_write(r, 0x208, 2u << 16 | 1);
    etm4_rig_write(r, 0x030, 2);
    etm4_rig_enable(r);
}

static void test_moves(uint64_t seed, bool ranges)
{
    struct etm4_rig stay, a, b;
    struct etm4_params limits;
    struct program p;
    struct prng g;
    struct sweep s;
    size_t i, moves = 0;

    prng_seed(&g, seed);
    program_init(&p, seed);
    p.exclude = 2;
    p.ranges = ranges;
    p.irq_every = 20;
    program_start(&p, true);
    program_run(&p, 20000);
    program_stop(&p);
    etm4_params_default(&limits);
    limits.fifo_bytes = ranges ? 300 : 0;
    etm4_rig_init(&stay, &limits);
    etm4_rig_init(&a, &limits);
    etm4_rig_init(&b, &limits);
    program(&stay, ranges);
    program(&a, ranges);
    a.link.to = b.link.to = &stay.sink;
    sweep_begin(&s, "every moved state is a valid one");
    for (i = 0; i < p.nrec; i++) {
        etm4_pe(&a.e, &p.rec[i], 1);
        if (prng_below(&g, 20) == 0) {
            sweep_case(&s, etm4_valid(&a.e), "at record %zu", i);
            move(&b.e, &a.e);
            etm4_reset(&a.e);
            move(&a.e, &b.e);
            moves++;
        }
    }
    etm4_rig_disable(&a);
    sweep_end(&s);
    a.bytes = stay.bytes;
    a.n = stay.n;
    stay.bytes = NULL;
    stay.n = stay.room = 0;
    etm4_pe(&stay.e, p.rec, p.nrec);
    etm4_rig_disable(&stay);
    ok(moves > 100, "%zu moves in %zu records", moves, p.nrec);
    if (is_u64(a.n, stay.n, "as many bytes as without")) {
        is_mem(a.bytes, stay.bytes, stay.n, "the same bytes");
    }
    etm4_rig_free(&a);
    etm4_rig_free(&stay);
    program_free(&p);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 8);
    test_moves(tap_seed(), false);
    test_moves(tap_seed(), true);
    return tap_done();
}
