/*
 * The vCPU scheduler of the csvirt machine, and its time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_SCHED_H
#define CSVIRT_SCHED_H

#include "sched_policy.h"

struct csvirt_sched_config {
    const char *policy;         /* NULL: fair where it can be, else stock */
    uint64_t seed;
    uint64_t quantum;           /* instructions; 0: a default */
    unsigned cpus;
};

/*
 * csvirt_sched_install: run the vCPUs by our scheduler. To be called after the
 * accelerator was chosen and before the first vCPU is realized.
 * in: @config: policy "stock" leaves QEMU's own in place, as do other
 *     accelerators and threads for each vCPU if no policy is named.
 * returns: false with @errp set where the policy cannot be had.
 */
bool csvirt_sched_install(const struct csvirt_sched_config *config,
                          Error **errp);

/*
 * csvirt_sched_hold: no vCPU runs and no time goes by until the machine has
 * been stopped and goes on. Called in the vCPU thread, by who then stops it.
 */
void csvirt_sched_hold(void);

/* csvirt_sched_event: tell the policy; called in the vCPU's thread. */
void csvirt_sched_event(const struct sched_event *e);

/* ---- time: hw/sched_time.c ---- */

/* csvirt_set_dilation: a second of the guest lasts @factor virtual ones. */
void csvirt_set_dilation(unsigned factor);

/* csvirt_now_ns: what the guest takes for time, in ns, for the models. */
uint64_t csvirt_now_ns(void);

/* ---- flushes of all vCPUs: hw/sched_flush.c ---- */

/* csvirt_flush_begin: from now on flushes of other vCPUs are put off. */
void csvirt_flush_begin(unsigned cpus);

/* csvirt_flush_catch_up: make those that @cpu has missed, in its thread. */
void csvirt_flush_catch_up(CPUState *cpu);

#endif
