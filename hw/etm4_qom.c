/*
 * QEMU device "csvirt-etm4": registers, PE tap and ATB output of models/etm4.
 *
 * Every register access drains the PE first, so a unit's registers and bytes
 * are always those of the instruction that accesses them.
 *
 * Locks: BQL (MMIO only), then the unit's lock, then links and sinks.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/qdev-properties.h"
#include "hw/sysbus.h"
#include "migration/vmstate.h"
#include "models/etm4.h"
#include "models/etm4_regs.h"
#include "atb_qom.h"
#include "etm4_qom.h"
#include "etm4_vmstate.h"
#include "events.h"
#include "exec_log.h"
#include "pe_tap.h"
#include "regs_qom.h"
#include "sched.h"

OBJECT_DECLARE_SIMPLE_TYPE(CsvirtEtm4, CSVIRT_ETM4)

struct CsvirtEtm4 {
    SysBusDevice parent_obj;

    MemoryRegion iomem;
    uint32_t cpu;
    struct etm4_params params;

    QemuMutex lock;
    struct atb_node node;
    PETap *tap;
    struct etm4 unit;
};

static uint64_t etm4_now(void)
{
    return csvirt_now_ns();
}

/* ---- from the PE, the lock is held ---- */

static void etm4_take_records(void *opaque, const struct pe_record *rec,
                              size_t n)
{
    CsvirtEtm4 *s = opaque;

    etm4_pe(&s->unit, rec, n);
}

static void etm4_pe_stopped(void *opaque)
{
    CsvirtEtm4 *s = opaque;

    etm4_stopped(&s->unit);
    /* Enabled again, by another PE, before the unit was idle. */
    if (etm4_state(&s->unit) == ETM4_STARTING) {
        pe_tap_start(s->tap, etm4_wants_ranges(&s->unit));
    } else {
        csvirt_events_source_off(s->cpu);
    }
}

/* ---- ATB ---- */

/* AFVALID has arrived: deliver all that the PE has reported. */
static void etm4_flush(void *opaque)
{
    CsvirtEtm4 *s = opaque;

    qemu_mutex_lock(&s->lock);
    pe_tap_drain(s->tap);
    etm4_deliver(&s->unit);
    qemu_mutex_unlock(&s->lock);
}

static const struct atb_ops etm4_atb_ops = { .flush = etm4_flush };

static struct atb_node *etm4_node(DeviceState *dev)
{
    return &CSVIRT_ETM4(dev)->node;
}

static bool etm4_set_out(DeviceState *dev, unsigned port,
                         const struct atb_link *link)
{
    if (port != 0) {
        return false;
    }
    CSVIRT_ETM4(dev)->unit.out = link;
    return true;
}

static void etm4_tally(DeviceState *dev, struct atb_count *sum)
{
    CsvirtEtm4 *s = CSVIRT_ETM4(dev);

    qemu_mutex_lock(&s->lock);
    csvirt_atb_tally(sum, &s->unit.count);
    qemu_mutex_unlock(&s->lock);
}

/* ---- registers ---- */

static void etm4_log(CsvirtEtm4 *s, hwaddr off, bool write, uint64_t val,
                     enum reg_result result)
{
    size_t n;
    const struct reg_desc *table = etm4_table(&n);

    csvirt_reg_log(DEVICE(s), table, n, off, write, val, result);
}

static uint64_t etm4_mmio_read(void *opaque, hwaddr off, unsigned size)
{
    CsvirtEtm4 *s = opaque;
    enum reg_result result;
    uint64_t val = 0;

    qemu_mutex_lock(&s->lock);
    pe_tap_drain(s->tap);
    result = etm4_read(&s->unit, off, size, &val, etm4_now());
    qemu_mutex_unlock(&s->lock);
    etm4_log(s, off, false, 0, result);
    return val;
}

static void etm4_tell_on(CsvirtEtm4 *s)
{
    csvirt_events_source_on(s->cpu, s->unit.regs.traceidr & ATB_ID_MAX,
                            pe_tap_contextid(s->tap));
}

/* The unit was switched on or off by a write: so must the PE's reports be. */
static void etm4_follow(CsvirtEtm4 *s, enum etm4_state before)
{
    enum etm4_state now = etm4_state(&s->unit);

    if (now == before) {
        return;
    }
    if (now == ETM4_STARTING) {
        etm4_tell_on(s);
        pe_tap_start(s->tap, etm4_wants_ranges(&s->unit));
    } else if (now == ETM4_STOPPING) {
        pe_tap_stop(s->tap);
    }
}

