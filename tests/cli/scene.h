/*
 * A scene of the verify tests: a short program on one CPU, worked out by
 * hand, as an execution log, as ETMv4 trace and as a snapshot folder.
 *
 *   EL0, context 0x55                    EL1 (excluded by TRCVICTLR)
 *   400000 nop                           ffff800000001000 nop
 *   400004 bl 400020                     ffff800000001004 eret
 *   400008 nop
 *   40000c cbz x0, 400000   taken but the last time
 *   400010 svc #0           ............ to 1000, eret back to 400014
 *   400014 nop
 *   400018 b 40001c
 *   40001c nop              the unit goes off behind it
 *   400020 nop
 *   400024 ret              to 400008
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_TESTS_CLI_SCENE_H
#define CSVIRT_TESTS_CLI_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#define SCENE_ROUNDS 3
#define SCENE_ATID   0x12u
#define SCENE_ENTRY  0x400000ull

/* What is other than it should be; all zero: nothing. */
struct scene {
    bool log_skips_insn;        /* one instruction is not in the log */
    bool log_extra_insn;        /* one that was not traced is in it */
    bool log_other_opcode;      /* bl is a nop in the log */
    bool log_other_context;     /* context ID 0x56 */
    bool log_other_return;      /* of the exception */
    bool log_other_vector;      /* ... that of an IRQ */
    bool log_kernel_unit;       /* the registers do not exclude EL1 */
    bool log_off;               /* window, but the registers say off */
    bool tail_branches;         /* the last nop is a branch: traceable */
    bool trace_no_exception;
    bool trace_no_second;       /* the part behind the eret is missing */
    bool trace_wrong_atom;      /* the first cbz not taken */
    bool trace_no_sync;         /* begins in the middle: no A-sync */
    bool late_sync;             /* one more round before the first A-sync */
    bool kernel;                /* EL1 is traced, too */
    bool trace_stale_el;        /* ... and no context behind the eret */
    bool trace_el1;             /* the context says EL1 */
    bool trace_secure;          /* ... secure state */
    bool trace_bad_end;         /* a reserved header at the end */
    bool lost_begin;            /* as late_sync, but the sink was there */
    bool wrapped;
    bool sink_off;              /* the sink captured only until the svc */
    bool strobe;                /* ViewInst follows a resource: the last round
                                   alone; later another program is there */
    unsigned cut;               /* drop this byte of the trace, from 1 on */
    uint8_t source_atid;        /* what the snapshot says; 0: the right one */
};

/* Instructions that decode when all is right: all but the last nop. */
#define SCENE_INSNS (SCENE_ROUNDS * 6 + 1 + 2)

/* With .kernel. */
#define SCENE_INSNS_KERNEL (SCENE_INSNS + 2)

/* Make @dir/log and the snapshot folder @dir/snap. Aborts if it cannot. */
void scene_make(const struct scene *scene, const char *dir);

/* Bytes of the unit's trace that the last scene had. */
unsigned scene_trace_bytes(void);

#endif
