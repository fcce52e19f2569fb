/*
 * A whole trace network under any traffic:
 *
 *   src[0..7] --> funnel --> replicator --[0]--> sink[0]
 *                                       --[1]--> sink[1]
 *
 * Input: steps of a byte and operands: pushes, register writes, flushes.
 * Invariant: every byte that enters a stage leaves it or is counted as
 * dropped, for each ATID.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "models/funnel.h"
#include "models/regs_mgmt.h"
#include "models/replicator.h"
#include "tests/fuzz/fuzz.h"
#include "tests/models/probe.h"
#include "tests/models/sink.h"

static struct probe src[FUNNEL_PORTS];
static struct funnel funnel;
static struct replicator replicator;
static struct sink sink[2];
static struct atb_link to_funnel[FUNNEL_PORTS], to_replicator, to_sink[2];

static void build(unsigned how)
{
    funnel_init(&funnel, how & 1);
    replicator_init(&replicator, how & 2);
    to_replicator = probe_link(&funnel.atb, 0, &replicator.atb, 0);
    funnel.out = &to_replicator;
    replicator.in = &to_replicator;
    for (unsigned i = 0; i < FUNNEL_PORTS; i++) {
        probe_init(&src[i]);
        to_funnel[i] = probe_link(&src[i].atb, 0, &funnel.atb, i);
        src[i].out = &to_funnel[i];
        funnel.in[i] = &to_funnel[i];
    }
    for (unsigned o = 0; o < 2; o++) {
        sink_init(&sink[o]);
        to_sink[o] = probe_link(&replicator.atb, o, &sink[o].t.atb, 0);
        replicator.out[o] = how >> (2 + o) & 1 ? NULL : &to_sink[o];
        sink[o].t.in = &to_sink[o];
        sink_enable(&sink[o], SINK_BASE, 256);
    }
    funnel_write(&funnel, CS_LAR, CS_LAR_KEY);
    replicator_write(&replicator, CS_LAR, CS_LAR_KEY);
    funnel_write(&funnel, 0, 0x7ff);
}

static void step(struct fuzz_in *in)
{
    static uint8_t bytes[256];
    unsigned kind = (unsigned)fuzz_take(in, 1);
    unsigned which = kind >> 4 & 7;
    uint32_t val;

    switch (kind & 7) {
    case 0:
    case 1:
    case 2:
        atb_push(&to_funnel[which], (uint8_t)fuzz_take(in, 1), bytes,
                 (size_t)fuzz_take(in, 1));
        break;
    case 3:
        probe_hold(&src[which], (uint8_t)(which + 1), bytes, kind >> 3);
        break;
    case 4:
        funnel_write(&funnel, 0, (uint32_t)fuzz_take(in, 2));
        break;
    case 5:
        replicator_write(&replicator, kind >> 3 & 4,
                         (uint32_t)fuzz_take(in, 1));
        break;
    case 6:
        atb_flush(&to_sink[which & 1]);
        break;
    default:
        val = kind & 8 ? 0x1173 : (uint32_t)fuzz_take(in, 2);
        sink_wr(&sink[which & 1], kind & 0x80 ? TMC_CTL : TMC_FFCR, val);
        sink[which & 1].now_ns += 700;
        break;
    }
}

static void check(void)
{
    for (unsigned id = 0; id <= ATB_ID_MAX; id++) {
        uint64_t passed = funnel.count.in[id] - funnel.count.dropped_id[id];

        for (unsigned o = 0; o < 2; o++) {
            const struct atb_count *c = &replicator.count[o];
            uint64_t out = c->in[id] - c->dropped_id[id];

            fuzz_check(c->in[id] == passed, "the funnel loses bytes");
            /* a trigger packet is no trace to the sink */
            fuzz_check(id == 0x7d || out == sink[o].t.count.in[id],
                       "the replicator loses bytes");
        }
    }
    fuzz_check(sink_conserved(&sink[0]) && sink_conserved(&sink[1]),
               "a sink loses bytes");
    fuzz_check(!sink[0].stray && !sink[1].stray, "a stray write");
    for (unsigned i = 0; i < FUNNEL_PORTS; i++) {
        fuzz_check(!src[i].lock_error, "a flush with a lock held");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = { data, size };

    build((unsigned)fuzz_take(&in, 1));
    while (in.left) {
        step(&in);
    }
    check();
    return 0;
}
