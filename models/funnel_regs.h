/*
 * Funnel registers, declared once.
 * Spec: Arm DDI 0480G, ATB funnel register descriptions.  X, a register:
 * offset, flags, reset, writable bits, name, note.  A, one of the manual's map
 * that is absent: offset, name, why.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_FUNNEL_REGS_H
#define CSVIRT_MODELS_FUNNEL_REGS_H

#define FUNNEL_REGS(X, A) \
    X(0x000, 0, 0x00000300, 0x00000fff, FUNCTL, \
      "EnS; the hold time is kept and has no effect") \
    X(0x004, 0, 0x00fac688, 0x00ffffff, PRICTL, \
      "kept: a chunk passes at once") \
    A(0xeec, ITATBDATA0, "no integration mode") \
    A(0xef0, ITATBCTR2, "no integration mode") \
    A(0xef4, ITATBCTR1, "no integration mode") \
    A(0xef8, ITATBCTR0, "no integration mode")

enum {
#define X(off, flags, reset, mask, name, note) FUNNEL_##name = (off),
#define A(off, name, note) FUNNEL_##name = (off),
    FUNNEL_REGS(X, A)
#undef A
#undef X
};

#define FUNNEL_FUNCTL_HT 8, 4    /* hold time */

/* Fields of ID registers, as in CS_ID_FIELDS. */
#define T_FUNNEL "models/funnel-test.c"
#define FUNNEL_ID_FIELDS(M) \
    M(CS_DEVID, 0, 4, "PORTCOUNT", T_FUNNEL, "DEVID: eight ports") \
    M(CS_DEVID, 4, 4, "SCHEME", T_FUNNEL, "PRICTL reads back") \
    M(CS_DEVTYPE, 0, 8, "SUB, MAJOR", T_FUNNEL, "DEVTYPE: link, funnel")

#endif
