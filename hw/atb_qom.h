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
#include "models/atb.h"

#define TYPE_CSVIRT_ATB "csvirt-atb"

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
    /* Add the counters to @sum; takes the component lock.  NULL: none. */
    void (*tally)(DeviceState *dev, struct atb_count *sum);
};

/* lock/unlock of a struct atb_node; @arg is a QemuMutex */
void csvirt_atb_lock(void *arg);
void csvirt_atb_unlock(void *arg);
/* csvirt_atb_node_init: give @node the lock @lock (initialized here too) */
void csvirt_atb_node_init(struct atb_node *node, QemuMutex *lock);

 * bytes by fate: "bytes-in", "bytes-dropped" and "dropped-<reason>" for each
 * reason.  @tally: adds the device's counters to @sum (zeroed); it is called
 * without the component's lock.
 */
void csvirt_atb_add_counters(DeviceClass *dc);

typedef void (*CsvirtAtbTally)(DeviceState *dev, struct atb_count *sum);
/* add @c to @sum, field by field */
void csvirt_atb_tally(struct atb_count *sum, const struct atb_count *c);

#endif
/* csvirt_atb_tally: add @c to @sum, field by field */
void csvirt_atb_tally(struct atb_count *sum, const struct atb_count *c);

/*
 * csvirt_atb_add_counters: give a device class that has a tally the read-only
 * uint64 properties "bytes-in", "bytes-dropped" and "dropped-<reason>" for
 * each reason (enum atb_drop).  Call it from class_init.
 */
void csvirt_atb_add_counters(ObjectClass *oc);

#endif
