/*
 * Range reporting, judged by OpenCSD: random programs traced with return
 * stack, branch broadcast, cycle counts and address filters, alone and
 * together.  What is decoded is exactly what a filter of the test's own says
 * must be shown, instruction by instruction, and every cycle count is right.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "tests/models/etm4_judged.h"
#include "tests/oracle/etm4_opencsd.h"
#include "tests/tap/tap.h"

#define USER 0x0000aaaad5550000ull       /* regions of the synthetic PE */
#define LIBRARY 0x0000fffff7a10000ull
#define KERNEL 0xffff800080010000ull

/* A filter: ranges by pair 0 and 1, start and stop by comparators 4 to 7. */
struct view {
    uint64_t include[2][2], exclude[2][2];
    uint64_t start[2], stop[2];
    bool started;
    /* running */
    bool on;
};

struct options {
    struct judged_options base;
    uint32_t threshold;
    const struct view *view;
};

static const struct view one_range = {
    .include = { { USER + 0x100, USER + 0x4fc } }, .started = true,
};
static const struct view two_ranges = {
    .include = { { USER + 0x100, USER + 0x4fc },
                 { KERNEL, KERNEL + 0x7ff } }, .started = true,
};
static const struct view one_insn = {
    .include = { { USER + 0x200, USER + 0x200 } }, .started = true,
};
static const struct view excluded = {
    .exclude = { { LIBRARY, LIBRARY + 0xfff },
                 { KERNEL + 0x80, KERNEL + 0x9ff } }, .started = true,
};
static const struct view both_ways = {
    .include = { { USER, USER + 0xffff } },
    .exclude = { { USER + 0x40, USER + 0x7f } }, .started = true,
};
static const struct view start_stop = {
    .start = { USER + 0x120, KERNEL + 0x100 },
    .stop = { USER + 0x440, LIBRARY + 0x300 },
};
static const struct view stop_start = {
    .start = { USER + 0x120, KERNEL + 0x100 },
    .stop = { USER + 0x120, USER + 0x128 }, .started = true,
};

static const struct options all[] = {
    { { "return stack", RS | CID | TS, 0, 12, false,
        60, 90, 50, 10, 2000 }, 0, NULL },
    { { "return stack, sync everywhere", RS | TS, 0, 8, true,
        60, 90, 50, 10, 1000 }, 0, NULL },
    { { "return stack, user", RS | CID, 2, 9, false,
        20, 30, 50, 10, 2000 }, 0, NULL },
    { { "return stack, no exceptions", RS, 0, 0, false,
        0, 0, 0, 10, 2000 }, 0, NULL },
    { { "return stack, many sessions", RS | CID, 0, 0, false,
        60, 90, 50, 100, 200 }, 0, NULL },
    { { "branch broadcast", BB | CID | TS, 0, 12, false,
        60, 90, 50, 10, 2000 }, 0, NULL },
    { { "branch broadcast, return stack", BB | RS | CID, 0, 10, false,
        60, 90, 50, 10, 2000 }, 0, NULL },
    { { "cycle counts, each P0", CCI | TS, 0, 10, false,
        60, 90, 50, 10, 2000 }, 4, NULL },
    { { "cycle counts of 256", CCI | CID | TS, 0, 12, false,
        60, 90, 50, 10, 2000 }, 0x100, NULL },
    { { "cycle counts of 4095", CCI | CID, 0, 12, false,
        60, 90, 50, 10, 3000 }, 4095, NULL },
    { { "cycle counts, user", CCI | TS, 2, 10, false,
        20, 30, 20, 10, 2000 }, 10, NULL },
    { { "all together", RS | BB | CCI | CID | VMID | TS, 0, 10, false,
        60, 90, 50, 10, 2000 }, 20, NULL },
    { { "one range", CID | TS, 0, 9, false,
        60, 90, 50, 10, 6000 }, 0, &one_range },
    { { "two ranges", RS | CCI | CID | TS, 0, 9, false,
        60, 90, 50, 10, 6000 }, 8, &two_ranges },
    { { "one instruction", CID, 0, 9, false,
        60, 90, 50, 10, 6000 }, 0, &one_insn },
    { { "excluded ranges", RS | CID, 0, 9, false,
        60, 90, 50, 10, 2000 }, 0, &excluded },
    { { "included and excluded", RS | CID | TS, 0, 9, false,
        60, 90, 50, 10, 2000 }, 0, &both_ways },
    { { "range, kernel not traced", RS | CID, 2, 9, false,
        20, 30, 50, 10, 6000 }, 0, &two_ranges },
    { { "start and stop", CID | TS, 0, 9, false,
        60, 90, 50, 10, 6000 }, 0, &start_stop },
    { { "start and stop at one place", RS | CCI | TS, 0, 9, false,
        60, 90, 50, 10, 6000 }, 30, &stop_start },
    { { "ranges, many sessions", RS | CCI, 0, 9, false,
        10, 20, 30, 100, 200 }, 12, &both_ways },
};

