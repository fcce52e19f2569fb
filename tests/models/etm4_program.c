/*
 * A synthetic PE; see etm4_program.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/models/etm4_program.h"

#include <stdlib.h>
#include <string.h>

#define KERNEL 3u

/* Bases that make every form of address compression happen, at its limits. */
static const uint64_t base[PROGRAM_REGIONS] = {
    0x0000fffed5550000, 0x0000fffff7a10000, 0x0000fffff7a3f000,
    0xffff800080010000,
};

enum insn_kind {
    INSN_PLAIN, INSN_B, INSN_BL, INSN_COND, INSN_CBZ, INSN_TBZ, INSN_BR,
    INSN_BLR, INSN_RET, INSN_ISB, INSN_ERET, INSN_SVC, INSN_MSR_CID,
};

static const struct {
    uint32_t value, mask;
    enum insn_kind kind;
} insns[] = {
    { 0x14000000, 0xfc000000, INSN_B },
    { 0x94000000, 0xfc000000, INSN_BL },
    { 0x54000000, 0xff000010, INSN_COND },
    { 0x34000000, 0x7e000000, INSN_CBZ },
    { 0x36000000, 0x7e000000, INSN_TBZ },
    { 0xd61f0000, 0xfffffc1f, INSN_BR },
    { 0xd63f0000, 0xfffffc1f, INSN_BLR },
    { 0xd65f0000, 0xfffffc1f, INSN_RET },
    { 0xd5033fdf, 0xffffffff, INSN_ISB },
    { 0xd69f03e0, 0xffffffff, INSN_ERET },
    { 0xd4000001, 0xffe0001f, INSN_SVC },
    { 0xd518d020, 0xffffffe0, INSN_MSR_CID },
};

static enum insn_kind insn_kind(uint32_t insn)
{
    size_t i;

    for (i = 0; i < sizeof(insns) / sizeof(insns[0]); i++) {
        if ((insn & insns[i].mask) == insns[i].value) {
            return insns[i].kind;
        }
    }
    return INSN_PLAIN;
}

/* Sign-extended immediate of @len bits at @shift, in bytes. */
static uint64_t imm(uint32_t insn, unsigned shift, unsigned len)
{
    uint64_t v = (uint64_t)insn >> shift & ((1ull << len) - 1);

    return ((v ^ 1ull << (len - 1)) - (1ull << (len - 1))) * 4;
}

static uint64_t direct_target(uint32_t insn, uint64_t pc)
{
    switch (insn_kind(insn)) {
    case INSN_B:
    case INSN_BL:
        return pc + imm(insn, 0, 26);
    case INSN_TBZ:
        return pc + imm(insn, 5, 14);
    default:
        return pc + imm(insn, 5, 19);
    }
}

/* ---- code ---- */

static uint32_t random_insn(struct program *p, unsigned region, unsigned at)
{
    uint32_t rel = (uint32_t)(prng_below(&p->rng, PROGRAM_WORDS) - at);
    uint32_t rt = (uint32_t)prng_below(&p->rng, 31);
    unsigned dice = (unsigned)prng_below(&p->rng, 100);

    if (dice < 8) {
        return 0x14000000 | (rel & 0x3ffffff);
    } else if (dice < 14) {
        return 0x94000000 | (rel & 0x3ffffff);
    } else if (dice < 34) {
        return 0x54000000 | (rel & 0x7ffff) << 5 | rt % 14;
    } else if (dice < 42) {
        return 0xb4000000 | (rel & 0x7ffff) << 5 | rt | (dice & 1) << 24;
    } else if (dice < 48) {
        return 0x36000000 | (rel & 0x3fff) << 5 | rt | (dice & 1) << 24;
    } else if (dice < 51) {
        return 0xd61f0000 | rt << 5;
    } else if (dice < 55) {
        return 0xd63f0000 | rt << 5;
    } else if (dice < 59) {
        return 0xd65f0000 | 30 << 5;
    } else if (dice < 61) {
        return 0xd5033fdf;
    } else if (dice < 68) {
        return region == KERNEL ? 0xd69f03e0 : 0xd4000001;
    } else if (dice < 69 && region == KERNEL) {
        return 0xd518d020 | rt;
    }
    return 0x91000400 | rt << 5 | rt;           /* add xt, xt, #1 */
}

