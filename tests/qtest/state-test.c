/*
 * State saved to a file and loaded by a second machine: every register of
 * every device is what it was.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "tests/tap/tap.h"

#define WORDS (0x1000u / 4)
#define DEVICES 10
#define LAR 0xfb0u
#define OSLAR 0x300u

static uint32_t page[DEVICES][WORDS];

static bool is_type(const struct qtest_device *d, const char *type)
{
    return strcmp(d->type, type) == 0;
}

/* Do not switch anything on: time stands still in this machine. */
static bool starts_something(const struct qtest_device *d, uint32_t off)
{
    if (is_type(d, "csvirt-tmc-etr")) {
        return off == 0x020 || off == 0x304;
    }
    return is_type(d, "csvirt-etm4") && (off == 0x004 || off == OSLAR);
}

static void fill(struct qtest *q, const struct qtest_device *d, uint32_t val)
{
    qtest_writel(q, d->base + LAR, 0xc5acce55);
    if (is_type(d, "csvirt-etm4")) {
        qtest_writel(q, d->base + OSLAR, 0);
    }
    for (uint32_t off = 0; off < 4 * WORDS; off += 4) {
        if (off != LAR && !starts_something(d, off)) {
            qtest_writel(q, d->base + off, val);
        }
    }
}

static void compare(struct qtest *q, const struct qtest_device *d,
                    const uint32_t *want, const uint32_t *fresh)
{
    struct sweep s;
    char name[128];
    unsigned changed = 0;

    snprintf(name, sizeof(name), "%s: restored", d->name);
    sweep_begin(&s, name);
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t got = qtest_readl(q, d->base + 4 * i);

        changed += want[i] != fresh[i];
        sweep_case(&s, got == want[i], "offset 0x%03" PRIx32 ": got 0x%08"
                   PRIx32 ", saved 0x%08" PRIx32, 4 * i, got, want[i]);
    }
    sweep_end(&s);
    ok(changed != 0, "%s: %u registers differ from reset", d->name, changed);
}

static void save(struct qtest *q, const char *file)
{
    char line[256];
    const char *state;

    qtest_qmp(q, "{\"execute\":\"stop\"}");
    snprintf(line, sizeof(line), "{\"execute\":\"migrate\",\"arguments\":"
             "{\"uri\":\"file:%s\"}}", file);
    qtest_qmp(q, line);
    do {
        state = qtest_qmp(q, "{\"execute\":\"query-migrate\"}");
        if (strstr(state, "\"failed\"")) {
            tap_bail("%s", state);
        }
    } while (!strstr(state, "\"completed\""));
}

static struct qtest *load(const char *file)
{
    char uri[128];
    const char *args[] = { "-smp", "4", "-incoming", uri, NULL };
    struct qtest *q;

    snprintf(uri, sizeof(uri), "file:%s", file);
    q = qtest_start(",topology=build/board/dts/2etr-4cpu.dtbo", args);
    while (strstr(qtest_qmp(q, "{\"execute\":\"query-status\"}"),
                  "inmigrate")) {
        continue;
    }
    return q;
}

int main(int argc, char **argv)
{
    struct qtest_device d[DEVICES];
    uint32_t (*fresh)[WORDS] = calloc(DEVICES, sizeof(*fresh));
    char file[] = "/tmp/csvirt-state-XXXXXX";
    int fd = mkstemp(file);
    struct qtest *q;
    struct prng r;

    tap_begin(argc, argv, 0);
    prng_seed(&r, tap_seed());
    close(fd);
    q = qtest_topology("2etr-4cpu", 4, "");
    is_u64(qtest_devices(q, d, DEVICES), DEVICES, "the devices are there");
    for (size_t i = 0; i < DEVICES; i++) {
        for (uint32_t w = 0; w < WORDS; w++) {
            fresh[i][w] = qtest_readl(q, d[i].base + 4 * w);
        }
        fill(q, &d[i], (uint32_t)prng_u64(&r));
        for (uint32_t w = 0; w < WORDS; w++) {
            page[i][w] = qtest_readl(q, d[i].base + 4 * w);
        }
    }
    save(q, file);
    is_u64(qtest_stop(q), 0, "the first machine ends well");
    q = load(file);
    for (size_t i = 0; i < DEVICES; i++) {
        compare(q, &d[i], page[i], fresh[i]);
    }
    is_u64(qtest_stop(q), 0, "the second machine ends well");
    unlink(file);
    free(fresh);
    return tap_done();
}
