/*
 * csvirt run: the emulator as a child, from its start to its end.
 *
 * Files that the emulator writes (ports, console) are followed with inotify.
 * Protocol of csvirt.ctl: guest/init/init.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/exec_log.h"
#include "cli/run.h"
#include "cli/warm.h"

#define GO_LIMIT_US   (20 * G_USEC_PER_SEC)     /* from "exit" to power off */
#define TERM_LIMIT_US (10 * G_USEC_PER_SEC)     /* from SIGTERM to SIGKILL */
#define TAIL_LINES    20

/* A file that grows, copied to one of ours. */
struct follow {
    int fd, to;                 /* @to: -1 not shown */
};

struct guest {
    struct run_plan *plan;
    pid_t pid;
    int signals, notify;
    gboolean ended;             /* the emulator is gone */
    int wait_status;
    struct follow out, err, console;
    int ctl;
    GString *line;              /* of ctl, not yet complete */
    gboolean started;           /* the command runs */
    gboolean parked, saved;     /* of a machine to be kept (cli/warm.c) */
    gboolean has_exit, pipe_lost;
    int exit_status;
    char *fail;                 /* init's reason to give up */
    int devices, expected;
    int signal;                 /* one that csvirt itself got */
    gboolean timed_out;
};

/* ---- starting ----------------------------------------------------------- */

static int open_empty(const char *name)
{
    int fd = open(name, O_RDONLY | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0) {
        say("%s: %s", name, strerror(errno));
    }
    return fd;
}

static gboolean open_files(struct guest *g)
{
    const struct run_plan *p = g->plan;
    int pull = open_empty(p->pull);

    g->out.fd = open_empty(p->out);
    g->err.fd = open_empty(p->err);
    g->console.fd = open_empty(p->console);
    g->ctl = open_empty(p->ctl);
    g->out.to = STDOUT_FILENO;
    g->err.to = STDERR_FILENO;
    /* That of a machine being saved is shown by the run from it. */
    g->console.to = p->opt->verbose && !p->saving ? STDERR_FILENO : -1;
    if (pull < 0 || g->out.fd < 0 || g->err.fd < 0 || g->console.fd < 0 ||
        g->ctl < 0) {
        return FALSE;
    }
    close(pull);
    g->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (g->notify < 0 ||
        inotify_add_watch(g->notify, p->tmp, IN_MODIFY) < 0) {
        say("inotify: %s", strerror(errno));
        return FALSE;
    }
    return TRUE;
}

static void child(const struct guest *g, char **argv, const sigset_t *mask)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    signal(SIGPIPE, SIG_DFL);
    if (g->plan->opt->exec) {
        int null = open("/dev/null", O_RDWR);

        /* Not of our group: a Ctrl-C is for us to act on. */
        setpgid(0, 0);
        dup2(null, STDIN_FILENO);
        dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    execv(argv[0], argv);
    fprintf(stderr, "csvirt: cannot start %s: %s\n", argv[0],
            strerror(errno));
    _exit(127);
}

static gboolean start(struct guest *g, char **argv)
{
    sigset_t mask, old;

    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigaddset(&mask, SIGINT);
    sigaddset(&mask, SIGTERM);
    sigaddset(&mask, SIGHUP);
    sigaddset(&mask, SIGQUIT);
    sigprocmask(SIG_BLOCK, &mask, &old);
    signal(SIGPIPE, SIG_IGN);
    g->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    g->pid = fork();
    if (g->signals < 0 || g->pid < 0) {
        say("cannot start the emulator: %s", strerror(errno));
        return FALSE;
    }
    if (!g->pid) {
        child(g, argv, &old);
    }
    return TRUE;
}

/* ---- what the guest says ------------------------------------------------ */

static gboolean write_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t done = write(fd, p, n);

        if (done < 0 && errno != EINTR && errno != EAGAIN) {
            return FALSE;
        }
        if (done > 0) {
            p += done;
            n -= (size_t)done;
        }
    }
    return TRUE;
}

static void follow(struct guest *g, struct follow *f)
{
    char buf[65536];
    ssize_t n;

    while (f->to >= 0 && (n = read(f->fd, buf, sizeof(buf))) > 0) {
        if (!write_all(f->to, buf, (size_t)n)) {
            say("cannot write the guest's output: %s", strerror(errno));
            f->to = -1;
            g->pipe_lost = TRUE;
        }
    }
}

