/*
 * Writes a random A64 program that ends: functions call only functions behind
 * them (or themselves, while a budget lasts), loops count down.  Everything
 * that a branch packet depends on is there: direct and indirect calls near and
 * more than 4 GiB away, tail calls, returns by other registers, recursion,
 * switches, branches into the middle of their own block, tight loops, faults
 * in the middle of blocks (pages not yet there), exclusives, system calls.
 *
 * Registers: x0-x15 data; x16, x17, x29 scratch; x18 addresses; x19 data;
 * x20 tables; x21 checksum; x22-x25 loop counters; x28 recursion budget.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "tests/tap/tap.h"
#include "tests/truth/randprog.h"

#define LOOPS 4                  /* nested in a function: x22-x25 */
#define CALLS 1024

struct gen {
    struct prog *p;
    struct region *r;            /* of the function being written */
    struct prng rng;
    unsigned n_fns, fn;
    bool is_far[FUNCTIONS];
    uint64_t at[FUNCTIONS];
    /* BL to functions that come later in the region */
    struct {
        struct region *r;
        uint32_t word;
        unsigned fn;
    } call[CALLS];
    unsigned n_calls, loops;
    bool full;
};

static unsigned below(struct gen *g, unsigned n)
{
    return (unsigned)prng_below(&g->rng, n);
}

static void put(struct gen *g, uint32_t w)
{
    if (g->r->n < CODE_WORDS) {
        g->r->word[g->r->n++] = w;
    } else {
        g->full = true;
    }
}

static unsigned data_reg(struct gen *g)
{
    return below(g, 16);
}

/* The branch at word @from goes to word @to. */
static void patch(struct gen *g, uint32_t from, uint32_t to)
{
    uint32_t *w = &g->r->word[from], d = to - from;

    if (from >= CODE_WORDS || g->full) {
        return;
    }
    if ((*w & 0x7e000000) == 0x36000000) {
        *w |= (d & 0x3fff) << 5;
    } else if ((*w & 0x7c000000) == 0x14000000) {
        *w |= d & 0x3ffffff;
    } else {
        *w |= (d & 0x7ffff) << 5;
    }
}

/* ---- straight-line instructions ---- */

static void mov_imm(struct gen *g, unsigned d, uint32_t v)
{
    put(g, 0xd2800000 | (v & 0xffff) << 5 | d);
    if (v >> 16) {
        put(g, 0xf2a00000 | (v >> 16) << 5 | d);
    }
}

static void one_alu(struct gen *g)
{
    static const uint32_t three[] = {
        0x8b000000, 0xab000000, 0xcb000000, 0xeb000000,  /* ADD(S), SUB(S) */
        0x8a000000, 0xaa000000, 0xca000000, 0xea000000,  /* AND ORR EOR ANDS */
        0x9ac02c00, 0x9a800000, 0x9a800400, 0xda800000, 0xda800400,
    };
    unsigned d = data_reg(g), n = data_reg(g), m = data_reg(g);
    unsigned k = below(g, 18);

    if (k < 8) {
        put(g, three[k] | m << 16 | below(g, 64) << 10 | n << 5 | d);
    } else if (k == 8) {
        put(g, three[k] | m << 16 | n << 5 | d);
    } else if (k < 13) {
        put(g, three[k] | m << 16 | below(g, 14) << 12 | n << 5 | d);
    } else if (k == 13) {                              /* MADD */
        put(g, 0x9b000000 | m << 16 | data_reg(g) << 10 | n << 5 | d);
    } else if (k == 14) {
        put(g, 0xdac00c00 | n << 5 | d);               /* REV */
    } else if (k == 15) {                              /* ADD, SUB(S) #imm */
        put(g, 0x91000000 | below(g, 4) << 29 | below(g, 4096) << 10 |
            n << 5 | d);
    } else if (k == 16) {                              /* MOVN, MOVK */
        put(g, (below(g, 2) ? 0x92800000 : 0xf2800000) | below(g, 4) << 21 |
            below(g, 65536) << 5 | d);
    } else {                                           /* AND #2^k - 1 */
        put(g, 0x92400000 | below(g, 63) << 10 | n << 5 | d);
    }
}

/* x18 = a random place in the data, a multiple of @align. */
static void address(struct gen *g, unsigned align)
{
    put(g, 0x91400000 | (1 + below(g, DATA_BYTES / 4096 - 2)) << 10 | 19 << 5 |
        18);
    put(g, 0x91000000 | below(g, 4096 / align) * align << 10 |
        18 << 5 | 18);
}

