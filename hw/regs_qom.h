/*
 * Register access shared by the devices: the log line for an access that the
 * model did not take as it was meant.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_HW_REGS_QOM_H
#define CSVIRT_HW_REGS_QOM_H

#include "exec/memory.h"
#include "hw/qdev-core.h"
#include "migration/vmstate.h"
#include "models/regs.h"

#define CSVIRT_PAGE 0x1000u     /* bytes of a component's register page */

/*
 * csvirt_reg_log: tell the log (-d guest_errors,unimp) about an access.
 * @table/@n: the block's own registers; offsets 0xf00-0xfff are looked up in
 * the shared management table.  @off: byte offset in the page.  @val: the
 * value written, ignored for reads.  REG_OK makes no line.
 */
void csvirt_reg_log(DeviceState *dev, const struct reg_desc *table, size_t n,
                    hwaddr off, bool write, uint64_t val,
                    enum reg_result result);

/*
 * csvirt_reg_size_ok: a word-aligned 32-bit access.  Anything else is logged
 * here as REG_SIZE and reads as zero, writes are ignored.
 */
bool csvirt_reg_size_ok(DeviceState *dev, const struct reg_desc *table,
                        size_t n, hwaddr off, unsigned size, bool write,
                        uint64_t val);

/* the changing part of struct cs_mgmt, for VMSTATE_STRUCT */
extern const VMStateDescription vmstate_csvirt_mgmt;

/* All sizes reach the device so that it can log them (1, 2, 4 and 8 bytes). */
#define CSVIRT_REG_SIZES \
    .endianness = DEVICE_LITTLE_ENDIAN, \
    .valid = { .min_access_size = 1, .max_access_size = 8, \
               .unaligned = true }, \
    .impl = { .min_access_size = 1, .max_access_size = 8, \
              .unaligned = true }

#endif
