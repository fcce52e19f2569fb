/*
 * A synthetic PE: random A64 code in a memory image, executed with random
 * outcomes, interrupts and faults.  It makes the records that the CPU side
 * makes, and, apart from them, the log of what was executed and what of it a
 * correct trace must show.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_TESTS_ETM4_PROGRAM_H
#define CSVIRT_TESTS_ETM4_PROGRAM_H

#include "models/pe_event.h"
#include "tests/tap/tap.h"

#define PROGRAM_WORDS   1024     /* instructions in a region */
#define PROGRAM_REGIONS 4        /* user, library, library, kernel */
#define PROGRAM_NEST    8        /* exceptions taken and not returned */
#define PROGRAM_CALLS   8        /* calls taken and not returned, remembered */

enum program_item_kind {
    PROGRAM_TRACE_ON,            /* the trace starts anew at the next item */
    PROGRAM_INSN,                /* executed: addr, el, cid, vmid */
    PROGRAM_EXCEPTION,           /* addr: preferred return address; type */
};

struct program_item {
    enum program_item_kind kind;
    unsigned el, type;
    uint32_t cid, vmid;
    uint64_t addr;
};

struct program_frame {
    uint64_t ret;
    unsigned el;
};

struct program {
    struct prng rng;
    uint32_t code[PROGRAM_REGIONS][PROGRAM_WORDS];
    /* options, set before program_start() */
    unsigned exclude;            /* bit per EL that is not traced */
    unsigned irq_every, fault_every, time_every;  /* steps; 0: never */
    bool ranges;                 /* records as of range reporting */
    /*
     * With ranges: is the instruction at @addr one that is traced, apart from
     * @exclude?  @step: it executes; else it only might.
     */
    bool (*filter)(void *arg, const struct program *p, uint64_t addr,
                   bool step);
    void *filter_arg;
    bool drop_one;               /* the test removes a record: see red */
    /* the PE */
    uint64_t pc, start, time;
    uint64_t call[2][PROGRAM_CALLS];      /* by Exception level */
    unsigned ncall[2];
    unsigned el;
    uint32_t cid, vmid, next_cid, next_vmid;
    struct program_frame frame[PROGRAM_NEST];
    unsigned nframe;
    uint64_t atoms;              /* as pe_event.h: with a sentinel */
    bool running, view;
    /* output */
    struct pe_record *rec;
    size_t nrec, rec_room;
    struct program_item *item;
    size_t nitem, item_room, nfinal;   /* nfinal: up to the last P0 element */
};

/* Random code from @seed; nothing running. */
void program_init(struct program *p, uint64_t seed);
void program_free(struct program *p);
/* PE_CONTEXT, PE_TIME, PE_START at a random place; user code when @user. */
void program_start(struct program *p, bool user);
void program_run(struct program *p, unsigned steps);
/* PE_TIME of the present, with pending atoms before it. */
void program_time(struct program *p);
/* PE_TIME, PE_STOP; items after the last P0 element are forgotten. */
void program_stop(struct program *p);
/* Is @insn one that makes a P0 element when it executes? */
bool program_is_p0(uint32_t insn);
/* The instruction at @addr.  returns: false, nothing is there. */
bool program_fetch(const struct program *p, uint64_t addr, uint32_t *insn);

#endif
