/*
 * A guest without a kernel for the tests of the vCPU scheduler: what the
 * scheduler must get right, on as many CPUs as the machine has.
 *
 * On the UART: "check ok|FAIL WHAT" lines, "clock N" (the system counter) and
 * "round N" at the end of each of ROUNDS, at last "bare: done". Everything is
 * counted: a turn too many, a lost wake-up or a stale translation shows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdbool.h>
#include <stdint.h>

#ifndef ROUNDS
#define ROUNDS   1u             /* of everything */
#endif
#define CPUS_MAX 512u
#define COUNTS   200u           /* of each counting loop, on each CPU */
#define COUNTERS 8u             /* CPUs that count at a time */

#define UART       0x09000000ul
#define GICD       0x08000000ul
#define GICR       0x080a0000ul
#define GICR_LOW   123u         /* redistributors there, the others at */
#define GICR_HIGH  0x4000000000ul
#define GICR_EACH  0x20000ul

#define PSCI_CPU_SUSPEND 0xc4000001u
#define PSCI_CPU_OFF     0x84000002u
#define PSCI_CPU_ON      0xc4000003u
#define PSCI_AFFINITY    0xc4000004u
#define PSCI_SYSTEM_OFF  0x84000008u

#define PAGE      4096ul
#define TEST_VA   0x80000000ul  /* a page whose mapping the test changes */
#define CODE_VA   0x80001000ul  /* a page whose code the test changes */
#define TIMER_PPI 27u

void bare_main(uint64_t cpu);
void bare_fault(uint64_t esr, uint64_t elr, uint64_t far);
extern char bare_entry[];

enum job {
    JOB_NONE, JOB_COUNT, JOB_LOCK, JOB_SPIN, JOB_SGI, JOB_PAGE, JOB_CODE,
    JOB_WRITE, JOB_OFF,
};

static uint64_t table0[512] __attribute__((aligned(4096)));
static uint64_t table1[512] __attribute__((aligned(4096)));
static uint64_t table2[512] __attribute__((aligned(4096)));
static uint64_t table3[512] __attribute__((aligned(4096)));
static uint64_t page_a[512] __attribute__((aligned(4096)));
static uint64_t page_b[512] __attribute__((aligned(4096)));
static uint32_t code[1024] __attribute__((aligned(4096)));

static unsigned cpus;
static volatile uint32_t job[CPUS_MAX];         /* enum job */
static volatile uint32_t done[CPUS_MAX];        /* jobs done */
static volatile uint64_t seen[CPUS_MAX];        /* what a job has found */
static volatile uint64_t counter;
static volatile uint64_t locked;
static volatile uint32_t go;
static volatile uint32_t ticket, serving;
static bool failed;

/* ---- output ---- */

static void put(const char *s)
{
    while (*s) {
        *(volatile uint32_t *)UART = (uint8_t)*s++;
    }
}

static void put_number(uint64_t n)
{
    char text[24];
    unsigned i = sizeof(text) - 1;

    text[i] = '\0';
    do {
        text[--i] = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    put(text + i);
}

static void check(bool good, const char *what)
{
    put(good ? "check ok " : "check FAIL ");
    put(what);
    put("\n");
    failed |= !good;
}

/* ---- the architecture ---- */

static uint64_t psci(uint64_t function, uint64_t a, uint64_t b, uint64_t c)
{
    register uint64_t x0 __asm__("x0") = function;
    register uint64_t x1 __asm__("x1") = a;
    register uint64_t x2 __asm__("x2") = b;
    register uint64_t x3 __asm__("x3") = c;

    __asm__ volatile("hvc #0" : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)
                     : : "memory", "x4", "x5", "x6", "x7");
    return x0;
}

static uint64_t mpidr(unsigned cpu)
{
    return (cpu / 16) << 8 | cpu % 16;
}

static void wfi(void)
{
    __asm__ volatile("dsb sy\n wfi" : : : "memory");
}

static uint64_t now(void)
{
    uint64_t t;

    __asm__ volatile("isb\n mrs %0, cntvct_el0" : "=r"(t) : : "memory");
    return t;
}

static void tlb_flush(uint64_t va)
{
    __asm__ volatile("dsb ishst\n tlbi vae1is, %0\n dsb ish\n isb"
                     : : "r"(va >> 12) : "memory");
}

