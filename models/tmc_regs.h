/*
 * TMC registers (ETR), declared once, sorted by offset.
 * Spec: Arm DDI 0461B, chapter 3; SoC-600 differences: Arm 100806, chapter
 * 9.  X, a register: offset, flags, reset, writable bits, name, note.  A, one
 * of the manual's map that is absent: offset, name, why.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_TMC_REGS_H
#define CSVIRT_MODELS_TMC_REGS_H

#define TMC_ROVOL   (REG_F_RO | REG_F_VOLATILE)
#define TMC_IDLEVOL (REG_F_IDLE | REG_F_VOLATILE)

#define TMC_REGS(X, A) \
    X(0x004, REG_F_IDLE, 0, 0x7fffffff, RSZ, NULL) \
    X(0x00c, REG_F_VOLATILE, 0x0000000c, 0x00000021, STS, NULL) \
    X(0x010, TMC_ROVOL, 0xffffffff, 0, RRD, \
      "says \"no data\": the buffer is read from memory") \
    X(0x014, TMC_IDLEVOL, 0, 0xfffffff0, RRP, NULL) \
    X(0x018, TMC_IDLEVOL, 0, 0xfffffff0, RWP, NULL) \
    X(0x01c, TMC_IDLEVOL, 0, 0xffffffff, TRG, NULL) \
    X(0x020, REG_F_VOLATILE, 0, 0x00000001, CTL, NULL) \
    A(0x024, RWD, "no writes to the buffer by registers") \
    X(0x028, REG_F_IDLE, 0, 0, MODE, "0, circular buffer: the one mode") \
    X(0x02c, TMC_ROVOL, 0, 0, LBUFLEVEL, NULL) \
    X(0x030, TMC_ROVOL, 0, 0, CBUFLEVEL, NULL) \
    X(0x034, REG_F_IDLE, 0, 0x7fffffff, BUFWM, \
      "kept; of use in FIFO modes only") \
    X(0x038, TMC_IDLEVOL, 0, 0x000fffff, RRPHI, "DEVID.AXIAW") \
    X(0x03c, TMC_IDLEVOL, 0, 0x000fffff, RWPHI, "DEVID.AXIAW") \
    X(0x110, REG_F_IDLE, 0, 0x000f0f3f, AXICTL, \
      "DEVID.NOSCAT = 1: no ScatterGatherMode; attributes are kept") \
    X(0x118, REG_F_IDLE, 0, 0xfffffff0, DBALO, NULL) \
    X(0x11c, REG_F_IDLE, 0, 0x000fffff, DBAHI, "DEVID.AXIAW") \
    X(0x300, TMC_ROVOL, 0x00000002, 0, FFSR, NULL) \
    X(0x304, REG_F_VOLATILE, 0, 0x00003773, FFCR, NULL) \
    X(0x308, REG_F_IDLE, 0x0000000a, 0x0000001f, PSCR, \
      "kept; sources synchronize by themselves") \
    A(0xed0, ITATBMDATA0, "DEVID.CONFIGTYPE is ETR: of an ETF") \
    A(0xed4, ITATBMCTR2, "DEVID.CONFIGTYPE is ETR: of an ETF") \
    A(0xed8, ITATBMCTR1, "DEVID.CONFIGTYPE is ETR: of an ETF") \
    A(0xedc, ITATBMCTR0, "DEVID.CONFIGTYPE is ETR: of an ETF") \
    A(0xee0, ITMISCOP0, "no integration mode") \
    A(0xee8, ITTRFLIN, "no integration mode") \
    A(0xeec, ITATBDATA0, "no integration mode") \
    A(0xef0, ITATBCTR2, "no integration mode") \
    A(0xef4, ITATBCTR1, "no integration mode") \
    A(0xef8, ITATBCTR0, "no integration mode")

enum {
#define X(off, flags, reset, mask, name, note) TMC_##name = (off),
#define A(off, name, note) TMC_##name = (off),
    TMC_REGS(X, A)
#undef A
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

/* Fields of ID registers, as in CS_ID_FIELDS; for the default ETR. */
#define T_TMC "models/tmc-registers-test.c"
#define TMC_ID_FIELDS(M) \
    M(CS_AUTHSTATUS, 0, 2, "NSID", T_TMC, "AUTHSTATUS[1:0]") \
    M(CS_AUTHSTATUS, 2, 2, "NSNID", T_TMC, "AUTHSTATUS[3:2]") \
    M(CS_DEVID, 6, 2, "CONFIGTYPE", T_TMC, "DEVID: ETR, 64-bit memory") \
    M(CS_DEVID, 8, 3, "MEMWIDTH", T_TMC, "addresses are whole memory words") \
    M(CS_DEVID, 16, 1, "AXIAW_VALID", T_TMC, \
      "writable bits of each register") \
    M(CS_DEVID, 17, 7, "AXIAW", T_TMC, "writable bits of each register") \
    M(CS_DEVID, 24, 1, "NOSCAT", T_TMC, "writable bits of each register") \
    M(CS_DEVTYPE, 0, 8, "SUB, MAJOR", T_TMC, "DEVTYPE: sink, buffer")

#endif
