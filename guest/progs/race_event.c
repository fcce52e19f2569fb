/*
 * race: an owner's perf events with AUX buffers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "race.h"

#define EVENTS_MAX 64
#define DATA_PAGES 8
#define AUX_BYTES  (4u << 20)
#define AUX_ROOM   4096        /* less room than this: the area is full */
#define PMU        "/sys/bus/event_source/devices/cs_etm/"

struct event {
    char name[NAME_MAX_];
    char target[NAME_MAX_];
    pid_t tid;
    int fd;
    bool snapshot, inherit;
    struct perf_event_mmap_page *page;
    size_t data_size;
    uint8_t *aux;
};
static struct event events[EVENTS_MAX];

static unsigned long number_in(const char *file, const char *after, int base)
{
    char text[64] = "";
    FILE *f = fopen(file, "r");
    char *p = text;

    if (!f || !fgets(text, sizeof(text), f)) {
        fail("cannot read %s", file);
    }
    fclose(f);
    if (after) {
        p = strstr(text, after);
        p = p ? p + strlen(after) : text;
    }
    return strtoul(p, NULL, base);
}

static struct event *find(const char *name)
{
    for (int i = 0; i < EVENTS_MAX; i++) {
        if (!strcmp(events[i].name, name)) {
            return &events[i];
        }
    }
    return NULL;
}

static struct event *known(const char *name)
{
    struct event *e = find(name);

    if (!e) {
        fail("no event %s", name);
    }
    return e;
}

/* What an event that cannot be had says: the call and the error. */
static void refused(struct event *e, const char *call)
{
    put("open %s refused %s %s", e->name, call, strerrorname_np(errno));
    if (e->aux) {
        munmap(e->aux, AUX_BYTES);
    }
    if (e->page) {
        munmap(e->page, e->data_size);
    }
    if (e->fd >= 0) {
        close(e->fd);
    }
    e->aux = NULL;
    e->page = NULL;
    e->fd = -1;
}

static void set_attr(struct perf_event_attr *a, const struct step *s)
{
    const char *sink = step_value(s, "sink");
    char file[128];

    memset(a, 0, sizeof(*a));
    a->size = sizeof(*a);
    a->type = (uint32_t)number_in(PMU "type", NULL, 10);
    a->config = 1ull << number_in(PMU "format/contextid", "config:", 10);
    if (sink) {
        snprintf(file, sizeof(file), PMU "sinks/%s", sink);
        a->config2 = number_in(file, NULL, 16);
    }
    a->disabled = 1;
    a->exclude_kernel = 1;
    a->exclude_hv = 1;
    a->inherit = step_flag(s, "inherit");
    a->inherit_thread = step_flag(s, "inherit-thread");
    a->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
                     PERF_FORMAT_TOTAL_TIME_RUNNING;
}

