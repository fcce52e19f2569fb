/*
 * csvirt-init: kernel modules and the wait for coresight devices.
 *
 * /etc/csvirt/modules lists module files in load order (made by image.sh
 * from the modules' own dependency records).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "init.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MODULE_LIST "/etc/csvirt/modules"
#define DEVICE_DIR "/sys/bus/coresight/devices"
#define SETTLE_LIMIT_MS 20000

/* One coresight device each. arm,coresight-cpu-debug makes none. */
static const char *const device_compatibles[] = {
    "arm,coresight-etm4x", "arm,coresight-etm4x-sysreg",
    "arm,embedded-trace-extension", "arm,coresight-etm3x",
    "arm,coresight-dynamic-funnel", "arm,coresight-static-funnel",
    "arm,coresight-funnel",
    "arm,coresight-dynamic-replicator", "arm,coresight-static-replicator",
    "arm,coresight-replicator",
    "arm,coresight-tmc", "arm,coresight-catu", "arm,coresight-etb10",
    "arm,coresight-tpiu", "arm,coresight-stm", "arm,coresight-cti",
};

static bool load_module(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok;

    if (fd < 0) {
        say("cannot open module %s: %s", path, strerror(errno));
        return false;
    }
    ok = !syscall(SYS_finit_module, fd, "", 0) || errno == EEXIST;
    if (!ok) {
        say("cannot load module %s: %s", path, strerror(errno));
    }
    close(fd);
    return ok;
}

int load_modules(void)
{
    FILE *f = fopen(MODULE_LIST, "re");
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;
    int n = 0;

    if (!f) {
        return 0;                   /* all built into the kernel */
    }
    while ((len = getline(&line, &cap, f)) > 0) {
        if (line[len - 1] == '\n') {
            line[--len] = '\0';
        }
        n += len && load_module(line);
    }
    free(line);
    fclose(f);
    if (!access("/sys/kernel/config", F_OK) &&
        mount("configfs", "/sys/kernel/config", "configfs", 0, NULL) &&
        errno != EBUSY) {
        say("cannot mount configfs: %s", strerror(errno));
    }
    return n;
}

static ssize_t read_prop(int dir, const char *name, char *buf, size_t size)
{
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
    ssize_t n;

    if (fd < 0) {
        return -1;
    }
    n = read(fd, buf, size - 1);
    close(fd);
    if (n >= 0) {
        buf[n] = '\0';
    }
    return n;
}

static bool node_makes_device(int dir)
{
    char buf[512];
    ssize_t n = read_prop(dir, "status", buf, sizeof(buf));

    if (n > 0 && strcmp(buf, "okay") && strcmp(buf, "ok")) {
        return false;
    }
    n = read_prop(dir, "compatible", buf, sizeof(buf));
    for (char *c = buf; n > 0 && c < buf + n; c += strlen(c) + 1) {
        for (size_t i = 0; i < sizeof(device_compatibles) /
                               sizeof(device_compatibles[0]); i++) {
            if (!strcmp(c, device_compatibles[i])) {
                return true;
            }
        }
    }
    return false;
}

/* Nodes at the top of the tree and in its buses; takes @dir over. */
static int count_nodes(int dir, int depth)
{
    DIR *d = fdopendir(dir);
    struct dirent *e;
    int n = 0;

    if (!d) {
        close(dir);
        return 0;
    }
    while ((e = readdir(d))) {
        int sub;

        if (e->d_type != DT_DIR || e->d_name[0] == '.') {
            continue;
        }
        sub = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (sub < 0) {
            continue;
        }
        if (node_makes_device(sub)) {
            n++;
            close(sub);
        } else if (depth) {
            n += count_nodes(sub, depth - 1);
        } else {
            close(sub);
        }
    }
    closedir(d);
    return n;
}

static bool all_there(void *opaque)
{
    return count_entries(DEVICE_DIR) >= *(int *)opaque;
}

int settle_coresight(int *expected)
{
    int dir = open("/proc/device-tree/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    *expected = dir < 0 ? 0 : count_nodes(dir, 2);
    if (*expected) {
        wait_for(all_there, expected, 10, SETTLE_LIMIT_MS);
    }
    return count_entries(DEVICE_DIR);
}
