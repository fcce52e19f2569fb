/*
 * forkstorm [ROUNDS]: processes and threads that come and go, and move.
 *
 * fork and exit at once, vfork and exec of itself, threads of a few
 * instructions, a tree of forks, an exit by a signal; and a program that moves
 * itself from CPU to CPU (sched_setaffinity) in the middle of its loop, with
 * another thread moving it too. Prints "forkstorm: done".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static int cpus;

NOINLINE static uint32_t work(uint32_t v, unsigned n)
{
    while (n--) {
        v = v & 1 ? 3 * v + 1 : v / 2 + 7;
    }
    return v;
}

static int move_to(pid_t who, int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(who, sizeof(set), &set);
}

static int status_of(pid_t pid)
{
    int status;

    return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

static int tree(unsigned depth)
{
    int bad = 0;

    for (int i = 0; depth && i < 2; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            _exit(tree(depth - 1));
        }
        bad |= status_of(pid) != 0;
    }
    work(depth, 200);
    return bad;
}

static int exec_self(void)
{
    pid_t pid = vfork();

    if (pid == 0) {
        execl("/proc/self/exe", "forkstorm", "-leaf", (char *)NULL);
        _exit(9);
    }
    return status_of(pid) != 0;
}

static int killed(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        for (;;) {
            work(1, 1000);
        }
    }
    work(2, 3000);
    kill(pid, SIGKILL);
    return status_of(pid) != SIGKILL;
}

static void *leaf(void *arg)
{
    return (void *)(uintptr_t)work((uint32_t)(uintptr_t)arg, 50);
}

static void *mover(void *arg)
{
    pid_t whom = *(pid_t *)arg;

    for (int i = 0; i < 20; i++) {
        move_to(whom, i % cpus);
        work(1, 400);
    }
    return NULL;
}

static int migrate(void)
{
    pid_t self = gettid();
    pthread_t t;
    uint32_t v = 1;

    if (pthread_create(&t, NULL, mover, &self)) {
        return 1;
    }
    for (int i = 0; i < 40; i++) {
        v = work(v, 300);
        if (move_to(0, (i * 3 + 1) % cpus)) {
            return 1;
        }
    }
    pthread_join(t, NULL);
    return v == 0;
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 5;

    if (argc > 1 && !strcmp(argv[1], "-leaf")) {
        return work(5, 100) == 0;
    }
    cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    for (unsigned i = 0; i < rounds; i++) {
        pthread_t t[4];
        int bad = 0;

        for (uintptr_t k = 0; k < 4; k++) {
            bad |= pthread_create(&t[k], NULL, leaf, (void *)(k + 1));
        }
        for (int k = 0; k < 4 && !bad; k++) {
            pthread_join(t[k], NULL);
        }
        if (bad || tree(2) || exec_self() || killed() || migrate()) {
            printf("forkstorm: wrong in round %u\n", i);
            return 1;
        }
    }
    printf("forkstorm: done\n");
    return 0;
}
