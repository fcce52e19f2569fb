/*
 * twoviews [-n ROUNDS] [FILE]: one page of code, two processes, two virtual
 * addresses.
 *
 * The page is in FILE (made, and left for perf to decode with) or a memfd.
 * Parent and child map it at different addresses and take turns: after each
 * turn the other runs, so that contexts change while the same physical page
 * executes. An address noted at translation would be wrong in one of them.
 * Prints "twoviews: done".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define VIEW_PARENT 0x30000000ul
#define VIEW_CHILD 0x7a5000ul * 0x100ul

typedef uint64_t (*view_fn)(uint64_t);

/*
 * x0 = n: the sum over i = n..1 of i if odd, else 2 * i. Relative branches
 * only: a loop, both outcomes of a test, a call and return, an indirect call.
 */
__asm__(".section .rodata\n"
        ".balign 8\n"
        ".globl view_code, view_code_end\n"
        "view_code:\n"
        "    stp x29, x30, [sp, #-16]!\n"
        "    mov x1, #0\n"
        "    adr x4, 5f\n"
        "1:  cbz x0, 4f\n"
        "    tbz x0, #0, 2f\n"
        "    bl 5f\n"
        "    b 3f\n"
        "2:  blr x4\n"
        "    add x1, x1, x0\n"
        "3:  sub x0, x0, #1\n"
        "    b 1b\n"
        "4:  mov x0, x1\n"
        "    ldp x29, x30, [sp], #16\n"
        "    ret\n"
        "5:  add x1, x1, x0\n"
        "    ret\n"
        "view_code_end:\n"
        ".text\n");

extern const char view_code[], view_code_end[];

static void die(const char *what)
{
    fprintf(stderr, "twoviews: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t expected(uint64_t n)
{
    uint64_t sum = 0;

    for (; n; n--) {
        sum += n & 1 ? n : 2 * n;
    }
    return sum;
}

static int make_page(const char *name)
{
    static char page[PAGE];
    int fd = name ? open(name, O_RDWR | O_CREAT | O_TRUNC, 0755)
                  : memfd_create("twoviews", 0);

    if (fd < 0) {
        die(name ? name : "memfd_create");
    }
    memcpy(page, view_code, (size_t)(view_code_end - view_code));
    if (write(fd, page, PAGE) != PAGE) {
        die(name ? name : "write");
    }
    return fd;
}

static view_fn map_page(int fd, unsigned long va)
{
    void *p = mmap((void *)va, PAGE, PROT_READ | PROT_EXEC,
                   MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);

    if (p != (void *)va) {
        die("mmap");
    }
    return (view_fn)va;
}

static void take_turns(view_fn run, int in, int out, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        uint64_t n = 20 + i % 7;
        char c = 'x';

        if (read(in, &c, 1) != 1) {
            die("read");
        }
        if (run(n) != expected(n)) {
            fprintf(stderr, "twoviews: wrong sum in round %u\n", i);
            exit(1);
        }
        if (write(out, &c, 1) != 1) {
            die("write");
        }
    }
}

int main(int argc, char **argv)
{
    int to_child[2], to_parent[2], fd, status, opt;
    unsigned rounds = 50;
    pid_t pid;

    while ((opt = getopt(argc, argv, "n:")) == 'n') {
        rounds = (unsigned)strtoul(optarg, NULL, 10);
    }
    if (opt != -1 || argc - optind > 1 || !rounds) {
        fprintf(stderr, "usage: twoviews [-n ROUNDS] [FILE]\n");
        return 2;
    }
    fd = make_page(argv[optind]);
    if (pipe(to_child) || pipe(to_parent)) {
        die("pipe");
    }
    pid = fork();
    if (pid < 0) {
        die("fork");
    }
    if (pid == 0) {
        take_turns(map_page(fd, VIEW_CHILD), to_child[0], to_parent[1],
                   rounds);
        _exit(0);
    }
    if (write(to_parent[1], "x", 1) != 1) {
        die("write");
    }
    take_turns(map_page(fd, VIEW_PARENT), to_parent[0], to_child[1], rounds);
    if (waitpid(pid, &status, 0) != pid || status) {
        fprintf(stderr, "twoviews: the child failed\n");
        return 1;
    }
    printf("twoviews: done\n");
    return 0;
}
