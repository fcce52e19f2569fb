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
    const char *name;
    uint32_t configr;
    unsigned exclude;
    uint32_t syncpr;
    uint32_t threshold;
    bool sync_always;
    const struct view *view;
    unsigned irq_every, fault_every, time_every, sessions, steps;
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
    { "return stack", RS | CID | TS, 0, 12, 0, false, NULL, 60, 90, 50, 10,
      2000 },
    { "return stack, sync everywhere", RS | TS, 0, 8, 0, true, NULL, 60, 90,
      50, 10, 1000 },
    { "return stack, user", RS | CID, 2, 9, 0, false, NULL, 20, 30, 50, 10,
      2000 },
    { "return stack, no exceptions", RS, 0, 0, 0, false, NULL, 0, 0, 0, 10,
      2000 },
    { "return stack, many sessions", RS | CID, 0, 0, 0, false, NULL, 60, 90,
      50, 100, 200 },
    { "branch broadcast", BB | CID | TS, 0, 12, 0, false, NULL, 60, 90, 50, 10,
      2000 },
    { "branch broadcast, return stack", BB | RS | CID, 0, 10, 0, false, NULL,
      60, 90, 50, 10, 2000 },
    { "cycle counts, each P0", CCI | TS, 0, 10, 4, false, NULL, 60, 90, 50, 10,
      2000 },
    { "cycle counts of 256", CCI | CID | TS, 0, 12, 0x100, false, NULL, 60,
      90, 50, 10, 2000 },
    { "cycle counts of 4095", CCI | CID, 0, 12, 4095, false, NULL, 60, 90, 50,
      10, 3000 },
    { "cycle counts, user", CCI | TS, 2, 10, 10, false, NULL, 20, 30, 20, 10,
      2000 },
    { "all together", RS | BB | CCI | CID | VMID | TS, 0, 10, 20, false, NULL,
      60, 90, 50, 10, 2000 },
    { "one range", CID | TS, 0, 9, 0, false, &one_range, 60, 90, 50, 10,
      6000 },
    { "two ranges", RS | CCI | CID | TS, 0, 9, 8, false, &two_ranges, 60, 90,
      50, 10, 6000 },
    { "one instruction", CID, 0, 9, 0, false, &one_insn, 60, 90, 50, 10,
      6000 },
    { "excluded ranges", RS | CID, 0, 9, 0, false, &excluded, 60, 90, 50, 10,
      2000 },
    { "included and excluded", RS | CID | TS, 0, 9, 0, false, &both_ways, 60,
      90, 50, 10, 2000 },
    { "range, kernel not traced", RS | CID, 2, 9, 0, false, &two_ranges, 20,
      30, 50, 10, 6000 },
    { "start and stop", CID | TS, 0, 9, 0, false, &start_stop, 60, 90, 50, 10,
      6000 },
    { "start and stop at one place", RS | CCI | TS, 0, 9, 30, false,
      &stop_start, 60, 90, 50, 10, 6000 },
    { "ranges, many sessions", RS | CCI, 0, 9, 12, false, &both_ways, 10, 20,
      30, 100, 200 },
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
    unsigned i;

    etm4_rig_program(r, o->configr);
    etm4_rig_write(r, 0x034, o->syncpr);
    etm4_rig_write(r, 0x038, o->threshold);
    if (v) {
        program_view(r, v);
        p->filter = view_filter;
        p->filter_arg = v;
    }
    etm4_rig_write(r, 0x080, (v && !v->started ? 1 : 0x201) |
                   o->exclude << 20);
    if (v) {
        v->on = v->started;
    }
    p->ranges = true;
    p->exclude = o->exclude;
    p->irq_every = o->irq_every;
    p->fault_every = o->fault_every;
    p->time_every = o->time_every;
    for (i = 0; i < o->sessions; i++) {
        etm4_rig_enable(r);
        if (o->sync_always) {
            r->e.enc.sync_every = 1;
        }
        program_start(p, !(i & 1));
        program_run(p, o->steps);
        program_stop(p);
        judged_feed(r, p);
        etm4_rig_disable(r);
    }
    if (v && v->start[0]) {
        is_u64(etm4_rig_read(r, 0x080) >> 9 & 1, v->on,
               "%s: SSSTATUS reads the state", o->name);
    }
}

static size_t run(const struct options *o, uint64_t seed)
{
    struct etm4_rig r;
    struct program p;
    struct judge j = { .fetch = judged_fetch, .arg = &p };
    struct view v;
    size_t stamps, items;
    bool good;

    etm4_rig_init(&r, NULL);
    program_init(&p, seed);
    if (o->view) {
        v = *o->view;
    }
    trace(&r, &p, o->view ? &v : NULL, o);
    ok(etm4_wants_ranges(&r.e), "%s: asks for ranges", o->name);
    judged_unit(&r, &j.unit);
    good = judge_decode(&j, r.bytes, r.n);
    ok(good, "%s: OpenCSD has no complaint", o->name);
    if (!good) {
        tap_diag("%s", j.error);
    }
    ok(judged_cycles(&p, &j, o->configr & CCI ? o->threshold : 0),
       "%s: cycle counts", o->name);
    good = judged_timestamps(&j, p.time, &stamps);
    ok(good && (o->configr & TS || !stamps), "%s: timestamps", o->name);
    ok(judged_compare(&p, &j, o->configr),
       "%s: decoded = executed", o->name);
    ok(judged_from_sync(&r, &j, &p, prng_u64(&p.rng)),
       "%s: decoding may start at a later A-Sync", o->name);
    tap_diag("%s: %zu items, %zu bytes, %zu timestamps", o->name, p.nitem,
             r.n, stamps);
    is_u64(r.e.enc.made, r.n, "%s: bytes made = bytes at the sink", o->name);
    items = p.nitem;
    judge_free(&j);
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
