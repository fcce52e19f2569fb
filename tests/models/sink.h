/*
 * A TMC with memory around it, driven through its registers as a driver does.
 *
 *   test --sink_push()--> tmc --mem_write--> mem[], checked against DBA/RSZ
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_TESTS_SINK_H
#define CSVIRT_TESTS_SINK_H

#include "models/tmc.h"
#include "models/tmc_regs.h"

#define SINK_MEM  (1u << 20)
#define SINK_BASE 0x12345000ull      /* bus address of mem[0] */

struct sink {
    struct tmc t;
    uint64_t now_ns;
    unsigned writes, fail_at;        /* fail_at: 1 fails the next, 0 none */
    bool stray;                      /* a write outside DBA, RSZ */
    bool after_error;                /* a write after one that failed */
    unsigned captured;
    uint64_t captured_len;           /* tmc_capture().len at the callback */
    uint8_t mem[SINK_MEM];           /* not cleared by sink_init() */
};

/* SoC-400 with default parameters, unlocked; sink_init_with() for others. */
void sink_init(struct sink *s);
void sink_init_with(struct sink *s, const struct tmc_params *p);
uint32_t sink_rd(struct sink *s, uint32_t off);
enum reg_result sink_wr(struct sink *s, uint32_t off, uint32_t val);
void sink_push(struct sink *s, uint8_t id, const uint8_t *bytes, size_t n);

/*
 * The enable sequence: RSZ, MODE, AXICTL, DBA, FFCR, TRG, CTL.
 * returns: what CTL = 1 answered.
 */
enum reg_result sink_enable(struct sink *s, uint64_t base, uint32_t words);
#define SINK_FFCR 0x133u             /* EnFt EnTI FOnFlIn FOnTrigEvt TrigIn */

/*
 * StopOnFl, FlushMan, then poll both bits, a microsecond a read, 100 reads.
 * returns: false when one did not come.
 */
bool sink_flush_stop(struct sink *s);
/* Poll STS.TMCReady as above. */
bool sink_wait_ready(struct sink *s);

/*
 * What a driver reads out, from RRP, RWP and STS: oldest byte first.
 * @out: SINK_MEM bytes.  returns: the length.
 */
size_t sink_contents(struct sink *s, uint8_t *out);

/* Bytes in = written + dropped + waiting, for each ATID and in all. */
bool sink_conserved(const struct sink *s);

#endif
