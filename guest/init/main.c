/*
 * csvirt-init: the order of things from boot to power-off.
 *
 * Lines to csvirt.ctl: "ready PROTOCOL RELEASE", "modules N", "coresight N"
 * (and "coresight-expected N"), "parked" in park mode, "start",
 * "exit STATUS" or "fail REASON". "exit" is the last, after all output.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PARK_PERIOD_MS 2

static void console_line(const char *fmt, va_list ap)
{
    char line[512];
    int n = snprintf(line, sizeof(line), "csvirt-init: ");
    int fd = open("/dev/console", O_WRONLY | O_NOCTTY | O_CLOEXEC);

    vsnprintf(line + n, sizeof(line) - (size_t)n - 1, fmt, ap);
    strcat(line, "\n");
    if (write(fd >= 0 ? fd : 2, line, strlen(line)) < 0) {
        /* No console at all: nowhere left to say so. */
        errno = 0;
    }
    if (fd >= 0) {
        close(fd);
    }
}

void say(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    console_line(fmt, ap);
    va_end(ap);
}

static void power_off(void) __attribute__((noreturn));
static void power_off(void)
{
    sync();
    reboot(RB_POWER_OFF);
    say("power off failed: %s", strerror(errno));
    reboot(RB_HALT_SYSTEM);
    for (;;) {
        pause();
    }
}

void fatal(const char *fmt, ...)
{
    char reason[400];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(reason, sizeof(reason), fmt, ap);
    va_end(ap);
    say("%s", reason);
    control("fail %s", reason);
    power_off();
}

bool wait_for(bool (*ready)(void *opaque), void *opaque, int period_ms,
              int limit_ms)
{
    const struct timespec period = {
        .tv_sec = period_ms / 1000,
        .tv_nsec = (long)(period_ms % 1000) * 1000000,
    };

    for (int t = 0;; t += period_ms) {
        if (ready(opaque)) {
            return true;
        }
        if (t >= limit_ms) {
            return false;
        }
        nanosleep(&period, NULL);
    }
}

static bool mode_is_park(void)
{
    size_t len;
    char *mode = fwcfg_read("opt/csvirt/mode", &len);
    bool park = mode && !strcmp(mode, "park");

    if (mode && !park) {
        fatal("unknown opt/csvirt/mode '%s'", mode);
    }
    free(mode);
    return park;
}

/*
 * A parked guest is saved by the host and started again with a command: the
 * fw_cfg directory is the restored machine's own, so it is read each time.
 */
static char *park(void)
{
    const struct timespec period = { .tv_nsec = PARK_PERIOD_MS * 1000000L };
    size_t len;
    char *cmd;

    control("parked");
    /* A host that saves us stops the machine when we look at this. */
    free(fwcfg_read("opt/csvirt/parked", &len));
    while (!(cmd = fwcfg_read("opt/csvirt/cmd", &len)) || !len) {
        free(cmd);
        nanosleep(&period, NULL);
    }
    return cmd;
}

/* Files that came with the command: a cpio archive, unpacked from the root. */
static void unpack_files(void)
{
    size_t len;
    char *archive = fwcfg_read_all("opt/csvirt/files", &len);
    int status;
    FILE *cpio;

    if (!archive) {
        return;
    }
    cpio = popen("cd / && exec /bin/busybox cpio -idmu 2>/dev/null", "w");
    if (!cpio || fwrite(archive, 1, len, cpio) != len) {
        fatal("cannot unpack the files of the host");
    }
    status = pclose(cpio);
    if (status) {
        fatal("cannot unpack the files of the host: cpio ended with %d",
              WEXITSTATUS(status));
    }
    free(archive);
}

static void report_ready(void)
{
    struct utsname u;
    int modules, devices, expected;

    modules = load_modules();
    devices = settle_coresight(&expected);
    uname(&u);
    control("ready %d %s", PROTOCOL_VERSION, u.release);
    control("modules %d", modules);
    control("coresight %d", devices);
    control("coresight-expected %d", expected);
    if (devices != expected) {
        say("%d coresight devices for %d nodes of the device tree", devices,
            expected);
    }
}

static void finish(int status)
{
    size_t len;
    char *list = fwcfg_read("opt/csvirt/pull", &len);

    if (list) {
        send_files(list);
    }
    free(list);
    control("exit %d", status);
    power_off();
}

int main(void)
{
    size_t len;
    char *cmd;

    if (getpid() != 1) {
        fprintf(stderr, "csvirt-init: runs as PID 1 only\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    setup_system();
    ports_open();
    report_ready();
    cmd = mode_is_park() ? park() : fwcfg_read("opt/csvirt/cmd", &len);
    if (!cmd) {
        run_console_shell();
        power_off();
    }
    if (!port_there(PORT_CTL) || !port_there(PORT_OUT)) {
        fatal("a command, but no virtio-serial ports csvirt.ctl, csvirt.out");
    }
    unpack_files();
    control("start");
    finish(run_command(cmd));
}
