/*
 * Trace-ID checks: what counts as a collision, what does not, and what is
 * known of each ATID.  Against a slow model that remembers every chunk.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "../../models/ids.h"
#include "../tap/tap.h"

#define SOURCES 6
#define SINKS   2
#define TOLD    4096

static struct ids_source source[SOURCES];
static struct ids_sink sink[SINKS];
static struct ids_member member[SINKS][SOURCES];
static struct ids_collision told[TOLD];
static size_t n_told;

static void collided(void *arg, const struct ids_collision *c)
{
    (void)arg;
    if (n_told < TOLD) {
        told[n_told++] = *c;
    }
}

static struct ids fresh(void)
{
    struct ids ids = {
        .source = source, .n_sources = SOURCES,
        .sink = sink, .n_sinks = SINKS, .collided = collided,
    };

    for (size_t i = 0; i < SINKS; i++) {
        sink[i].member = member[i];
    }
    n_told = 0;
    ids_init(&ids);
    return ids;
}

static void test_clean(void)
{
    struct ids ids = fresh();

    ids_sink_on(&ids, 0, 5);
    ids_sink_on(&ids, 1, 6);
    for (uint8_t i = 0; i < 4; i++) {
        ids_source_on(&ids, i, (uint8_t)(0x10 + 2 * (i % 2)), 100 + i, 10);
    }
    /* the same two IDs at both sinks, as with a map for each */
    for (unsigned round = 0; round < 3; round++) {
        for (uint8_t i = 0; i < 4; i++) {
            ids_bytes(&ids, i / 2, i, source[i].atid, 7, 20 + round);
        }
    }
    is_u64(ids.collisions, 0, "one ID at two sinks is no collision");
    is_u64(sink[1].use[0x12].source, 3, "whose ID 0x12 is at the second sink");
    is_u64(sink[0].use[0x12].source, 1, "and at the first");
    is_u64(sink[1].use[0x12].bytes, 21, "its bytes there");
    is_u64(sink[1].use[0x12].first_ns, 20, "when they began");
    is_u64(sink[1].use[0x12].last_ns, 22, "and the latest");
    ok(sink[1].use[0x11].source == IDS_NONE, "an ID that nobody used");
    ids_source_off(&ids, 3, 30);
    ids_sink_off(&ids, 1, 31);
    is_u64(sink[1].use[0x12].source, 3, "known after the capture, too");
    ids_bytes(&ids, 1, 2, 0x12, 9, 32);
    is_u64(ids.collisions, 0, "bytes that no capture takes do not collide");
    is_u64(sink[1].use[0x12].bytes, 21, "nor do they count");
    ids_sink_on(&ids, 1, 40);
    ids_bytes(&ids, 1, 2, 0x12, 9, 41);
    is_u64(ids.collisions, 0, "another owner in another capture");
    is_u64(sink[1].use[0x12].source, 2, "the new owner");
    is_u64(sink[1].use[0x10].source, IDS_NONE, "the old IDs are forgotten");
    is_u64(sink[1].captures, 2, "captures");
    ids_source_context(&ids, 0, 7777);
    is_u64(source[0].contextidr, 7777, "the thread of a source");
}

static void test_collision(void)
{
    struct ids ids = fresh();

    ids_sink_on(&ids, 0, 1);
    ids_source_on(&ids, 0, 0x20, 0, 2);
    ids_source_on(&ids, 5, 0x20 + 0x80, 0, 3);
    for (uint64_t i = 0; i < 10; i++) {
        ids_bytes(&ids, 0, 0, 0x20, 10, 4 + 2 * i);
        ids_bytes(&ids, 0, 5, 0x20, 1, 5 + 2 * i);
    }
    is_u64(n_told, 1, "told once, however the chunks alternate");
    is_u64(told[0].first * 10 + told[0].second, 5, "who came first");
    is_u64(told[0].sink, 0, "where");
    is_u64(told[0].atid, 0x20, "the ID: seven bits");
    is_u64(told[0].now_ns, 5, "when");
    ok(told[0].live, "both are on");
    is_u64(sink[0].collisions, 1, "counted at the sink");
    is_u64(sink[0].use[0x20].bytes, 110, "bytes of both under the ID");
    is_u64(member[0][5].bytes, 10, "bytes of one of them");
    ids_source_on(&ids, 2, 0x20, 0, 30);
    ids_bytes(&ids, 0, 2, 0x20, 1, 31);
    is_u64(n_told, 3, "a third one collides with both");
    is_u64(told[1].first, 0, "with the one");
    is_u64(told[2].first, 5, "and the other");
    ids_sink_on(&ids, 0, 40);
    ids_bytes(&ids, 0, 0, 0x20, 1, 41);
    ids_bytes(&ids, 0, 5, 0x20, 1, 42);
    is_u64(n_told, 4, "told again in the next capture");
}

