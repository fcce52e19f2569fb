/*
 * mixed [ROUNDS]: all of the other programs' subjects at once.
 *
 * A thread for each CPU and one more; each does, in an order of its own seed:
 * branchy work, system calls, first touches of pages, mprotect and a fault that
 * a handler repairs, a signal to the next thread, code written and called, a
 * move to another CPU, a child. Prints "mixed: done".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define THREADS_MAX 17
#define PAGE        0x10000ul    /* the largest of any kernel */

struct thread {
    pthread_t id;
    uint32_t rng;
    unsigned number;
    char *area;                  /* data page, code page */
    unsigned faults;
    int bad;
};

static struct thread threads[THREADS_MAX];
static unsigned n_threads, rounds = 100;
static atomic_uint signals;
static pthread_barrier_t all;
static __thread struct thread *self;

static unsigned pick(struct thread *t, unsigned n)
{
    t->rng = t->rng * 1664525u + 1013904223u;
    return (t->rng >> 16) % n;
}

NOINLINE static uint32_t work(uint32_t v, unsigned n)
{
    while (n--) {
        switch (v % 5) {
        case 0:
            v = v / 5 + 12345;
            break;
        case 1:
            v ^= v << 3;
            break;
        default:
            v = v * 1664525u + 1;
        }
    }
    return v;
}

static void on_segv(int sig, siginfo_t *info, void *context)
{
    char *at = info->si_addr;

    (void)sig;
    (void)context;
    if (!self || at < self->area || at >= self->area + PAGE) {
        _exit(5);
    }
    self->faults++;
    mprotect(self->area, PAGE, PROT_READ | PROT_WRITE);
}

static void on_usr1(int sig)
{
    (void)sig;
    atomic_fetch_add(&signals, 1);
}

static void fault(struct thread *t)
{
    unsigned before = t->faults;

    mprotect(t->area, PAGE, PROT_NONE);
    *(volatile char *)(t->area + pick(t, 4096)) = 1;
    t->bad |= t->faults != before + 1;
}

static void fresh_code(struct thread *t)
{
    uint32_t *code = (uint32_t *)(void *)(t->area + PAGE);
    unsigned n = 1 + pick(t, 6), i;

    for (i = 0; i < n; i++) {
        code[i] = 0x91000400;                  /* add x0, x0, #1 */
    }
    code[i] = 0xd65f03c0;
    __builtin___clear_cache((char *)code, (char *)(code + n + 1));
    t->bad |= ((uint64_t (*)(uint64_t))(uintptr_t)code)(5) != 5 + n;
}

static void child(struct thread *t)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        _exit((int)(work(t->number, 100) & 1));
    }
    t->bad |= waitpid(pid, &status, 0) != pid ||
              status != (int)(work(t->number, 100) & 1) << 8;
}

static void move(struct thread *t)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(pick(t, n_threads - 1), &set);
    sched_setaffinity(0, sizeof(set), &set);
}

static void one(struct thread *t)
{
    char *fresh;

    switch (pick(t, 16)) {
    case 0:
        fault(t);
        break;
    case 1:
        pthread_kill(threads[(t->number + 1) % n_threads].id, SIGUSR1);
        break;
    case 2:
    case 3:
        fresh_code(t);
        break;
    case 4:
        move(t);
        break;
    case 5:
        if (pick(t, 4) == 0) {
            child(t);
        }
        break;
    case 6:
        fresh = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (unsigned i = 0; fresh != MAP_FAILED && i < 2 * PAGE; i += 4096) {
            fresh[i] = 1;
        }
        munmap(fresh, 2 * PAGE);
        break;
    case 7:
    case 8:
        syscall(SYS_gettid);
        sched_yield();
        break;
    default:
        t->rng ^= work(t->rng, 100 + pick(t, 300));
        break;
    }
}

static void *run(void *arg)
{
    self = arg;
    self->area = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    self->bad |= self->area == MAP_FAILED;
    pthread_barrier_wait(&all);
    for (unsigned i = 0; i < rounds && !self->bad; i++) {
        one(self);
    }
    pthread_barrier_wait(&all);
    return NULL;
}

int main(int argc, char **argv)
{
    struct sigaction segv = {
        .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO | SA_NODEFER,
    };
    struct sigaction usr1 = { .sa_handler = on_usr1, .sa_flags = SA_RESTART };
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    int bad = 0;

    if (argc > 1) {
        rounds = (unsigned)strtoul(argv[1], NULL, 10);
    }
    n_threads = (unsigned)(cpus < THREADS_MAX ? cpus + 1 : THREADS_MAX);
    sigaction(SIGSEGV, &segv, NULL);
    sigaction(SIGUSR1, &usr1, NULL);
    pthread_barrier_init(&all, NULL, n_threads);
    for (unsigned i = 0; i < n_threads; i++) {
        threads[i].number = i;
        threads[i].rng = i + 1;
        if (pthread_create(&threads[i].id, NULL, run, &threads[i])) {
            perror("mixed: pthread_create");
            return 1;
        }
    }
    for (unsigned i = 0; i < n_threads; i++) {
        pthread_join(threads[i].id, NULL);
        bad |= threads[i].bad;
    }
    if (bad) {
        printf("mixed: wrong\n");
        return 1;
    }
    printf("mixed: %u signals\n", atomic_load(&signals));
    printf("mixed: done\n");
    return 0;
}
