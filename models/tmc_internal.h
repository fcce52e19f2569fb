/*
 * Between tmc.c (registers, states) and tmc_etr.c (frames to memory).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_TMC_INTERNAL_H
#define CSVIRT_MODELS_TMC_INTERNAL_H

#include "tmc.h"
#include "tmc_regs.h"

/* The buffer: first address, and bytes rounded down to whole writes. */
uint64_t tmc_base(const struct tmc *t);
uint64_t tmc_size(const struct tmc *t);
/* A frame or the memory width, whichever is larger, in bytes. */
uint32_t tmc_unit(const struct tmc *t);
/* Words of valid trace in the buffer, for the level registers. */
uint32_t tmc_level_words(const struct tmc *t);
uint64_t tmc_rrp(const struct tmc *t);

/* Pointers and status at CTL 0 -> 1.  returns: REG_OK or REG_RESERVED. */
enum reg_result tmc_start(struct tmc *t);
/* Stop sequence: pad, write, announce; enters STOPPING or DISABLING. */
void tmc_drain(struct tmc *t, enum tmc_state to, uint64_t now_ns);
/* Enters STOPPED or DISABLED: TMCReady rises. */
void tmc_settle(struct tmc *t, enum tmc_state to);
/* Start a flush, or remember it when one is in progress. */
void tmc_request_flush(struct tmc *t, uint8_t who, uint64_t now_ns);
/* A trigger marker in the stream when FFCR.EnTI says so. */
void tmc_insert_trigger(struct tmc *t);
void tmc_trigger(struct tmc *t);
/* The bytes that wait are lost for reason @why. */
void tmc_drop_waiting(struct tmc *t, enum atb_drop why);
extern const struct atb_ops tmc_atb_ops;

#endif
