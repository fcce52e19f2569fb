/*
 * Table of the csvirt,... properties.  ETMv4 ranges: Arm IHI 0064H.b, 7.3
 * (TRCIDR0, TRCIDR4, TRCIDR5); TMC: Arm DDI 0461B, 3.3 (DEVID).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "knobs.h"

#include <string.h>

static const struct trace_knob knobs[] = {
    { TRACE_ETM4, "arch-minor", .max = 6, .fallback = 2,
      .help = "architecture 4.N" },
    { TRACE_ETM4, "part", .max = 0xfff, .fallback = 0xd0c, .hex = true,
      .help = "part number in PIDR0-1" },
    { TRACE_ETM4, "counters", .max = 4, .fallback = 2,
      .help = "TRCIDR5.NUMCNTR" },
    { TRACE_ETM4, "rs-pairs", .min = 1, .max = 16, .fallback = 8,
      .help = "resource selector pairs" },
    { TRACE_ETM4, "ac-pairs", .max = 8, .fallback = 4,
      .help = "address comparator pairs" },
    { TRACE_ETM4, "cid-comps", .max = 8, .fallback = 1,
      .help = "context ID comparators" },
    { TRACE_ETM4, "vmid-comps", .max = 8, .fallback = 1,
      .help = "VMID comparators" },
    { TRACE_ETM4, "ss-comps", .max = 8, .fallback = 1,
      .help = "single-shot comparator controls" },
    { TRACE_ETM4, "seq-states", .max = 4, .allowed = { 0, 4 },
      .n_allowed = 2, .fallback = 4, .help = "states of the sequencer" },
    { TRACE_ETM4, "events", .min = 1, .max = 4, .fallback = 4,
      .help = "events in the trace (TRCIDR0.NUMEVENT + 1)" },
    { TRACE_ETM4, "ext-inputs", .max = 255, .fallback = 4,
      .help = "external inputs" },
    { TRACE_ETM4, "ext-selectors", .max = 4, .fallback = 4,
      .help = "external input selectors" },
    { TRACE_ETM4, "cid-size", .max = 4, .allowed = { 0, 4 }, .n_allowed = 2,
      .fallback = 4, .help = "bytes of a context ID" },
    { TRACE_ETM4, "vmid-size", .max = 4, .allowed = { 0, 1, 2, 4 },
      .n_allowed = 4, .fallback = 4, .help = "bytes of a VMID" },
    { TRACE_ETM4, "vmid-opt", .max = 1, .fallback = 1,
      .help = "CONTEXTIDR_EL2 as VMID (TRCIDR2.VMIDOPT); with 4 bytes only" },
    { TRACE_ETM4, "branch-broadcast", .max = 1, .fallback = 1,
      .help = "branch broadcasting (TRCIDR0.TRCBB)" },
    { TRACE_ETM4, "return-stack", .max = 15, .fallback = 3,
      .help = "entries of the return stack; 0: absent" },
    { TRACE_ETM4, "cc-bits", .max = 20,
      .allowed = { 0, 12, 13, 14, 15, 16, 17, 18, 19, 20 }, .n_allowed = 10,
      .fallback = 12, .help = "bits of the cycle counter; 0: absent" },
    { TRACE_ETM4, "cc-min", .min = 1, .max = 0xfff, .fallback = 4,
      .help = "least cycle count threshold (TRCIDR3.CCITMIN)" },
    { TRACE_ETM4, "ts-bits", .max = 64, .allowed = { 0, 48, 64 },
      .n_allowed = 3, .fallback = 64, .help = "timestamp size" },
    { TRACE_ETM4, "exlevel-ns", .max = 7, .fallback = 7, .hex = true,
      .help = "a bit for each Non-secure exception level that the CPU has" },
    { TRACE_ETM4, "exlevel-s", .max = 0xf, .fallback = 0, .hex = true,
      .help = "a bit for each Secure exception level" },
    { TRACE_ETM4, "cycles-per-tick", .min = 1, .max = UINT32_MAX,
      .fallback = 16, .help = "PE cycles in a tick of the system counter" },
    { TRACE_ETM4, "cycles-per-insn", .min = 1, .max = 1000, .fallback = 1,
      .help = "PE cycles that an instruction takes" },
    { TRACE_ETM4, "fifo-bytes", .max = 1 << 20, .fallback = 0,
      .help = "bytes at which the FIFO overflows; 0: never" },
    { TRACE_ETM4, "fifo-drain", .min = 1, .max = 1 << 20, .fallback = 64,
      .help = "64ths of a byte that leave such a FIFO in a cycle" },
    { TRACE_TMC_ETR, "mem-width", .max = 256,
      .allowed = { 32, 64, 128, 256 }, .n_allowed = 4, .fallback = 64,
      .help = "bits of a memory transfer (DEVID.MEMWIDTH)" },
    { TRACE_TMC_ETR, "axi-width", .max = 52,
      .allowed = { 32, 40, 44, 48, 52 }, .n_allowed = 5, .fallback = 40,
      .help = "bits of an AXI address (DEVID.AXIAW)" },
    { TRACE_TMC_ETR, "soc600", .max = 1, .fallback = 0,
      .help = "SoC-600 part: writable pointers" },
    { TRACE_TMC_ETR, "rearm", .max = 1, .fallback = 1,
      .help = "CTL = 1 written in Stopped begins anew (AUX pause)" },
    { TRACE_TMC_ETR, "flush-latency-ns", .max = 1000000000,
      .fallback = 1000, .help = "FFCR.FlushMan set to clear" },
    { TRACE_TMC_ETR, "ready-latency-ns", .max = 1000000000,
      .fallback = 500, .help = "stop to STS.TMCReady" },
};

#define N_KNOBS (sizeof(knobs) / sizeof(knobs[0]))

const struct trace_knob *trace_knob_find(enum trace_kind kind,
                                         const char *name)
{
    for (size_t i = 0; i < N_KNOBS; i++) {
        if (knobs[i].kind == kind && strcmp(knobs[i].name, name) == 0) {
            return &knobs[i];
        }
    }
    return NULL;
}

const struct trace_knob *trace_knob_nth(enum trace_kind kind, size_t i)
{
    for (size_t k = 0; k < N_KNOBS; k++) {
        if (knobs[k].kind == kind && i-- == 0) {
            return &knobs[k];
        }
    }
    return NULL;
}

uint64_t trace_node_param(const struct trace_node *n, const char *name,
                          uint64_t fallback)
{
    for (size_t i = 0; i < n->n_params; i++) {
        if (strcmp(n->params[i].name, name) == 0) {
            return n->params[i].value;
        }
    }
    return fallback;
}

uint64_t trace_node_knob(const struct trace_node *n, const char *name)
{
    const struct trace_knob *k = trace_knob_find(n->kind, name);

    return trace_node_param(n, name, k ? k->fallback : 0);
}

bool trace_knob_takes(const struct trace_knob *k, uint64_t v)
{
    for (size_t i = 0; i < k->n_allowed; i++) {
        if (k->allowed[i] == v) {
            return true;
        }
    }
    return k->n_allowed == 0 && v >= k->min && v <= k->max;
}
