/*
 * markers [ROUNDS [CPU...]]: work between system calls that steer a trace.
 *
 * Each round: work_before(), getppid(), work_inside(), getpgid(), and
 * work_after(). Tracing resumed at the first call and paused at the second
 * shows work_inside() alone, ROUNDS times. With CPUs named, a child on each of
 * them does so. Prints "markers: done".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define STEPS 200u

static uint32_t mixed;

/* Branches both ways, by the bits of what was mixed so far. */
#define WORK(name, constant) \
    NOINLINE static void name(unsigned round) \
    { \
        for (unsigned i = 0; i < STEPS; i++) { \
            mixed = mixed * 1664525u + (constant) + round; \
            if (mixed & 0x10000u) { \
                mixed ^= mixed >> 7; \
            } \
        } \
    }

WORK(work_before, 11u)
WORK(work_inside, 222u)
WORK(work_after, 3333u)

static void work(unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        work_before(i);
        syscall(SYS_getppid);
        work_inside(i);
        syscall(SYS_getpgid, 0);
        work_after(i);
    }
}

/* returns: 0, or 1 when it cannot run there. */
static int work_on(unsigned cpu, unsigned rounds)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set)) {
        perror("markers: sched_setaffinity");
        return 1;
    }
    work(rounds);
    return 0;
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 5;
    int bad = 0, status;

    for (int i = 2; i < argc; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            _exit(work_on((unsigned)strtoul(argv[i], NULL, 10), rounds));
        }
        bad += pid < 0;
    }
    if (argc <= 2) {
        work(rounds);
    }
    while (wait(&status) > 0) {
        bad += status != 0;
    }
    if (!bad) {
        printf("markers: done\n");
    }
    return bad != 0;
}
