/*
 * The CoreSight trace formatter.  Spec: Arm IHI 0029F, D4.2.
 *
 * A frame: bytes 0, 2, ... 14 hold an ID (bit 0 = 1) or data (bit 0 = 0, the
 * data's own bit 0 is kept in byte 15, bit n for byte 2n); odd bytes hold
 * data.  Byte 15's bit of an ID byte: 0, the odd byte after it belongs to the
 * new ID; 1, it still belongs to the ID before.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "formatter.h"

#include <string.h>

#include "bits.h"

#define AUX 15
#define EVEN_BIT0 0x0001000100010001ull   /* bit 0 of bytes 0, 2, 4, 6 */

void formatter_reset(struct formatter *f)
{
    memset(f, 0, sizeof(*f));
}

/* The four bits selected by EVEN_BIT0, moved to bits 0..3. */
static inline unsigned gather_bit0(uint64_t x)
{
    x &= EVEN_BIT0;
    return (unsigned)(x | x >> 15 | x >> 30 | x >> 45) & 0xfu;
}

/* A frame of 15 data bytes with no ID; reads @p[0..14] only. */
static inline void frame_of_data(const uint8_t *p, uint8_t *out)
{
    uint64_t lo = load_le64(p);
    uint64_t hi = load_le64(p + 7) >> 8;
    uint64_t aux = gather_bit0(lo) | gather_bit0(hi) << 4;

    store_le64(out, lo & ~EVEN_BIT0);
    store_le64(out + 8, (hi & ~EVEN_BIT0) | aux << 56);
}

/* A frame that starts with an ID; reads @p[0..13] only. */
static inline void frame_with_id(uint8_t id, const uint8_t *p, uint8_t *out)
{
    uint64_t lo = load_le64(p) << 8;
    uint64_t hi = load_le64(p + 6) >> 8;
    uint64_t aux = gather_bit0(lo) | gather_bit0(hi) << 4;

    store_le64(out, (lo & ~EVEN_BIT0) | (uint64_t)id << 1 | 1u);
    store_le64(out + 8, (hi & ~EVEN_BIT0) | aux << 56);
}

/* Ends the frame in @f when it is full.  returns: bytes made, 0 or 16. */
static size_t frame_done(struct formatter *f, uint8_t *out)
{
    if (f->fill < AUX) {
        return 0;
    }
    memcpy(out, f->frame, FORMATTER_FRAME);
    memset(f->frame, 0, FORMATTER_FRAME);
    f->fill = 0;
    f->waiting = 0;
    f->quiet = (uint8_t)(f->has_id ? 0 : f->quiet + 1);
    f->has_id = false;
    return FORMATTER_FRAME;
}

/*
 * Announce @id at the present place.  At an odd place the byte before is data
 * of the old ID: it moves to the odd place and the ID takes its own, with the
 * auxiliary bit set.  An ID is never last before an odd place without its
 * data byte, since the caller adds one at once.
 */
static void put_id(struct formatter *f, uint8_t id)
{
    unsigned pos = f->fill;
    unsigned bit = 1u << (pos / 2);

    if (pos & 1) {
        f->frame[pos] = (uint8_t)(f->frame[pos - 1] |
                                  (f->frame[AUX] & bit ? 1u : 0u));
        f->frame[pos - 1] = (uint8_t)(id << 1 | 1u);
        f->frame[AUX] = (uint8_t)(f->frame[AUX] | bit);
    } else {
        f->frame[pos] = (uint8_t)(id << 1 | 1u);
    }
    f->fill = (uint8_t)(pos + 1);
    f->cur_id = id;
    f->has_id = true;
}

static void put_data(struct formatter *f, uint8_t byte)
{
    unsigned pos = f->fill;

    if (pos & 1) {
        f->frame[pos] = byte;
    } else {
        f->frame[pos] = byte & 0xfeu;
        f->frame[AUX] = (uint8_t)(f->frame[AUX] |
                                  (unsigned)(byte & 1u) << (pos / 2));
    }
    f->owner[f->waiting++] = f->cur_id;
    f->fill = (uint8_t)(pos + 1);
}

static bool id_due(const struct formatter *f, uint8_t id)
{
    return id != f->cur_id ||
           (f->fill == 0 && f->quiet >= FORMATTER_ID_REPEAT);
}

size_t formatter_push(struct formatter *f, uint8_t id, const uint8_t *bytes,
                      size_t n, uint8_t *out, size_t room, size_t *made)
{
    size_t taken = 0, frames = 0;

    while (taken < n && room - frames >= FORMATTER_FRAME) {
        if (f->fill == 0 && n - taken >= AUX - 1 && id_due(f, id)) {
            frame_with_id(id, bytes + taken, out + frames);
            taken += AUX - 1;
            frames += FORMATTER_FRAME;
            f->cur_id = id;
            f->quiet = 0;
            continue;
        }
        if (id_due(f, id)) {
            put_id(f, id);
            frames += frame_done(f, out + frames);
            if (f->fill == 0) {   /* the ID closed its frame */
                continue;
            }
        }
        while (f->fill == 0 && n - taken >= AUX &&
               f->quiet < FORMATTER_ID_REPEAT &&
               room - frames >= FORMATTER_FRAME) {
            frame_of_data(bytes + taken, out + frames);
            taken += AUX;
            frames += FORMATTER_FRAME;
            f->quiet++;
        }
        if (taken < n && room - frames >= FORMATTER_FRAME && !id_due(f, id)) {
            put_data(f, bytes[taken++]);
            frames += frame_done(f, out + frames);
        }
    }
    *made = frames;
    return taken;
}

size_t formatter_pad(struct formatter *f, uint8_t out[FORMATTER_FRAME])
{
    f->cur_id = 0;
    f->quiet = 0;
    if (f->fill == 0) {
        return 0;
    }
    put_id(f, 0);
    f->null_bytes += (unsigned)(AUX - f->fill);
    f->fill = AUX;                /* the rest of the frame is zero already */
    return frame_done(f, out);
}

size_t formatter_raw(struct formatter *f, uint8_t id, const uint8_t *bytes,
                     size_t n, uint8_t *out, size_t room, size_t *made)
{
    size_t taken = 0, blocks = 0;

    while (taken < n && room - blocks >= FORMATTER_FRAME) {
        if (f->fill == 0 && n - taken >= FORMATTER_FRAME) {
            memcpy(out + blocks, bytes + taken, FORMATTER_FRAME);
            taken += FORMATTER_FRAME;
            blocks += FORMATTER_FRAME;
            continue;
        }
        f->owner[f->waiting++] = id;
        f->frame[f->fill++] = bytes[taken++];
        if (f->fill == FORMATTER_FRAME) {
            memcpy(out + blocks, f->frame, FORMATTER_FRAME);
            blocks += FORMATTER_FRAME;
            f->fill = 0;
            f->waiting = 0;
        }
    }
    *made = blocks;
    return taken;
}

size_t formatter_raw_end(struct formatter *f, uint8_t out[FORMATTER_FRAME])
{
    memset(out, 0, FORMATTER_FRAME);
    memcpy(out, f->frame, f->fill);
    out[f->fill] = 0x01;
    f->null_bytes += (unsigned)(FORMATTER_FRAME - f->fill);
    memset(f->frame, 0, FORMATTER_FRAME);
    f->fill = 0;
    f->waiting = 0;
    return FORMATTER_FRAME;
}
