/*
 * TMC as ETR: what reaches memory.  Sweeps: stop at each byte of a frame,
 * wrap at each frame, each buffer size from one frame up, fail each memory
 * write, many IDs.  The reader is the independent deformatter.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "tests/models/sink.h"
#include "tests/oracle/deformatter.h"
#include "tests/tap/tap.h"

#define MAX_STREAM 200000

static struct sink sink;
static uint8_t buf[SINK_MEM];
static uint8_t sent_id[MAX_STREAM], sent[MAX_STREAM];
static size_t n_sent;

static void send(uint8_t id, const uint8_t *bytes, size_t n)
{
    memset(sent_id + n_sent, id, n);
    memcpy(sent + n_sent, bytes, n);
    n_sent += n;
    sink_push(&sink, id, bytes, n);
}

static void send_counting(uint8_t id, size_t n)
{
    static uint8_t next;
    uint8_t bytes[4096];

    for (size_t i = 0; i < n; i++) {
        bytes[i] = next;
        next = (uint8_t)(next * 5 + 17);
    }
    send(id, bytes, n);
}

/*
 * Is the buffer the end of what was sent?  @skipped: out, how many bytes at
 * the start of the stream are not in it; before the first ID their owner is
 * not known.
 */
static bool holds_tail(const uint8_t *frames, size_t n, size_t *skipped)
{
    static struct deformatted got[MAX_STREAM];
    struct deformatter d;
    size_t k = 0;

    deformatter_init(&d);
    for (size_t f = 0; f + 16 <= n; f += 16) {
        struct deformatted pair[15];
        int made = deformatter_frame(&d, frames + f, pair);

        for (int i = 0; i < made; i++) {
            if (pair[i].id != 0) {
                got[k++] = pair[i];
            }
        }
        if (made < 0) {
            return false;
        }
    }
    *skipped = n_sent - k;
    if (k > n_sent || n % 16) {
        return false;
    }
    for (size_t i = 0; i < k; i++) {
        if (got[i].byte != sent[n_sent - k + i] ||
            (got[i].id != DEFORMATTER_NO_ID &&
             got[i].id != sent_id[n_sent - k + i])) {
            return false;
        }
    }
    return true;
}

static void fresh(uint32_t bytes)
{
    sink_init(&sink);
    n_sent = 0;
    sink_enable(&sink, SINK_BASE + 0x40, bytes / 4);
}

static bool healthy(void)
{
    return sink_conserved(&sink) && !sink.stray && tmc_pending(&sink.t) == 0;
}

static void stop_at_each_byte(void)
{
    static const uint8_t nulls[16];
    struct sweep s;

    sweep_begin(&s, "stop at each byte of the stream");
    for (size_t n = 0; n <= 64; n++) {
        for (size_t first = 0; first <= n; first++) {
            size_t skipped = 1, len;

            fresh(4096);
            send_counting(0x10, first);
            send_counting(0x12, n - first);
            sweep_case(&s, sink_flush_stop(&sink), "%zu+%zu: no stop", first,
                       n - first);
            len = sink_contents(&sink, buf);
            sweep_case(&s, holds_tail(buf, len, &skipped) && skipped == 0,
                       "%zu+%zu: contents", first, n - first);
            sweep_case(&s, healthy() && sink.t.written == n,
                       "%zu+%zu: counts", first, n - first);
            /* As in captures of real units: a frame of nulls is the last. */
            sweep_case(&s, n == 0 ? len == 0 : len >= 32 &&
                       !memcmp(buf + len - 16, nulls, 16),
                       "%zu+%zu: end", first, n - first);
            sweep_case(&s, sink.captured == (n ? 1 : 0) &&
                       sink.captured_len == len, "%zu+%zu: captured",
                       first, n - first);
        }
    }
    sweep_end(&s);
}

/* Stream lengths around every frame of a small buffer, three times round. */
static void wrap_at_each_frame(void)
{
    const size_t size = 8 * 16;
    struct sweep s;

    sweep_begin(&s, "wrap at each frame");
    for (size_t n = 0; n < 3 * size; n++) {
        struct tmc_capture c;
        size_t skipped = 0, len;
        bool full;

        fresh(size);
        send_counting(0x10, n);
        sink_flush_stop(&sink);
        full = sink_rd(&sink, TMC_STS) & TMC_STS_FULL;
        len = sink_contents(&sink, buf);
        sweep_case(&s, holds_tail(buf, len, &skipped), "%zu: contents", n);
        sweep_case(&s, full ? len == size : skipped == 0, "%zu: length", n);
        /* 7 frames and one of nulls, which a full frame makes two */
        sweep_case(&s, full == (n >= 6 * 15 - 1), "%zu: Full", n);
        sweep_case(&s, !full || sink_rd(&sink, TMC_RRP) ==
                   sink_rd(&sink, TMC_RWP), "%zu: RRP is not the oldest", n);
        sweep_case(&s, healthy() && sink.t.written == n, "%zu: counts", n);
        tmc_capture(&sink.t, &c);
        sweep_case(&s, c.len == len && c.wrapped == full && c.size == size &&
                   c.start == sink_rd(&sink, TMC_RRP), "%zu: window", n);
    }
    sweep_end(&s);
}