static void map(uint64_t va, const void *page)
{
    table3[va / PAGE % 512] = (uint64_t)page | 0x703;
}

static void mmu_tables(void)
{
    table0[0] = (uint64_t)table1 | 3;
    for (uint64_t i = 0; i < 512; i++) {
        /* Memory (attribute 0) at 1 GiB, else devices (1). */
        table1[i] = i << 30 | (i == 1 ? 0x701 : 0x60000000000405ul);
    }
    table1[TEST_VA >> 30] = (uint64_t)table2 | 3;
    table2[0] = (uint64_t)table3 | 3;
    map(TEST_VA, page_a);
    map(CODE_VA, code);
}

static void mmu_on(void)
{
    uint64_t sctlr;

    __asm__ volatile("msr mair_el1, %0\n msr tcr_el1, %1\n msr ttbr0_el1, %2\n"
                     "isb\n tlbi vmalle1\n dsb nsh\n isb"
                     : : "r"(0x00fful), "r"(16ul | 3ul << 12 | 5ul << 32 |
                                            1ul << 23 | 1ul << 8 | 1ul << 10),
                       "r"(table0) : "memory");
    __asm__ volatile("mrs %0, sctlr_el1" : "=r"(sctlr));
    __asm__ volatile("msr sctlr_el1, %0\n isb" : : "r"(sctlr | 0x1005ul)
                     : "memory");
}

static volatile uint32_t *redistributor(unsigned cpu)
{
    uint64_t at = cpu < GICR_LOW
                  ? GICR + cpu * GICR_EACH
                  : GICR_HIGH + (cpu - GICR_LOW) * GICR_EACH;

    return (volatile uint32_t *)at;
}

static void gic_on(unsigned cpu)
{
    volatile uint32_t *r = redistributor(cpu);

    if (!cpu) {
        *(volatile uint32_t *)GICD = 1u << 4 | 3;       /* ARE, groups */
    }
    r[0x14 / 4] &= ~2u;                                 /* awake */
    r[0x10080 / 4] = ~0u;                               /* group 1 */
    r[0x10100 / 4] = 1u << TIMER_PPI | 0xffff;          /* enabled */
    __asm__ volatile("msr s3_0_c4_c6_0, %0\n"           /* PMR */
                     "msr s3_0_c12_c12_7, %1\n isb"     /* IGRPEN1 */
                     : : "r"(0xfful), "r"(1ul));
}

/* An interrupt that is pending. returns: its number, 1023 for none. */
static uint64_t gic_take(void)
{
    uint64_t n;

    __asm__ volatile("mrs %0, s3_0_c12_c12_0\n dsb sy" : "=r"(n));
    if (n < 1020) {
        __asm__ volatile("msr s3_0_c12_c12_1, %0\n isb" : : "r"(n));
    }
    return n;
}

static void sgi(unsigned cpu, unsigned number)
{
    uint64_t v = (uint64_t)(cpu / 16) << 16 | 1ul << cpu % 16 |
                 (uint64_t)number << 24;

    __asm__ volatile("dsb ish\n msr s3_0_c12_c11_5, %0\n isb" : : "r"(v)
                     : "memory");
}

static void timer_in(uint64_t ticks)
{
    __asm__ volatile("msr cntv_tval_el0, %0\n msr cntv_ctl_el0, %1\n isb"
                     : : "r"(ticks), "r"(1ul));
}

static void timer_off(void)
{
    __asm__ volatile("msr cntv_ctl_el0, %0\n isb" : : "r"(2ul));
}

/* ---- jobs of the other CPUs ---- */

static void add_exclusive(void)
{
    uint64_t v;
    uint32_t fail;

    __asm__ volatile("1: ldxr %0, [%2]\n add %0, %0, #1\n stxr %w1, %0, [%2]\n"
                     "cbnz %w1, 1b" : "=&r"(v), "=&r"(fail) : "r"(&counter)
                     : "memory");
}

/* A ticket lock whose waiters neither yield nor wait for an event. */
static void add_locked(void)
{
    uint32_t mine = __atomic_fetch_add(&ticket, 1, __ATOMIC_ACQUIRE);

    while (__atomic_load_n(&serving, __ATOMIC_ACQUIRE) != mine) {
    }
    locked++;
    __atomic_store_n(&serving, mine + 1, __ATOMIC_RELEASE);
}

