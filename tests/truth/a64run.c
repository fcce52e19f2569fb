/*
 * An interpreter of the A64 instructions that tests/truth/randgen.c uses: says
 * what a program's result is and how many instructions that takes.  Written
 * from Arm DDI 0487, C6.2; knows nothing of how the code was generated.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "tests/truth/randprog.h"

#define NR_write 64
#define NR_exit_group 94

struct cpu {
    struct prog *p;
    uint64_t x[32], sp, pc;      /* x[31] stays 0 */
    bool n, z, c, v, done, wrote;
    const char *why;
    uint8_t data[DATA_BYTES], stack[STACK_BYTES];
};

static uint64_t bits(uint32_t w, unsigned hi, unsigned lo)
{
    return w >> lo & ((1ull << (hi - lo + 1)) - 1);
}

static int64_t sbits(uint32_t w, unsigned hi, unsigned lo)
{
    return (int64_t)(bits(w, hi, lo) << (63 - (hi - lo))) >> (63 - (hi - lo));
}

static uint8_t *memory(struct cpu *s, uint64_t va, unsigned size)
{
    if (va - s->p->data_va <= DATA_BYTES - size) {
        return s->data + (va - s->p->data_va);
    }
    if (va - STACK_AT <= STACK_BYTES - size) {
        return s->stack + (va - STACK_AT);
    }
    s->why = "an access outside of data and stack";
    return s->data;
}

static uint64_t load(struct cpu *s, uint64_t va, unsigned size)
{
    uint64_t v = 0;

    memcpy(&v, memory(s, va, size), size);
    return v;
}

static void store(struct cpu *s, uint64_t va, unsigned size, uint64_t v)
{
    memcpy(memory(s, va, size), &v, size);
}

static void set(struct cpu *s, unsigned r, uint64_t v)
{
    if (r != 31) {
        s->x[r] = v;
    }
}

/* a + b + carry, with flags */
static uint64_t add_flags(struct cpu *s, uint64_t a, uint64_t b, unsigned carry)
{
    uint64_t r = a + b + carry;

    s->n = r >> 63;
    s->z = r == 0;
    s->c = r < a || (carry && r == a);
    s->v = (~(a ^ b) & (a ^ r)) >> 63;
    return r;
}

static bool holds(const struct cpu *s, unsigned cond)
{
    const bool base[8] = {
        s->z, s->c, s->n, s->v, s->c && !s->z, s->n == s->v,
        s->n == s->v && !s->z, true
    };

    return base[cond >> 1] != ((cond & 1) && cond != 15);
}

/* C4.1.92, loads and stores */
static bool memory_insn(struct cpu *s, uint32_t w)
{
    unsigned size = 1u << (w >> 30), t = w & 31, n = w >> 5 & 31;
    unsigned m = w >> 16 & 31;
    uint64_t base = n == 31 ? s->sp : s->x[n], old;

    if ((w & 0x3fc00000) == 0x39000000) {          /* STR immediate */
        store(s, base + bits(w, 21, 10) * size, size, s->x[t]);
    } else if ((w & 0x3fc00000) == 0x39400000) {   /* LDR immediate */
        set(s, t, load(s, base + bits(w, 21, 10) * size, size));
    } else if ((w & 0xffe0fc00) == 0xf8607800) {   /* LDR [n, m, LSL #3] */
        set(s, t, load(s, base + (s->x[m] << 3), 8));
    } else if ((w & 0xfe000000) == 0xa8000000) {   /* STP, LDP */
        unsigned mode = w >> 23 & 3;
        uint64_t moved = base + (uint64_t)(sbits(w, 21, 15) * 8);
        uint64_t at = mode == 1 ? base : moved;
        unsigned t2 = w >> 10 & 31;

        if (w & 1u << 22) {
            set(s, t, load(s, at, 8));
            set(s, t2, load(s, at + 8, 8));
        } else {
            store(s, at, 8, s->x[t]);
            store(s, at + 8, 8, s->x[t2]);
        }
        if (mode != 2) {
            *(n == 31 ? &s->sp : &s->x[n]) = moved;
        }
    } else if ((w & 0xfffffc00) == 0xc85ffc00) {   /* LDAXR */
        set(s, t, load(s, base, 8));
    } else if ((w & 0xffe0fc00) == 0xc800fc00) {   /* STLXR: succeeds */
        store(s, base, 8, s->x[t]);
        set(s, m, 0);
    } else if ((w & 0xffe0fc00) == 0xc8e0fc00) {   /* CASAL */
        old = load(s, base, 8);
        if (old == s->x[m]) {
            store(s, base, 8, s->x[t]);
        }
        set(s, m, old);
    } else if ((w & 0xffe00c00) == 0xf8e00000) {   /* LDxxxAL, SWPAL */
        uint64_t v = s->x[m];

        old = load(s, base, 8);
        switch (w >> 12 & 15) {
        case 0:
            v += old;
            break;
        case 1:
            v = old & ~v;
            break;
        case 2:
            v ^= old;
            break;
        case 3:
            v |= old;
            break;
        case 8:
            break;
        default:
            return false;
        }
        store(s, base, 8, v);
        set(s, t, old);
    } else {
        return false;
    }
    return true;
}

