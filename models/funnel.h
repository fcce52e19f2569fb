/*
 * Trace funnel: up to 8 ATB inputs merged into one output; dynamic (with the
 * CSTF registers) or static (no registers, every input open).
 * Spec: CoreSight SoC-400 TRM (Arm DDI 0480G), "ATB funnel" chapter.
 * CHOICE: a chunk is passed at once, so priority (PRICTL) and hold time
 * (FUNCTL[11:8]) are kept and readable but decide nothing.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_FUNNEL_H
#define CSVIRT_MODELS_FUNNEL_H

#include "atb.h"
#include "regs.h"

#define FUNNEL_PORTS 8

struct funnel {
    struct atb_node atb;
    const struct atb_link *in[FUNNEL_PORTS];  /* by port number; NULL: open */
    const struct atb_link *out;
    bool is_static;
    struct cs_mgmt mgmt;
    uint32_t functl, prictl;
    struct atb_count count;
};

void funnel_init(struct funnel *f, bool is_static);
void funnel_reset(struct funnel *f);
enum reg_result funnel_read(struct funnel *f, uint32_t off, uint32_t *val);
enum reg_result funnel_write(struct funnel *f, uint32_t off, uint32_t val);
const struct reg_desc *funnel_table(size_t *n);

#endif
