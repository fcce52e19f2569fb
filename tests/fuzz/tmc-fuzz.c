/*
 * A TMC under any register traffic, trace, time, triggers and bus errors.
 * Input: a byte of parameters, then steps: a byte of kind and operands.
 * Invariants: no write outside the buffer that was programmed at the start,
 * none after an error, bytes conserved, TMCReady comes within 100 polls after
 * a disable, pointers stay in the buffer while capturing.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "models/regs_mgmt.h"
#include "tests/fuzz/fuzz.h"
#include "tests/models/sink.h"

static struct sink sink;

static void check_pointers(void)
{
    struct tmc_capture c;

    tmc_capture(&sink.t, &c);
    if (sink.t.state == TMC_DISABLED || c.size == 0) {
        return;
    }
    fuzz_check(c.len <= c.size, "more valid bytes than the buffer has");
    fuzz_check(c.start >= c.base && c.start < c.base + c.size,
               "the oldest byte is outside the buffer");
    fuzz_check(sink.t.rwp >= c.base && sink.t.rwp < c.base + c.size,
               "RWP is outside the buffer");
    fuzz_check(sink.t.rwp % 16 == 0, "RWP is not at a frame");
}

static void one_write(struct fuzz_in *in)
{
    static const uint16_t often[] = {
        TMC_RSZ, TMC_STS, TMC_RRP, TMC_RWP, TMC_TRG, TMC_CTL, TMC_DBALO,
        TMC_FFCR, CS_LAR, CS_CLAIMSET, TMC_AXICTL, TMC_CTL, TMC_FFCR,
    };
    unsigned pick = (unsigned)fuzz_take(in, 1);
    uint32_t off = often[pick % (sizeof(often) / sizeof(often[0]))];
    uint32_t val = (uint32_t)fuzz_take(in, 3);

    switch (off) {
    case TMC_RSZ:
        val &= 0xfff;
        break;
    case TMC_DBALO:
    case TMC_RRP:
    case TMC_RWP:
        val = (uint32_t)SINK_BASE + (val & 0x3ffff);
        break;
    case CS_LAR:
        val = val & 7 ? CS_LAR_KEY : 0;
        break;
    default:
        break;
    }
    if (pick & 0x80) {
        off = (off * 7 + val) & 0xffc;
    }
    tmc_write(&sink.t, off, val, sink.now_ns);
}

static void push(struct fuzz_in *in)
{
    static uint8_t bytes[1024];
    uint8_t id = (uint8_t)fuzz_take(in, 1) & ATB_ID_MAX;
    size_t n = 1 + (size_t)fuzz_take(in, 2) % sizeof(bytes);

    sink_push(&sink, id, bytes, n);
}

static void step(struct fuzz_in *in)
{
    unsigned kind = (unsigned)fuzz_take(in, 1);
    uint32_t val;

    switch (kind & 7) {
    case 0:
    case 1:
        push(in);
        break;
    case 2:
        sink.now_ns += fuzz_take(in, 2);
        tmc_step(&sink.t, sink.now_ns);
        break;
    case 3:
        tmc_read(&sink.t, (uint32_t)fuzz_take(in, 2) & 0xffc, &val,
                 sink.now_ns);
        break;
    case 4:
        if (kind & 8) {
            tmc_trigger_in(&sink.t, sink.now_ns);
        } else {
            tmc_flush_in(&sink.t, sink.now_ns);
        }
        break;
    case 5:
        if ((kind & 0x18) == 0x18) {
            sink.fail_at = sink.writes + 1 + (kind >> 5);
            sink.after_error = false;
        } else if ((kind & 0x18) == 0x10) {
            tmc_reset(&sink.t);
        }
        break;
    default:
        one_write(in);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = { data, size };
    unsigned how = (unsigned)fuzz_take(&in, 1);
    struct tmc_params p;

    tmc_params_default(&p);
    p.soc600 = how & 1;
    p.mem_width_log2 = (uint8_t)(5 + (how >> 1 & 3));
    p.flush_ns = how & 8 ? 0 : 1000;
    p.ready_ns = how & 16 ? 0 : 500;
    p.rearm = !(how & 64);
    sink_init_with(&sink, &p);
    sink_enable(&sink, SINK_BASE, how & 32 ? 64 : 1024);
    while (in.left) {
        step(&in);
        fuzz_check(!sink.stray, "a write outside the buffer");
        fuzz_check(tmc_valid(&sink.t), "a state that tmc_valid() refuses");
        fuzz_check(sink_conserved(&sink), "bytes are lost or made");
        check_pointers();
    }
    tmc_write(&sink.t, CS_LAR, CS_LAR_KEY, sink.now_ns);
    tmc_write(&sink.t, TMC_CTL, 0, sink.now_ns);
    fuzz_check(sink_wait_ready(&sink), "TMCReady does not come");
    fuzz_check(sink.t.state == TMC_DISABLED, "CTL = 0 does not disable");
    fuzz_check(tmc_pending(&sink.t) == 0, "bytes wait in a disabled sink");
    fuzz_check(sink_conserved(&sink), "bytes are lost or made");
    return 0;
}
