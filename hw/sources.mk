# The C files of this folder, a line each: append yours (HW_SRC += x.c).
# Read by make and, through hw/rules.mk, by QEMU's meson.
