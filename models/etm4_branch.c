/*
 * ETMv4: atoms and branch targets to packets, the part that is run most.
 * Spec: Arm IHI 0064H.b, 6.4.3 to 6.4.8.
 *
 * CHOICE: the packet of each element is the shortest one that can carry it;
 * atoms are packed so that their number of packets is minimal (every suffix of
 * an atom packet is an atom packet, so the longest match first is optimal).
 *
 * Which atoms and targets come is hard to predict for a processor: what is done
 * for each of them is looked up and selected, without branches.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "bits.h"
#include "etm4_internal.h"

/* ---- atoms ---- */

/*
 * Packets for up to five atoms that do not start with EEE and more, indexed by
 * a sentinel bit followed by the atoms, oldest highest.  In the packets the
 * oldest atom is the lowest bit: 0b1111011A F1, 0b110110AA F2, 0b11111AAA F3,
 * 0b110111xx F4 (NEEE, NNNN, NENE, ENEN), F5 (NEEEE, NNNNN, NENEN, ENENE).
 */
#define ATOMS_LONGEST 24u

struct atom_code {
    uint8_t byte;
    uint8_t len;
};

#define F3(p) (uint8_t)(0xf8 | ((p) >> 2 & 1) | ((p) & 2) | ((p) << 2 & 4))
#define F4(p) (uint8_t)((p) == 0x7 ? 0xdc : (p) == 0x0 ? 0xdd : \
                        (p) == 0x5 ? 0xde : (p) == 0xa ? 0xdf : 0)
#define F5(p) (uint8_t)((p) == 0x0f ? 0xf5 : (p) == 0x00 ? 0xd5 : \
                        (p) == 0x0a ? 0xd6 : (p) == 0x15 ? 0xd7 : 0)
#define CODE3(p) { F3(p), 3 }
#define CODE4(p) { F4(p) ? F4(p) : F3((p) >> 1), F4(p) ? 4 : 3 }
#define CODE5(p) { F5(p) ? F5(p) : F4((p) >> 1) ? F4((p) >> 1) : \
                   F3((p) >> 2), F5(p) ? 5 : F4((p) >> 1) ? 4 : 3 }
#define EIGHT(code, p) code((p) + 0), code((p) + 1), code((p) + 2), \
    code((p) + 3), code((p) + 4), code((p) + 5), code((p) + 6), code((p) + 7)

static const struct atom_code atom_codes[64] = {
    { 0, 0 }, { 0, 0 },
    { 0xf6, 1 }, { 0xf7, 1 },
    { 0xd8, 2 }, { 0xda, 2 }, { 0xd9, 2 }, { 0xdb, 2 },
    EIGHT(CODE3, 0),
    EIGHT(CODE4, 0), EIGHT(CODE4, 8),
    EIGHT(CODE5, 0), EIGHT(CODE5, 8), EIGHT(CODE5, 16), EIGHT(CODE5, 24),
};

/*
 * The first packet of @n atoms, 1 to 64; oldest at bit 63 of @w, bits below
 * them zero.  @len: out, the atoms in it.
 */
static uint8_t atom_packet(uint64_t w, unsigned n, unsigned *len)
{
    unsigned run = w == UINT64_MAX ? 64 : clz64(~w);
    unsigned k = n < 5 ? n : 5;
    const struct atom_code *c = &atom_codes[1u << k | w >> (64 - k)];

    if (run < 3 || n <= 3) {
        *len = c->len;
        return c->byte;
    }
    /* F6, 0b11A00000 + COUNT: COUNT + 3 E atoms, then E or (A) N */
    if (run >= 24) {
        *len = 24;
        return 0xd4;
    }
    if (run < n) {
        *len = run + 1;
        return (uint8_t)(0xe0 + (run - 3));
    }
    *len = run;
    return (uint8_t)(0xc0 + (run - 4));
}

/*
 * All that up to ATOMS_SHORT atoms make, indexed by a sentinel bit followed by
 * the atoms, oldest highest: packets from the lowest byte on, their number in
 * the highest.
 */
#define ATOMS_SHORT 9u
static uint32_t short_runs[2u << ATOMS_SHORT];

/*
 * The packets that the first ATOMS_WINDOW of more atoms make for certain,
 * whatever follows: bits 23:0 the packets, 27:24 how many atoms are in them,
 * 31:28 how many packets they are.  0: E atoms only.
 */
#define ATOMS_WINDOW 10u
#define WINDOW_ATOMS(v)   ((v) >> 24 & 15u)
#define WINDOW_PACKETS(v) ((v) >> 28)
static uint32_t windows[1u << ATOMS_WINDOW];

static uint32_t short_run(uint64_t w, unsigned n)
{
    uint32_t run = 0;
    unsigned len, at;

    for (at = 0; n; at++, n -= len, w <<= len) {
        run |= (uint32_t)atom_packet(w, n, &len) << 8 * at;
    }
    return run | at << 24;
}

/* Is it certain what packet the @n atoms of @w begin with? */
static bool certain(uint64_t w, unsigned n)
{
    unsigned run = clz64(~w);

    return run >= 3 ? run < n : n >= 5;
}

