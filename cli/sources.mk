# The C files of this folder, a line each: append yours (CLI_SRC += x.c).
# Read by make only.
