/*
 * Atom packing: random atoms in random records come back in order, in the
 * fewest packets possible (IHI 0064H.b, 6.4.13), however they are cut into
 * records.  The minimum is found by dynamic programming over all 64 packets.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "tests/models/etm4_rig.h"
#include "tests/oracle/etm4_reader.h"
#include "tests/tap/tap.h"

#define LONGEST 400

static char text[LONGEST + 1];

/* All atom packets as text, by asking the reader. */
static struct {
    char atoms[32];
    size_t n;
} packets[64];
static size_t npackets;

static void list_packets(void)
{
    unsigned head;

    for (head = 0xc0; head <= 0xff; head++) {
        uint8_t b = (uint8_t)head;
        struct etm4_reader rd;
        struct etm4_pkt p;
        unsigned i;

        etm4_reader_init(&rd, &b, 1, 4, 1);
        rd.synced = true;
        if (etm4_reader_next(&rd, &p) != 1) {
            continue;
        }
        for (i = 0; i < p.natoms; i++) {
            packets[npackets].atoms[i] = p.atoms >> i & 1 ? 'E' : 'N';
        }
        packets[npackets++].n = p.natoms;
    }
}

static size_t fewest(size_t n)
{
    static size_t best[LONGEST + 1];
    size_t at, k;

    best[n] = 0;
    for (at = n; at-- > 0;) {
        best[at] = SIZE_MAX;
        for (k = 0; k < npackets; k++) {
            size_t len = packets[k].n;

            if (at + len <= n && !memcmp(text + at, packets[k].atoms, len) &&
                best[at + len] + 1 < best[at]) {
                best[at] = best[at + len] + 1;
            }
        }
    }
    return best[0];
}

/* Runs of E and N of several mean lengths: data no format is made for. */
static size_t random_text(struct prng *g)
{
    size_t n = 1 + prng_below(g, LONGEST);
    uint64_t bias = 1 + prng_below(g, 30), i;
    char c = 'E';

    for (i = 0; i < n; i++) {
        if (prng_below(g, bias) == 0) {
            c = prng_below(g, 4) ? 'E' : 'N';
        }
        text[i] = c;
    }
    text[n] = 0;
    return n;
}

static void feed(struct etm4_rig *r, struct prng *g, size_t n)
{
    size_t at = 0;

    while (at < n) {
        size_t k = 1 + prng_below(g, 55);
        char part[56];

        k = k < n - at ? k : n - at;
        memcpy(part, text + at, k);
        part[k] = 0;
        etm4_rig_atoms(r, part);
        at += k;
    }
}

/* returns: the atoms in the sink as text in @out, and the packets. */
static size_t read_back(const struct etm4_rig *r, char *out, size_t *n)
{
    struct etm4_reader rd;
    struct etm4_pkt p;
    size_t count = 0;
    unsigned i;

    *n = 0;
    etm4_reader_init(&rd, r->bytes, r->n, 4, 4);
    rd.synced = true;
    while (etm4_reader_next(&rd, &p) == 1 && p.kind == ETM4_PKT_ATOMS) {
        for (i = 0; i < p.natoms && *n < LONGEST; i++) {
            out[(*n)++] = p.atoms >> i & 1 ? 'E' : 'N';
        }
        count++;
    }
    out[*n] = 0;
    return rd.pos == r->n && !rd.error ? count : 0;
}

static void test_random(void)
{
    struct sweep order, size;
    struct etm4_rig r;
    struct prng g;
    char out[LONGEST + 1];
    unsigned i;

    prng_seed(&g, tap_seed());
    sweep_begin(&order, "random atoms come back in order");
    sweep_begin(&size, "in the fewest packets");
    etm4_rig_init(&r, NULL);
    etm4_rig_program(&r, 0);
    etm4_rig_enable(&r);
    etm4_rig_start(&r, RIG_EL1, 0x1000);
    etm4_deliver(&r.e);
    for (i = 0; i < 2000; i++) {
        size_t n = random_text(&g), got, count;

        r.n = 0;
        feed(&r, &g, n);
        etm4_deliver(&r.e);
        count = read_back(&r, out, &got);
        sweep_case(&order, got == n && !strcmp(out, text), "%s\n#   got %s",
                   text, out);
        sweep_case(&size, count == fewest(n), "%s: %zu packets, %zu possible",
                   text, count, fewest(n));
    }
    sweep_end(&order);
    sweep_end(&size);
    etm4_rig_free(&r);
}

/* Every string of up to 12 atoms before an indirect branch. */
static void test_exhaustive(void)
{
    struct sweep s;
    struct etm4_rig r;
    unsigned n, w, i;

    sweep_begin(&s, "every string of 0 to 12 atoms, then a branch");
    etm4_rig_init(&r, NULL);
    etm4_rig_program(&r, 0);
    etm4_rig_enable(&r);
    etm4_rig_start(&r, RIG_EL1, 0x1000);
    etm4_rig_indirect(&r, "", 0x1000);
    etm4_deliver(&r.e);
    for (n = 0; n <= 12; n++) {
        for (w = 0; w < 1u << n; w++) {
            char out[LONGEST + 1];
            size_t got, count, want;

            for (i = 0; i < n; i++) {
                text[i] = w >> i & 1 ? 'E' : 'N';
            }
            text[n] = 0;
            r.n = 0;
            etm4_rig_indirect(&r, text, 0x1000);
            etm4_deliver(&r.e);
            text[n] = 'E';
            text[n + 1] = 0;
            want = fewest(n + 1);
            r.n -= r.n > 0;              /* the exact match after them */
            count = read_back(&r, out, &got);
            sweep_case(&s, !strcmp(out, text) && count == want &&
                       r.bytes[r.n] == 0x90, "%s: got %s", text, out);
        }
    }
    sweep_end(&s);
    etm4_rig_free(&r);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 4);
    list_packets();
    is_u64(npackets, 64, "0xC0-0xFF are 64 atom packets");
    test_random();
    test_exhaustive();
    return tap_done();
}
