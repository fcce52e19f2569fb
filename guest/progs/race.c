/*
 * race OUT SCENARIOS: does what a file of scenarios says (docs/race-lab.md)
 * and prints a line for each thing that happened; AUX buffers go to OUT.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "race.h"

#define LIMIT_S 300             /* of one scenario, in guest time */

struct shared *shared;

/* A process that has events, and the way to it. */
struct owner {
    char name[NAME_MAX_];
    pid_t pid;
    int fd;
};
static struct owner owners[OWNERS_MAX];

void fail(const char *fmt, ...)
{
    char text[256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    put("error %s", text);
    _exit(1);
}

void wait_for(bool (*done)(const void *arg), const void *arg,
              const char *what)
{
    for (int ms = 0; !done(arg); ms++) {
        if (ms > WAIT_MS) {
            fail("%s: nothing in %d s", what, WAIT_MS / 1000);
        }
        usleep(1000);
    }
}

/* ---- steps -------------------------------------------------------------- */

const char *step_value(const struct step *s, const char *name)
{
    size_t n = strlen(name);

    for (int i = 1; i < s->n; i++) {
        if (!strncmp(s->word[i], name, n) && s->word[i][n] == '=') {
            return s->word[i] + n + 1;
        }
    }
    return NULL;
}

bool step_flag(const struct step *s, const char *word)
{
    for (int i = 1; i < s->n; i++) {
        if (!strcmp(s->word[i], word)) {
            return true;
        }
    }
    return false;
}

/* Cuts @line, in place. */
static void split(struct step *s, char *line)
{
    char *save = NULL;

    s->n = 0;
    for (char *w = strtok_r(line, " \t\n", &save); w && s->n < WORDS_MAX;
         w = strtok_r(NULL, " \t\n", &save)) {
        s->word[s->n++] = w;
    }
}

/* ---- owners ------------------------------------------------------------- */

/* Does each line that comes, and answers with a byte. */
static void owner_main(const char *name, int fd)
{
    char line[512];
    ssize_t n;

    while ((n = read(fd, line, sizeof(line) - 1)) > 0) {
        struct step s;

        line[n] = '\0';
        split(&s, line);
        owner_step(name, &s);
        if (write(fd, "", 1) != 1) {
            break;
        }
    }
    _exit(0);
}

/* owner NAME [uid=N] */
static struct owner *owner_make(const char *name, const struct step *s)
{
    const char *uid = s ? step_value(s, "uid") : NULL;
    struct owner *o = owners;
    int fds[2];

    while (o < owners + OWNERS_MAX && o->name[0]) {
        o++;
    }
    if (o == owners + OWNERS_MAX ||
        socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds)) {
        fail("owner %s: too many", name);
    }
    snprintf(o->name, sizeof(o->name), "%s", name);
    o->fd = fds[0];
    o->pid = fork();
    if (!o->pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        /* Only the main process holds the other ends: it is heard to go. */
        for (struct owner *p = owners; p <= o; p++) {
            close(p->fd);
        }
        if (uid && (setgid((gid_t)atoi(uid)) || setuid((uid_t)atoi(uid)))) {
            fail("owner %s: %s", name, strerror(errno));
        }
        owner_main(name, fds[1]);
    }
    close(fds[1]);
    return o;
}

static struct owner *owner_find(const char *name)
{
    for (struct owner *o = owners; o < owners + OWNERS_MAX; o++) {
        if (!strcmp(o->name, name)) {
            return o;
        }
    }
    return owner_make(name, NULL);
}

static void owner_do(struct owner *o, const char *line)
{
    char byte;

    if (write(o->fd, line, strlen(line)) < 0 || read(o->fd, &byte, 1) != 1) {
        fail("owner %s is gone", o->name);
    }
}

/* An owner that goes leaves its events to the kernel to close. */
static void owner_end(struct owner *o)
{
    close(o->fd);
    waitpid(o->pid, NULL, 0);
    memset(o, 0, sizeof(*o));
}

static void owners_do(const char *line)
{
    for (struct owner *o = owners; o < owners + OWNERS_MAX; o++) {
        if (o->name[0]) {
            owner_do(o, line);
        }
    }
}

