/*
 * Every register of every device of a live machine: value after reset, what a
 * write leaves, and reset again.  Expected is what a model of its own says:
 * the models have their own tests, this one judges the glue (decoding, access
 * sizes, mapping, reset).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "models/etm4.h"
#include "models/funnel.h"
#include "models/replicator.h"
#include "models/tmc.h"
#include "tests/tap/tap.h"

#define PAGE 0x1000u

/* A model of our own beside the device. */
struct twin {
    const char *type;
    const struct reg_desc *(*table)(size_t *n);
    void *(*make)(void);
    uint32_t (*read)(void *model, uint32_t off);
    void (*write)(void *model, uint32_t off, uint32_t val);
};

/* ---- the four kinds ---- */

static void *make_funnel(void)
{
    struct funnel *f = calloc(1, sizeof(*f));

    funnel_init(f, false);
    return f;
}

static uint32_t read_funnel(void *model, uint32_t off)
{
    uint32_t val = 0;

    funnel_read(model, off, &val);
    return val;
}

static void write_funnel(void *model, uint32_t off, uint32_t val)
{
    funnel_write(model, off, val);
}

static void *make_replicator(void)
{
    struct replicator *r = calloc(1, sizeof(*r));

    replicator_init(r, false);
    return r;
}

static uint32_t read_replicator(void *model, uint32_t off)
{
    uint32_t val = 0;

    replicator_read(model, off, &val);
    return val;
}

static void write_replicator(void *model, uint32_t off, uint32_t val)
{
    replicator_write(model, off, val);
}

static bool no_memory(void *arg, uint64_t addr, const uint8_t *buf, size_t n)
{
    (void)arg;
    (void)addr;
    (void)buf;
    (void)n;
    return false;
}

static void *make_tmc(void)
{
    struct tmc *t = calloc(1, sizeof(*t));
    const struct tmc_ops ops = { .mem_write = no_memory };
    struct tmc_params params;

    tmc_params_default(&params);
    tmc_init(t, &params, &ops);
    return t;
}

static uint32_t read_tmc(void *model, uint32_t off)
{
    uint32_t val = 0;

    tmc_read(model, off, &val, 0);
    return val;
}

static void write_tmc(void *model, uint32_t off, uint32_t val)
{
    tmc_write(model, off, val, 0);
}

static void *make_etm(void)
{
    struct etm4 *e = calloc(1, sizeof(*e));
    struct etm4_params params;

    etm4_params_default(&params);
    /* The machine's CPUs have neither EL2 nor EL3. */
    params.exlevel_ns &= 3;
    params.exlevel_s = 0;
    etm4_init(e, &params);
    return e;
}

static uint32_t read_etm(void *model, uint32_t off)
{
    uint64_t val = 0;

    etm4_read(model, off, 4, &val, 0);
    return (uint32_t)val;
}

static void write_etm(void *model, uint32_t off, uint32_t val)
{
    etm4_write(model, off, 4, val, 0);
}

static const struct twin twins[] = {
    { "csvirt-funnel", funnel_table, make_funnel, read_funnel, write_funnel },
    { "csvirt-replicator", replicator_table, make_replicator,
      read_replicator, write_replicator },
    { "csvirt-tmc-etr", tmc_table, make_tmc, read_tmc, write_tmc },
    { "csvirt-etm4", etm4_table, make_etm, read_etm, write_etm },
};

/* ---- the walk ---- */

/* Who the PE is (DEVAFF) is the machine's; LAR would hide the rest. */
static bool not_walked(const struct twin *t, uint32_t off)
{
    (void)t;
    return off == 0xfa8 || off == 0xfac || off == 0xfb0;
}

/* A write there starts something: TMC CTL and FFCR, ETM TRCPRGCTLR, OSLAR. */
static bool has_effect(const struct twin *t, uint32_t off)
{
    if (strcmp(t->type, "csvirt-tmc-etr") == 0) {
        return off == 0x020 || off == 0x304;
    }
    return strcmp(t->type, "csvirt-etm4") == 0 && (off == 0x004 ||
                                                   off == 0x300);
}

