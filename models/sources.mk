# The C files of this folder, a line each: append yours (MODELS_SRC += x.c).
# Read by make and, through hw/rules.mk, by QEMU's meson.
MODELS_SRC += regs.c
MODELS_SRC += atb.c
MODELS_SRC += formatter.c
MODELS_SRC += funnel.c
MODELS_SRC += replicator.c
MODELS_SRC += tmc.c
MODELS_SRC += tmc_etr.c
MODELS_SRC += etm4.c etm4_elem.c etm4_fifo.c etm4_filter.c etm4_packet.c
MODELS_SRC += etm4_branch.c
MODELS_SRC += etm4_compare.c etm4_id.c etm4_range.c etm4_resource.c
MODELS_SRC += ids.c