static uint64_t reverse_bytes(uint64_t v)
{
    uint64_t r = 0;

    for (unsigned i = 0; i < 8; i++) {
        r = r << 8 | (v >> 8 * i & 0xff);
    }
    return r;
}

/* C4.1.90 and C4.1.96, data processing */
static bool data_insn(struct cpu *s, uint32_t w)
{
    unsigned d = w & 31, n = w >> 5 & 31, m = w >> 16 & 31;
    uint64_t a = s->x[n], b = s->x[m], r;

    if ((w & 0x9f800000) == 0x91000000) {          /* ADD, SUB(S) immediate */
        b = bits(w, 21, 10) << (w & 1u << 22 ? 12 : 0);
        if (w & 1u << 29) {
            r = w & 1u << 30 ? add_flags(s, a, ~b, 1) : add_flags(s, a, b, 0);
        } else {
            r = w & 1u << 30 ? a - b : a + b;
        }
    } else if ((w & 0x9f200000) == 0x8b000000) {   /* ... shifted register */
        b <<= bits(w, 15, 10);
        if (w & 1u << 29) {
            r = w & 1u << 30 ? add_flags(s, a, ~b, 1) : add_flags(s, a, b, 0);
        } else {
            r = w & 1u << 30 ? a - b : a + b;
        }
    } else if ((w & 0x9fe00000) == 0x8a000000) {   /* AND, ORR, EOR, ANDS */
        b <<= bits(w, 15, 10);
        r = bits(w, 30, 29) == 1 ? a | b : bits(w, 30, 29) == 2 ? a ^ b : a & b;
        if (bits(w, 30, 29) == 3) {
            s->n = r >> 63;
            s->z = r == 0;
            s->c = s->v = false;
        }
    } else if ((w & 0xffff0000) == 0x92400000) {   /* AND, 2^k - 1 */
        r = a & ((2ull << bits(w, 15, 10)) - 1);
    } else if ((w & 0x1f800000) == 0x12800000) {   /* MOVN, MOVZ, MOVK */
        unsigned shift = 16 * (w >> 21 & 3);

        r = bits(w, 20, 5) << shift;
        r = bits(w, 30, 29) == 0 ? ~r : bits(w, 30, 29) == 2 ? r :
            (s->x[d] & ~(0xffffull << shift)) | r;
    } else if ((w & 0xffe08000) == 0x9b000000) {   /* MADD */
        r = a * b + s->x[w >> 10 & 31];
    } else if ((w & 0xffe0fc00) == 0x9ac02c00) {   /* RORV */
        r = b & 63 ? a >> (b & 63) | a << (64 - (b & 63)) : a;
    } else if ((w & 0xfffffc00) == 0xdac00c00) {   /* REV */
        r = reverse_bytes(a);
    } else if ((w & 0xbfe00800) == 0x9a800000) {   /* CSEL, CSINC, CSINV.. */
        uint64_t no = w & 1u << 30 ? ~b : b;

        no += w >> 10 & 1;
        r = holds(s, w >> 12 & 15) ? a : no;
    } else if ((w & 0x9f000000) == 0x10000000) {   /* ADR */
        r = s->pc + (uint64_t)(sbits(w, 23, 5) * 4) + bits(w, 30, 29);
    } else {
        return false;
    }
    set(s, d, r);
    return true;
}

