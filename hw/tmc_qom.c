/*
 * QOM glue of the Trace Memory Controller as ETR (models/tmc.h): registers,
 * DMA to guest memory, read-outs.  Spec: SoC-400 TMC TRM (Arm DDI 0461B).
 *
 * QEMU interface: MMIO region 0, 4 KiB; properties flush-latency-ns,
 * ready-latency-ns, mem-width and axi-width (bits, 0: default), soc600 and
 * rearm (0 or 1); read-only counters, see atb_qom.h, and "bytes-written" and
 * "bytes-pending"; TYPE_CSVIRT_ATB with one input (port 0).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/lockable.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "exec/address-spaces.h"
#include "hw/sysbus.h"
#include "hw/qdev-properties.h"
#include "hw/resettable.h"
#include "migration/vmstate.h"
#include "system/runstate.h"
#include "models/tmc.h"
#include "models/tmc_regs.h"
#include "atb_qom.h"
#include "events.h"
#include "exec_log.h"
#include "regs_qom.h"
#include "sched.h"
#include "snapshot.h"

#define TYPE_CSVIRT_TMC_ETR "csvirt-tmc-etr"
OBJECT_DECLARE_SIMPLE_TYPE(CsvirtTmc, CSVIRT_TMC_ETR)

#define UNSET UINT64_MAX    /* a latency: the model's default */

struct CsvirtTmc {
    SysBusDevice parent;

    /* properties */
    uint64_t flush_ns, ready_ns;
    uint32_t mem_width, axi_width;
    uint8_t soc600, rearm;

    MemoryRegion iomem;
    QemuMutex lock;
    struct tmc tmc;                         /* under the lock */
    bool captured;                          /* under the lock: tell it */
    unsigned index;                         /* among the sinks */
    const struct csvirt_arrivals *arrivals;
    uint64_t *seen;                         /* BQL; arrivals at enable */
    uint8_t *sent;                          /* ATIDs since, for VMState */
    uint32_t n_sources;
};

static const char *tmc_name(CsvirtTmc *s)
{
    return object_get_canonical_path_component(OBJECT(s));
}

static uint64_t tmc_now(void)
{
    return csvirt_now_ns();
}

/* ---- AXI ---- */

/*
 * Runs on any thread, with or without the BQL.  The whole range must be RAM:
 * a device's registers are never touched, so the BQL is never needed.
 */
static bool tmc_mem_write(void *arg, uint64_t addr, const uint8_t *buf,
                          size_t n)
{
    const MemTxAttrs attrs = { .memory = 1 };
    AddressSpace *as = &address_space_memory;

    RCU_READ_LOCK_GUARD();
    for (hwaddr done = 0; done < n; ) {
        hwaddr len = n - done;
        hwaddr in_region;
        MemoryRegion *mr = address_space_translate(as, addr + done, &in_region,
                                                   &len, true, attrs);

        if (!memory_region_is_ram(mr) ||
            !memory_access_is_direct(mr, true, attrs)) {
            return false;
        }
        done += len;
    }
    return address_space_write(as, addr, attrs, buf, n) == MEMTX_OK;
}

/* The lock is held: the read-out asks the ETMs, so it has to wait. */
static void tmc_captured(void *arg)
{
    CsvirtTmc *s = arg;

    s->captured = true;
}

/* ---- read-out ---- */

static const struct csvirt_reg_value readout_regs[] = {
    { "RSZ", 0x004 }, { "STS", 0x00c }, { "RRP", 0x014 }, { "RWP", 0x018 },
    { "TRG", 0x01c }, { "CTL", 0x020 }, { "MODE", 0x028 }, { "RRPHI", 0x038 },
    { "RWPHI", 0x03c }, { "AXICTL", 0x110 }, { "DBALO", 0x118 },
    { "DBAHI", 0x11c }, { "FFSR", 0x300 }, { "FFCR", 0x304 },
    { "PSCR", 0x308 }, { "DEVID", 0xfc8 },
};

static void tmc_read_out(CsvirtTmc *s)
{
    struct csvirt_reg_value regs[ARRAY_SIZE(readout_regs)];
    struct tmc_capture capture;
    struct csvirt_readout r = {
        .sink = tmc_name(s), .index = s->index, .type = "ETR",
        .capture = &capture,
        .regs = regs, .n_regs = ARRAY_SIZE(regs),
        .arrivals = s->arrivals, .seen = s->seen,
    };

    memcpy(regs, readout_regs, sizeof(regs));
    qemu_mutex_lock(&s->lock);
    tmc_capture(&s->tmc, &capture);
    for (size_t i = 0; i < ARRAY_SIZE(regs); i++) {
        tmc_read(&s->tmc, regs[i].off, &regs[i].val, tmc_now());
    }
    r.framed = s->tmc.ffcr & (TMC_FFCR_ENFT | TMC_FFCR_ENTI);
    qemu_mutex_unlock(&s->lock);
    csvirt_snapshot_write(&r);
}

