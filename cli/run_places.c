/*
 * csvirt run: the places that its results go to, looked at before it starts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cli/run.h"

#define OUTPUT_ROOM (16u << 20)     /* bytes that must be free to start */

int run_room_ok(const char *dir)
{
    struct statvfs v;

    if (!statvfs(dir, &v) &&
        (guint64)v.f_bavail * v.f_frsize < OUTPUT_ROOM) {
        say("%s: the disk is full (%u MiB are needed to start)", dir,
            OUTPUT_ROOM >> 20);
        return CLI_USAGE;
    }
    return CLI_OK;
}

int run_place_snapshot(const char *dir)
{
    gboolean there = g_file_test(dir, G_FILE_TEST_EXISTS);
    int failed = g_mkdir_with_parents(dir, 0777);
    GDir *d;

    if (failed || g_access(dir, W_OK | X_OK)) {
        say("--snapshot %s: %s", dir, strerror(errno));
        return CLI_USAGE;
    }
    d = g_dir_open(dir, 0, NULL);
    if (!d || g_dir_read_name(d)) {
        say("--snapshot %s: the folder is not empty", dir);
        if (d) {
            g_dir_close(d);
        }
        return CLI_USAGE;
    }
    g_dir_close(d);
    if (run_room_ok(dir)) {
        if (!there) {
            g_rmdir(dir);
        }
        return CLI_USAGE;
    }
    return CLI_OK;
}

int run_place_file(const char *option, const char *file)
{
    char *dir = g_path_get_dirname(file);
    int status = CLI_OK;

    if (g_file_test(file, G_FILE_TEST_IS_DIR)) {
        say("--%s %s: that is a folder", option, file);
        status = CLI_USAGE;
    } else if (g_access(g_file_test(file, G_FILE_TEST_EXISTS) ? file : dir,
                        W_OK)) {
        say("--%s %s: %s", option, file, strerror(errno));
        status = CLI_USAGE;
    } else {
        status = run_room_ok(dir);
    }
    g_free(dir);
    return status;
}
