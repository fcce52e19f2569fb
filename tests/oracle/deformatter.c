/*
 * Independent formatter reader.  Spec: Arm IHI 0029F, D4.2: bytes 0, 2, ...
 * 14 carry an ID (bit 0 set) or data (bit 0 in the auxiliary byte 15); odd
 * bytes carry data only; the auxiliary bit of an ID says whether the odd byte
 * after it still belongs to the ID before.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "deformatter.h"

void deformatter_init(struct deformatter *d)
{
    d->id = DEFORMATTER_NO_ID;
}

int deformatter_frame(struct deformatter *d, const uint8_t frame[16],
                      struct deformatted out[15])
{
    const unsigned aux = frame[15];
    uint8_t current = d->id;
    int made = 0;

    for (int pair = 0; pair < 8; pair++) {
        const unsigned flag = aux >> pair & 1;
        const uint8_t even = frame[2 * pair];
        const int has_odd = pair != 7;

        if ((even & 1) == 0) {
            out[made].id = current;
            out[made++].byte = (uint8_t)(even | flag);
            if (has_odd) {
                out[made].id = current;
                out[made++].byte = frame[2 * pair + 1];
            }
            continue;
        }
        if (!has_odd) {
            if (flag) {
                return -1;
            }
            current = even >> 1;
            continue;
        }
        if (!flag) {
            current = even >> 1;
        }
        out[made].id = current;
        out[made++].byte = frame[2 * pair + 1];
        current = even >> 1;
    }
    d->id = current;
    return made;
}
