/*
 * Trace and log of the scene. Packets: IHI 0064H.b, 6.4; frames: IHI 0029,
 * formatter; written here byte by byte, without models/.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hw/exec_log_format.h"
#include "scene.h"
#include "tests/tap/tap.h"

#define KERNEL 0xffff800000001000ull
#define CID    0x55u

#define OP_NOP  0xd503201fu
#define OP_BL   0x94000007u     /* 400004 to 400020 */
#define OP_RET  0xd65f03c0u
#define OP_CBZ  0xb4ffffa0u     /* 40000c to 400000 */
#define OP_SVC  0xd4000001u
#define OP_B    0x14000001u     /* to the next */
#define OP_ERET 0xd69f03e0u

#define TRCPRGCTLR  0x004
#define TRCVICTLR   0x080
#define TRCTRACEIDR 0x040

/* ---- trace -------------------------------------------------------------- */

static uint8_t trace[4096];
static unsigned trace_n;

static void put(unsigned byte)
{
    trace[trace_n++] = (uint8_t)byte;
}

static void put_address(unsigned header, uint64_t va)
{
    put(header);
    put(va >> 2 & 0x7f);
    put(va >> 9 & 0x7f);
    for (unsigned i = 2; i < 8; i++) {
        put((unsigned)(va >> (8 * i) & 0xff));
    }
}

/* 0x85: address and context; C, NS, SF, EL, then the context ID. */
static void put_address_context(const struct scene *s, uint64_t va)
{
    put_address(0x85, va);
    put((s->trace_secure ? 0x90 : 0xb0) |
        (s->trace_el1 || va == KERNEL ? 1 : 0));
    for (unsigned i = 0; i < 4; i++) {
        put(CID >> (8 * i) & 0xff);
    }
}

static void put_sync(void)
{
    for (unsigned i = 0; i < 11; i++) {
        put(0x00);
    }
    put(0x80);
    put(0x01);                  /* Trace Info: INFO section, nothing set */
    put(0x01);
    put(0x00);
}

static void put_round(bool taken)
{
    put(0xf7);                  /* bl: E */
    put(0xf7);                  /* ret: E, then its target */
    put_address(0x9d, 0x400008);
    put(taken ? 0xf7 : 0xf6);   /* cbz */
}

static void make_trace(const struct scene *s)
{
    bool late = s->late_sync || s->lost_begin;
    unsigned first = s->strobe ? SCENE_ROUNDS - 1 : late;

    trace_n = 0;
    if (late) {
        put_round(true);
    }
    if (!s->trace_no_sync) {
        put_sync();
    }
    if (!late) {
        put(0x04);              /* Trace On */
    }
    put_address_context(s, SCENE_ENTRY);
    for (unsigned i = first; i < SCENE_ROUNDS; i++) {
        put_round(i + 1 < SCENE_ROUNDS && !(s->trace_wrong_atom && !i));
    }
    if (!s->trace_no_exception) {
        put(0x06);              /* Exception: E1:E0 = 01, type 2, call */
        put(2 << 1 | 1);
        put_address(0x9d, 0x400014);
    }
    if (s->kernel) {
        put_address_context(s, KERNEL);
        put(0xf7);              /* eret */
    }
    if (!s->trace_no_second && !s->sink_off) {
        if (!s->kernel) {
            put(0x04);
        }
        if (s->trace_stale_el) {
            put_address(0x9d, 0x400014);
        } else {
            put_address_context(s, 0x400014);
        }
        put(0xf7);              /* b */
    }
    if (s->trace_bad_end) {
        put(0x70);              /* Ignore: not before ETMv4.3 */
    }
    if (s->cut && s->cut <= trace_n) {
        memmove(trace + s->cut - 1, trace + s->cut, trace_n - s->cut);
        trace_n--;
    }
}

/*
 * One frame. Even slots: an ID (bit 0 set) or data, whose bit 0 is in byte 15;
 * behind an ID that bit set means that the next byte is the old ID's still.
 * The rest of the last frame has ID 0.
 */
