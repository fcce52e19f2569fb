/*
 * A client of the qtest socket, see client.h.  Protocol: one line a command,
 * one line "OK [value]" the answer; QEMU's docs/devel/testing, "qtest".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS  60000      /* a loaded machine; reached only by a hang */
#define ARGS_MAX 64
#define TEXT_MAX 65536

struct stream {
    struct qtest *owner;
    int fd;
    char buf[TEXT_MAX];
    size_t len;             /* bytes in buf */
    size_t used;            /* bytes of the line handed out before */
};

struct qtest {
    pid_t pid;
    char dir[64];           /* sockets and stderr */
    struct stream qtest, qmp;
    char events[TEXT_MAX];  /* QMP events that came before an answer */
    char text[TEXT_MAX];
};

static void bail(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    fputs("Bail out! qtest client: ", stdout);
    vprintf(format, ap);
    putchar('\n');
    va_end(ap);
    fflush(stdout);
    exit(99);
}

/* ---- lines ---- */

/* The other end has closed: say what became of the emulator. */
static void gone(const struct stream *s)
{
    int status = 0;

    waitpid(s->owner->pid, &status, 0);
    bail("the emulator has gone, wait status 0x%x: %s", (unsigned)status,
         qtest_stderr(s->owner));
}

static char *get_line(struct stream *s)
{
    for (;;) {
        char *end = memchr(s->buf, '\n', s->len);
        struct pollfd p = { .fd = s->fd, .events = POLLIN };
        ssize_t n;

        if (s->used) {
            s->len -= s->used;
            memmove(s->buf, s->buf + s->used, s->len);
            s->used = 0;
            continue;
        }
        if (end) {
            *end = '\0';
            s->used = (size_t)(end - s->buf) + 1;
            return s->buf;
        }
        if (s->len == sizeof(s->buf)) {
            bail("line too long");
        }
        if (poll(&p, 1, WAIT_MS) != 1) {
            bail("no answer in %d s", WAIT_MS / 1000);
        }
        n = read(s->fd, s->buf + s->len, sizeof(s->buf) - s->len);
        if (n <= 0) {
            gone(s);
        }
        s->len += (size_t)n;
    }
}

static void put_text(struct stream *s, const char *text, size_t n)
{
    while (n) {
        ssize_t did = write(s->fd, text, n);

        if (did < 0) {
            gone(s);
        }
        text += did;
        n -= (size_t)did;
    }
}

/* One command.  returns: what follows "OK" or "OK ". */
static const char *command(struct qtest *q, const char *format, ...)
{
    char line[256];
    va_list ap;
    const char *answer;
    int n;

    va_start(ap, format);
    n = vsnprintf(line, sizeof(line), format, ap);
    va_end(ap);
    put_text(&q->qtest, line, (size_t)n);
    answer = get_line(&q->qtest);
    if (strncmp(answer, "OK", 2) != 0) {
        bail("%.*s answered by %s", n - 1, line, answer);
    }
    return answer[2] ? answer + 3 : answer + 2;
}

/* ---- starting and ending ---- */

static const char *emulator(void)
{
    const char *path = getenv("CSVIRT_QEMU");

    return path ? path : "build/qemu-system-aarch64";
}

static int listen_at(const char *dir, const char *name)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/%s", dir, name);
    if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) != 0 ||
        listen(fd, 1) != 0) {
        bail("%s: %s", addr.sun_path, strerror(errno));
    }
    return fd;
}