static void one_access(struct gen *g)
{
    unsigned t = data_reg(g), k = below(g, 5);
    static const unsigned sizes[] = { 3, 3, 2, 0 };
    unsigned size = sizes[below(g, 4)];

    address(g, 1);
    if (k == 4) {                                      /* STP, LDP */
        put(g, (below(g, 2) ? 0xa9000000 : 0xa9400000) | below(g, 16) << 15 |
            ((t + 1) & 15) << 10 | 18 << 5 | t);
    } else {
        put(g, size << 30 | (k & 1 ? 0x39400000 : 0x39000000) |
            below(g, 64) << 10 | 18 << 5 | t);
    }
}

static void exclusive(struct gen *g)
{
    unsigned t = data_reg(g);

    address(g, 8);
    if ((g->p->use & USE_LSE) && below(g, 2)) {
        static const uint32_t ops[] = {
            0xf8e00000, 0xf8e01000, 0xf8e02000, 0xf8e03000, 0xf8e08000,
        };
        unsigned k = below(g, 6);

        put(g, (k < 5 ? ops[k] : 0xc8e0fc00) | data_reg(g) << 16 | 18 << 5 |
            t);
        return;
    }
    put(g, 0xc85ffc00 | 18 << 5 | 16);                 /* 1: LDAXR x16 */
    put(g, 0x8b000000 | t << 16 | 16 << 5 | 16);       /* ADD x16, x16, xt */
    put(g, 0xc811fc00 | 18 << 5 | 16);                 /* STLXR w17, x16 */
    put(g, 0x35000000 | (0x7ffff & -3u) << 5 | 17);    /* CBNZ w17, 1b */
    g->p->exclusives = true;
}

static void system_insn(struct gen *g)
{
    static const uint32_t nothing[] = {
        0xd503201f, 0xd503203f, 0xd5033fdf, 0xd5033bbf, 0xd5033f9f,
    };
    static const uint16_t calls[] = { 172, 178, 124, 174, 1000 };

    if (below(g, 3)) {                                 /* NOP YIELD ISB .. */
        put(g, nothing[below(g, 5)]);
        return;
    }
    put(g, 0xaa0003e0 | 0 << 16 | 29);                 /* MOV x29, x0 */
    put(g, 0xaa0003e0 | 8 << 16 | 17);                 /* MOV x17, x8 */
    mov_imm(g, 8, calls[below(g, 5)]);
    put(g, 0xd4000001);
    put(g, 0xaa0003e0 | 29 << 16 | 0);
    put(g, 0xaa0003e0 | 17 << 16 | 8);
}

static void straight(struct gen *g)
{
    unsigned k = below(g, 16);

    if (k < 9) {
        one_alu(g);
    } else if (k < 13) {
        one_access(g);
    } else if (k < 15) {
        exclusive(g);
    } else {
        system_insn(g);
    }
}

/* ---- control flow ---- */

static void block(struct gen *g, unsigned depth);

/* A forward conditional branch, its target open.  returns: its word. */
static uint32_t branch_if(struct gen *g)
{
    unsigned t = data_reg(g);

    switch (below(g, 3)) {
    case 0:                                            /* CBZ, CBNZ */
        put(g, 0xb4000000 | below(g, 2) << 24 | t);
        break;
    case 1:                                            /* TBZ, TBNZ */
        put(g, 0x36000000 | below(g, 2) << 31 | below(g, 2) << 24 |
            below(g, 32) << 19 | t);
        break;
    default:
        put(g, 0xeb00001f | data_reg(g) << 16 | t << 5);   /* CMP */
        put(g, 0x54000000 | below(g, 14));
        break;
    }
    return g->r->n - 1;
}

static void if_else(struct gen *g, unsigned depth)
{
    uint32_t first = branch_if(g), over;

    block(g, depth + 1);
    if (below(g, 2)) {
        over = g->r->n;
        put(g, 0x14000000);
        patch(g, first, g->r->n);
        block(g, depth + 1);
        patch(g, over, g->r->n);
    } else {
        patch(g, first, g->r->n);
    }
}

static void loop(struct gen *g, unsigned depth)
{
    unsigned c = 22 + g->loops, kind = below(g, 3);
    uint32_t top;

    if (g->loops == LOOPS) {
        return;
    }
    g->loops++;
    mov_imm(g, c, 1 + below(g, kind ? 6 : 300));
    top = g->r->n;
    if (kind == 1) {
        block(g, depth + 1);
    } else if (kind == 2) {
        straight(g);
    }
    if (below(g, 2)) {
        put(g, 0xd1000400 | c << 5 | c);               /* SUB, CBNZ */
        put(g, 0xb5000000 | c);
    } else {
        put(g, 0xf1000400 | c << 5 | c);               /* SUBS, B.NE */
        put(g, 0x54000001);
    }
    patch(g, g->r->n - 1, top);
    g->loops--;
}