static uint32_t window(uint64_t w)
{
    uint32_t v = 0;
    unsigned left, len, at = 0;

    for (left = ATOMS_WINDOW; left && certain(w, left); left -= len) {
        v |= (uint32_t)atom_packet(w, left, &len) << 8 * at++;
        w <<= len;
    }
    return v | (ATOMS_WINDOW - left) << 24 | at << 28;
}

/*
 * Encode atoms of @w, laid out as for atom_packet(), while at least @least of
 * the @n are left; @least is at least ATOMS_WINDOW.  Writes up to four bytes
 * ahead.
 * @rest, @nrest: out, what is left.
 * returns: the next free byte.
 */
static inline uint8_t *put_windows(uint8_t *p, uint64_t w, unsigned n,
                                   unsigned least, uint64_t *rest,
                                   unsigned *nrest)
{
    while (n >= least) {
        uint32_t v = windows[w >> (64 - ATOMS_WINDOW)];
        unsigned len = WINDOW_ATOMS(v);

        store_le32(p, v);
        p += WINDOW_PACKETS(v);
        if (v == 0) {
            *p++ = atom_packet(w, n, &len);
        }
        w <<= len;
        n -= len;
    }
    *rest = w;
    *nrest = n;
    return p;
}

/* @run: index into short_runs[]; writes up to four bytes ahead. */
static inline uint8_t *put_short_run(uint8_t *p, uint64_t run)
{
    uint32_t v = short_runs[run];

    store_le32(p, v);
    return p + (v >> 24);
}

/* Encode all @n atoms of @w. */
static uint8_t *put_atoms(uint8_t *p, uint64_t w, unsigned n)
{
    p = put_windows(p, w, n, ATOMS_WINDOW, &w, &n);
    return n ? put_short_run(p, 1u << n | w >> (64 - n)) : p;
}

void etm4_packet_atoms(struct etm4 *e)
{
    struct etm4_encoder *c = &e->enc;

    etm4_put_end(e, put_atoms(etm4_put_begin(e), c->atoms, c->natoms));
    c->atoms = 0;
    c->natoms = 0;
}

void etm4_packet_add_atoms(struct etm4 *e, uint64_t atoms, unsigned n)
{
    struct etm4_encoder *c = &e->enc;

    if (n == 0) {
        return;
    }
    while (c->natoms + n >= 64) {
        unsigned fit = 64 - c->natoms;

        c->atoms |= atoms >> c->natoms;
        atoms <<= fit;
        n -= fit;
        etm4_put_end(e, put_windows(etm4_put_begin(e), c->atoms, 64,
                                    ATOMS_LONGEST, &c->atoms, &c->natoms));
    }
    c->atoms |= atoms >> c->natoms;
    c->natoms += n;
}

/* ---- addresses ---- */

/*
 * History entries and keys are addresses with the sub-ISA in bit 0, which no
 * instruction address has, so that one comparison tells both.  @is: 0 or 1,
 * for IS0 or IS1, as everywhere here.
 */
static inline uint64_t address_key(uint64_t addr, unsigned is)
{
    return is ? addr | 1 : addr & ~3ull;
}

/* @key is the latest address now. */
static inline void push_history(uint64_t hist[ETM4_HISTORY], uint64_t key)
{
    hist[2] = hist[1];
    hist[1] = hist[0];
    hist[0] = key;
}

/*
 * A packet's first eight bytes, without @start: its header.  IS0: bits 8:2 and
 * 15:9 in seven bits each; IS1: bits 7:1 in seven and 15:8 in eight; then byte
 * by byte.
 * @second: 0xff0000 where the second byte of the address has eight bits.
 */
static inline uint64_t packet(uint64_t key, unsigned is, uint32_t start,
                              uint32_t second)
{
    return (key << 8 & ~0xffffffull) | (key << (7 + is) & second) |
           (key << (6 + is) & 0x7f00) | start;
}

/* @second of a long packet. */
static inline uint32_t long_second(unsigned is)
{
    return is ? 0xff0000 : 0x7f0000;
}

/*
 * The form of an address packet: short with one and two bytes, long with 32
 * and 64 bits, exact match of entry 0, 1, 2; 6.4.8.
 */
enum form { SHORT1, SHORT2, LONG32, LONG64, MATCH0, MATCH1, MATCH2 };

static const struct {
    uint8_t head[2];             /* for sub-ISA IS0, IS1 */
    uint8_t len;
} forms[] = {
    [SHORT1] = { { 0x95, 0x96 }, 2 }, [SHORT2] = { { 0x95, 0x96 }, 3 },
    [LONG32] = { { 0x9a, 0x9b }, 5 }, [LONG64] = { { 0x9d, 0x9e }, 9 },
    [MATCH0] = { { 0x90, 0x90 }, 1 }, [MATCH1] = { { 0x91, 0x91 }, 1 },
    [MATCH2] = { { 0x92, 0x92 }, 1 },
};