static uint64_t run_code(void)
{
    uint64_t (*f)(void) = (uint64_t (*)(void))CODE_VA;

    __asm__ volatile("isb" : : : "memory");
    return f();
}

static void write_code(uint32_t value)
{
    volatile uint32_t *p = (volatile uint32_t *)CODE_VA;

    p[0] = 0xd2800000u | value << 5;            /* mov x0, #value */
    p[1] = 0xd65f03c0u;                         /* ret */
    __asm__ volatile("dsb ish\n ic ialluis\n dsb ish\n isb" : : : "memory");
}

static void work(unsigned cpu, uint32_t what)
{
    switch (what) {
    case JOB_COUNT:
        for (unsigned i = 0; i < COUNTS; i++) {
            add_exclusive();
        }
        break;
    case JOB_LOCK:
        for (unsigned i = 0; i < COUNTS; i++) {
            add_locked();
        }
        break;
    case JOB_SPIN:
        while (!go) {
        }
        break;
    case JOB_SGI:
        seen[cpu]++;
        break;
    case JOB_PAGE:
        seen[cpu] = *(volatile uint64_t *)TEST_VA;
        break;
    case JOB_CODE:
        seen[cpu] = run_code();
        break;
    case JOB_WRITE:
        write_code((uint32_t)seen[cpu]);
        break;
    case JOB_OFF:
        __atomic_add_fetch(&done[cpu], 1, __ATOMIC_RELEASE);
        psci(PSCI_CPU_OFF, 0, 0, 0);
        break;
    default:
        break;
    }
}

static void serve(unsigned cpu)
{
    for (;;) {
        uint32_t what;

        while (gic_take() < 1020) {
        }
        what = __atomic_load_n(&job[cpu], __ATOMIC_ACQUIRE);
        if (what != JOB_NONE) {
            job[cpu] = JOB_NONE;
            work(cpu, what);
            __atomic_add_fetch(&done[cpu], 1, __ATOMIC_RELEASE);
        } else {
            wfi();
        }
    }
}

/* ---- the first CPU's side ---- */

static void give(unsigned cpu, uint32_t what)
{
    __atomic_store_n(&job[cpu], what, __ATOMIC_RELEASE);
    sgi(cpu, 1);
}

/* Until CPU @cpu has done @n jobs; it waits with WFE, as kernels do. */
static void await(unsigned cpu, uint32_t n)
{
    while (__atomic_load_n(&done[cpu], __ATOMIC_ACQUIRE) < n) {
        __asm__ volatile("wfe" : : : "memory");
    }
}

static uint32_t jobs[CPUS_MAX];

static void all_do(unsigned first, unsigned end, uint32_t what)
{
    for (unsigned c = first; c < end; c++) {
        give(c, what);
    }
    for (unsigned c = first; c < end; c++) {
        await(c, ++jobs[c]);
    }
}

static bool all_saw(uint64_t value)
{
    for (unsigned c = 1; c < cpus; c++) {
        if (seen[c] != value) {
            return false;
        }
    }
    return true;
}

static bool power_on(unsigned cpu)
{
    return !psci(PSCI_CPU_ON, mpidr(cpu), (uint64_t)bare_entry, cpu);
}

static void test_power(void)
{
    bool on = true, again = true;

    if (!cpus) {
        for (cpus = 1; cpus < CPUS_MAX && power_on(cpus); cpus++) {
            await(cpus, ++jobs[cpus]);  /* its start counts as a job */
        }
        put("cpus ");
        put_number(cpus);
        put("\n");
    }
    for (unsigned c = 1; c < cpus; c++) {
        on = on && psci(PSCI_CPU_ON, mpidr(c), (uint64_t)bare_entry, c) ==
                   (uint64_t)-4;        /* ALREADY_ON */
    }
    check(on, "CPU_ON of a CPU that runs");
    for (unsigned c = 1; c < cpus; c++) {
        give(c, JOB_OFF);
    }
    for (unsigned c = 1; c < cpus; c++) {
        await(c, ++jobs[c]);
        while (psci(PSCI_AFFINITY, mpidr(c), 0, 0) != 1) {
        }
        again = again && power_on(c);
        await(c, ++jobs[c]);
    }
    check(again, "CPU_OFF, AFFINITY_INFO and CPU_ON again");
}

