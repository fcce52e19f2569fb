/*
 * Fuzzer of the trace unit: register traffic and PE records in any order.
 * After each step the state is valid and no byte is unaccounted for; what
 * arrives at the sink is a stream of whole, legal packets.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "models/etm4.h"
/* the fuzzers are linked with models/ and board/ only */
#include "tests/oracle/etm4_reader.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    const uint8_t *p;
    size_t left;
};

static uint64_t take(struct input *in, unsigned n)
{
    uint64_t v = 0;

    for (; n && in->left; n--, in->left--) {
        v = v << 8 | *in->p++;
    }
    return v;
}

#define SINK_BYTES 65536

static struct {
    uint8_t byte[SINK_BYTES];
    size_t n;
} sink_state;

static void sink_push(void *self, unsigned port, uint8_t atid,
                      const uint8_t *bytes, size_t n)
{
    (void)self;
    (void)port;
    if (atid < 1 || atid > 0x6f || n == 0 || n > 4096) {
        abort();
    }
    if (n > SINK_BYTES - sink_state.n) {
        n = 0;                     /* enough seen: the rest is not judged */
    }
    memcpy(sink_state.byte + sink_state.n, bytes, n);
    sink_state.n += n;
}

static const struct atb_ops sink_ops = { sink_push, NULL };

/* Words that lead somewhere: locks open, a session programmed, started. */
static void shortcut(struct etm4 *e, unsigned which)
{
    static const uint32_t words[][2] = {
        { 0xfb0, 0xc5acce55 }, { 0x300, 0 }, { 0x300, 1 }, { 0x004, 0 },
        { 0x004, 1 }, { 0x080, 0x201 }, { 0x010, 0x8c0 }, { 0x040, 0x10 },
        { 0x034, 8 }, { 0x150, 0x10001 }, { 0x208, 0x20001 }, { 0x030, 2 },
        { 0x024, 1 }, { 0x020, 2 }, { 0x080, 0x200201 }, { 0x140, 1 },
        { 0x010, 0x1018 }, { 0x038, 4 }, { 0x03c, 1 }, { 0x084, 1 },
        { 0x088, 0x40002 }, { 0x20c, 0x40001 }, { 0x100, 3 }, { 0x280, 1 },
        { 0x400, 0x10 }, { 0x408, 0x80 }, { 0x410, 0x20 }, { 0x080, 0x202 },
        { 0x024, 0xf }, { 0x020, 0x3020302 }, { 0x154, 0x10003 },
        { 0x010, 0x98d8 },
    };

    const unsigned n = sizeof(words) / sizeof(words[0]);

    etm4_write(e, words[which % n][0], 4, words[which % n][1], 0);
}

static void records(struct etm4 *e, struct input *in, unsigned count)
{
    struct pe_record rec[16];
    unsigned i;

    for (i = 0; i < count; i++) {
        uint64_t kind = take(in, 1) % (PE_KIND_COUNT + 1);
        unsigned n = (unsigned)take(in, 1) & 7;

        rec[i].head = kind << PE_KIND_SHIFT |
                      (take(in, n) & ((1ull << PE_KIND_SHIFT) - 1));
        rec[i].addr = take(in, (unsigned)take(in, 1) & 8 ? 8 : 2);
    }
    etm4_pe(e, rec, count);
}

static void step(struct etm4 *e, struct input *in)
{
    unsigned op = (unsigned)take(in, 1);
    uint64_t val;
    uint32_t off;

    switch (op & 7) {
    case 0:
        off = (uint32_t)take(in, 2) & 0xfff;
        val = take(in, 8);
        etm4_write(e, off, op & 8 ? 8 : 4, op & 8 ? val : (uint32_t)val, 0);
        break;
    case 1:
        off = (uint32_t)take(in, 2) & 0xfff;
        etm4_read(e, off, op & 8 ? 8 : 4, &val, 0);
        break;
    case 2:
        etm4_stopped(e);
        break;
    case 3:
        etm4_deliver(e);
        break;
    case 4:
        if (op == 0xfc) {
            etm4_reset(e);
            break;
        }
        /* fall through */
    case 5:
        shortcut(e, (unsigned)take(in, 1));
        break;
    default:
        records(e, in, 1 + (op >> 4));
        break;
    }
}

static void check(const struct etm4 *e)
{
    uint64_t dropped = 0;
    unsigned i;

    for (i = 0; i < ATB_DROP_COUNT; i++) {
        dropped += e->count.dropped[i];
    }
    if (!etm4_valid(e) || e->enc.made != e->fifo.fill + e->pushed + dropped) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct etm4 e;
    struct input in = { data, size };
    struct atb_node sink = { .ops = &sink_ops };
    struct atb_link link = { &e.atb, 0, &sink, 0 };
    struct etm4_params p;
    struct etm4_reader rd;
    struct etm4_pkt pkt;
    int res;

    etm4_params_default(&p);
    p.fifo_bytes = take(&in, 1) & 1 ? 100 : 0;
    etm4_init(&e, &p);
    e.out = &link;
    sink_state.n = 0;
    while (in.left) {
        step(&e, &in);
        check(&e);
    }
    etm4_reader_init(&rd, sink_state.byte, sink_state.n, p.cid_size,
                     p.vmid_size);
    while ((res = etm4_reader_next(&rd, &pkt)) == 1) {
        continue;
    }
    if (res) {
        abort();
    }
    return 0;
}
