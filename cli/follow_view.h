/*
 * Address filters of an ETMv4 unit, followed by its register writes: which
 * instructions are in view.  Written from IHI 0064H.b, 4.2 and 7.3; shares
 * nothing with models/.  Not followed: context comparators of an address
 * comparator, and a ViewInst event that is not a constant.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_CLI_FOLLOW_VIEW_H
#define CSVIRT_CLI_FOLLOW_VIEW_H

#include "cli/exec_log.h"

#define VIEW_COMPARATORS 16u

struct follow_view {
    uint64_t acvr[VIEW_COMPARATORS];
    uint32_t acatr[VIEW_COMPARATORS];
    uint32_t victlr, viiectlr, vissctlr;
    gboolean started;           /* start/stop, after the last instruction */
};

/* A register of the unit was written. */
void follow_view_register(struct follow_view *v, uint32_t offset,
                          uint32_t value);
/* Is any filter in use? If not, everything is in view. */
gboolean follow_view_active(const struct follow_view *v);
/* Would an instruction at @va be in view? */
gboolean follow_view_at(const struct follow_view *v, uint64_t va,
                        const struct xl_state *state);
/*
 * A run of instructions, cut at the comparators' addresses, has executed.
 * returns: it was in view.
 */
gboolean follow_view_run(struct follow_view *v, uint64_t va,
                         const struct xl_state *state);

#endif