static void compare(struct qtest *q, const struct twin *t, void *model,
                    const struct qtest_device *d, const char *when)
{
    struct sweep s;
    char name[128];

    snprintf(name, sizeof(name), "%s: %s", d->name, when);
    sweep_begin(&s, name);
    for (uint32_t off = 0; off < PAGE; off += 4) {
        uint32_t got, want;

        if (not_walked(t, off)) {
            continue;
        }
        got = qtest_readl(q, d->base + off);
        want = t->read(model, off);
        sweep_case(&s, got == want,
                   "offset 0x%03" PRIx32 ": got 0x%08" PRIx32 ", want 0x%08"
                   PRIx32, off, got, want);
    }
    sweep_end(&s);
}

static void write_all(struct qtest *q, const struct twin *t, void *model,
                      const struct qtest_device *d, uint32_t val)
{
    for (uint32_t off = 0; off < PAGE; off += 4) {
        if (!not_walked(t, off) && !has_effect(t, off)) {
            qtest_writel(q, d->base + off, val);
            t->write(model, off, val);
        }
    }
}

static void unlock(struct qtest *q, const struct twin *t, void *model,
                   const struct qtest_device *d)
{
    qtest_writel(q, d->base + 0xfb0, 0xc5acce55);
    t->write(model, 0xfb0, 0xc5acce55);
    if (strcmp(t->type, "csvirt-etm4") == 0) {
        qtest_writel(q, d->base + 0x300, 0);
        t->write(model, 0x300, 0);
    }
}

static void walk(struct qtest *q, const struct twin *t,
                 const struct qtest_device *d)
{
    static const uint32_t patterns[] = { 0xffffffff, 0x5a5a5a5a, 0xa5a5a5a5,
                                         0 };
    void *model = t->make();

    compare(q, t, model, d, "after reset");
    write_all(q, t, model, d, 0xffffffff);
    compare(q, t, model, d, "writes while locked");
    unlock(q, t, model, d);
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        char when[64];

        snprintf(when, sizeof(when), "after 0x%08" PRIx32, patterns[i]);
        write_all(q, t, model, d, patterns[i]);
        compare(q, t, model, d, when);
    }
    write_all(q, t, model, d, 0x5a5a5a5a);
    free(model);
}

static void check_reset(struct qtest *q, const struct twin *t,
                        const struct qtest_device *d)
{
    void *model = t->make();

    compare(q, t, model, d, "after a system reset");
    free(model);
}

/* Accesses of a byte, a half word and unaligned words do nothing. */
static void sizes(struct qtest *q, const struct qtest_device *d, uint32_t off)
{
    uint32_t before = qtest_readl(q, d->base + off);

    ok(before != 0, "%s: the register is not zero", d->name);
    is_u64(qtest_readb(q, d->base + off), 0, "%s: byte reads as 0", d->name);
    is_u64(qtest_readw(q, d->base + off), 0, "%s: half word reads as 0",
           d->name);
    is_u64(qtest_readl(q, d->base + off - 2), 0,
           "%s: unaligned word reads as 0", d->name);
    qtest_writeb(q, d->base + off, 0);
    qtest_writew(q, d->base + off, 0);
    qtest_writel(q, d->base + off - 2, 0);
    is_u64(qtest_readl(q, d->base + off), before, "%s: writes are ignored",
           d->name);
}

static const struct twin *twin_of(const char *type)
{
    for (size_t i = 0; i < sizeof(twins) / sizeof(twins[0]); i++) {
        if (strcmp(type, twins[i].type) == 0) {
            return &twins[i];
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct qtest_device devices[16];
    struct qtest *q;
    size_t n, kinds = 0;

    tap_begin(argc, argv, 0);
    q = qtest_topology("2etr-4cpu", 4, "");
    n = qtest_devices(q, devices, 16);
    is_u64(n, 10, "four ETMs, three funnels, a replicator, two ETRs");
    for (size_t i = 0; i < n; i++) {
        const struct twin *t = twin_of(devices[i].type);

        ok(t != NULL, "%s: a known type", devices[i].name);
        if (t) {
            walk(q, t, &devices[i]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (strcmp(devices[i].type, "csvirt-tmc-etr") == 0) {
            sizes(q, &devices[i], 0xfc8);
            kinds++;
        }
    }
    is_u64(kinds, 2, "both ETRs tried");
    qtest_qmp(q, "{\"execute\":\"system_reset\"}");
    qtest_wait_event(q, "RESET");
    for (size_t i = 0; i < n; i++) {
        check_reset(q, twin_of(devices[i].type), &devices[i]);
    }
    is_u64(qtest_stop(q), 0, "ends well");
    return tap_done();
}