void program_init(struct program *p, uint64_t seed)
{
    unsigned r, i;

    memset(p, 0, sizeof(*p));
    prng_seed(&p->rng, seed);
    for (r = 0; r < PROGRAM_REGIONS; r++) {
        for (i = 0; i < PROGRAM_WORDS - 1; i++) {
            p->code[r][i] = random_insn(p, r, i);
        }
        p->code[r][i] = 0x14000000 | (-i & 0x3ffffff);   /* b to the start */
    }
    p->irq_every = 60;
    p->fault_every = 90;
    p->time_every = 50;
    p->time = prng_below(&p->rng, 1ull << 40);
}

void program_free(struct program *p)
{
    free(p->rec);
    free(p->item);
}

bool program_is_p0(uint32_t insn)
{
    enum insn_kind kind = insn_kind(insn);

    return kind != INSN_PLAIN && kind != INSN_SVC && kind != INSN_MSR_CID;
}

bool program_fetch(const struct program *p, uint64_t addr, uint32_t *insn)
{
    unsigned r;

    for (r = 0; r < PROGRAM_REGIONS; r++) {
        uint64_t off = addr - base[r];

        if (off < 4 * PROGRAM_WORDS && off % 4 == 0) {
            *insn = p->code[r][off / 4];
            return true;
        }
    }
    return false;
}

/* ---- output ---- */

static void *grow(void *mem, size_t n, size_t *room, size_t size)
{
    if (n == *room) {
        *room = *room ? 2 * *room : 256;
        mem = realloc(mem, *room * size);
        if (!mem) {
            tap_bail("no memory");
        }
    }
    return mem;
}

static void record(struct program *p, enum pe_kind kind, uint64_t fields,
                   uint64_t addr)
{
    p->rec = grow(p->rec, p->nrec, &p->rec_room, sizeof(*p->rec));
    p->rec[p->nrec].head = (uint64_t)kind << PE_KIND_SHIFT | fields;
    p->rec[p->nrec].addr = addr;
    p->nrec++;
}

/* Instructions executed since the place that the last record led to. */
static uint64_t executed(const struct program *p, uint64_t end)
{
    return ((end - p->start) / 4) << PE_RANGE_COUNT_SHIFT;
}

static void flush_atoms(struct program *p)
{
    if (p->atoms != 1) {
        record(p, PE_ATOMS, p->atoms, 0);
        p->atoms = 1;
    }
}

static void item(struct program *p, enum program_item_kind kind,
                 uint64_t addr, unsigned type)
{
    struct program_item *it;

    p->item = grow(p->item, p->nitem, &p->item_room, sizeof(*p->item));
    it = &p->item[p->nitem++];
    memset(it, 0, sizeof(*it));
    it->kind = kind;
    it->addr = addr;
    it->type = type;
    it->el = p->el;
    it->cid = p->cid;
    it->vmid = p->vmid;
}

/* A P0 element is complete: what was executed up to it can be decoded. */
static void p0(struct program *p)
{
    p->cid = p->next_cid;
    p->vmid = p->next_vmid;
    p->nfinal = p->nitem;
}

static uint64_t state(const struct program *p)
{
    return p->el | PE_STATE_NS | PE_STATE_A64;
}

/* ViewInst has become active or inactive, before the next item. */
static void follow(struct program *p, bool view)
{
    if (!view || !p->view) {
        p->nitem = p->nfinal;    /* not contiguous with what was before */
    }
    if (view && !p->view) {
        item(p, PROGRAM_TRACE_ON, p->pc, 0);
    }
    p->view = view;
}

/* The PE is at a new place, maybe in a new Exception level. */
static void arrive(struct program *p)
{
    bool traced = !(p->exclude >> p->el & 1);

    p->start = p->pc;
    if (p->filter) {
        return;                  /* each instruction is asked about */
    }
    if (traced && !p->view) {
        item(p, PROGRAM_TRACE_ON, p->pc, 0);
    }
    p->view = traced;
}

