/*
 * Following an execution log: what OpenCSD calls, read-out by read-out.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/follow.h"
#include "hw/exec_log_format.h"

#define SHOWN_MAX    10u        /* mismatches told for one read-out */
#define LOOK_RUNS    64u        /* how far the decoder may be ahead */
#define LOOK_WINDOWS 4096u      /* many may show nothing but Trace On */
#define LOOK_GUESS   4096u      /* runs, where the place is not known */

/* TRCCONFIGR and TRCIDR2 fields, IHI 0064H.b 7.3. */
#define CONFIGR_CID  (1u << 6)
#define CONFIGR_VMID (1u << 7)
#define IDR2_WFXMODE (1u << 31)
#define IDR2_CCSIZE(idr2) ((idr2) >> 25 & 0xf)

/* ---- messages ----------------------------------------------------------- */

void follow_mismatch(struct follow *f, struct unit *u, const char *fmt, ...)
{
    va_list ap;
    char *text;

    u->here.mismatches++;
    u->all.mismatches++;
    if (f->quiet || f->shown > SHOWN_MAX) {
        return;
    }
    va_start(ap, fmt);
    text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    f->shown++;
    if (f->shown > SHOWN_MAX) {
        printf("  ... and more\n");
    } else {
        printf("  MISMATCH cpu %u: %s\n", u->cpu, text);
    }
    g_free(text);
}

void follow_error(void *opaque, const char *text)
{
    struct follow *f = opaque;

    f->errors++;
    if (!f->quiet && ++f->shown <= SHOWN_MAX) {
        printf("  ERROR %s\n", text);
    }
}

/* ---- exceptions --------------------------------------------------------- */

/*
 * A segment that is nothing but an exception: the unit came into view and the
 * first instruction was never retired.
 */
static gboolean skip_to_exception(struct unit *u, const struct pending *p)
{
    uint32_t stop = u->captures[u->capture].stop;

    for (size_t i = follow_event_at(u, follow_normal(u, u->pos).run);
         i < u->x->n_events && u->x->events[i].run <= stop; i++) {
        if (follow_is_exception(&u->x->events[i], p)) {
            u->pos = u->shadow = (struct pos){ .run = u->x->events[i].run };
            return TRUE;
        }
    }
    return FALSE;
}

static void exception_decoded(struct follow *f, struct unit *u,
                              uint64_t index,
                              const ocsd_generic_trace_elem *el)
{
    const struct pending p = {
        .va = el->en_addr, .index = index, .type = el->exception_number,
        .has_return = el->excep_ret_addr,
    };

    if (u->seg == SEG_PENDING) {
        FOLLOW_GROW(u->pending, u->n_pending, u->cap_pending);
        u->pending[u->n_pending++] = p;
    } else if (u->seg == SEG_ON) {
        follow_consume(f, u, &p);
    } else if (u->seg == SEG_START && !u->unsure &&
               !skip_to_exception(u, &p)) {
        follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": decoded exception "
                        "type %u returning to 0x%" G_GINT64_MODIFIER "x, "
                        "none like it was taken", index, p.type, p.va);
    }
}

/* ---- cycle counts ------------------------------------------------------- */

/*
 * An instruction takes a constant number of cycles, which the first count
 * tells; what the cycle counter cannot hold is unknown, 0 here.
 */
static void cycles_decoded(struct follow *f, struct unit *u, uint64_t index,
                           uint64_t cycles)
{
    uint64_t want = u->since * u->per_insn;

    if (u->counting && cycles && u->since && !u->per_insn) {
        u->per_insn = cycles / u->since;
        want = u->since * u->per_insn;
    }
    if (u->counting && u->per_insn) {
        if (cycles != (want > u->cycles_max ? 0 : want)) {
            follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": decoded %"
                            G_GUINT64_FORMAT " cycles of %" G_GUINT64_FORMAT
                            " instructions", index, cycles, u->since);
        }
        u->here.cycles++;
    }
    u->counting = TRUE;
    u->since = 0;
}

/* ---- what OpenCSD calls ------------------------------------------------- */

static struct unit *unit_of(struct follow *f, unsigned atid)
{
    const struct snap_source *s = snap_source_of(f->readout, atid);

    return s && s->cpu >= 0 && (unsigned)s->cpu < f->log->n_cpus &&
           f->units[s->cpu].active ? &f->units[s->cpu] : NULL;
}

