/*
 * TMC as ETR: the state machine of DDI 0461B, 2.2.1, its status bits and
 * latencies; the sequences of a driver; SoC-600 pointers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "models/regs_mgmt.h"
#include "tests/models/sink.h"
#include "tests/tap/tap.h"

#define FLUSH_STOP (SINK_FFCR | TMC_FFCR_STOPONFL | TMC_FFCR_FLUSHMAN)

static struct sink sink;
static const uint8_t data[4096];

static uint32_t sts(void)
{
    return sink_rd(&sink, TMC_STS);
}

static void running(uint32_t words)
{
    sink_init(&sink);
    sink_enable(&sink, SINK_BASE, words);
}

static void at_start(void)
{
    sink_init(&sink);
    is_u64(sts(), TMC_STS_TMCREADY | TMC_STS_FTEMPTY, "disabled: ready");
    is_u64(sink_rd(&sink, TMC_FFSR), TMC_FFSR_FTSTOPPED, "FtStopped");
    is_u64(sink_enable(&sink, SINK_BASE, 1024), REG_OK, "enable");
    is_u64(sts(), TMC_STS_EMPTY, "running: not ready, empty");
    is_u64(sink_rd(&sink, TMC_FFSR), 0, "running: FtStopped is clear");
    is_u64(sink_rd(&sink, TMC_RRP), (uint32_t)SINK_BASE, "RRP = DBA");
    is_u64(sink_rd(&sink, TMC_RWP), (uint32_t)SINK_BASE, "RWP = DBA");
    is_u64(sink_rd(&sink, TMC_CTL), 1, "CTL reads back");
    is_u64(sink_rd(&sink, TMC_FFCR), SINK_FFCR, "FFCR reads back");
    sink_push(&sink, 0x10, data, 14);
    is_u64(sts(), 0, "a frame in memory: not empty");
    is_u64(sink_rd(&sink, TMC_CBUFLEVEL), 4, "CBUFLEVEL in words");
}

static void stop_with_latency(void)
{
    running(1024);
    sink_push(&sink, 0x10, data, 3);
    sink.now_ns = 10000;
    is_u64(sink_wr(&sink, TMC_FFCR, FLUSH_STOP), REG_OK, "flush and stop");
    is_u64(sink_rd(&sink, TMC_FFCR), FLUSH_STOP, "FlushMan reads as one");
    is_u64(sink_rd(&sink, TMC_FFSR), TMC_FFSR_FLINPROG, "FlInProg");
    sink_push(&sink, 0x10, data, 3);
    sink.now_ns = 10999;
    is_u64(sink_rd(&sink, TMC_FFCR), FLUSH_STOP, "... until the latency ends");
    sink.now_ns = 11000;
    is_u64(sink_rd(&sink, TMC_FFCR), FLUSH_STOP & ~TMC_FFCR_FLUSHMAN,
           "FlushMan clears by itself");
    is_u64(sink_rd(&sink, TMC_FFSR), 0, "FlInProg clears, not stopped yet");
    is_u64(sts() & TMC_STS_TMCREADY, 0, "not ready yet");
    is_u64(sink.captured, 1, "the capture is announced");
    sink_push(&sink, 0x10, data, 3);
    is_u64(sink.t.count.dropped[ATB_DROP_SINK_STOPPED], 3,
           "what comes after the flush is dropped");
    sink.now_ns = 11500;
    is_u64(sts(), TMC_STS_TMCREADY | TMC_STS_FTEMPTY, "then ready");
    is_u64(sink_rd(&sink, TMC_FFSR), TMC_FFSR_FTSTOPPED, "FtStopped");
    is_u64(sink_rd(&sink, TMC_CTL), 1, "CTL is still 1");
    is_u64(sink_rd(&sink, TMC_RWP), (uint32_t)SINK_BASE + 32,
           "RWP: a frame and one of nulls");
    is_u64(sink_rd(&sink, TMC_RRP), (uint32_t)SINK_BASE, "RRP: the start");
    ok(sink_conserved(&sink), "all accounted for");
}

static void time_jumps(void)
{
    running(1024);
    sink_push(&sink, 0x10, data, 3);
    sink_wr(&sink, TMC_FFCR, FLUSH_STOP);
    sink.now_ns = 1000000000;
    is_u64(sts(), TMC_STS_TMCREADY | TMC_STS_FTEMPTY,
           "a long time later all of it is over");
    sink.now_ns = 0;
    is_u64(sts(), TMC_STS_TMCREADY | TMC_STS_FTEMPTY,
           "a clock that goes back changes nothing");
}

/* A driver stops twice, the second time when stopped already. */
static void stop_twice(void)
{
    running(1024);
    sink_push(&sink, 0x10, data, 100);
    ok(sink_flush_stop(&sink), "first stop");
    sink_push(&sink, 0x11, data, 100);
    is_u64(sink_wr(&sink, TMC_FFCR, FLUSH_STOP), REG_OK, "second stop");
    is_u64(sink_rd(&sink, TMC_FFCR) & TMC_FFCR_FLUSHMAN, 0,
           "FlushMan clears when stopped");
    ok(sts() & TMC_STS_TMCREADY, "still ready");
    is_u64(sink_rd(&sink, TMC_RWP), (uint32_t)SINK_BASE + 8 * 16,
           "pointers stand still");
    is_u64(sink.captured, 1, "no second announcement");
    sink_wr(&sink, TMC_CTL, 0);
    is_u64(sts(), TMC_STS_TMCREADY | TMC_STS_FTEMPTY, "disabled at once");
    is_u64(sink_wr(&sink, TMC_FFCR, FLUSH_STOP), REG_OK, "flush, disabled");
    is_u64(sink_rd(&sink, TMC_FFCR) & TMC_FFCR_FLUSHMAN, 0,
           "FlushMan clears when disabled");
    is_u64(sink.captured, 1, "nor at the disable");
    is_u64(sink.t.count.dropped[ATB_DROP_SINK_STOPPED], 100,
           "a stopped sink takes and drops");
    sink_push(&sink, 0x11, data, 10);
    is_u64(sink.t.count.dropped[ATB_DROP_SINK_DISABLED], 10,
           "a disabled sink takes and drops");
    ok(sink_conserved(&sink), "all accounted for");
}

