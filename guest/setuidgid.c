/*
 * setuidgid: run a program as another user of /etc/passwd.
 *
 *   setuidgid USER PROGRAM ARG...
 *
 * busybox's su goes through a shell and Debian's has no setuidgid. No
 * passwords: root becomes anybody, the kernel refuses all others.
 * Exit status: the program's; 2 usage or no such user, 126 cannot.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fail(const char *what)
{
    fprintf(stderr, "setuidgid: %s: %s\n", what, strerror(errno));
    return 126;
}

/* Not getpwnam(): in a static program that would load libraries. */
static struct passwd *find_user(const char *name)
{
    FILE *f = fopen("/etc/passwd", "re");
    struct passwd *pw = NULL;

    while (f && (pw = fgetpwent(f)) && strcmp(pw->pw_name, name)) {
    }
    if (f) {
        fclose(f);
    }
    return pw;
}

int main(int argc, char **argv)
{
    struct passwd *pw;

    if (argc < 3) {
        fprintf(stderr, "usage: setuidgid USER PROGRAM ARG...\n");
        return 2;
    }
    pw = find_user(argv[1]);
    if (!pw) {
        fprintf(stderr, "setuidgid: no user '%s'\n", argv[1]);
        return 2;
    }
    if (setgroups(0, NULL) || setgid(pw->pw_gid) || setuid(pw->pw_uid)) {
        return fail(argv[1]);
    }
    setenv("HOME", pw->pw_dir, 1);
    setenv("USER", pw->pw_name, 1);
    setenv("LOGNAME", pw->pw_name, 1);
    execvp(argv[2], argv + 2);
    return fail(argv[2]);
}