/* ---- execution ---- */

static bool chance(struct program *p, unsigned every)
{
    return every && prng_below(&p->rng, every) == 0;
}

static uint64_t random_place(struct program *p, bool user)
{
    unsigned r = user ? (unsigned)prng_below(&p->rng, KERNEL) : KERNEL;

    return base[r] + 4 * prng_below(&p->rng, PROGRAM_WORDS);
}

static void exception(struct program *p, unsigned type, uint64_t ret)
{
    flush_atoms(p);
    if (p->filter && ret == p->start) {
        follow(p, !(p->exclude >> p->el & 1) &&
               p->filter(p->filter_arg, p, ret, false));
    }
    p->frame[p->nframe].ret = ret;
    p->frame[p->nframe++].el = p->el;
    if (p->view) {
        item(p, PROGRAM_EXCEPTION, ret, type);
        p0(p);
    }
    p->cid = p->next_cid;
    p->vmid = p->next_vmid;
    p->el = 1;
    p->pc = base[KERNEL] + 0x80 * prng_below(&p->rng, 16);
    record(p, PE_EXCEPTION, state(p) | (uint64_t)type << PE_STATE_TYPE_SHIFT,
           ret);
    record(p, PE_TARGET, 0, p->pc);
    arrive(p);
}

static void atom(struct program *p, uint64_t pc, unsigned e, uint64_t what)
{
    if (p->ranges) {
        record(p, PE_RANGE, executed(p, pc + 4) | what |
               (e ? PE_RANGE_TAKEN : 0), p->pc);
        p->start = p->pc;
        p0(p);
        return;
    }
    p->atoms = p->atoms << 1 | e;
    if (p->atoms >> PE_ATOMS_MAX) {
        flush_atoms(p);
    }
    p0(p);
}

/* Now and then to nowhere: an instruction abort, or a misaligned PC. */
static void indirect(struct program *p, uint64_t what)
{
    unsigned el = p->el & 1;
    uint64_t to = random_place(p, p->el == 0);

    if (what == PE_RANGE_RETURN && p->ncall[el] && prng_below(&p->rng, 8)) {
        to = p->call[el][--p->ncall[el] % PROGRAM_CALLS];
    } else if (prng_below(&p->rng, 4) == 0) {
        to = p->pc + 4;
    } else if (prng_below(&p->rng, 4) == 0) {
        to = base[p->el ? KERNEL : 0] + 4 * prng_below(&p->rng, 4);
    } else if (p->nframe < PROGRAM_NEST - 2 && chance(p, 30)) {
        to = 0x4000 + prng_below(&p->rng, 1ull << 40);
    }
    if (p->ranges) {
        record(p, PE_RANGE, executed(p, p->pc + 4) | what | PE_RANGE_TAKEN |
               PE_RANGE_INDIRECT, to);
    } else {
        record(p, PE_INDIRECT, p->atoms, to);
    }
    p->atoms = 1;
    p->start = to;
    p0(p);
    p->pc = to;
}

static void eret(struct program *p)
{
    struct program_frame to = { 0, 0 };

    flush_atoms(p);
    if (p->nframe) {
        to = p->frame[--p->nframe];
    } else {
        to.ret = random_place(p, true);
    }
    if (chance(p, 8)) {                       /* another thread */
        to.ret = random_place(p, to.el == 0);
    }
    if (p->ranges) {
        record(p, PE_SPAN, executed(p, p->pc), 0);
    }
    p0(p);
    p->el = to.el;
    p->pc = to.ret;
    record(p, PE_ERET, state(p), p->pc);
    arrive(p);
}

static void write_cid(struct program *p)
{
    flush_atoms(p);
    if (prng_below(&p->rng, 2)) {
        p->next_cid = (uint32_t)prng_u64(&p->rng);
    }
    if (prng_below(&p->rng, 4) == 0) {
        p->next_vmid = (uint32_t)prng_below(&p->rng, 256);
    }
    record(p, PE_CONTEXT, p->next_cid, p->next_vmid);
}

