/*
 * The timeline file, see events_json.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "events_json.h"

enum { PID_CPUS = 1, PID_SINKS = 2 };

struct events_json {
    FILE *f;
    bool any;               /* an object is in the array */
};

/* the beginning of an object, up to where args may follow */
static void put_head(struct events_json *j, const char *phase,
                     const char *name, unsigned pid, unsigned tid)
{
    fprintf(j->f, "%s\n{\"ph\":\"%s\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u",
            j->any ? "," : "", phase, name, pid, tid);
    j->any = true;
}

static void put_event(struct events_json *j, const char *phase,
                      const char *name, unsigned pid, unsigned tid,
                      uint64_t now_ns)
{
    put_head(j, phase, name, pid, tid);
    fprintf(j->f, ",\"ts\":%" PRIu64 ".%03u", now_ns / 1000,
            (unsigned)(now_ns % 1000));
    if (*phase == 'i') {
        fputs(",\"s\":\"t\"", j->f);
    }
}

/* ---- the file ---- */

static void put_name(struct events_json *j, const char *of, unsigned pid,
                     unsigned tid, const char *name)
{
    put_head(j, "M", of, pid, tid);
    fprintf(j->f, ",\"args\":{\"name\":\"%s\"}}", name);
}

struct events_json *events_json_open(const char *path)
{
    struct events_json *j;
    FILE *f = fopen(path, "w");

    if (!f) {
        return NULL;
    }
    j = g_new0(struct events_json, 1);
    j->f = f;
    fputc('[', f);
    put_name(j, "process_name", PID_CPUS, 0, "trace units");
    put_name(j, "process_name", PID_SINKS, 0, "sinks");
    return j;
}

int events_json_close(struct events_json *j)
{
    int err;

    errno = 0;
    fputs("\n]\n", j->f);
    err = ferror(j->f) ? EIO : 0;
    if (fclose(j->f) != 0) {
        err = errno;
    }
    g_free(j);
    return err;
}

void events_json_cpu(struct events_json *j, unsigned cpu)
{
    g_autofree char *name = g_strdup_printf("CPU %u", cpu);

    put_name(j, "thread_name", PID_CPUS, cpu, name);
}

void events_json_sink(struct events_json *j, unsigned sink, const char *name)
{
    put_name(j, "thread_name", PID_SINKS, sink, name);
}

/* ---- trace units ---- */

void events_json_on(struct events_json *j, uint64_t now_ns, unsigned cpu,
                    const struct ids_source *s)
{
    put_event(j, "B", "trace", PID_CPUS, cpu, now_ns);
    fprintf(j->f, ",\"args\":{\"atid\":\"0x%02x\",\"contextidr\":%" PRIu32
            "}}", s->atid, s->contextidr);
}

void events_json_off(struct events_json *j, uint64_t now_ns, unsigned cpu)
{
    put_event(j, "E", "trace", PID_CPUS, cpu, now_ns);
    fputc('}', j->f);
}

void events_json_thread(struct events_json *j, uint64_t now_ns, unsigned cpu,
                        uint32_t contextidr)
{
    put_event(j, "i", "thread", PID_CPUS, cpu, now_ns);
    fprintf(j->f, ",\"args\":{\"contextidr\":%" PRIu32 "}}", contextidr);
}

/* ---- sinks ---- */

static void put_buffer(struct events_json *j,
                       const struct csvirt_sink_state *s)
{
    fprintf(j->f, ",\"args\":{\"base\":\"0x%" PRIx64 "\",\"size\":%" PRIu64,
            s->base, s->size);
}

void events_json_capture(struct events_json *j, uint64_t now_ns,
                         unsigned sink, const struct csvirt_sink_state *s)
{
    put_event(j, "B", "capture", PID_SINKS, sink, now_ns);
    put_buffer(j, s);
    fputs("}}", j->f);
}

void events_json_sink_note(struct events_json *j, uint64_t now_ns,
                           unsigned sink, const char *what,
                           const struct csvirt_sink_state *s)
{
    put_event(j, "i", what, PID_SINKS, sink, now_ns);
    put_buffer(j, s);
    fputs("}}", j->f);
}

static void put_atids(struct events_json *j, const struct ids_sink *ids,
                      const unsigned *cpu)
{
    const char *comma = "";

    fputs(",\"atids\":{", j->f);
    for (unsigned id = 0; id < IDS_ATIDS; id++) {
        const struct ids_use *u = &ids->use[id];

        if (u->source != IDS_NONE) {
            fprintf(j->f, "%s\"0x%02x\":{\"cpu\":%u,\"bytes\":%" PRIu64 "}",
                    comma, id, cpu[u->source], u->bytes);
            comma = ",";
        }
    }
    fputc('}', j->f);
}

void events_json_capture_end(struct events_json *j, uint64_t now_ns,
                             unsigned sink, const struct csvirt_sink_state *s,
                             const struct ids_sink *ids, const unsigned *cpu)
{
    put_event(j, "E", "capture", PID_SINKS, sink, now_ns);
    fprintf(j->f, ",\"args\":{\"bytes\":%" PRIu64 ",\"wrapped\":%s,"
            "\"dropped\":%" PRIu64, s->bytes, s->wrapped ? "true" : "false",
            s->dropped);
    put_atids(j, ids, cpu);
    fputs("}}", j->f);
    /* A guest that hangs after this is killed: let it be in the file. */
    fflush(j->f);
}

void events_json_collision(struct events_json *j,
                           const struct ids_collision *c, const unsigned *cpu)
{
    put_event(j, "i", "collision", PID_SINKS, c->sink, c->now_ns);
    fprintf(j->f, ",\"args\":{\"atid\":\"0x%02x\",\"cpus\":[%u,%u],"
            "\"live\":%s}}", c->atid, cpu[c->first], cpu[c->second],
            c->live ? "true" : "false");
}
