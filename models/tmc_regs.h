/*
 * TMC registers (ETR), declared once, sorted by offset.
 * Spec: Arm DDI 0461B, chapter 3; SoC-600 differences: Arm 100806, chapter
 * 9.  Columns: offset, flags, reset, writable bits, name.  REG_F_ABSENT:
 * known to the manual and not modelled (integration mode, RWD).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_TMC_REGS_H
#define CSVIRT_MODELS_TMC_REGS_H

#define TMC_REGS(X)                                                          \
    X(0x004, REG_F_IDLE,                0x00000000, 0x7fffffff, RSZ)         \
    X(0x00c, REG_F_VOLATILE,            0x0000000c, 0x00000021, STS)         \
    X(0x010, REG_F_RO | REG_F_VOLATILE, 0xffffffff, 0x00000000, RRD)         \
    X(0x014, REG_F_IDLE | REG_F_VOLATILE, 0, 0xfffffff0, RRP)                \
    X(0x018, REG_F_IDLE | REG_F_VOLATILE, 0, 0xfffffff0, RWP)                \
    X(0x01c, REG_F_IDLE | REG_F_VOLATILE, 0, 0xffffffff, TRG)                \
    X(0x020, REG_F_VOLATILE,            0x00000000, 0x00000001, CTL)         \
    X(0x024, REG_F_ABSENT,              0x00000000, 0x00000000, RWD)         \
    X(0x028, REG_F_IDLE,                0x00000000, 0x00000000, MODE)        \
    X(0x02c, REG_F_RO | REG_F_VOLATILE, 0x00000000, 0x00000000, LBUFLEVEL)   \
    X(0x030, REG_F_RO | REG_F_VOLATILE, 0x00000000, 0x00000000, CBUFLEVEL)   \
    X(0x034, REG_F_IDLE,                0x00000000, 0x7fffffff, BUFWM)       \
    X(0x038, REG_F_IDLE | REG_F_VOLATILE, 0, 0x000fffff, RRPHI)              \
    X(0x03c, REG_F_IDLE | REG_F_VOLATILE, 0, 0x000fffff, RWPHI)              \
    X(0x110, REG_F_IDLE,                0x00000000, 0x000f0f3f, AXICTL)      \
    X(0x118, REG_F_IDLE,                0x00000000, 0xfffffff0, DBALO)       \
    X(0x11c, REG_F_IDLE,                0x00000000, 0x000fffff, DBAHI)       \
    X(0x300, REG_F_RO | REG_F_VOLATILE, 0x00000002, 0x00000000, FFSR)        \
    X(0x304, REG_F_VOLATILE,            0x00000000, 0x00003773, FFCR)        \
    X(0x308, REG_F_IDLE,                0x0000000a, 0x0000001f, PSCR)        \
    X(0xee0, REG_F_ABSENT,              0x00000000, 0x00000000, ITMISCOP0)   \
    X(0xee8, REG_F_ABSENT,              0x00000000, 0x00000000, ITTRFLIN)    \
    X(0xeec, REG_F_ABSENT,              0x00000000, 0x00000000, ITATBDATA0)  \
    X(0xef0, REG_F_ABSENT,              0x00000000, 0x00000000, ITATBCTR2)   \
    X(0xef4, REG_F_ABSENT,              0x00000000, 0x00000000, ITATBCTR1)   \
    X(0xef8, REG_F_ABSENT,              0x00000000, 0x00000000, ITATBCTR0)

enum {
#define X(off, flags, reset, mask, name) TMC_##name = (off),
    TMC_REGS(X)
#undef X
};

#define TMC_STS_FULL        (1u << 0)
#define TMC_STS_TRIGGERED   (1u << 1)
#define TMC_STS_TMCREADY    (1u << 2)
#define TMC_STS_FTEMPTY     (1u << 3)
#define TMC_STS_EMPTY       (1u << 4)
#define TMC_STS_MEMERR      (1u << 5)

#define TMC_CTL_CAPTEN      (1u << 0)

#define TMC_FFSR_FLINPROG   (1u << 0)
#define TMC_FFSR_FTSTOPPED  (1u << 1)

#define TMC_FFCR_ENFT       (1u << 0)
#define TMC_FFCR_ENTI       (1u << 1)
#define TMC_FFCR_FONFLIN    (1u << 4)
#define TMC_FFCR_FONTRIGEVT (1u << 5)
#define TMC_FFCR_FLUSHMAN   (1u << 6)
#define TMC_FFCR_TRIGONTRIGIN  (1u << 8)
#define TMC_FFCR_TRIGONTRIGEVT (1u << 9)
#define TMC_FFCR_TRIGONFL   (1u << 10)
#define TMC_FFCR_STOPONFL   (1u << 12)
#define TMC_FFCR_STOPONTRIGEVT (1u << 13)

/* AXICTL[19:16], the read cache attributes, exists in SoC-600 only. */
#define TMC_AXICTL_ARCACHE  0x000f0000u

#define TMC_DEVID_CONFIGTYPE 6, 2
#define TMC_DEVID_MEMWIDTH   8, 3
#define TMC_DEVID_AXIAW_VALID 16, 1
#define TMC_DEVID_AXIAW      17, 7
#define TMC_DEVID_NOSCAT     24, 1
#define TMC_CONFIG_ETR       1u

#endif