static void call(struct program *p, uint64_t ret)
{
    unsigned el = p->el & 1;

    p->call[el][p->ncall[el]++ % PROGRAM_CALLS] = ret;
}

static void execute(struct program *p, uint32_t insn)
{
    uint64_t pc = p->pc;
    unsigned e = 1;

    if (p->filter) {
        follow(p, !(p->exclude >> p->el & 1) &&
               p->filter(p->filter_arg, p, pc, true));
    }
    if (p->view) {
        item(p, PROGRAM_INSN, pc, 0);
    }
    p->pc += 4;
    switch (insn_kind(insn)) {
    case INSN_COND:
    case INSN_CBZ:
    case INSN_TBZ:
        e = prng_below(&p->rng, 3) != 0;
        /* fall through */
    case INSN_B:
    case INSN_BL:
        p->pc = e ? direct_target(insn, pc) : p->pc;
        if (insn_kind(insn) == INSN_BL) {
            call(p, pc + 4);
        }
        atom(p, pc, e, insn_kind(insn) == INSN_BL ? PE_RANGE_LINK : 0);
        break;
    case INSN_ISB:
        atom(p, pc, 1, PE_RANGE_ISB);
        break;
    case INSN_BR:
        p->pc = pc;
        indirect(p, 0);
        break;
    case INSN_BLR:
        p->pc = pc;
        indirect(p, PE_RANGE_LINK);
        call(p, pc + 4);
        break;
    case INSN_RET:
        p->pc = pc;
        indirect(p, PE_RANGE_RETURN);
        break;
    case INSN_ERET:
        eret(p);
        break;
    case INSN_SVC:
        exception(p, PE_EXC_CALL, p->pc);
        break;
    case INSN_MSR_CID:
        write_cid(p);
        break;
    case INSN_PLAIN:
        break;
    }
}

void program_time(struct program *p)
{
    flush_atoms(p);
    p->time += prng_below(&p->rng, 3) ? prng_below(&p->rng, 1000)
                                      : prng_below(&p->rng, 1ull << 40);
    record(p, PE_TIME, 0, p->time);
}

/* Interrupts and faults come four times as often in user code. */
static unsigned rate(const struct program *p, unsigned every)
{
    return every << 2 * p->el;
}

void program_run(struct program *p, unsigned steps)
{
    uint32_t insn;

    while (steps--) {
        bool can = p->nframe < PROGRAM_NEST - 1;

        if (can && chance(p, rate(p, p->irq_every))) {
            exception(p, PE_EXC_IRQ, p->pc);
        } else if (can && chance(p, rate(p, p->fault_every))) {
            exception(p, PE_EXC_DATA_FAULT, p->pc);
        } else if (!program_fetch(p, p->pc, &insn)) {
            exception(p, PE_EXC_INST_FAULT, p->pc);
            p->frame[p->nframe - 1].ret =
                random_place(p, p->frame[p->nframe - 1].el == 0);
        } else {
            execute(p, insn);
        }
        if (chance(p, p->time_every)) {
            program_time(p);
        }
    }
}

void program_start(struct program *p, bool user)
{
    p->el = user ? 0 : 1;
    p->pc = random_place(p, user);
    p->nframe = 0;
    p->ncall[0] = p->ncall[1] = 0;
    p->atoms = 1;
    p->cid = p->next_cid = (uint32_t)prng_u64(&p->rng);
    p->vmid = p->next_vmid = (uint32_t)prng_below(&p->rng, 256);
    record(p, PE_CONTEXT, p->cid, p->vmid);
    program_time(p);
    record(p, PE_START, state(p), p->pc);
    p->view = false;
    p->nfinal = p->nitem;
    arrive(p);
}

void program_stop(struct program *p)
{
    program_time(p);
    record(p, PE_STOP, 0, p->pc);
    p->nitem = p->nfinal;
    p->view = false;
}
