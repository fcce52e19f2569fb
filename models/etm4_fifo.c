/*
 * ETMv4: the byte FIFO between packets and the ATB.
 *
 * Only whole packets are in it, so a chunk never splits one.
 * CHOICE: no overflow: a full FIFO is pushed at once, and every receiver takes
 * or drops a chunk whole (see atb.h), so Overflow packets never occur.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "etm4_internal.h"

/* ATIDs that carry trace; IHI 0029F, D4.2.1: 0x00, 0x70-0x7f are reserved */
static bool traceid_ok(uint32_t id)
{
    return id >= 0x01 && id <= 0x6f;
}

void etm4_fifo_push(struct etm4 *e)
{
    uint8_t id = (uint8_t)(e->regs.traceidr & ATB_ID_MAX);
    uint32_t n = e->fifo.fill;

    if (n == 0) {
        return;
    }
    e->fifo.fill = 0;
    e->count.in[id] += n;
    if (!traceid_ok(id)) {
        atb_count_drop(&e->count, id, ATB_DROP_BAD_ID, n);
    } else if (!atb_push(e->out, id, e->fifo.byte, n)) {
        atb_count_drop(&e->count, id, ATB_DROP_NO_PATH, n);
    } else {
        e->pushed += n;
    }
}

void etm4_fifo_clear(struct etm4 *e)
{
    uint8_t id = (uint8_t)(e->regs.traceidr & ATB_ID_MAX);

    e->count.in[id] += e->fifo.fill;
    atb_count_drop(&e->count, id, ATB_DROP_OVERFLOW, e->fifo.fill);
    e->fifo.fill = 0;
}
