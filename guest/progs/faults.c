/*
 * faults: exceptions in the middle of straight-line code.
 *
 * Loads and stores that fault once between others that do not (a page not
 * there yet, a page protected until the SIGSEGV handler opens it), an access
 * across two pages of which the second faults, undefined instructions and
 * breakpoints that a handler steps over, a bad jump that a handler returns
 * from, and signals sent to itself, one within another's handler. The
 * retired instructions and the exceptions are the same every time.
 * Prints "faults: done".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define PAGE 0x10000ul           /* the largest of any kernel */
#define PAGES 16

static volatile unsigned segvs, traps, usr1s, usr2s;
static char *area;

static void on_segv(int sig, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    uintptr_t at = (uintptr_t)info->si_addr;

    (void)sig;
    segvs++;
    if (at >= (uintptr_t)area && at < (uintptr_t)area + PAGES * PAGE) {
        uintptr_t in = (at - (uintptr_t)area) / PAGE * PAGE;

        if (mprotect(area + in, PAGE, PROT_READ | PROT_WRITE)) {
            _exit(3);
        }
    } else if (uc->uc_mcontext.pc == at) {
        uc->uc_mcontext.pc = uc->uc_mcontext.regs[30];  /* a bad jump */
    } else {
        _exit(4);
    }
}

/* SIGILL and SIGTRAP: the instruction itself is at pc. */
static void on_trap(int sig, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;

    (void)sig;
    (void)info;
    traps++;
    uc->uc_mcontext.pc += 4;
}

static void on_usr1(int sig)
{
    (void)sig;
    usr1s++;
    raise(SIGUSR2);
}

static void on_usr2(int sig)
{
    (void)sig;
    usr2s++;
}

/* Eight accesses in a row, the fault in their middle. */
NOINLINE static uint64_t straight(uint64_t *good, uint64_t *bad)
{
    uint64_t sum;

    __asm__ volatile("ldr %0, [%1]\n\t"
                     "str %0, [%1, #8]\n\t"
                     "ldr x9, [%1, #16]\n\t"
                     "add %0, %0, x9\n\t"
                     "ldr x9, [%2]\n\t"             /* may fault */
                     "add %0, %0, x9\n\t"
                     "str %0, [%2, #8]\n\t"
                     "ldp x9, x10, [%1, #24]\n\t"
                     "add %0, %0, x9\n\t"
                     "add %0, %0, x10\n\t"
                     : "=&r"(sum)
                     : "r"(good), "r"(bad)
                     : "x9", "x10", "memory");
    return sum;
}

NOINLINE static void trap_pair(void)
{
    __asm__ volatile("nop\n\t"
                     "udf #1\n\t"
                     "nop\n\t"
                     "brk #7\n\t"
                     "nop\n\t");
}

static int check(const char *what, unsigned got, unsigned want)
{
    if (got != want) {
        printf("faults: wrong: %u %s, not %u\n", got, what, want);
    }
    return got != want;
}

static void handle(int sig, void (*fn)(int, siginfo_t *, void *))
{
    struct sigaction sa = { .sa_sigaction = fn, .sa_flags = SA_SIGINFO };

    sigaction(sig, &sa, NULL);
}

static unsigned touch_pages(void)
{
    uint64_t good[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    unsigned wrong = 0;
    char *fresh;

    /* Protected pages: SIGSEGV, handler, again. */
    for (int i = 0; i < PAGES - 2; i++) {
        wrong += straight(good, (uint64_t *)(void *)(area + i * PAGE)) !=
                 1 + 3 + 4 + 5;
    }
    /* The last two pages: an access that begins on one, ends on the other. */
    *(volatile uint64_t *)(void *)(area + (PAGES - 2) * PAGE) = 1;
    wrong += *(volatile uint64_t *)(void *)(area + (PAGES - 1) * PAGE - 4) !=
             0;
    /* Pages that the kernel gives on the first touch, no signal. */
    fresh = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < PAGES; i++) {
        wrong += straight(good, (uint64_t *)(void *)(fresh + i * PAGE)) !=
                 1 + 3 + 4 + 5;
    }
    return wrong;
}

int main(void)
{
    void (*volatile nowhere)(void) = (void (*)(void))0x10ul;
    int bad = 0;

    handle(SIGSEGV, on_segv);
    handle(SIGILL, on_trap);
    handle(SIGTRAP, on_trap);
    signal(SIGUSR1, on_usr1);
    signal(SIGUSR2, on_usr2);
    area = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                -1, 0);
    if (area == MAP_FAILED) {
        perror("faults: mmap");
        return 1;
    }
    bad += check("wrong sums", touch_pages(), 0);
    for (int i = 0; i < 8; i++) {
        trap_pair();
        nowhere();
        raise(SIGUSR1);
    }
    bad += check("SIGSEGV", segvs, PAGES + 8);
    bad += check("traps", traps, 16);
    bad += check("SIGUSR1", usr1s, 8);
    bad += check("SIGUSR2", usr2s, 8);
    if (!bad) {
        printf("faults: done\n");
    }
    return bad ? 1 : 0;
}
