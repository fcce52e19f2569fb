/*
 * csvirt-init: file systems, links, host name, loopback and sysctls.
 *
 * /tmp and /run stay folders of the root file system (a tmpfs): files that
 * the host packed there must remain visible.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "init.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *type, *dir, *options;
} mounts[] = {
    { "proc", "/proc", NULL },
    { "sysfs", "/sys", NULL },
    { "devtmpfs", "/dev", "mode=0755" },
    { "devpts", "/dev/pts", "gid=5,mode=620,ptmxmode=666" },
    { "tmpfs", "/dev/shm", "mode=1777" },
    { "debugfs", "/sys/kernel/debug", NULL },
    { "tracefs", "/sys/kernel/tracing", NULL },
};

static const struct {
    const char *name, *path, *value;
} sysctls[] = {
    { "kernel.perf_event_paranoid",
      "/proc/sys/kernel/perf_event_paranoid", "-1" },
    { "kernel.kptr_restrict", "/proc/sys/kernel/kptr_restrict", "0" },
};

int write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    int ret = 0;

    if (fd < 0) {
        return -errno;
    }
    if (write(fd, text, strlen(text)) < 0) {
        ret = -errno;
    }
    close(fd);
    return ret;
}

int count_entries(const char *path)
{
    DIR *d = opendir(path);
    struct dirent *e;
    int n = 0;

    if (!d) {
        return 0;
    }
    while ((e = readdir(d))) {
        n += e->d_name[0] != '.';
    }
    closedir(d);
    return n;
}

static void mount_all(void)
{
    for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
        mkdir(mounts[i].dir, 0755);
        if (mount(mounts[i].type, mounts[i].dir, mounts[i].type,
                  MS_NOSUID, mounts[i].options) &&
            errno != EBUSY) {       /* the kernel mounted devtmpfs itself */
            say("cannot mount %s on %s: %s", mounts[i].type, mounts[i].dir,
                strerror(errno));
        }
    }
}

static void link_std_files(void)
{
    static const char *const links[][2] = {
        { "/proc/self/fd", "/dev/fd" },
        { "/proc/self/fd/0", "/dev/stdin" },
        { "/proc/self/fd/1", "/dev/stdout" },
        { "/proc/self/fd/2", "/dev/stderr" },
    };

    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        if (symlink(links[i][0], links[i][1]) && errno != EEXIST) {
            say("cannot make %s: %s", links[i][1], strerror(errno));
        }
    }
}

static void loopback_up(void)
{
    struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP };
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    /* A kernel without a network is fine: nothing here needs one. */
    if (fd >= 0) {
        ioctl(fd, SIOCSIFFLAGS, &ifr);
        close(fd);
    }
}

/* Links for the applets; those whose name is taken stay as they are. */
static void install_applets(void)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);

        if (null >= 0) {
            dup2(null, 2);
        }
        execl("/bin/busybox", "busybox", "--install", "-s", (char *)NULL);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0 ||
        (WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
        fatal("cannot run /bin/busybox --install");
    }
}

void setup_system(void)
{
    umask(022);
    mount_all();
    link_std_files();
    install_applets();
    if (sethostname("csvirt", 6)) {
        say("cannot set the host name: %s", strerror(errno));
    }
    loopback_up();
    for (size_t i = 0; i < sizeof(sysctls) / sizeof(sysctls[0]); i++) {
        int ret = write_text(sysctls[i].path, sysctls[i].value);

        if (ret) {
            say("cannot set %s: %s", sysctls[i].name, strerror(-ret));
        } else {
            say("%s set to %s", sysctls[i].name, sysctls[i].value);
        }
    }
}