static void etm4_mmio_write(void *opaque, hwaddr off, uint64_t val,
                            unsigned size)
{
    CsvirtEtm4 *s = opaque;
    enum etm4_state before;
    enum reg_result result;

    qemu_mutex_lock(&s->lock);
    pe_tap_drain(s->tap);
    before = etm4_state(&s->unit);
    result = etm4_write(&s->unit, off, size, val, etm4_now());
    if (result == REG_OK || result == REG_RESERVED) {
        csvirt_exec_log_reg(s->cpu, off, val);
        if (size == 8) {
            csvirt_exec_log_reg(s->cpu, off + 4, val >> 32);
        }
    }
    etm4_follow(s, before);
    qemu_mutex_unlock(&s->lock);
    etm4_log(s, off, true, val, result);
}

static const MemoryRegionOps etm4_mmio_ops = {
    .read = etm4_mmio_read,
    .write = etm4_mmio_write,
    CSVIRT_REG_SIZES,
};

bool csvirt_etm_regs(DeviceState *dev, uint32_t off, uint32_t *val)
{
    CsvirtEtm4 *s = (CsvirtEtm4 *)object_dynamic_cast(OBJECT(dev),
                                                      TYPE_CSVIRT_ETM4);
    enum reg_result result;
    uint64_t v = 0;

    if (!s) {
        return false;
    }
    qemu_mutex_lock(&s->lock);
    result = etm4_read(&s->unit, off, 4, &v, etm4_now());
    qemu_mutex_unlock(&s->lock);
    *val = v;
    return result == REG_OK;
}

unsigned csvirt_etm_cpu(DeviceState *dev)
{
    return CSVIRT_ETM4(dev)->cpu;
}

/* ---- state ---- */

static void etm4_reset_hold(Object *obj, ResetType type)
{
    CsvirtEtm4 *s = CSVIRT_ETM4(obj);

    /* Idle first: what the PE still reports is of before the reset. */
    qemu_mutex_lock(&s->lock);
    etm4_reset(&s->unit);
    pe_tap_stop(s->tap);
    qemu_mutex_unlock(&s->lock);
}

static int etm4_post_load(void *opaque, int version_id)
{
    CsvirtEtm4 *s = opaque;

    if (!etm4_state_valid(&s->unit)) {
        return -EINVAL;
    }
    qemu_mutex_lock(&s->lock);
    if (etm4_state(&s->unit) != ETM4_IDLE) {
        etm4_tell_on(s);
    }
    switch (etm4_state(&s->unit)) {
    case ETM4_STARTING:
        pe_tap_start(s->tap, etm4_wants_ranges(&s->unit));
        break;
    case ETM4_RUNNING:
        pe_tap_resume(s->tap, etm4_wants_ranges(&s->unit),
                      etm4_position(&s->unit));
        break;
    case ETM4_STOPPING:
        pe_tap_stop(s->tap);
        break;
    case ETM4_IDLE:
        break;
    }
    qemu_mutex_unlock(&s->lock);
    return 0;
}

static const VMStateDescription vmstate_etm4_qom = {
    .name = TYPE_CSVIRT_ETM4,
    .version_id = 2,
    .minimum_version_id = 2,
    .post_load = etm4_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT(unit, CsvirtEtm4, 1, vmstate_csvirt_etm4_unit,
                       struct etm4),
        VMSTATE_END_OF_LIST()
    },
};

static void etm4_realize(DeviceState *dev, Error **errp)
{
    CsvirtEtm4 *s = CSVIRT_ETM4(dev);
    struct pe_tap_client client = {
        .records = etm4_take_records,
        .stopped = etm4_pe_stopped,
        .lock = &s->lock,
        .opaque = s,
    };

    s->tap = pe_tap_new(s->cpu, &client);
    if (!s->tap) {
        error_setg(errp, "CPU %" PRIu32 " does not exist or has a trace unit "
                   "already", s->cpu);
        return;
    }
    if (!pe_tap_has_el(s->tap, 2)) {
        s->params.exlevel_ns &= ~(1u << 2);
    }
    if (!pe_tap_has_el(s->tap, 3)) {
        s->params.exlevel_s = 0;
    }
    etm4_init(&s->unit, &s->params);
    s->unit.mgmt.devaff0 = pe_tap_mpidr(s->tap);
    s->unit.mgmt.devaff1 = pe_tap_mpidr(s->tap) >> 32;
}

