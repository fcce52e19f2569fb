/*
 * Exceptions of the CPU model to types of the Exception packet.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_HW_PE_EXCEPTION_H
#define CSVIRT_HW_PE_EXCEPTION_H

#include "models/pe_event.h"

/*
 * pe_exception_type: of the exception just taken: @excp is CPUState's
 * exception_index (EXCP_*), @syndrome the value for ESR_ELx.
 * returns: the Exception packet's type; a trap for what has none of its own.
 * Spec: IHI 0064H.b, 6.4.12, table of types for the A profile.
 */
enum pe_exception pe_exception_type(int excp, uint32_t syndrome);

#endif
