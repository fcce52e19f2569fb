/*
 * TMC as ETR: from the ATB through the formatter to memory.
 *
 * Spec: Arm DDI 0461B, 2.2.3 (formatter and stop sequence), 2.2.4 (trigger,
 * flush and stop events).  Frames are written at the end of every chunk that
 * completes one, in bursts that end at the end of the buffer, so that only a
 * partial frame outlives a push.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tmc_internal.h"

#include <string.h>

#define BURST 4096u                /* bytes per memory write, at most */

uint32_t tmc_unit(const struct tmc *t)
{
    uint32_t width = 1u << (t->params.mem_width_log2 - 3);

    return width > FORMATTER_FRAME ? width : FORMATTER_FRAME;
}

/* CHOICE: address bits below a frame or the memory width are RES0. */
uint64_t tmc_base(const struct tmc *t)
{
    return (((uint64_t)t->dbahi << 32) | t->dbalo) &
           ~(uint64_t)(tmc_unit(t) - 1);
}

/*
 * CHOICE: RSZ that is no multiple of a frame (or the memory width) is rounded
 * down, so that frames stay aligned over a wrap.
 */
uint64_t tmc_size(const struct tmc *t)
{
    return ((uint64_t)t->rsz * 4) & ~(uint64_t)(tmc_unit(t) - 1);
}

uint64_t tmc_rrp(const struct tmc *t)
{
    return t->sts & TMC_STS_FULL ? t->rwp : t->rrp;
}

static uint64_t valid_bytes(const struct tmc *t)
{
    if (t->sts & TMC_STS_FULL) {
        return tmc_size(t);
    }
    return t->rwp >= t->rrp ? t->rwp - t->rrp
                            : t->rwp + tmc_size(t) - t->rrp;
}

uint32_t tmc_level_words(const struct tmc *t)
{
    return (uint32_t)(valid_bytes(t) / 4);
}

void tmc_capture(const struct tmc *t, struct tmc_capture *c)
{
    c->base = tmc_base(t);
    c->size = tmc_size(t);
    c->start = tmc_rrp(t);
    c->len = valid_bytes(t);
    c->wrapped = t->sts & TMC_STS_FULL;
}

size_t tmc_pending(const struct tmc *t)
{
    return t->fmt.waiting;
}

static bool bypass(const struct tmc *t)
{
    /* EnTI with EnFt clear enables formatting, DDI 0461B, 3.3.19 */
    return !(t->ffcr & (TMC_FFCR_ENFT | TMC_FFCR_ENTI));
}

static bool in_buffer(const struct tmc *t, uint64_t addr)
{
    return addr >= tmc_base(t) && addr - tmc_base(t) < tmc_size(t) &&
           (addr & (tmc_unit(t) - 1)) == 0;
}

/*
 * SoC-400 points both pointers at the buffer and clears the status; SoC-600
 * keeps what was programmed.  CHOICE: SoC-600 pointers outside the buffer are
 * UNPREDICTABLE there; they are reset.
 */
enum reg_result tmc_start(struct tmc *t)
{
    enum reg_result result = tmc_size(t) ? REG_OK : REG_RESERVED;
    uint64_t padding = t->fmt.null_bytes;

    t->sts &= t->params.soc600 ? TMC_STS_FULL : 0;
    if (!t->params.soc600) {
        t->rrp = t->rwp = tmc_base(t);
    } else if (!in_buffer(t, t->rrp) || !in_buffer(t, t->rwp)) {
        t->rrp = t->rwp = tmc_base(t);
        t->sts = 0;
        result = REG_RESERVED;
    }
    formatter_reset(&t->fmt);
    t->fmt.null_bytes = padding;
    t->lbuflevel = 0;
    t->announced = false;
    t->trg_counting = false;
    t->flush_now = t->flush_next = 0;
    t->flush_wanted = false;
    t->state = TMC_RUNNING;
    return result;
}

static bool formatter_valid(const struct tmc *t)
{
    const struct formatter *f = &t->fmt;
    bool idle = t->state != TMC_RUNNING;

    if (f->fill >= FORMATTER_FRAME || f->waiting > f->fill ||
        f->quiet > FORMATTER_ID_REPEAT || f->cur_id > ATB_ID_MAX ||
        (idle && f->waiting)) {
        return false;
    }
    for (unsigned i = 0; i < f->waiting; i++) {
        if (f->owner[i] > ATB_ID_MAX) {
            return false;
        }
    }
    return true;
}

static bool pointers_valid(const struct tmc *t)
{
    uint64_t limit = 1ull << t->params.axi_addr_bits;
    uint64_t at = t->rwp - tmc_base(t);

    if (t->rrp >= limit || t->rwp >= limit) {
        return false;
    }
    if (t->state == TMC_DISABLED) {
        return true;
    }
    if (tmc_size(t) == 0) {
        return t->rwp == tmc_base(t) && t->rrp == t->rwp;
    }
    return in_buffer(t, t->rrp) && at < tmc_size(t) &&
           at % FORMATTER_FRAME == 0;
}

