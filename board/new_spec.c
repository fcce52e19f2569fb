/*
 * What a topology is made from: "cpus=128,etrs=2,...".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "new_topology.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

/* Values as given; 0 or NULL: not. */
struct given {
    unsigned cpus, etrs, cluster, reach;
    bool reach_all;
    char *groups;
};

static char *bad_number(const char *key, const char *text, unsigned max)
{
    return g_strdup_printf("%s: '%s': a number from 1 to %u expected", key,
                           text, max);
}

/* @text from 1 to @max, digits only; 0 when it is not */
static unsigned number(const char *text, unsigned max)
{
    unsigned long v;

    for (const char *s = text; *s != 0; s++) {
        if (!g_ascii_isdigit(*s) || s - text > 5) {
            return 0;
        }
    }
    v = strtoul(text, NULL, 10);
    return v <= max ? (unsigned)v : 0;
}

static char *take_number(const char *key, const char *text, unsigned max,
                         unsigned *to)
{
    *to = number(text, max);
    return *to != 0 ? NULL : bad_number(key, text, max);
}

static char *take_sinks(const char *text)
{
    if (strcmp(text, "etr") == 0) {
        return NULL;
    }
    if (strcmp(text, "etf") == 0) {
        return g_strdup("sinks: 'etf': a TMC configured as ETF is not "
                        "modelled, etr expected");
    }
    return g_strdup_printf("sinks: '%s': etr expected", text);
}

/* one key and its value: NULL, or what is wrong */
static char *take(struct given *v, const char *key, const char *text)
{
    if (strcmp(key, "cpus") == 0) {
        return take_number(key, text, NEW_CPUS_MAX, &v->cpus);
    } else if (strcmp(key, "etrs") == 0) {
        return take_number(key, text, NEW_ETRS_MAX, &v->etrs);
    } else if (strcmp(key, "cluster") == 0) {
        return take_number(key, text, NEW_FUNNEL_IN, &v->cluster);
    } else if (strcmp(key, "reach") == 0) {
        v->reach_all = strcmp(text, "all") == 0;
        return v->reach_all ? NULL :
               take_number(key, text, NEW_ETRS_MAX, &v->reach);
    } else if (strcmp(key, "groups") == 0) {
        v->groups = g_strdup(text);
        return NULL;
    } else if (strcmp(key, "sinks") == 0) {
        return take_sinks(text);
    }
    return g_strdup_printf("'%s' is not known: cpus, etrs, groups, cluster, "
                           "reach or sinks expected", key);
}

static char *take_words(struct given *v, const char *text)
{
    char **words = g_strsplit(text, ",", -1);
    GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
    char *error = NULL;

    for (char **w = words; *w != NULL && error == NULL; w++) {
        char *eq = strchr(*w, '=');

        if (eq == NULL || eq == *w) {
            error = g_strdup_printf("'%s': KEY=VALUE expected", *w);
            break;
        }
        *eq = 0;
        if (!g_hash_table_add(seen, *w)) {
            error = g_strdup_printf("%s: is given twice", *w);
        } else {
            error = take(v, *w, eq + 1);
        }
    }
    g_hash_table_destroy(seen);
    g_strfreev(words);
    return error;
}

/* groups=111+17: the sizes, their number and sum */
static char *take_groups(const struct given *v, struct new_spec *s)
{
    char **parts = g_strsplit(v->groups, "+", -1);
    guint n = g_strv_length(parts);
    char *error = NULL;

    s->cpus = 0;
    s->etrs = n;
    if (n == 0 || n > NEW_ETRS_MAX) {
        error = g_strdup_printf("groups: %u of them: 1 to %u expected", n,
                                NEW_ETRS_MAX);
    }
    for (guint i = 0; i < n && error == NULL; i++) {
        error = take_number("groups", parts[i], NEW_CPUS_MAX, &s->size[i]);
        s->cpus += s->size[i];
    }
    g_strfreev(parts);
    if (error != NULL) {
        return error;
    }
    if (s->cpus > NEW_CPUS_MAX) {
        return g_strdup_printf("groups: %u CPUs in all: at most %u expected",
                               s->cpus, NEW_CPUS_MAX);
    }
    if (v->cpus != 0 && v->cpus != s->cpus) {
        return g_strdup_printf("groups: %u CPUs in all, but cpus=%u", s->cpus,
                               v->cpus);
    }
    if (v->etrs != 0 && v->etrs != s->etrs) {
        return g_strdup_printf("groups: %u of them, but etrs=%u", s->etrs,
                               v->etrs);
    }
    return NULL;
}

/* equal parts, the first ones by one larger where it does not come out even */
static char *take_parts(const struct given *v, struct new_spec *s)
{
    if (v->cpus == 0) {
        return g_strdup("cpus: is missing: cpus=N or groups=N+N expected");
    }
    s->cpus = v->cpus;
    s->etrs = v->etrs != 0 ? v->etrs : 1;
    if (s->etrs > s->cpus) {
        return g_strdup_printf("etrs: %u of them for %u CPUs: at most one a "
                               "CPU expected", s->etrs, s->cpus);
    }
    for (unsigned i = 0; i < s->etrs; i++) {
        s->size[i] = s->cpus / s->etrs + (i < s->cpus % s->etrs ? 1 : 0);
    }
    return NULL;
}

static char *settle(const struct given *v, struct new_spec *s)
{
    char *error = v->groups != NULL ? take_groups(v, s) : take_parts(v, s);

    if (error != NULL) {
        return error;
    }
    s->cluster = v->cluster != 0 ? v->cluster : NEW_FUNNEL_IN;
    s->reach = v->reach_all ? s->etrs : v->reach != 0 ? v->reach : 1;
    if (s->reach > s->etrs) {
        return g_strdup_printf("reach: %u sinks of %u: at most %u, or all, "
                               "expected", s->reach, s->etrs, s->etrs);
    }
    if (s->reach > 1 && s->reach * s->etrs > NEW_WAYS_MAX) {
        return g_strdup_printf("reach: %u sinks for each of %u groups: at "
                               "most %u expected", s->reach, s->etrs,
                               NEW_WAYS_MAX / s->etrs);
    }
    return NULL;
}

bool new_spec_parse(const char *text, struct new_spec *spec, char **error)
{
    struct given v = { 0 };

    memset(spec, 0, sizeof(*spec));
    *error = take_words(&v, text);
    if (*error == NULL) {
        *error = settle(&v, spec);
    }
    g_free(v.groups);
    return *error == NULL;
}
