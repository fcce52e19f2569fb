/*
 * The defaults and ranges that `csvirt topology show` tells are those of the
 * models.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../../board/knobs.c"
#include "../../models/etm4.h"
#include "../../models/tmc.h"
#include "../tap/tap.h"

static uint64_t told(enum trace_kind kind, const char *name)
{
    const struct trace_knob *k = trace_knob_find(kind, name);

    if (k == NULL) {
        tap_bail("no parameter %s", name);
    }
    return k->fallback;
}

static void etm_defaults(void)
{
    struct etm4_params p;

    etm4_params_default(&p);
    is_u64(told(TRACE_ETM4, "arch-minor"), p.arch_minor, "arch-minor");
    is_u64(told(TRACE_ETM4, "part"), p.part, "part");
    is_u64(told(TRACE_ETM4, "counters"), p.counters, "counters");
    is_u64(told(TRACE_ETM4, "rs-pairs"), p.rs_pairs, "rs-pairs");
    is_u64(told(TRACE_ETM4, "cid-size"), p.cid_size, "cid-size");
    is_u64(told(TRACE_ETM4, "vmid-size"), p.vmid_size, "vmid-size");
    is_u64(told(TRACE_ETM4, "ac-pairs"), p.ac_pairs, "ac-pairs");
    is_u64(told(TRACE_ETM4, "cid-comps"), p.cid_comps, "cid-comps");
    is_u64(told(TRACE_ETM4, "vmid-comps"), p.vmid_comps, "vmid-comps");
    is_u64(told(TRACE_ETM4, "ss-comps"), p.ss_comps, "ss-comps");
    is_u64(told(TRACE_ETM4, "seq-states"), p.seq_states, "seq-states");
    is_u64(told(TRACE_ETM4, "events"), p.events, "events");
    is_u64(told(TRACE_ETM4, "ext-inputs"), p.ext_inputs, "ext-inputs");
    is_u64(told(TRACE_ETM4, "ext-selectors"), p.ext_selectors,
           "ext-selectors");
    is_u64(told(TRACE_ETM4, "vmid-opt"), p.vmid_opt, "vmid-opt");
    is_u64(told(TRACE_ETM4, "branch-broadcast"), p.branch_broadcast,
           "branch-broadcast");
    is_u64(told(TRACE_ETM4, "return-stack"), p.return_stack, "return-stack");
    is_u64(told(TRACE_ETM4, "cc-bits"), p.cc_bits, "cc-bits");
    is_u64(told(TRACE_ETM4, "cc-min"), p.cc_min, "cc-min");
    is_u64(told(TRACE_ETM4, "cycles-per-insn"), p.cycles_per_insn,
           "cycles-per-insn");
    is_u64(told(TRACE_ETM4, "fifo-bytes"), p.fifo_bytes, "fifo-bytes");
    is_u64(told(TRACE_ETM4, "fifo-drain"), p.fifo_drain, "fifo-drain");
    is_u64(told(TRACE_ETM4, "ts-bits"), p.ts_bits, "ts-bits");
    is_u64(told(TRACE_ETM4, "exlevel-ns"), p.exlevel_ns, "exlevel-ns");
    is_u64(told(TRACE_ETM4, "exlevel-s"), p.exlevel_s, "exlevel-s");
    is_u64(told(TRACE_ETM4, "cycles-per-tick"), p.cycles_per_tick,
           "cycles-per-tick");
}

static void tmc_defaults(void)
{
    struct tmc_params p;

    tmc_params_default(&p);
    is_u64(told(TRACE_TMC_ETR, "mem-width"), 1u << p.mem_width_log2,
           "mem-width");
    is_u64(told(TRACE_TMC_ETR, "axi-width"), p.axi_addr_bits, "axi-width");
    is_u64(told(TRACE_TMC_ETR, "soc600"), p.soc600, "soc600");
    is_u64(told(TRACE_TMC_ETR, "rearm"), p.rearm, "rearm");
    is_u64(told(TRACE_TMC_ETR, "flush-latency-ns"), p.flush_ns,
           "flush-latency-ns");
    is_u64(told(TRACE_TMC_ETR, "ready-latency-ns"), p.ready_ns,
           "ready-latency-ns");
}

/* values that the table takes and the ETM refuses, or the other way round */
static void etm_ranges(void)
{
    static const uint64_t probe[] = {
        0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 32, 47, 48, 63, 64, 65, 255,
    };
    struct sweep s;

    sweep_begin(&s, "the table takes what the ETM takes");
    for (size_t i = 0; i < sizeof(probe) / sizeof(probe[0]); i++) {
        const uint8_t v = (uint8_t)probe[i];
        const char *const names[] = {
            "arch-minor", "counters", "rs-pairs", "cid-size", "vmid-size",
            "ts-bits", "exlevel-ns", "exlevel-s", "ac-pairs", "cid-comps",
            "vmid-comps", "ss-comps", "seq-states", "events", "ext-inputs",
            "ext-selectors", "vmid-opt", "branch-broadcast", "return-stack",
            "cc-bits",
        };

        for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
            struct etm4_params p;
            uint8_t *field[20];

            etm4_params_default(&p);
            field[0] = &p.arch_minor, field[1] = &p.counters;
            field[2] = &p.rs_pairs, field[3] = &p.cid_size;
            field[4] = &p.vmid_size, field[5] = &p.ts_bits;
            field[6] = &p.exlevel_ns, field[7] = &p.exlevel_s;
            field[8] = &p.ac_pairs, field[9] = &p.cid_comps;
            field[10] = &p.vmid_comps, field[11] = &p.ss_comps;
            field[12] = &p.seq_states, field[13] = &p.events;
            field[14] = &p.ext_inputs, field[15] = &p.ext_selectors;
            field[16] = &p.vmid_opt, field[17] = &p.branch_broadcast;
            field[18] = &p.return_stack, field[19] = &p.cc_bits;
            *field[n] = v;
            sweep_case(&s, (etm4_params_check(&p) == NULL) ==
                       trace_knob_takes(trace_knob_find(TRACE_ETM4,
                                                        names[n]), v),
                       "%s = %u", names[n], v);
        }
    }
    sweep_end(&s);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    etm_defaults();
    tmc_defaults();
    etm_ranges();
    return tap_done();
}
