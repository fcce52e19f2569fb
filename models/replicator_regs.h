/*
 * Replicator registers, declared once.  Spec: Arm DDI 0480G, ATB replicator
 * register descriptions.  Columns: offset, flags, reset, writable bits, name.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_REPLICATOR_REGS_H
#define CSVIRT_MODELS_REPLICATOR_REGS_H

#define REPLICATOR_REGS(X)                                    \
    X(0x000, 0,            0x00000000, 0x000000ff, IDFILTER0) \
    X(0x004, 0,            0x00000000, 0x000000ff, IDFILTER1) \
    X(0xef8, REG_F_ABSENT, 0x00000000, 0x00000000, ITATBCTR1) \
    X(0xefc, REG_F_ABSENT, 0x00000000, 0x00000000, ITATBCTR0)

enum {
#define X(off, flags, reset, mask, name) REPLICATOR_##name = (off),
    REPLICATOR_REGS(X)
#undef X
};

#endif