static void each_size(void)
{
    static const uint8_t nulls[16];
    struct sweep s;

    sweep_begin(&s, "each buffer size in words");
    for (uint32_t words = 0; words <= 80; words++) {
        uint64_t size = words * 4 / 16 * 16;
        struct tmc_capture c;
        enum reg_result r;
        size_t skipped;

        sink_init(&sink);
        n_sent = 0;
        r = sink_enable(&sink, SINK_BASE, words);
        sweep_case(&s, r == (size ? REG_OK : REG_RESERVED), "%u: CTL", words);
        for (int i = 0; i < 20; i++) {
            send_counting((uint8_t)(1 + i), 37);
        }
        sweep_case(&s, sink_flush_stop(&sink), "%u words: no stop", words);
        tmc_capture(&sink.t, &c);
        sweep_case(&s, c.size == size && c.len == size, "%u: size", words);
        for (size_t i = 0; i < size; i++) {
            uint64_t at = c.start - SINK_BASE + i;

            buf[i] = sink.mem[at % size];
        }
        /* One frame: the nulls of the stop are all that it holds. */
        sweep_case(&s, size == 16 ? !memcmp(buf, nulls, 16)
                                  : holds_tail(buf, size, &skipped),
                   "%u: contents", words);
        sweep_case(&s, healthy(), "%u: counts", words);
        if (!size) {
            sweep_case(&s, sink.writes == 0 && n_sent ==
                       sink.t.count.dropped[ATB_DROP_NO_BUFFER],
                       "%u: drops", words);
        }
    }
    sweep_end(&s);
}

static void fail_each_write(void)
{
    struct sweep s;

    sweep_begin(&s, "fail each memory write");
    for (unsigned fail = 1; fail <= 60; fail++) {
        size_t skipped, len;
        bool hit;

        fresh(512);
        sink.fail_at = fail;
        for (int i = 0; i < 60; i++) {
            send_counting((uint8_t)(1 + i % 5), 1 + (size_t)(i * 7) % 40);
        }
        hit = sink_rd(&sink, TMC_STS) & TMC_STS_MEMERR;
        sweep_case(&s, hit == (sink.writes >= fail), "%u: MemErr", fail);
        sweep_case(&s, !sink.after_error, "%u: a write after MemErr", fail);
        if (!hit) {
            continue;
        }
        sweep_case(&s, (sink_rd(&sink, TMC_STS) & 0xc) == 0xc &&
                   (sink_rd(&sink, TMC_FFSR) & 2), "%u: not stopped", fail);
        sweep_case(&s, sink_conserved(&sink) && !sink.stray &&
                   sink.t.count.dropped[ATB_DROP_BUS_ERROR] > 0 &&
                   tmc_pending(&sink.t) == 0, "%u: counts", fail);
        sweep_case(&s, sink.captured == (fail > 1), "%u: captured", fail);
        n_sent = (size_t)sink.t.written;
        len = sink_contents(&sink, buf);
        sweep_case(&s, holds_tail(buf, len, &skipped) && !sink.stray,
                   "%u: contents before the error", fail);
        sweep_case(&s, sink_flush_stop(&sink), "%u: flush hangs", fail);
        sink_wr(&sink, TMC_CTL, 0);
        sweep_case(&s, sink_wait_ready(&sink), "%u: disable hangs", fail);
        sink.fail_at = 0;
        sink_enable(&sink, SINK_BASE, 64);
        sweep_case(&s, !(sink_rd(&sink, TMC_STS) & TMC_STS_MEMERR),
                   "%u: MemErr stays", fail);
    }
    sweep_end(&s);
}

/* The write of the stop sequence itself fails, at a stop and at a disable. */
static void fail_the_last(void)
{
    fresh(512);
    send_counting(5, 7);
    sink.fail_at = 1;
    ok(sink_flush_stop(&sink), "stop with a failing write ends");
    ok(sink_rd(&sink, TMC_STS) & TMC_STS_MEMERR, "... with MemErr");
    is_u64(sink.t.count.dropped[ATB_DROP_BUS_ERROR], 7, "... bytes counted");
    ok(healthy(), "... all accounted for");
    fresh(512);
    send_counting(5, 7);
    sink.fail_at = 1;
    sink_wr(&sink, TMC_CTL, 0);
    ok(sink_wait_ready(&sink), "disable with a failing write ends");
    ok(sink_rd(&sink, TMC_STS) & TMC_STS_MEMERR, "... with MemErr");
    is_u64(sink.t.state, TMC_DISABLED, "... disabled");
    ok(healthy(), "... all accounted for");
    is_u64(sink_wr(&sink, TMC_STS, TMC_STS_MEMERR), REG_OK, "write MemErr");
    ok(!(sink_rd(&sink, TMC_STS) & TMC_STS_MEMERR), "... clears it");
}

