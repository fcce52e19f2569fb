/*
 * What the trace unit makes of a synthetic PE's records, decoded by OpenCSD,
 * is exactly what the PE executed: instructions with their context,
 * exceptions, gaps.  Random programs with every filter, context and timestamp
 * option, sync at every opportunity, drains and flushes anywhere.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "tests/models/etm4_program.h"
#include "tests/models/etm4_rig.h"
#include "tests/oracle/etm4_opencsd.h"
#include "tests/oracle/etm4_reader.h"
#include "tests/tap/tap.h"

#define CID (1u << 6)
#define VMID (1u << 7)
#define TS (1u << 11)

struct options {
    const char *name;
    uint32_t configr;
    unsigned exclude;            /* bit per non-secure EL */
    uint32_t syncpr;
    bool sync_always;            /* at every address: beyond TRCSYNCPR */
    unsigned irq_every, fault_every, time_every;
    unsigned sessions, steps;
};

static const struct options all[] = {
    { "user and kernel", CID | TS, 0, 12, false, 60, 90, 50, 1, 20000 },
    { "user only", CID | TS, 2, 12, false, 60, 90, 50, 1, 20000 },
    { "kernel only", CID | VMID | TS, 1, 12, false, 60, 90, 50, 1, 20000 },
    { "no context IDs, no timestamps", 0, 0, 0, false, 60, 90, 0, 1, 20000 },
    { "sync at every address", CID | VMID | TS, 0, 8, true, 60, 90, 30, 1,
      10000 },
    { "sync at every address, user", CID | TS, 2, 8, true, 9, 30, 9, 1, 10000 },
    { "exceptions everywhere", CID | TS, 0, 9, false, 3, 5, 7, 1, 10000 },
    { "straight runs", TS, 0, 10, false, 0, 0, 0, 1, 30000 },
    { "many sessions", CID | TS, 2, 12, false, 40, 60, 30, 60, 300 },
    { "many short sessions", CID, 0, 8, false, 10, 20, 0, 400, 7 },
};

static bool fetch(void *arg, uint64_t addr, uint32_t *insn)
{
    return program_fetch(arg, addr, insn);
}

/* Remove an indirect branch from the middle of the records. */
static void drop_record(struct program *p)
{
    size_t i = p->nrec / 2;

    while (i < p->nrec && pe_record_kind(&p->rec[i]) != PE_INDIRECT) {
        i++;
    }
    if (i == p->nrec) {
        tap_bail("no indirect branch to drop");
    }
    memmove(p->rec + i, p->rec + i + 1, (p->nrec - i - 1) * sizeof(*p->rec));
    p->nrec--;
}

/* Feed records in batches of random size, with flushes in between. */
static void feed(struct etm4_rig *r, struct program *p)
{
    size_t at = 0;

    if (p->drop_one) {
        drop_record(p);
    }
    while (at < p->nrec) {
        size_t n = 1 + prng_below(&p->rng, 300);

        n = n < p->nrec - at ? n : p->nrec - at;
        etm4_pe(&r->e, p->rec + at, n);
        at += n;
        if (prng_below(&p->rng, 4) == 0) {
            etm4_deliver(&r->e);
        }
    }
    p->nrec = 0;
}

static void trace(struct etm4_rig *r, struct program *p,
                  const struct options *o)
{
    unsigned i;

    etm4_rig_program(r, o->configr);
    etm4_rig_write(r, 0x034, o->syncpr);
    etm4_rig_write(r, 0x080, 0x201 | o->exclude << 20);
    if (o->configr & TS) {
        /* the scheme of the Linux driver: counter 0 reloads itself */
        etm4_rig_write(r, 0x140, 1);
        etm4_rig_write(r, 0x150, 1u << 16 | 1);
        etm4_rig_write(r, 0x160, 1);
        etm4_rig_write(r, 0x208, 2u << 16 | 1);
        etm4_rig_write(r, 0x030, 2);
    }
    p->exclude = o->exclude;
    p->irq_every = o->irq_every;
    p->fault_every = o->fault_every;
    p->time_every = o->time_every;
    for (i = 0; i < o->sessions; i++) {
        etm4_rig_enable(r);
        if (o->sync_always) {
            r->e.enc.sync_every = 1;
        }
        program_start(p, !(i & 1));
        program_run(p, o->steps);
        program_stop(p);
        feed(r, p);
        etm4_rig_disable(r);
    }
}

