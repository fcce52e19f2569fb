/*
 * tmc_valid(): each state that calls can give is accepted, each field out of
 * its range is refused.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/models/sink.h"
#include "tests/tap/tap.h"

static struct sink sink;
static struct tmc good;
static struct sweep refused;
static const uint8_t data[100];

static void running(void)
{
    sink_init(&sink);
    sink_enable(&sink, SINK_BASE, 64);
    sink_push(&sink, 0x10, data, 20);
}

static void refuse(const struct tmc *bad, const char *what)
{
    sweep_case(&refused, !tmc_valid(bad), "%s", what);
}

#define REFUSE(field, value) \
    do { \
        struct tmc bad = good; \
        bad.field = (value); \
        refuse(&bad, #field " = " #value); \
    } while (0)

static void accepted(void)
{
    struct sweep s;

    sweep_begin(&s, "each moment of a session is accepted");
    sink_init(&sink);
    sweep_case(&s, tmc_valid(&sink.t), "at reset");
    for (int i = 0; i < 40; i++) {
        running();
        for (int k = 0; k < i; k++) {
            sink_push(&sink, (uint8_t)(1 + k), data, (size_t)(1 + k));
        }
        sweep_case(&s, tmc_valid(&sink.t), "running %d", i);
        sink_wr(&sink, TMC_FFCR,
                SINK_FFCR | TMC_FFCR_STOPONFL | TMC_FFCR_FLUSHMAN);
        tmc_flush_in(&sink.t, 0);
        sweep_case(&s, tmc_valid(&sink.t), "flushing %d", i);
        for (int k = 0; k < 20; k++) {
            sink.now_ns += 100;
            sink_rd(&sink, TMC_STS);
            sweep_case(&s, tmc_valid(&sink.t), "stopping %d.%d", i, k);
        }
        sink_wr(&sink, TMC_CTL, 0);
        sweep_case(&s, tmc_valid(&sink.t), "disabled %d", i);
        sink_wr(&sink, TMC_RSZ, 4);
        sink_wr(&sink, TMC_DBALO, 0);
        sweep_case(&s, tmc_valid(&sink.t), "programmed %d", i);
        sink_wr(&sink, TMC_RSZ, 0);
        sink_wr(&sink, TMC_CTL, 1);
        sweep_case(&s, tmc_valid(&sink.t), "no buffer %d", i);
    }
    sweep_end(&s);
}

static void out_of_range(void)
{
    sweep_begin(&refused, "each field out of its range is refused");
    running();
    good = sink.t;
    if (!tmc_valid(&good) || good.fmt.waiting < 2) {
        tap_bail("the state to start from is not as expected");
    }
    REFUSE(state, (enum tmc_state)5);
    REFUSE(state, TMC_DISABLED);
    REFUSE(state, TMC_STOPPED);
    REFUSE(ctl, 0);
    REFUSE(ctl, 3);
    REFUSE(rsz, 0x80000000u);
    REFUSE(sts, 4);
    REFUSE(flush_now, 8);
    REFUSE(flush_next, TMC_FLUSH_MAN);
    REFUSE(fmt.fill, 16);
    REFUSE(fmt.waiting, 16);
    REFUSE(fmt.waiting, good.fmt.fill + 1);
    REFUSE(fmt.owner[1], 0x80);
    REFUSE(fmt.cur_id, 0x80);
    REFUSE(fmt.quiet, 8);
    REFUSE(rwp, SINK_BASE + 256);
    REFUSE(rwp, SINK_BASE - 16);
    REFUSE(rwp, SINK_BASE + 8);
    REFUSE(rrp, SINK_BASE + 256);
    REFUSE(rrp, 1ull << 40);
    sink_flush_stop(&sink);
    good = sink.t;
    REFUSE(flush_now, TMC_FLUSH_MAN);
    REFUSE(rwp, 0);
    sink_wr(&sink, TMC_CTL, 0);
    good = sink.t;
    REFUSE(rwp, 1ull << 40);
    REFUSE(ctl, 1);
    sweep_end(&refused);
}

int main(int argc, char **argv)
{
    tap_begin(argc, argv, 2);
    accepted();
    out_of_range();
    return tap_done();
}