static struct pending range_of(uint64_t index,
                               const ocsd_generic_trace_elem *el)
{
    return (struct pending){
        .va = el->st_addr, .n = el->num_instr_range, .index = index,
        .contextidr = el->context.context_id, .vmid = el->context.vmid,
        .el = (int8_t)el->context.exception_level,
        .ns = el->context.security_level == ocsd_sec_nonsecure,
        .cid_valid = el->context.ctxt_id_valid,
        .vmid_valid = el->context.vmid_valid,
    };
}

void follow_element(void *opaque, unsigned atid, uint64_t index,
                    const ocsd_generic_trace_elem *el)
{
    struct follow *f = opaque;
    struct unit *u = unit_of(f, atid);
    struct pending p;

    if (!u) {
        return;
    }
    switch (el->elem_type) {
    case OCSD_GEN_TRC_ELEM_NO_SYNC:
        follow_settle(f, u, TRUE);
        u->seg = SEG_START;
        u->counting = FALSE;
        u->unsure = u->after_loss = TRUE;
        u->overflow = el->unsync_eot_info == UNSYNC_OVERFLOW;
        u->guessed = FALSE;
        break;
    case OCSD_GEN_TRC_ELEM_TRACE_ON:
        follow_settle(f, u, TRUE);
        /* Only the first after a loss can be any of many windows'. */
        u->unsure = (u->seg == SEG_START && u->unsure &&
                     u->captures[u->capture].lost_start) ||
                    el->trace_on_reason == TRACE_ON_OVERFLOW || u->by_event;
        u->overflow = el->trace_on_reason == TRACE_ON_OVERFLOW ||
                      u->by_event;
        u->after_loss = u->unsure;
        u->guessed = FALSE;     /* that place is passed */
        u->seg = SEG_START;
        u->counting = TRUE;
        u->since = 0;
        break;
    case OCSD_GEN_TRC_ELEM_EO_TRACE:
        follow_settle(f, u, TRUE);
        u->seg = SEG_NONE;
        break;
    case OCSD_GEN_TRC_ELEM_INSTR_RANGE:
        p = range_of(index, el);
        u->since += p.n;
        if (f->range) {
            f->range(f->opaque, u->cpu, p.va, p.n, p.el);
        }
        if (el->isa != ocsd_isa_aarch64) {
            follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": decoded 0x%"
                            G_GINT64_MODIFIER "x is not A64 code", index,
                            p.va);
        } else {
            follow_range(f, u, &p);
        }
        break;
    case OCSD_GEN_TRC_ELEM_EXCEPTION:
        exception_decoded(f, u, index, el);
        break;
    case OCSD_GEN_TRC_ELEM_CYCLE_COUNT:
        cycles_decoded(f, u, index, el->cycle_count);
        break;
    case OCSD_GEN_TRC_ELEM_ADDR_NACC:
        follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": decoded 0x%"
                        G_GINT64_MODIFIER "x: this CPU never executed there",
                        index, el->st_addr);
        break;
    case OCSD_GEN_TRC_ELEM_I_RANGE_NOPATH:
    case OCSD_GEN_TRC_ELEM_ADDR_UNKNOWN:
        follow_mismatch(f, u, "byte %" G_GUINT64_FORMAT ": decoded a range "
                        "without a path or an address", index);
        break;
    default:
        break;
    }
}

static gboolean holds(const struct unit *u, uint32_t run, uint64_t va)
{
    const struct xl_run *r = &u->x->runs[run];

    return va >= r->va && va < r->va + 4ull * r->n;
}

/* What the decoder reads is at @va of this run: next it reads behind that. */
static void set_shadow(struct unit *u, uint32_t run, uint64_t va)
{
    u->shadow = (struct pos){
        .run = run, .off = (uint32_t)((va - u->x->runs[run].va) / 4) + 1,
    };
}

/*
 * Where the segment is not known: the next place that has this address and the
 * same context, else the code that is known so far.  A window that begins
 * there may be one of another program.
 */
static void look_ahead(struct unit *u, uint64_t va, uint32_t from,
                       uint32_t stop)
{
    uint32_t state;

    if (from >= stop) {
        return;
    }
    state = u->x->runs[from].state;
    stop = MIN(stop, from + LOOK_GUESS);
    for (uint32_t r = from; r < stop; r++) {
        if (u->x->runs[r].state == state && holds(u, r, va)) {
            set_shadow(u, r, va);
            return;
        }
    }
}

/*
 * The decoder reads ahead of the elements that it has given: follow it, up to
 * where the sink stopped: what came later is not in this buffer.
 */
