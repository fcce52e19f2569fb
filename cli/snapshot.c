/*
 * Reader of snapshot folders.  Form: Arm DS, "Trace and Debug Snapshot File
 * format specification"; not read: core registers, memory dumps, clusters.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "cli/snapshot.h"

static const char *const reg_names[SNAP_REG_COUNT] = {
    "TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8",
    "TRCIDR9", "TRCIDR10", "TRCIDR11", "TRCIDR12", "TRCIDR13",
};

/* ---- ini files ---------------------------------------------------------- */

static GKeyFile *ini_read(const char *dir, const char *name, char **error)
{
    char *path = g_build_filename(dir, name, NULL);
    GKeyFile *ini = g_key_file_new();
    GError *e = NULL;
    char *text = NULL;

    if (g_file_get_contents(path, &text, NULL, &e)) {
        g_strdelimit(text, "\r", '\n');
        g_key_file_load_from_data(ini, text, (gsize)-1, G_KEY_FILE_NONE, &e);
        g_free(text);
    }
    if (e) {
        *error = g_strdup_printf("%s: %s", path, e->message);
        g_error_free(e);
        g_key_file_free(ini);
        ini = NULL;
    }
    g_free(path);
    return ini;
}

/* Value of GROUP/KEY, or NULL; the value of a missing key is no error. */
static char *ini_get(GKeyFile *ini, const char *group, const char *key)
{
    char *v = g_key_file_get_value(ini, group, key, NULL);

    return v ? g_strstrip(v) : NULL;
}

static gboolean is(const char *text, const char *what)
{
    return text && !g_ascii_strcasecmp(text, what);
}

/* ---- devices ------------------------------------------------------------ */

/* What one device file says, as far as it is a trace source. */
struct device {
    char *name, *class, *type;
    uint32_t reg[SNAP_REG_COUNT];
};

static void device_free(gpointer p)
{
    struct device *d = p;

    g_free(d->name);
    g_free(d->class);
    g_free(d->type);
    g_free(d);
}

/* "TRCIDR0(0x078)" or "TRCIDR0". */
static void device_registers(struct device *d, GKeyFile *ini)
{
    char **keys = g_key_file_get_keys(ini, "regs", NULL, NULL);

    for (char **k = keys; keys && *k; k++) {
        char *value = ini_get(ini, "regs", *k);
        size_t n = strcspn(*k, "( ");

        for (unsigned i = 0; i < SNAP_REG_COUNT; i++) {
            if (strlen(reg_names[i]) == n && !strncmp(*k, reg_names[i], n)) {
                d->reg[i] = (uint32_t)g_ascii_strtoull(value, NULL, 0);
            }
        }
        g_free(value);
    }
    g_strfreev(keys);
}

static GPtrArray *devices_read(const char *dir, GKeyFile *snapshot,
                               char **error)
{
    GPtrArray *devices = g_ptr_array_new_with_free_func(device_free);
    char **keys = g_key_file_get_keys(snapshot, "device_list", NULL, NULL);

    for (char **k = keys; keys && *k && !*error; k++) {
        char *name = ini_get(snapshot, "device_list", *k);
        GKeyFile *ini = ini_read(dir, name, error);

        if (ini) {
            struct device *d = g_new0(struct device, 1);

            d->name = ini_get(ini, "device", "name");
            d->class = ini_get(ini, "device", "class");
            d->type = ini_get(ini, "device", "type");
            device_registers(d, ini);
            g_ptr_array_add(devices, d);
            g_key_file_free(ini);
        }
        g_free(name);
    }
    g_strfreev(keys);
    return devices;
}

static const struct device *device_named(const GPtrArray *devices,
                                         const char *name)
{
    for (guint i = 0; i < devices->len; i++) {
        const struct device *d = g_ptr_array_index(devices, i);

        if (is(d->name, name)) {
            return d;
        }
    }
    return NULL;
}

/* ---- read-outs ---------------------------------------------------------- */

static int number_at_end(const char *name)
{
    size_t n = strlen(name), i = n;

    while (i && g_ascii_isdigit(name[i - 1])) {
        i--;
    }
    return i < n ? (int)g_ascii_strtoull(name + i, NULL, 10) : -1;
}

