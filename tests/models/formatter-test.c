/*
 * The formatter: frames worked out by hand from Arm IHI 0029F, D4.2, and
 * sweeps read back by the independent deformatter.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "models/formatter.h"
#include "tests/oracle/deformatter.h"
#include "tests/tap/tap.h"

#define MAX_STREAM 20000

struct stream {
    uint8_t id[MAX_STREAM], byte[MAX_STREAM];
    size_t n;
};

static uint8_t out[4 * MAX_STREAM];
static size_t out_n;
static struct formatter fmt;

static void start(void)
{
    formatter_reset(&fmt);
    out_n = 0;
}

static size_t push(uint8_t id, const uint8_t *bytes, size_t n, size_t room)
{
    size_t made;
    size_t taken = formatter_push(&fmt, id, bytes, n, out + out_n, room,
                                  &made);

    out_n += made;
    return taken;
}

static void push_all(uint8_t id, const uint8_t *bytes, size_t n)
{
    if (push(id, bytes, n, sizeof(out) - out_n) != n) {
        tap_bail("formatter took fewer bytes than it had room for");
    }
}

static void pad(void)
{
    out_n += formatter_pad(&fmt, out + out_n);
}

/* What the deformatter reads back, without null data. */
static bool reads_as(const struct stream *want, size_t *at)
{
    struct deformatter d;
    struct deformatted pair[15];
    size_t k = 0;

    deformatter_init(&d);
    for (size_t f = 0; f + 16 <= out_n; f += 16) {
        int n = deformatter_frame(&d, out + f, pair);

        for (int i = 0; i < n; i++) {
            if (pair[i].id == 0) {
                continue;
            }
            if (k >= want->n || pair[i].id != want->id[k] ||
                pair[i].byte != want->byte[k]) {
                *at = k;
                return false;
            }
            k++;
        }
        if (n < 0) {
            *at = f;
            return false;
        }
    }
    *at = k;
    return k == want->n && out_n % 16 == 0;
}

static void add(struct stream *s, uint8_t id, const uint8_t *bytes, size_t n)
{
    memset(s->id + s->n, id, n);
    memcpy(s->byte + s->n, bytes, n);
    s->n += n;
}

static const uint8_t ramp[16] = {
    0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88,
    0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f, 0x91,
};

static void golden_one_id(void)
{
    /* ID 0x10 first; data at 2, 4, ... loses bit 0 to the auxiliary byte */
    static const uint8_t want[32] = {
        0x21, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87,
        0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x00,
        /* 0x8f at 0, 0x91 at 1, then null from 2 on */
        0x8e, 0x91, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
    };

    start();
    push_all(0x10, ramp, 16);
    is_u64(out_n, 16, "one ID: a frame when it is full");
    is_u64(fmt.waiting, 2, "one ID: two bytes wait");
    pad();
    is_mem(out, want, 32, "one ID: frames");
    is_u64(fmt.null_bytes, 12, "one ID: null bytes are counted");
    pad();
    is_u64(out_n, 32, "a pad of nothing makes no frame");
}

static void golden_bit0(void)
{
    static const uint8_t odd[14] = {
        1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27
    };
    static const uint8_t want[16] = {
        0xdf, 1, 2, 5, 6, 9, 10, 13, 14, 17, 18, 21, 22, 25, 26, 0xfe,
    };

    start();
    push_all(0x6f, odd, 14);
    is_mem(out, want, 16, "bit 0 of even bytes is in the auxiliary byte");
}

static void golden_change(void)
{
    /*
     * A at 1; change to B at even byte 2 takes effect at once; B has three
     * bytes (3, 4, 5); C at even 6 with one byte (7), then B at even 8 with
     * two (9, 10): the change to A comes at odd 11, so B's 0x35 of byte 10
     * moves to 11, A's ID takes 10 with the auxiliary bit 5; A's data at 12,
     * 13 and 14.
     */
    static const uint8_t a[3] = { 0xa1, 0xa3, 0xa5 };
    static const uint8_t b[5] = { 0x31, 0x32, 0x33, 0x34, 0x35 };
    static const uint8_t c[1] = { 0xc1 };
    static const uint8_t want[16] = {
        0x03, 0xa1, 0x05, 0x31, 0x32, 0x33, 0x07, 0xc1,
        0x05, 0x34, 0x03, 0x35, 0xa0, 0xa3, 0xa4, 0xe0,
    };

    start();
    push_all(1, a, 1);
    push_all(2, b, 3);
    push_all(3, c, 1);
    push_all(2, b + 3, 2);
    push_all(1, a, 1);
    push_all(1, a + 1, 2);
    is_mem(out, want, 16, "ID changes at even and odd places");
}