static void svc(struct cpu *s)
{
    switch (s->x[8]) {
    case NR_write:
        s->p->checksum = load(s, s->x[1], 8);
        s->wrote = true;
        s->x[0] = 8;
        break;
    case NR_exit_group:
        s->done = true;
        break;
    default:
        s->x[0] = 0xdeadbeef;    /* no program may depend on it */
    }
}

/* C4.1.91, branches, exceptions and system.  *next: where to go on. */
static bool branch_insn(struct cpu *s, uint32_t w, uint64_t *next)
{
    unsigned t = w & 31, n = w >> 5 & 31;
    uint64_t to;
    bool take;

    if ((w & 0x7c000000) == 0x14000000) {          /* B, BL */
        take = true;
        to = s->pc + (uint64_t)(sbits(w, 25, 0) * 4);
        if (w >> 31) {
            s->x[30] = s->pc + 4;
        }
    } else if ((w & 0xff000010) == 0x54000000) {   /* B.cond */
        take = holds(s, w & 15);
        to = s->pc + (uint64_t)(sbits(w, 23, 5) * 4);
    } else if ((w & 0x7e000000) == 0x34000000) {   /* CBZ, CBNZ */
        take = (w >> 31 ? s->x[t] == 0 : (uint32_t)s->x[t] == 0) !=
               (w >> 24 & 1);
        to = s->pc + (uint64_t)(sbits(w, 23, 5) * 4);
    } else if ((w & 0x7e000000) == 0x36000000) {   /* TBZ, TBNZ */
        take = (s->x[t] >> ((w >> 31) * 32 + bits(w, 23, 19)) & 1) ==
               (w >> 24 & 1);
        to = s->pc + (uint64_t)(sbits(w, 18, 5) * 4);
    } else if ((w & 0xff9ffc1f) == 0xd61f0000 && (w >> 21 & 3) != 3) {
        take = true;                               /* BR, BLR, RET */
        to = s->x[n];
        if ((w >> 21 & 3) == 1) {
            s->x[30] = s->pc + 4;
        }
    } else if (w == 0xd4000001) {
        take = false;
        to = 0;
        svc(s);
    } else {
        /* hints, barriers */
        return (w & 0xfffff01f) == 0xd503201f ||
               (w & 0xfffff01f) == 0xd503301f;
    }
    if (take) {
        *next = to;
    }
    return true;
}

static const uint32_t *fetch(const struct cpu *s)
{
    const struct region *r = s->pc & FAR_BIT ? &s->p->far : &s->p->near;

    return s->pc >= r->va && s->pc - r->va < 4ull * r->n && !(s->pc & 3)
               ? &r->word[(s->pc - r->va) / 4] : NULL;
}

const char *interpret(struct prog *p, uint64_t limit)
{
    static struct cpu s;

    memset(&s, 0, sizeof(s));
    s.p = p;
    s.pc = p->entry;
    s.sp = STACK_AT + STACK_BYTES - 64;
    memcpy(s.data, p->table, sizeof(p->table));
    for (p->insns = 0; !s.done; p->insns++) {
        const uint32_t *w = fetch(&s);
        uint64_t next = s.pc + 4;

        if (!w) {
            return "a branch to nowhere";
        }
        if (p->insns == limit) {
            return INTERPRET_LONG;
        }
        if (!branch_insn(&s, *w, &next) && !memory_insn(&s, *w) &&
            !data_insn(&s, *w)) {
            return "an instruction that the interpreter does not know";
        }
        if (s.why) {
            return s.why;
        }
        s.pc = next;
    }
    return s.wrote ? NULL : "no checksum was written";
}