/* What nobody can read from a register: overflows, external outputs. */
static void etm4_add_counters(Object *obj, struct etm4 *unit)
{
    object_property_add_uint64_ptr(obj, "overflows", &unit->overflows,
                                   OBJ_PROP_FLAG_READ);
    for (unsigned n = 0; n < ETM4_EVENTS; n++) {
        g_autofree char *name = g_strdup_printf("output-pulses%u", n);

        object_property_add_uint64_ptr(obj, name, &unit->out_pulses[n],
                                       OBJ_PROP_FLAG_READ);
    }
}

static void etm4_instance_init(Object *obj)
{
    CsvirtEtm4 *s = CSVIRT_ETM4(obj);

    etm4_params_default(&s->params);
    etm4_add_counters(obj, &s->unit);
    memory_region_init_io(&s->iomem, obj, &etm4_mmio_ops, s, TYPE_CSVIRT_ETM4,
                          CSVIRT_PAGE);
    sysbus_init_mmio(SYS_BUS_DEVICE(obj), &s->iomem);
    csvirt_atb_node_init(&s->node, &s->lock);
    s->node.ops = &etm4_atb_ops;
    s->node.self = s;
}

/* instance_init has set the defaults: the properties must not. */
#define ETM4_PROP(name_, field_, type_) \
    DEFINE_PROP_UNSIGNED_NODEFAULT(name_, CsvirtEtm4, params.field_, \
                                   qdev_prop_##type_, type_##_t)

static const Property etm4_properties[] = {
    DEFINE_PROP_UINT32("cpu", CsvirtEtm4, cpu, UINT32_MAX),
    ETM4_PROP("arch-minor", arch_minor, uint8),
    ETM4_PROP("part", part, uint16),
    ETM4_PROP("counters", counters, uint8),
    ETM4_PROP("rs-pairs", rs_pairs, uint8),
    ETM4_PROP("ac-pairs", ac_pairs, uint8),
    ETM4_PROP("cid-comps", cid_comps, uint8),
    ETM4_PROP("vmid-comps", vmid_comps, uint8),
    ETM4_PROP("ss-comps", ss_comps, uint8),
    ETM4_PROP("seq-states", seq_states, uint8),
    ETM4_PROP("events", events, uint8),
    ETM4_PROP("ext-inputs", ext_inputs, uint8),
    ETM4_PROP("ext-selectors", ext_selectors, uint8),
    ETM4_PROP("cid-size", cid_size, uint8),
    ETM4_PROP("vmid-size", vmid_size, uint8),
    ETM4_PROP("vmid-opt", vmid_opt, uint8),
    ETM4_PROP("branch-broadcast", branch_broadcast, uint8),
    ETM4_PROP("return-stack", return_stack, uint8),
    ETM4_PROP("cc-bits", cc_bits, uint8),
    ETM4_PROP("cc-min", cc_min, uint16),
    ETM4_PROP("ts-bits", ts_bits, uint8),
    ETM4_PROP("exlevel-ns", exlevel_ns, uint8),
    ETM4_PROP("exlevel-s", exlevel_s, uint8),
    ETM4_PROP("cycles-per-tick", cycles_per_tick, uint32),
    ETM4_PROP("cycles-per-insn", cycles_per_insn, uint32),
    ETM4_PROP("fifo-bytes", fifo_bytes, uint32),
    ETM4_PROP("fifo-drain", fifo_drain, uint32),
};

static void etm4_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);
    CsvirtAtbClass *ac = CSVIRT_ATB_CLASS(klass);

    dc->desc = "Arm CoreSight ETMv4 trace unit";
    dc->realize = etm4_realize;
    dc->vmsd = &vmstate_etm4_qom;
    dc->user_creatable = false;
    device_class_set_props(dc, etm4_properties);
    rc->phases.hold = etm4_reset_hold;
    ac->node = etm4_node;
    ac->set_out = etm4_set_out;
    ac->tally = etm4_tally;
    csvirt_atb_add_counters(klass);
}

static const TypeInfo etm4_type = {
    .name = TYPE_CSVIRT_ETM4,
    .parent = TYPE_SYS_BUS_DEVICE,
    .instance_size = sizeof(CsvirtEtm4),
    .instance_init = etm4_instance_init,
    .class_init = etm4_class_init,
    .interfaces = (InterfaceInfo[]) {
        { TYPE_CSVIRT_ATB },
        { }
    },
};

static void etm4_register_types(void)
{
    type_register_static(&etm4_type);
}

type_init(etm4_register_types)