/* open NAME target=T|all [cpu=N] [sink=S] [inherit] [snapshot] ... */
static void event_open(const struct step *s)
{
    const char *target = step_value(s, "target");
    const char *cpu = step_value(s, "cpu");
    struct event *e = find("");
    struct perf_event_attr attr;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (!e || !target) {
        fail("open %s: no target, or too many events", s->word[1]);
    }
    snprintf(e->name, sizeof(e->name), "%s", s->word[1]);
    snprintf(e->target, sizeof(e->target), "%s", target);
    e->tid = strcmp(target, "all")
             ? shared->worker[worker_find(target)].tid : -1;
    e->snapshot = step_flag(s, "snapshot");
    e->inherit = step_flag(s, "inherit");
    e->data_size = (1 + DATA_PAGES) * page;
    set_attr(&attr, s);
    e->fd = (int)syscall(SYS_perf_event_open, &attr, e->tid,
                         cpu ? atoi(cpu) : -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (e->fd < 0) {
        refused(e, "perf_event_open");
        return;
    }
    e->page = mmap(NULL, e->data_size, PROT_READ | PROT_WRITE, MAP_SHARED,
                   e->fd, 0);
    if (e->page == MAP_FAILED) {
        e->page = NULL;
        refused(e, "mmap");
        return;
    }
    e->page->aux_offset = e->data_size;
    e->page->aux_size = AUX_BYTES;
    e->aux = mmap(NULL, AUX_BYTES,
                  PROT_READ | (e->snapshot ? 0 : PROT_WRITE), MAP_SHARED,
                  e->fd, (off_t)e->data_size);
    if (e->aux == MAP_FAILED) {
        e->aux = NULL;
        refused(e, "mmap-aux");
        return;
    }
    put("open %s ok", e->name);
}

static void control(const struct step *s, unsigned long request)
{
    for (int i = 1; i < s->n; i++) {
        struct event *e;

        if (strchr(s->word[i], '=')) {
            continue;
        }
        e = known(s->word[i]);
        if (e->fd >= 0 && ioctl(e->fd, request, 0)) {
            put("%s %s error %s", s->word[0], e->name,
                strerrorname_np(errno));
        }
    }
}

/* ---- what came of it ---------------------------------------------------- */

struct records {
    unsigned n, truncated, empty;
    uint64_t bytes;
};

static uint64_t load(const uint8_t *data, uint64_t at, uint64_t size)
{
    uint64_t v;

    /* Records are 8-byte aligned, and so is the end of the ring. */
    memcpy(&v, data + at % size, sizeof(v));
    return v;
}

static void count_records(const struct event *e, struct records *r)
{
    const uint8_t *data = (const uint8_t *)e->page + e->page->data_offset;
    uint64_t size = e->page->data_size;
    uint64_t head = __atomic_load_n(&e->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t at = head > size ? head : 0;       /* overwritten: not read */

    while (at < head) {
        uint64_t word = load(data, at, size);
        struct perf_event_header h;

        memcpy(&h, &word, sizeof(h));
        if (!h.size) {
            return;
        }
        if (h.type == PERF_RECORD_AUX) {
            uint64_t bytes = load(data, at + 16, size);
            bool cut = load(data, at + 24, size) & PERF_AUX_FLAG_TRUNCATED;

            r->n++;
            r->bytes += bytes;
            r->truncated += cut;
            r->empty += cut && !bytes;
        }
        at += h.size;
    }
}

/* The AUX buffer, oldest byte first. */
static void send_aux(const struct event *e)
{
    uint64_t head = __atomic_load_n(&e->page->aux_head, __ATOMIC_ACQUIRE);
    size_t n = head < AUX_BYTES ? (size_t)head : AUX_BYTES;
    size_t begin = head < AUX_BYTES ? 0 : (size_t)(head % AUX_BYTES);
    uint8_t *copy = malloc(n + 1);

    if (!copy) {
        fail("no memory");
    }
    memcpy(copy, e->aux + begin, n - begin);
    memcpy(copy + n - begin, e->aux, begin);
    out_put(copy, n, "aux %s %d", e->name, (int)e->tid);
    free(copy);
}

static void report(const char *owner, struct event *e)
{
    struct records r = { 0 };
    uint64_t times[3] = { 0 };

    if (e->fd < 0 || !e->aux) {
        return;
    }
    if (read(e->fd, times, sizeof(times)) < 0) {
        memset(times, 0, sizeof(times));
    }
    count_records(e, &r);
    put("buffer %s owner=%s target=%s tid=%d aux=%llu records=%u bytes=%llu "
        "truncated=%u empty=%u full=%d inherit=%d enabled=%llu running=%llu",
        e->name, owner, e->target, (int)e->tid,
        (unsigned long long)e->page->aux_head, r.n,
        (unsigned long long)r.bytes, r.truncated, r.empty,
        !e->snapshot && e->page->aux_head + AUX_ROOM > AUX_BYTES, e->inherit,
        (unsigned long long)times[1], (unsigned long long)times[2]);
    send_aux(e);
}

static void event_close(const char *owner, struct event *e)
{
    report(owner, e);
    if (e->aux) {
        munmap(e->aux, AUX_BYTES);
        e->aux = NULL;
    }
    if (e->page) {
        munmap(e->page, e->data_size);
        e->page = NULL;
    }
    if (e->fd >= 0) {
        close(e->fd);
        e->fd = -1;
    }
}

void owner_step(const char *owner, const struct step *s)
{
    const char *verb = s->word[0];

    if (!strcmp(verb, "open")) {
        event_open(s);
    } else if (!strcmp(verb, "enable")) {
        control(s, PERF_EVENT_IOC_ENABLE);
    } else if (!strcmp(verb, "disable")) {
        control(s, PERF_EVENT_IOC_DISABLE);
    } else if (!strcmp(verb, "close")) {
        event_close(owner, known(s->word[1]));
    } else if (!strcmp(verb, "report")) {
        for (int i = 0; i < EVENTS_MAX; i++) {
            if (events[i].name[0]) {
                report(owner, &events[i]);
            }
        }
    } else {
        fail("no such step: %s", verb);
    }
}