/*
 * How a target is written, by what is known about it: the sum of
 * DIFFERS if bits from 9 (IS0) or 8 on are not those of the last address,
 * and again from 17 or 16 on, and from 32 on;
 * SAME(n) if it is entry n of the history, for each of them.
 */
#define DIFFERS 1u
#define SAME(n) (16u >> (n))
#define TARGETS 32u
static struct target {
    uint32_t second;             /* packet() */
    uint16_t start;              /* header, and bit 7 of byte 0 */
    uint8_t len;
} targets[2][TARGETS];

/* The shortest form of those that can carry it. */
static enum form best_form(unsigned known)
{
    return known & SAME(0) ? MATCH0 : known & SAME(1) ? MATCH1
         : known & SAME(2) ? MATCH2 : (enum form)(SHORT1 + known);
}

static struct target target(enum form form, unsigned is)
{
    struct target t = { .len = forms[form].len };

    t.start = forms[form].head[is];
    t.second = long_second(is);
    if (form == SHORT2) {
        t.start |= 0x8000;       /* a full byte follows */
        t.second = 0xff0000;
    }
    return t;
}

/* Writes up to nine bytes at @p whatever the packet's length. */
static inline uint8_t *put_address(uint64_t hist[ETM4_HISTORY], uint8_t *p,
                                   uint64_t addr, unsigned is)
{
    uint64_t key = address_key(addr, is);
    uint64_t diff = key ^ hist[0];
    unsigned known = DIFFERS * (diff >= 1ull << (9 - is)) +
                     DIFFERS * (diff >= 1ull << (17 - is)) +
                     DIFFERS * (diff >= 1ull << 32) +
                     SAME(0) * (diff == 0) + SAME(1) * (key == hist[1]) +
                     SAME(2) * (key == hist[2]);
    const struct target *t = &targets[is][known];

    push_history(hist, key);
    store_le64(p, packet(key, is, t->start, t->second));
    p[8] = (uint8_t)(key >> 56);
    return p + t->len;
}

void etm4_packet_address(struct etm4 *e, uint64_t addr, uint8_t is)
{
    etm4_put_end(e, put_address(e->enc.hist, etm4_put_begin(e), addr, is));
}

uint8_t *etm4_put_long(struct etm4 *e, uint8_t *p, uint64_t addr, unsigned is)
{
    uint64_t key = address_key(addr, is);
    bool all = (key ^ e->enc.hist[0]) >> 32 != 0;

    store_le64(p, packet(key, is, (all ? 0x85 : 0x82) + is, long_second(is)));
    p[8] = (uint8_t)(key >> 56);
    push_history(e->enc.hist, key);
    return p + (all ? 9 : 5);
}

/* ---- tables ---- */

static void make_targets(unsigned is)
{
    unsigned known;

    for (known = 0; known < TARGETS; known++) {
        targets[is][known] = target(best_form(known), is);
    }
}

void etm4_packet_init(void)
{
    unsigned n, w;

    if (short_runs[2]) {
        return;
    }
    make_targets(0);
    make_targets(1);
    for (w = 0; w < 1u << ATOMS_WINDOW; w++) {
        windows[w] = window((uint64_t)w << (64 - ATOMS_WINDOW));
    }
    for (n = ATOMS_SHORT; n > 0; n--) {
        for (w = 0; w < 1u << n; w++) {
            short_runs[1u << n | w] = short_run((uint64_t)w << (64 - n), n);
        }
    }
}

/* ---- runs of branches ---- */

/* How many bytes may come before the FIFO must be pushed or sync is due. */
static size_t branch_room(const struct etm4 *e)
{
    const struct etm4_encoder *c = &e->enc;
    uint64_t since = c->made - c->sync_at;
    size_t room = ETM4_FIFO_BYTES - ETM4_RECORD_BYTES - e->fifo.fill;

    if (since >= c->sync_every) {
        return 0;
    }
    return c->sync_every - since < room ? (size_t)(c->sync_every - since)
                                        : room;
}

size_t etm4_packet_branches(struct etm4 *e, const struct pe_record *rec,
                            size_t n)
{
    uint8_t *p = etm4_put_begin(e), *end = p + branch_room(e);
    uint64_t *old = e->enc.hist;
    uint64_t hist[ETM4_HISTORY] = { old[0], old[1], old[2] };
    size_t i;

    if (e->enc.natoms || e->filter.is) {
        return 0;                /* these atoms go with those of the record */
    }
    for (i = 0; i < n && p < end; i++) {
        uint64_t head = rec[i].head;

        /* The record's atoms and the E atom of the branch itself */
        if (head - 1 < (1u << ATOMS_SHORT) - 1) {
            p = put_short_run(p, head << 1 | 1);
        } else if (head >> PE_KIND_SHIFT == PE_INDIRECT) {
            unsigned m = 63 - clz64(head | 1);  /* 0: no sentinel, no atoms */

            p = put_atoms(p, (head << 1 | 1) << (63 - m), m + 1);
        } else {
            break;
        }
        p = put_address(hist, p, rec[i].addr, 0);
    }
    old[0] = hist[0];
    old[1] = hist[1];
    old[2] = hist[2];
    etm4_put_end(e, p);
    return i;
}
