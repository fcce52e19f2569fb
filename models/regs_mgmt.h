/*
 * The CoreSight management registers, declared once.
 * Spec: Arm IHI 0029F, B2.3 "Component and Peripheral ID and management
 * registers".  Columns: offset, count, stride, flags, writable bits, name, note
 * (where it reads as zero, why).
 * Reset values depend on the component: see cs_mgmt_read().
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_REGS_MGMT_H
#define CSVIRT_MODELS_REGS_MGMT_H

#define CS_MGMT_REGS(X) \
    X(0xf00, 1, 4, REG_F_ABSENT, 0, ITCTRL, "no integration mode") \
    X(0xfa0, 1, 4, REG_F_VOLATILE, 0xff, CLAIMSET, NULL) \
    X(0xfa4, 1, 4, REG_F_VOLATILE, 0xff, CLAIMCLR, NULL) \
    X(0xfa8, 1, 4, REG_F_RO, 0, DEVAFF0, \
      "MPIDR_EL1[31:0] of the PE of a trace unit; others belong to none") \
    X(0xfac, 1, 4, REG_F_RO, 0, DEVAFF1, "MPIDR_EL1[63:32], likewise") \
    X(0xfb0, 1, 4, REG_F_WO | REG_F_NOLAR, 0xffffffff, LAR, NULL) \
    X(0xfb4, 1, 4, REG_F_RO | REG_F_VOLATILE, 0, LSR, NULL) \
    X(0xfb8, 1, 4, REG_F_RO, 0, AUTHSTATUS, \
      "a link looks at no authentication signals") \
    X(0xfbc, 1, 4, REG_F_RO, 0, DEVARCH, \
      "PRESENT = 0: no architecture, see the part number") \
    X(0xfc0, 1, 4, REG_F_RO, 0, DEVID2, "no component here uses it") \
    X(0xfc4, 1, 4, REG_F_RO, 0, DEVID1, "no component here uses it") \
    X(0xfc8, 1, 4, REG_F_RO, 0, DEVID, "a trace unit says all in TRCIDRn") \
    X(0xfcc, 1, 4, REG_F_RO, 0, DEVTYPE, NULL) \
    X(0xfd0, 4, 4, REG_F_RO, 0, PIDR4, "PIDR5 to PIDR7 are reserved") \
    X(0xfe0, 4, 4, REG_F_RO, 0, PIDR0, "PIDR3: as designed, not modified") \
    X(0xff0, 4, 4, REG_F_RO, 0, CIDR0, NULL)

enum {
#define X(off, count, stride, flags, mask, name, note) CS_##name = (off),
    CS_MGMT_REGS(X)
#undef X
};

/*
 * Fields of the ID registers that each component has, and the test that looks
 * at them: register, lowest bit, width, name, file below tests/, a case in it.
 * Those that differ are in X_ID_FIELDS of each block.
 */
#define T_MGMT "models/regs-test.c"
#define CS_ID_FIELDS(M) \
    M(CS_PIDR0, 0, 8, "PART_0", T_MGMT, "reset values, read while locked") \
    M(CS_PIDR0 + 4, 0, 4, "PART_1", T_MGMT, \
      "reset values, read while locked") \
    M(CS_PIDR0 + 4, 4, 4, "DES_0", T_MGMT, \
      "reset values, read while locked") \
    M(CS_PIDR0 + 8, 0, 3, "DES_1", T_MGMT, \
      "reset values, read while locked") \
    M(CS_PIDR0 + 8, 3, 1, "JEDEC", T_MGMT, \
      "reset values, read while locked") \
    M(CS_PIDR0 + 8, 4, 4, "REVISION", T_MGMT, \
      "reset values, read while locked") \
    M(CS_PIDR4, 0, 4, "DES_2", T_MGMT, "reset values, read while locked") \
    M(CS_CIDR0, 0, 8, "PRMBL_0", T_MGMT, "reset values, read while locked") \
    M(CS_CIDR0 + 4, 4, 4, "CLASS", T_MGMT, \
      "reset values, read while locked") \
    M(CS_CIDR0 + 8, 0, 8, "PRMBL_2", T_MGMT, \
      "reset values, read while locked") \
    M(CS_CIDR0 + 12, 0, 8, "PRMBL_3", T_MGMT, \
      "reset values, read while locked")

#define CS_LAR_KEY      0xc5acce55u
#define CS_LSR_SLI      (1u << 0)    /* software lock implemented */
#define CS_LSR_SLK      (1u << 1)    /* locked */

#endif