static void test_wakes(void)
{
    for (unsigned c = 1; c < cpus; c++) {
        seen[c] = 0;
    }
    for (unsigned i = 0; i < 5; i++) {
        all_do(1, cpus, JOB_SGI);
    }
    check(all_saw(5), "an SGI wakes each CPU from WFI, 5 times");
}

static void test_suspend(void)
{
    uint64_t from = now();
    bool good = true;

    for (unsigned i = 0; i < 3; i++) {
        timer_in(1000);
        psci(PSCI_CPU_SUSPEND, 0, 0, 0);
        good = good && gic_take() == TIMER_PPI;
        timer_off();
    }
    check(good && now() - from >= 3000, "the timer ends CPU_SUSPEND");
}

static void test_counts(void)
{
    unsigned end = cpus < COUNTERS ? cpus : COUNTERS;

    counter = locked = 0;
    all_do(1, end, JOB_COUNT);
    check(counter == (end - 1) * COUNTS, "exclusives: every count arrives");
    all_do(1, end, JOB_LOCK);
    check(locked == (end - 1) * COUNTS, "a ticket lock without a yield");
    if (cpus > 2) {
        go = 0;
        give(1, JOB_SPIN);
        all_do(2, 3, JOB_COUNT);
        go = 1;
        await(1, ++jobs[1]);
    }
    check(true, "a CPU that spins does not hold up another");
}

/* By its name, for gdb. */
__attribute__((noinline)) static void test_pages(void)
{
    bool good = true;

    page_a[0] = 1;
    page_b[0] = 2;
    map(TEST_VA, page_a);
    tlb_flush(TEST_VA);
    all_do(1, cpus, JOB_PAGE);
    good = good && all_saw(1);
    map(TEST_VA, page_b);
    tlb_flush(TEST_VA);
    all_do(1, cpus, JOB_PAGE);
    check(good && all_saw(2), "TLBI reaches CPUs in WFI");
    for (unsigned i = 0; i < 301; i++) {
        map(TEST_VA, i % 2 ? page_b : page_a);
        tlb_flush(TEST_VA);
    }
    all_do(1, cpus, JOB_PAGE);
    check(all_saw(1), "301 TLBIs on end reach them");
    map(TEST_VA, page_b);
    __asm__ volatile("dsb ishst\n tlbi vmalle1is\n dsb ish\n isb"
                     : : : "memory");
    all_do(1, cpus, JOB_PAGE);
    check(all_saw(2), "TLBI of everything reaches them");
}

/* Who runs the code and who writes it take turns in all combinations. */
static void test_code(void)
{
    bool mine = true, theirs = true, written = true;

    for (uint32_t i = 1; i < 20; i++) {
        write_code(i);
        mine = mine && run_code() == i;
        if (i % 3 || cpus < 2) {
            all_do(1, cpus, JOB_CODE);
            theirs = theirs && all_saw(i);
        }
    }
    for (uint32_t i = 20; i < 40 && cpus > 1; i++) {
        /* Another writes: it knows the page from before there was code. */
        seen[1] = i;
        all_do(1, 2, JOB_WRITE);
        written = written && run_code() == i;
    }
    check(written, "code that another CPU has written runs");
    check(mine, "new code runs where it was written");
    check(theirs, "new code runs everywhere");
}

void bare_fault(uint64_t esr, uint64_t elr, uint64_t far)
{
    put("check FAIL fault: esr ");
    put_number(esr);
    put(" elr ");
    put_number(elr);
    put(" far ");
    put_number(far);
    put("\n");
    psci(PSCI_SYSTEM_OFF, 0, 0, 0);
}

void bare_main(uint64_t cpu)
{
    if (!cpu) {
        mmu_tables();
    }
    mmu_on();
    gic_on((unsigned)cpu);
    if (cpu) {
        __atomic_add_fetch(&done[cpu], 1, __ATOMIC_RELEASE);
        serve((unsigned)cpu);
    }
    put("bare: start\n");
    for (unsigned round = 1; round <= ROUNDS; round++) {
        test_power();
        test_wakes();
        test_suspend();
        test_counts();
        test_pages();
        test_code();
        put("clock ");
        put_number(now());
        put("\nround ");
        put_number(round);
        put("\n");
    }
    put(failed ? "bare: failed\n" : "bare: done\n");
    psci(PSCI_SYSTEM_OFF, 0, 0, 0);
}