static void flush_without_stop(void)
{
    running(1024);
    sink_push(&sink, 0x10, data, 3);
    sink_wr(&sink, TMC_FFCR, SINK_FFCR | TMC_FFCR_FLUSHMAN);
    sink.now_ns += 1000;
    is_u64(sink_rd(&sink, TMC_FFCR), SINK_FFCR, "flush ends");
    is_u64(sink.t.state, TMC_RUNNING, "and capture goes on");
    sink_push(&sink, 0x10, data, 11);
    is_u64(sink_rd(&sink, TMC_RWP), (uint32_t)SINK_BASE + 16, "no padding");
    is_u64(sink.captured, 0, "nothing to announce");
}

/* Two flushes: the second one waits for the first. */
static void flush_in(void)
{
    running(1024);
    tmc_flush_in(&sink.t, 100);
    is_u64(sink_rd(&sink, TMC_FFSR), TMC_FFSR_FLINPROG, "FLUSHIN flushes");
    is_u64(sink_rd(&sink, TMC_FFCR) & TMC_FFCR_FLUSHMAN, 0, "not FlushMan");
    sink.now_ns = 600;
    sink_wr(&sink, TMC_FFCR, FLUSH_STOP & ~TMC_FFCR_STOPONFL);
    sink.now_ns = 1100;
    is_u64(sink_rd(&sink, TMC_FFCR) & TMC_FFCR_FLUSHMAN, TMC_FFCR_FLUSHMAN,
           "the end of the first is not the end of FlushMan");
    sink.now_ns = 2100;
    is_u64(sink_rd(&sink, TMC_FFCR) & TMC_FFCR_FLUSHMAN, 0, "its own is");
    sink_wr(&sink, TMC_FFCR, SINK_FFCR & ~TMC_FFCR_FONFLIN);
    tmc_flush_in(&sink.t, 3000);
    is_u64(sink_rd(&sink, TMC_FFSR), 0, "without FOnFlIn: ignored");
    sink_wr(&sink, TMC_FFCR, SINK_FFCR | TMC_FFCR_STOPONFL);
    sink.now_ns = 4000;
    tmc_flush_in(&sink.t, 4000);
    ok(sink_wait_ready(&sink), "FLUSHIN with StopOnFl stops");
    is_u64(sink.t.state, TMC_STOPPED, "... in Stopped");
}

