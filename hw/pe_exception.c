/*
 * Exceptions of the CPU model to types of the Exception packet.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "target/arm/cpu.h"
#include "target/arm/syndrome.h"
#include "pe_exception.h"

/* Synchronous data abort or watchpoint: ISS.DFSC tells an alignment fault. */
static enum pe_exception data_abort_type(uint32_t syndrome)
{
    switch (syn_get_ec(syndrome)) {
    case EC_WATCHPOINT:
    case EC_WATCHPOINT_SAME_EL:
        return PE_EXC_DATA_DEBUG;
    case EC_SPALIGNMENT:
        return PE_EXC_ALIGNMENT;
    default:
        return extract32(syndrome, 0, 6) == 0x21 ? PE_EXC_ALIGNMENT
                                                 : PE_EXC_DATA_FAULT;
    }
}

static enum pe_exception prefetch_abort_type(uint32_t syndrome)
{
    switch (syn_get_ec(syndrome)) {
    case EC_PCALIGNMENT:
        return PE_EXC_ALIGNMENT;
    case EC_BREAKPOINT:
    case EC_BREAKPOINT_SAME_EL:
    case EC_SOFTWARESTEP:
    case EC_SOFTWARESTEP_SAME_EL:
    case EC_VECTORCATCH:
        return PE_EXC_INST_DEBUG;
    default:
        return PE_EXC_INST_FAULT;
    }
}

enum pe_exception pe_exception_type(int excp, uint32_t syndrome)
{
    switch (excp) {
    case EXCP_SWI:
    case EXCP_HVC:
    case EXCP_SMC:
        return PE_EXC_CALL;
    case EXCP_IRQ:
    case EXCP_VIRQ:
    case EXCP_NMI:
    case EXCP_VINMI:
        return PE_EXC_IRQ;
    case EXCP_FIQ:
    case EXCP_VFIQ:
    case EXCP_VFNMI:
        return PE_EXC_FIQ;
    case EXCP_VSERR:
        return PE_EXC_SYSTEM_ERROR;
    case EXCP_BKPT:
        return PE_EXC_INST_DEBUG;
    case EXCP_PREFETCH_ABORT:
        return prefetch_abort_type(syndrome);
    case EXCP_DATA_ABORT:
        return data_abort_type(syndrome);
    case EXCP_UDEF:
        return syn_get_ec(syndrome) == EC_SOFTWARESTEP ||
               syn_get_ec(syndrome) == EC_SOFTWARESTEP_SAME_EL
               ? PE_EXC_INST_DEBUG : PE_EXC_TRAP;
    default:
        return PE_EXC_TRAP;
    }
}
