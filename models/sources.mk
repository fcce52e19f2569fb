# The C files of this folder, a line each: append yours (MODELS_SRC += x.c).
# Read by make and, through hw/rules.mk, by QEMU's meson.
MODELS_SRC += regs.c
MODELS_SRC += atb.c