static bool same(const struct program_item *a, const struct judge_item *b,
                 uint32_t configr)
{
    static const enum judge_kind kinds[] = {
        JUDGE_TRACE_ON, JUDGE_INSN, JUDGE_EXCEPTION,
    };

    if (kinds[a->kind] != b->kind) {
        return false;
    }
    switch (a->kind) {
    case PROGRAM_INSN:
        return a->addr == b->addr && a->el == b->el && b->ns &&
               (!(configr & CID) || a->cid == b->cid) &&
               (!(configr & VMID) || a->vmid == b->vmid);
    case PROGRAM_EXCEPTION:    /* the packet holds bits 63:2 */
        return (a->addr & ~3ull) == b->addr && a->type == b->type;
    case PROGRAM_TRACE_ON:
        return true;
    }
    return false;
}

static void show(const char *who, int kind, uint64_t addr, unsigned el,
                 uint32_t cid)
{
    tap_diag("%s: %s %#llx EL%u CID %#x", who,
             kind == 0 ? "Trace On" : kind == 1 ? "insn" : "exception",
             (unsigned long long)addr, el, cid);
}

/*
 * Drop timestamps from @j, checking them, and what a session without a P0
 * element leaves: a Trace On before another.  Keep the rest in order.
 */
static bool take_timestamps(struct judge *j, uint64_t last_time,
                            size_t *stamps)
{
    uint64_t ts = 0;
    size_t i, n = 0;
    bool good = true;

    *stamps = 0;
    for (i = 0; i < j->n; i++) {
        if (j->item[i].kind != JUDGE_TIMESTAMP) {
            if (n && j->item[i].kind == JUDGE_TRACE_ON &&
                j->item[n - 1].kind == JUDGE_TRACE_ON) {
                n--;
            }
            j->item[n++] = j->item[i];
            continue;
        }
        good = good && j->item[i].ts >= ts && j->item[i].ts <= last_time;
        ts = j->item[i].ts;
        (*stamps)++;
    }
    j->n = n;
    return good;
}

static bool compare(const struct program *p, const struct judge *j,
                    uint32_t configr)
{
    size_t i;

    for (i = 0; i < p->nitem && i < j->n; i++) {
        const struct program_item *a = &p->item[i];
        const struct judge_item *b = &j->item[i];

        if (!same(a, b, configr)) {
            tap_diag("item %zu of %zu differs", i, p->nitem);
            show("executed", (int)a->kind, a->addr, a->el, a->cid);
            show("decoded", (int)b->kind, b->addr, b->el, b->cid);
            return false;
        }
    }
    if (p->nitem != j->n) {
        tap_diag("%zu items executed, %zu decoded", p->nitem, j->n);
    }
    return p->nitem == j->n;
}

/* Decode from an A-Sync in the middle: what comes is the end of the whole. */
static bool from_sync(const struct etm4_rig *r, const struct judge *whole,
                      struct program *p, uint64_t pick)
{
    struct etm4_reader rd;
    struct etm4_pkt pkt;
    struct judge j = { .unit = whole->unit, .fetch = fetch, .arg = p };
    size_t syncs = 0, at = 0, stamps, i;
    bool pass;

