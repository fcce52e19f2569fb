/*
 * Register tables: lookup, write rules, and the CoreSight management page
 * (Arm IHI 0029F, B2).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "models/regs.h"
#include "models/regs_mgmt.h"
#include "tests/tap/tap.h"

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static const struct reg_desc table[] = {
    { 0x004, 1, 4, 0, 0, 0xff, "A", NULL },
    { 0x010, 3, 4, REG_F_IDLE, 0, 0xff, "B", NULL },
    { 0x020, 2, 8, REG_F_64, 0, 0xff, "C", NULL },
    { 0x040, 2, 8, 0, 0, 0xff, "D", NULL },
    { 0x060, 0, 0, REG_F_RO, 0, 0, "E", NULL },
    { 0x070, 1, 4, REG_F_ABSENT, 0, 0, "F", NULL },
    { 0x080, 1, 4, REG_F_WO | REG_F_NOLAR, 0, 0, "G", NULL },
};

/* The slow way: walk every register and element. */
static const struct reg_desc *slow_find(uint32_t off, unsigned *index)
{
    for (size_t i = 0; i < LEN(table); i++) {
        unsigned count = table[i].count ? table[i].count : 1;
        unsigned stride = table[i].stride ? table[i].stride : 4;
        unsigned bytes = table[i].flags & REG_F_64 ? 8 : 4;

        for (unsigned k = 0; k < count; k++) {
            uint32_t at = table[i].off + k * stride;

            if (off >= at && off < at + bytes) {
                *index = k;
                return &table[i];
            }
        }
    }
    return NULL;
}

static void lookup(void)
{
    struct sweep s;

    sweep_begin(&s, "lookup of each offset of the page");
    for (uint32_t off = 0; off < 0x1000; off += 4) {
        unsigned got_i = 77, want_i = 77;
        const struct reg_desc *want = slow_find(off, &want_i);
        const struct reg_desc *got = regs_find(table, LEN(table), off, &got_i);

        sweep_case(&s, got == want && (!want || got_i == want_i),
                   "offset 0x%03x", off);
    }
    sweep_end(&s);
    ok(regs_find(table, 0, 4, NULL) == NULL, "an empty table has nothing");
}

static void rules(void)
{
    is_u64(regs_write_rule(NULL, false, true), REG_RES0, "no register");
    is_u64(regs_write_rule(&table[0], false, false), REG_OK, "plain");
    is_u64(regs_write_rule(&table[0], true, true), REG_LOCKED, "locked");
    is_u64(regs_write_rule(&table[1], false, false), REG_BUSY, "not idle");
    is_u64(regs_write_rule(&table[1], false, true), REG_OK, "idle");
    is_u64(regs_write_rule(&table[1], true, false), REG_LOCKED,
           "locked goes before not idle");
    is_u64(regs_write_rule(&table[4], false, true), REG_RO, "read-only");
    is_u64(regs_write_rule(&table[5], false, true), REG_RES0, "absent");
    is_u64(regs_write_rule(&table[6], true, true), REG_OK,
           "lock access register while locked");
}

