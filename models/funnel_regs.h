/*
 * Funnel registers, declared once.  Spec: Arm DDI 0480G, ATB funnel register
 * descriptions.  Columns: offset, flags, reset, writable bits, name.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_FUNNEL_REGS_H
#define CSVIRT_MODELS_FUNNEL_REGS_H

#define FUNNEL_REGS(X)                                       \
    X(0x000, 0,            0x00000300, 0x00000fff, FUNCTL)   \
    X(0x004, 0,            0x00fac688, 0x00ffffff, PRICTL)   \
    X(0xeec, REG_F_ABSENT, 0x00000000, 0x00000000, ITATBDATA0) \
    X(0xef0, REG_F_ABSENT, 0x00000000, 0x00000000, ITATBCTR2) \
    X(0xef4, REG_F_ABSENT, 0x00000000, 0x00000000, ITATBCTR1) \
    X(0xef8, REG_F_ABSENT, 0x00000000, 0x00000000, ITATBCTR0)

enum {
#define X(off, flags, reset, mask, name) FUNNEL_##name = (off),
    FUNNEL_REGS(X)
#undef X
};

#define FUNNEL_FUNCTL_HT 8, 4    /* hold time */

#endif
