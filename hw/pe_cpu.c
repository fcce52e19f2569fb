/*
 * CPUs that the trace units can follow: AArch64 only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/qdev-core.h"
#include "target/arm/cpu.h"
#include "target/arm/cpu-features.h"
#include "pe_cpu.h"

/* Not modelled: AArch32 state. */
static DeviceRealize realize_next;

static void realize(DeviceState *dev, Error **errp)
{
    ARMCPU *cpu = ARM_CPU(dev);

    if (!arm_feature(&cpu->env, ARM_FEATURE_AARCH64)) {
        error_setg(errp, "csvirt: %s: the trace units have no AArch32: a CPU "
                   "with AArch64 expected", object_get_typename(OBJECT(dev)));
        return;
    }
    if (cpu_isar_feature(aa64_aa32, cpu)) {
        cpu->isar.id_aa64pfr0 = FIELD_DP64(cpu->isar.id_aa64pfr0,
                                           ID_AA64PFR0, EL0, 1);
    }
    realize_next(dev, errp);
}

static void wrap_realize(ObjectClass *oc, void *opaque)
{
    DeviceClass *dc = DEVICE_CLASS(oc);

    if (dc->realize != realize) {
        realize_next = dc->realize;
        dc->realize = realize;
    }
}

void pe_prepare_cpus(void)
{
    object_class_foreach(wrap_realize, TYPE_ARM_CPU, false, NULL);
}
