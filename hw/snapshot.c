/*
 * Snapshot writer, see snapshot.h.  A folder is made under a temporary name
 * and renamed when it is complete.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "exec/memory.h"
#include "etm4_qom.h"
#include "exec_log.h"
#include "sched.h"
#include "snapshot.h"

#define COPY_CHUNK (1u << 20)
#define TRACEIDR 0x040u

struct source {
    DeviceState *etm;
    unsigned cpu;
};

static struct {
    char *dir;              /* NULL: off */
    uint64_t max_bytes;
    uint64_t bytes;         /* written so far */
    unsigned number;        /* of the last read-out */
    bool full;              /* the cap or an error has been told */
    GArray *sources;        /* struct source */
} snap;

/* What a decoder needs of a unit, IHI 0064H.b offsets */
static const struct {
    const char *name;
    uint32_t off;
} etm_regs[] = {
    { "TRCCONFIGR", 0x010 }, { "TRCTRACEIDR", TRACEIDR },
    { "TRCIDR8", 0x180 }, { "TRCIDR9", 0x184 }, { "TRCIDR10", 0x188 },
    { "TRCIDR11", 0x18c }, { "TRCIDR12", 0x190 }, { "TRCIDR13", 0x194 },
    { "TRCIDR0", 0x1e0 }, { "TRCIDR1", 0x1e4 }, { "TRCIDR2", 0x1e8 },
    { "TRCAUTHSTATUS", 0xfb8 }, { "TRCDEVARCH", 0xfbc },
};

/* ---- files ---- */

/* Tell it once and give up: the guest goes on. */
static void give_up(const char *path)
{
    warn_report("csvirt: %s: %s: no more read-outs are written", path,
                strerror(errno));
    snap.full = true;
}

static bool put_file(const char *dir, const char *name, const char *text,
                     gsize len)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    FILE *f = fopen(path, "w");
    bool ok;

    if (!f) {
        give_up(path);
        return false;
    }
    ok = fwrite(text, 1, len, f) == len;
    /* A full disk may show only at the close. */
    ok = fclose(f) == 0 && ok;
    if (!ok) {
        give_up(path);
    }
    return ok;
}

static bool put_string(const char *dir, const char *name, GString *text)
{
    bool ok = put_file(dir, name, text->str, text->len);

    g_string_free(text, TRUE);
    return ok;
}

static void remove_folder(const char *dir)
{
    GDir *d = g_dir_open(dir, 0, NULL);
    const char *name;

    while (d && (name = g_dir_read_name(d))) {
        g_autofree char *path = g_build_filename(dir, name, NULL);

        unlink(path);
    }
    if (d) {
        g_dir_close(d);
    }
    rmdir(dir);
}

/* Copy guest memory [addr, addr + len) to @f.  returns: false with errno. */
static bool copy_ram(FILE *f, uint64_t addr, uint64_t len)
{
    const MemTxAttrs attrs = { .memory = 1 };
    g_autofree uint8_t *buf = g_malloc(COPY_CHUNK);

    while (len) {
        size_t n = MIN(len, COPY_CHUNK);

        if (address_space_read(&address_space_memory, addr, attrs, buf, n)
            != MEMTX_OK) {
            errno = EFAULT;
            return false;
        }
        if (fwrite(buf, 1, n, f) != n) {
            return false;
        }
        addr += n;
        len -= n;
    }
    return true;
}

/* The buffer, oldest byte first. */
static bool put_buffer(const char *dir, const char *name,
                       const struct tmc_capture *c)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    FILE *f = fopen(path, "w");
    uint64_t head = MIN(c->len, c->base + c->size - c->start);
    bool ok = f != NULL;

    ok = ok && copy_ram(f, c->start, head);
    ok = ok && copy_ram(f, c->base, c->len - head);
    if (f) {
        int error = errno;

        if (fclose(f) == 0) {
            errno = error;
        } else {
            ok = false;
        }
    }
    if (!ok) {
        give_up(path);
    }
    return ok;
}

