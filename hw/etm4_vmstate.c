/*
 * Migration state of a trace unit: every field from models/etm4_state.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "atb_qom.h"
#include "etm4_vmstate.h"
#include "regs_qom.h"

static const VMStateDescription vmstate_regs = {
    .name = "csvirt-etm4-regs",
    .version_id = 2,
    .minimum_version_id = 2,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(prgctlr, struct etm4_regs),
        VMSTATE_UINT32(configr, struct etm4_regs),
        VMSTATE_UINT32(eventctl0r, struct etm4_regs),
        VMSTATE_UINT32(eventctl1r, struct etm4_regs),
        VMSTATE_UINT32(tsctlr, struct etm4_regs),
        VMSTATE_UINT32(syncpr, struct etm4_regs),
        VMSTATE_UINT32(ccctlr, struct etm4_regs),
        VMSTATE_UINT32(bbctlr, struct etm4_regs),
        VMSTATE_UINT32(traceidr, struct etm4_regs),
        VMSTATE_UINT32(victlr, struct etm4_regs),
        VMSTATE_UINT32(viiectlr, struct etm4_regs),
        VMSTATE_UINT32(vissctlr, struct etm4_regs),
        VMSTATE_UINT32_ARRAY(seqevr, struct etm4_regs, 3),
        VMSTATE_UINT32(seqrstevr, struct etm4_regs),
        VMSTATE_UINT32(seqstr, struct etm4_regs),
        VMSTATE_UINT32(extinselr, struct etm4_regs),
        VMSTATE_UINT32_ARRAY(cntrldvr, struct etm4_regs, ETM4_COUNTERS),
        VMSTATE_UINT32_ARRAY(cntctlr, struct etm4_regs, ETM4_COUNTERS),
        VMSTATE_UINT32_ARRAY(cntvr, struct etm4_regs, ETM4_COUNTERS),
        VMSTATE_UINT32_ARRAY(rsctlr, struct etm4_regs, ETM4_SELECTORS),
        VMSTATE_UINT32_ARRAY(ssccr, struct etm4_regs, ETM4_SS_COMPS),
        VMSTATE_UINT32_ARRAY(sscsr, struct etm4_regs, ETM4_SS_COMPS),
        VMSTATE_UINT32_ARRAY(acvr, struct etm4_regs, 2 * ETM4_SACS),
        VMSTATE_UINT32_ARRAY(acatr, struct etm4_regs, 2 * ETM4_SACS),
        VMSTATE_UINT32_ARRAY(cidcvr, struct etm4_regs, 2 * ETM4_CTX_COMPS),
        VMSTATE_UINT32_ARRAY(vmidcvr, struct etm4_regs, 2 * ETM4_CTX_COMPS),
        VMSTATE_UINT32_ARRAY(cidcctlr, struct etm4_regs, 2),
        VMSTATE_UINT32_ARRAY(vmidcctlr, struct etm4_regs, 2),
        VMSTATE_UINT32(oslk, struct etm4_regs),
        VMSTATE_UINT32(pdcr, struct etm4_regs),
        VMSTATE_UINT32(stickypd, struct etm4_regs),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription vmstate_context = {
    .name = "csvirt-etm4-context",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT8(el, struct etm4_context),
        VMSTATE_BOOL(ns, struct etm4_context),
        VMSTATE_BOOL(a64, struct etm4_context),
        VMSTATE_UINT32(cid, struct etm4_context),
        VMSTATE_UINT32(vmid, struct etm4_context),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription vmstate_filter = {
    .name = "csvirt-etm4-filter",
    .version_id = 2,
    .minimum_version_id = 2,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(pe_on, struct etm4_filter),
        VMSTATE_BOOL(view, struct etm4_filter),
        VMSTATE_BOOL(event, struct etm4_filter),
        VMSTATE_BOOL(ctx_pending, struct etm4_filter),
        VMSTATE_UINT8(is, struct etm4_filter),
        VMSTATE_STRUCT(ctx, struct etm4_filter, 1, vmstate_context,
                       struct etm4_context),
        VMSTATE_UINT32(next_cid, struct etm4_filter),
        VMSTATE_UINT32(next_vmid, struct etm4_filter),
        VMSTATE_BOOL(time_known, struct etm4_filter),
        VMSTATE_UINT64(time, struct etm4_filter),
        VMSTATE_BOOL(ts_request, struct etm4_filter),
        VMSTATE_BOOL(ranges, struct etm4_filter),
        VMSTATE_BOOL(run_view, struct etm4_filter),
        VMSTATE_BOOL(run_gap, struct etm4_filter),
        VMSTATE_BOOL(overflow, struct etm4_filter),
        VMSTATE_UINT64(pos, struct etm4_filter),
        VMSTATE_UINT64(run_from, struct etm4_filter),
        VMSTATE_UINT64(level, struct etm4_filter),
        VMSTATE_UINT64(level_made, struct etm4_filter),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription vmstate_encoder = {
    .name = "csvirt-etm4-encoder",
    .version_id = 2,
    .minimum_version_id = 2,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(atoms, struct etm4_encoder),
        VMSTATE_UINT32(natoms, struct etm4_encoder),
        VMSTATE_BOOL(synced, struct etm4_encoder),
        VMSTATE_BOOL(ctx_valid, struct etm4_encoder),
        VMSTATE_STRUCT(ctx, struct etm4_encoder, 1, vmstate_context,
                       struct etm4_context),
        VMSTATE_UINT64_ARRAY(hist, struct etm4_encoder, ETM4_HISTORY),
        VMSTATE_UINT64(ts, struct etm4_encoder),
        VMSTATE_UINT64(made, struct etm4_encoder),
        VMSTATE_UINT64(sync_at, struct etm4_encoder),
        VMSTATE_UINT64(sync_every, struct etm4_encoder),
        VMSTATE_UINT64(ts_mark, struct etm4_encoder),
        VMSTATE_UINT64(cycles, struct etm4_encoder),
        VMSTATE_UINT32(rs_n, struct etm4_encoder),
        VMSTATE_UINT64_ARRAY(rs, struct etm4_encoder, ETM4_RS_DEPTH),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription vmstate_fifo = {
    .name = "csvirt-etm4-fifo",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(fill, struct etm4_fifo),
        VMSTATE_UINT8_ARRAY(byte, struct etm4_fifo, ETM4_FIFO_BYTES),
        VMSTATE_END_OF_LIST()
    },
};

const VMStateDescription vmstate_csvirt_etm4_unit = {
    .name = "csvirt-etm4-unit",
    .version_id = 2,
    .minimum_version_id = 2,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(state, struct etm4),
        VMSTATE_STRUCT(regs, struct etm4, 2, vmstate_regs, struct etm4_regs),
        VMSTATE_STRUCT(mgmt, struct etm4, 1, vmstate_csvirt_mgmt,
                       struct cs_mgmt),
        VMSTATE_STRUCT(filter, struct etm4, 2, vmstate_filter,
                       struct etm4_filter),
        VMSTATE_STRUCT(enc, struct etm4, 2, vmstate_encoder,
                       struct etm4_encoder),
        VMSTATE_STRUCT(fifo, struct etm4, 1, vmstate_fifo, struct etm4_fifo),
        VMSTATE_STRUCT(count, struct etm4, 1, vmstate_csvirt_count,
                       struct atb_count),
        VMSTATE_UINT64(pushed, struct etm4),
        VMSTATE_UINT64(overflows, struct etm4),
        VMSTATE_UINT64_ARRAY(out_pulses, struct etm4, ETM4_EVENTS),
        VMSTATE_END_OF_LIST()
    },
};

bool etm4_state_valid(const struct etm4 *e)
{
    return etm4_valid(e);
}
