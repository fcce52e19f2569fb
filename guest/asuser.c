/*
 * su and setuidgid for the guest: run a program as another user.
 *
 *   su USER [-c COMMAND]          through the user's shell
 *   setuidgid USER PROGRAM ARG... directly
 *
 * Debian's busybox has neither. No passwords: root becomes anybody, others
 * only themselves (the kernel refuses). The name in argv[0] selects.
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

static const char *self;

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", self, what, strerror(errno));
    return 126;
}

static int usage(void)
{
    fprintf(stderr, "usage: su USER [-c COMMAND] | "
            "setuidgid USER PROGRAM ARG...\n");
    return 2;
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
    char *shell_argv[4] = { NULL };
    struct passwd *pw;
    char **run;
    int su;

    self = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    su = !strcmp(self, "su");
    if (argc < 2 || (su && argc != 2 && (argc != 4 ||
                                         strcmp(argv[2], "-c"))) ||
        (!su && argc < 3)) {
        return usage();
    }
    pw = find_user(argv[1]);
    if (!pw) {
        fprintf(stderr, "%s: no user '%s'\n", self, argv[1]);
        return 2;
    }
    if (setgroups(0, NULL) || setgid(pw->pw_gid) || setuid(pw->pw_uid)) {
        return fail(argv[1]);
    }
    setenv("HOME", pw->pw_dir, 1);
    setenv("USER", pw->pw_name, 1);
    setenv("LOGNAME", pw->pw_name, 1);
    if (su && chdir(pw->pw_dir)) {
        return fail(pw->pw_dir);
    }
    if (su) {
        shell_argv[0] = pw->pw_shell;
        shell_argv[1] = argc == 4 ? "-c" : NULL;
        shell_argv[2] = argc == 4 ? argv[3] : NULL;
    }
    run = su ? shell_argv : argv + 2;
    execvp(run[0], run);
    return fail(run[0]);
}