/* The core whose trace source is @source. */
static char *core_of(GKeyFile *trace, const char *source)
{
    char **keys = g_key_file_get_keys(trace, "core_trace_sources", NULL,
                                      NULL);
    char *core = NULL;

    for (char **k = keys; keys && *k && !core; k++) {
        char *value = ini_get(trace, "core_trace_sources", *k);

        if (is(value, source)) {
            core = g_strdup(*k);
        }
        g_free(value);
    }
    g_strfreev(keys);
    return core;
}

static gboolean lists(const char *value, const char *sink)
{
    char **names = g_strsplit(value, ",", -1);
    gboolean found = FALSE;

    for (char **n = names; *n; n++) {
        found = found || is(g_strstrip(*n), sink);
    }
    g_strfreev(names);
    return found;
}

static void add_sources(struct snap_readout *r, GKeyFile *trace,
                        const GPtrArray *devices)
{
    char **keys = g_key_file_get_keys(trace, "source_buffers", NULL, NULL);

    for (char **k = keys; keys && *k; k++) {
        char *value = ini_get(trace, "source_buffers", *k);
        const struct device *d = device_named(devices, *k);

        if (d && lists(value, r->sink)) {
            struct snap_source *s;

            r->sources = g_renew(struct snap_source, r->sources,
                                 r->n_sources + 1);
            s = &r->sources[r->n_sources++];
            s->name = g_strdup(*k);
            s->core = core_of(trace, *k);
            s->cpu = number_at_end(s->core ? s->core : s->name);
            s->etm4 = is(d->type, "ETM4");
            memcpy(s->reg, d->reg, sizeof(s->reg));
            s->atid = s->reg[SNAP_TRACEIDR] & 0x7f;
        }
        g_free(value);
    }
    g_strfreev(keys);
}

static struct snap_readout *add_readout(struct snap_set *set)
{
    set->readouts = g_renew(struct snap_readout, set->readouts,
                            set->n_readouts + 1);
    memset(&set->readouts[set->n_readouts], 0, sizeof(*set->readouts));
    return &set->readouts[set->n_readouts++];
}

static void read_buffer(struct snap_set *set, const char *dir,
                        unsigned number, GKeyFile *trace, const char *buffer,
                        const GPtrArray *devices, char **error)
{
    char *name = ini_get(trace, buffer, "name");
    char *file = ini_get(trace, buffer, "file");
    char *format = ini_get(trace, buffer, "format");

    if (!name || !file || !(is(format, "coresight") ||
                            is(format, "source_data"))) {
        *error = g_strdup_printf("%s/trace.ini: [%s]: name, file and format "
                                 "(coresight or source_data) are expected",
                                 dir, buffer);
    } else {
        struct snap_readout *r = add_readout(set);

        r->number = number;
        r->sink = g_strdup(name);
        r->file = g_build_filename(dir, file, NULL);
        r->formatted = is(format, "coresight");
        r->label = number ? g_strdup_printf("%04u %s", number, name)
                          : g_strdup(name);
        add_sources(r, trace, devices);
    }
    g_free(name);
    g_free(file);
    g_free(format);
}

static void read_one(struct snap_set *set, const char *dir, unsigned number,
                     char **error)
{
    GKeyFile *snapshot = ini_read(dir, "snapshot.ini", error);
    char *meta = snapshot ? ini_get(snapshot, "trace", "metadata") : NULL;
    GKeyFile *trace = meta ? ini_read(dir, meta, error) : NULL;
    GPtrArray *devices = trace ? devices_read(dir, snapshot, error) : NULL;
    char *buffers = trace ? ini_get(trace, "trace_buffers", "buffers") : NULL;

    if (!*error && !buffers) {
        *error = g_strdup_printf("%s: no trace buffers in this snapshot",
                                 dir);
    }
    if (!*error) {
        char **names = g_strsplit(buffers, ",", -1);

        for (char **n = names; *n && !*error; n++) {
            read_buffer(set, dir, number, trace, g_strstrip(*n), devices,
                        error);
        }
        g_strfreev(names);
    }
    if (devices) {
        g_ptr_array_free(devices, TRUE);
    }
    if (trace) {
        g_key_file_free(trace);
    }
    if (snapshot) {
        g_key_file_free(snapshot);
    }
    g_free(meta);
    g_free(buffers);
}

