/*
 * Which A64 instructions are waypoints: those after which a trace unit sends
 * a P0 element.  IHI 0064H.b, appendix F ("Instruction categories").
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_CLI_A64_H
#define CSVIRT_CLI_A64_H

#include <glib.h>
#include <stdint.h>

/*
 * a64_is_waypoint: B, B.cond, CBZ, CBNZ, TBZ, TBNZ, BL, BR, BLR, RET and
 * their PAC forms, ERET and its, ISB; WFI and WFE if @wfx.
 * in: @wfx: the unit traces those (TRCIDR2.WFXMODE).
 */
gboolean a64_is_waypoint(uint32_t opcode, gboolean wfx);

#endif
