/*
 * What happens in the trace network, see events.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/lockable.h"
#include "qemu/thread.h"
#include "qapi/visitor.h"
#include "hw/core/cpu.h"
#include "system/cpu-timers.h"
#include "events.h"
#include "events_json.h"
#include "models/ids.h"
#include "sched.h"

/* Collisions that are told as they happen; the rest is a number at the end. */
#define TELL_MAX 8u

static struct {
    QemuMutex lock;
    bool ready;
    struct ids ids;
    GArray *cpu;            /* unsigned, by source */
    GPtrArray *name;        /* by sink */
    int *source;            /* by CPU; IDS_NONE: no trace unit */
    unsigned n_cpus;
    struct events_json *file;
    unsigned told;
    uint64_t latest_ns;
} ev;

/*
 * Under icount the clock may be read only where the block allows I/O; what
 * happens elsewhere gets the time of the latest event before it.
 */
static uint64_t now_ns(void)
{
    if (!icount_enabled() || !current_cpu || !current_cpu->running ||
        current_cpu->neg.can_do_io) {
        ev.latest_ns = csvirt_now_ns();
    }
    return ev.latest_ns;
}

static const unsigned *cpus(void)
{
    return (const unsigned *)(void *)ev.cpu->data;
}

static unsigned cpu_of(size_t source)
{
    return cpus()[source];
}

static const char *name_of(size_t sink)
{
    return g_ptr_array_index(ev.name, sink);
}

/* ---- set-up ---- */

bool csvirt_events_open(const char *path, Error **errp)
{
    ev.file = events_json_open(path);
    if (!ev.file) {
        error_setg_errno(errp, errno, "%s", path);
        return false;
    }
    return true;
}

void csvirt_events_add_source(unsigned cpu)
{
    if (!ev.cpu) {
        ev.cpu = g_array_new(FALSE, FALSE, sizeof(unsigned));
    }
    g_array_append_val(ev.cpu, cpu);
    ev.n_cpus = MAX(ev.n_cpus, cpu + 1);
}

void csvirt_events_add_sink(const char *name)
{
    if (!ev.name) {
        ev.name = g_ptr_array_new();
    }
    g_ptr_array_add(ev.name, g_strdup(name));
}

/* The lock is held. */
static void collided(void *arg, const struct ids_collision *c)
{
    if (ev.told++ < TELL_MAX) {
        warn_report("csvirt: %s: CPU %u and CPU %u trace with the same ATID "
                    "0x%02x%s", name_of(c->sink), cpu_of(c->first),
                    cpu_of(c->second), c->atid,
                    c->live ? "" : ", one after the other");
    }
    if (ev.file) {
        events_json_collision(ev.file, c, cpus());
    }
}

static void at_exit(void)
{
    int err;

    if (ev.told > TELL_MAX) {
        warn_report("csvirt: %" PRIu64 " ATID collisions, %" PRIu64 " of them "
                    "between CPUs that traced at one time",
                    ev.ids.collisions, ev.ids.live);
    }
    if (ev.file) {
        err = events_json_close(ev.file);
        ev.file = NULL;
        if (err) {
            error_report("events: %s", strerror(err));
        }
    }
}

static void name_rows(void)
{
    for (size_t i = 0; ev.file && i < ev.ids.n_sources; i++) {
        events_json_cpu(ev.file, cpu_of(i));
    }
    for (size_t i = 0; ev.file && i < ev.ids.n_sinks; i++) {
        events_json_sink(ev.file, i, name_of(i));
    }
}

static void init_ids(void)
{
    struct ids *ids = &ev.ids;

    ids->n_sources = ev.cpu->len;
    ids->n_sinks = ev.name->len;
    ids->source = g_new0(struct ids_source, ids->n_sources);
    ids->sink = g_new0(struct ids_sink, ids->n_sinks);
    for (size_t i = 0; i < ids->n_sinks; i++) {
        ids->sink[i].member = g_new0(struct ids_member, ids->n_sources);
    }
    ids->collided = collided;
    ids_init(ids);
    ev.source = g_new(int, ev.n_cpus);
    for (unsigned i = 0; i < ev.n_cpus; i++) {
        ev.source[i] = IDS_NONE;
    }
    for (size_t i = 0; i < ids->n_sources; i++) {
        ev.source[cpu_of(i)] = i;
    }
}

/* ---- properties ---- */

static void get_collisions(Object *obj, Visitor *v, const char *name,
                           void *opaque, Error **errp)
{
    uint64_t n;

    WITH_QEMU_LOCK_GUARD(&ev.lock) {
        n = ev.ids.collisions;
    }
    visit_type_uint64(v, name, &n, errp);
}

static void visit_use(Visitor *v, unsigned id, const struct ids_use *u,
                      Error **errp)
{
    g_autofree char *key = g_strdup_printf("0x%02x", id);
    uint64_t cpu = cpu_of(u->source), bytes = u->bytes;
    uint64_t first = u->first_ns, last = u->last_ns;

    if (!visit_start_struct(v, key, NULL, 0, errp)) {
        return;
    }
    visit_type_uint64(v, "cpu", &cpu, errp);
    visit_type_uint64(v, "bytes", &bytes, errp);
    visit_type_uint64(v, "first-ns", &first, errp);
    visit_type_uint64(v, "last-ns", &last, errp);
    visit_end_struct(v, NULL);
}