/* CTL 1 -> 0 without a flush: what the formatter holds still gets out. */
static void disable_only(void)
{
    running(1024);
    sink_push(&sink, 0x10, data, 5);
    sink.now_ns = 77;
    is_u64(sink_wr(&sink, TMC_CTL, 0), REG_OK, "CTL = 0");
    is_u64(sts(), 0, "not ready at once");
    is_u64(sink_wr(&sink, TMC_CTL, 1), REG_BUSY, "CTL = 1 before TMCReady");
    is_u64(sink_wr(&sink, TMC_RSZ, 8), REG_BUSY, "RSZ before TMCReady");
    sink_push(&sink, 0x10, data, 5);
    is_u64(sink.t.count.dropped[ATB_DROP_SINK_DISABLED], 5, "drops at once");
    sink.now_ns = 77 + 500;
    is_u64(sts(), TMC_STS_TMCREADY | TMC_STS_FTEMPTY, "ready");
    is_u64(sink_rd(&sink, TMC_RWP), (uint32_t)SINK_BASE + 32, "RWP stays");
    is_u64(sink.captured, 1, "announced");
    is_u64(sink_rd(&sink, TMC_CBUFLEVEL), 0, "CBUFLEVEL is 0 when off");
    is_u64(sink_enable(&sink, SINK_BASE, 512), REG_OK, "enable again");
    is_u64(sink_rd(&sink, TMC_RWP), (uint32_t)SINK_BASE, "RWP starts anew");
    ok(sink_conserved(&sink), "all accounted for");
}

static void disable_while_stopping(void)
{
    running(64);
    sink_wr(&sink, TMC_FFCR, FLUSH_STOP);
    sink.now_ns = 1100;
    is_u64(sts() & TMC_STS_TMCREADY, 0, "stopping");
    is_u64(sink_wr(&sink, TMC_CTL, 0), REG_OK, "CTL = 0 while stopping");
    is_u64(sts() & TMC_STS_TMCREADY, 0, "... is not ready at once");
    sink.now_ns = 1500;
    is_u64(sink.t.state, TMC_DISABLING, "... disabling");
    ok(sts() & TMC_STS_TMCREADY, "... ready when the stop would be");
    is_u64(sink.t.state, TMC_DISABLED, "... and disabled");
}

/* Disable in each state; then the next session is a clean one. */
static void disable_in_each_state(void)
{
    struct sweep s;

    sweep_begin(&s, "disable at each moment of a stop");
    for (uint64_t at = 0; at <= 2000; at += 100) {
        for (size_t n = 0; n <= 20; n++) {
            running(64);
            sink_push(&sink, 0x10, data, n);
            sink_wr(&sink, TMC_FFCR, FLUSH_STOP);
            sink.now_ns = at;
            sink_wr(&sink, TMC_CTL, 0);
            sweep_case(&s, sink_wait_ready(&sink) &&
                       sink.t.state == TMC_DISABLED &&
                       !(sink_rd(&sink, TMC_FFCR) & TMC_FFCR_FLUSHMAN) &&
                       !(sink_rd(&sink, TMC_FFSR) & TMC_FFSR_FLINPROG),
                       "at %u ns: not disabled", (unsigned)at);
            sweep_case(&s, sink.captured == (n ? 1 : 0) &&
                       sink.t.written == n && sink_conserved(&sink),
                       "at %u ns: %u bytes", (unsigned)at, (unsigned)n);
            sweep_case(&s, sink_enable(&sink, SINK_BASE, 64) == REG_OK &&
                       sts() == TMC_STS_EMPTY, "at %u ns: next session",
                       (unsigned)at);
        }
    }
    sweep_end(&s);
}

static void stopped(bool soc600, bool rearm)
{
    struct tmc_params p;

    tmc_params_default(&p);
    p.soc600 = soc600;
    p.rearm = rearm;
    sink_init_with(&sink, &p);
    sink_enable(&sink, SINK_BASE, 64);
    sink_push(&sink, 0x10, data, 100);
    sink_flush_stop(&sink);
}