static void golden_ends(void)
{
    static const uint8_t b = 0xff;
    static const uint8_t want_id14[32] = {
        0x21, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87,
        0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x23, 0x00,
        0xfe, 0xff, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
    };
    static const uint8_t want_pad3[16] = {
        0x21, 0x81, 0x01, 0x83, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02,
    };
    static const uint8_t data3[2] = { 0x81, 0x83 };
    static const uint8_t want_pad14[16] = {
        0x21, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87,
        0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x01, 0x00,
    };

    start();
    push_all(0x10, ramp, 13);
    push_all(0x11, &b, 1);
    push_all(0x11, &b, 1);
    pad();
    is_mem(out, want_id14, 32, "an ID in byte 14 speaks for the next frame");
    start();
    push_all(0x10, data3, 2);
    pad();
    is_mem(out, want_pad3, 16, "pad at an odd place moves the data byte");
    start();
    push_all(0x10, ramp, 13);
    pad();
    is_mem(out, want_pad14, 16, "pad at byte 14");
    push_all(0x10, ramp, 13);
    pad();
    is_mem(out + 16, want_pad14, 16, "after a pad the ID is announced anew");
    start();
    push_all(0x10, ramp, 14);
    pad();
    push_all(0x10, ramp, 13);
    pad();
    is_mem(out + 16, want_pad14, 16, "... also when the frame was full");
}

static void golden_repeat(void)
{
    uint8_t zeros[14 + 7 * 15 + 14] = { 0 };
    unsigned with_id = 0;

    start();
    push_all(0x10, zeros, sizeof(zeros));
    pad();
    for (size_t f = 0; f < out_n; f += 16) {
        with_id |= (out[f] & 1u) << (f / 16);
    }
    /* frame 0 has the ID, 1-7 none, 8 the repeat */
    is_u64(out_n / 16, 9, "repeat: frames");
    is_u64(with_id, 1u << 0 | 1u << 8, "repeat: after seven frames without");
    is_u64(out[8 * 16], 0x21, "repeat: the same ID");
}

/* One run of each length after each prefix, cut at each room. */
static void sweep_lengths(void)
{
    static uint8_t data[400];
    struct sweep s;

    for (size_t i = 0; i < sizeof(data); i++) {
        data[i] = (uint8_t)(i * 37 + 11);
    }
    sweep_begin(&s, "each run length after each prefix");
    for (size_t prefix = 0; prefix < 32; prefix++) {
        for (size_t n = 1; n < 260; n++) {
            static struct stream want;
            size_t at;

            want.n = 0;
            start();
            add(&want, 0x21, data, prefix);
            add(&want, 0x22, data + prefix, n);
            push_all(0x21, data, prefix);
            push_all(0x22, data + prefix, n);
            pad();
            sweep_case(&s, reads_as(&want, &at), "prefix %zu run %zu at %zu",
                       prefix, n, at);
        }
    }
    sweep_end(&s);
}

static void sweep_room(void)
{
    static uint8_t data[300];
    struct sweep s;

    for (size_t i = 0; i < sizeof(data); i++) {
        data[i] = (uint8_t)(i * 91 + 3);
    }
    sweep_begin(&s, "small rooms give the same frames");
    for (size_t room = 16; room <= 80; room++) {
        for (size_t prefix = 0; prefix < 16; prefix++) {
            static struct stream want;
            size_t at, done = 0;
            bool moves = true;

            want.n = 0;
            start();
            add(&want, 5, data, prefix);
            add(&want, 6, data, sizeof(data));
            push_all(5, data, prefix);
            while (done < sizeof(data) && moves) {
                size_t before = out_n;
                size_t taken = push(6, data + done, sizeof(data) - done, room);

                moves = taken != 0 || out_n != before;
                moves = moves && out_n - before <= room;
                done += taken;
            }
            pad();
            sweep_case(&s, moves && reads_as(&want, &at), "room %zu prefix %zu",
                       room, prefix);
        }
    }
    sweep_end(&s);
}

