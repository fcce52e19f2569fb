/*
 * TMC as ETR: identity, reset values, and the register table walked in each
 * state, locked and unlocked.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "models/regs_mgmt.h"
#include "tests/models/sink.h"
#include "tests/tap/tap.h"

static struct sink sink;

static void identity(void)
{
    struct tmc_params p;

    sink_init(&sink);
    is_u64(sink_rd(&sink, CS_DEVID), 0x01510340,
           "DEVID: ETR, 64-bit memory, 40-bit AXI, no scatter-gather");
    is_u64(sink_rd(&sink, CS_AUTHSTATUS) & 3, 3, "AUTHSTATUS[1:0]");
    is_u64(sink_rd(&sink, CS_AUTHSTATUS) >> 2, 3, "AUTHSTATUS[3:2]");
    is_u64(sink_rd(&sink, CS_DEVTYPE), 0x21, "DEVTYPE: sink, buffer");
    is_u64(sink_rd(&sink, CS_PIDR0), 0x61, "PIDR0");
    is_u64(sink_rd(&sink, CS_PIDR0 + 4), 0xb9, "PIDR1");
    is_u64(sink_rd(&sink, CS_PIDR0 + 8) & 0xf, 0xb, "PIDR2[3:0]");
    is_u64(sink_rd(&sink, CS_LSR), 1, "software lock, open");
    is_u64(sink_rd(&sink, CS_CLAIMSET), 0xf, "four claim tags");

    tmc_params_default(&p);
    p.soc600 = true;
    p.axi_addr_bits = 48;
    p.mem_width_log2 = 7;
    sink_init_with(&sink, &p);
    is_u64(sink_rd(&sink, CS_DEVID), 0x01610440, "DEVID follows parameters");
    is_u64(sink_rd(&sink, CS_PIDR0), 0xe8, "SoC-600: PIDR0");
    is_u64(sink_rd(&sink, CS_LSR), 0, "SoC-600: no software lock");
    p.devid = 0x12345678;
    sink_init_with(&sink, &p);
    is_u64(sink_rd(&sink, CS_DEVID), 0x12345678, "DEVID as given");
    memset(&p, 0, sizeof(p));
    sink_init_with(&sink, &p);
    is_u64(sink_rd(&sink, CS_DEVID), 0x01510340,
           "parameters out of range take the default");
}

/* Bring the sink to @state; latencies make each of them visible. */
static void go_to(enum tmc_state state)
{
    uint8_t bytes[20] = { 0 };

    sink_init(&sink);
    if (state == TMC_DISABLED) {
        return;
    }
    sink_enable(&sink, SINK_BASE, 1024);
    sink_push(&sink, 0x10, bytes, sizeof(bytes));
    if (state == TMC_RUNNING) {
        return;
    }
    if (state == TMC_DISABLING) {
        sink_wr(&sink, TMC_CTL, 0);
        return;
    }
    sink_wr(&sink, TMC_FFCR, SINK_FFCR | TMC_FFCR_STOPONFL);
    sink_wr(&sink, TMC_FFCR,
            SINK_FFCR | TMC_FFCR_STOPONFL | TMC_FFCR_FLUSHMAN);
    sink.now_ns += sink.t.params.flush_ns;
    sink_rd(&sink, TMC_STS);
    if (state == TMC_STOPPED) {
        sink.now_ns += sink.t.params.ready_ns;
        sink_rd(&sink, TMC_STS);
    }
}

static const char *const state_name[] = {
    "disabled", "running", "stopping", "stopped", "disabling",
};

static void reset_values(void)
{
    size_t n;
    const struct reg_desc *t = tmc_table(&n);
    struct sweep s;

    sweep_begin(&s, "reset value of each register");
    sink_init(&sink);
    for (size_t i = 0; i < n; i++) {
        sweep_case(&s, sink_rd(&sink, t[i].off) == t[i].reset, "%s reads 0x%x",
                   t[i].name, sink_rd(&sink, t[i].off));
        sweep_case(&s, i == 0 || t[i].off > t[i - 1].off, "%s not sorted",
                   t[i].name);
    }
    go_to(TMC_STOPPED);
    sink_wr(&sink, CS_CLAIMSET, 2);
    tmc_reset(&sink.t);
    for (size_t i = 0; i < n; i++) {
        sweep_case(&s, sink_rd(&sink, t[i].off) == t[i].reset,
                   "%s after a reset: 0x%x", t[i].name,
                   sink_rd(&sink, t[i].off));
    }
    sweep_case(&s, sink_rd(&sink, CS_LSR) == 3, "reset locks");
    sweep_case(&s, sink_rd(&sink, CS_CLAIMCLR) == 0, "reset releases");
    sweep_case(&s, sink_conserved(&sink), "reset loses bytes uncounted");
    sweep_end(&s);
}