/* As the manual has it: programmed and enabled while Stopped. */
static void stays_stopped(void)
{
    stopped(false, false);
    is_u64(sink_wr(&sink, TMC_RSZ, 128), REG_BUSY, "RSZ when stopped");
    is_u64(sink_rd(&sink, TMC_RSZ), 64, "... is kept");
    is_u64(sink_wr(&sink, TMC_FFCR, SINK_FFCR), REG_OK, "FFCR may change");
    is_u64(sink_wr(&sink, TMC_CTL, 1), REG_BUSY, "CTL = 1 when stopped");
    is_u64(sink.t.state, TMC_STOPPED, "stays stopped");
    is_u64(sink_rd(&sink, TMC_RWP), (uint32_t)SINK_BASE + 8 * 16,
           "pointers stay");
    sink_push(&sink, 0x10, data, 10);
    is_u64(sink.t.count.dropped[ATB_DROP_SINK_STOPPED], 10, "drops");
    is_u64(sink_wr(&sink, TMC_FFCR, 0), REG_BUSY, "EnFt is fixed");
    is_u64(sink_rd(&sink, TMC_FFCR), 3, "... the other bits are not");
    running(64);
    is_u64(sink_wr(&sink, TMC_CTL, 1), REG_OK, "CTL = 1 when running");
    is_u64(sink.t.state, TMC_RUNNING, "... changes nothing");
}

/* AUX pause of Linux 7.x: the enable sequence while Stopped. */
static void rearm_when_stopped(void)
{
    static uint8_t out[SINK_MEM];
    struct tmc_capture c;

    for (int soc600 = 0; soc600 <= 1; soc600++) {
        const char *who = soc600 ? "SoC-600" : "SoC-400";

        stopped(soc600, true);
        sink_push(&sink, 0x10, data, 50);
        is_u64(sink.t.count.dropped[ATB_DROP_SINK_STOPPED], 50,
               "%s: drops while paused", who);
        is_u64(sink_enable(&sink, SINK_BASE, 64), REG_BUSY,
               "%s: re-armed, and told", who);
        is_u64(sts(), TMC_STS_EMPTY, "%s: running, empty", who);
        is_u64(sink_rd(&sink, TMC_CTL), 1, "%s: CTL", who);
        is_u64(sink_rd(&sink, TMC_FFCR), SINK_FFCR, "%s: no StopOnFl", who);
        is_u64(sink_rd(&sink, TMC_RWP), (uint32_t)SINK_BASE,
               "%s: RWP starts at DBA", who);
        sink_push(&sink, 0x11, data, 20);
        ok(sink_flush_stop(&sink), "%s: stops again", who);
        is_u64(sink.captured, 2, "%s: a capture of its own", who);
        is_u64(sink_contents(&sink, out), 48, "%s: of its bytes only", who);
        is_u64(out[0], 0x11 << 1 | 1, "%s: the new ID comes first", who);
        sink_wr(&sink, TMC_CTL, 1);
        sink_push(&sink, 0x10, data, 400);
        sink_flush_stop(&sink);
        ok(sts() & TMC_STS_FULL, "%s: wraps after a re-arm", who);
        sink_wr(&sink, TMC_CTL, 1);
        tmc_capture(&sink.t, &c);
        ok(!c.wrapped && c.len == 0, "%s: Full clears at the re-arm", who);
        ok(sink_conserved(&sink), "%s: all accounted for", who);
    }
    sink_wr(&sink, TMC_FFCR, FLUSH_STOP);
    sink.now_ns += 1000;
    is_u64(sts() & TMC_STS_TMCREADY, 0, "stopping");
    is_u64(sink_wr(&sink, TMC_CTL, 1), REG_BUSY, "CTL = 1 when stopping");
    sink.now_ns += 500;
    is_u64(sink.t.state, TMC_STOPPING, "... is no re-arm");
    ok(sts() & TMC_STS_TMCREADY, "... it stops");
}

static void no_latency(void)
{
    struct tmc_params p;

    tmc_params_default(&p);
    p.flush_ns = p.ready_ns = 0;
    sink_init_with(&sink, &p);
    sink_enable(&sink, SINK_BASE, 64);
    sink_push(&sink, 0x10, data, 3);
    sink_wr(&sink, TMC_FFCR, FLUSH_STOP);
    is_u64(sink.t.state, TMC_STOPPED, "no latency: stopped in the write");
    sink_wr(&sink, TMC_CTL, 0);
    sink_wr(&sink, TMC_CTL, 1);
    sink_wr(&sink, TMC_CTL, 0);
    is_u64(sink.t.state, TMC_DISABLED, "no latency: disabled in the write");
}

