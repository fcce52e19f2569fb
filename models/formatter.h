/*
 * The CoreSight trace formatter: (ATID, byte) pairs to 16-byte frames, and
 * the bypass mode that stores raw bytes.
 * Spec: Arm IHI 0029F, D4.2 "Formatter frame structure"; stop sequences as in
 * DDI 0461B, 2.2.3.  No FSYNC or HSYNC: frames are aligned in memory.
 *
 * An ID is repeated after seven frames without one, so that a reader of a
 * wrapped buffer finds the ID soon (as the formatters of SoC-400 do).
 * CHOICE: the repeated ID goes to byte 0 of the eighth frame.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_FORMATTER_H
#define CSVIRT_MODELS_FORMATTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FORMATTER_FRAME      16
#define FORMATTER_ID_TRIGGER 0x7d
#define FORMATTER_ID_REPEAT  7    /* frames without ID before a repeat */

struct formatter {
    uint8_t frame[FORMATTER_FRAME];
    uint8_t owner[FORMATTER_FRAME]; /* ATID of each byte that waits */
    uint8_t waiting;    /* trace bytes in the partial frame, 0..15 */
    uint8_t fill;       /* bytes of the frame in use, 0..15 */
    uint8_t cur_id;     /* ID of the bytes that follow; 0: none */
    uint8_t quiet;      /* whole frames since the last with an ID, 0..7 */
    bool has_id;        /* the partial frame has an ID */
    uint64_t null_bytes; /* padding made */
};

void formatter_reset(struct formatter *f);

/*
 * formatter_push: format @n bytes of source @id (0x01..0x7f).
 * @out: room for whole frames, @room bytes.  @made: out, the bytes of whole
 * frames written there, a multiple of 16.  What does not fill a frame waits in
 * @f.
 * returns: the number of bytes taken: @n, or fewer when @room ran out.
 */
size_t formatter_push(struct formatter *f, uint8_t id, const uint8_t *bytes,
                      size_t n, uint8_t *out, size_t room, size_t *made);

/*
 * formatter_pad: end a partial frame with null (ID 0) data so that all that
 * was pushed leaves.  After it the next push announces its ID anew.
 * @out: room for one frame.
 * returns: bytes made: 16, or 0 when nothing waited.
 */
size_t formatter_pad(struct formatter *f, uint8_t out[FORMATTER_FRAME]);

/*
 * formatter_raw: bypass mode: as formatter_push() but the bytes go out as
 * they are, in blocks of 16.  One formatter is used in one mode only between
 * two resets or ends.
 */
size_t formatter_raw(struct formatter *f, uint8_t id, const uint8_t *bytes,
                     size_t n, uint8_t *out, size_t room, size_t *made);

/*
 * formatter_raw_end: the stop sequence of bypass mode: a byte 0x01, then zeros
 * to the end of the block.
 * returns: bytes made, always 16.
 */
size_t formatter_raw_end(struct formatter *f, uint8_t out[FORMATTER_FRAME]);

#endif
