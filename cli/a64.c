/*
 * A64 waypoints, from the encodings in DDI 0487 C4.1 ("Branches, Exception
 * Generating and System instructions").
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "cli/a64.h"

static const struct {
    uint32_t mask, value;
} waypoints[] = {
    { 0x7c000000, 0x14000000 }, /* B, BL */
    { 0xff000000, 0x54000000 }, /* B.cond, BC.cond */
    { 0x7e000000, 0x34000000 }, /* CBZ, CBNZ */
    { 0x7e000000, 0x36000000 }, /* TBZ, TBNZ */
    { 0xfffffc1f, 0xd61f0000 }, /* BR */
    { 0xfffffc1f, 0xd63f0000 }, /* BLR */
    { 0xfffffc1f, 0xd65f0000 }, /* RET */
    { 0xfffff81f, 0xd61f081f }, /* BRAAZ, BRABZ: Rm is 31 */
    { 0xfffff81f, 0xd63f081f }, /* BLRAAZ, BLRABZ */
    { 0xfffffbff, 0xd65f0bff }, /* RETAA, RETAB */
    { 0xfffff800, 0xd71f0800 }, /* BRAA, BRAB */
    { 0xfffff800, 0xd73f0800 }, /* BLRAA, BLRAB */
    { 0xffffffff, 0xd69f03e0 }, /* ERET */
    { 0xfffffbff, 0xd69f0bff }, /* ERETAA, ERETAB */
    { 0xfffff0ff, 0xd50330df }, /* ISB, any option */
};

gboolean a64_is_waypoint(uint32_t opcode, gboolean wfx)
{
    for (size_t i = 0; i < G_N_ELEMENTS(waypoints); i++) {
        if ((opcode & waypoints[i].mask) == waypoints[i].value) {
            return TRUE;
        }
    }
    /* WFE is HINT 2, WFI HINT 3; WFET and WFIT take a register. */
    return wfx && ((opcode & 0xffffffdfu) == 0xd503205fu ||
                   (opcode & 0xffffffc0u) == 0xd5031000u);
}
