/*
 * ATB glue: the QOM interface, component locks, byte counters as properties
 * and taps that tell which source sent what.  Spec: Arm IHI 0032C.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "qom/object.h"
#include "atb_qom.h"
#include "events.h"

static const char *const drop_property[ATB_DROP_COUNT] = {
    [ATB_DROP_NO_PATH] = "dropped-no-path",
    [ATB_DROP_PORT_CLOSED] = "dropped-port-closed",
    [ATB_DROP_FILTERED] = "dropped-filtered",
    [ATB_DROP_SINK_DISABLED] = "dropped-sink-disabled",
    [ATB_DROP_SINK_STOPPED] = "dropped-sink-stopped",
    [ATB_DROP_BUS_ERROR] = "dropped-bus-error",
    [ATB_DROP_OVERFLOW] = "dropped-overflow",
    [ATB_DROP_BAD_ID] = "dropped-bad-id",
    [ATB_DROP_NO_BUFFER] = "dropped-no-buffer",
};

/* Which source this thread is pushing for: set and used in one call chain. */
static __thread int pushing_source = CSVIRT_NO_SOURCE;

void csvirt_atb_lock(void *arg)
{
    qemu_mutex_lock(arg);
}

void csvirt_atb_unlock(void *arg)
{
    qemu_mutex_unlock(arg);
}

void csvirt_atb_node_init(struct atb_node *node, QemuMutex *lock)
{
    qemu_mutex_init(lock);
    node->lock = csvirt_atb_lock;
    node->unlock = csvirt_atb_unlock;
    node->lock_arg = lock;
}

/* ---- counters ---- */

void csvirt_atb_tally(struct atb_count *sum, const struct atb_count *c)
{
    for (unsigned id = 0; id <= ATB_ID_MAX; id++) {
        sum->in[id] += c->in[id];
        sum->dropped_id[id] += c->dropped_id[id];
    }
    for (unsigned why = 0; why < ATB_DROP_COUNT; why++) {
        sum->dropped[why] += c->dropped[why];
    }
}

static struct atb_count *count_of(Object *obj)
{
    struct atb_count *sum = g_new0(struct atb_count, 1);

    CSVIRT_ATB_GET_CLASS(obj)->tally(DEVICE(obj), sum);
    return sum;
}

static void get_bytes_in(Object *obj, Visitor *v, const char *name,
                         void *opaque, Error **errp)
{
    g_autofree struct atb_count *sum = count_of(obj);
    uint64_t total = 0;

    for (unsigned id = 0; id <= ATB_ID_MAX; id++) {
        total += sum->in[id];
    }
    visit_type_uint64(v, name, &total, errp);
}

/* @opaque: the reason, or ATB_DROP_NONE for all of them */
static void get_bytes_dropped(Object *obj, Visitor *v, const char *name,
                              void *opaque, Error **errp)
{
    g_autofree struct atb_count *sum = count_of(obj);
    unsigned only = GPOINTER_TO_UINT(opaque);
    uint64_t total = 0;

    for (unsigned why = 0; why < ATB_DROP_COUNT; why++) {
        if (only == ATB_DROP_NONE || only == why) {
            total += sum->dropped[why];
        }
    }
    visit_type_uint64(v, name, &total, errp);
}

void csvirt_atb_add_counters(ObjectClass *oc)
{
    object_class_property_add(oc, "bytes-in", "uint64", get_bytes_in,
                              NULL, NULL, NULL);
    object_class_property_add(oc, "bytes-dropped", "uint64",
                              get_bytes_dropped, NULL, NULL,
                              GUINT_TO_POINTER(ATB_DROP_NONE));
    for (unsigned why = 0; why < ATB_DROP_COUNT; why++) {
        if (drop_property[why]) {
            object_class_property_add(oc, drop_property[why], "uint64",
                                      get_bytes_dropped, NULL, NULL,
                                      GUINT_TO_POINTER(why));
        }
    }
}

const VMStateDescription vmstate_csvirt_count = {
    .name = "csvirt-atb-count",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64_ARRAY(in, struct atb_count, ATB_ID_MAX + 1),
        VMSTATE_UINT64_ARRAY(dropped, struct atb_count, ATB_DROP_COUNT),
        VMSTATE_UINT64_ARRAY(dropped_id, struct atb_count, ATB_ID_MAX + 1),
        VMSTATE_END_OF_LIST()
    },
};

/* ---- taps ---- */

static void arrivals_note(struct csvirt_arrivals *a, int source, uint8_t atid,
                          size_t n)
{
    if (source < 0 || (size_t)source >= a->n) {
        return;
    }
    qatomic_set(&a->by_source[source].atid, atid);
    __atomic_fetch_add(&a->by_source[source].bytes, n, __ATOMIC_RELAXED);
    csvirt_events_bytes(a->sink, source, atid, n);
}

static void tap_push(void *self, unsigned port, uint8_t atid,
                     const uint8_t *bytes, size_t n)
{
    struct csvirt_tap *t = self;

    if (t->source != CSVIRT_NO_SOURCE) {
        pushing_source = t->source;
    }
    if (t->arrivals) {
        arrivals_note(t->arrivals, pushing_source, atid, n);
    }
    atb_push(&t->out, atid, bytes, n);
}

void csvirt_tap_init(struct csvirt_tap *t, const struct atb_link *link,
                     int source, struct csvirt_arrivals *arrivals)
{
    static const struct atb_ops tap_ops = { .push = tap_push };

    *t = (struct csvirt_tap) {
        .node = { .ops = &tap_ops, .self = t },
        .out = *link,
        .source = source,
        .arrivals = arrivals,
    };
}

static const TypeInfo atb_interface = {
    .name = TYPE_CSVIRT_ATB,
    .parent = TYPE_INTERFACE,
    .class_size = sizeof(CsvirtAtbClass),
};

static void atb_register_types(void)
{
    type_register_static(&atb_interface);
}

type_init(atb_register_types)
