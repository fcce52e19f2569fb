/*
 * signals [ROUNDS]: signals at any instruction.
 *
 * A timer of the kernel (ITIMER_REAL, short) interrupts a loop of branches; its
 * handler works, raises another signal within it on another stack, and every
 * so often leaves by siglongjmp. Also signals between two threads, and a
 * handler that changes where the program goes on. Prints "signals: done".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static sigjmp_buf out;
static volatile sig_atomic_t may_jump, ticks, nested, jumps, skips, peers;

NOINLINE static uint32_t work(uint32_t v, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        v = v & 1 ? v >> 1 ^ 0xedb88320u : v >> 1;
    }
    return v;
}

static void on_alarm(int sig)
{
    static volatile uint32_t sum;

    (void)sig;
    ticks++;
    sum += work((uint32_t)ticks, 20);
    raise(SIGUSR1);
    if (may_jump && ticks % 5 == 0) {
        jumps++;
        may_jump = 0;
        siglongjmp(out, 1);
    }
}

static void on_usr1(int sig)
{
    (void)sig;
    nested++;
}

static void on_usr2(int sig)
{
    (void)sig;
    peers++;
}

/* The instruction behind the trap is left out. */
static void on_trap(int sig, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;

    (void)sig;
    (void)info;
    uc->uc_mcontext.pc += 8;
    skips++;
}

static void handle(int sig, void (*fn)(int), int flags)
{
    struct sigaction sa = { .sa_handler = fn, .sa_flags = flags };

    sigaction(sig, &sa, NULL);
}

static void *peer(void *arg)
{
    pthread_t *whom = arg;

    for (int i = 0; i < 20; i++) {
        pthread_kill(*whom, SIGUSR2);
        work((uint32_t)i, 500);
    }
    return NULL;
}

NOINLINE static uint64_t trap_and_skip(uint64_t v)
{
    __asm__ volatile("brk #3\n\t"
                     "add %0, %0, #1\n\t"      /* skipped */
                     "add %0, %0, #2\n\t"
                     : "+r"(v));
    return v;
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 100;
    struct itimerval every = { { 0, 1500 }, { 0, 1500 } }, never = { 0 };
    struct sigaction trap = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
    stack_t alt = { .ss_sp = malloc(65536), .ss_size = 65536 };
    volatile uint32_t v = 1;
    pthread_t self = pthread_self(), t;
    sigset_t alarm_set;

    sigaltstack(&alt, NULL);
    handle(SIGALRM, on_alarm, 0);
    handle(SIGUSR1, on_usr1, SA_ONSTACK);
    handle(SIGUSR2, on_usr2, SA_RESTART);
    sigaction(SIGTRAP, &trap, NULL);
    /* The timer's signal is for this thread alone: its handler jumps. */
    sigemptyset(&alarm_set);
    sigaddset(&alarm_set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm_set, NULL);
    if (pthread_create(&t, NULL, peer, &self)) {
        perror("signals: pthread_create");
        return 1;
    }
    pthread_sigmask(SIG_UNBLOCK, &alarm_set, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    for (volatile unsigned i = 0; i < rounds; i++) {
        if (sigsetjmp(out, 1) == 0) {
            may_jump = 1;
            v = work(v, 3000);
            may_jump = 0;
        }
        if (trap_and_skip(i) != i + 2) {
            printf("signals: wrong in round %u\n", i);
            return 1;
        }
    }
    setitimer(ITIMER_REAL, &never, NULL);
    pthread_join(t, NULL);
    if ((ticks && !nested) || skips != (int)rounds || peers == 0) {
        printf("signals: wrong: %d ticks, %d nested, %d skips, %d peers\n",
               (int)ticks, (int)nested, (int)skips, (int)peers);
        return 1;
    }
    printf("signals: %d ticks, %d jumps\n", (int)ticks, (int)jumps);
    printf("signals: done\n");
    return 0;
}