/* Arrivals before the enable were dropped: they are not in the buffer. */
static void tmc_note_enable(CsvirtTmc *s)
{
    for (size_t i = 0; s->arrivals && i < s->arrivals->n; i++) {
        s->seen[i] = qatomic_read(&s->arrivals->by_source[i].bytes);
    }
}

/* BQL held, no lock. */
static void tmc_tell(CsvirtTmc *s, enum csvirt_sink_event what)
{
    struct csvirt_sink_state state = { 0 };
    struct tmc_capture capture;

    qemu_mutex_lock(&s->lock);
    tmc_capture(&s->tmc, &capture);
    for (unsigned why = 0; why < ATB_DROP_COUNT; why++) {
        state.dropped += s->tmc.count.dropped[why];
    }
    qemu_mutex_unlock(&s->lock);
    state.base = capture.base;
    state.size = capture.size;
    state.bytes = capture.len;
    state.wrapped = capture.wrapped;
    csvirt_events_sink(s->index, what, &state);
}

/* A stop counts from STOPPING on, a disable from DISABLING on. */
static void tmc_log_state(CsvirtTmc *s, enum tmc_state before,
                          enum tmc_state now)
{
    if (now == TMC_RUNNING) {
        csvirt_exec_log_sink(s->index, EXEC_LOG_SINK_ENABLE, 0);
        tmc_tell(s, CSVIRT_SINK_ENABLE);
    } else if (now == TMC_STOPPING ||
               (now == TMC_STOPPED && before != TMC_STOPPING)) {
        csvirt_exec_log_sink(s->index, EXEC_LOG_SINK_STOP, 0);
        tmc_tell(s, CSVIRT_SINK_STOP);
    } else if (now == TMC_DISABLING ||
               (now == TMC_DISABLED && before != TMC_DISABLING)) {
        csvirt_exec_log_sink(s->index, EXEC_LOG_SINK_DISABLE, 0);
        tmc_tell(s, CSVIRT_SINK_DISABLE);
    }
}

/*
 * Tell the logs what an access has changed.  @before: the state before it.
 * BQL held, no lock.
 */
static void tmc_follow(CsvirtTmc *s, enum tmc_state before)
{
    enum tmc_state now;
    bool captured;

    qemu_mutex_lock(&s->lock);
    now = s->tmc.state;
    captured = s->captured;
    s->captured = false;
    qemu_mutex_unlock(&s->lock);

    if (now != before) {
        tmc_log_state(s, before, now);
    }
    if (captured) {
        tmc_read_out(s);
    }
}

/* ---- registers ---- */

/*
 * Before an access that shows or decides what is in the buffer, all that the
 * PEs have reported must have arrived.  A CTL write may start a capture: what
 * was sent before must not be in it.
 */
static void tmc_flush_before(CsvirtTmc *s, hwaddr off, bool write,
                             uint32_t val)
{
    enum tmc_state before;
    bool flush;

    qemu_mutex_lock(&s->lock);
    before = s->tmc.state;
    tmc_step(&s->tmc, tmc_now());
    flush = tmc_access_flushes(&s->tmc, off, write, val) ||
        (write && off == TMC_CTL);
    qemu_mutex_unlock(&s->lock);
    /* A capture that ended by itself is told before this access hides it. */
    tmc_follow(s, before);
    if (flush) {
        atb_flush(s->tmc.in);
    }
    if (write && off == TMC_CTL &&
        (s->tmc.state == TMC_DISABLED || s->tmc.state == TMC_STOPPED)) {
        tmc_note_enable(s);
    }
}

static uint64_t tmc_mmio_read(void *opaque, hwaddr off, unsigned size)
{
    CsvirtTmc *s = opaque;
    size_t n;
    const struct reg_desc *table = tmc_table(&n);
    enum tmc_state before;
    enum reg_result result;
    uint32_t val = 0;

    if (!csvirt_reg_size_ok(DEVICE(s), table, n, off, size, false, 0)) {
        return 0;
    }
    tmc_flush_before(s, off, false, 0);
    qemu_mutex_lock(&s->lock);
    before = s->tmc.state;
    result = tmc_read(&s->tmc, off, &val, tmc_now());
    qemu_mutex_unlock(&s->lock);
    tmc_follow(s, before);
    csvirt_reg_log(DEVICE(s), table, n, off, false, 0, result);
    return val;
}