/* An ID within any eight frames in a row, as a reader of a wrap needs. */
static bool id_every_eight(void)
{
    unsigned without = 0;

    for (size_t f = 0; f + 16 <= out_n; f += 16) {
        bool has = false;

        for (int i = 0; i < 16 - 1; i += 2) {
            has = has || (out[f + (size_t)i] & 1);
        }
        without = has ? 0 : without + 1;
        if (without > 7) {
            return false;
        }
    }
    return true;
}

static void random_streams(void)
{
    struct prng p;
    struct sweep s;

    prng_seed(&p, tap_seed());
    sweep_begin(&s, "random interleaving of many IDs");
    for (int round = 0; round < 400; round++) {
        static struct stream want;
        uint64_t longest = 1 + prng_below(&p, round & 1 ? 8 : 600);
        size_t at, total = (size_t)prng_below(&p, MAX_STREAM - 700);

        want.n = 0;
        start();
        while (want.n < total) {
            uint8_t data[700];
            uint8_t id = (uint8_t)(1 + prng_below(&p, 0x6f));
            size_t n = (size_t)(1 + prng_below(&p, longest));

            for (size_t i = 0; i < n; i++) {
                data[i] = (uint8_t)prng_u64(&p);
            }
            add(&want, id, data, n);
            push_all(id, data, n);
            if (prng_below(&p, 50) == 0) {
                pad();
            }
        }
        pad();
        sweep_case(&s, reads_as(&want, &at), "round %d at %zu", round, at);
        sweep_case(&s, id_every_eight(), "round %d: no ID for long", round);
    }
    sweep_end(&s);
}

static void waiting_owners(void)
{
    struct sweep s;
    struct prng p;

    prng_seed(&p, tap_seed() + 1);
    sweep_begin(&s, "bytes that wait are told with their IDs");
    for (int round = 0; round < 2000; round++) {
        uint8_t ids[64];
        size_t n = (size_t)prng_below(&p, 64), framed = 0;
        struct deformatter d;
        struct deformatted pair[15];
        bool same = true;

        start();
        deformatter_init(&d);
        for (size_t i = 0; i < n; i++) {
            uint8_t b = (uint8_t)i;

            ids[i] = (uint8_t)(1 + prng_below(&p, 3));
            push_all(ids[i], &b, 1);
        }
        for (size_t f = 0; f < out_n; f += 16) {
            framed += (size_t)deformatter_frame(&d, out + f, pair);
        }
        same = framed + fmt.waiting == n;
        for (size_t i = 0; same && i < fmt.waiting; i++) {
            same = fmt.owner[i] == ids[framed + i];
        }
        sweep_case(&s, same, "round %d", round);
    }
    sweep_end(&s);
}

static void raw_mode(void)
{
    static const uint8_t want[32] = {
        0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88,
        0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f, 0x91,
        0x81, 0x01,
    };
    size_t made;

    start();
    is_u64(formatter_raw(&fmt, 1, ramp, 5, out, 64, &made), 5, "raw: taken");
    is_u64(made, 0, "raw: nothing before a block is full");
    formatter_raw(&fmt, 1, ramp + 5, 11, out, 64, &made);
    is_u64(made, 16, "raw: a full block");
    formatter_raw(&fmt, 1, ramp, 1, out + 16, 64, &made);
    is_u64(formatter_raw_end(&fmt, out + 16), 16, "raw: stop sequence");
    is_mem(out, want, 32, "raw: bytes as they came, 0x01, zeros");
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    golden_one_id();
    golden_bit0();
    golden_change();
    golden_ends();
    golden_repeat();
    sweep_lengths();
    sweep_room();
    random_streams();
    waiting_owners();
    raw_mode();
    return tap_done();
}
