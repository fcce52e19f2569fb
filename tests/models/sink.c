/*
 * A TMC with memory around it; see sink.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sink.h"

#include <string.h>

#include "models/regs_mgmt.h"

static bool mem_write(void *arg, uint64_t addr, const uint8_t *buf, size_t n)
{
    struct sink *s = arg;
    struct tmc_capture c;

    tmc_capture(&s->t, &c);
    s->writes++;
    s->after_error = s->after_error || (s->fail_at && s->writes > s->fail_at);
    if (s->fail_at && s->writes == s->fail_at) {
        return false;
    }
    if (addr < c.base || addr + n > c.base + c.size || n % 16 || addr % 16) {
        s->stray = true;
    }
    if (addr < SINK_BASE || addr + n > SINK_BASE + SINK_MEM) {
        s->fail_at = s->writes;
        return false;
    }
    memcpy(s->mem + (addr - SINK_BASE), buf, n);
    return true;
}

static void captured(void *arg)
{
    struct sink *s = arg;
    struct tmc_capture c;

    tmc_capture(&s->t, &c);
    s->captured++;
    s->captured_len = c.len;
}

void sink_init_with(struct sink *s, const struct tmc_params *p)
{
    struct tmc_ops ops = { mem_write, captured, s };

    memset(s, 0, offsetof(struct sink, mem));
    tmc_init(&s->t, p, &ops);
    sink_wr(s, CS_LAR, CS_LAR_KEY);
}

void sink_init(struct sink *s)
{
    struct tmc_params p;

    tmc_params_default(&p);
    sink_init_with(s, &p);
}

uint32_t sink_rd(struct sink *s, uint32_t off)
{
    uint32_t val = 0xdeadbeef;

    tmc_read(&s->t, off, &val, s->now_ns);
    return val;
}

enum reg_result sink_wr(struct sink *s, uint32_t off, uint32_t val)
{
    return tmc_write(&s->t, off, val, s->now_ns);
}

void sink_push(struct sink *s, uint8_t id, const uint8_t *bytes, size_t n)
{
    s->t.atb.ops->push(s->t.atb.self, 0, id, bytes, n);
}

enum reg_result sink_enable(struct sink *s, uint64_t base, uint32_t words)
{
    sink_wr(s, TMC_RSZ, words);
    sink_wr(s, TMC_MODE, 0);
    sink_wr(s, TMC_AXICTL, (sink_rd(s, TMC_AXICTL) & ~0xfbfu) | 0xf3e);
    sink_wr(s, TMC_DBALO, (uint32_t)base);
    sink_wr(s, TMC_DBAHI, (uint32_t)(base >> 32));
    if (s->t.params.soc600) {
        sink_wr(s, TMC_RRP, (uint32_t)base);
        sink_wr(s, TMC_RRPHI, (uint32_t)(base >> 32));
        sink_wr(s, TMC_RWP, (uint32_t)base);
        sink_wr(s, TMC_RWPHI, (uint32_t)(base >> 32));
        sink_wr(s, TMC_STS, sink_rd(s, TMC_STS) & ~TMC_STS_FULL);
    }
    sink_wr(s, TMC_FFCR, SINK_FFCR);
    sink_wr(s, TMC_TRG, 0);
    return sink_wr(s, TMC_CTL, 1);
}

static bool wait_bit(struct sink *s, uint32_t off, uint32_t bit, bool want)
{
    for (int i = 0; i < 100; i++) {
        if (!!(sink_rd(s, off) & bit) == want) {
            return true;
        }
        s->now_ns += 1000;
    }
    return false;
}

bool sink_wait_ready(struct sink *s)
{
    return wait_bit(s, TMC_STS, TMC_STS_TMCREADY, true);
}

bool sink_flush_stop(struct sink *s)
{
    sink_wr(s, TMC_FFCR, sink_rd(s, TMC_FFCR) | TMC_FFCR_STOPONFL);
    sink_wr(s, TMC_FFCR, sink_rd(s, TMC_FFCR) | TMC_FFCR_FLUSHMAN);
    return wait_bit(s, TMC_FFCR, TMC_FFCR_FLUSHMAN, false) &&
           sink_wait_ready(s);
}

static uint64_t pointer(struct sink *s, uint32_t lo, uint32_t hi)
{
    return (uint64_t)sink_rd(s, hi) << 32 | sink_rd(s, lo);
}

size_t sink_contents(struct sink *s, uint8_t *out)
{
    uint64_t base = pointer(s, TMC_DBALO, TMC_DBAHI);
    uint64_t rrp = pointer(s, TMC_RRP, TMC_RRPHI);
    uint64_t rwp = pointer(s, TMC_RWP, TMC_RWPHI);
    uint64_t size = (uint64_t)sink_rd(s, TMC_RSZ) * 4;
    size_t from = (size_t)(rrp - base), len, at = (size_t)(base - SINK_BASE);

    len = (size_t)(sink_rd(s, TMC_STS) & TMC_STS_FULL ? size : rwp - rrp);
    if (rrp < base || rrp >= base + size || len > size || rrp % 16 ||
        rwp < base || rwp >= base + size || rwp % 16) {
        s->stray = true;
        return 0;
    }
    for (size_t i = 0; i < len; i++) {
        out[i] = s->mem[at + (from + i) % size];
    }
    return len;
}

bool sink_conserved(const struct sink *s)
{
    const struct tmc *t = &s->t;
    uint64_t in = 0, out = t->written + tmc_pending(t), reasons = 0;
    uint64_t dropped = 0;
    bool fine = true;

    for (unsigned id = 0; id <= ATB_ID_MAX; id++) {
        uint64_t waiting = 0;

        for (unsigned i = 0; i < t->fmt.waiting; i++) {
            waiting += t->fmt.owner[i] == id;
        }
        in += t->count.in[id];
        dropped += t->count.dropped_id[id];
        fine = fine && t->count.in[id] == t->written_id[id] +
               t->count.dropped_id[id] + waiting;
    }
    for (unsigned why = 0; why < ATB_DROP_COUNT; why++) {
        reasons += t->count.dropped[why];
    }
    return fine && reasons == dropped && in == out + dropped;
}
