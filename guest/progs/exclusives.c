/*
 * exclusives [ROUNDS]: threads that contend for words by LDXR/STXR, by the
 * atomics of ARMv8.1 where the CPU has them, by a lock that yields, and by
 * futexes; exclusives that fail because of a page that is not there yet.
 * Prints "exclusives: done".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define THREADS  4
#define HAS_ATOMICS (1ul << 8)   /* HWCAP_ATOMICS */

static uint64_t by_exclusive, by_atomic, by_lock;
static uint32_t lock;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t by_mutex;
static int atomics;
static unsigned rounds = 200;

NOINLINE static void add_exclusive(uint64_t *p, uint64_t n)
{
    uint64_t v;
    uint32_t failed;

    __asm__ volatile("1: ldxr %0, [%2]\n\t"
                     "add %0, %0, %3\n\t"
                     "stlxr %w1, %0, [%2]\n\t"
                     "cbnz %w1, 1b\n\t"
                     : "=&r"(v), "=&r"(failed)
                     : "r"(p), "r"(n)
                     : "memory");
}

NOINLINE static void add_pair(uint64_t *p)
{
    uint64_t a, b;
    uint32_t failed;

    __asm__ volatile("1: ldaxp %0, %1, [%3]\n\t"
                     "add %0, %0, #1\n\t"
                     "sub %1, %1, #1\n\t"
                     "stxp %w2, %0, %1, [%3]\n\t"
                     "cbnz %w2, 1b\n\t"
                     : "=&r"(a), "=&r"(b), "=&r"(failed)
                     : "r"(p)
                     : "memory");
}

NOINLINE static void add_atomic(uint64_t *p, uint64_t n)
{
    if (atomics) {
        __asm__ volatile(".arch_extension lse\n\t"
                         "ldaddal %1, xzr, [%0]\n\t"
                         :
                         : "r"(p), "r"(n)
                         : "memory");
    } else {
        add_exclusive(p, n);
    }
}

NOINLINE static void spin_lock(void)
{
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {
        __asm__ volatile("yield");
    }
}

static void *contend(void *arg)
{
    static uint64_t pairs[2 * THREADS] __attribute__((aligned(16)));
    uint64_t *pair = pairs + 2 * (uintptr_t)arg;

    for (unsigned i = 0; i < rounds; i++) {
        add_exclusive(&by_exclusive, 1);
        add_pair(pair);
        add_atomic(&by_atomic, 1);
        spin_lock();
        by_lock++;
        __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
        pthread_mutex_lock(&mutex);
        by_mutex++;
        pthread_mutex_unlock(&mutex);
    }
    return pair[0] == rounds && pair[0] + pair[1] == 0 ? arg : (void *)-1;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    long page = sysconf(_SC_PAGESIZE);
    uint64_t want, fresh = 0;
    int bad = 0;
    char *p;

    if (argc > 1) {
        rounds = (unsigned)strtoul(argv[1], NULL, 10);
    }
    atomics = (getauxval(AT_HWCAP) & HAS_ATOMICS) != 0;
    for (uintptr_t i = 0; i < THREADS; i++) {
        bad |= pthread_create(&t[i], NULL, contend, (void *)i);
    }
    for (uintptr_t i = 0; !bad && i < THREADS; i++) {
        void *got;

        pthread_join(t[i], &got);
        bad |= got != (void *)i;
    }
    p = mmap(NULL, 16 * (size_t)page, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; p != MAP_FAILED && i < 16; i++) {
        add_exclusive((uint64_t *)(void *)(p + i * page), 7);
        add_atomic((uint64_t *)(void *)(p + i * page), 7);
        fresh += *(uint64_t *)(void *)(p + i * page);
    }
    want = (uint64_t)THREADS * rounds;
    if (bad || by_exclusive != want || by_atomic != want || by_lock != want ||
        by_mutex != want || fresh != 16 * 14) {
        printf("exclusives: wrong: %llu %llu %llu %llu of %llu\n",
               (unsigned long long)by_exclusive,
               (unsigned long long)by_atomic, (unsigned long long)by_lock,
               (unsigned long long)by_mutex, (unsigned long long)want);
        return 1;
    }
    printf("exclusives: done\n");
    return 0;
}