static void tmc_mmio_write(void *opaque, hwaddr off, uint64_t val,
                           unsigned size)
{
    CsvirtTmc *s = opaque;
    size_t n;
    const struct reg_desc *table = tmc_table(&n);
    enum tmc_state before;
    enum reg_result result;

    if (!csvirt_reg_size_ok(DEVICE(s), table, n, off, size, true, val)) {
        return;
    }
    tmc_flush_before(s, off, true, val);
    qemu_mutex_lock(&s->lock);
    before = s->tmc.state;
    result = tmc_write(&s->tmc, off, val, tmc_now());
    qemu_mutex_unlock(&s->lock);
    if (off == TMC_DBALO && result == REG_OK) {
        tmc_tell(s, CSVIRT_SINK_PROGRAM);
    } else if (off == TMC_FFCR && (val & TMC_FFCR_FLUSHMAN) &&
               before == TMC_RUNNING) {
        tmc_tell(s, CSVIRT_SINK_FLUSH);
    }
    tmc_follow(s, before);
    csvirt_reg_log(DEVICE(s), table, n, off, true, val, result);
}

static const MemoryRegionOps tmc_mmio = {
    .read = tmc_mmio_read,
    .write = tmc_mmio_write,
    CSVIRT_REG_SIZES,
};

/* ---- the ATB side and its counters ---- */

static struct atb_node *tmc_node(DeviceState *dev)
{
    return &CSVIRT_TMC_ETR(dev)->tmc.atb;
}

static bool tmc_set_in(DeviceState *dev, unsigned port,
                       const struct atb_link *link)
{
    if (port != 0) {
        return false;
    }
    CSVIRT_TMC_ETR(dev)->tmc.in = link;
    return true;
}

static void tmc_set_sink(DeviceState *dev, unsigned index,
                         struct csvirt_arrivals *a)
{
    CsvirtTmc *s = CSVIRT_TMC_ETR(dev);

    s->index = index;
    s->arrivals = a;
    s->seen = g_new0(uint64_t, a->n);
    s->sent = g_new0(uint8_t, a->n);
    s->n_sources = a->n;
}

static void tmc_tally(DeviceState *dev, struct atb_count *sum)
{
    CsvirtTmc *s = CSVIRT_TMC_ETR(dev);

    qemu_mutex_lock(&s->lock);
    csvirt_atb_tally(sum, &s->tmc.count);
    qemu_mutex_unlock(&s->lock);
}

static void tmc_get_written(Object *obj, Visitor *v, const char *name,
                            void *opaque, Error **errp)
{
    CsvirtTmc *s = CSVIRT_TMC_ETR(obj);
    uint64_t written;

    qemu_mutex_lock(&s->lock);
    written = s->tmc.written;
    qemu_mutex_unlock(&s->lock);
    visit_type_uint64(v, name, &written, errp);
}

/* Taken, neither written nor dropped: in the partial frame */
static void tmc_get_pending(Object *obj, Visitor *v, const char *name,
                            void *opaque, Error **errp)
{
    CsvirtTmc *s = CSVIRT_TMC_ETR(obj);
    uint64_t pending;

    qemu_mutex_lock(&s->lock);
    pending = tmc_pending(&s->tmc);
    qemu_mutex_unlock(&s->lock);
    visit_type_uint64(v, name, &pending, errp);
}

/*
 * Conservation: for each ATID, bytes taken in were written, dropped for a
 * counted reason, or wait in the partial frame.
 */
static void tmc_check_counts(void *opaque, bool running, RunState state)
{
    CsvirtTmc *s = opaque;
    bool good = true;

    if (running) {
        return;
    }
    QEMU_LOCK_GUARD(&s->lock);
    for (unsigned id = 0; id <= ATB_ID_MAX; id++) {
        const struct tmc *t = &s->tmc;
        uint64_t kept = t->written_id[id] + t->count.dropped_id[id];

        for (unsigned i = 0; i < t->fmt.waiting; i++) {
            kept += t->fmt.owner[i] == id;
        }
        if (kept != t->count.in[id]) {
            error_report("csvirt: %s: ATID 0x%02x: %" PRIu64 " bytes came, %"
                         PRIu64 " are accounted for", tmc_name(s), id,
                         t->count.in[id], kept);
            good = false;
        }
    }
    if (!good) {
        exit(1);
    }
}

