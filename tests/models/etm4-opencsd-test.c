/*
 * What the trace unit makes of a synthetic PE's records, decoded by OpenCSD,
 * is exactly what the PE executed: instructions with their context,
 * exceptions, gaps.  Random programs with every filter, context and timestamp
 * option, sync at every opportunity, drains and flushes anywhere.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "tests/models/etm4_judged.h"
#include "tests/models/etm4_program.h"
#include "tests/models/etm4_rig.h"
#include "tests/oracle/etm4_opencsd.h"
#include "tests/tap/tap.h"

static const struct judged_options all[] = {
    { "user and kernel", CID | TS, 0, 12, false, 60, 90, 50, 1, 20000 },
    { "user only", CID | TS, 2, 12, false, 60, 90, 50, 1, 20000 },
    { "kernel only", CID | VMID | TS, 1, 12, false, 60, 90, 50, 1, 20000 },
    { "no context IDs, no timestamps", 0, 0, 0, false, 60, 90, 0, 1, 20000 },
    { "sync at every address", CID | VMID | TS, 0, 8, true, 60, 90, 30, 1,
      10000 },
    { "sync at every address, user", CID | TS, 2, 8, true, 9, 30, 9, 1,
      10000 },
    { "exceptions everywhere", CID | TS, 0, 9, false, 3, 5, 7, 1, 10000 },
    { "straight runs", TS, 0, 10, false, 0, 0, 0, 1, 30000 },
    { "many sessions", CID | TS, 2, 12, false, 40, 60, 30, 60, 300 },
    { "many short sessions", CID, 0, 8, false, 10, 20, 0, 400, 7 },
};

static void trace(struct etm4_rig *r, struct program *p,
                  const struct judged_options *o)
{
    etm4_rig_program(r, o->configr);
    etm4_rig_write(r, 0x034, o->syncpr);
    etm4_rig_write(r, 0x080, 0x201 | o->exclude << 20);
    if (o->configr & TS) {
        /* the scheme of the Linux driver: counter 0 reloads itself */
        etm4_rig_write(r, 0x140, 1);
        etm4_rig_write(r, 0x150, 1u << 16 | 1);
        etm4_rig_write(r, 0x160, 1);
        etm4_rig_write(r, 0x208, 2u << 16 | 1);
        etm4_rig_write(r, 0x030, 2);
    }
    judged_sessions(r, p, o);
}

static void run(const struct judged_options *o, uint64_t seed)
{
    struct etm4_rig r;
    struct program p;
    size_t stamps;

    etm4_rig_init(&r, NULL);
    program_init(&p, seed);
    trace(&r, &p, o);
    stamps = judged_checks(&r, &p, o, 0);
    ok(!(o->configr & TS) == !stamps, "%s: timestamps, if asked for", o->name);
    program_free(&p);
    etm4_rig_free(&r);
}

/*
 * The comparison itself: it must see one record less and one byte less.
 * Dropped is an indirect branch in the middle, which changes what is shown.
 * A fixed seed: a record or byte may be redundant in one stream of a hundred.
 */
static void test_judge(void)
{
    const uint64_t seed = 1;
    static const struct judged_options o = {
        "judge", CID, 0, 0, false, 60, 90, 0, 1, 3000
    };
    unsigned cut;

    for (cut = 0; cut < 3; cut++) {
        struct etm4_rig r;
        struct program p;
        struct judge j = { .fetch = judged_fetch, .arg = &p };
        bool same_again;

        etm4_rig_init(&r, NULL);
        program_init(&p, seed);
        p.drop_one = cut == 1;
        trace(&r, &p, &o);
        if (cut == 2) {
            memmove(r.bytes + r.n / 2, r.bytes + r.n / 2 + 1,
                    r.n - r.n / 2 - 1);
            r.n--;
        }
        judged_unit(&r, &j.unit);
        same_again = judge_decode(&j, r.bytes, r.n);
        same_again = judged_compare(&p, &j, o.configr) && same_again;
        ok(same_again == (cut == 0), "%s", cut == 0 ? "judge: whole is equal"
           : cut == 1 ? "judge: a record less is seen"
                      : "judge: a byte less is seen");
        judge_free(&j);
        program_free(&p);
        etm4_rig_free(&r);
    }
}

int main(int argc, char **argv)
{
    uint64_t seed;
    size_t i;

    tap_begin(argc, argv, 0);
    seed = tap_seed();
    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        run(&all[i], seed + i);
    }
    test_judge();
    return tap_done();
}
