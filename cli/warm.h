/*
 * csvirt run --warm: machines that have been booted, kept on disk.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_CLI_WARM_H
#define CSVIRT_CLI_WARM_H

#include "cli/run.h"

/*
 * warm_take: the kept machine that @plan would boot to, made if need be.
 * out: @plan->warm is its folder; the console so far is copied to the run's.
 * returns: CLI_OK, else the exit status of csvirt.
 */
int warm_take(struct run_plan *plan);

/*
 * warm_save: write the state of the emulator that is stopped.
 * in: @plan->saving.  returns: FALSE after saying what is wrong.
 */
gboolean warm_save(const struct run_plan *plan);

#endif
