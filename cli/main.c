/*
 * csvirt: the front end's entry.  csvirt(1) describes the commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/topology.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} commands[] = {
    { "run", cmd_run, "boot a kernel on a trace network, run a command" },
    { "topology", cmd_topology, "list, show and check topologies" },
    { "decode", cmd_decode, "decode the sinks of a snapshot folder" },
    { "verify", cmd_verify, "compare decoded trace with what was executed" },
    { "race", cmd_race, "order the users of a sink, see what becomes of them" },
    { "doctor", cmd_doctor, "what is installed, built, cached, missing" },
};

static void usage(FILE *f)
{
    fprintf(f, "usage: csvirt COMMAND [OPTION]...\n\n");
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        fprintf(f, "  %-10s%s\n", commands[i].name, commands[i].what);
    }
    fprintf(f, "\n\"csvirt COMMAND --help\" and csvirt(1) tell more.\n"
            "Exit status: 0 ok, 1 the guest's command or a check failed, "
            "2 usage or bad\ninput, 3 the simulator or the guest died, "
            "77 skipped, 124 timed out.\n");
}

/* No file of ours may become 0, 1 or 2; writing to 1 fails as before. */
static void fill_std(void)
{
    static const int modes[] = { O_RDONLY, O_RDONLY, O_RDWR };

    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd) {
            _exit(CLI_USAGE);
        }
    }
}

/* Results that could not be written are no results. */
static void close_stdout(void)
{
    bool failed = ferror(stdout) != 0;

    errno = 0;
    if (fflush(stdout) || failed) {
        say("cannot write the results: %s",
            errno ? strerror(errno) : "a write failed");
        _exit(CLI_FAILED);
    }
}

int main(int argc, char **argv)
{
    fill_std();
    atexit(close_stdout);
    if (argc < 2) {
        usage(stderr);
        return CLI_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
        !strcmp(argv[1], "help")) {
        usage(stdout);
        return CLI_OK;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        if (!strcmp(argv[1], commands[i].name)) {
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    say("no such command: %s (see csvirt --help)", argv[1]);
    return CLI_USAGE;
}
