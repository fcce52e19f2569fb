/*
 * CPUs that the trace units can follow: AArch64 only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_HW_PE_CPU_H
#define CSVIRT_HW_PE_CPU_H

/*
 * pe_prepare_cpus: before any CPU is realized.  The trace unit has no AArch32
 * yet, so ID_AA64PFR0_EL1.EL0 of every CPU says AArch64 only.
 */
void pe_prepare_cpus(void);

#endif
