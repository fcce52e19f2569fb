/*
 * A trace unit on a bench: registers written as software would, PE records
 * fed in, every ATB byte caught.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_TESTS_ETM4_RIG_H
#define CSVIRT_TESTS_ETM4_RIG_H

#include "models/etm4.h"

struct etm4_rig {
    struct etm4 e;
    struct atb_node sink;
    struct atb_link link;
    uint8_t *bytes;              /* all that arrived at the sink */
    size_t n, room;
    size_t chunks, largest;      /* pushes, and the largest in bytes */
    uint8_t atid;                /* of the last push */
};

/* @p: NULL, the defaults.  The unit is reset, locked, connected. */
void etm4_rig_init(struct etm4_rig *r, const struct etm4_params *p);
void etm4_rig_free(struct etm4_rig *r);
/* Write the key to TRCLAR and 0 to TRCOSLAR. */
void etm4_rig_unlock(struct etm4_rig *r);
/* A 32-bit write that must be accepted, else the test bails out. */
void etm4_rig_write(struct etm4_rig *r, uint32_t off, uint32_t val);
/* The same, of 64 bits. */
void etm4_rig_write64(struct etm4_rig *r, uint32_t off, uint64_t val);
uint32_t etm4_rig_read(struct etm4_rig *r, uint32_t off);
/*
 * Unlock and program a usual session: ATID 0x10, ViewInst always, no Exception
 * level excluded, no periodic sync; TRCCONFIGR as given.
 */
void etm4_rig_program(struct etm4_rig *r, uint32_t configr);
/* TRCPRGCTLR.EN = 1; then = 0 and what the glue does then. */
void etm4_rig_enable(struct etm4_rig *r);
void etm4_rig_disable(struct etm4_rig *r);
/* Address range @low to @high, both included, in comparator pair @n. */
void etm4_rig_address_range(struct etm4_rig *r, unsigned n, uint64_t low,
                            uint64_t high);
/*
 * A session of one instruction, a taken branch at @addr to address 0, in @state
 * (PE_STATE_* and EL) with @cid and @vmid.  The sink is emptied.
 * returns: it is traced.
 */
bool etm4_rig_traced(struct etm4_rig *r, uint64_t addr, uint64_t state,
                     uint32_t cid, uint32_t vmid);

/* ---- records ---- */
#define RIG_EL0 (0ull | PE_STATE_NS | PE_STATE_A64)
#define RIG_EL1 (1ull | PE_STATE_NS | PE_STATE_A64)

/* @atoms: "EEN", the oldest first; "" is none. */
void etm4_rig_indirect(struct etm4_rig *r, const char *atoms, uint64_t to);
void etm4_rig_atoms(struct etm4_rig *r, const char *atoms);
void etm4_rig_start(struct etm4_rig *r, uint64_t state, uint64_t addr);
void etm4_rig_exception(struct etm4_rig *r, unsigned type, uint64_t ret,
                        uint64_t state, uint64_t vector);
void etm4_rig_eret(struct etm4_rig *r, uint64_t state, uint64_t addr);
void etm4_rig_context(struct etm4_rig *r, uint32_t cid, uint32_t vmid);
void etm4_rig_time(struct etm4_rig *r, uint64_t time);
void etm4_rig_stop(struct etm4_rig *r, uint64_t addr);
/* PE_RANGE: @what is PE_RANGE_* bits.  PE_SPAN. */
void etm4_rig_range(struct etm4_rig *r, uint64_t what, uint64_t count,
                    uint64_t to);
void etm4_rig_span(struct etm4_rig *r, uint64_t count);
struct pe_record etm4_rig_record(enum pe_kind kind, uint64_t fields,
                                 uint64_t addr);

#endif