static pid_t spawn(const char *dir, const char *machine,
                   const char *const *args, bool sockets)
{
    char m[1024], qtest[128], qmp[128], err[128];
    const char *argv[ARGS_MAX] = {
        emulator(), "-M", m, "-accel", "qtest", "-display", "none",
        "-nodefaults", "-m", "256M",
    };
    size_t n = 10;
    pid_t pid;

    snprintf(m, sizeof(m), "csvirt%s", machine);
    snprintf(qtest, sizeof(qtest), "unix:%s/qtest", dir);
    snprintf(qmp, sizeof(qmp), "unix:%s/qmp", dir);
    snprintf(err, sizeof(err), "%s/stderr", dir);
    if (sockets) {
        argv[n++] = "-qtest";
        argv[n++] = qtest;
        argv[n++] = "-qtest-log";
        argv[n++] = "/dev/null";
        argv[n++] = "-qmp";
        argv[n++] = qmp;
    }
    while (args && *args && n < ARGS_MAX - 1) {
        argv[n++] = *args++;
    }
    pid = fork();
    if (pid == 0) {
        int fd = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(fd, 2);
        execv(argv[0], (char *const *)argv);
        fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    return pid;
}

static void make_dir(char *dir, size_t size)
{
    snprintf(dir, size, "/tmp/csvirt-qtest-XXXXXX");
    if (!mkdtemp(dir)) {
        bail("%s: %s", dir, strerror(errno));
    }
}

static void remove_dir(const char *dir)
{
    static const char *const names[] = { "qtest", "qmp", "stderr" };
    char path[128];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
        unlink(path);
    }
    rmdir(dir);
}

static void load_stderr(const char *dir, char *text, size_t size)
{
    char path[128];
    ssize_t n = 0;
    int fd;

    snprintf(path, sizeof(path), "%s/stderr", dir);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, text, size - 1);
        close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
}

static int accept_from(struct qtest *q, int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    int got;

    /* In steps, so that an emulator that died is seen at once. */
    for (int ms = 0; poll(&p, 1, 100) == 0; ms += 100) {
        if (waitpid(q->pid, NULL, WNOHANG) != 0 || ms > WAIT_MS) {
            bail("the emulator did not start: %s", qtest_stderr(q));
        }
    }
    got = accept(fd, NULL, NULL);
    close(fd);
    if (got < 0) {
        bail("accept: %s", strerror(errno));
    }
    return got;
}

struct qtest *qtest_start(const char *machine, const char *const *args)
{
    struct qtest *q = calloc(1, sizeof(*q));
    int qtest_fd, qmp_fd;

    signal(SIGPIPE, SIG_IGN);
    make_dir(q->dir, sizeof(q->dir));
    qtest_fd = listen_at(q->dir, "qtest");
    qmp_fd = listen_at(q->dir, "qmp");
    q->pid = spawn(q->dir, machine, args, true);
    q->qtest.owner = q->qmp.owner = q;
    q->qtest.fd = accept_from(q, qtest_fd);
    q->qmp.fd = accept_from(q, qmp_fd);
    get_line(&q->qmp);
    qtest_qmp(q, "{\"execute\":\"qmp_capabilities\"}");
    return q;
}

struct qtest *qtest_topology(const char *name, unsigned cpus, const char *more)
{
    char machine[512], smp[16];
    const char *args[] = { "-smp", smp, NULL };

    snprintf(machine, sizeof(machine), ",topology=build/board/dts/%s.dtbo%s",
             name, more);
    snprintf(smp, sizeof(smp), "%u", cpus);
    return qtest_start(machine, args);
}