static void control_line(struct guest *g, const char *line)
{
    if (g->plan->opt->verbose) {
        say("guest: %s", line);
    }
    if (sscanf(line, "exit %d", &g->exit_status) == 1) {
        g->has_exit = TRUE;
    } else if (g_str_has_prefix(line, "fail ") && !g->fail) {
        g->fail = g_strdup(line + 5);
    } else if (!strcmp(line, "parked")) {
        g->parked = TRUE;
    } else if (!strcmp(line, "start")) {
        g->started = TRUE;
    } else if (sscanf(line, "coresight-expected %d", &g->expected) == 1) {
        if (g->devices != g->expected) {
            say("the guest has %d coresight devices for %d nodes",
                g->devices, g->expected);
        }
    } else {
        sscanf(line, "coresight %d", &g->devices);
    }
}

static void read_control(struct guest *g)
{
    char buf[4096];
    ssize_t n;
    char *end;

    while ((n = read(g->ctl, buf, sizeof(buf))) > 0) {
        g_string_append_len(g->line, buf, n);
    }
    while ((end = strchr(g->line->str, '\n'))) {
        *end = '\0';
        control_line(g, g->line->str);
        g_string_erase(g->line, 0, end - g->line->str + 1);
    }
}

static void read_files(struct guest *g)
{
    char events[4096];

    while (read(g->notify, events, sizeof(events)) > 0) {
        continue;
    }
    follow(g, &g->console);
    follow(g, &g->out);
    follow(g, &g->err);
    read_control(g);
}

/* ---- the loop ----------------------------------------------------------- */

static void read_signals(struct guest *g)
{
    struct signalfd_siginfo info;

    while (read(g->signals, &info, sizeof(info)) == sizeof(info)) {
        if (info.ssi_signo != SIGCHLD) {
            g->signal = (int)info.ssi_signo;
        }
    }
    if (waitpid(g->pid, &g->wait_status, WNOHANG) == g->pid) {
        g->ended = TRUE;
    }
}

/* Waits for something to happen, at most until @deadline (0: no limit). */
static void wait_event(struct guest *g, gint64 deadline)
{
    struct pollfd fds[2] = {
        { .fd = g->signals, .events = POLLIN },
        { .fd = g->notify, .events = POLLIN },
    };
    gint64 left = deadline - g_get_monotonic_time();
    int ms = !deadline ? -1
             : left > 0 ? (int)MIN(left / 1000 + 1, G_MAXINT) : 0;

    poll(fds, G_N_ELEMENTS(fds), ms);
    read_signals(g);
    read_files(g);
}

/* First politely, so that it closes its files, then not. */
static void end_emulator(struct guest *g)
{
    gint64 deadline = g_get_monotonic_time() + TERM_LIMIT_US;

    if (!g->ended) {
        kill(g->pid, SIGTERM);
    }
    while (!g->ended && g_get_monotonic_time() < deadline) {
        wait_event(g, deadline);
    }
    if (!g->ended) {
        kill(g->pid, SIGKILL);
        waitpid(g->pid, &g->wait_status, 0);
        g->ended = TRUE;
    }
}

static void stay(struct guest *g)
{
    const struct run_options *o = g->plan->opt;
    gint64 limit = o->exec ? (gint64)o->timeout_s * G_USEC_PER_SEC : 0;
    gint64 deadline = limit ? g_get_monotonic_time() + limit : 0;
    gboolean going = FALSE;

    while (!g->ended) {
        wait_event(g, deadline);
        if (g->parked && g->plan->saving) {
            g->saved = warm_save(g->plan);
            break;
        }
        if ((g->has_exit || g->fail) && !going) {
            going = TRUE;
            deadline = g_get_monotonic_time() + GO_LIMIT_US;
        }
        if (g->pipe_lost ||
            (g->signal && (o->exec || g->signal != SIGINT))) {
            break;
        }
        if (deadline && g_get_monotonic_time() >= deadline && !g->ended) {
            g->timed_out = !going;
            break;
        }
    }
    end_emulator(g);
    read_files(g);
}

/* ---- the end ------------------------------------------------------------ */

static void say_console(const struct guest *g)
{
    say("last lines of the guest's console:");
    kernel_log_tail(g->plan->console, TAIL_LINES, stderr);
}

