# The C files of this folder, a line each: append yours (CLI_SRC += x.c).
# Read by make only.
CLI_SRC += main.c
CLI_SRC += cli.c
CLI_SRC += run.c
CLI_SRC += run_argv.c
CLI_SRC += run_guest.c
CLI_SRC += run_pull.c
CLI_SRC += kernel_log.c
CLI_SRC += topology.c
