/*
 * points [-a] [ROUNDS]: a timer's interrupt at each instruction.
 *
 * A piece of code with branches of all kinds, an exclusive and an ISB goes in
 * circles until a timer's signal comes, a little later in each round, and notes
 * where it came. With -a it fails unless it has come at every instruction: so
 * it does under -icount; elsewhere QEMU takes interrupts between its blocks
 * only. Prints "points: done".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

/*
 * x0: a word that becomes 1 when it is time to end; x1: memory to use.
 * returns: circles
 */
__asm__(".text\n"
        ".globl circle, circle_end\n"
        "circle:\n"
        "    stp x29, x30, [sp, #-16]!\n"
        "    mov x2, #0\n"
        "1:  add x2, x2, #1\n"
        "    ldr x3, [x1]\n"
        "    eor x3, x3, x2\n"
        "    str x3, [x1], #8\n"
        "    sub x1, x1, #8\n"
        "    tbz x2, #0, 2f\n"
        "    add x3, x3, #1\n"
        "    b 3f\n"
        "2:  add x3, x3, #2\n"
        "3:  bl 7f\n"
        "    adr x4, 8f\n"
        "    blr x4\n"
        "    cbnz x2, 4f\n"
        "    nop\n"
        "4:  ldxr x5, [x1]\n"
        "    add x5, x5, #1\n"
        "    stxr w6, x5, [x1]\n"
        "    cbnz w6, 4b\n"
        "    isb\n"
        "    adr x4, 5f\n"
        "    br x4\n"
        "5:  and x3, x2, #3\n"
        "    cmp x3, #3\n"
        "    b.eq 6f\n"
        "    mul x3, x3, x2\n"
        "6:  ldr w3, [x0]\n"
        "    cbz w3, 1b\n"
        "    mov x0, x2\n"
        "    ldp x29, x30, [sp], #16\n"
        "    ret\n"
        "7:  add x3, x3, #3\n"
        "    ret\n"
        "8:  mov x7, x30\n"
        "    tbnz x2, #1, 9f\n"
        "    sub x3, x3, #1\n"
        "9:  ret x7\n"
        "circle_end:\n");

uint64_t circle(volatile uint32_t *stop, uint64_t *memory);
extern const uint32_t circle_end[];

#define MOST 64
static volatile uint32_t stop;
static volatile uint32_t hits[MOST], elsewhere;

static size_t place(uint64_t pc)
{
    return (pc - (uintptr_t)circle) / 4;
}

static void on_timer(int sig, siginfo_t *info, void *context)
{
    const ucontext_t *uc = context;
    size_t at = place(uc->uc_mcontext.pc);

    (void)sig;
    (void)info;
    if (at < MOST) {
        hits[at]++;
    } else {
        elsewhere++;
    }
    stop = 1;
}

/*
 * Instructions of the circle that were never interrupted; the NOP is never
 * executed, the first two and the last three are not in the circle.
 */
static unsigned missed(void)
{
    size_t n = place((uintptr_t)circle_end), i;
    unsigned m = 0;

    for (i = 2; i < n; i++) {
        uint32_t insn = ((const uint32_t *)(uintptr_t)circle)[i];
        int outside = insn == 0xd503201f ||          /* NOP */
                      insn == 0xaa0203e0 ||          /* MOV X0, X2 */
                      insn == 0xa8c17bfd ||          /* LDP X29, X30 */
                      (insn == 0xd65f03c0 &&         /* its RET */
                       ((const uint32_t *)(uintptr_t)circle)[i - 1] ==
                       0xa8c17bfd);

        m += !outside && hits[i] == 0;
    }
    return m;
}

int main(int argc, char **argv)
{
    int all = argc > 1 && !strcmp(argv[1], "-a");
    unsigned rounds = argc > 1 + all
                      ? (unsigned)strtoul(argv[1 + all], NULL, 10) : 100;
    struct sigaction sa = { .sa_sigaction = on_timer, .sa_flags = SA_SIGINFO };
    struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL,
                           .sigev_signo = SIGUSR1 };
    uint64_t memory = 0, circles = 0;
    unsigned i;
    timer_t timer;

    sigaction(SIGUSR1, &sa, NULL);
    if (timer_create(CLOCK_MONOTONIC, &ev, &timer)) {
        perror("points: timer_create");
        return 1;
    }
    for (i = 0; i < rounds && !(all && missed() == 0); i++) {
        struct itimerspec when = { .it_value = { 0, 100000 + 16 * i } };

        stop = 0;
        if (timer_settime(timer, 0, &when, NULL)) {
            perror("points: timer_settime");
            return 1;
        }
        circles += circle(&stop, &memory);
    }
    printf("points: %u rounds, %llu circles, %u places missed, %u elsewhere\n",
           i, (unsigned long long)circles, missed(), elsewhere);
    if (all && missed()) {
        return 1;
    }
    printf("points: done\n");
    return 0;
}