/* ---- life ---- */

static bool tmc_mem_width(CsvirtTmc *s, struct tmc_params *p, Error **errp)
{
    switch (s->mem_width) {
    case 0:
        return true;
    case 32: case 64: case 128: case 256:
        p->mem_width_log2 = ctz32(s->mem_width);
        return true;
    default:
        error_setg(errp, "mem-width is %u: 32, 64, 128 or 256 bits expected",
                   s->mem_width);
        return false;
    }
}

static bool tmc_take_params(CsvirtTmc *s, struct tmc_params *p, Error **errp)
{
    tmc_params_default(p);
    p->soc600 = s->soc600;
    p->rearm = s->rearm;
    if (s->flush_ns != UNSET) {
        p->flush_ns = s->flush_ns;
    }
    if (s->ready_ns != UNSET) {
        p->ready_ns = s->ready_ns;
    }
    if (!tmc_mem_width(s, p, errp)) {
        return false;
    }
    if (s->axi_width) {
        if (s->axi_width < 32 || s->axi_width > 52) {
            error_setg(errp, "axi-width is %u: 32 to 52 bits expected",
                       s->axi_width);
            return false;
        }
        p->axi_addr_bits = s->axi_width;
    }
    return true;
}

static void tmc_realize(DeviceState *dev, Error **errp)
{
    CsvirtTmc *s = CSVIRT_TMC_ETR(dev);
    struct tmc_params params;
    const struct tmc_ops ops = {
        .mem_write = tmc_mem_write, .captured = tmc_captured, .arg = s,
    };

    if (!tmc_take_params(s, &params, errp)) {
        return;
    }
    tmc_init(&s->tmc, &params, &ops);
    csvirt_atb_node_init(&s->tmc.atb, &s->lock);
    memory_region_init_io(&s->iomem, OBJECT(s), &tmc_mmio, s,
                          TYPE_CSVIRT_TMC_ETR, CSVIRT_PAGE);
    sysbus_init_mmio(SYS_BUS_DEVICE(s), &s->iomem);
    qemu_add_vm_change_state_handler(tmc_check_counts, s);
}

static void tmc_hold_reset(Object *obj, ResetType type)
{
    CsvirtTmc *s = CSVIRT_TMC_ETR(obj);

    qemu_mutex_lock(&s->lock);
    tmc_reset(&s->tmc);
    s->captured = false;
    qemu_mutex_unlock(&s->lock);
}

static const VMStateDescription vmstate_formatter = {
    .name = "csvirt-formatter",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT8_ARRAY(frame, struct formatter, FORMATTER_FRAME),
        VMSTATE_UINT8_ARRAY(owner, struct formatter, FORMATTER_FRAME),
        VMSTATE_UINT8(waiting, struct formatter),
        VMSTATE_UINT8(fill, struct formatter),
        VMSTATE_UINT8(cur_id, struct formatter),
        VMSTATE_UINT8(quiet, struct formatter),
        VMSTATE_BOOL(has_id, struct formatter),
        VMSTATE_UINT64(null_bytes, struct formatter),
        VMSTATE_END_OF_LIST()
    },
};

static int tmc_pre_save(void *opaque)
{
    CsvirtTmc *s = opaque;

    for (size_t i = 0; i < s->n_sources; i++) {
        s->sent[i] = s->arrivals->by_source[i].bytes != s->seen[i]
            ? s->arrivals->by_source[i].atid : 0;
    }
    return 0;
}

static int tmc_post_load(void *opaque, int version_id)
{
    CsvirtTmc *s = opaque;

    if (!tmc_valid(&s->tmc)) {
        return -EINVAL;
    }
    for (size_t i = 0; i < s->n_sources; i++) {
        s->seen[i] = s->arrivals->by_source[i].bytes - (s->sent[i] != 0);
        if (s->sent[i]) {
            qatomic_set(&s->arrivals->by_source[i].atid, s->sent[i]);
        }
    }
    if (s->tmc.state == TMC_RUNNING) {
        tmc_tell(s, CSVIRT_SINK_ENABLE);
    }
    return 0;
}