static int died(const struct guest *g, const char *panic)
{
    if (panic) {
        say("the guest's kernel panicked: %s", panic);
    } else if (g->fail) {
        say("the guest gave up: %s", g->fail);
    } else if (WIFSIGNALED(g->wait_status)) {
        say("the emulator was ended by signal %d (%s)",
            WTERMSIG(g->wait_status), strsignal(WTERMSIG(g->wait_status)));
    } else if (WEXITSTATUS(g->wait_status)) {
        say("the emulator ended with status %d",
            WEXITSTATUS(g->wait_status));
    } else {
        say("the guest went away %s",
            g->started ? "before its command ended"
                       : "before its command began");
    }
    say_console(g);
    return CLI_DIED;
}

/* It ended before the machine had started: arguments that it does not take. */
static gboolean refused(const struct guest *g)
{
    GStatBuf st;

    return g->plan->opt->qemu_opts && !g->started && !g->fail &&
        WIFEXITED(g->wait_status) && WEXITSTATUS(g->wait_status) == 1 &&
        g_stat(g->plan->console, &st) == 0 && st.st_size == 0;
}

/* What became of a run with a command. */
static int judge(struct guest *g)
{
    char *panic = kernel_log_panicked(g->plan->console);
    unsigned reports;
    int status = CLI_OK;

    if (g->saved) {
        /* What the kernel has reported is told by the runs from it. */
        g_free(panic);
        return CLI_OK;
    }
    reports = kernel_log_report(g->plan->console, stderr);
    if (g->timed_out) {
        say("timed out after %d s, %s", g->plan->opt->timeout_s,
            panic ? "the kernel has panicked"
            : g->started ? "the command still runs"
                         : "the guest has not started the command");
        say_console(g);
        status = CLI_TIMEOUT;
    } else if (refused(g)) {
        say("--qemu-opts %s: the emulator does not start with that",
            g->plan->opt->qemu_opts);
        status = CLI_USAGE;
    } else if (panic || !g->has_exit ||
               (WIFSIGNALED(g->wait_status) &&
                WTERMSIG(g->wait_status) != SIGTERM &&
                WTERMSIG(g->wait_status) != SIGKILL)) {
        status = died(g, panic);
    } else if (g->exit_status == CLI_SKIPPED) {
        status = CLI_SKIPPED;
    } else if (g->exit_status) {
        say("the guest's command ended with status %d", g->exit_status);
        status = CLI_FAILED;
    }
    if (!status && WIFEXITED(g->wait_status) &&
        WEXITSTATUS(g->wait_status)) {
        say("the emulator ended with status %d",
            WEXITSTATUS(g->wait_status));
        status = CLI_DIED;
    }
    if (!status && g->plan->opt->exec_log &&
        !xl_has_end(g->plan->opt->exec_log)) {
        say("--exec-log %s: the log is not complete (is the disk full?)",
            g->plan->opt->exec_log);
        status = CLI_DIED;
    }
    if (g->has_exit && g->plan->n_pulls) {
        int pulled = run_take_pulls(g->plan);

        status = status ? status : pulled;
    }
    if (!status && reports && g->plan->opt->fail_on_warn) {
        say("the guest's kernel made %u report%s", reports,
            reports == 1 ? "" : "s");
        status = CLI_FAILED;
    }
    g_free(panic);
    return status;
}

static int judge_interactive(const struct guest *g)
{
    if (WIFSIGNALED(g->wait_status)) {
        say("the emulator was ended by signal %d",
            WTERMSIG(g->wait_status));
        return CLI_DIED;
    }
    if (WEXITSTATUS(g->wait_status)) {
        say("the emulator ended with status %d",
            WEXITSTATUS(g->wait_status));
        return CLI_DIED;
    }
    return CLI_OK;
}

int run_guest(struct run_plan *plan, char **argv)
{
    struct guest g = { .plan = plan, .notify = -1, .signals = -1 };
    int status = CLI_DIED;

    if (plan->opt->gdb) {
        say("gdb: target remote 127.0.0.1:1234");
    }
    if (!plan->opt->exec) {
        say("Ctrl-A X ends the emulator, Ctrl-A H helps");
    }
    g.line = g_string_new(NULL);
    if (open_files(&g) && start(&g, argv)) {
        stay(&g);
        if (g.signal && (plan->opt->exec || g.signal != SIGINT)) {
            say("stopped by signal %d", g.signal);
        } else if (g.pipe_lost) {
            status = CLI_FAILED;
        } else {
            status = plan->opt->exec ? judge(&g) : judge_interactive(&g);
        }
    }
    close(g.out.fd);
    close(g.err.fd);
    close(g.console.fd);
    close(g.ctl);
    close(g.notify);
    close(g.signals);
    g_string_free(g.line, TRUE);
    g_free(g.fail);
    return status;
}
