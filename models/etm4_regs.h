/*
 * ETMv4 trace registers, 0x000-0xEFF, declared once.
 * Spec: Arm IHI 0064H.b, 7.3 "Register descriptions"; the management page from
 * 0xF00 is in regs_mgmt.h, the fields of the ID registers in etm4_id_fields.h.
 *
 * X, a register: offset, count, stride, flags, reset, writable bits, name,
 * member of struct etm4_regs, note.  The writable bits are those of the largest
 * unit; what an instance lacks (counters, selectors, ID sizes, ELs)
 * etm4_reg_mask() removes.
 * A, one of the manual's map that is absent: offset, count, stride, name, and
 * what says so.
 * CHOICE: fields that reset to an UNKNOWN value reset to zero.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_ETM4_REGS_H
#define CSVIRT_MODELS_ETM4_REGS_H

#define ETM4_ROVOL    (REG_F_RO | REG_F_VOLATILE)
#define ETM4_IDLEVOL  (REG_F_IDLE | REG_F_VOLATILE)
#define ETM4_IDLE64   (REG_F_IDLE | REG_F_64)
/* Absent registers that are 8 bytes or more apart have 64 bits. */
#define ETM4_ABSENT(stride) \
    (REG_F_ABSENT | ((stride) > 4 ? REG_F_64 : 0u))

