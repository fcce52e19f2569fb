/*
 * QEMU device "csvirt-etm4": an ETMv4 trace unit of one CPU.
 *
 * QEMU interface:
 *  - sysbus MMIO region 0: the 4 KiB register page
 *  - property "cpu": index of the CPU that it traces
 *  - properties of struct etm4_params (models/etm4.h), 0 or unset: default
 *  - interface TYPE_CSVIRT_ATB: one output
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_HW_ETM4_QOM_H
#define CSVIRT_HW_ETM4_QOM_H

#include "qom/object.h"
#include "hw/qdev-core.h"

#define TYPE_CSVIRT_ETM4 "csvirt-etm4"

/*
 * csvirt_etm_regs: a register of the unit as a debugger would read it.
 * returns: false when @dev is no trace unit or has no such register.
 */
bool csvirt_etm_regs(DeviceState *dev, uint32_t off, uint32_t *val);
/* The index of the CPU that @dev traces. */
unsigned csvirt_etm_cpu(DeviceState *dev);

#endif