static void visit_sink(Visitor *v, const char *name, const struct ids_sink *s,
                       Error **errp)
{
    bool on = s->on;
    uint64_t captures = s->captures, collisions = s->collisions;

    if (!visit_start_struct(v, name, NULL, 0, errp)) {
        return;
    }
    visit_type_bool(v, "capturing", &on, errp);
    visit_type_uint64(v, "captures", &captures, errp);
    visit_type_uint64(v, "collisions", &collisions, errp);
    if (visit_start_struct(v, "atids", NULL, 0, errp)) {
        for (unsigned id = 0; id < IDS_ATIDS; id++) {
            if (s->use[id].source != IDS_NONE) {
                visit_use(v, id, &s->use[id], errp);
            }
        }
        visit_end_struct(v, NULL);
    }
    visit_end_struct(v, NULL);
}

static void visit_source(Visitor *v, unsigned cpu, const struct ids_source *s,
                         Error **errp)
{
    g_autofree char *key = g_strdup_printf("cpu%u", cpu);
    bool on = s->on;
    uint64_t atid = s->atid, context = s->contextidr, sessions = s->sessions;

    if (!visit_start_struct(v, key, NULL, 0, errp)) {
        return;
    }
    visit_type_bool(v, "on", &on, errp);
    visit_type_uint64(v, "atid", &atid, errp);
    visit_type_uint64(v, "contextidr", &context, errp);
    visit_type_uint64(v, "sessions", &sessions, errp);
    visit_end_struct(v, NULL);
}

static void get_atids(Object *obj, Visitor *v, const char *name,
                      void *opaque, Error **errp)
{
    QEMU_LOCK_GUARD(&ev.lock);

    if (!visit_start_struct(v, name, NULL, 0, errp)) {
        return;
    }
    for (size_t i = 0; i < ev.ids.n_sinks; i++) {
        visit_sink(v, name_of(i), &ev.ids.sink[i], errp);
    }
    for (size_t i = 0; i < ev.ids.n_sources; i++) {
        visit_source(v, cpu_of(i), &ev.ids.source[i], errp);
    }
    visit_end_struct(v, NULL);
}

void csvirt_events_ready(Object *network)
{
    qemu_mutex_init(&ev.lock);
    atexit(at_exit);
    if (!ev.cpu || !ev.name) {
        return;              /* nobody, or nowhere, to trace */
    }
    init_ids();
    name_rows();
    object_property_add(network, "atid-collisions", "uint64", get_collisions,
                        NULL, NULL, NULL);
    object_property_add(network, "atids", "struct", get_atids, NULL, NULL,
                        NULL);
    ev.ready = true;
}

/* ---- sources ---- */

/* the source of @cpu, IDS_NONE when there is none */
static int source_of(unsigned cpu)
{
    return ev.ready && cpu < ev.n_cpus ? ev.source[cpu] : IDS_NONE;
}

void csvirt_events_source_on(unsigned cpu, uint8_t atid, uint32_t contextidr)
{
    int i = source_of(cpu);

    if (i == IDS_NONE) {
        return;
    }
    QEMU_LOCK_GUARD(&ev.lock);
    if (ev.file && ev.ids.source[i].on) {
        events_json_off(ev.file, now_ns(), cpu);
    }
    ids_source_on(&ev.ids, i, atid, contextidr, now_ns());
    if (ev.file) {
        events_json_on(ev.file, now_ns(), cpu, &ev.ids.source[i]);
    }
}

void csvirt_events_source_off(unsigned cpu)
{
    int i = source_of(cpu);

    if (i == IDS_NONE) {
        return;
    }
    QEMU_LOCK_GUARD(&ev.lock);
    if (ev.file && ev.ids.source[i].on) {
        events_json_off(ev.file, now_ns(), cpu);
    }
    ids_source_off(&ev.ids, i, now_ns());
}

void csvirt_events_context(unsigned cpu, uint32_t contextidr)
{
    int i = source_of(cpu);

    if (i == IDS_NONE) {
        return;
    }
    QEMU_LOCK_GUARD(&ev.lock);
    if (ev.ids.source[i].contextidr == contextidr) {
        return;
    }
    ids_source_context(&ev.ids, i, contextidr);
    if (ev.file) {
        events_json_thread(ev.file, now_ns(), cpu, contextidr);
    }
}

/* ---- sinks ---- */

static void capture_begins(unsigned sink, const struct csvirt_sink_state *s)
{
    ids_sink_on(&ev.ids, sink, now_ns());
    if (ev.file) {
        events_json_capture(ev.file, now_ns(), sink, s);
    }
}

static void capture_ends(unsigned sink, const struct csvirt_sink_state *s)
{
    if (ev.file && ev.ids.sink[sink].on) {
        events_json_capture_end(ev.file, now_ns(), sink, s,
                                &ev.ids.sink[sink], cpus());
    }
    ids_sink_off(&ev.ids, sink, now_ns());
}

void csvirt_events_sink(unsigned sink, enum csvirt_sink_event what,
                        const struct csvirt_sink_state *s)
{
    static const char *const note[] = {
        [CSVIRT_SINK_PROGRAM] = "program",
        [CSVIRT_SINK_FLUSH] = "flush",
        [CSVIRT_SINK_DISABLE] = "disable",
    };

    if (!ev.ready) {
        return;
    }
    QEMU_LOCK_GUARD(&ev.lock);
    if (what == CSVIRT_SINK_STOP || what == CSVIRT_SINK_DISABLE ||
        (what == CSVIRT_SINK_ENABLE && ev.ids.sink[sink].on)) {
        capture_ends(sink, s);
    }
    if (what == CSVIRT_SINK_ENABLE) {
        capture_begins(sink, s);
    } else if (what != CSVIRT_SINK_STOP && ev.file) {
        events_json_sink_note(ev.file, now_ns(), sink, note[what], s);
    }
}

void csvirt_events_bytes(unsigned sink, unsigned source, uint8_t atid,
                         size_t n)
{
    if (ev.ready) {
        QEMU_LOCK_GUARD(&ev.lock);
        ids_bytes(&ev.ids, sink, source, atid, n, now_ns());
    }
}