static void levels(void)
{
    running(64);
    is_u64(sink_rd(&sink, TMC_LBUFLEVEL), 0, "LBUFLEVEL starts at 0");
    sink_push(&sink, 0x10, data, 14 + 15);
    is_u64(sink_rd(&sink, TMC_LBUFLEVEL), 8, "LBUFLEVEL in words");
    sink_push(&sink, 0x10, data, 400);
    sink_wr(&sink, CS_LAR, 0);
    is_u64(sink_rd(&sink, TMC_LBUFLEVEL), 0, "reads as 0 when locked");
    sink_wr(&sink, CS_LAR, CS_LAR_KEY);
    is_u64(sink_rd(&sink, TMC_LBUFLEVEL), 64, "full: the whole buffer");
    is_u64(sink_rd(&sink, TMC_CBUFLEVEL), 64, "CBUFLEVEL too");
    sink_wr(&sink, TMC_CTL, 0);
    sink_wait_ready(&sink);
    is_u64(sink_rd(&sink, TMC_LBUFLEVEL), 64, "kept when off");
    ok(sts() & TMC_STS_FULL, "Full is kept when off");
    sink_enable(&sink, SINK_BASE, 64);
    is_u64(sts(), TMC_STS_EMPTY, "Full clears at the next start");
    is_u64(sink_rd(&sink, TMC_LBUFLEVEL), 0, "LBUFLEVEL too");
}

static void soc600(void)
{
    struct tmc_params p;

    tmc_params_default(&p);
    p.soc600 = true;
    sink_init_with(&sink, &p);
    sink_enable(&sink, SINK_BASE, 64);
    is_u64(sink_rd(&sink, TMC_RWP), (uint32_t)SINK_BASE, "as the driver set");
    sink_push(&sink, 0x10, data, 14 + 15);
    sink_wr(&sink, TMC_CTL, 0);
    sink_wait_ready(&sink);
    is_u64(sink_wr(&sink, TMC_RWP, (uint32_t)SINK_BASE + 0x80), REG_OK,
           "RWP is writable");
    is_u64(sink_wr(&sink, TMC_STS, TMC_STS_FULL), REG_OK, "Full is writable");
    ok(sts() & TMC_STS_FULL, "... and set");
    sink_wr(&sink, TMC_CTL, 1);
    is_u64(sink_rd(&sink, TMC_RWP), (uint32_t)SINK_BASE + 0x80,
           "pointers are kept at the start");
    is_u64(sink_rd(&sink, TMC_RRP), (uint32_t)SINK_BASE + 0x80,
           "Full: RRP is the oldest");
    is_u64(sink_wr(&sink, TMC_STS, 0), REG_BUSY, "Full not when running");
    sink_wr(&sink, TMC_CTL, 0);
    sink_wait_ready(&sink);
    sink_wr(&sink, TMC_RWP, (uint32_t)SINK_BASE + 0x100);
    is_u64(sink_wr(&sink, TMC_CTL, 1), REG_RESERVED, "RWP out of the buffer");
    is_u64(sink_rd(&sink, TMC_RWP), (uint32_t)SINK_BASE, "... starts at DBA");
    ok(!sink.stray, "no write outside the buffer");
}

static void flushing_accesses(void)
{
    struct sweep s;

    sweep_begin(&s, "accesses that drain the sources first");
    running(64);
    for (uint32_t off = 0; off < 0x1000; off += 4) {
        bool level = off == TMC_STS || off == TMC_RRP || off == TMC_RWP ||
                     off == TMC_RRPHI || off == TMC_RWPHI || off == TMC_TRG ||
                     off == TMC_LBUFLEVEL || off == TMC_CBUFLEVEL;

        sweep_case(&s, tmc_access_flushes(&sink.t, off, false, 0) == level,
                   "read 0x%03x", off);
        sweep_case(&s, tmc_access_flushes(&sink.t, off, true, 0) ==
                   (off == TMC_CTL), "write 0 to 0x%03x", off);
        sweep_case(&s, tmc_access_flushes(&sink.t, off, true, FLUSH_STOP) ==
                   (off == TMC_FFCR), "write FlushMan to 0x%03x", off);
    }
    sink_wr(&sink, CS_LAR, 0);
    sweep_case(&s, !tmc_access_flushes(&sink.t, TMC_CTL, true, 0), "locked");
    sink_wr(&sink, CS_LAR, CS_LAR_KEY);
    sink_flush_stop(&sink);
    sweep_case(&s, !tmc_access_flushes(&sink.t, TMC_RWP, false, 0),
               "stopped");
    sweep_end(&s);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    at_start();
    stop_with_latency();
    time_jumps();
    stop_twice();
    flush_without_stop();
    flush_in();
    disable_only();
    disable_while_stopping();
    disable_in_each_state();
    stays_stopped();
    rearm_when_stopped();
    no_latency();
    levels();
    soc600();
    flushing_accesses();
    return tap_done();
}
