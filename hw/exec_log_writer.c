/*
 * Writer of the execution log (exec_log_format.h).
 *
 * Each CPU has its own buffer, filled by its own thread without a lock; whole
 * blocks go to the file under one.  What another thread has to say to a CPU's
 * stream (a register write from elsewhere, a sink event) waits in the CPU's
 * mailbox until that CPU records its next instruction, so it lies between the
 * instructions before and after it also with one thread for all CPUs.
 *
 * Not modelled: AArch32 instructions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec_log_format.h"

#define PAGE_INSNS   1024u      /* 4 KiB of A64 code */
#define PAGE_SHIFT   12
#define EVENT_MAX    48u        /* longest record that is not a run */
#define RUN_NEW_MAX  256u       /* opcodes in one record */

struct page {
    uint64_t number;            /* VA >> PAGE_SHIFT */
    uint32_t opcode[PAGE_INSNS];        /* 0: not seen (0 is UDF) */
};

struct mail {
    uint8_t bytes[EVENT_MAX];
    unsigned len;
};

struct stream {
    /* The block being filled. */
    uint8_t *buf;
    unsigned len;
    uint32_t records;
    uint32_t blocks;            /* written so far */
    uint64_t expect;            /* end of the last run of this block */
    /* The run that still grows: only its owner knows it. */
    uint64_t run_va;
    uint32_t run_n;
    int run_new;                /* a run with opcodes */
    int can_drop;
    uint32_t run_opcodes[RUN_NEW_MAX];
    /* The state last written. */
    int state_valid;
    uint8_t state;
    uint32_t contextidr, vmid;
    /* What this CPU has seen: open addressing, capacity a power of two. */
    struct page **pages;
    size_t pages_cap, pages_used;
    struct page *last_page;
    /* Words from other threads. */
    pthread_mutex_t lock;
    atomic_int has_mail;
    struct mail *mail;
    size_t mail_n, mail_cap;
};

struct exec_log {
    FILE *file;
    pthread_mutex_t lock;       /* file, blocks, error */
    uint64_t blocks;
    atomic_int error;
    atomic_uint_fast64_t seq;
    unsigned ncpus;
    struct stream *streams;
};

static void put_le(uint8_t *p, uint64_t v, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        p[i] = (uint8_t)(v >> (8 * i));
    }
}

