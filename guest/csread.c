/*
 * csread: read a coresight sink's device file to its end into a file.
 *
 *   csread /dev/tmc_etrN FILE
 *
 * The driver ends one read() where its ring buffer ends, so short reads are
 * the rule: only 0 is the end. Prints "csread: N bytes from DEVICE".
 * Exit status: 0 all of it is in FILE, 1 error (one line on stderr), 2 usage.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int fail(const char *what, const char *name)
{
    fprintf(stderr, "csread: cannot %s %s: %s\n", what, name,
            strerror(errno));
    return 1;
}

static int write_all(int fd, const char *buf, size_t len)
{
    while (len) {
        ssize_t n = write(fd, buf, len);

        if (n < 0 && errno != EINTR) {
            return -1;
        }
        if (n > 0) {
            buf += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    static char buf[1 << 16];
    unsigned long long total = 0;
    ssize_t n;
    int in, out;

    if (argc != 3) {
        fprintf(stderr, "usage: csread /dev/tmc_etrN FILE\n");
        return 2;
    }
    in = open(argv[1], O_RDONLY);
    if (in < 0) {
        return fail("open", argv[1]);
    }
    out = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (out < 0) {
        return fail("write", argv[2]);
    }
    while ((n = read(in, buf, sizeof(buf)))) {
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return fail("read", argv[1]);
        }
        if (write_all(out, buf, (size_t)n)) {
            return fail("write", argv[2]);
        }
        total += (unsigned long long)n;
    }
    if (close(out)) {
        return fail("write", argv[2]);
    }
    printf("csread: %llu bytes from %s\n", total, argv[1]);
    return 0;
}