static bool within(const uint64_t range[2], uint64_t addr)
{
    return range[1] && addr >= range[0] && addr <= range[1];
}

/* The test's own ViewInst. */
static bool view_filter(void *arg, const struct program *p, uint64_t addr,
                        bool step)
{
    struct view *v = arg;
    bool any = v->include[0][1] || v->include[1][1];
    bool in = within(v->include[0], addr) || within(v->include[1], addr);
    bool out = within(v->exclude[0], addr) || within(v->exclude[1], addr);
    bool on = v->on || (v->start[0] && (addr == v->start[0] ||
                                        addr == v->start[1]));

    (void)p;
    if (step) {
        v->on = on && !(v->stop[0] && (addr == v->stop[0] ||
                                       addr == v->stop[1]));
    }
    return on && (!any || in) && !out;
}

static void program_view(struct etm4_rig *r, const struct view *v)
{
    bool exclude = v->exclude[0][1] != 0, include = v->include[0][1] != 0;
    unsigned i;

    /* pair 0: the first include or exclude range, pair 1: the second */
    for (i = 0; i < 2; i++) {
        const uint64_t *range = v->include[i][1] ? v->include[i]
                                                 : v->exclude[i];

        etm4_rig_write64(r, 0x400 + 16 * i, range[0]);
        etm4_rig_write64(r, 0x408 + 16 * i, range[1]);
        etm4_rig_write64(r, 0x420 + 8 * i, v->start[i]);
        etm4_rig_write64(r, 0x430 + 8 * i, v->stop[i]);
    }
    if (include && exclude) {            /* pair 1: the exclude range */
        etm4_rig_write64(r, 0x410, v->exclude[0][0]);
        etm4_rig_write64(r, 0x418, v->exclude[0][1]);
        etm4_rig_write(r, 0x084, 1 | 2u << 16);
    } else if (include) {
        etm4_rig_write(r, 0x084, v->include[1][1] ? 3 : 1);
    } else if (exclude) {
        etm4_rig_write(r, 0x084, 3u << 16);
    }
    if (v->start[0]) {
        etm4_rig_write(r, 0x088, 0x30 | 0xc00000);
    }
}

static void trace(struct etm4_rig *r, struct program *p, struct view *v,
                  const struct options *o)
{
    etm4_rig_program(r, o->base.configr);
    etm4_rig_write(r, 0x034, o->base.syncpr);
    etm4_rig_write(r, 0x038, o->threshold);
    if (v) {
        program_view(r, v);
        p->filter = view_filter;
        p->filter_arg = v;
    }
    etm4_rig_write(r, 0x080, (v && !v->started ? 1 : 0x201) |
                   o->base.exclude << 20);
    if (v) {
        v->on = v->started;
    }
    p->ranges = true;
    judged_sessions(r, p, &o->base);
    if (v && v->start[0]) {
        is_u64(etm4_rig_read(r, 0x080) >> 9 & 1, v->on,
               "%s: SSSTATUS reads the state", o->base.name);
    }
}

static size_t run(const struct options *o, uint64_t seed)
{
    bool counts = o->base.configr & CCI;
    struct etm4_rig r;
    struct program p;
    struct view v;
    size_t items;

    etm4_rig_init(&r, NULL);
    program_init(&p, seed);
    if (o->view) {
        v = *o->view;
    }
    trace(&r, &p, o->view ? &v : NULL, o);
    ok(etm4_wants_ranges(&r.e), "%s: asks for ranges", o->base.name);
    judged_checks(&r, &p, &o->base, counts ? o->threshold : 0);
    items = p.nitem;
    program_free(&p);
    etm4_rig_free(&r);
    return items;
}

int main(int argc, char **argv)
{
    uint64_t seed;
    size_t i, items = 0;

    tap_begin(argc, argv, 0);
    seed = tap_seed();
    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        items += run(&all[i], seed + i);
    }
    ok(items > 100000, "%zu items compared", items);
    return tap_done();
}
