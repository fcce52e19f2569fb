/*
 * freshmap [ROUNDS]: code that was not there a moment ago and is not there a
 * moment later.
 *
 * Maps pages of code at addresses used before by other code: anonymous, of a
 * file, moved by mremap, given back by MADV_DONTNEED, executable only after
 * mprotect (the first fetch faults), in the middle of a call chain; two
 * processes with other code at the same address. Prints "freshmap: done".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT    0x500000000ul
#define OTHER 0x680000000ul
#define SIZE  0x20000ul

typedef uint64_t (*fn)(uint64_t);

static sigjmp_buf gone;

/* x0 + 3 * @kind + 1 by code whose shape is other for each @kind. */
static void write_code(uint32_t *p, unsigned kind)
{
    unsigned n = kind % 5;

    *p++ = 0x91000400;                     /* add x0, x0, #1 */
    *p++ = 0xd2800001 | n << 5;            /* mov x1, #n */
    for (unsigned i = 0; i < n; i++) {
        *p++ = 0xd503201f;
    }
    *p++ = 0xb4000081;                     /* cbz x1, . + 16 */
    *p++ = 0x91000c00;                     /* add x0, x0, #3 */
    *p++ = 0xd1000421;                     /* sub x1, x1, #1 */
    *p++ = 0x17fffffd;                     /* b . - 12 */
    *p++ = 0xd65f03c0;
}

static uint64_t result(uint64_t x, unsigned kind)
{
    return x + 1 + 3 * (kind % 5);
}

static void *map(uintptr_t at, int prot, int flags, int fd)
{
    void *p = mmap((void *)at, SIZE, prot, flags | MAP_FIXED, fd, 0);

    if (p == MAP_FAILED) {
        perror("freshmap: mmap");
        exit(1);
    }
    return p;
}

static int file_of(unsigned kind)
{
    static uint32_t page[1024];
    int fd = memfd_create("freshmap", 0);

    write_code(page, kind);
    if (fd < 0 || write(fd, page, sizeof(page)) != sizeof(page) ||
        ftruncate(fd, SIZE)) {
        perror("freshmap: memfd");
        exit(1);
    }
    return fd;
}

static void on_segv(int sig)
{
    (void)sig;
    siglongjmp(gone, 1);
}

static int once(unsigned i)
{
    const int rw = PROT_READ | PROT_WRITE, rx = PROT_READ | PROT_EXEC;
    char *p = map(AT, rw, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    const fn f = (fn)(uintptr_t)p;
    volatile int bad = 0;
    int fd;

    write_code((uint32_t *)(void *)p, i);
    __builtin___clear_cache(p, p + 64);
    mprotect(p, SIZE, rx);
    bad |= f(i) != result(i, i);
    /* Moved: the same pages elsewhere, others here. */
    if (mremap(p, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, OTHER) ==
        MAP_FAILED) {
        perror("freshmap: mremap");
        exit(1);
    }
    fd = file_of(i + 1);
    map(AT, rx, MAP_SHARED, fd);
    bad |= ((fn)OTHER)(i) != result(i, i);
    bad |= f(i) != result(i, i + 1);
    close(fd);
    /* Zeros, then other code, in the same private pages. */
    mprotect((void *)OTHER, SIZE, rw);
    madvise((void *)OTHER, SIZE, MADV_DONTNEED);
    write_code((uint32_t *)OTHER, i + 2);
    __builtin___clear_cache((char *)OTHER, (char *)OTHER + 64);
    mprotect((void *)OTHER, SIZE, rx);
    bad |= ((fn)OTHER)(i) != result(i, i + 2);
    munmap((void *)OTHER, SIZE);
    munmap((void *)AT, SIZE);
    if (sigsetjmp(gone, 1) == 0) {
        f(i);                              /* no code any more */
        bad = 1;
    }
    return bad;
}

/* Other code at the address in the child, at the same time. */
static int two_processes(unsigned i)
{
    int status;
    pid_t pid = fork();
    int fd = file_of(i + (pid == 0));
    int bad = 0;

    map(AT, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd);
    close(fd);
    for (unsigned k = 0; k < 50; k++) {
        bad |= ((fn)AT)(k) != result(k, i + (pid == 0));
        if (k % 10 == 0) {
            usleep(100);
        }
    }
    if (pid == 0) {
        _exit(bad);
    }
    return waitpid(pid, &status, 0) != pid || status || bad;
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 30;

    signal(SIGSEGV, on_segv);
    for (unsigned i = 0; i < rounds; i++) {
        if (once(i) || (i % 10 == 0 && two_processes(i))) {
            printf("freshmap: wrong in round %u\n", i);
            return 1;
        }
    }
    printf("freshmap: done\n");
    return 0;
}
