/*
 * A process on each CPU that it is allowed to use, one after the other: named
 * tN on CPU N, on which it is born and ends, with little trace else.
 *
 * Usage: percpu [LOOPS [CPU]].  About 4 instructions a loop; 5000.  CPU: only
 * there; by taskset its code, at the same addresses, would be in the trace.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define CPUS_MAX 1024

static int child(int cpu, long loops)
{
    char name[16];
    volatile long sum = 0;

    snprintf(name, sizeof(name), "t%d", cpu);
    prctl(PR_SET_NAME, name);
    for (long i = 1; i <= loops; i++) {
        sum += i;
    }
    return sum == loops * (loops + 1) / 2 && sched_getcpu() == cpu ? 0 : 1;
}

/* 0, or what failed on @cpu */
static const char *run_on(int cpu, long loops)
{
    cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
    int status;
    pid_t pid;

    CPU_ZERO_S(CPU_ALLOC_SIZE(CPUS_MAX), set);
    CPU_SET_S(cpu, CPU_ALLOC_SIZE(CPUS_MAX), set);
    if (sched_setaffinity(0, CPU_ALLOC_SIZE(CPUS_MAX), set)) {
        CPU_FREE(set);
        return "sched_setaffinity";
    }
    CPU_FREE(set);
    pid = fork();
    if (pid == 0) {
        _exit(child(cpu, loops));
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        return "fork";
    }
    return status == 0 ? NULL : "the child";
}

int main(int argc, char **argv)
{
    long loops = argc > 1 ? atol(argv[1]) : 5000;
    cpu_set_t *all = CPU_ALLOC(CPUS_MAX);
    int only = argc > 2 ? atoi(argv[2]) : -1;
    int done = 0;

    if (sched_getaffinity(0, CPU_ALLOC_SIZE(CPUS_MAX), all)) {
        perror("percpu: sched_getaffinity");
        return 1;
    }
    for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
        const char *why;

        if (!CPU_ISSET_S(cpu, CPU_ALLOC_SIZE(CPUS_MAX), all) ||
            (only >= 0 && cpu != only)) {
            continue;
        }
        why = run_on(cpu, loops);
        if (why) {
            printf("percpu: CPU %d: %s: %s\n", cpu, why, strerror(errno));
            return 1;
        }
        done++;
    }
    printf("percpu: %d CPUs: done\n", done);
    return 0;
}
