/*
 * Migration state of a trace unit (models/etm4_state.h).
 *
 * The PE's buffer is not in it: the machine drains all units when it stops.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_HW_ETM4_VMSTATE_H
#define CSVIRT_HW_ETM4_VMSTATE_H

#include "migration/vmstate.h"
#include "models/etm4.h"

extern const VMStateDescription vmstate_csvirt_etm4_unit;

/*
 * etm4_state_valid: can a unit be in this state?  For post_load: a damaged
 * stream must not make the encoder write out of bounds.
 */
bool etm4_state_valid(const struct etm4 *e);

#endif