#define ETM4_REGS(X, A) \
    X(0x004, 1, 4, 0, 0, 0x00000001, TRCPRGCTLR, prgctlr, NULL) \
    A(0x008, 1, 4, TRCPROCSELR, "TRCIDR3.NUMPROC = 0: one PE") \
    X(0x00c, 1, 4, ETM4_ROVOL, 0, 0, TRCSTATR, none, NULL) \
    X(0x010, 1, 4, REG_F_IDLE, 0, 0x000098d8, TRCCONFIGR, configr, NULL) \
    A(0x018, 1, 4, TRCAUXCTLR, "IMPLEMENTATION DEFINED: no auxiliary control") \
    X(0x020, 1, 4, REG_F_IDLE, 0, 0x9f9f9f9f, TRCEVENTCTL0R, eventctl0r, \
      "TRCIDR0.NUMEVENT: a byte for each event") \
    X(0x024, 1, 4, REG_F_IDLE, 0, 0x0000000f, TRCEVENTCTL1R, eventctl1r, \
      "INSTEN only: TRCIDR5.ATBTRIG = 0 and LPOVERRIDE = 0, no data trace") \
    A(0x028, 1, 4, TRCRSR, "TRCDEVARCH.ARCHPART is ETMv4: this is of ETE") \
    A(0x02c, 1, 4, TRCSTALLCTLR, "TRCIDR3.STALLCTL = 0: never stalls the PE") \
    X(0x030, 1, 4, REG_F_IDLE, 0, 0x0000009f, TRCTSCTLR, tsctlr, \
      "absent where TRCIDR0.TSSIZE = 0") \
    X(0x034, 1, 4, REG_F_IDLE, 0, 0x0000001f, TRCSYNCPR, syncpr, NULL) \
    X(0x038, 1, 4, REG_F_IDLE, 0, 0x000fffff, TRCCCCTLR, ccctlr, \
      "TRCIDR2.CCSIZE bits; absent where TRCIDR0.TRCCCI = 0") \
    X(0x03c, 1, 4, REG_F_IDLE, 0, 0x000001ff, TRCBBCTLR, bbctlr, \
      "absent where TRCIDR0.TRCBB = 0") \
    X(0x040, 1, 4, REG_F_IDLE, 0, 0x0000007f, TRCTRACEIDR, traceidr, NULL) \
    A(0x044, 1, 4, TRCQCTLR, "TRCIDR0.QSUPP = 0 and QFILT = 0: no Q elements") \
    X(0x080, 1, 4, ETM4_IDLEVOL, 0, 0x00ff0e9f, TRCVICTLR, victlr, \
      "levels: TRCIDR3.EXLEVEL_NS, EXLEVEL_S") \
    X(0x084, 1, 4, REG_F_IDLE, 0, 0x00ff00ff, TRCVIIECTLR, viiectlr, \
      "absent where TRCIDR4.NUMACPAIRS = 0") \
    X(0x088, 1, 4, REG_F_IDLE, 0, 0xffffffff, TRCVISSCTLR, vissctlr, \
      "absent where TRCIDR4.NUMACPAIRS = 0") \
    A(0x08c, 1, 4, TRCVIPCSSCTLR, "TRCIDR4.NUMPC = 0: no PE comparators") \
    A(0x0a0, 1, 4, TRCVDCTLR, "TRCIDR0.TRCDATA = 0: no data trace") \
    A(0x0a4, 1, 4, TRCVDSACCTLR, "TRCIDR0.TRCDATA = 0: no data trace") \
    A(0x0a8, 1, 4, TRCVDARCCTLR, "TRCIDR0.TRCDATA = 0: no data trace") \
    X(0x100, 3, 4, REG_F_IDLE, 0, 0x00009f9f, TRCSEQEVR, seqevr, \
      "TRCIDR5.NUMSEQSTATE") \
    X(0x118, 1, 4, REG_F_IDLE, 0, 0x0000009f, TRCSEQRSTEVR, seqrstevr, \
      "TRCIDR5.NUMSEQSTATE") \
    X(0x11c, 1, 4, ETM4_IDLEVOL, 0, 0x00000003, TRCSEQSTR, seqstr, \
      "TRCIDR5.NUMSEQSTATE") \
    X(0x120, 1, 4, REG_F_IDLE, 0, 0xffffffff, TRCEXTINSELR, extinselr, \
      "TRCIDR5.NUMEXTINSEL; nothing drives the inputs, all are low") \
    X(0x140, 4, 4, REG_F_IDLE, 0, 0x0000ffff, TRCCNTRLDVR, cntrldvr, \
      "TRCIDR5.NUMCNTR") \
    X(0x150, 4, 4, REG_F_IDLE, 0, 0x00039f9f, TRCCNTCTLR, cntctlr, \
      "TRCIDR5.NUMCNTR") \
    X(0x160, 4, 4, ETM4_IDLEVOL, 0, 0x0000ffff, TRCCNTVR, cntvr, \
      "TRCIDR5.NUMCNTR") \
    X(0x180, 6, 4, REG_F_RO, 0, 0, TRCIDR8, none, \
      "no speculation, no data and no conditional trace: see the fields") \
    X(0x1c0, 1, 4, REG_F_RO, 0, 0, TRCIMSPEC0, none, \
      "SUPPORT = 0: no IMPLEMENTATION SPECIFIC feature") \
    A(0x1c4, 7, 4, TRCIMSPEC1, "TRCIMSPEC0.SUPPORT = 0") \
    X(0x1e0, 8, 4, REG_F_RO, 0, 0, TRCIDR0, none, \
      "TRCIDR6 and TRCIDR7 are reserved") \
    X(0x200, 32, 4, REG_F_IDLE, 0, 0x003fffff, TRCRSCTLR, rsctlr, \
      "TRCIDR4.NUMRSPAIR; 0 and 1 are FALSE and TRUE, without a register") \
    X(0x280, 8, 4, REG_F_IDLE, 0, 0x01ffffff, TRCSSCCR, ssccr, \
      "TRCIDR4.NUMSSCC") \
    X(0x2a0, 8, 4, ETM4_IDLEVOL, 0, 0x80000000, TRCSSCSR, sscsr, \
      "TRCIDR4.NUMSSCC") \
    A(0x2c0, 8, 4, TRCSSPCICR, "TRCIDR4.NUMPC = 0: no PE comparators") \
    X(0x300, 1, 4, REG_F_WO, 0, 0x00000001, TRCOSLAR, none, NULL) \
    X(0x304, 1, 4, ETM4_ROVOL, 0, 0, TRCOSLSR, none, NULL) \
    X(0x310, 1, 4, 0, 0, 0x00000008, TRCPDCR, pdcr, \
      "PU is kept; the power is never off") \
    X(0x314, 1, 4, ETM4_ROVOL, 0, 0, TRCPDSR, none, NULL) \
    X(0x400, 16, 8, ETM4_IDLE64, 0, 0xffffffff, TRCACVR, acvr, \
      "TRCIDR4.NUMACPAIRS") \
    X(0x480, 16, 8, ETM4_IDLE64, 0, 0x0000ff7c, TRCACATR, acatr, \
      "TRCIDR4.NUMACPAIRS") \
    A(0x500, 8, 16, TRCDVCVR, "TRCIDR4.NUMDVC = 0: no data trace") \
    A(0x580, 8, 16, TRCDVCMR, "TRCIDR4.NUMDVC = 0: no data trace") \
    X(0x600, 8, 8, ETM4_IDLE64, 0, 0xffffffff, TRCCIDCVR, cidcvr, \
      "TRCIDR4.NUMCIDC") \
    X(0x640, 8, 8, ETM4_IDLE64, 0, 0xffffffff, TRCVMIDCVR, vmidcvr, \
      "TRCIDR4.NUMVMIDC") \
    X(0x680, 2, 4, REG_F_IDLE, 0, 0x0f0f0f0f, TRCCIDCCTLR0, cidcctlr, \
      "TRCIDR4.NUMCIDC") \
    X(0x688, 2, 4, REG_F_IDLE, 0, 0x0f0f0f0f, TRCVMIDCCTLR0, vmidcctlr, \
      "TRCIDR4.NUMVMIDC")

