/*
 * ATB links.  Topology:  src --[0 -> 3]--> dst
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "models/atb.h"
#include "tests/models/probe.h"
#include "tests/tap/tap.h"

static struct probe src, dst;

int main(int argc, char **argv)
{
    static const uint8_t data[5] = { 1, 2, 3, 4, 5 };
    struct atb_link link = probe_link(&src.atb, 0, &dst.atb, 3);
    struct atb_count count = { 0 };
    struct sweep s;

    tap_begin(argc, argv, 0);
    probe_init(&src);
    probe_init(&dst);
    src.out = &link;
    ok(!atb_push(NULL, 1, data, 5), "no link: false");
    ok(atb_push(&link, 0x21, data, 5), "a link: true");
    is_mem(dst.byte, data, 5, "bytes arrive");
    is_u64(dst.id[4], 0x21, "with their ATID");
    is_u64(dst.port, 3, "at the port");
    atb_push(&link, 0xa1, data, 1);
    is_u64(dst.id[5], 0x21, "ATID is 7 bits");
    is_u64(dst.n, 6, "six bytes so far");
    atb_push(&link, 1, data, 0);
    is_u64(dst.pushes, 2, "an empty chunk is no push");
    ok(!dst.lock_error && dst.depth == 0, "the receiver's lock was held");
    atb_flush(NULL);
    probe_hold(&src, 7, data, 4);
    atb_flush(&link);
    is_u64(src.flushes, 1, "a flush asks the upstream end");
    is_u64(dst.n, 10, "all has arrived when it returns");
    ok(!src.lock_error, "no lock is held over a flush");
    atb_count_drop(&count, 0x85, ATB_DROP_FILTERED, 7);
    is_u64(count.dropped[ATB_DROP_FILTERED], 7, "drop counts by reason");
    is_u64(count.dropped_id[5], 7, "and by ATID");
    sweep_begin(&s, "each drop reason has a text of its own");
    for (int i = 0; i < ATB_DROP_COUNT; i++) {
        for (int k = i + 1; k <= ATB_DROP_COUNT; k++) {
            sweep_case(&s, atb_drop_text((enum atb_drop)i) !=
                       atb_drop_text((enum atb_drop)k), "%d and %d", i, k);
        }
    }
    sweep_end(&s);
    return tap_done();
}