static void move_shadow(struct unit *u, uint64_t va, gboolean unsure)
{
    const struct xl_run *runs = u->x->runs;
    struct pos s = follow_normal(u, u->shadow);
    uint32_t stop = MIN(u->captures[u->capture].stop, (uint32_t)u->x->n_runs);
    size_t w;

    if (s.run < u->x->n_runs && runs[s.run].va + 4ull * s.off == va) {
        set_shadow(u, s.run, va);
        return;
    }
    for (uint32_t r = s.run + 1; r < stop && r <= s.run + LOOK_RUNS; r++) {
        if (runs[r].va == va) {
            set_shadow(u, r, va);
            return;
        }
    }
    if (unsure) {
        look_ahead(u, va, s.run, stop);
        return;
    }
    w = follow_next_window(u, s);
    for (size_t k = w; k < u->n_windows && k < w + LOOK_WINDOWS &&
         u->windows[k].first < stop; k++) {
        if (runs[u->windows[k].first].va == va) {
            set_shadow(u, u->windows[k].first, va);
            return;
        }
    }
}

/*
 * The first place of this capture where the address was executed: so far it
 * will do.
 */
static void guess_shadow(struct unit *u, uint64_t va)
{
    uint32_t stop = MIN(u->captures[u->capture].stop, (uint32_t)u->x->n_runs);

    for (uint32_t r = u->pos.run; !u->guessed && r < stop; r++) {
        if (holds(u, r, va)) {
            set_shadow(u, r, va);
            u->shadow.off--;
            u->guessed = TRUE;
        }
    }
}

gboolean follow_memory(void *opaque, unsigned atid, uint64_t va,
                       uint32_t *opcode)
{
    struct follow *f = opaque;
    struct unit *u = unit_of(f, atid);
    gboolean unsure;

    if (!u) {
        return FALSE;
    }
    unsure = u->unsure && (u->seg == SEG_START || u->seg == SEG_PENDING);
    if (unsure) {
        const struct capture *c = &u->captures[u->capture];

        if (c->readout->wrapped) {
            /* The latest that can be in this buffer. */
            return xl_opcode(u->x, va, c->stop, opcode);
        }
        guess_shadow(u, va);
    }
    move_shadow(u, va, unsure);
    return xl_opcode(u->x, va, u->shadow.run, opcode);
}

/* ---- read-outs ---------------------------------------------------------- */

void follow_init(struct follow *f, const struct xl_log *log, gboolean quiet)
{
    f->log = log;
    f->quiet = quiet;
    f->units = g_new0(struct unit, log->n_cpus);
    for (unsigned i = 0; i < log->n_cpus; i++) {
        struct unit *u = &f->units[i];

        u->cpu = i;
        u->log = log;
        u->x = &log->cpus[i];
        follow_find_windows(f, u);
        follow_find_captures(u);
    }
}

void follow_free(struct follow *f)
{
    for (unsigned i = 0; i < f->log->n_cpus; i++) {
        struct unit *u = &f->units[i];

        g_free(u->windows);
        g_free(u->on);
        g_free(u->logged);
        g_free(u->captures);
        g_free(u->spans);
        g_free(u->pending);
    }
    g_free(f->units);
}

void follow_begin(struct follow *f, const struct snap_readout *readout)
{
    f->readout = readout;
    f->shown = 0;
    for (size_t i = 0; i < readout->n_sources; i++) {
        const struct snap_source *s = &readout->sources[i];
        struct unit *u;

        if (!s->etm4 || s->cpu < 0 || (unsigned)s->cpu >= f->log->n_cpus) {
            continue;
        }
        u = &f->units[s->cpu];
        u->active = TRUE;
        u->here = (struct unit_count){ 0 };
        u->cid = (s->reg[SNAP_CONFIGR] & CONFIGR_CID) != 0;
        u->vmid = (s->reg[SNAP_CONFIGR] & CONFIGR_VMID) != 0;
        u->wfx = (s->reg[SNAP_IDR2] & IDR2_WFXMODE) != 0;
        u->cycles_max = (1ull << (IDR2_CCSIZE(s->reg[SNAP_IDR2]) + 12)) - 1;
        u->counting = FALSE;
        u->seg = SEG_START;
        u->unsure = u->after_loss = TRUE;
        u->overflow = u->guessed = FALSE;
        u->n_pending = 0;
        follow_add_capture(u, readout);
        u->capture = u->n_captures - 1;
        u->pos = u->shadow = (struct pos){
            .run = u->captures[u->capture].lost_start
                   ? u->captures[u->capture].search
                   : u->captures[u->capture].enable,
        };
    }
}

void follow_end(struct follow *f)
{
    for (unsigned i = 0; i < f->log->n_cpus; i++) {
        struct unit *u = &f->units[i];

        if (u->active) {
            follow_settle(f, u, TRUE);
            u->active = FALSE;
        }
    }
}
