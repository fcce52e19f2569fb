/*
 * ETMv4 trace registers, 0x000-0xEFF, declared once.
 * Spec: Arm IHI 0064H.b, 7.3 "Register descriptions"; the management page from
 * 0xF00 is in regs_mgmt.h.
 *
 * Columns: offset, count, stride, flags, reset, writable bits, name, member of
 * struct etm4_regs.  The writable bits are those of the largest unit; what an
 * instance lacks (counters, selectors, ID sizes, ELs) etm4_reg_mask() removes.
 * CHOICE: fields that reset to an UNKNOWN value reset to zero.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_ETM4_REGS_H
#define CSVIRT_MODELS_ETM4_REGS_H

#define ETM4_ABSENT64 (REG_F_ABSENT | REG_F_64)
#define ETM4_ROVOL    (REG_F_RO | REG_F_VOLATILE)
#define ETM4_IDLEVOL  (REG_F_IDLE | REG_F_VOLATILE)

#define ETM4_REGS(X) \
    X(0x004, 1, 4, 0,             0, 0x00000001, TRCPRGCTLR, prgctlr)     \
    X(0x008, 1, 4, REG_F_ABSENT,  0, 0,          TRCPROCSELR, none)       \
    X(0x00c, 1, 4, ETM4_ROVOL,    0, 0,          TRCSTATR, none)          \
    X(0x010, 1, 4, REG_F_IDLE,    0, 0x000008c0, TRCCONFIGR, configr)     \
    X(0x018, 1, 4, REG_F_ABSENT,  0, 0,          TRCAUXCTLR, none)        \
    X(0x020, 1, 4, REG_F_IDLE,    0, 0x0000009f, TRCEVENTCTL0R, eventctl0r) \
    X(0x024, 1, 4, REG_F_IDLE,    0, 0x00000001, TRCEVENTCTL1R, eventctl1r) \
    X(0x028, 1, 4, REG_F_ABSENT,  0, 0,          TRCRSR, none)            \
    X(0x02c, 1, 4, REG_F_ABSENT,  0, 0,          TRCSTALLCTLR, none)      \
    X(0x030, 1, 4, REG_F_IDLE,    0, 0x0000009f, TRCTSCTLR, tsctlr)       \
    X(0x034, 1, 4, REG_F_IDLE,    0, 0x0000001f, TRCSYNCPR, syncpr)       \
    X(0x038, 1, 4, REG_F_ABSENT,  0, 0,          TRCCCCTLR, none)         \
    X(0x03c, 1, 4, REG_F_ABSENT,  0, 0,          TRCBBCTLR, none)         \
    X(0x040, 1, 4, REG_F_IDLE,    0, 0x0000007f, TRCTRACEIDR, traceidr)   \
    X(0x044, 1, 4, REG_F_ABSENT,  0, 0,          TRCQCTLR, none)          \
    X(0x080, 1, 4, REG_F_IDLE,    0, 0x00ff069f, TRCVICTLR, victlr)       \
    X(0x084, 1, 4, REG_F_ABSENT,  0, 0,          TRCVIIECTLR, none)       \
    X(0x088, 1, 4, REG_F_ABSENT,  0, 0,          TRCVISSCTLR, none)       \
    X(0x08c, 1, 4, REG_F_ABSENT,  0, 0,          TRCVIPCSSCTLR, none)     \
    X(0x0a0, 1, 4, REG_F_ABSENT,  0, 0,          TRCVDCTLR, none)         \
    X(0x0a4, 1, 4, REG_F_ABSENT,  0, 0,          TRCVDSACCTLR, none)      \
    X(0x0a8, 1, 4, REG_F_ABSENT,  0, 0,          TRCVDARCCTLR, none)      \
    X(0x100, 3, 4, REG_F_ABSENT,  0, 0,          TRCSEQEVR, none)         \
    X(0x118, 1, 4, REG_F_ABSENT,  0, 0,          TRCSEQRSTEVR, none)      \
    X(0x11c, 1, 4, REG_F_ABSENT,  0, 0,          TRCSEQSTR, none)         \
    X(0x120, 1, 4, REG_F_ABSENT,  0, 0,          TRCEXTINSELR, none)      \
    X(0x140, 4, 4, REG_F_IDLE,    0, 0x0000ffff, TRCCNTRLDVR, cntrldvr)   \
    X(0x150, 4, 4, REG_F_IDLE,    0, 0x00039f9f, TRCCNTCTLR, cntctlr)     \
    X(0x160, 4, 4, ETM4_IDLEVOL,  0, 0x0000ffff, TRCCNTVR, cntvr)         \
    X(0x180, 6, 4, REG_F_RO,      0, 0,          TRCIDR8, none)           \
    X(0x1c0, 8, 4, REG_F_ABSENT,  0, 0,          TRCIMSPEC, none)         \
    X(0x1e0, 8, 4, REG_F_RO,      0, 0,          TRCIDR0, none)           \
    X(0x200, 32, 4, REG_F_IDLE,   0, 0x003fffff, TRCRSCTLR, rsctlr)       \
    X(0x280, 8, 4, REG_F_ABSENT,  0, 0,          TRCSSCCR, none)          \
    X(0x2a0, 8, 4, REG_F_ABSENT,  0, 0,          TRCSSCSR, none)          \
    X(0x2c0, 8, 4, REG_F_ABSENT,  0, 0,          TRCSSPCICR, none)        \
    X(0x300, 1, 4, REG_F_WO,      0, 0x00000001, TRCOSLAR, none)          \
    X(0x304, 1, 4, ETM4_ROVOL,    0, 0,          TRCOSLSR, none)          \
    X(0x310, 1, 4, 0,             0, 0x00000008, TRCPDCR, pdcr)           \
    X(0x314, 1, 4, ETM4_ROVOL,    0, 0,          TRCPDSR, none)           \
    X(0x400, 16, 8, ETM4_ABSENT64, 0, 0,         TRCACVR, none)           \
    X(0x480, 16, 8, ETM4_ABSENT64, 0, 0,         TRCACATR, none)          \
    X(0x500, 8, 16, ETM4_ABSENT64, 0, 0,         TRCDVCVR, none)          \
    X(0x580, 8, 16, ETM4_ABSENT64, 0, 0,         TRCDVCMR, none)          \
    X(0x600, 8, 8, ETM4_ABSENT64, 0, 0,          TRCCIDCVR, none)         \
    X(0x640, 8, 8, ETM4_ABSENT64, 0, 0,          TRCVMIDCVR, none)        \
    X(0x680, 2, 4, REG_F_ABSENT,  0, 0,          TRCCIDCCTLR, none)       \
    X(0x688, 2, 4, REG_F_ABSENT,  0, 0,          TRCVMIDCCTLR, none)

enum {
#define X(off, count, stride, flags, reset, mask, name, member) name = (off),
    ETM4_REGS(X)
#undef X
};

/* Fields: lowest bit, width (see bits.h) or a mask. */
#define TRCPRGCTLR_EN          (1u << 0)
#define TRCSTATR_IDLE          (1u << 0)
#define TRCSTATR_PMSTABLE      (1u << 1)
#define TRCCONFIGR_CID         (1u << 6)
#define TRCCONFIGR_VMID        (1u << 7)
#define TRCCONFIGR_TS          (1u << 11)
#define TRCEVENTCTL1R_INSTEN0  (1u << 0)
#define TRCSYNCPR_PERIOD_MIN   8u
#define TRCSYNCPR_PERIOD_MAX   20u
#define TRCVICTLR_EVENT        0, 8
#define TRCVICTLR_SSSTATUS     (1u << 9)
#define TRCVICTLR_TRCRESET     (1u << 10)
#define TRCVICTLR_EXLEVEL_S    16, 4
#define TRCVICTLR_EXLEVEL_NS   20, 4
#define TRCCNTCTLR_CNTEVENT    0, 8
#define TRCCNTCTLR_RLDEVENT    8, 8
#define TRCCNTCTLR_RLDSELF     (1u << 16)
#define TRCCNTCTLR_CNTCHAIN    (1u << 17)
#define TRCRSCTLR_SELECT       0, 16
#define TRCRSCTLR_GROUP        16, 4
#define TRCRSCTLR_INV          (1u << 20)
#define TRCRSCTLR_PAIRINV      (1u << 21)
#define TRCRSCTLR_GROUP_COUNTER 2u
#define TRCEVENT_SEL           0, 5      /* of an 8-bit event selector */
#define TRCEVENT_TYPE_PAIR     (1u << 7)
#define TRCOSLAR_OSLK          (1u << 0)
#define TRCOSLSR_OSLM          (1u << 3) /* 0b010: the unit's own OS lock */
#define TRCOSLSR_OSLK          (1u << 1)
#define TRCPDSR_POWER          (1u << 0)
#define TRCPDSR_STICKYPD       (1u << 1)
#define TRCPDSR_OSLK           (1u << 5)

#endif
