/*
 * An ETR's session as Linux drives it (tmc_etr_enable_hw, tmc_flush_and_stop):
 * each register that it polls, in its order.  No PE runs, so no byte moves.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "client.h"
#include "models/tmc_regs.h"
#include "tests/tap/tap.h"

#define ETR     0x0c400000ull
#define FUNNEL  0x0c220000ull
#define BUFFER  0x42000000u
#define BYTES   0x00100000u
#define LAR     0xfb0u
#define CLAIMSET 0xfa0u
#define CLAIMCLR 0xfa4u
#define LATENCY 100000      /* ns: what a driver waits at most */
#define CS_KEY  0xc5acce55u

static uint32_t get(struct qtest *q, uint32_t off)
{
    return qtest_readl(q, ETR + off);
}

static void set(struct qtest *q, uint32_t off, uint32_t val)
{
    qtest_writel(q, ETR + off, val);
}

static void claim(struct qtest *q)
{
    set(q, LAR, CS_KEY);
    is_u64(get(q, CLAIMCLR) & 3, 0, "nobody has claimed it");
    set(q, CLAIMSET, 2);
    is_u64(get(q, CLAIMCLR) & 3, 2, "claimed by self-hosted trace");
}

static void enable(struct qtest *q)
{
    is_u64(get(q, TMC_STS) & TMC_STS_TMCREADY, TMC_STS_TMCREADY,
           "ready before the session");
    set(q, TMC_RSZ, BYTES / 4);
    set(q, TMC_MODE, 0);
    set(q, TMC_AXICTL, 0xf3e);
    set(q, TMC_DBALO, BUFFER);
    set(q, TMC_DBAHI, 0);
    set(q, TMC_FFCR, 0x133);
    set(q, TMC_TRG, 0);
    set(q, TMC_CTL, 1);
    is_u64(get(q, TMC_STS) & (TMC_STS_TMCREADY | TMC_STS_FULL |
                              TMC_STS_MEMERR), 0, "running: not ready");
    is_u64(get(q, TMC_RRP), BUFFER, "RRP is the buffer's base");
    is_u64(get(q, TMC_RWP), BUFFER, "RWP is the buffer's base");
    set(q, TMC_RSZ, 4);
    is_u64(get(q, TMC_RSZ), BYTES / 4, "RSZ is not writable while running");
}

static void flush_and_stop(struct qtest *q, const char *when)
{
    set(q, TMC_FFCR, get(q, TMC_FFCR) | TMC_FFCR_STOPONFL);
    set(q, TMC_FFCR, get(q, TMC_FFCR) | TMC_FFCR_FLUSHMAN);
    qtest_clock_step(q, LATENCY);
    is_u64(get(q, TMC_FFCR) & TMC_FFCR_FLUSHMAN, 0, "%s: FlushMan clears",
           when);
    qtest_clock_step(q, LATENCY);
    is_u64(get(q, TMC_STS) & TMC_STS_TMCREADY, TMC_STS_TMCREADY,
           "%s: TMCReady", when);
    is_u64(get(q, TMC_FFSR), TMC_FFSR_FTSTOPPED, "%s: FtStopped", when);
    is_u64(get(q, TMC_CTL), 1, "%s: TraceCaptEn stays", when);
    is_u64(get(q, TMC_RWP), BUFFER, "%s: nothing was written", when);
}

static void disable(struct qtest *q)
{
    set(q, TMC_CTL, 0);
    qtest_clock_step(q, LATENCY);
    is_u64(get(q, TMC_STS) & TMC_STS_TMCREADY, TMC_STS_TMCREADY,
           "disabled: ready");
    set(q, CLAIMCLR, 2);
    is_u64(get(q, CLAIMCLR) & 3, 0, "disclaimed");
    set(q, LAR, 0);
    set(q, TMC_RSZ, 4);
    is_u64(get(q, TMC_RSZ), BYTES / 4, "locked again");
}

static void counters(struct qtest *q)
{
    static const char *const devices[] = {
        "etr@c400000", "funnel@c220000", "replicator@c300000", "etm@c100000",
    };

    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
        is_u64(qtest_counter(q, devices[i], "bytes-dropped"), 0,
               "%s: nothing dropped", devices[i]);
    }
    is_u64(qtest_counter(q, devices[0], "bytes-in"), 0, "no bytes came");
    is_u64(qtest_counter(q, devices[0], "bytes-written"), 0,
           "no bytes were written");
    is_u64(qtest_counter(q, devices[0], "dropped-sink-stopped"), 0,
           "counted by reason");
    is_u64(qtest_counter(q, devices[3], "overflows"), 0, "no overflow");
    is_u64(qtest_counter(q, devices[3], "output-pulses3"), 0,
           "no pulse of an external output");
}

/* A port that opens and closes flushes upstream: it must come back. */
static void funnel_port(struct qtest *q)
{
    qtest_writel(q, FUNNEL + LAR, CS_KEY);
    qtest_writel(q, FUNNEL, 0x703);
    is_u64(qtest_readl(q, FUNNEL), 0x703, "FUNCTL: two ports open");
    qtest_writel(q, FUNNEL, 0x700);
    is_u64(qtest_readl(q, FUNNEL), 0x700, "FUNCTL: closed");
}

int main(int argc, char **argv)
{
    struct qtest *q;

    tap_begin(argc, argv, 0);
    q = qtest_topology("2etr-4cpu", 4, "");
    funnel_port(q);
    for (unsigned session = 0; session < 2; session++) {
        claim(q);
        enable(q);
        flush_and_stop(q, "stop");
        /* perf stops a sink twice */
        flush_and_stop(q, "second stop");
        disable(q);
    }
    counters(q);
    is_u64(qtest_stop(q), 0, "ends well");
    return tap_done();
}