static unsigned put_v(uint8_t *p, uint64_t v)
{
    unsigned n = 0;

    while (v >= 0x80) {
        p[n++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    p[n++] = (uint8_t)v;
    return n;
}

static unsigned put_z(uint8_t *p, int64_t v)
{
    return put_v(p, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

/* CRC-32 as in zlib: reflected, polynomial 0xedb88320. */
static uint32_t crc32_of(const uint8_t *p, size_t n)
{
    uint32_t crc = 0xffffffffu;

    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int k = 0; k < 8; k++) {
            crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
        }
    }
    return ~crc;
}

static void fail(struct exec_log *log, int err)
{
    int none = 0;

    atomic_compare_exchange_strong(&log->error, &none, err ? err : EIO);
}

static void write_block(struct exec_log *log, unsigned cpu, uint32_t number,
                        uint32_t records, const uint8_t *buf, unsigned len)
{
    uint8_t h[EXEC_LOG_BLOCK_HEADER];

    if (atomic_load(&log->error)) {
        return;
    }
    put_le(h, EXEC_LOG_BLOCK_MAGIC, 4);
    put_le(h + 4, cpu, 2);
    put_le(h + 6, 0, 2);
    put_le(h + 8, len, 4);
    put_le(h + 12, crc32_of(buf, len), 4);
    put_le(h + 16, number, 4);
    put_le(h + 20, records, 4);
    pthread_mutex_lock(&log->lock);
    errno = 0;
    if (fwrite(h, sizeof(h), 1, log->file) != 1 ||
        fwrite(buf, 1, len, log->file) != len) {
        fail(log, errno);
    }
    log->blocks++;
    pthread_mutex_unlock(&log->lock);
}

static void end_block(struct exec_log *log, struct stream *s)
{
    if (!s->len) {
        return;
    }
    write_block(log, (unsigned)(s - log->streams), s->blocks, s->records,
                s->buf, s->len);
    s->blocks++;
    s->len = 0;
    s->records = 0;
    s->expect = 0;
}

static void put_record(struct exec_log *log, struct stream *s,
                       const uint8_t *bytes, unsigned len)
{
    if (s->len + len > EXEC_LOG_BLOCK_MAX) {
        end_block(log, s);
    }
    memcpy(s->buf + s->len, bytes, len);
    s->len += len;
    s->records++;
}

/* The growing run is complete: encode it. */
static void end_run(struct exec_log *log, struct stream *s)
{
    uint8_t b[32 + 4 * RUN_NEW_MAX];
    unsigned n = 0;

    s->can_drop = 0;
    if (!s->run_n) {
        return;
    }
    /* Only a block's end may change what the VA is relative to. */
    if (s->len + sizeof(b) > EXEC_LOG_BLOCK_MAX) {
        end_block(log, s);
    }
    b[n++] = s->run_new ? EXEC_LOG_RUN_NEW : EXEC_LOG_RUN;
    n += put_z(b + n, (int64_t)(s->run_va - s->expect) / 4);
    n += put_v(b + n, s->run_n);
    if (s->run_new) {
        for (uint32_t i = 0; i < s->run_n; i++, n += 4) {
            put_le(b + n, s->run_opcodes[i], 4);
        }
    }
    s->expect = s->run_va + 4ull * s->run_n;
    s->run_n = 0;
    put_record(log, s, b, n);
}

static void read_mail(struct exec_log *log, struct stream *s)
{
    end_run(log, s);
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->mail_n; i++) {
        put_record(log, s, s->mail[i].bytes, s->mail[i].len);
    }
    s->mail_n = 0;
    atomic_store(&s->has_mail, 0);
    pthread_mutex_unlock(&s->lock);
}

static void send_mail(struct exec_log *log, struct stream *s,
                      const uint8_t *bytes, unsigned len)
{
    pthread_mutex_lock(&s->lock);
    if (s->mail_n == s->mail_cap) {
        size_t cap = s->mail_cap ? 2 * s->mail_cap : 16;
        struct mail *mail = realloc(s->mail, cap * sizeof(*mail));

        if (!mail) {
            fail(log, ENOMEM);
            pthread_mutex_unlock(&s->lock);
            return;
        }
        s->mail = mail;
        s->mail_cap = cap;
    }
    memcpy(s->mail[s->mail_n].bytes, bytes, len);
    s->mail[s->mail_n].len = len;
    s->mail_n++;
    atomic_store(&s->has_mail, 1);
    pthread_mutex_unlock(&s->lock);
}

/* A record of a CPU's own thread, after what has been sent to it. */
static void own_event(struct exec_log *log, struct stream *s,
                      const uint8_t *bytes, unsigned len)
{
    read_mail(log, s);
    put_record(log, s, bytes, len);
}

static uint64_t next_seq(struct exec_log *log)
{
    return atomic_fetch_add(&log->seq, 1) + 1;
}

static size_t page_slot(struct page **pages, size_t cap, uint64_t number)
{
    size_t i = (size_t)((number * 0x9e3779b97f4a7c15ull) >> 20) & (cap - 1);

    while (pages[i] && pages[i]->number != number) {
        i = (i + 1) & (cap - 1);
    }
    return i;
}

static int grow_pages(struct stream *s)
{
    size_t cap = s->pages_cap ? 2 * s->pages_cap : 256;
    struct page **pages = calloc(cap, sizeof(*pages));

    if (!pages) {
        return 0;
    }
    for (size_t i = 0; i < s->pages_cap; i++) {
        if (s->pages[i]) {
            pages[page_slot(pages, cap, s->pages[i]->number)] = s->pages[i];
        }
    }
    free(s->pages);
    s->pages = pages;
    s->pages_cap = cap;
    return 1;
}

/* returns: where this CPU keeps the opcode of @va; NULL without memory. */
static uint32_t *opcode_at(struct stream *s, uint64_t va)
{
    uint64_t number = va >> PAGE_SHIFT;
    struct page *page = s->last_page;

    if (!page || page->number != number) {
        size_t i;

        if (2 * (s->pages_used + 1) > s->pages_cap && !grow_pages(s)) {
            return NULL;
        }
        i = page_slot(s->pages, s->pages_cap, number);
        page = s->pages[i];
        if (!page) {
            page = calloc(1, sizeof(*page));
            if (!page) {
                return NULL;
            }
            page->number = number;
            s->pages[i] = page;
            s->pages_used++;
        }
        s->last_page = page;
    }
    return &page->opcode[(va >> 2) & (PAGE_INSNS - 1)];
}

static int init_stream(struct stream *s)
{
    s->buf = malloc(EXEC_LOG_BLOCK_MAX);
    pthread_mutex_init(&s->lock, NULL);
    atomic_init(&s->has_mail, 0);
    return s->buf != NULL;
}

static void free_log(struct exec_log *log)
{
    for (unsigned i = 0; i < log->ncpus; i++) {
        struct stream *s = &log->streams[i];

        for (size_t k = 0; k < s->pages_cap; k++) {
            free(s->pages[k]);
        }
        free(s->pages);
        free(s->mail);
        free(s->buf);
    }
    free(log->streams);
    free(log);
}

struct exec_log *exec_log_open(const char *path, unsigned ncpus)
{
    uint8_t h[EXEC_LOG_HEADER_SIZE] = EXEC_LOG_MAGIC;
    struct exec_log *log;

    if (!ncpus || ncpus >= EXEC_LOG_END_CPU) {
        errno = EINVAL;
        return NULL;
    }
    log = calloc(1, sizeof(*log));
    if (!log) {
        return NULL;
    }
    log->streams = calloc(ncpus, sizeof(*log->streams));
    log->ncpus = log->streams ? ncpus : 0;
    pthread_mutex_init(&log->lock, NULL);
    atomic_init(&log->error, 0);
    atomic_init(&log->seq, 0);
    for (unsigned i = 0; i < log->ncpus; i++) {
        if (!init_stream(&log->streams[i])) {
            fail(log, ENOMEM);
        }
    }
    log->file = log->ncpus && !atomic_load(&log->error) ? fopen(path, "wb")
                                                        : NULL;
    if (!log->file) {
        int err = errno ? errno : ENOMEM;

        free_log(log);
        errno = err;
        return NULL;
    }
    put_le(h + 8, EXEC_LOG_VERSION, 2);
    put_le(h + 10, ncpus, 2);
    put_le(h + 12, 0, 4);
    if (fwrite(h, sizeof(h), 1, log->file) != 1 || fflush(log->file)) {
        int err = errno;

        fclose(log->file);
        free_log(log);
        errno = err;
        return NULL;
    }
    return log;
}

void exec_log_insn(struct exec_log *log, unsigned cpu, uint64_t va,
                   uint32_t opcode)
{
    struct stream *s = &log->streams[cpu];
    uint32_t *seen = opcode_at(s, va);
    int is_new;

    if (!seen) {
        fail(log, ENOMEM);
        return;
    }
    if (atomic_load_explicit(&s->has_mail, memory_order_relaxed)) {
        read_mail(log, s);
    }
    is_new = !opcode || *seen != opcode;
    if (va != s->run_va + 4ull * s->run_n || is_new != s->run_new ||
        (is_new && s->run_n == RUN_NEW_MAX) || s->run_n == UINT32_MAX) {
        end_run(log, s);
    }
    if (!s->run_n) {
        s->run_va = va;
        s->run_new = is_new;
    }
    if (is_new) {
        s->run_opcodes[s->run_n] = opcode;
        *seen = opcode;
    }
    s->run_n++;
    s->can_drop = 1;
}

int exec_log_drop_last(struct exec_log *log, unsigned cpu)
{
    struct stream *s = &log->streams[cpu];

    if (!s->can_drop) {
        return 0;
    }
    s->can_drop = 0;
    s->run_n--;
    if (s->run_new) {
        /* The reader will not see this opcode: it must be written again. */
        uint32_t *seen = opcode_at(s, s->run_va + 4ull * s->run_n);

        if (seen) {
            *seen = 0;
        }
    }
    return 1;
}

void exec_log_state(struct exec_log *log, unsigned cpu, unsigned el,
                    unsigned ns, uint32_t contextidr, uint32_t vmid)
{
    struct stream *s = &log->streams[cpu];
    uint8_t state = (uint8_t)((el & EXEC_LOG_STATE_EL) |
                              (ns ? EXEC_LOG_STATE_NS : 0));
    uint8_t b[EVENT_MAX];
    unsigned n = 0;

    if (s->state_valid && s->state == state && s->vmid == vmid &&
        s->contextidr == contextidr) {
        return;
    }
    s->state_valid = 1;
    s->state = state;
    s->contextidr = contextidr;
    s->vmid = vmid;
    b[n++] = EXEC_LOG_STATE;
    n += put_v(b + n, next_seq(log));
    b[n++] = state;
    n += put_v(b + n, contextidr);
    n += put_v(b + n, vmid);
    own_event(log, s, b, n);
}

void exec_log_exception(struct exec_log *log, unsigned cpu, unsigned type,
                        uint64_t ret, uint64_t target)
{
    uint8_t b[EVENT_MAX];
    unsigned n = 0;

    b[n++] = EXEC_LOG_EXCEPTION;
    n += put_v(b + n, next_seq(log));
    b[n++] = (uint8_t)type;
    put_le(b + n, ret, 8);
    put_le(b + n + 8, target, 8);
    own_event(log, &log->streams[cpu], b, n + 16);
}

void exec_log_reg(struct exec_log *log, unsigned running, unsigned unit,
                  uint32_t offset, uint32_t value)
{
    uint8_t b[EVENT_MAX];
    unsigned n = 0;

    b[n++] = EXEC_LOG_REG;
    n += put_v(b + n, next_seq(log));
    n += put_v(b + n, offset);
    n += put_v(b + n, value);
    if (running == unit) {
        own_event(log, &log->streams[unit], b, n);
    } else {
        send_mail(log, &log->streams[unit], b, n);
    }
}

uint64_t exec_log_sink(struct exec_log *log, unsigned running, unsigned sink,
                       enum exec_log_sink_kind kind, uint32_t number)
{
    uint64_t seq = next_seq(log);
    uint8_t b[EVENT_MAX];
    unsigned n = 0;

    b[n++] = EXEC_LOG_SINK;
    n += put_v(b + n, seq);
    n += put_v(b + n, sink);
    b[n++] = (uint8_t)kind;
    n += put_v(b + n, number);
    for (unsigned i = 0; i < log->ncpus; i++) {
        if (i == running) {
            own_event(log, &log->streams[i], b, n);
        } else {
            send_mail(log, &log->streams[i], b, n);
        }
    }
    return seq;
}

void exec_log_gap(struct exec_log *log, unsigned cpu)
{
    uint8_t b[EVENT_MAX];
    unsigned n = 0;

    b[n++] = EXEC_LOG_GAP;
    n += put_v(b + n, next_seq(log));
    own_event(log, &log->streams[cpu], b, n);
}

void exec_log_window(struct exec_log *log, unsigned cpu, int on)
{
    uint8_t b[EVENT_MAX];
    unsigned n = 0;

    b[n++] = EXEC_LOG_WINDOW;
    n += put_v(b + n, next_seq(log));
    b[n++] = on ? 1 : 0;
    own_event(log, &log->streams[cpu], b, n);
}

int exec_log_error(struct exec_log *log)
{
    return atomic_load(&log->error);
}

int exec_log_close(struct exec_log *log)
{
    uint8_t total[8];
    int err;

    for (unsigned i = 0; i < log->ncpus; i++) {
        read_mail(log, &log->streams[i]);
        end_block(log, &log->streams[i]);
    }
    put_le(total, log->blocks, 8);
    write_block(log, EXEC_LOG_END_CPU, 0, 0, total, sizeof(total));
    errno = 0;
    if (fclose(log->file)) {
        fail(log, errno);
    }
    err = atomic_load(&log->error);
    free_log(log);
    return err;
}