/*
 * x17 = one of the next eight instructions, by a data register; BR there: into
 * the middle of the block that follows, which falls through from its start too.
 */
static void into_block(struct gen *g)
{
    uint32_t adr;

    put(g, 0x92400800 | data_reg(g) << 5 | 16);        /* AND x16, xn, #7 */
    adr = g->r->n;
    put(g, 0x10000000 | 17);
    put(g, 0x8b000000 | 16 << 16 | 2 << 10 | 17 << 5 | 17);
    put(g, 0xd61f0000 | 17 << 5);
    patch(g, adr, g->r->n);
    for (unsigned i = 0; i < 8; i++) {
        one_alu(g);
    }
}

/*
 * A loop whose back branch is a BR into the middle of its own body, somewhere
 * else each time: 8 instructions, entered at 0 to 3.
 */
static void midblock_loop(struct gen *g)
{
    unsigned c = 22 + g->loops;
    uint32_t top, adr, end;

    if (g->loops == LOOPS) {
        return;
    }
    mov_imm(g, c, 2 + below(g, 40));
    top = g->r->n;
    for (unsigned i = 0; i < 4; i++) {
        one_alu(g);
    }
    put(g, 0xd1000400 | c << 5 | c);
    end = g->r->n;
    put(g, 0xb4000000 | c);                            /* CBZ out */
    put(g, 0x92400400 | c << 5 | 16);                  /* AND x16, xc, #3 */
    adr = g->r->n;
    put(g, 0x10000000 | 17);
    patch(g, adr, top);
    put(g, 0x8b000000 | 16 << 16 | 2 << 10 | 17 << 5 | 17);
    put(g, 0xd61f0000 | 17 << 5);
    patch(g, end, g->r->n);
}

static void call(struct gen *g)
{
    unsigned left = g->n_fns - g->fn - 1, to, entry;

    if (left == 0) {
        return;
    }
    to = g->fn + 1 + below(g, left);
    if (g->is_far[to] == g->is_far[g->fn] && below(g, 2)) {
        if (g->n_calls < CALLS) {
            g->call[g->n_calls].r = g->r;
            g->call[g->n_calls].word = g->r->n;
            g->call[g->n_calls++].fn = to;
            put(g, 0x94000000);                        /* BL, patched later */
        }
        return;
    }
    if (below(g, 2)) {                                 /* one of four */
        put(g, 0x92400400 | data_reg(g) << 5 | 16);
        put(g, 0x91000000 | (g->fn * FN_TABLE * 8) << 10 | 20 << 5 | 17);
        put(g, 0xf8607800 | 16 << 16 | 17 << 5 | 16);
    } else {
        entry = g->fn * FN_TABLE + below(g, FN_TABLE);
        put(g, 0xf9400000 | entry << 10 | 20 << 5 | 16);
    }
    put(g, 0xd63f0000 | 16 << 5);                      /* BLR x16 */
}

/* A call of the function itself, while x28 lasts. */
static void recurse(struct gen *g)
{
    uint32_t skip = g->r->n;

    put(g, 0xb4000000 | 28);
    put(g, 0xd1000400 | 28 << 5 | 28);
    put(g, 0x94000000);
    patch(g, g->r->n - 1, (uint32_t)((g->at[g->fn] - g->r->va) / 4));
    patch(g, skip, g->r->n);
}

static void block(struct gen *g, unsigned depth)
{
    unsigned n = 1 + below(g, depth ? 4 : 10);

    while (n--) {
        unsigned k = below(g, 24);

        if (k < 10 || depth > 4) {
            straight(g);
        } else if (k < 14) {
            if_else(g, depth);
        } else if (k < 16) {
            loop(g, depth);
        } else if (k < 18) {
            into_block(g);
        } else if (k < 20) {
            midblock_loop(g);
        } else if (k < 23) {
            call(g);
        } else {
            recurse(g);
        }
    }
}

