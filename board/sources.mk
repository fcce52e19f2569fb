# The C files of this folder, a line each: append yours.
# Read by make and, through hw/rules.mk, by QEMU's meson.
# BOARD_SRC += x.c       needs libfdt and GLib only: in the emulator, in csvirt
# BOARD_QEMU_SRC += x.c  sees QEMU: in the emulator only
# BOARD_CLI_SRC += x.c   GLib only: in csvirt
BOARD_SRC += dt_tree.c dt_emit.c dt_overlay.c dt_node.c dt_graph.c
BOARD_SRC += graph_check.c dt_apply.c knobs.c
BOARD_SRC += graph_group.c graph_layout.c graph_draw.c graph_print.c
BOARD_QEMU_SRC += machine.c wire.c
BOARD_CLI_SRC += new_spec.c new_plan.c new_dts.c graph_export.c