/* Registers with one plain field: what is written, masked, reads back. */
static void write_masks(void)
{
    static const uint32_t pattern[] = {
        0xffffffff, 0x55555555, 0xaaaaaaaa, 0x00000000,
    };
    size_t n;
    const struct reg_desc *t = tmc_table(&n);
    struct sweep s;

    sweep_begin(&s, "writable bits of each register");
    for (size_t i = 0; i < n; i++) {
        uint32_t mask = t[i].mask;

        if (!(t[i].flags & REG_F_IDLE)) {
            continue;
        }
        if (t[i].off == TMC_DBAHI || t[i].off == TMC_RRPHI ||
            t[i].off == TMC_RWPHI) {
            mask = 0xff;                   /* 40-bit addresses */
        } else if (t[i].off == TMC_AXICTL) {
            mask = 0xf3f;                  /* SoC-400: no ARCACHE */
        }
        for (size_t k = 0; k < 4; k++) {
            enum reg_result r;

            sink_init(&sink);
            r = sink_wr(&sink, t[i].off, pattern[k]);
            sweep_case(&s, sink_rd(&sink, t[i].off) == (pattern[k] & mask),
                       "%s 0x%x reads 0x%x", t[i].name, pattern[k],
                       sink_rd(&sink, t[i].off));
            sweep_case(&s, (r == REG_OK) == !(pattern[k] & ~mask) &&
                       (r == REG_OK || r == REG_RESERVED), "%s 0x%x: %s",
                       t[i].name, pattern[k], reg_result_text(r));
        }
    }
    sweep_end(&s);
}

/* DEVID.MEMWIDTH: 2 is 32 bits, 5 is 256; a frame is 16 bytes. */
static void memory_width(void)
{
    struct sweep s;

    sweep_begin(&s, "addresses are whole memory words");
    for (uint8_t log2 = 5; log2 <= 8; log2++) {
        uint32_t least = log2 == 8 ? 32 : 16;
        struct tmc_params p;

        tmc_params_default(&p);
        p.mem_width_log2 = log2;
        sink_init_with(&sink, &p);
        sweep_case(&s, (sink_rd(&sink, CS_DEVID) >> 8 & 7) == log2 - 3u,
                   "%u bits: MEMWIDTH", 1u << log2);
        sink_wr(&sink, TMC_DBALO, 0xffffffff);
        sweep_case(&s, sink_rd(&sink, TMC_DBALO) == 0u - least,
                   "%u bits: DBALO", 1u << log2);
    }
    sweep_end(&s);
}

/* A write of all ones to everything, in each state: what may change. */
static void walk(enum tmc_state state, bool locked)
{
    size_t n;
    const struct reg_desc *t = tmc_table(&n);

    for (size_t i = 0; i < n; i++) {
        struct sweep s;
        enum reg_result want = REG_OK, got;
        uint32_t before, value = ~t[i].reset;

        if (t[i].off == TMC_CTL || t[i].off == TMC_STS) {
            continue;              /* tmc-states-test.c */
        }
        go_to(state);
        if (locked) {
            sink_wr(&sink, CS_LAR, 0);
        }
        before = sink_rd(&sink, t[i].off);
        sweep_begin(&s, t[i].name);
        got = sink_wr(&sink, t[i].off, value);
        if (locked) {
            want = REG_LOCKED;
        } else if (t[i].flags & REG_F_ABSENT) {
            want = REG_RES0;
        } else if (t[i].flags & REG_F_RO) {
            want = REG_RO;
        } else if ((t[i].flags & REG_F_IDLE) && state != TMC_DISABLED) {
            want = REG_BUSY;
        }
        if (want != REG_OK) {
            sweep_case(&s, got == want, "%s: %s", state_name[state],
                       reg_result_text(got));
            sweep_case(&s, sink_rd(&sink, t[i].off) == before ||
                       t[i].off == TMC_LBUFLEVEL, "%s: changed",
                       state_name[state]);
        } else {
            sweep_case(&s, got == REG_RESERVED || got == REG_OK, "%s: %s",
                       state_name[state], reg_result_text(got));
        }
        sweep_end(&s);
    }
}

/* Every offset of the page, read and written, in each state. */
static void page(enum tmc_state state)
{
    struct sweep s;

    sweep_begin(&s, state_name[state]);
    for (uint32_t off = 0; off < 0xf00; off += 4) {
        size_t n;
        const struct reg_desc *t = tmc_table(&n);
        const struct reg_desc *d = regs_find(t, n, off, NULL);
        uint32_t val = 1;

        go_to(state);
        if (!d || (d->flags & REG_F_ABSENT)) {
            sweep_case(&s, tmc_read(&sink.t, off, &val, sink.now_ns) ==
                       REG_RES0 && val == 0, "0x%03x reads", off);
            sweep_case(&s, sink_wr(&sink, off, 0xffffffff) == REG_RES0,
                       "0x%03x writes", off);
        } else {
            sweep_case(&s, tmc_read(&sink.t, off, &val, sink.now_ns) ==
                       REG_OK, "%s reads", d->name);
        }
        sweep_case(&s, sink.t.state == state, "0x%03x changed the state", off);
    }
    sweep_end(&s);
}

static void refused(void)
{
    sink_init(&sink);
    for (uint32_t mode = 1; mode < 4; mode++) {
        is_u64(sink_wr(&sink, TMC_MODE, mode), REG_RESERVED,
               "MODE %u is not modelled", mode);
        is_u64(sink_rd(&sink, TMC_MODE), 0, "... and stays circular");
    }
    is_u64(sink_wr(&sink, TMC_AXICTL, 0x80), REG_RESERVED,
           "scatter-gather is not modelled");
    is_u64(sink_rd(&sink, TMC_AXICTL), 0, "... and stays off");
    is_u64(sink_wr(&sink, TMC_FFCR, 1u << 14), REG_RESERVED,
           "DrainBuffer is none of an ETR's");
    is_u64(sink_rd(&sink, TMC_RRD), 0xffffffff, "RRD: no data");
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    identity();
    reset_values();
    write_masks();
    memory_width();
    for (int state = TMC_DISABLED; state <= TMC_DISABLING; state++) {
        page((enum tmc_state)state);
        walk((enum tmc_state)state, false);
        walk((enum tmc_state)state, true);
    }
    refused();
    return tap_done();
}