/* Wait for the end of @pid.  returns: exit status, -1: a signal or a hang */
static int reap(pid_t pid)
{
    int status;

    for (int ms = 0; waitpid(pid, &status, WNOHANG) == 0; ms += 10) {
        struct timespec ts = { .tv_nsec = 10 * 1000 * 1000 };

        if (ms > WAIT_MS) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return -1;
        }
        nanosleep(&ts, NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int qtest_stop(struct qtest *q)
{
    int status;

    qtest_qmp(q, "{\"execute\":\"quit\"}");
    status = reap(q->pid);
    close(q->qtest.fd);
    close(q->qmp.fd);
    remove_dir(q->dir);
    free(q);
    return status;
}

int qtest_fails(const char *machine, const char *const *args, char *text,
                size_t size)
{
    static const char *const no_args[] = { "-S", NULL };
    char dir[64];
    int status;

    make_dir(dir, sizeof(dir));
    status = reap(spawn(dir, machine, args ? args : no_args, false));
    load_stderr(dir, text, size);
    remove_dir(dir);
    return status;
}

/* ---- registers, memory, time ---- */

#define ACCESS(suffix, type) \
    type qtest_read##suffix(struct qtest *q, uint64_t addr) \
    { \
        return (type)strtoull(command(q, "read" #suffix " 0x%" PRIx64 "\n", \
                                      addr), NULL, 0); \
    } \
    void qtest_write##suffix(struct qtest *q, uint64_t addr, type val) \
    { \
        command(q, "write" #suffix " 0x%" PRIx64 " 0x%" PRIx64 "\n", addr, \
                (uint64_t)val); \
    }

ACCESS(b, uint8_t)
ACCESS(w, uint16_t)
ACCESS(l, uint32_t)
ACCESS(q, uint64_t)

static unsigned nibble(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
}

void qtest_read(struct qtest *q, uint64_t addr, void *buf, size_t n)
{
    uint8_t *out = buf;

    while (n) {
        size_t part = n < 4096 ? n : 4096;
        const char *hex = command(q, "read 0x%" PRIx64 " 0x%zx\n", addr, part);

        hex += 2;
        for (size_t i = 0; i < part; i++) {
            *out++ = (uint8_t)(nibble(hex[2 * i]) << 4 |
                               nibble(hex[2 * i + 1]));
        }
        addr += part;
        n -= part;
    }
}

void qtest_write(struct qtest *q, uint64_t addr, const void *buf, size_t n)
{
    const uint8_t *in = buf;

    while (n) {
        size_t part = n < 64 ? n : 64;
        char hex[2 * 64 + 1];

        for (size_t i = 0; i < part; i++) {
            snprintf(hex + 2 * i, 3, "%02x", *in++);
        }
        command(q, "write 0x%" PRIx64 " 0x%zx 0x%s\n", addr, part, hex);
        addr += part;
        n -= part;
    }
}

void qtest_clock_step(struct qtest *q, int64_t ns)
{
    command(q, "clock_step %" PRId64 "\n", ns);
}

/* ---- QMP ---- */

const char *qtest_qmp(struct qtest *q, const char *line)
{
    char text[1024];
    const char *answer;
    int n = snprintf(text, sizeof(text), "%s\n", line);

    /* In one piece: after "quit" nobody reads a second. */
    put_text(&q->qmp, text, (size_t)n);
    for (;;) {
        answer = get_line(&q->qmp);
        if (strncmp(answer, "{\"return\"", 9) == 0 ||
            strncmp(answer, "{\"error\"", 8) == 0) {
            return answer;
        }
        if (strlen(q->events) + strlen(answer) < sizeof(q->events)) {
            strcat(q->events, answer);
        }
    }
}

void qtest_wait_event(struct qtest *q, const char *event)
{
    if (!strstr(q->events, event)) {
        while (!strstr(get_line(&q->qmp), event)) {
            continue;
        }
    }
    q->events[0] = '\0';
}

uint64_t qtest_counter(struct qtest *q, const char *device,
                       const char *property)
{
    char line[256];
    const char *answer;

    snprintf(line, sizeof(line), "{\"execute\":\"qom-get\",\"arguments\":"
             "{\"path\":\"/machine/csvirt/%s\",\"property\":\"%s\"}}",
             device, property);
    answer = qtest_qmp(q, line);
    if (strncmp(answer, "{\"return\": ", 11) != 0) {
        bail("%s.%s: %s", device, property, answer);
    }
    return strtoull(answer + 11, NULL, 10);
}

size_t qtest_devices(struct qtest *q, struct qtest_device *devices, size_t max)
{
    const char *at = qtest_qmp(q, "{\"execute\":\"qom-list\",\"arguments\":"
                               "{\"path\":\"/machine/csvirt\"}}");
    size_t n = 0;

    while ((at = strstr(at, "{\"name\": \"")) != NULL) {
        struct qtest_device d = { .base = 0 };

        if (sscanf(at, "{\"name\": \"%63[^\"]\", \"type\": "
                   "\"child<%31[^>]>", d.name, d.type) == 2) {
            const char *unit = strchr(d.name, '@');

            d.base = unit ? strtoull(unit + 1, NULL, 16) : 0;
            if (n < max) {
                devices[n] = d;
            }
            n++;
        }
        at++;
    }
    return n;
}

const char *qtest_stderr(struct qtest *q)
{
    load_stderr(q->dir, q->text, sizeof(q->text));
    return q->text;
}
