/*
 * libdebuginfod.so.1 for the guest: nothing is ever found.
 *
 * perf and libdw link against elfutils' client, which brings libcurl and
 * about 28 more libraries. The guest has no network, so the real one could
 * only fail, too. Functions and version node: those that perf and libdw of
 * Debian trixie import.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#define NOT_FOUND (-2)              /* -ENOENT */

typedef struct debuginfod_client debuginfod_client;

debuginfod_client *debuginfod_begin(void);
void debuginfod_end(debuginfod_client *client);
int debuginfod_find_debuginfo(debuginfod_client *client,
                              const unsigned char *id, int len, char **path);
int debuginfod_find_executable(debuginfod_client *client,
                               const unsigned char *id, int len, char **path);
int debuginfod_find_source(debuginfod_client *client,
                           const unsigned char *id, int len,
                           const char *name, char **path);

/* A null client is elfutils' own answer for "cannot": callers go on. */
debuginfod_client *debuginfod_begin(void)
{
    return (debuginfod_client *)0;
}

void debuginfod_end(debuginfod_client *client)
{
    (void)client;
}

int debuginfod_find_debuginfo(debuginfod_client *client,
                              const unsigned char *id, int len, char **path)
{
    (void)client;
    (void)id;
    (void)len;
    (void)path;
    return NOT_FOUND;
}

int debuginfod_find_executable(debuginfod_client *client,
                               const unsigned char *id, int len, char **path)
{
    return debuginfod_find_debuginfo(client, id, len, path);
}

int debuginfod_find_source(debuginfod_client *client,
                           const unsigned char *id, int len,
                           const char *name, char **path)
{
    (void)name;
    return debuginfod_find_debuginfo(client, id, len, path);
}
