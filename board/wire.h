/*
 * From a checked trace graph to QEMU devices joined by ATB links.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_BOARD_WIRE_H
#define CSVIRT_BOARD_WIRE_H

#include "qapi/error.h"
#include "qom/object.h"
#include "trace_graph.h"

/*
 * csvirt_wire_build: make, realize, map and connect every node of @graph.
 * Each device becomes a child of @parent under its node name.  Called once,
 * when the CPUs are realized.  @graph must have no errors; not kept.
 * returns: false with *errp "NODE: property: text"; the machine is unusable.
 */
bool csvirt_wire_build(Object *parent, const struct trace_graph *graph,
                       Error **errp);

/*
 * csvirt_wire_conserves: is every byte that the sources sent accounted for,
 * by ATID?  What sources and links passed on is what links and sinks took.
 * BQL held, vCPUs stopped and drained.
 * returns: false after an error that names the ATID.
 */
bool csvirt_wire_conserves(void);

/*
 * csvirt_drain_all: flush every source, so that no trace byte is anywhere but
 * in a model's state or in guest memory.  BQL held, no component lock.
 */
void csvirt_drain_all(void);

#endif
