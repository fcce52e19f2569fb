/*
 * The fields of a trace unit's ID registers, declared once: what TRCIDRn read
 * (etm4_id.c), and for docs/registers.md the test that uses what is advertised.
 * Spec: Arm IHI 0064H.b, 7.3, TRCIDR0 to TRCIDR13; 7.4 for the others.
 *
 * F: register, lowest bit, width, name, value (p: struct etm4_params), file
 * below tests/, a case in it.
 * Z: register, lowest bit, width, name, why it is always zero.
 * M, of the management page: register, lowest bit, width, name, file, case.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_ETM4_ID_FIELDS_H
#define CSVIRT_MODELS_ETM4_ID_FIELDS_H

#include "etm4_regs.h"
#include "regs_mgmt.h"

#define IDR(n) ((n) < 8 ? TRCIDR0 + 4 * (n) : TRCIDR8 + 4 * ((n) - 8))

#define T_REGS    "models/etm4-registers-test.c"
#define T_FEAT    "models/etm4-features-test.c"
#define T_SIZES   "models/etm4-sizes-test.c"
#define T_RANGES  "models/etm4-ranges-test.c"
#define T_PACKETS "models/etm4-packets-test.c"
#define T_JUDGED  "models/etm4-opencsd-test.c"
#define T_CYCLES  "models/etm4-resources-test.c"

#define ETM4_ID_FIELDS(F, Z) \
    F(IDR(0), 0, 1, "RES1", 1u, T_REGS, "TRCIDR0: COMMOPT, TSSIZE") \
    Z(IDR(0), 1, 2, "INSTP0", "loads and stores are no P0 elements") \
    Z(IDR(0), 3, 2, "TRCDATA", "no data trace") \
    F(IDR(0), 5, 1, "TRCBB", p->branch_broadcast, T_RANGES, \
      "branch broadcast") \
    Z(IDR(0), 6, 1, "TRCCOND", "no conditional instruction trace") \
    F(IDR(0), 7, 1, "TRCCCI", p->cc_bits != 0, T_RANGES, \
      "cycle counts, each P0") \
    F(IDR(0), 9, 1, "RETSTACK", p->return_stack != 0, T_RANGES, \
      "return stack") \
    F(IDR(0), 10, 2, "NUMEVENT", p->events - 1, T_SIZES, \
      "each event has its bit, and its output") \
    Z(IDR(0), 12, 2, "CONDTYPE", "no conditional instruction trace") \
    Z(IDR(0), 14, 1, "QFILT", "no Q elements") \
    Z(IDR(0), 15, 2, "QSUPP", "no Q elements") \
    Z(IDR(0), 17, 1, "TRCEXDATA", "no data trace") \
    F(IDR(0), 24, 5, "TSSIZE", \
      p->ts_bits == 64 ? 8 : p->ts_bits == 48 ? 6 : 0, T_SIZES, \
      "timestamps are cut to TSSIZE") \
    F(IDR(0), 29, 1, "COMMOPT", 1u, T_RANGES, "cycle counts of 256") \
    Z(IDR(1), 0, 4, "REVISION", "r0") \
    F(IDR(1), 4, 4, "TRCARCHMIN", p->arch_minor, T_REGS, "ETMv4.5") \
    F(IDR(1), 8, 4, "TRCARCHMAJ", 4u, T_REGS, "TRCIDR1: Arm ETMv4.2") \
    F(IDR(1), 12, 4, "RES1", 0xfu, T_REGS, "TRCIDR1: Arm ETMv4.2") \
    F(IDR(1), 24, 8, "DESIGNER", 0x41u, T_REGS, "TRCIDR1: Arm ETMv4.2") \
    F(IDR(2), 0, 5, "IASIZE", 8u, T_PACKETS, "long, 64 bits") \
    F(IDR(2), 5, 5, "CIDSIZE", p->cid_size, T_JUDGED, "user and kernel") \
    F(IDR(2), 10, 5, "VMIDSIZE", p->vmid_size, T_SIZES, \
      "VMIDs are cut to VMIDSIZE") \
    Z(IDR(2), 15, 5, "DASIZE", "no data trace") \
    Z(IDR(2), 20, 5, "DVSIZE", "no data trace") \
    F(IDR(2), 25, 4, "CCSIZE", p->cc_bits ? p->cc_bits - 12 : 0, T_SIZES, \
      "the cycle counter has CCSIZE + 12 bits") \
    F(IDR(2), 29, 2, "VMIDOPT", p->vmid_opt, T_FEAT, \
      "VMIDOPT: CONTEXTIDR_EL2") \
    Z(IDR(2), 31, 1, "WFXMODE", "WFI and WFE are no P0 elements") \
    F(IDR(3), 0, 12, "CCITMIN", p->cc_bits ? p->cc_min : 0, T_FEAT, \
      "below CCITMIN: 4 is meant") \
    Z(IDR(3), 12, 2, "NUMPROC[4:3]", "one PE") \
    F(IDR(3), 16, 4, "EXLEVEL_S", p->exlevel_s, T_SIZES, \
      "each Secure level: traced, and excluded by its bit") \
    F(IDR(3), 20, 4, "EXLEVEL_NS", p->exlevel_ns, T_SIZES, \
      "each Non-secure level: traced, and excluded by its bit") \
    F(IDR(3), 24, 1, "TRCERR", 1u, T_FEAT, \
      "a System Error is traced: its Exception") \
    Z(IDR(3), 25, 1, "SYNCPR", "TRCSYNCPR is not fixed") \
    Z(IDR(3), 26, 1, "STALLCTL", "never stalls the PE") \
    Z(IDR(3), 27, 1, "SYSSTALL", "never stalls the PE") \
    Z(IDR(3), 28, 3, "NUMPROC[2:0]", "one PE") \
    Z(IDR(3), 31, 1, "NOOVERFLOW", "no way to prevent an overflow") \
    F(IDR(4), 0, 4, "NUMACPAIRS", p->ac_pairs, T_SIZES, \
      "each address range comparator") \
    Z(IDR(4), 4, 4, "NUMDVC", "no data trace") \
    Z(IDR(4), 8, 1, "SUPPDAC", "no data trace") \
    Z(IDR(4), 12, 4, "NUMPC", "no PE comparator inputs") \
    F(IDR(4), 16, 4, "NUMRSPAIR", p->rs_pairs - 1, T_SIZES, \
      "each resource selector, alone and in its pair") \
    F(IDR(4), 20, 4, "NUMSSCC", p->ss_comps, T_SIZES, \
      "each single-shot control") \
    F(IDR(4), 24, 4, "NUMCIDC", p->cid_comps, T_SIZES, \
      "each Context ID comparator") \
    F(IDR(4), 28, 4, "NUMVMIDC", p->vmid_comps, T_SIZES, \
      "each VMID comparator") \
    F(IDR(5), 0, 9, "NUMEXTIN", p->ext_inputs, T_FEAT, \
      "group 0: external inputs are low") \
    F(IDR(5), 9, 3, "NUMEXTINSEL", p->ext_selectors, T_FEAT, \
      "group 0: external inputs are low") \
    F(IDR(5), 16, 6, "TRACEIDSIZE", 7u, T_SIZES, "every ATID of 7 bits") \
    Z(IDR(5), 22, 1, "ATBTRIG", "no ATB triggers") \
    Z(IDR(5), 23, 1, "LPOVERRIDE", "the PE is never in a low-power state") \
    F(IDR(5), 25, 3, "NUMSEQSTATE", p->seq_states, T_SIZES, \
      "each state of the sequencer, there and back") \
    F(IDR(5), 28, 3, "NUMCNTR", p->counters, T_CYCLES, \
      "random counters: as cycle by cycle") \
    Z(IDR(5), 31, 1, "REDFUNCNTR", "all counters can do all") \
    Z(IDR(8), 0, 32, "MAXSPEC", "each P0 element is committed at once") \
    Z(IDR(9), 0, 32, "NUMP0KEY", "no data trace") \
    Z(IDR(10), 0, 32, "NUMP1KEY", "no data trace") \
    Z(IDR(11), 0, 32, "NUMP1SPC", "no data trace") \
    Z(IDR(12), 0, 32, "NUMCONDKEY", "no conditional instruction trace") \
    Z(IDR(13), 0, 32, "NUMCONDSPC", "no conditional instruction trace")

#define ETM4_MGMT_FIELDS(M) \
    M(CS_DEVAFF0, 0, 32, "MPIDR[31:0]", T_REGS, "TRCDEVAFF0") \
    M(CS_DEVAFF1, 0, 32, "MPIDR[63:32]", T_REGS, "TRCDEVAFF1") \
    M(CS_AUTHSTATUS, 2, 2, "NSNID", T_REGS, \
      "TRCAUTHSTATUS: Non-secure non-invasive debug") \
    M(CS_AUTHSTATUS, 6, 2, "SNID", T_REGS, \
      "TRCAUTHSTATUS: Secure too, where there are Secure levels") \
    M(CS_DEVARCH, 0, 16, "ARCHID", T_REGS, "TRCDEVARCH") \
    M(CS_DEVARCH, 16, 4, "REVISION", T_REGS, "TRCDEVARCH v4.5") \
    M(CS_DEVARCH, 20, 1, "PRESENT", T_REGS, "TRCDEVARCH") \
    M(CS_DEVARCH, 21, 11, "ARCHITECT", T_REGS, "TRCDEVARCH") \
    M(CS_DEVTYPE, 0, 8, "SUB, MAJOR", T_REGS, "TRCDEVTYPE")

#endif
