/*
 * Trace replicator: one ATB input to two outputs; dynamic (IDFILTER registers)
 * or static.  Each IDFILTER bit blocks 16 ATIDs on that output.
 * Spec: CoreSight SoC-400 TRM (Arm DDI 0480G), "ATB replicator" chapter.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_REPLICATOR_H
#define CSVIRT_MODELS_REPLICATOR_H

#include "atb.h"
#include "regs.h"

#define REPLICATOR_PORTS 2

struct replicator {
    struct atb_node atb;
    const struct atb_link *in;
    const struct atb_link *out[REPLICATOR_PORTS];
    bool is_static;
    struct cs_mgmt mgmt;
    uint32_t idfilter[REPLICATOR_PORTS];
    struct atb_count count[REPLICATOR_PORTS];   /* per output */
};

void replicator_init(struct replicator *r, bool is_static);
void replicator_reset(struct replicator *r);
enum reg_result replicator_read(struct replicator *r, uint32_t off,
                                uint32_t *val);
enum reg_result replicator_write(struct replicator *r, uint32_t off,
                                 uint32_t val);
const struct reg_desc *replicator_table(size_t *n);

#endif