static void beyond_the_bus(void)
{
    uint8_t bytes[64] = { 0 };

    sink_init(&sink);
    sink_enable(&sink, 0xfffffffff0ull, 64);
    sink_push(&sink, 1, bytes, 64);
    ok(sink_rd(&sink, TMC_STS) & TMC_STS_MEMERR,
       "an address over the AXI width is a bus error");
    ok(sink_conserved(&sink), "... all accounted for");
}

static void many_ids(void)
{
    struct prng p;
    struct sweep s;

    prng_seed(&p, tap_seed());
    sweep_begin(&s, "random chunks of all IDs");
    for (int round = 0; round < 150; round++) {
        uint32_t size = (uint32_t)(2 + prng_below(&p, 600)) * 16;
        size_t skipped = 0, len, total = (size_t)prng_below(&p, 30000);
        bool full;

        fresh(size);
        while (n_sent < total) {
            send_counting((uint8_t)(1 + prng_below(&p, 0x6f)),
                          (size_t)(1 + prng_below(&p, 1 + (size_t)round)));
        }
        sweep_case(&s, sink_flush_stop(&sink), "round %d: no stop", round);
        full = sink_rd(&sink, TMC_STS) & TMC_STS_FULL;
        len = sink_contents(&sink, buf);
        sweep_case(&s, holds_tail(buf, len, &skipped) &&
                   (full ? len == size : skipped == 0), "round %d", round);
        sweep_case(&s, healthy(), "round %d: counts", round);
    }
    sweep_end(&s);
}

static void reserved_ids(void)
{
    uint8_t byte = 1;
    uint64_t bad = 0;

    fresh(4096);
    for (unsigned id = 0; id < 0x80; id++) {
        sink_push(&sink, (uint8_t)id, &byte, 1);
        bad += id == 0 || (id >= 0x70 && id != 0x7d);
    }
    is_u64(sink.t.count.dropped[ATB_DROP_BAD_ID], bad, "reserved IDs dropped");
    sink_flush_stop(&sink);
    ok(healthy(), "... and all accounted for");
}

/* EnFt = EnTI = 0: raw bytes, then 0x01 and zeros; DDI 0461B, 2.2.3 */
static void bypass(void)
{
    struct sweep s;

    sweep_begin(&s, "formatter disabled");
    for (size_t n = 0; n <= 100; n++) {
        size_t len;

        sink_init(&sink);
        n_sent = 0;
        sink_enable(&sink, SINK_BASE, 256);
        sink_wr(&sink, TMC_CTL, 0);
        sink_wait_ready(&sink);
        sink_wr(&sink, TMC_FFCR, 0);
        sink_wr(&sink, TMC_CTL, 1);
        send_counting(0x10, n / 3);
        send_counting(0x10, n - n / 3);
        sink_flush_stop(&sink);
        len = sink_contents(&sink, buf);
        sweep_case(&s, len == (n / 16 + 1) * 16, "%zu: length %zu", n, len);
        sweep_case(&s, memcmp(buf, sent, n) == 0 && buf[n] == 1, "%zu", n);
        for (size_t i = n + 1; i < len; i++) {
            sweep_case(&s, buf[i] == 0, "%zu: byte %zu after the end", n, i);
        }
        sweep_case(&s, healthy() && sink.t.written == n, "%zu: counts", n);
    }
    sweep_end(&s);
}

/* A 256-bit memory: the stop sequence fills a whole write. */
static void wide_memory(void)
{
    struct tmc_params p;
    struct sweep s;

    tmc_params_default(&p);
    p.mem_width_log2 = 8;
    sweep_begin(&s, "256-bit memory");
    for (size_t n = 0; n <= 200; n++) {
        size_t skipped = 0, len;

        sink_init_with(&sink, &p);
        n_sent = 0;
        sink_enable(&sink, SINK_BASE, 128 / 4);
        send_counting(0x10, n);
        sink_flush_stop(&sink);
        len = sink_contents(&sink, buf);
        sweep_case(&s, len % 32 == 0 && sink_rd(&sink, TMC_RWP) % 32 == 0,
                   "%zu: length %zu", n, len);
        sweep_case(&s, holds_tail(buf, len, &skipped), "%zu", n);
        sweep_case(&s, healthy(), "%zu: counts", n);
    }
    sweep_end(&s);
    is_u64(sink_rd(&sink, 0xfc8) >> 8 & 7, 5, "DEVID.MEMWIDTH");
    sink_wr(&sink, TMC_CTL, 0);
    sink_wait_ready(&sink);
    sink_wr(&sink, TMC_DBALO, 0x1ff0);
    is_u64(sink_rd(&sink, TMC_DBALO), 0x1fe0, "DBALO is aligned to the width");
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    stop_at_each_byte();
    wrap_at_each_frame();
    each_size();
    fail_each_write();
    fail_the_last();
    beyond_the_bus();
    many_ids();
    reserved_ids();
    bypass();
    wide_memory();
    return tap_done();
}
