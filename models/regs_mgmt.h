/*
 * The CoreSight management registers, declared once.
 * Spec: Arm IHI 0029F, B2.3 "Component and Peripheral ID and management
 * registers".  Columns: offset, count, stride, flags, writable bits, name.
 * Reset values depend on the component: see cs_mgmt_read().
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_REGS_MGMT_H
#define CSVIRT_MODELS_REGS_MGMT_H

#define CS_MGMT_REGS(X)                                                     \
    X(0xf00, 1, 4, REG_F_ABSENT,           0x00000000, ITCTRL)              \
    X(0xfa0, 1, 4, REG_F_VOLATILE,         0x000000ff, CLAIMSET)            \
    X(0xfa4, 1, 4, REG_F_VOLATILE,         0x000000ff, CLAIMCLR)            \
    X(0xfa8, 1, 4, REG_F_RO,               0x00000000, DEVAFF0)             \
    X(0xfac, 1, 4, REG_F_RO,               0x00000000, DEVAFF1)             \
    X(0xfb0, 1, 4, REG_F_WO | REG_F_NOLAR, 0xffffffff, LAR)                 \
    X(0xfb4, 1, 4, REG_F_RO | REG_F_VOLATILE, 0x00000000, LSR)              \
    X(0xfb8, 1, 4, REG_F_RO,               0x00000000, AUTHSTATUS)          \
    X(0xfbc, 1, 4, REG_F_RO,               0x00000000, DEVARCH)             \
    X(0xfc0, 1, 4, REG_F_RO,               0x00000000, DEVID2)              \
    X(0xfc4, 1, 4, REG_F_RO,               0x00000000, DEVID1)              \
    X(0xfc8, 1, 4, REG_F_RO,               0x00000000, DEVID)               \
    X(0xfcc, 1, 4, REG_F_RO,               0x00000000, DEVTYPE)             \
    X(0xfd0, 4, 4, REG_F_RO,               0x00000000, PIDR4)               \
    X(0xfe0, 4, 4, REG_F_RO,               0x00000000, PIDR0)               \
    X(0xff0, 4, 4, REG_F_RO,               0x00000000, CIDR0)

enum {
#define X(off, count, stride, flags, mask, name) CS_##name = (off),
    CS_MGMT_REGS(X)
#undef X
};

#define CS_LAR_KEY      0xc5acce55u
#define CS_LSR_SLI      (1u << 0)    /* software lock implemented */
#define CS_LSR_SLK      (1u << 1)    /* locked */

#endif
