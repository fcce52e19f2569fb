/*
 * Register traffic on the management page, the funnel and the replicator.
 * Input: per access a byte (block and direction), 2 bytes offset, 4 value.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "models/funnel.h"
#include "models/regs_mgmt.h"
#include "models/replicator.h"
#include "tests/fuzz/fuzz.h"

static struct funnel funnel;
static struct replicator replicator;

static enum reg_result access(unsigned what, uint32_t off, uint32_t *val)
{
    switch (what & 3) {
    case 0:
        return funnel_read(&funnel, off, val);
    case 1:
        return funnel_write(&funnel, off, *val);
    case 2:
        return replicator_read(&replicator, off, val);
    default:
        return replicator_write(&replicator, off, *val);
    }
}

static void check(const struct cs_mgmt *before, const struct cs_mgmt *now,
                  enum reg_result result, bool write, uint32_t off)
{
    fuzz_check(now->claim < 0x10, "a claim tag that does not exist");
    fuzz_check(write || (before->claim == now->claim &&
                         before->locked == now->locked),
               "a read changed the state");
    fuzz_check(!before->locked || off == CS_LAR || !write ||
               result == REG_LOCKED || result == REG_RES0,
               "a write while locked");
    fuzz_check(funnel.functl <= 0xfff && funnel.prictl <= 0xffffff &&
               replicator.idfilter[0] <= 0xff &&
               replicator.idfilter[1] <= 0xff, "reserved bits are kept");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = { data, size };

    funnel_init(&funnel, false);
    replicator_init(&replicator, false);
    while (in.left) {
        unsigned what = (unsigned)fuzz_take(&in, 1);
        uint32_t off = (uint32_t)fuzz_take(&in, 2) & 0xffc;
        uint32_t val = (uint32_t)fuzz_take(&in, 4);
        const struct cs_mgmt *m = what & 2 ? &replicator.mgmt : &funnel.mgmt;
        struct cs_mgmt before = *m;
        enum reg_result result;

        if (what & 0x80) {
            off = CS_LAR;
            val = what & 0x40 ? CS_LAR_KEY : val;
        }
        result = access(what, off, &val);
        check(&before, m, result, what & 1, off);
        fuzz_check((what & 1) || result != REG_RES0 || val == 0,
                   "no register, yet it reads as something");
    }
    return 0;
}
