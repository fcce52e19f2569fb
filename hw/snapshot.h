/*
 * Snapshot writer: each read-out of a sink becomes a numbered folder in the
 * public Trace and Debug Snapshot form (Arm DS, "Trace and Debug Snapshot
 * File format specification" 0.2), which OpenCSD's trc_pkt_lister reads:
 *
 *   DIR/0001/snapshot.ini, trace.ini, cpu_N.ini, etm_N.ini, SINK.ini, SINK.bin
 *   DIR/index.tsv: number, sink, virtual time in ns, bytes, wrapped (0/1),
 *                  sequence number of the execution log (0: no log)
 *
 * Code images are not in it: the execution log has the instructions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_HW_SNAPSHOT_H
#define CSVIRT_HW_SNAPSHOT_H

#include "hw/qdev-core.h"
#include "models/tmc.h"
#include "atb_qom.h"

#define CSVIRT_SNAPSHOT_MAX (4ull << 30)    /* default cap, bytes in all */

struct csvirt_reg_value {
    const char *name;
    uint32_t off;
    uint32_t val;
};

/* One read-out: what was in @sink's buffer when its capture ended. */
struct csvirt_readout {
    const char *sink;                       /* node name */
    unsigned index;                         /* among the sinks */
    bool framed;                            /* 16-byte frames, else raw */
    const char *type;                       /* "ETR" */
    const struct tmc_capture *capture;
    const struct csvirt_reg_value *regs;
    size_t n_regs;
    const struct csvirt_arrivals *arrivals; /* by source; NULL: unknown */
    const uint64_t *seen;                   /* bytes at the last read-out */
};

/*
 * csvirt_snapshot_open: write read-outs below @dir, which is made if missing.
 * @max_bytes: stop, with one warning, before all read-outs exceed it.
 * returns: false with *errp when the folder cannot be made or written, or
 * holds read-outs already.
 */
bool csvirt_snapshot_open(const char *dir, uint64_t max_bytes, Error **errp);

/*
 * csvirt_snapshot_add_source: an ETM, in the order of the source indices.
 * @etm must outlive the machine.  @cpu: its CPU.
 */
void csvirt_snapshot_add_source(DeviceState *etm, unsigned cpu);

/*
 * csvirt_snapshot_write: write one read-out.  BQL held, no component lock.
 * returns: its number (from 1), or 0 when snapshots are off, it is empty, the
 * cap is reached or writing failed (one warning; nothing half-made stays).
 */
unsigned csvirt_snapshot_write(const struct csvirt_readout *r);

#endif