bool tmc_valid(const struct tmc *t)
{
    const uint8_t flushes = TMC_FLUSH_MAN | TMC_FLUSH_IN | TMC_FLUSH_TRIG;
    bool on = t->state == TMC_RUNNING || t->state == TMC_STOPPING ||
              t->state == TMC_STOPPED;

    return t->state <= TMC_DISABLING &&
           t->ctl == (on ? TMC_CTL_CAPTEN : 0) && t->rsz <= INT32_MAX &&
           !(t->sts & ~(TMC_STS_FULL | TMC_STS_TRIGGERED | TMC_STS_MEMERR)) &&
           !((t->flush_now | t->flush_next) & ~flushes) &&
           (!t->flush_now || t->state == TMC_RUNNING) &&
           (!t->flush_next || t->flush_now) &&
           formatter_valid(t) && pointers_valid(t);
}

/* Write whole frames at RWP.  returns: false on a bus error. */
static bool store(struct tmc *t, const uint8_t *buf, size_t n)
{
    uint64_t limit = 1ull << t->params.axi_addr_bits;
    uint32_t level;

    if (t->rwp + n > limit ||
        !t->ops.mem_write(t->ops.arg, t->rwp, buf, n)) {
        t->sts |= TMC_STS_MEMERR;
        return false;
    }
    t->rwp += n;
    if (t->rwp == tmc_base(t) + tmc_size(t)) {
        t->rwp = tmc_base(t);
        t->sts |= TMC_STS_FULL;
    }
    level = tmc_level_words(t);
    if (level > t->lbuflevel) {
        t->lbuflevel = level;
    }
    return true;
}

void tmc_drop_waiting(struct tmc *t, enum atb_drop why)
{
    uint64_t padding = t->fmt.null_bytes;

    for (unsigned i = 0; i < t->fmt.waiting; i++) {
        atb_count_drop(&t->count, t->fmt.owner[i], why, 1);
    }
    formatter_reset(&t->fmt);
    t->fmt.null_bytes = padding;
}

static void announce(struct tmc *t)
{
    if (!t->announced && valid_bytes(t) != 0) {
        t->announced = true;
        if (t->ops.captured) {
            t->ops.captured(t->ops.arg);
        }
    }
}

/* MemErr: no more accesses, the formatter stops, TMCReady rises at once. */
static void bus_error(struct tmc *t)
{
    announce(t);
    tmc_settle(t, TMC_STOPPED);
}

/* The bytes that waited at @before, and @taken of @atid, are in memory now,
 * but for what waits in the new partial frame. */
static void count_written(struct tmc *t, const struct formatter *before,
                          uint8_t atid, size_t taken)
{
    for (unsigned i = 0; i < before->waiting; i++) {
        t->written_id[before->owner[i]]++;
    }
    t->written_id[atid] += taken;
    for (unsigned i = 0; i < t->fmt.waiting; i++) {
        t->written_id[t->fmt.owner[i]]--;
    }
    t->written += before->waiting + taken - t->fmt.waiting;
}

/* TRG counts the words written after a trigger; TRG + 1 of them make the
 * trigger event.  DDI 0461B, 3.3.6. */
static void count_trg(struct tmc *t, size_t bytes)
{
    uint64_t words = bytes / 4;

    if (!t->trg_counting) {
        return;
    }
    if (words <= t->trg) {
        t->trg -= (uint32_t)words;
        return;
    }
    t->trg = 0;
    t->trg_counting = false;
    t->sts |= TMC_STS_TRIGGERED;
    if (t->ffcr & TMC_FFCR_TRIGONTRIGEVT) {
        tmc_insert_trigger(t);
    }
    if (t->state != TMC_RUNNING) {
        return;
    }
    if (t->ffcr & TMC_FFCR_STOPONTRIGEVT) {
        tmc_drain(t, TMC_STOPPING, t->now_ns);
    } else if (t->ffcr & TMC_FFCR_FONTRIGEVT) {
        t->flush_wanted = true;
        tmc_request_flush(t, TMC_FLUSH_TRIG, t->now_ns);
    }
}

/* Bytes that may be written at once: to the end of the buffer, and no further
 * than the frame of the trigger event. */
static size_t burst_room(const struct tmc *t)
{
    uint64_t room = tmc_base(t) + tmc_size(t) - t->rwp;

    if (room > BURST) {
        room = BURST;
    }
    if (t->trg_counting && t->trg < BURST / 4) {
        uint64_t left = ((uint64_t)t->trg + 1) * 4;

        left = (left + FORMATTER_FRAME - 1) & ~(uint64_t)(FORMATTER_FRAME - 1);
        room = left < room ? left : room;
    }
    return (size_t)room;
}

