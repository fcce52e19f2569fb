/*
 * What tests of random programs share; see etm4_judged.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/models/etm4_judged.h"

#include <string.h>

#include "tests/oracle/etm4_opencsd.h"
#include "tests/oracle/etm4_reader.h"
#include "tests/tap/tap.h"

bool judged_fetch(void *arg, uint64_t addr, uint32_t *insn)
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

void judged_feed(struct etm4_rig *r, struct program *p)
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

bool judged_timestamps(struct judge *j, uint64_t last_time, size_t *stamps)
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

bool judged_compare(const struct program *p, const struct judge *j,
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

bool judged_from_sync(const struct etm4_rig *r, const struct judge *whole,
                      struct program *p, uint64_t pick)
{
    struct etm4_reader rd;
    struct etm4_pkt pkt;
    struct judge j = { .unit = whole->unit, .fetch = judged_fetch, .arg = p };
    size_t syncs = 0, at = 0, stamps, i;
    bool pass;

    etm4_reader_init(&rd, r->bytes, r->n, 4, 4);
    while (etm4_reader_next(&rd, &pkt) > 0) {
        if (pkt.kind == ETM4_PKT_ASYNC) {
            syncs++;
            at = pick % syncs == 0 ? pkt.off : at;
        }
    }
    pass = judge_decode(&j, r->bytes + at, r->n - at);
    judged_cycles(p, &j, 0);
    judged_timestamps(&j, p->time, &stamps);
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

void judged_unit(struct etm4_rig *r, struct judge_unit *u)
{
    u->configr = etm4_rig_read(r, 0x010);
    u->traceidr = etm4_rig_read(r, 0x040);
    u->idr0 = etm4_rig_read(r, 0x1e0);
    u->idr1 = etm4_rig_read(r, 0x1e4);
    u->idr2 = etm4_rig_read(r, 0x1e8);
    u->idr8 = etm4_rig_read(r, 0x180);
}

static bool is_p0(const struct program *p, const struct judge_item *it)
{
    uint32_t insn;

    return it->kind == JUDGE_EXCEPTION ||
           (program_fetch(p, it->addr, &insn) && program_is_p0(insn));
}

/* A gap follows: there, cycles pass that no decoded instruction took. */
static bool gap_follows(const struct judge_item *it,
                        const struct judge_item *end)
{
    while (++it < end && (it->kind == JUDGE_TIMESTAMP ||
                          it->kind == JUDGE_EVENT)) {
        continue;
    }
    return it == end || it->kind == JUDGE_TRACE_ON;
}

/*
 * @count: instructions since the last Cycle Count; the counter has 12 bits.
 * @gap: a Trace On follows.
 */
static bool cycles_fit(const struct program *p, const struct judge_item *it,
                       unsigned threshold, bool gap, uint64_t *count,
                       bool *due)
{
    uint32_t most = *count > 4095 ? 4095 : (uint32_t)*count;

    switch (it->kind) {
    case JUDGE_CYCLES:
        if (!*due || it->cycles != (*count > 4095 ? 0 : *count)) {
            return false;
        }
        *due = false;
        *count = 0;
        return true;
    case JUDGE_TIMESTAMP:
        return !*due && (it->cycles == most || (gap && it->cycles > most));
    case JUDGE_TRACE_ON:
        *count = 0;
        return !*due;
    case JUDGE_INSN:
        ++*count;
        /* fall through */
    case JUDGE_EXCEPTION:
        if (*due) {
            return false;
        }
        *due = is_p0(p, it) && *count >= threshold;
        return true;
    case JUDGE_EVENT:
        return true;
    }
    return false;
}

bool judged_cycles(const struct program *p, struct judge *j,
                   unsigned threshold)
{
    uint64_t count = 0;
    size_t i, n = 0;
    bool due = false, good = true;

    for (i = 0; i < j->n; i++) {
        const struct judge_item it = j->item[i];
        bool gap = gap_follows(&j->item[i], j->item + j->n);

        if (good && threshold &&
            !cycles_fit(p, &it, threshold, gap, &count, &due)) {
            tap_diag("item %zu, kind %d: %u cycles, %llu expected", i,
                     (int)it.kind, it.cycles, (unsigned long long)count);
            good = false;
        }
        if (it.kind == JUDGE_CYCLES) {
            good = good && threshold;
        } else {
            j->item[n++] = it;
        }
    }
    j->n = n;
    return good;
}

void judged_sessions(struct etm4_rig *r, struct program *p,
                     const struct judged_options *o)
{
    unsigned i;

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
        judged_feed(r, p);
        etm4_rig_disable(r);
    }
}

size_t judged_checks(struct etm4_rig *r, struct program *p,
                     const struct judged_options *o, unsigned threshold)
{
    struct judge j = { .fetch = judged_fetch, .arg = p };
    size_t stamps;
    bool good;

    judged_unit(r, &j.unit);
    good = judge_decode(&j, r->bytes, r->n);
    ok(good, "%s: OpenCSD has no complaint", o->name);
    if (!good) {
        tap_diag("%s", j.error);
    }
    ok(judged_cycles(p, &j, threshold), "%s: cycle counts", o->name);
    good = judged_timestamps(&j, p->time, &stamps);
    ok(good && (o->configr & TS || !stamps),
       "%s: timestamps only when asked for, monotonic, not in the future",
       o->name);
    ok(judged_compare(p, &j, o->configr), "%s: decoded = executed", o->name);
    ok(judged_from_sync(r, &j, p, prng_u64(&p->rng)),
       "%s: decoding may start at a later A-Sync", o->name);
    tap_diag("%s: %zu items, %zu bytes, %zu timestamps", o->name, p->nitem,
             r->n, stamps);
    is_u64(r->e.enc.made, r->n, "%s: bytes made = bytes at the sink", o->name);
    judge_free(&j);
    return stamps;
}
