/*
 * The tap on a processing element (PE): the only view of the CPU that a trace
 * unit has.  See models/pe_event.h for what it reports.
 *
 * Blocks of the traced flavour append branch records to the vCPU's buffer
 * (hw/qemu/0002-trace-tap.patch); EL-change hooks and context register
 * hooks append the rest.  Nobody reads the buffer before it is drained.
 *
 * Threads: records are appended by the vCPU's thread only.  Every other entry
 * is called with the client's lock held, except where it says otherwise.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_HW_PE_TAP_H
#define CSVIRT_HW_PE_TAP_H

#include "qemu/thread.h"
#include "models/pe_event.h"

struct pe_tap_client {
    /* Take @n records; called with @lock held. */
    void (*records)(void *opaque, const struct pe_record *rec, size_t n);
    /* The PE has reported its last record after pe_tap_stop(); @lock held. */
    void (*stopped)(void *opaque);
    QemuMutex *lock;
    void *opaque;
};

typedef struct PETap PETap;

/*
 * pe_tap_new: tap the realized CPU @cpu_index.
 * returns: the tap, or NULL when there is no such CPU or it has one already.
 * Without TCG (qtest) a tap never reports.
 */
PETap *pe_tap_new(unsigned cpu_index, const struct pe_tap_client *client);
void pe_tap_free(PETap *tap);

/* MPIDR_EL1 affinity, for TRCDEVAFF0/1 */
uint64_t pe_tap_mpidr(const PETap *tap);
/*
 * pe_tap_contextid: what names the PE's thread now: CONTEXTIDR_EL1, or
 * CONTEXTIDR_EL2 where a kernel runs at EL2.  0 without TCG.
 */
uint32_t pe_tap_contextid(const PETap *tap);
/* Does the CPU implement EL2 (3)? for TRCIDR3.EXLEVEL */
bool pe_tap_has_el(const PETap *tap, unsigned el);

/*
 * pe_tap_start: make the PE report, by ranges or by atoms (pe_event.h).
 * PE_START comes before the next instruction of the PE is executed; without
 * TCG never.
 */
void pe_tap_start(PETap *tap, bool ranges);
/*
 * pe_tap_stop: end reporting.  Drains, then client->stopped(): at once when
 * the PE cannot be running (its own thread, VM stopped), else from the PE's
 * thread at its next block.
 */
void pe_tap_stop(PETap *tap);
/*
 * pe_tap_drain: hand over what the PE has recorded: all of it when the PE
 * cannot be running, else up to the head that it has published.
 */
void pe_tap_drain(PETap *tap);
/*
 * pe_tap_resume: after a restored state, go on reporting with no PE_START.
 * @start: for ranges, the VA that the last record before the save led to.
 */
void pe_tap_resume(PETap *tap, bool ranges, uint64_t start);

#endif