/* Format @n bytes and write each burst of whole frames. */
static void capture(struct tmc *t, uint8_t atid, const uint8_t *bytes,
                    size_t n)
{
    uint8_t out[BURST];

    while (n) {
        struct formatter before = t->fmt;
        size_t made, room = burst_room(t);
        size_t taken = bypass(t)
            ? formatter_raw(&t->fmt, atid, bytes, n, out, room, &made)
            : formatter_push(&t->fmt, atid, bytes, n, out, room, &made);

        if (made && !store(t, out, made)) {
            t->fmt = before;
            tmc_drop_waiting(t, ATB_DROP_BUS_ERROR);
            atb_count_drop(&t->count, atid, ATB_DROP_BUS_ERROR, n);
            bus_error(t);
            return;
        }
        bytes += taken;
        n -= taken;
        if (made) {
            count_written(t, &before, atid, taken);
            count_trg(t, made);
        }
        /* A trigger event stops within the chunk, as exactly as TRG says: the
         * last packet may be cut. */
        if (t->state != TMC_RUNNING && n) {
            atb_count_drop(&t->count, atid, ATB_DROP_SINK_STOPPED, n);
            return;
        }
    }
}

void tmc_insert_trigger(struct tmc *t)
{
    static const uint8_t payload = 0x00;

    if ((t->ffcr & TMC_FFCR_ENTI) && t->state == TMC_RUNNING &&
        tmc_size(t)) {
        t->count.in[FORMATTER_ID_TRIGGER]++;
        capture(t, FORMATTER_ID_TRIGGER, &payload, 1);
    }
}

void tmc_trigger(struct tmc *t)
{
    if (t->state != TMC_RUNNING) {
        return;
    }
    if (t->ffcr & TMC_FFCR_TRIGONTRIGIN) {
        tmc_insert_trigger(t);
    }
    /* A second trigger is ignored while the first is counted. */
    t->trg_counting = t->state == TMC_RUNNING;
}

/*
 * The end of the stop sequence, 2.2.3: one frame of nulls behind the padded
 * one, and more up to the width of the memory.  The Juno, TC2 and Snowball
 * captures that come with OpenCSD all end like this; decoders that work a
 * frame behind (perf at a timestamp) need it to reach the last trace byte.
 * @padded: the frame before has announced ID 0.
 */
static bool write_nulls(struct tmc *t, bool padded)
{
    static const uint8_t id0[FORMATTER_FRAME] = { 0x01 };
    static const uint8_t zeros[FORMATTER_FRAME];

    if (!padded) {
        t->fmt.null_bytes += FORMATTER_FRAME - 2;
        if (!store(t, id0, FORMATTER_FRAME)) {
            return false;
        }
    }
    do {
        t->fmt.null_bytes += FORMATTER_FRAME - 1;
        if (!store(t, zeros, FORMATTER_FRAME)) {
            return false;
        }
    } while ((t->rwp - tmc_base(t)) & (tmc_unit(t) - 1));
    return true;
}

/* Zeros up to the width of the memory. */
static bool write_raw_end(struct tmc *t)
{
    static const uint8_t zeros[FORMATTER_FRAME];

    return !((t->rwp - tmc_base(t)) & (tmc_unit(t) - 1)) ||
           store(t, zeros, FORMATTER_FRAME);
}

/* The stop sequence, 2.2.3.  returns: false on a bus error. */
static bool write_stop_sequence(struct tmc *t)
{
    struct formatter before = t->fmt;
    uint8_t out[FORMATTER_FRAME];
    size_t made = bypass(t) ? formatter_raw_end(&t->fmt, out)
                            : formatter_pad(&t->fmt, out);

    if (made) {
        if (!store(t, out, made)) {
            t->fmt = before;
            tmc_drop_waiting(t, ATB_DROP_BUS_ERROR);
            return false;
        }
        count_written(t, &before, 0, 0);
    }
    if (bypass(t)) {
        return write_raw_end(t);
    }
    /* No ID: the formatter took nothing, so there is nothing to end. */
    return before.cur_id == 0 || write_nulls(t, made != 0);
}

void tmc_drain(struct tmc *t, enum tmc_state to, uint64_t now_ns)
{
    if (tmc_size(t) && !write_stop_sequence(t) && to == TMC_STOPPING) {
        bus_error(t);
        return;
    }
    announce(t);
    t->flush_now = t->flush_next = 0;
    t->flush_wanted = false;
    t->ffcr &= ~TMC_FFCR_FLUSHMAN;
    t->state = to;
    t->due_ns = now_ns + t->params.ready_ns;
}

static void etr_push(void *self, unsigned port, uint8_t atid,
                     const uint8_t *bytes, size_t n)
{
    struct tmc *t = self;
    enum atb_drop why = ATB_DROP_NONE;

    (void)port;
    if (atid == FORMATTER_ID_TRIGGER) {
        tmc_trigger(t);          /* a trigger packet of a source, no trace */
        return;
    }
    t->count.in[atid] += n;
    if (atid == 0 || atid >= 0x70) {
        why = ATB_DROP_BAD_ID;
    } else if (t->state == TMC_DISABLED || t->state == TMC_DISABLING) {
        why = ATB_DROP_SINK_DISABLED;
    } else if (t->state != TMC_RUNNING) {
        why = ATB_DROP_SINK_STOPPED;
    } else if (tmc_size(t) == 0) {
        why = ATB_DROP_NO_BUFFER;
    }
    if (why != ATB_DROP_NONE) {
        atb_count_drop(&t->count, atid, why, n);
        return;
    }
    capture(t, atid, bytes, n);
}

const struct atb_ops tmc_atb_ops = { .push = etr_push, .flush = NULL };