/* ---- the ini files ---- */

/* @atid: the ID of what the unit sent; its register may have changed since */
static bool put_etm(const char *dir, const struct source *s, uint32_t atid)
{
    GString *ini = g_string_new("[device]\n");
    g_autofree char *name = g_strdup_printf("etm_%u.ini", s->cpu);

    g_string_append_printf(ini, "name=etm_%u\nclass=trace_source\ntype=ETM4\n"
                           "\n[regs]\n", s->cpu);
    for (size_t i = 0; i < ARRAY_SIZE(etm_regs); i++) {
        uint32_t val;

        if (csvirt_etm_regs(s->etm, etm_regs[i].off, &val)) {
            if (etm_regs[i].off == TRACEIDR) {
                val = atid;
            }
            g_string_append_printf(ini, "%s(0x%03x)=0x%08x\n",
                                   etm_regs[i].name, etm_regs[i].off / 4,
                                   val);
        }
    }
    return put_string(dir, name, ini);
}

static bool put_cpu(const char *dir, const struct source *s)
{
    GString *ini = g_string_new("[device]\n");
    g_autofree char *name = g_strdup_printf("cpu_%u.ini", s->cpu);

    /* OpenCSD knows no Neoverse core by name; the profile is what counts. */
    g_string_append_printf(ini, "name=cpu_%u\nclass=core\ntype=ARM-AA64\n",
                           s->cpu);
    return put_string(dir, name, ini);
}

static bool put_sink(const char *dir, const struct csvirt_readout *r)
{
    GString *ini = g_string_new("[device]\n");
    g_autofree char *name = g_strdup_printf("%s.ini", r->sink);

    g_string_append_printf(ini, "name=%s\nclass=trace_sink\ntype=%s\n\n"
                           "[regs]\n", r->sink, r->type);
    for (size_t i = 0; i < r->n_regs; i++) {
        g_string_append_printf(ini, "%s(0x%03x)=0x%08x\n", r->regs[i].name,
                               r->regs[i].off / 4, r->regs[i].val);
    }
    return put_string(dir, name, ini);
}

/* Did this source send something that is in the read-out? */
static bool source_seen(const struct csvirt_readout *r, size_t i)
{
    return r->arrivals && i < r->arrivals->n &&
        qatomic_read(&r->arrivals->by_source[i].bytes) != r->seen[i];
}

static uint32_t source_atid(const struct csvirt_readout *r, size_t i)
{
    return qatomic_read(&r->arrivals->by_source[i].atid);
}

static bool put_devices(const char *dir, const struct csvirt_readout *r)
{
    GString *snapshot = g_string_new("[snapshot]\nversion=1.0\n\n"
                                     "[device_list]\n");
    GString *links = g_string_new("\n[source_buffers]\n");
    GString *cores = g_string_new("\n[core_trace_sources]\n");
    GString *trace = g_string_new("[trace_buffers]\nbuffers=buffer0\n\n");
    unsigned device = 0;
    bool ok = put_sink(dir, r);

    for (size_t i = 0; ok && i < snap.sources->len; i++) {
        const struct source *s = &g_array_index(snap.sources, struct source,
                                                i);

        if (!source_seen(r, i)) {
            continue;
        }
        ok = put_cpu(dir, s) && put_etm(dir, s, source_atid(r, i));
        g_string_append_printf(snapshot, "device%u=cpu_%u.ini\n", device++,
                               s->cpu);
        g_string_append_printf(snapshot, "device%u=etm_%u.ini\n", device++,
                               s->cpu);
        g_string_append_printf(links, "etm_%u=%s\n", s->cpu, r->sink);
        g_string_append_printf(cores, "cpu_%u=etm_%u\n", s->cpu, s->cpu);
    }
    g_string_append_printf(snapshot, "device%u=%s.ini\n\n[trace]\n"
                           "metadata=trace.ini\n", device, r->sink);
    g_string_append_printf(trace, "[buffer0]\nname=%s\nfile=%s.bin\n"
                           "format=%s\n", r->sink, r->sink,
                           r->framed ? "coresight" : "source_data");
    g_string_append(trace, links->str);
    g_string_append(trace, cores->str);
    g_string_free(links, TRUE);
    g_string_free(cores, TRUE);
    ok = put_string(dir, "snapshot.ini", snapshot) && ok;
    return put_string(dir, "trace.ini", trace) && ok;
}

