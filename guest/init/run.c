/*
 * csvirt-init: runs the command or the console shell, and sends files.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIPE_BYTES (256 * 1024)
#define CHUNK (32 * 1024)           /* what one port buffer takes at most */

struct pump {
    int fd;                         /* read end, -1 when at its end */
    enum port port;
    bool failed;
};

static char *const command_env[] = {
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME=/root", "USER=root", "LOGNAME=root", "SHELL=/bin/sh", "TERM=dumb",
    NULL,
};

static char *const console_env[] = {
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME=/root", "USER=root", "LOGNAME=root", "SHELL=/bin/sh", "TERM=linux",
    "PS1=csvirt:\\w\\$ ",
    NULL,
};

static int shell_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void reset_signals(void)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
}

static void child_command(const char *cmd, int out, int err)
{
    char *const argv[] = { "sh", "-c", (char *)cmd, NULL };
    int null = open("/dev/null", O_RDONLY);

    reset_signals();
    setsid();
    if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 ||
        dup2(err, 2) < 0 || chdir("/root")) {
        _exit(126);
    }
    if (null > 2) {
        close(null);
    }
    execve("/bin/sh", argv, command_env);
    dprintf(2, "csvirt-init: cannot run /bin/sh: %s\n", strerror(errno));
    _exit(127);
}

static void pump_open(struct pump *p, enum port port, int *write_end)
{
    int fd[2];

    if (pipe2(fd, O_CLOEXEC)) {
        fatal("cannot make a pipe: %s", strerror(errno));
    }
    fcntl(fd[1], F_SETPIPE_SZ, PIPE_BYTES);     /* smaller is slower only */
    p->fd = fd[0];
    p->port = port;
    p->failed = false;
    *write_end = fd[1];
}

/* Moves what one read gives. returns: true while the pipe is not at its end */
static bool pump_step(struct pump *p)
{
    static char buf[CHUNK];
    ssize_t n = read(p->fd, buf, sizeof(buf));
    int ret;

    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return true;
    }
    if (n <= 0) {
        close(p->fd);
        p->fd = -1;
        return false;
    }
    ret = port_write(p->port, buf, (size_t)n);
    if (ret && !p->failed) {
        p->failed = true;
        say("command output lost: %s", strerror(-ret));
    }
    return true;
}

/* Collects the dead. returns: true once @pid is among them. */
static bool reap(pid_t pid, int *status)
{
    bool found = false;
    pid_t dead;
    int st;

    while ((dead = waitpid(-1, &st, WNOHANG)) > 0) {
        if (dead == pid) {
            *status = shell_status(st);
            found = true;
        }
    }
    return found;
}

/* Until the shell has ended; output it leaves in the pipes may remain. */
static int pump_until_exit(struct pump *pumps, pid_t pid, int sigfd)
{
    struct signalfd_siginfo info;
    int status = 0;

    for (;;) {
        struct pollfd pfd[3] = {
            { .fd = pumps[0].fd, .events = POLLIN },
            { .fd = pumps[1].fd, .events = POLLIN },
            { .fd = sigfd, .events = POLLIN },
        };

        if (poll(pfd, 3, -1) < 0 && errno != EINTR) {
            fatal("poll: %s", strerror(errno));
        }
        for (int i = 0; i < 2; i++) {
            if (pfd[i].revents) {
                pump_step(&pumps[i]);
            }
        }
        if (pfd[2].revents) {
            if (read(sigfd, &info, sizeof(info)) != sizeof(info)) {
                fatal("signalfd: %s", strerror(errno));
            }
            if (reap(pid, &status)) {
                return status;
            }
        }
    }
}