    etm4_reader_init(&rd, r->bytes, r->n, 4, 1);
    while (etm4_reader_next(&rd, &pkt) > 0) {
        if (pkt.kind == ETM4_PKT_ASYNC) {
            syncs++;
            at = pick % syncs == 0 ? pkt.off : at;
        }
    }
    pass = judge_decode(&j, r->bytes + at, r->n - at);
    take_timestamps(&j, p->time, &stamps);
    pass = pass && j.n <= whole->n;
    for (i = 0; pass && i < j.n; i++) {
        const struct judge_item *a = &whole->item[whole->n - j.n + i];

        pass = a->kind == j.item[i].kind && a->addr == j.item[i].addr &&
               (a->kind != JUDGE_INSN || a->el == j.item[i].el);
    }
    if (!pass) {
        tap_diag("from byte %zu: %s", at, j.error);
    }
    judge_free(&j);
    return pass;
}

static void unit_of(struct etm4_rig *r, struct judge_unit *u)
{
    u->configr = etm4_rig_read(r, 0x010);
    u->traceidr = etm4_rig_read(r, 0x040);
    u->idr0 = etm4_rig_read(r, 0x1e0);
    u->idr1 = etm4_rig_read(r, 0x1e4);
    u->idr2 = etm4_rig_read(r, 0x1e8);
    u->idr8 = etm4_rig_read(r, 0x180);
}

static void run(const struct options *o, uint64_t seed)
{
    struct etm4_rig r;
    struct program p;
    struct judge j = { .fetch = fetch, .arg = &p };
    size_t stamps;
    bool good;

    etm4_rig_init(&r, NULL);
    program_init(&p, seed);
    trace(&r, &p, o);
    unit_of(&r, &j.unit);
    good = judge_decode(&j, r.bytes, r.n);
    ok(good, "%s: OpenCSD has no complaint", o->name);
    if (!good) {
        tap_diag("%s", j.error);
    }
    good = take_timestamps(&j, p.time, &stamps);
    ok(good && !(o->configr & TS) == !stamps,
       "%s: timestamps only when asked for, monotonic, not in the future",
       o->name);
    ok(compare(&p, &j, o->configr), "%s: decoded = executed", o->name);
    ok(from_sync(&r, &j, &p, prng_u64(&p.rng)),
       "%s: decoding may start at a later A-Sync", o->name);
    tap_diag("%s: %zu items, %zu bytes, %zu timestamps", o->name, p.nitem,
             r.n, stamps);
    is_u64(r.e.enc.made, r.n, "%s: bytes made = bytes at the sink", o->name);
    judge_free(&j);
    program_free(&p);
    etm4_rig_free(&r);
}

/*
 * The comparison itself: it must see one record less and one byte less.
 * Dropped is an indirect branch in the middle, which changes what is shown.
 */
static void test_judge(uint64_t seed)
{
    static const struct options o = { "judge", CID, 0, 0, false, 60, 90, 0, 1,
                                      3000 };
    unsigned cut;

    for (cut = 0; cut < 3; cut++) {
        struct etm4_rig r;
        struct program p;
        struct judge j = { .fetch = fetch, .arg = &p };
        bool same_again;

        etm4_rig_init(&r, NULL);
        program_init(&p, seed);
        p.drop_one = cut == 1;
        trace(&r, &p, &o);
        if (cut == 2) {
            memmove(r.bytes + r.n / 2, r.bytes + r.n / 2 + 1,
                    r.n - r.n / 2 - 1);
            r.n--;
        }
        unit_of(&r, &j.unit);
        same_again = judge_decode(&j, r.bytes, r.n);
        same_again = compare(&p, &j, o.configr) && same_again;
        ok(same_again == (cut == 0), "%s", cut == 0 ? "judge: whole is equal"
           : cut == 1 ? "judge: a record less is seen"
                      : "judge: a byte less is seen");
        judge_free(&j);
        program_free(&p);
        etm4_rig_free(&r);
    }
}

int main(int argc, char **argv)
{
    uint64_t seed;
    size_t i;

    tap_begin(argc, argv, 3 + 5 * sizeof(all) / sizeof(all[0]));
    seed = tap_seed();
    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        run(&all[i], seed + i);
    }
    test_judge(seed);
    return tap_done();
}
