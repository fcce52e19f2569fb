/*
 * markers [ROUNDS]: work between system calls that a trace can be steered by.
 *
 * Each round: work_before(), getppid(), work_inside(), getpgid(), and
 * work_after(). Tracing resumed at the first call and paused at the second
 * shows work_inside() alone, ROUNDS times. Prints "markers: done".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
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

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 5;

    for (unsigned i = 0; i < rounds; i++) {
        work_before(i);
        syscall(SYS_getppid);
        work_inside(i);
        syscall(SYS_getpgid, 0);
        work_after(i);
    }
    printf("markers: done\n");
    return mixed == 0;
}