/* ---- a scenario --------------------------------------------------------- */

static void shell(const char *text)
{
    int status;

    cpu_any();
    status = system(text);
    cpu_own();
    put("shell %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void do_step(char *line)
{
    char copy[512];
    struct step s;
    const char *owner;

    snprintf(copy, sizeof(copy), "%s", line);
    split(&s, line);
    if (!s.n || s.word[0][0] == '#') {
        return;
    }
    if (!strcmp(s.word[0], "shell")) {
        shell(copy + strlen("shell"));
    } else if (!strcmp(s.word[0], "report")) {
        owners_do(copy);
    } else if (s.n < 2) {
        fail("%s: of what?", s.word[0]);
    } else if (!strcmp(s.word[0], "worker")) {
        worker_make(&s);
    } else if (!strcmp(s.word[0], "spawn") && s.n > 2) {
        worker_spawn(&s);
    } else if (!strcmp(s.word[0], "run")) {
        workers_set(&s, WORKER_RUN);
    } else if (!strcmp(s.word[0], "block")) {
        workers_set(&s, WORKER_BLOCK);
    } else if (!strcmp(s.word[0], "exit")) {
        workers_set(&s, WORKER_EXIT);
    } else if (!strcmp(s.word[0], "work")) {
        worker_work(&s);
    } else if (!strcmp(s.word[0], "owner")) {
        owner_make(s.word[1], &s);
    } else if (!strcmp(s.word[0], "leave")) {
        owner_end(owner_find(s.word[1]));
    } else if (!strcmp(s.word[0], "perfdata")) {
        out_file("perf", s.word[1]);
    } else {
        owner = step_value(&s, "owner");
        owner_do(owner_find(owner ? owner : "P"), copy);
    }
}

static void scenario_child(char **lines, size_t n)
{
    setpgid(0, 0);
    alarm(LIMIT_S);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    cpu_own();
    for (size_t i = 0; i < n; i++) {
        do_step(lines[i]);
    }
    /* The kernel's own threads of their CPUs have a part in closing events. */
    workers_block();
    for (struct owner *o = owners; o < owners + OWNERS_MAX; o++) {
        if (o->name[0]) {
            owner_end(o);
        }
    }
    workers_kill();
    _exit(0);
}

/* In a process of its own: the next one finds nothing of it. */
static void scenario(const char *name, char **lines, size_t n)
{
    int status;
    pid_t pid;

    memset(shared, 0, sizeof(*shared));
    out_put("", 0, "scenario %s", name);
    put("scenario %s", name);
    kmsg_begin(name);
    pid = fork();
    if (!pid) {
        scenario_child(lines, n);
    }
    waitpid(pid, &status, 0);
    kill(-pid, SIGKILL);
    kmsg_report();
    put("end %s %s", name, !status ? "done"
        : WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "timeout"
                                                             : "failed");
}

int main(int argc, char **argv)
{
    static char *lines[4096];
    char *line = NULL;
    size_t n = 0, size = 0;
    FILE *f = argc == 3 ? fopen(argv[2], "r") : NULL;

    if (!f) {
        fprintf(stderr, "usage: race OUT SCENARIOS\n");
        return 2;
    }
    while (n < 4096 && getline(&line, &size, f) > 0) {
        lines[n++] = strdup(line);
    }
    fclose(f);
    signal(SIGPIPE, SIG_IGN);
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        fail("no memory");
    }
    out_open(argv[1]);
    /* Real-time workers run as long as they are told to. */
    if (system("echo -1 >/proc/sys/kernel/sched_rt_runtime_us")) {
        fail("cannot lift the limit of real-time tasks");
    }
    for (size_t i = 0; i < n;) {
        size_t first = ++i;
        char *name = lines[first - 1] + strlen("scenario ");

        if (strncmp(lines[first - 1], "scenario ", 9)) {
            continue;
        }
        name[strcspn(name, " \n")] = '\0';
        while (i < n && strncmp(lines[i], "scenario ", 9)) {
            i++;
        }
        scenario(name, lines + first, i - first);
    }
    return 0;
}
