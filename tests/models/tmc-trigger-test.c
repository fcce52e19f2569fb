/*
 * TMC triggers: TRG counts words after a trigger, the trigger event sets
 * Triggered, stops or flushes; markers in the stream.  DDI 0461B, 2.2.4,
 * 3.3.6, 3.3.19.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/models/sink.h"
#include "tests/oracle/deformatter.h"
#include "tests/tap/tap.h"

static struct sink sink;
static uint8_t buf[SINK_MEM];
static const uint8_t data[4096];

static void running(uint32_t ffcr, uint32_t trg)
{
    sink_init(&sink);
    sink_enable(&sink, SINK_BASE, 1024);
    sink_wr(&sink, TMC_CTL, 0);
    sink_wait_ready(&sink);
    sink_wr(&sink, TMC_FFCR, ffcr);
    sink_wr(&sink, TMC_TRG, trg);
    sink_wr(&sink, TMC_CTL, 1);
}

static unsigned markers(void)
{
    size_t len = sink_contents(&sink, buf);
    struct deformatter d;
    struct deformatted pair[15];
    unsigned found = 0;

    deformatter_init(&d);
    for (size_t f = 0; f < len; f += 16) {
        int n = deformatter_frame(&d, buf + f, pair);

        for (int i = 0; i < n; i++) {
            found += pair[i].id == 0x7d && pair[i].byte == 0;
        }
    }
    return found;
}

static bool triggered(void)
{
    return sink_rd(&sink, TMC_STS) & TMC_STS_TRIGGERED;
}

static void count(void)
{
    running(TMC_FFCR_ENFT, 6);
    sink_push(&sink, 0x10, data, 14);
    is_u64(sink_rd(&sink, TMC_TRG), 6, "no count before a trigger");
    tmc_trigger_in(&sink.t, sink.now_ns);
    sink_push(&sink, 0x10, data, 15);
    is_u64(sink_rd(&sink, TMC_TRG), 2, "a frame is four words");
    ok(!triggered(), "not yet");
    tmc_trigger_in(&sink.t, sink.now_ns);
    sink_push(&sink, 0x10, data, 15);
    is_u64(sink_rd(&sink, TMC_TRG), 0, "counted down");
    ok(triggered(), "Triggered");
    sink_push(&sink, 0x10, data, 15);
    is_u64(sink.t.state, TMC_RUNNING, "capture goes on");
    ok(sink_flush_stop(&sink), "stop");
    ok(triggered(), "Triggered stays when stopped");
    sink_wr(&sink, TMC_CTL, 0);
    sink_wr(&sink, TMC_CTL, 1);
    ok(!triggered(), "and clears at the next start");
    running(TMC_FFCR_ENFT, 4);
    tmc_trigger_in(&sink.t, sink.now_ns);
    sink_push(&sink, 0x10, data, 14);
    ok(!triggered() && sink_rd(&sink, TMC_TRG) == 0,
       "TRG words are written: one more to come");
    sink_push(&sink, 0x10, data, 15);
    ok(triggered(), "then it is");
    running(TMC_FFCR_ENFT, 100);
    tmc_trigger_in(&sink.t, sink.now_ns);
    sink_flush_stop(&sink);
    is_u64(sink_rd(&sink, TMC_TRG), 0, "TRG clears as TMCReady rises");
    ok(!triggered(), "and makes no event");
}

/* TRG + 1 words after the trigger, to the frame; then two of nulls. */
static void stop_on_event(void)
{
    struct sweep s;

    sweep_begin(&s, "StopOnTrigEvt after TRG + 1 words");
    for (uint32_t trg = 0; trg < 300; trg++) {
        size_t want = (trg + 1 + 3) / 4 * 16 + 32, len;

        running(TMC_FFCR_ENFT | TMC_FFCR_STOPONTRIGEVT, trg);
        tmc_trigger_in(&sink.t, sink.now_ns);
        sink_push(&sink, 0x10, data, sizeof(data));
        sweep_case(&s, sink_wait_ready(&sink) &&
                   sink.t.state == TMC_STOPPED, "%u: not stopped", trg);
        len = sink_contents(&sink, buf);
        sweep_case(&s, len == want, "%u: %u bytes", trg, (unsigned)len);
        sweep_case(&s, triggered() && sink_conserved(&sink) &&
                   sink.t.count.dropped[ATB_DROP_SINK_STOPPED] != 0,
                   "%u: counts", trg);
        sweep_case(&s, sink_rd(&sink, TMC_TRG) == 0, "%u: TRG stays", trg);
        sweep_case(&s, sink.captured == 1, "%u: captured", trg);
    }
    sweep_end(&s);
}

static void flush_on_event(void)
{
    running(TMC_FFCR_ENFT | TMC_FFCR_FONTRIGEVT | TMC_FFCR_STOPONFL, 0);
    tmc_trigger_in(&sink.t, sink.now_ns);
    ok(!tmc_access_flushes(&sink.t, TMC_CTL, true, 1), "no flush yet");
    sink_push(&sink, 0x10, data, 20);
    is_u64(sink_rd(&sink, TMC_FFSR), TMC_FFSR_FLINPROG, "the event flushes");
    ok(tmc_access_flushes(&sink.t, TMC_PSCR, false, 0),
       "the sources are drained at the next access");
    sink.now_ns += 1000;
    ok(sink_wait_ready(&sink), "its end stops");
    is_u64(sink.t.written, 20, "with all in memory");
}

static void insertion(void)
{
    const uint32_t base = TMC_FFCR_ENFT | TMC_FFCR_ENTI;

    running(base | TMC_FFCR_TRIGONTRIGIN, 0);
    sink_push(&sink, 0x10, data, 20);
    tmc_trigger_in(&sink.t, sink.now_ns);
    sink_push(&sink, 0x10, data, 20);
    sink_flush_stop(&sink);
    is_u64(markers(), 1, "TrigOnTrigIn marks");
    ok(sink_conserved(&sink), "the marker is accounted for");
    running(base | TMC_FFCR_TRIGONTRIGEVT, 0);
    tmc_trigger_in(&sink.t, sink.now_ns);
    sink_push(&sink, 0x10, data, 40);
    sink_flush_stop(&sink);
    is_u64(markers(), 1, "TrigOnTrigEvt marks");
    running(base | TMC_FFCR_TRIGONFL, 0);
    sink_push(&sink, 0x10, data, 40);
    sink_flush_stop(&sink);
    is_u64(markers(), 1, "TrigOnFl marks");
    running(TMC_FFCR_ENFT | TMC_FFCR_TRIGONTRIGIN | TMC_FFCR_TRIGONFL, 0);
    sink_push(&sink, 0x10, data, 20);
    tmc_trigger_in(&sink.t, sink.now_ns);
    sink_flush_stop(&sink);
    is_u64(markers(), 0, "no mark without EnTI");
    running(base | TMC_FFCR_TRIGONTRIGIN, 0);
    sink_push(&sink, 0x7d, data, 1);
    sink_push(&sink, 0x10, data, 20);
    sink_flush_stop(&sink);
    is_u64(markers(), 1, "a trigger packet of a source marks");
    ok(triggered(), "and counts");
    sink_init(&sink);
    tmc_trigger_in(&sink.t, 0);
    ok(!triggered() && sink.writes == 0, "a disabled sink ignores triggers");
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 0);
    count();
    stop_on_event();
    flush_on_event();
    insertion();
    return tap_done();
}