/* ---- folders ------------------------------------------------------------ */

static gint by_number(gconstpointer a, gconstpointer b)
{
    const unsigned *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Folders whose names are numbers. */
static GArray *numbers_in(const char *dir, char **error)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(unsigned));
    GError *e = NULL;
    GDir *d = g_dir_open(dir, 0, &e);
    const char *name;

    if (!d) {
        *error = g_strdup(e->message);
        g_error_free(e);
        return numbers;
    }
    while ((name = g_dir_read_name(d))) {
        unsigned n = (unsigned)g_ascii_strtoull(name, NULL, 10);

        if (n && strspn(name, "0123456789") == strlen(name)) {
            g_array_append_val(numbers, n);
        }
    }
    g_dir_close(d);
    g_array_sort(numbers, by_number);
    return numbers;
}

/* index.tsv: number, sink, time, bytes, wrapped, sequence number. */
static void read_index(struct snap_set *set, const char *dir, char **error)
{
    char *path = g_build_filename(dir, "index.tsv", NULL);
    char *text = NULL;
    char **lines;

    if (!g_file_get_contents(path, &text, NULL, NULL)) {
        g_free(path);
        return;
    }
    lines = g_strsplit(text, "\n", -1);
    for (size_t i = 0; lines[i] && !*error; i++) {
        char **f = g_strsplit(lines[i], "\t", -1);
        guint64 number = g_ascii_strtoull(f[0] ? f[0] : "", NULL, 10);

        if (*lines[i] && lines[i][0] != '#' && g_strv_length(f) < 6) {
            *error = g_strdup_printf("%s:%zu: six fields are expected", path,
                                     i + 1);
        }
        for (size_t k = 0; !*error && number && k < set->n_readouts; k++) {
            struct snap_readout *r = &set->readouts[k];

            if (r->number == number && !strcmp(r->sink, f[1])) {
                r->indexed = TRUE;
                r->time_ns = g_ascii_strtoull(f[2], NULL, 10);
                r->wrapped = g_ascii_strtoull(f[4], NULL, 10) != 0;
                r->seq = g_ascii_strtoull(f[5], NULL, 10);
            }
        }
        g_strfreev(f);
    }
    g_strfreev(lines);
    g_free(text);
    g_free(path);
}

struct snap_set *snap_open(const char *dir, char **error)
{
    struct snap_set *set = g_new0(struct snap_set, 1);
    char *single = g_build_filename(dir, "snapshot.ini", NULL);

    *error = NULL;
    if (g_file_test(single, G_FILE_TEST_EXISTS)) {
        read_one(set, dir, 0, error);
    } else {
        GArray *numbers = numbers_in(dir, error);

        for (guint i = 0; i < numbers->len && !*error; i++) {
            unsigned n = g_array_index(numbers, unsigned, i);
            char *name = g_strdup_printf("%04u", n);
            char *sub = g_build_filename(dir, name, NULL);

            read_one(set, sub, n, error);
            g_free(name);
            g_free(sub);
        }
        g_array_free(numbers, TRUE);
        if (!*error) {
            read_index(set, dir, error);
        }
    }
    g_free(single);
    if (!*error && !set->n_readouts) {
        *error = g_strdup_printf("%s: no read-outs in this folder", dir);
    }
    if (*error) {
        snap_free(set);
        return NULL;
    }
    return set;
}

void snap_free(struct snap_set *set)
{
    for (size_t i = 0; i < set->n_readouts; i++) {
        struct snap_readout *r = &set->readouts[i];

        for (size_t k = 0; k < r->n_sources; k++) {
            g_free(r->sources[k].name);
            g_free(r->sources[k].core);
        }
        g_free(r->sources);
        g_free(r->label);
        g_free(r->sink);
        g_free(r->file);
    }
    g_free(set->readouts);
    g_free(set);
}

const struct snap_source *snap_source_of(const struct snap_readout *r,
                                         unsigned atid)
{
    for (size_t i = 0; i < r->n_sources; i++) {
        if (r->sources[i].etm4 && r->sources[i].atid == atid) {
            return &r->sources[i];
        }
    }
    return NULL;
}
