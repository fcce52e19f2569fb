# The C files of this folder, a line each: append yours (HW_SRC += x.c).
# Read by make and, through hw/rules.mk, by QEMU's meson.
HW_SRC += exec_log.c
HW_SRC += exec_log_writer.c
HW_SRC += pe_tap.c
HW_SRC += etm4_qom.c
HW_SRC += etm4_vmstate.c
HW_SRC += atb_qom.c
HW_SRC += regs_qom.c
HW_SRC += funnel_qom.c
HW_SRC += replicator_qom.c
HW_SRC += tmc_qom.c
HW_SRC += snapshot.c
HW_SRC += sched.c
HW_SRC += sched_flush.c
HW_SRC += sched_policy.c
HW_SRC += sched_time.c
HW_SRC += irq_path.c
