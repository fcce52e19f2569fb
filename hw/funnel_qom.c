/*
 * QOM glue of the trace funnel (models/funnel.h).
 * Spec: CoreSight SoC-400 TRM (Arm 100536), "ATB funnel" chapter.
 *
 * QEMU interface: property "static" (no registers); MMIO region 0, 4 KiB,
 * unless static; TYPE_CSVIRT_ATB with 8 inputs and one output (port 0).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/sysbus.h"
#include "hw/qdev-properties.h"
#include "hw/resettable.h"
#include "migration/vmstate.h"
#include "models/funnel.h"
#include "atb_qom.h"
#include "regs_qom.h"

#define TYPE_CSVIRT_FUNNEL "csvirt-funnel"
#define ROUTE_END 0x008     /* the registers below decide where data goes */
OBJECT_DECLARE_SIMPLE_TYPE(CsvirtFunnel, CSVIRT_FUNNEL)

struct CsvirtFunnel {
    SysBusDevice parent;

    bool is_static;

    MemoryRegion iomem;
    QemuMutex lock;
    struct funnel funnel;
};

/* ---- registers ---- */

static uint64_t funnel_mmio_read(void *opaque, hwaddr off, unsigned size)
{
    CsvirtFunnel *s = opaque;
    size_t n;
    const struct reg_desc *table = funnel_table(&n);
    enum reg_result result;
    uint32_t val = 0;

    if (!csvirt_reg_size_ok(DEVICE(s), table, n, off, size, false, 0)) {
        return 0;
    }
    qemu_mutex_lock(&s->lock);
    result = funnel_read(&s->funnel, off, &val);
    qemu_mutex_unlock(&s->lock);
    csvirt_reg_log(DEVICE(s), table, n, off, false, 0, result);
    return val;
}

static void funnel_mmio_write(void *opaque, hwaddr off, uint64_t val,
                              unsigned size)
{
    CsvirtFunnel *s = opaque;
    size_t n;
    const struct reg_desc *table = funnel_table(&n);
    enum reg_result result;

    if (!csvirt_reg_size_ok(DEVICE(s), table, n, off, size, true, val)) {
        return;
    }
    if (off < ROUTE_END) {
        /* What was sent so far takes the old route. */
        s->funnel.atb.ops->flush(s->funnel.atb.self);
    }
    qemu_mutex_lock(&s->lock);
    result = funnel_write(&s->funnel, off, val);
    qemu_mutex_unlock(&s->lock);
    csvirt_reg_log(DEVICE(s), table, n, off, true, val, result);
}

static const MemoryRegionOps funnel_mmio = {
    .read = funnel_mmio_read,
    .write = funnel_mmio_write,
    CSVIRT_REG_SIZES,
};

/* ---- the ATB side ---- */

static struct atb_node *funnel_node(DeviceState *dev)
{
    return &CSVIRT_FUNNEL(dev)->funnel.atb;
}

static bool funnel_set_in(DeviceState *dev, unsigned port,
                          const struct atb_link *link)
{
    if (port >= FUNNEL_PORTS) {
        return false;
    }
    CSVIRT_FUNNEL(dev)->funnel.in[port] = link;
    return true;
}

static bool funnel_set_out(DeviceState *dev, unsigned port,
                           const struct atb_link *link)
{
    if (port != 0) {
        return false;
    }
    CSVIRT_FUNNEL(dev)->funnel.out = link;
    return true;
}

static void funnel_tally(DeviceState *dev, struct atb_count *sum)
{
    CsvirtFunnel *s = CSVIRT_FUNNEL(dev);

    qemu_mutex_lock(&s->lock);
    csvirt_atb_tally(sum, &s->funnel.count);
    qemu_mutex_unlock(&s->lock);
}

/* ---- life ---- */

static void funnel_realize(DeviceState *dev, Error **errp)
{
    CsvirtFunnel *s = CSVIRT_FUNNEL(dev);

    funnel_init(&s->funnel, s->is_static);
    csvirt_atb_node_init(&s->funnel.atb, &s->lock);
    if (!s->is_static) {
        memory_region_init_io(&s->iomem, OBJECT(s), &funnel_mmio, s,
                              TYPE_CSVIRT_FUNNEL, CSVIRT_PAGE);
        sysbus_init_mmio(SYS_BUS_DEVICE(s), &s->iomem);
    }
}

static void funnel_hold_reset(Object *obj, ResetType type)
{
    CsvirtFunnel *s = CSVIRT_FUNNEL(obj);

    qemu_mutex_lock(&s->lock);
    funnel_reset(&s->funnel);
    qemu_mutex_unlock(&s->lock);
}

static const VMStateDescription vmstate_funnel = {
    .name = TYPE_CSVIRT_FUNNEL,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT(funnel.mgmt, CsvirtFunnel, 1, vmstate_csvirt_mgmt,
                       struct cs_mgmt),
        VMSTATE_UINT32(funnel.functl, CsvirtFunnel),
        VMSTATE_UINT32(funnel.prictl, CsvirtFunnel),
        VMSTATE_STRUCT(funnel.count, CsvirtFunnel, 1, vmstate_csvirt_count,
                       struct atb_count),
        VMSTATE_END_OF_LIST()
    },
};

static const Property funnel_properties[] = {
    DEFINE_PROP_BOOL("static", CsvirtFunnel, is_static, false),
};

static void funnel_class_init(ObjectClass *oc, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    CsvirtAtbClass *ac = CSVIRT_ATB_CLASS(oc);

    dc->desc = "CoreSight trace funnel";
    dc->realize = funnel_realize;
    dc->vmsd = &vmstate_funnel;
    dc->user_creatable = false;
    RESETTABLE_CLASS(oc)->phases.hold = funnel_hold_reset;
    device_class_set_props(dc, funnel_properties);
    ac->node = funnel_node;
    ac->set_in = funnel_set_in;
    ac->set_out = funnel_set_out;
    ac->tally = funnel_tally;
    csvirt_atb_add_counters(oc);
}

static const TypeInfo funnel_type = {
    .name = TYPE_CSVIRT_FUNNEL,
    .parent = TYPE_SYS_BUS_DEVICE,
    .instance_size = sizeof(CsvirtFunnel),
    .class_init = funnel_class_init,
    .interfaces = (InterfaceInfo[]) { { TYPE_CSVIRT_ATB }, { } },
};

static void funnel_register_types(void)
{
    type_register_static(&funnel_type);
}

type_init(funnel_register_types)
