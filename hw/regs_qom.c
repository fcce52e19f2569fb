/*
 * Register access shared by the devices: log lines and the state of the
 * CoreSight management page.  Spec: Arm IHI 0029F, part B2.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qom/object.h"
#include "regs_qom.h"

#define MGMT_BASE 0xf00u

/* "TRCCNTVR1", and of an absent one what says that it is */
static char *reg_name(const struct reg_desc *table, size_t n, hwaddr off)
{
    const struct reg_desc *d;
    unsigned index = 0;
    uint32_t word = off & (CSVIRT_PAGE - 4);
    char name[REG_NAME_MAX];

    if (word >= MGMT_BASE) {
        table = cs_mgmt_table(&n);
    }
    d = regs_find(table, n, word, &index);
    if (!d) {
        return g_strdup("no register");
    }
    regs_name(d, index, name);
    return d->flags & REG_F_ABSENT
           ? g_strdup_printf("%s (%s)", name, d->note)
           : g_strdup(name);
}

void csvirt_reg_log(DeviceState *dev, const struct reg_desc *table, size_t n,
                    hwaddr off, bool write, uint64_t val,
                    enum reg_result result)
{
    int mask = result == REG_RES0 ? LOG_UNIMP : LOG_GUEST_ERROR;
    g_autofree char *reg = NULL;
    const char *dev_name;

    if (result == REG_OK || !qemu_loglevel_mask(mask)) {
        return;
    }
    reg = reg_name(table, n, off);
    dev_name = object_get_canonical_path_component(OBJECT(dev));
    if (write) {
        qemu_log_mask(mask, "csvirt: %s: write of 0x%" PRIx64
                      " to %s (offset 0x%" PRIx64 "): %s\n", dev_name, val,
                      reg, (uint64_t)off, reg_result_text(result));
    } else {
        qemu_log_mask(mask, "csvirt: %s: read of %s (offset 0x%" PRIx64
                      "): %s\n", dev_name, reg, (uint64_t)off,
                      reg_result_text(result));
    }
}

bool csvirt_reg_size_ok(DeviceState *dev, const struct reg_desc *table,
                        size_t n, hwaddr off, unsigned size, bool write,
                        uint64_t val)
{
    if (size == 4 && off % 4 == 0) {
        return true;
    }
    csvirt_reg_log(dev, table, n, off, write, val, REG_SIZE);
    return false;
}

const VMStateDescription vmstate_csvirt_mgmt = {
    .name = "csvirt-mgmt",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(claim, struct cs_mgmt),
        VMSTATE_BOOL(locked, struct cs_mgmt),
        VMSTATE_END_OF_LIST()
    },
};