enum {
#define X(off, count, stride, flags, reset, mask, name, member, note) \
    name = (off),
#define A(off, count, stride, name, note) name = (off),
    ETM4_REGS(X, A)
#undef A
#undef X
};

/* Fields: lowest bit, width (see bits.h) or a mask. */
#define TRCPRGCTLR_EN          (1u << 0)
#define TRCSTATR_IDLE          (1u << 0)
#define TRCSTATR_PMSTABLE      (1u << 1)
#define TRCCONFIGR_BB          (1u << 3)
#define TRCCONFIGR_CCI         (1u << 4)
#define TRCCONFIGR_CID         (1u << 6)
#define TRCCONFIGR_VMID        (1u << 7)
#define TRCCONFIGR_TS          (1u << 11)
#define TRCCONFIGR_RS          (1u << 12)
#define TRCCONFIGR_VMIDOPT     (1u << 15)
#define TRCBBCTLR_RANGE        0, 8
#define TRCBBCTLR_MODE         (1u << 8)     /* 1: include mode */
#define TRCSYNCPR_PERIOD_MIN   8u
#define TRCSYNCPR_PERIOD_MAX   20u
#define TRCVICTLR_EVENT        0, 8
#define TRCVICTLR_SSSTATUS     (1u << 9)
#define TRCVICTLR_TRCRESET     (1u << 10)
#define TRCVICTLR_TRCERR       (1u << 11)
#define TRCVICTLR_EXLEVEL_S    16, 4
#define TRCVICTLR_EXLEVEL_NS   20, 4
#define TRCVIIECTLR_INCLUDE    0, 8
#define TRCVIIECTLR_EXCLUDE    16, 8
#define TRCVISSCTLR_START      0, 16
#define TRCVISSCTLR_STOP       16, 16
#define TRCSEQEVR_F            0, 8
#define TRCSEQEVR_B            8, 8
#define TRCSSCCR_SAC           0, 16
#define TRCSSCCR_ARC           16, 8
#define TRCSSCCR_RST           (1u << 24)
#define TRCSSCSR_STATUS        (1u << 31)
#define TRCSSCSR_INST          (1u << 0)
#define TRCACATR_CONTEXTTYPE   2, 2          /* 1 CID, 2 VMID, 3 both */
#define TRCACATR_CONTEXT       4, 3
#define TRCACATR_EXLEVEL_S     8, 4
#define TRCACATR_EXLEVEL_NS    12, 4
#define TRCCNTCTLR_CNTEVENT    0, 8
#define TRCCNTCTLR_RLDEVENT    8, 8
#define TRCCNTCTLR_RLDSELF     (1u << 16)
#define TRCCNTCTLR_CNTCHAIN    (1u << 17)
#define TRCRSCTLR_SELECT       0, 16
#define TRCRSCTLR_GROUP        16, 4
#define TRCRSCTLR_INV          (1u << 20)
#define TRCRSCTLR_PAIRINV      (1u << 21)
/* TRCRSCTLR.GROUP; 1, PE comparator inputs, is absent. */
#define TRCRSCTLR_GROUP_EXTIN   0u
#define TRCRSCTLR_GROUP_COUNTER 2u       /* SELECT[7:4]: sequencer states */
#define TRCRSCTLR_GROUP_SS      3u
#define TRCRSCTLR_GROUP_SAC     4u
#define TRCRSCTLR_GROUP_ARC     5u
#define TRCRSCTLR_GROUP_CID     6u
#define TRCRSCTLR_GROUP_VMID    7u
#define TRCEVENT_SEL           0, 5      /* of an 8-bit event selector */
#define TRCEVENT_TYPE_PAIR     (1u << 7)
#define TRCOSLAR_OSLK          (1u << 0)
#define TRCOSLSR_OSLM          (1u << 3) /* 0b010: the unit's own OS lock */
#define TRCOSLSR_OSLK          (1u << 1)
#define TRCPDSR_POWER          (1u << 0)
#define TRCPDSR_STICKYPD       (1u << 1)
#define TRCPDSR_OSLK           (1u << 5)

#endif