static bool put_index(const struct csvirt_readout *r, uint64_t seq)
{
    g_autofree char *path = g_build_filename(snap.dir, "index.tsv", NULL);
    FILE *f = fopen(path, "a");
    bool ok = f != NULL;

    if (f) {
        ok = fprintf(f, "%u\t%s\t%" PRIu64 "\t%" PRIu64 "\t%d\t%" PRIu64 "\n",
                     snap.number, r->sink,
                     csvirt_now_ns(), r->capture->len,
                     r->capture->wrapped, seq) > 0;
        ok = fclose(f) == 0 && ok;
    }
    if (!ok) {
        give_up(path);
    }
    return ok;
}

/* ---- interface ---- */

bool csvirt_snapshot_open(const char *dir, uint64_t max_bytes, Error **errp)
{
    g_autofree char *index = g_build_filename(dir, "index.tsv", NULL);

    if (g_mkdir_with_parents(dir, 0777) != 0) {
        error_setg_errno(errp, errno, "%s", dir);
        return false;
    }
    if (access(dir, W_OK | X_OK) != 0) {
        error_setg_errno(errp, errno, "%s", dir);
        return false;
    }
    if (access(index, F_OK) == 0) {
        error_setg(errp, "%s: the folder holds read-outs already", index);
        return false;
    }
    snap.dir = g_strdup(dir);
    snap.max_bytes = max_bytes;
    return true;
}

void csvirt_snapshot_add_source(DeviceState *etm, unsigned cpu)
{
    struct source s = { .etm = etm, .cpu = cpu };

    if (!snap.sources) {
        snap.sources = g_array_new(FALSE, FALSE, sizeof(struct source));
    }
    g_array_append_val(snap.sources, s);
}

static bool write_folder(const struct csvirt_readout *r)
{
    g_autofree char *tmp = g_strdup_printf("%s/.%04u", snap.dir, snap.number);
    g_autofree char *dir = g_strdup_printf("%s/%04u", snap.dir, snap.number);
    g_autofree char *bin = g_strdup_printf("%s.bin", r->sink);
    bool ok;

    if (mkdir(tmp, 0777) != 0) {
        give_up(tmp);
        return false;
    }
    ok = put_buffer(tmp, bin, r->capture) && put_devices(tmp, r);
    if (ok && rename(tmp, dir) != 0) {
        give_up(dir);
        ok = false;
    }
    if (!ok) {
        remove_folder(tmp);
        return false;
    }
    if (!put_index(r, csvirt_exec_log_sink(r->index, EXEC_LOG_SINK_READOUT,
                                           snap.number))) {
        remove_folder(dir);
        return false;
    }
    return true;
}

unsigned csvirt_snapshot_write(const struct csvirt_readout *r)
{
    if (!snap.dir || !r->capture->len || snap.full) {
        return 0;
    }
    if (r->capture->len > snap.max_bytes - snap.bytes) {
        warn_report("csvirt: %s: the cap of %" PRIu64 " bytes is reached: no "
                    "more read-outs are written", snap.dir, snap.max_bytes);
        snap.full = true;
        return 0;
    }
    snap.number++;
    if (!write_folder(r)) {
        return 0;
    }
    snap.bytes += r->capture->len;
    return snap.number;
}