int run_command(const char *cmd)
{
    struct pump pumps[2];
    int out, err, sigfd, status;
    sigset_t chld;
    pid_t pid;

    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    sigprocmask(SIG_BLOCK, &chld, NULL);
    sigfd = signalfd(-1, &chld, SFD_CLOEXEC);
    if (sigfd < 0) {
        fatal("signalfd: %s", strerror(errno));
    }
    pump_open(&pumps[0], PORT_OUT, &out);
    pump_open(&pumps[1], port_there(PORT_ERR) ? PORT_ERR : PORT_OUT, &err);
    pid = fork();
    if (pid < 0) {
        fatal("cannot fork: %s", strerror(errno));
    }
    if (pid == 0) {
        child_command(cmd, out, err);
    }
    close(out);
    close(err);
    status = pump_until_exit(pumps, pid, sigfd);
    /* Only this process is left as a writer's ancestor: end the rest. */
    kill(-1, SIGKILL);
    for (int i = 0; i < 2; i++) {
        while (pumps[i].fd >= 0 && pump_step(&pumps[i])) {
        }
    }
    while (waitpid(-1, NULL, 0) > 0) {
    }
    close(sigfd);
    return status;
}

static void console_name(char *path, size_t size)
{
    int fd = open("/sys/class/tty/console/active", O_RDONLY | O_CLOEXEC);
    char buf[128] = "";
    ssize_t n = fd < 0 ? 0 : read(fd, buf, sizeof(buf) - 1);
    char *last;

    if (fd >= 0) {
        close(fd);
    }
    buf[n > 0 ? n : 0] = '\0';
    buf[strcspn(buf, "\n")] = '\0';
    last = strrchr(buf, ' ');       /* the last is the one of /dev/console */
    last = last ? last + 1 : buf;
    snprintf(path, size, "/dev/%.100s", *last ? last : "console");
}

static void child_shell(const char *tty)
{
    char *const argv[] = { "-sh", NULL };
    int fd;

    reset_signals();
    setsid();
    fd = open(tty, O_RDWR);
    if (fd < 0) {
        _exit(126);
    }
    ioctl(fd, TIOCSCTTY, 1);
    dup2(fd, 0);
    dup2(fd, 1);
    dup2(fd, 2);
    if (fd > 2) {
        close(fd);
    }
    if (chdir("/root")) {
        _exit(126);
    }
    execve("/bin/sh", argv, console_env);
    _exit(127);
}

void run_console_shell(void)
{
    char tty[128];
    int status = 0;
    pid_t pid, dead;

    console_name(tty, sizeof(tty));
    say("shell on %s; exit powers off", tty);
    pid = fork();
    if (pid < 0) {
        fatal("cannot fork: %s", strerror(errno));
    }
    if (pid == 0) {
        child_shell(tty);
    }
    do {
        dead = waitpid(-1, &status, 0);
    } while (dead != pid && (dead > 0 || errno == EINTR));
    if (shell_status(status) == 126 || shell_status(status) == 127) {
        say("cannot run a shell on %s", tty);
    }
}

static void send_file(const char *path)
{
    static char buf[CHUNK];
    struct stat st;
    char *line;
    uint64_t left;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        if (asprintf(&line, "missing %s\n", path) < 0) {
            fatal("out of memory");
        }
        port_write(PORT_PULL, line, strlen(line));
        free(line);
        if (fd >= 0) {
            close(fd);
        }
        return;
    }
    left = (uint64_t)st.st_size;
    if (asprintf(&line, "file %" PRIu64 " %s\n", left, path) < 0) {
        fatal("out of memory");
    }
    port_write(PORT_PULL, line, strlen(line));
    free(line);
    while (left) {
        ssize_t n = read(fd, buf, left < CHUNK ? (size_t)left : CHUNK);
        int ret;

        if (n <= 0) {
            fatal("cannot read %s: %s", path,
                  n ? strerror(errno) : "it became shorter");
        }
        ret = port_write(PORT_PULL, buf, (size_t)n);
        if (ret) {
            fatal("cannot send %s: %s", path, strerror(-ret));
        }
        left -= (uint64_t)n;
    }
    close(fd);
}

void send_files(char *list)
{
    char *save;

    if (!port_there(PORT_PULL)) {
        fatal("files to send, but no virtio-serial port csvirt.pull");
    }
    for (char *p = strtok_r(list, "\n", &save); p;
         p = strtok_r(NULL, "\n", &save)) {
        send_file(p);
    }
}