static void function(struct gen *g)
{
    unsigned how = below(g, 4), last = g->fn + 1 == g->n_fns;

    g->r = g->is_far[g->fn] ? &g->p->far : &g->p->near;
    while (below(g, 3)) {
        put(g, 0xd503201f);
    }
    g->at[g->fn] = g->r->va + 4ull * g->r->n;
    put(g, 0xa9800000 | 0x7a << 15 | 30 << 10 | 31 << 5 | 29);
    put(g, 0xa9000000 | 2 << 15 | 23 << 10 | 31 << 5 | 22);
    put(g, 0xa9000000 | 4 << 15 | 25 << 10 | 31 << 5 | 24);
    block(g, 0);
    put(g, 0xa9400000 | 4 << 15 | 25 << 10 | 31 << 5 | 24);
    put(g, 0xa9400000 | 2 << 15 | 23 << 10 | 31 << 5 | 22);
    put(g, 0xa8c00000 | 6 << 15 | 30 << 10 | 31 << 5 | 29);
    if (how == 0 && !last) {                           /* a tail call */
        put(g, 0xf9400000 | (g->fn * FN_TABLE + below(g, FN_TABLE)) << 10 |
            20 << 5 | 16);
        put(g, 0xd61f0000 | 16 << 5);
    } else if (how == 1) {                             /* RET x17 */
        put(g, 0xaa0003e0 | 30 << 16 | 17);
        put(g, 0xd65f0000 | 17 << 5);
    } else if (how == 2) {                             /* BR x30 */
        put(g, 0xd61f0000 | 30 << 5);
    } else {
        put(g, 0xd65f0000 | 30 << 5);
    }
}

static void address_of(struct gen *g, unsigned d, uint64_t v)
{
    put(g, 0xd2800000 | (uint32_t)(v & 0xffff) << 5 | d);
    put(g, 0xf2a00000 | (uint32_t)(v >> 16 & 0xffff) << 5 | d);
    put(g, 0xf2c00000 | (uint32_t)(v >> 32 & 0xffff) << 5 | d);
}

/* Registers, function 0, the checksum written to stdout, exit. */
static void start(struct gen *g)
{
    g->r = &g->p->near;
    g->p->entry = g->r->va + 4ull * g->r->n;
    for (unsigned i = 0; i < 16; i++) {
        mov_imm(g, i, (uint32_t)prng_u64(&g->rng));
    }
    address_of(g, 19, g->p->data_va);
    put(g, 0xaa0003e0 | 19 << 16 | 20);
    mov_imm(g, 28, below(g, 60));
    if (g->is_far[0]) {
        address_of(g, 16, g->at[0]);
        put(g, 0xd63f0000 | 16 << 5);
    } else {
        put(g, 0x94000000);
        patch(g, g->r->n - 1, (uint32_t)((g->at[0] - g->r->va) / 4));
    }
    mov_imm(g, 21, 0);
    mov_imm(g, 16, 13);
    for (unsigned i = 0; i < 16; i++) {
        put(g, 0x9ac02c00 | 16 << 16 | 21 << 5 | 21);  /* ROR x21, #13 */
        put(g, 0xca000000 | i << 16 | 21 << 5 | 21);
    }
    address_of(g, 1, g->p->data_va + 0x1000);
    put(g, 0xf9000000 | 1 << 5 | 21);
    mov_imm(g, 0, 1);
    mov_imm(g, 2, 8);
    mov_imm(g, 8, 64);
    put(g, 0xd4000001);
    mov_imm(g, 0, 0);
    mov_imm(g, 8, 94);
    put(g, 0xd4000001);
}

static void link_all(struct gen *g)
{
    struct prog *p = g->p;

    for (unsigned i = 0; i < g->n_calls; i++) {
        g->r = g->call[i].r;
        patch(g, g->call[i].word,
              (uint32_t)((g->at[g->call[i].fn] - g->r->va) / 4));
    }
    for (unsigned fn = 0; fn + 1 < g->n_fns; fn++) {
        for (unsigned i = 0; i < FN_TABLE; i++) {
            p->table[fn * FN_TABLE + i] =
                g->at[fn + 1 + below(g, g->n_fns - fn - 1)];
        }
    }
}

bool generate(struct prog *p, unsigned index)
{
    uint64_t base = (uint64_t)(PROGRAM_FIRST + index) << PROGRAM_SHIFT;
    static struct gen g;

    memset(&g, 0, sizeof(g));
    g.p = p;
    prng_seed(&g.rng, p->seed);
    p->near.n = p->far.n = 0;
    p->exclusives = false;
    memset(p->table, 0, sizeof(p->table));
    p->near.va = base + 0x10000 * below(&g, 512) + NEAR_AT;
    p->far.va = base + FAR_BIT + 0x10000 * below(&g, 512) + FAR_AT;
    p->data_va = base + DATA_AT;
    g.n_fns = 3 + below(&g, FUNCTIONS - 2);
    for (unsigned i = 0; i < g.n_fns; i++) {
        g.is_far[i] = below(&g, 3) == 0;
    }
    for (g.fn = 0; g.fn < g.n_fns; g.fn++) {
        function(&g);
    }
    start(&g);
    link_all(&g);
    return !g.full;
}
