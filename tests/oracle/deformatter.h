/*
 * Independent reader of the CoreSight formatter protocol: 16-byte frames to
 * (ID, byte) pairs.  Written from Arm IHI 0029F, D4.2 alone; shares nothing
 * with the models.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_TESTS_DEFORMATTER_H
#define CSVIRT_TESTS_DEFORMATTER_H

#include <stddef.h>
#include <stdint.h>

#define DEFORMATTER_NO_ID 0x80     /* no ID seen yet */

struct deformatter {
    uint8_t id;                    /* ID in force at the next frame */
};

struct deformatted {
    uint8_t id;
    uint8_t byte;
};

void deformatter_init(struct deformatter *d);

/*
 * deformatter_frame: take one frame apart.
 * @frame: 16 bytes.  @out: room for 15 pairs, in stream order; bytes before
 * the first ID carry DEFORMATTER_NO_ID.
 * returns: the number of pairs, or -1 when the frame breaks a rule of D4.2
 * (the auxiliary bit of byte 14 set while that byte is an ID).
 */
int deformatter_frame(struct deformatter *d, const uint8_t frame[16],
                      struct deformatted out[15]);

#endif
