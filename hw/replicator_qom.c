/*
 * QOM glue of the trace replicator (models/replicator.h).
 * Spec: CoreSight SoC-400 TRM (Arm 100536), "ATB replicator" chapter.
 *
 * QEMU interface: property "static" (no registers); MMIO region 0, 4 KiB,
 * unless static; TYPE_CSVIRT_ATB with one input (port 0) and two outputs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/sysbus.h"
#include "hw/qdev-properties.h"
#include "hw/resettable.h"
#include "migration/vmstate.h"
#include "models/replicator.h"
#include "atb_qom.h"
#include "regs_qom.h"

#define TYPE_CSVIRT_REPLICATOR "csvirt-replicator"
#define ROUTE_END 0x008     /* the registers below decide where data goes */
OBJECT_DECLARE_SIMPLE_TYPE(CsvirtReplicator, CSVIRT_REPLICATOR)

struct CsvirtReplicator {
    SysBusDevice parent;

    bool is_static;

    MemoryRegion iomem;
    QemuMutex lock;
    struct replicator replicator;
};

/* ---- registers ---- */

static uint64_t replicator_mmio_read(void *opaque, hwaddr off, unsigned size)
{
    CsvirtReplicator *s = opaque;
    size_t n;
    const struct reg_desc *table = replicator_table(&n);
    enum reg_result result;
    uint32_t val = 0;

    if (!csvirt_reg_size_ok(DEVICE(s), table, n, off, size, false, 0)) {
        return 0;
    }
    qemu_mutex_lock(&s->lock);
    result = replicator_read(&s->replicator, off, &val);
    qemu_mutex_unlock(&s->lock);
    csvirt_reg_log(DEVICE(s), table, n, off, false, 0, result);
    return val;
}

static void replicator_mmio_write(void *opaque, hwaddr off, uint64_t val,
                              unsigned size)
{
    CsvirtReplicator *s = opaque;
    size_t n;
    const struct reg_desc *table = replicator_table(&n);
    enum reg_result result;

    if (!csvirt_reg_size_ok(DEVICE(s), table, n, off, size, true, val)) {
        return;
    }
    if (off < ROUTE_END) {
        /* What was sent so far takes the old route. */
        s->replicator.atb.ops->flush(s->replicator.atb.self);
    }
    qemu_mutex_lock(&s->lock);
    result = replicator_write(&s->replicator, off, val);
    qemu_mutex_unlock(&s->lock);
    csvirt_reg_log(DEVICE(s), table, n, off, true, val, result);
}

static const MemoryRegionOps replicator_mmio = {
    .read = replicator_mmio_read,
    .write = replicator_mmio_write,
    CSVIRT_REG_SIZES,
};

/* ---- the ATB side ---- */

static struct atb_node *replicator_node(DeviceState *dev)
{
    return &CSVIRT_REPLICATOR(dev)->replicator.atb;
}

static bool replicator_set_in(DeviceState *dev, unsigned port,
                          const struct atb_link *link)
{
    if (port != 0) {
        return false;
    }
    CSVIRT_REPLICATOR(dev)->replicator.in = link;
    return true;
}

static bool replicator_set_out(DeviceState *dev, unsigned port,
                           const struct atb_link *link)
{
    if (port >= REPLICATOR_PORTS) {
        return false;
    }
    CSVIRT_REPLICATOR(dev)->replicator.out[port] = link;
    return true;
}

static void replicator_tally(DeviceState *dev, struct atb_count *sum)
{
    CsvirtReplicator *s = CSVIRT_REPLICATOR(dev);

    qemu_mutex_lock(&s->lock);
    for (unsigned out = 0; out < REPLICATOR_PORTS; out++) {
        csvirt_atb_tally(sum, &s->replicator.count[out]);
    }
    qemu_mutex_unlock(&s->lock);
}

/* ---- life ---- */

static void replicator_realize(DeviceState *dev, Error **errp)
{
    CsvirtReplicator *s = CSVIRT_REPLICATOR(dev);

    replicator_init(&s->replicator, s->is_static);
    csvirt_atb_node_init(&s->replicator.atb, &s->lock);
    if (!s->is_static) {
        memory_region_init_io(&s->iomem, OBJECT(s), &replicator_mmio, s,
                              TYPE_CSVIRT_REPLICATOR, CSVIRT_PAGE);
        sysbus_init_mmio(SYS_BUS_DEVICE(s), &s->iomem);
    }
}

static void replicator_hold_reset(Object *obj, ResetType type)
{
    CsvirtReplicator *s = CSVIRT_REPLICATOR(obj);

    qemu_mutex_lock(&s->lock);
    replicator_reset(&s->replicator);
    qemu_mutex_unlock(&s->lock);
}

static const VMStateDescription vmstate_replicator = {
    .name = TYPE_CSVIRT_REPLICATOR,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT(replicator.mgmt, CsvirtReplicator, 1,
                       vmstate_csvirt_mgmt, struct cs_mgmt),
        VMSTATE_UINT32_ARRAY(replicator.idfilter, CsvirtReplicator,
                             REPLICATOR_PORTS),
        VMSTATE_STRUCT_ARRAY(replicator.count, CsvirtReplicator,
                             REPLICATOR_PORTS, 1, vmstate_csvirt_count,
                             struct atb_count),
        VMSTATE_END_OF_LIST()
    },
};

static const Property replicator_properties[] = {
    DEFINE_PROP_BOOL("static", CsvirtReplicator, is_static, false),
};

static void replicator_class_init(ObjectClass *oc, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    CsvirtAtbClass *ac = CSVIRT_ATB_CLASS(oc);

    dc->desc = "CoreSight trace replicator";
    dc->realize = replicator_realize;
    dc->vmsd = &vmstate_replicator;
    dc->user_creatable = false;
    RESETTABLE_CLASS(oc)->phases.hold = replicator_hold_reset;
    device_class_set_props(dc, replicator_properties);
    ac->node = replicator_node;
    ac->set_in = replicator_set_in;
    ac->set_out = replicator_set_out;
    ac->tally = replicator_tally;
    csvirt_atb_add_counters(oc);
}

static const TypeInfo replicator_type = {
    .name = TYPE_CSVIRT_REPLICATOR,
    .parent = TYPE_SYS_BUS_DEVICE,
    .instance_size = sizeof(CsvirtReplicator),
    .class_init = replicator_class_init,
    .interfaces = (InterfaceInfo[]) { { TYPE_CSVIRT_ATB }, { } },
};

static void replicator_register_types(void)
{
    type_register_static(&replicator_type);
}

type_init(replicator_register_types)