static void names(void)
{
    static const struct {
        struct reg_desc d;
        unsigned index;
        const char *want;
    } cases[] = {
        { { .name = "TRCVICTLR", .count = 1 }, 0, "TRCVICTLR" },
        { { .name = "IDFILTER0", .count = 1 }, 0, "IDFILTER0" },
        { { .name = "TRCCNTVR", .count = 4 }, 3, "TRCCNTVR3" },
        { { .name = "TRCRSCTLR", .count = 32 }, 31, "TRCRSCTLR31" },
        { { .name = "TRCIDR8", .count = 6 }, 0, "TRCIDR8" },
        { { .name = "TRCIDR8", .count = 6 }, 2, "TRCIDR10" },
        { { .name = "X19", .count = 4 }, 3, "X22" },
        { { .name = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", .count = 4 }, 2,
          "ABCDEFGHIJKLMNOPQRST2" },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        char name[REG_NAME_MAX];

        regs_name(&cases[i].d, cases[i].index, name);
        is_str(name, cases[i].want, "%s, element %u", cases[i].d.name,
               cases[i].index);
    }
}

static struct cs_mgmt mgmt;

static uint32_t rd(uint32_t off)
{
    uint32_t val = 0xdeadbeef;

    cs_mgmt_read(&mgmt, off, &val);
    return val;
}

static void fresh(bool lock)
{
    mgmt = (struct cs_mgmt){
        .devid = 0x11223344, .devarch = 0x47724a13, .devtype = 0x13,
        .authstatus = 0xcc, .devaff0 = 0x80000003, .devaff1 = 0x5,
        .part = 0xd0c, .revision = 4, .has_lock = lock, .claim_bits = 4,
        .claim = 0xf,
    };
    cs_mgmt_reset(&mgmt);
}

static void identity(void)
{
    static const struct {
        uint32_t off, val;
    } want[] = {
        { 0xfa0, 0xf }, { 0xfa4, 0 }, { 0xfa8, 0x80000003 }, { 0xfac, 5 },
        { 0xfb4, 3 }, { 0xfb8, 0xcc }, { 0xfbc, 0x47724a13 }, { 0xfc0, 0 },
        { 0xfc4, 0 }, { 0xfc8, 0x11223344 }, { 0xfcc, 0x13 }, { 0xfd0, 4 },
        { 0xfd4, 0 }, { 0xfd8, 0 }, { 0xfdc, 0 }, { 0xfe0, 0x0c },
        { 0xfe4, 0xbd }, { 0xfe8, 0x4b }, { 0xfec, 0 }, { 0xff0, 0x0d },
        { 0xff4, 0x90 }, { 0xff8, 0x05 }, { 0xffc, 0xb1 }, { 0xf00, 0 },
    };
    struct sweep s;

    fresh(true);
    sweep_begin(&s, "reset values, read while locked");
    for (size_t i = 0; i < LEN(want); i++) {
        sweep_case(&s, rd(want[i].off) == want[i].val, "0x%03x reads 0x%x",
                   want[i].off, rd(want[i].off));
    }
    sweep_end(&s);
}

static void lock(void)
{
    uint32_t val;

    fresh(true);
    is_u64(cs_mgmt_write(&mgmt, CS_CLAIMSET, 2), REG_LOCKED, "claim, locked");
    is_u64(rd(CS_CLAIMCLR), 0, "... did nothing");
    is_u64(cs_mgmt_write(&mgmt, CS_LAR, CS_LAR_KEY - 1), REG_OK, "wrong key");
    is_u64(rd(CS_LSR), 3, "... still locked");
    is_u64(cs_mgmt_write(&mgmt, CS_LAR, CS_LAR_KEY), REG_OK, "key");
    is_u64(rd(CS_LSR), 1, "... unlocked");
    is_u64(cs_mgmt_read(&mgmt, CS_LAR, &val), REG_WO, "LAR is write-only");
    is_u64(val, 0, "... reads as zero");
    cs_mgmt_write(&mgmt, CS_LAR, 0);
    is_u64(rd(CS_LSR), 3, "any other value locks");
    fresh(false);
    is_u64(rd(CS_LSR), 0, "no lock implemented");
    is_u64(cs_mgmt_write(&mgmt, CS_CLAIMSET, 1), REG_OK, "... no key needed");
    is_u64(cs_mgmt_write(&mgmt, CS_LAR, 0), REG_RES0, "... no LAR");
    is_u64(cs_mgmt_write(&mgmt, CS_CLAIMSET, 2), REG_OK, "... nor a lock");
}

/* The claim protocol of a self-hosted driver: tag 2. */
static void claim(void)
{
    fresh(true);
    cs_mgmt_write(&mgmt, CS_LAR, CS_LAR_KEY);
    is_u64(rd(CS_CLAIMCLR) & 3, 0, "free");
    is_u64(cs_mgmt_write(&mgmt, CS_CLAIMSET, 2), REG_OK, "claim");
    is_u64(rd(CS_CLAIMCLR), 2, "CLAIMCLR reads the tags");
    is_u64(rd(CS_CLAIMSET), 0xf, "CLAIMSET reads the tags that exist");
    cs_mgmt_write(&mgmt, CS_CLAIMSET, 1);
    is_u64(rd(CS_CLAIMCLR), 3, "set adds");
    cs_mgmt_write(&mgmt, CS_CLAIMCLR, 1);
    is_u64(rd(CS_CLAIMCLR), 2, "clear takes away only its bits");
    is_u64(cs_mgmt_write(&mgmt, CS_CLAIMSET, 0x10), REG_RESERVED,
           "a tag that does not exist");
    is_u64(rd(CS_CLAIMCLR), 2, "... is not set");
    cs_mgmt_write(&mgmt, CS_CLAIMCLR, 2);
    is_u64(rd(CS_CLAIMCLR), 0, "released");
    cs_mgmt_write(&mgmt, CS_CLAIMSET, 2);
    cs_mgmt_reset(&mgmt);
    is_u64(rd(CS_CLAIMCLR), 0, "reset releases");
}

/* Each register of the shared table, both ways. */
static void walk(void)
{
    size_t n;
    const struct reg_desc *t = cs_mgmt_table(&n);
    struct sweep s;

    sweep_begin(&s, "walk of the management page");
    for (uint32_t off = 0xf00; off < 0x1000; off += 4) {
        const struct reg_desc *d = regs_find(t, n, off, NULL);
        uint32_t before, val;
        enum reg_result r, w;

        fresh(true);
        cs_mgmt_write(&mgmt, CS_LAR, CS_LAR_KEY);
        r = cs_mgmt_read(&mgmt, off, &before);
        w = cs_mgmt_write(&mgmt, off, 0xffffffff);
        cs_mgmt_read(&mgmt, off, &val);
        if (!d || (d->flags & REG_F_ABSENT)) {
            sweep_case(&s, r == REG_RES0 && w == REG_RES0 && val == 0,
                       "0x%03x is RAZ/WI", off);
        } else if (d->flags & REG_F_RO) {
            sweep_case(&s, r == REG_OK && w == REG_RO && val == before,
                       "%s is read-only", d->name);
        } else {
            sweep_case(&s, (r == REG_WO) == !!(d->flags & REG_F_WO) &&
                       w != REG_RO && w != REG_RES0, "%s", d->name);
        }
    }
    sweep_end(&s);
    for (size_t i = 1; i < n; i++) {
        if (t[i].off <= t[i - 1].off) {
            tap_bail("management table is not sorted at %s", t[i].name);
        }
    }
}

static void texts(void)
{
    struct sweep s;

    sweep_begin(&s, "each result has a text of its own");
    for (int i = REG_OK; i <= REG_SIZE; i++) {
        for (int k = i + 1; k <= REG_SIZE + 1; k++) {
            sweep_case(&s, reg_result_text((enum reg_result)i) !=
                       reg_result_text((enum reg_result)k), "%d and %d", i, k);
        }
    }
    sweep_end(&s);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    lookup();
    rules();
    names();
    identity();
    lock();
    claim();
    walk();
    texts();
    return tap_done();
}