static const VMStateDescription vmstate_tmc = {
    .name = TYPE_CSVIRT_TMC_ETR,
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = tmc_pre_save,
    .post_load = tmc_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT(tmc.mgmt, CsvirtTmc, 1, vmstate_csvirt_mgmt,
                       struct cs_mgmt),
        VMSTATE_UINT32(tmc.rsz, CsvirtTmc),
        VMSTATE_UINT32(tmc.sts, CsvirtTmc),
        VMSTATE_UINT32(tmc.trg, CsvirtTmc),
        VMSTATE_UINT32(tmc.ctl, CsvirtTmc),
        VMSTATE_UINT32(tmc.bufwm, CsvirtTmc),
        VMSTATE_UINT32(tmc.axictl, CsvirtTmc),
        VMSTATE_UINT32(tmc.dbalo, CsvirtTmc),
        VMSTATE_UINT32(tmc.dbahi, CsvirtTmc),
        VMSTATE_UINT32(tmc.ffcr, CsvirtTmc),
        VMSTATE_UINT32(tmc.pscr, CsvirtTmc),
        VMSTATE_UINT32(tmc.lbuflevel, CsvirtTmc),
        VMSTATE_UINT64(tmc.rrp, CsvirtTmc),
        VMSTATE_UINT64(tmc.rwp, CsvirtTmc),
        VMSTATE_UINT32(tmc.state, CsvirtTmc),
        VMSTATE_UINT64(tmc.now_ns, CsvirtTmc),
        VMSTATE_UINT64(tmc.due_ns, CsvirtTmc),
        VMSTATE_UINT8(tmc.flush_now, CsvirtTmc),
        VMSTATE_UINT8(tmc.flush_next, CsvirtTmc),
        VMSTATE_BOOL(tmc.flush_wanted, CsvirtTmc),
        VMSTATE_BOOL(tmc.announced, CsvirtTmc),
        VMSTATE_BOOL(tmc.trg_counting, CsvirtTmc),
        VMSTATE_STRUCT(tmc.fmt, CsvirtTmc, 1, vmstate_formatter,
                       struct formatter),
        VMSTATE_STRUCT(tmc.count, CsvirtTmc, 1, vmstate_csvirt_count,
                       struct atb_count),
        VMSTATE_UINT64(tmc.written, CsvirtTmc),
        VMSTATE_UINT64_ARRAY(tmc.written_id, CsvirtTmc, ATB_ID_MAX + 1),
        VMSTATE_BOOL(captured, CsvirtTmc),
        VMSTATE_UINT32_EQUAL(n_sources, CsvirtTmc, "the topology differs"),
        VMSTATE_VBUFFER_UINT32(sent, CsvirtTmc, 1, NULL, n_sources),
        VMSTATE_END_OF_LIST()
    },
};

static const Property tmc_properties[] = {
    DEFINE_PROP_UINT64("flush-latency-ns", CsvirtTmc, flush_ns, UNSET),
    DEFINE_PROP_UINT64("ready-latency-ns", CsvirtTmc, ready_ns, UNSET),
    DEFINE_PROP_UINT32("mem-width", CsvirtTmc, mem_width, 0),
    DEFINE_PROP_UINT32("axi-width", CsvirtTmc, axi_width, 0),
    DEFINE_PROP_UINT8("soc600", CsvirtTmc, soc600, 0),
    DEFINE_PROP_UINT8("rearm", CsvirtTmc, rearm, 1),
};

static void tmc_class_init(ObjectClass *oc, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    CsvirtAtbClass *ac = CSVIRT_ATB_CLASS(oc);

    dc->desc = "CoreSight Trace Memory Controller, ETR";
    dc->realize = tmc_realize;
    dc->vmsd = &vmstate_tmc;
    dc->user_creatable = false;
    RESETTABLE_CLASS(oc)->phases.hold = tmc_hold_reset;
    device_class_set_props(dc, tmc_properties);
    ac->node = tmc_node;
    ac->set_in = tmc_set_in;
    ac->set_sink = tmc_set_sink;
    ac->tally = tmc_tally;
    csvirt_atb_add_counters(oc);
    object_class_property_add(oc, "bytes-written", "uint64", tmc_get_written,
                              NULL, NULL, NULL);
    object_class_property_add(oc, "bytes-pending", "uint64", tmc_get_pending,
                              NULL, NULL, NULL);
}

static const TypeInfo tmc_type = {
    .name = TYPE_CSVIRT_TMC_ETR,
    .parent = TYPE_SYS_BUS_DEVICE,
    .instance_size = sizeof(CsvirtTmc),
    .class_init = tmc_class_init,
    .interfaces = (InterfaceInfo[]) { { TYPE_CSVIRT_ATB }, { } },
};

static void tmc_register_types(void)
{
    type_register_static(&tmc_type);
}

type_init(tmc_register_types)
