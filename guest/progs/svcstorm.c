/*
 * svcstorm [ROUNDS]: many short stays in user space.
 *
 * System calls by svc with little between them (also back to back, and of a
 * number that does not exist), the vDSO, sched_yield, and a pipe to itself.
 * Prints "svcstorm: done".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

/* Two calls in a row, nothing between them but the number. */
NOINLINE static long two_calls(long nr)
{
    register long x8 __asm__("x8") = nr;
    register long x0 __asm__("x0") = 0;

    __asm__ volatile("svc #0\n\tsvc #0"
                     : "+r"(x0)
                     : "r"(x8)
                     : "memory", "cc");
    return x0;
}

static int pass_byte(int fd[2], unsigned i)
{
    char c = (char)i, d = (char)~c;

    return write(fd[1], &c, 1) != 1 || read(fd[0], &d, 1) != 1 || c != d;
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 500;
    pid_t parent = getppid();
    struct timespec last = { 0 }, now;
    int fd[2];

    if (pipe(fd)) {
        perror("svcstorm: pipe");
        return 1;
    }
    for (unsigned i = 0; i < rounds; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (two_calls(SYS_getppid) != parent ||
            two_calls(1000000) != -ENOSYS || sched_yield() ||
            pass_byte(fd, i) || now.tv_sec < last.tv_sec ||
            (now.tv_sec == last.tv_sec && now.tv_nsec < last.tv_nsec)) {
            printf("svcstorm: wrong in round %u\n", i);
            return 1;
        }
        last = now;
    }
    printf("svcstorm: done\n");
    return 0;
}
