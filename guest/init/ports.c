/*
 * csvirt-init: the virtio-serial ports, found by name.
 *
 * A blocking write() to a port returns when the host has taken the buffer
 * (virtio_console waits for it), and the emulator hands it to its character
 * device in the same step: what was written is with the host, there is
 * nothing to drain. Each port has one opener, this process: commands get
 * pipes (run.c), which they may also open again as /dev/stdout.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "init.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PORT_DIR "/sys/class/virtio-ports"
#define CONSOLE_DRIVER_DIR "/sys/bus/virtio/drivers/virtio_console"
#define PORT_LIMIT_MS 5000

static const char *const port_name[PORT_COUNT] = {
    [PORT_CTL] = "csvirt.ctl",
    [PORT_OUT] = "csvirt.out",
    [PORT_ERR] = "csvirt.err",
    [PORT_PULL] = "csvirt.pull",
};

static int port_fd[PORT_COUNT] = { -1, -1, -1, -1 };

static void try_port(const char *device)
{
    char path[320], name[64] = "";
    int fd, p;
    ssize_t n;

    snprintf(path, sizeof(path), PORT_DIR "/%s/name", device);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    n = read(fd, name, sizeof(name) - 1);
    close(fd);
    name[n > 0 ? n : 0] = '\0';
    name[strcspn(name, "\n")] = '\0';
    for (p = 0; p < PORT_COUNT; p++) {
        if (port_fd[p] < 0 && !strcmp(name, port_name[p])) {
            snprintf(path, sizeof(path), "/dev/%s", device);
            port_fd[p] = open(path, O_WRONLY | O_CLOEXEC);
        }
    }
}

static bool all_open(void *opaque)
{
    DIR *d = opendir(PORT_DIR);
    struct dirent *e;

    (void)opaque;
    while (d && (e = readdir(d))) {
        if (e->d_name[0] != '.') {
            try_port(e->d_name);
        }
    }
    if (d) {
        closedir(d);
    }
    for (int p = 0; p < PORT_COUNT; p++) {
        if (port_fd[p] < 0) {
            return false;
        }
    }
    return true;
}

/* Ports are announced after the probe, from a work item: wait for them. */
void ports_open(void)
{
    DIR *d = opendir(CONSOLE_DRIVER_DIR);
    struct dirent *e;
    bool device = false;

    while (d && (e = readdir(d))) {
        device = device || !strncmp(e->d_name, "virtio", 6);
    }
    if (d) {
        closedir(d);
    }
    if (device && !wait_for(all_open, NULL, 5, PORT_LIMIT_MS)) {
        for (int p = 0; p < PORT_COUNT; p++) {
            if (port_fd[p] < 0) {
                say("no virtio-serial port %s", port_name[p]);
            }
        }
    }
}

bool port_there(enum port p)
{
    return port_fd[p] >= 0;
}

int port_write(enum port p, const void *data, size_t len)
{
    const char *c = data;

    if (port_fd[p] < 0) {
        return -ENODEV;
    }
    while (len) {
        ssize_t n = write(port_fd[p], c, len);

        if (n < 0 && errno != EINTR) {
            return -errno;
        }
        if (n > 0) {
            c += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

void control(const char *fmt, ...)
{
    char line[512];
    va_list ap;
    int ret;

    va_start(ap, fmt);
    vsnprintf(line, sizeof(line) - 1, fmt, ap);
    va_end(ap);
    for (char *c = line; *c; c++) {
        if (*c == '\n') {
            *c = ' ';
        }
    }
    strcat(line, "\n");
    ret = port_write(PORT_CTL, line, strlen(line));
    if (ret && ret != -ENODEV) {
        say("cannot write to csvirt.ctl: %s", strerror(-ret));
    }
}