static unsigned make_frame(uint8_t frame[16], unsigned at, bool first)
{
    bool ended = false;

    memset(frame, 0, 16);
    for (unsigned slot = 0; slot < 15; slot++) {
        if (slot % 2) {
            frame[slot] = at < trace_n ? trace[at++] : 0;
        } else if (first && !slot) {
            frame[slot] = SCENE_ATID << 1 | 1;
        } else if (at + 1 >= trace_n && slot < 14 && !ended) {
            frame[slot] = 0 << 1 | 1;
            frame[15] |= (uint8_t)((at < trace_n) << (slot / 2));
            ended = true;
        } else if (at < trace_n) {
            frame[slot] = trace[at] & 0xfe;
            frame[15] |= (uint8_t)((trace[at++] & 1) << (slot / 2));
        }
    }
    return at;
}

static void write_frames(FILE *f)
{
    unsigned at = 0;

    while (at < trace_n) {
        uint8_t frame[16];

        at = make_frame(frame, at, !at);
        fwrite(frame, 1, sizeof(frame), f);
    }
}

/* ---- log ---------------------------------------------------------------- */

static struct exec_log *lg;

static void insn(uint64_t va, uint32_t opcode)
{
    exec_log_insn(lg, 0, va, opcode);
}

static void log_round(const struct scene *s, bool taken)
{
    insn(0x400000, OP_NOP);
    insn(0x400004, s->log_other_opcode ? OP_NOP : OP_BL);
    insn(0x400020, OP_NOP);
    insn(0x400024, OP_RET);
    /* It faults the first time, is dropped, and comes again. */
    insn(0x400008, OP_NOP);
    exec_log_drop_last(lg, 0);
    insn(0x400008, OP_NOP);
    insn(0x40000c, OP_CBZ);
    (void)taken;
}

static void log_registers(const struct scene *s)
{
    uint32_t event = s->strobe ? 0x02 : 0x01;

    exec_log_reg(lg, 0, 0, TRCTRACEIDR, SCENE_ATID);
    exec_log_reg(lg, 0, 0, TRCVICTLR, event | (s->log_kernel_unit || s->kernel
                                               ? 0x200 : 0x200200));
    if (!s->log_off) {
        exec_log_reg(lg, 0, 0, TRCPRGCTLR, 1);
    }
}

static void log_sink_end(void)
{
    exec_log_sink(lg, 0, 0, EXEC_LOG_SINK_STOP, 0);
    exec_log_sink(lg, 0, 0, EXEC_LOG_SINK_READOUT, 1);
    exec_log_sink(lg, 0, 0, EXEC_LOG_SINK_DISABLE, 0);
}

static void log_user(const struct scene *s)
{
    uint32_t cid = s->log_other_context ? CID + 1 : CID;

    exec_log_state(lg, 0, 0, 1, cid, 0);
    for (unsigned i = 0; i < SCENE_ROUNDS; i++) {
        if (i == 1 && s->log_extra_insn) {
            insn(0x400024, OP_RET);
        }
        log_round(s, i + 1 < SCENE_ROUNDS);
    }
    insn(0x400010, OP_SVC);
    exec_log_exception(lg, 0, 2, s->log_other_return ? 0x400018 : 0x400014,
                       s->log_other_vector ? KERNEL + 0x80 : KERNEL);
    exec_log_state(lg, 0, 1, 1, cid, 0);
    insn(KERNEL, OP_NOP);
    insn(KERNEL + 4, OP_ERET);
    if (s->sink_off) {
        log_sink_end();
    }
    exec_log_state(lg, 0, 0, 1, cid, 0);
    if (!s->log_skips_insn) {
        insn(0x400014, OP_NOP);
    }
    insn(0x400018, OP_B);
    insn(0x40001c, s->tail_branches ? OP_B : OP_NOP);
}

