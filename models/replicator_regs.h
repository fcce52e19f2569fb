/*
 * Replicator registers, declared once.
 * Spec: Arm DDI 0480G, ATB replicator register descriptions.  X, a register:
 * offset, flags, reset, writable bits, name, note.  A, one of the manual's map
 * that is absent: offset, name, why.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_REPLICATOR_REGS_H
#define CSVIRT_MODELS_REPLICATOR_REGS_H

#define REPLICATOR_REGS(X, A) \
    X(0x000, 0, 0, 0x000000ff, IDFILTER0, NULL) \
    X(0x004, 0, 0, 0x000000ff, IDFILTER1, NULL) \
    A(0xef8, ITATBCTR1, "no integration mode") \
    A(0xefc, ITATBCTR0, "no integration mode")

enum {
#define X(off, flags, reset, mask, name, note) REPLICATOR_##name = (off),
#define A(off, name, note) REPLICATOR_##name = (off),
    REPLICATOR_REGS(X, A)
#undef A
#undef X
};

/* Fields of ID registers, as in CS_ID_FIELDS. */
#define T_REPLICATOR "models/replicator-test.c"
#define REPLICATOR_ID_FIELDS(M) \
    M(CS_DEVID, 0, 4, "PORTNUM", T_REPLICATOR, "and counted per output") \
    M(CS_DEVTYPE, 0, 8, "SUB, MAJOR", T_REPLICATOR, \
      "DEVTYPE: link, replicator")

#endif
