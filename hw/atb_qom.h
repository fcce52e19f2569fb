/*
 * QOM face of a component of the trace network: what the wiring needs of it.
 *
 * Every csvirt device implements TYPE_CSVIRT_ATB.  The wiring (board/wire.c)
 * owns the links, makes them before the first vCPU runs and never changes
 * them afterwards, so a device may keep the pointers.
 *
 * Locks: a component's lock is a plain QemuMutex, never recursive.  Order:
 * BQL, ETM, link, sink.  The BQL is never taken with a component lock held.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_HW_ATB_QOM_H
#define CSVIRT_HW_ATB_QOM_H

#include "qom/object.h"
#include "qemu/thread.h"
#include "hw/qdev-core.h"
#include "migration/vmstate.h"
#include "models/atb.h"

#define TYPE_CSVIRT_ATB "csvirt-atb"

struct csvirt_arrivals;

typedef struct CsvirtAtbClass CsvirtAtbClass;
DECLARE_CLASS_CHECKERS(CsvirtAtbClass, CSVIRT_ATB, TYPE_CSVIRT_ATB)

struct CsvirtAtbClass {
    InterfaceClass parent;

    /* The component's ATB face; valid from realize on. */
    struct atb_node *(*node)(DeviceState *dev);
    /*
     * Connect input/output @port; called once a port, after realize.
     * returns: false when the component has no such port.  NULL: a component
     * without inputs (sources) or without outputs (sinks).
     */
    bool (*set_in)(DeviceState *dev, unsigned port,
                   const struct atb_link *link);
    bool (*set_out)(DeviceState *dev, unsigned port,
                    const struct atb_link *link);
    /*
     * Sinks: @index among the sinks of the topology, and whom to ask which
     * source sent what.  NULL: not a sink.
     */
    void (*set_sink)(DeviceState *dev, unsigned index,
                     struct csvirt_arrivals *arrivals);
    /* Add the counters to @sum; takes the component lock.  NULL: none. */
    void (*tally)(DeviceState *dev, struct atb_count *sum);
};

/* lock/unlock of a struct atb_node; @arg is a QemuMutex */
void csvirt_atb_lock(void *arg);
void csvirt_atb_unlock(void *arg);
/* csvirt_atb_node_init: give @node the lock @lock (initialized here too) */
void csvirt_atb_node_init(struct atb_node *node, QemuMutex *lock);

/* csvirt_atb_tally: add @c to @sum, field by field */
void csvirt_atb_tally(struct atb_count *sum, const struct atb_count *c);

/*
 * csvirt_atb_add_counters: give a device class that has a tally the read-only
 * uint64 properties "bytes-in", "bytes-dropped" and "dropped-<reason>" for
 * each reason (enum atb_drop).  Call it from class_init.
 */
void csvirt_atb_add_counters(ObjectClass *oc);

/* struct atb_count, for VMSTATE_STRUCT */
extern const VMStateDescription vmstate_csvirt_count;

/* ---- who sent what ---- */

#define CSVIRT_NO_SOURCE (-1)

/* What arrived at one sink, by source; written with atomics. */
struct csvirt_arrivals {
    unsigned sink;              /* index of that sink */
    size_t n;
    struct csvirt_arrival {
        uint64_t bytes;
        uint32_t atid;          /* of the latest chunk */
    } *by_source;               /* @n of them, by source index */
};

/*
 * A tap sits in the data direction of a link; flushes do not pass it.  At the
 * output of a source it notes which source the thread is pushing for, at the
 * input of a sink it counts what came.  ATB carries no source, so this is the
 * only way to tell two sources with one ATID apart.
 */
struct csvirt_tap {
    struct atb_node node;       /* the receiver that the sender sees */
    struct atb_link out;        /* the real receiver */
    int source;                 /* index, or CSVIRT_NO_SOURCE */
    struct csvirt_arrivals *arrivals;   /* NULL: not in front of a sink */
};

/* csvirt_tap_init: data pushed to @t->node goes to what @link joins. */
void csvirt_tap_init(struct csvirt_tap *t, const struct atb_link *link,
                     int source, struct csvirt_arrivals *arrivals);

#endif
