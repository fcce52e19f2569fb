/*
 * csvirt verify: is what OpenCSD decodes what the CPUs executed?
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/follow.h"

static const char summary[] =
    "Decodes every read-out of the snapshot folder DIR with OpenCSD,\n"
    "strictly, taking the code from the execution log, and compares it with\n"
    "that log, instruction by instruction: address, exception level, context\n"
    "ID, exceptions. Exit status 1: something differs, or nothing was\n"
    "compared.";

static const GOptionEntry entries[] = {
    { NULL, 0, 0, 0, NULL, NULL, NULL }
};

static void print_readout(const struct follow *f,
                          const struct snap_readout *ro,
                          const struct dcd_stats *stats)
{
    printf("%s: %" G_GUINT64_FORMAT " bytes%s\n", ro->label, stats->bytes,
           ro->wrapped ? ", wrapped" : "");
    for (size_t i = 0; i < ro->n_sources; i++) {
        const struct snap_source *s = &ro->sources[i];
        const struct unit *u;

        if (!s->etm4 || s->cpu < 0 || (unsigned)s->cpu >= f->log->n_cpus) {
            continue;
        }
        u = &f->units[s->cpu];
        printf("  cpu %u, ID 0x%02x: %" G_GUINT64_FORMAT " instructions, %"
               G_GUINT64_FORMAT " exceptions, %" G_GUINT64_FORMAT
               " mismatches", u->cpu, s->atid, u->here.compared,
               u->here.exceptions, u->here.mismatches);
        if (u->here.cycles) {
            printf(", %" G_GUINT64_FORMAT " cycle counts", u->here.cycles);
        }
        printf("\n");
    }
}

static gboolean verify_readout(struct follow *f,
                               const struct snap_readout *ro)
{
    const struct dcd_client client = {
        .opaque = f, .element = follow_element, .memory = follow_memory,
        .error = follow_error,
    };
    struct dcd_stats stats;
    char *error = NULL;

    follow_begin(f, ro);
    if (!dcd_run(ro, &client, &stats, &error)) {
        say("%s", error);
        g_free(error);
        follow_end(f);
        return FALSE;
    }
    follow_end(f);
    print_readout(f, ro, &stats);
    dcd_stats_free(&stats);
    return TRUE;
}

static void print_units(const struct follow *f)
{
    for (unsigned i = 0; i < f->log->n_cpus; i++) {
        const struct unit *u = &f->units[i];

        if (!u->traceable && !u->all.mismatches) {
            continue;
        }
        printf("cpu %u: %zu windows, %" G_GUINT64_FORMAT " instructions to "
               "trace: %" G_GUINT64_FORMAT " compared, %" G_GUINT64_FORMAT
               " behind the last P0 element, ", u->cpu, u->n_windows,
               u->traceable, u->all.compared, u->tail);
        if (u->lead) {
            printf("%" G_GUINT64_FORMAT " before the unit's first, ",
                   u->lead);
        }
        printf("%" G_GUINT64_FORMAT " skipped (%" G_GUINT64_FORMAT
               " while no sink captured), %" G_GUINT64_FORMAT " missing; %"
               G_GUINT64_FORMAT " exceptions\n", u->uncaptured + u->lost,
               u->uncaptured, u->missing, u->all.exceptions);
    }
}

static int verdict(const struct follow *f)
{
    uint64_t compared = 0, mismatches = f->errors, skipped = 0;

    for (unsigned i = 0; i < f->log->n_cpus; i++) {
        compared += f->units[i].all.compared;
        mismatches += f->units[i].all.mismatches;
        skipped += f->units[i].uncaptured + f->units[i].lost;
    }
    printf("verify: %" G_GUINT64_FORMAT " instructions, %" G_GUINT64_FORMAT
           " mismatches, %" G_GUINT64_FORMAT " skipped\n", compared,
           mismatches, skipped);
    if (!compared) {
        fflush(stdout);
        say("verify: nothing was compared");
    }
    return mismatches || !compared ? CLI_FAILED : CLI_OK;
}

int cmd_verify(int argc, char **argv)
{
    struct follow f = { 0 };
    struct snap_set *set;
    struct xl_log *log;
    char *error = NULL;
    int status = CLI_OK;

    if (!cli_options(&argc, &argv, entries, "DIR EXEC-LOG", summary)) {
        return CLI_USAGE;
    }
    if (argc != 3) {
        say("verify: DIR and EXEC-LOG are needed (see csvirt verify --help)");
        return CLI_USAGE;
    }
    set = snap_open(argv[1], &error);
    log = set ? xl_read(argv[2], &error) : NULL;
    if (!log) {
        say("%s", error);
        g_free(error);
        if (set) {
            snap_free(set);
        }
        return CLI_USAGE;
    }
    follow_init(&f, log, FALSE);
    for (size_t i = 0; i < set->n_readouts && !status; i++) {
        if (!verify_readout(&f, &set->readouts[i])) {
            status = CLI_USAGE;
        }
    }
    if (!status) {
        follow_gaps(&f);
        print_units(&f);
        status = verdict(&f);
    }
    follow_free(&f);
    xl_free(log);
    snap_free(set);
    return status;
}
