/*
 * savestate: the emulator as a child process and its QMP socket.
 *
 * QMP is one JSON object per line; only whether a line is an event, an error
 * or a result is looked at, and one word of monitor output is parsed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "savestate.h"

#define LIMIT_MS  120000
#define PERIOD_MS 2

static pid_t child;
static FILE *qmp_in;
static int qmp_fd = -1;
static char answer[65536];

void die(const char *fmt, ...)
{
    va_list ap;

    fputs("savestate: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    if (child > 0) {
        kill(child, SIGKILL);
    }
    exit(3);
}

static void wait_us(uint64_t us)
{
    struct timespec t = {
        .tv_sec = (time_t)(us / 1000000),
        .tv_nsec = (long)(us % 1000000) * 1000,
    };

    while (nanosleep(&t, &t) && errno == EINTR) {
    }
}

/* Without collecting it: guest_end() does. */
static bool child_lives(void)
{
    siginfo_t info = { .si_pid = 0 };

    return child > 0 &&
           !waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) &&
           !info.si_pid;
}

static bool next_line(void)
{
    return fgets(answer, sizeof(answer), qmp_in) != NULL;
}

static void connect_to(const char *path)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };

    if (strlen(path) >= sizeof(to.sun_path)) {
        die("%s: too long for a socket", path);
    }
    strcpy(to.sun_path, path);
    qmp_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    for (int ms = 0; connect(qmp_fd, (struct sockaddr *)&to, sizeof(to));
         ms += PERIOD_MS) {
        if (!child_lives()) {
            die("the emulator ended at its start");
        }
        if (ms > LIMIT_MS) {
            die("no answer at %s", path);
        }
        wait_us(PERIOD_MS * 1000);
    }
    qmp_in = fdopen(qmp_fd, "r");
    if (!qmp_in || !next_line() ||
        !qmp_command("{\"execute\":\"qmp_capabilities\"}")) {
        die("%s: no QMP greeting", path);
    }
}

void guest_start(char **argv, const char *dir)
{
    char path[4200];

    snprintf(path, sizeof(path), "%s/qmp", dir);
    unlink(path);
    child = fork();
    if (!child) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execv(argv[0], argv);
        fprintf(stderr, "savestate: %s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    if (child < 0) {
        die("fork: %s", strerror(errno));
    }
    connect_to(path);
}

bool guest_run_us(uint64_t us)
{
    wait_us(us);
    return child_lives();
}

int guest_end(void)
{
    int status = 0;

    if (child > 0) {
        waitpid(child, &status, 0);
        child = 0;
    }
    if (qmp_in) {
        fclose(qmp_in);
        qmp_in = NULL;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

static bool has_line(const char *file, const char *word)
{
    FILE *f = fopen(file, "r");
    char line[256];
    bool found = false;

    while (f && !found && fgets(line, sizeof(line), f)) {
        found = !strncmp(line, word, strlen(word));
    }
    if (f) {
        fclose(f);
    }
    return found;
}

bool wait_for_line(const char *file, const char *word)
{
    while (!has_line(file, word)) {
        if (!guest_run_us(PERIOD_MS * 1000)) {
            return false;
        }
    }
    return true;
}

bool qmp_command(const char *json)
{
    size_t len = strlen(json);

    if (send(qmp_fd, json, len, MSG_NOSIGNAL) != (ssize_t)len ||
        send(qmp_fd, "\n", 1, MSG_NOSIGNAL) != 1) {
        strcpy(answer, "the connection is closed");
        return false;
    }
    do {
        if (!next_line()) {
            strcpy(answer, "the connection was closed");
            return false;
        }
    } while (strstr(answer, "\"event\""));
    return strstr(answer, "\"return\"") != NULL;
}

const char *qmp_answer(void)
{
    answer[strcspn(answer, "\r\n")] = '\0';
    return answer;
}

void qmp_wait(const char *json, const char *good, const char *bad)
{
    for (int ms = 0;; ms += PERIOD_MS) {
        if (!qmp_command(json) || (bad && strstr(answer, bad))) {
            die("%s: %s", json, qmp_answer());
        }
        if (strstr(answer, good)) {
            return;
        }
        if (ms > LIMIT_MS) {
            die("%s: after %d s still: %s", json, LIMIT_MS / 1000,
                qmp_answer());
        }
        wait_us(PERIOD_MS * 1000);
    }
}

uint32_t qmp_word(uint32_t addr)
{
    char json[160];
    const char *colon;

    snprintf(json, sizeof(json), "{\"execute\":\"human-monitor-command\","
             "\"arguments\":{\"command-line\":\"xp /1wx 0x%x\"}}", addr);
    if (!qmp_command(json)) {
        die("monitor: %s", qmp_answer());
    }
    colon = strstr(answer, ": 0x");
    if (!colon) {
        die("monitor: no word at 0x%x: %s", addr, qmp_answer());
    }
    return (uint32_t)strtoul(colon + 2, NULL, 16);
}