/* With the sink off: other code where the svc was, and its window. */
static void log_other_program(void)
{
    exec_log_state(lg, 0, 0, 1, CID + 1, 0);
    exec_log_reg(lg, 0, 0, TRCPRGCTLR, 1);
    exec_log_window(lg, 0, 1);
    insn(0x400010, OP_NOP);
    insn(0x400014, OP_B);
    exec_log_reg(lg, 0, 0, TRCPRGCTLR, 0);
    exec_log_window(lg, 0, 0);
}

static void make_log(const struct scene *s, const char *file)
{
    lg = exec_log_open(file, 2);
    if (!lg) {
        tap_bail("%s: %s", file, strerror(errno));
    }
    exec_log_state(lg, 0, 1, 1, 0, 0);
    if (s->late_sync) {
        /* The sink comes when the unit is on already. */
        log_registers(s);
        exec_log_window(lg, 0, 1);
        exec_log_state(lg, 0, 0, 1, CID, 0);
        insn(0x400014, OP_NOP);
    }
    exec_log_sink(lg, 0, 0, EXEC_LOG_SINK_ENABLE, 0);
    if (!s->late_sync) {
        log_registers(s);
        exec_log_window(lg, 0, 1);
    }
    log_user(s);
    exec_log_reg(lg, 0, 0, TRCPRGCTLR, 0);
    exec_log_window(lg, 0, 0);
    if (!s->sink_off) {
        log_sink_end();
    }
    if (s->strobe) {
        log_other_program();
    }
    if (exec_log_close(lg)) {
        tap_bail("%s: not written", file);
    }
}

/* ---- folder ------------------------------------------------------------- */

static FILE *create(const char *dir, const char *name)
{
    char path[512];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    f = fopen(path, "w");
    if (!f) {
        tap_bail("%s: %s", path, strerror(errno));
    }
    return f;
}

static void put_text(const char *dir, const char *name, const char *text)
{
    FILE *f = create(dir, name);

    fputs(text, f);
    fclose(f);
}

static void make_snapshot(const struct scene *s, const char *dir)
{
    char sub[420], text[512];
    FILE *f;

    mkdir(dir, 0777);
    snprintf(text, sizeof(text), "1\tetr\t1000\t%u\t%d\t9\n", trace_n,
             s->wrapped);
    put_text(dir, "index.tsv", text);
    snprintf(sub, sizeof(sub), "%s/0001", dir);
    mkdir(sub, 0777);
    put_text(sub, "snapshot.ini", "[snapshot]\nversion=1.0\n\n[device_list]\n"
             "device0=cpu_0.ini\ndevice1=etm_0.ini\n\n[trace]\n"
             "metadata=trace.ini\n");
    put_text(sub, "trace.ini", "[trace_buffers]\nbuffers=buffer0\n\n"
             "[buffer0]\nname=etr\nfile=etr.bin\nformat=coresight\n\n"
             "[source_buffers]\netm_0=etr\n\n[core_trace_sources]\n"
             "cpu_0=etm_0\n");
    put_text(sub, "cpu_0.ini", "[device]\nname=cpu_0\nclass=core\n"
             "type=ARM-AA64\n");
    snprintf(text, sizeof(text), "[device]\nname=etm_0\nclass=trace_source\n"
             "type=ETM4\n\n[regs]\nTRCCONFIGR(0x004)=0x00000041\n"
             "TRCTRACEIDR(0x010)=0x%08x\nTRCIDR0(0x078)=0x28000ea1\n"
             "TRCIDR1(0x079)=0x4100f421\nTRCIDR2(0x07a)=0x00000488\n"
             "TRCIDR8(0x060)=0x00000000\n",
             s->source_atid ? s->source_atid : SCENE_ATID);
    put_text(sub, "etm_0.ini", text);
    f = create(sub, "etr.bin");
    write_frames(f);
    fclose(f);
}

void scene_make(const struct scene *s, const char *dir)
{
    char path[400];

    make_trace(s);
    snprintf(path, sizeof(path), "%s/snap", dir);
    make_snapshot(s, path);
    snprintf(path, sizeof(path), "%s/log", dir);
    make_log(s, path);
}

unsigned scene_trace_bytes(void)
{
    return trace_n;
}