static void test_reuse(void)
{
    struct ids ids = fresh();

    ids_sink_on(&ids, 0, 1);
    ids_source_on(&ids, 0, 0x20, 0, 2);
    ids_bytes(&ids, 0, 0, 0x20, 10, 3);
    ids_source_off(&ids, 0, 4);
    ids_source_on(&ids, 1, 0x20, 0, 5);
    ids_bytes(&ids, 0, 1, 0x20, 10, 6);
    is_u64(n_told, 1, "one after the other in one capture");
    ok(!told[0].live, "not live");
    is_u64(ids.live, 0, "not counted as live");
    /* a source that goes to another ID leaves the old one */
    ids_source_on(&ids, 1, 0x22, 0, 7);
    ids_bytes(&ids, 0, 1, 0x22, 10, 8);
    ids_bytes(&ids, 0, 0, 0x22, 10, 9);
    is_u64(n_told, 2, "the new ID counts, not the old one");
    is_u64(told[1].atid, 0x22, "it");
}

/* every chunk of the running capture of each sink */
struct seen {
    unsigned source;
    uint8_t atid;
};

static struct seen log_[SINKS][4096];
static size_t n_log[SINKS];

/* would the sources that used @atid before @source, with their latest ID,
 * collide with it? */
static unsigned slow_count(unsigned s, unsigned who, uint8_t atid)
{
    uint8_t latest[SOURCES] = { 0 };
    unsigned n = 0;

    for (size_t i = 0; i < n_log[s]; i++) {
        latest[log_[s][i].source] = log_[s][i].atid;
    }
    if (latest[who] == atid) {
        return 0;
    }
    for (unsigned i = 0; i < SOURCES; i++) {
        n += i != who && latest[i] == atid ? 1 : 0;
    }
    return n;
}

static void test_random(void)
{
    struct ids ids = fresh();
    struct prng p;
    struct sweep s;
    uint64_t want = 0;

    prng_seed(&p, tap_seed());
    n_log[0] = n_log[1] = 0;
    sweep_begin(&s, "random chunks, restarts and IDs");
    for (unsigned step = 0; step < 20000; step++) {
        uint64_t r = prng_u64(&p);
        unsigned at = r % SINKS, who = (r >> 8) % SOURCES;
        uint8_t id = (uint8_t)(1 + (r >> 16) % 5);

        if ((r >> 24) % 50 == 0 || n_log[at] == 4096 || n_told == TOLD) {
            ids_sink_on(&ids, at, step);
            n_log[at] = n_told = 0;
            continue;
        } else if ((r >> 24) % 50 == 1) {
            ids_sink_off(&ids, at, step);
            continue;
        }
        if (sink[at].on) {
            want += slow_count(at, who, id);
            log_[at][n_log[at]++] = (struct seen){ who, id };
        }
        ids_bytes(&ids, at, who, id, 1 + r % 9, step);
        if (!sweep_case(&s, ids.collisions == want, "step %u: %llu, not "
                        "%llu collisions", step,
                        (unsigned long long)ids.collisions,
                        (unsigned long long)want)) {
            break;
        }
    }
    sweep_end(&s);
    ok(want > 100, "there were collisions");
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    test_clean();
    test_collision();
    test_reuse();
    test_random();
    return tap_done();
}
