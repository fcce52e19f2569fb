/*
 * The machine "csvirt": QEMU's virt with a trace network from a device tree.
 *
 * Everything of virt stays.  The network is built after virt's own init and
 * put into the guest's tree, which virt gives to the guest at machine-done.
 * CHOICE: the default CPU is neoverse-n1, whose trace unit the default ETM
 * parameters describe (part 0xd0c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/units.h"
#include "qemu/error-report.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-migration.h"
#include "qapi/visitor.h"
#include "exec/cpu-common.h"
#include "exec/memory.h"
#include "hw/arm/virt.h"
#include "hw/boards.h"
#include "hw/nvram/fw_cfg.h"
#include "system/device_tree.h"
#include "system/qtest.h"
#include "system/runstate.h"
#include "system/tcg.h"
#include "target/arm/cpu-qom.h"
#include <libfdt.h>
#include "hw/events.h"
#include "hw/exec_log.h"
#include "hw/pe_cpu.h"
#include "hw/sched.h"
#include "hw/snapshot.h"
#include "trace_graph.h"
#include "wire.h"

#define TYPE_CSVIRT_MACHINE MACHINE_TYPE_NAME("csvirt")

/* What virt adds to the tree at machine-done: memory, /chosen, /psci. */
#define TREE_SLACK (64u * KiB)
/* The guest's parser of /cpus/cpu-map is cubic: 84 s with 512 CPUs. */
#define CPU_MAP_MAX 16u
/*
 * QEMU reads the table of pending LPIs byte by byte for each redistributor and
 * each INVALL: 30 s of a boot with 512 CPUs.  PCI falls back on INTx.
 */
#define ITS_MAX 64u
/* With that many CPUs a second of the guest begins to last longer. */
#define CPUS_PER_DILATION 8u
#define DILATION_AUTO_MAX 64u

struct CsvirtMachineState {
    VirtMachineState parent;
    char *topology;
    char *snapshot;
    char *exec_log;
    char *events;
    uint64_t snapshot_max;
    uint32_t cpu_map_max;
    uint32_t its_max;
    uint32_t dilation;           /* 0: by the number of CPUs */
    uint32_t quantum;
    uint64_t sched_seed;
    char *sched;
    bool strict;
    bool warm;
};

struct CsvirtMachineClass {
    VirtMachineClass parent;
    void (*parent_init)(MachineState *ms);
};

OBJECT_DECLARE_TYPE(CsvirtMachineState, CsvirtMachineClass, CSVIRT_MACHINE)

/* ---- the topology ---- */

static void print_messages(const struct trace_graph *g)
{
    for (size_t i = 0; i < g->n_msgs; i++) {
        const struct trace_msg *m = &g->msgs[i];
        g_autofree char *text = trace_msg_text(g, m);

        if (m->warning) {
            warn_report("%s", text);
        } else {
            error_report("%s", text);
        }
    }
}

static struct trace_graph *load_topology(CsvirtMachineState *s)
{
    struct trace_limits limits = {
        .cpus = MACHINE(s)->smp.cpus,
        .window_base = TRACE_WINDOW_BASE,
        .window_size = TRACE_WINDOW_SIZE,
        .strict = s->strict,
    };
    struct trace_graph *g = trace_graph_load(s->topology, &limits);

    print_messages(g);
    if (g->n_errors) {
        exit(1);
    }
    return g;
}

static void delete_cpu_map(CsvirtMachineState *s)
{
    MachineState *ms = MACHINE(s);
    int node = fdt_path_offset(ms->fdt, "/cpus/cpu-map");

    if (ms->smp.cpus > s->cpu_map_max && node >= 0) {
        fdt_del_node(ms->fdt, node);
    }
}

/* Make @tree (@size bytes, packed) the machine's, with room to grow. */
static void set_tree(CsvirtMachineState *s, const void *tree, size_t size)
{
    MachineState *ms = MACHINE(s);
    VirtMachineState *vms = VIRT_MACHINE(s);
    size_t room = size + TREE_SLACK;
    void *fdt;

    if (ms->kernel_cmdline) {
        room += strlen(ms->kernel_cmdline);
    }
    if (room > TRACE_TREE_MAX) {
        error_report("%s: /: the guest's tree has %zu bytes: at most %u with "
                     "%zu for the boot loader expected", s->topology, size,
                     TRACE_TREE_MAX, room - size);
        exit(1);
    }
    fdt = g_malloc0(room);
    if (fdt_open_into(tree, fdt, room) != 0) {
        error_report("%s: /: the guest's tree cannot be opened", s->topology);
        exit(1);
    }
    g_free(ms->fdt);
    ms->fdt = fdt;
    vms->fdt_size = room;
}

static void put_topology(CsvirtMachineState *s, const struct trace_graph *g)
{
    MachineState *ms = MACHINE(s);
    char *text = NULL;
    size_t size;
    void *tree = trace_graph_apply(g, ms->fdt, VIRT_MACHINE(s)->fdt_size,
                                   &size, &text);

    if (!tree) {
        error_report("%s: %s", s->topology, text);
        exit(1);
    }
    set_tree(s, tree, size);
    g_free(tree);
}

/* ---- life ---- */

/*
 * RAM is saved before devices: what the PEs have recorded must be in guest
 * memory when the machine has stopped, not when the devices are saved.
 */
static void vm_state_change(void *opaque, bool running, RunState state)
{
    if (!running) {
        csvirt_drain_all();
        if (!csvirt_wire_conserves()) {
            exit(1);         /* a run with a byte too few proves nothing */
        }
    }
}

static void open_logs(CsvirtMachineState *s)
{
    Error *err = NULL;

    if (s->snapshot &&
        !csvirt_snapshot_open(s->snapshot, s->snapshot_max, &err)) {
        error_reportf_err(err, "snapshot: ");
        exit(1);
    }
    if (s->exec_log &&
        !csvirt_exec_log_open(s->exec_log, MACHINE(s)->smp.cpus)) {
        error_report("exec-log: %s: %s", s->exec_log, strerror(errno));
        exit(1);
    }
    if (s->events && !csvirt_events_open(s->events, &err)) {
        error_reportf_err(err, "events: ");
        exit(1);
    }
}

static void check_options(CsvirtMachineState *s)
{
    if (!tcg_enabled() && !qtest_enabled()) {
        error_report("machine csvirt traces TCG's execution: -accel tcg "
                     "expected");
        exit(1);
    }
    if (!s->topology) {
        info_report("csvirt: no topology: the machine has no trace network");
    } else if (MACHINE(s)->dtb) {
        error_report("csvirt: -dtb and topology exclude each other");
        exit(1);
    }
}

/* ---- CPUs and time ---- */

static void install_scheduler(CsvirtMachineState *s)
{
    struct csvirt_sched_config config = {
        .policy = s->sched,
        .seed = s->sched_seed,
        .quantum = s->quantum,
        .cpus = MACHINE(s)->smp.cpus,
    };
    Error *err = NULL;

    if (!csvirt_sched_install(&config, &err)) {
        error_report_err(err);
        exit(1);
    }
}

/* Tell the guest a timer frequency that makes its seconds longer. */
static void dilate_time(CsvirtMachineState *s)
{
    unsigned cpus = MACHINE(s)->smp.cpus;
    uint64_t factor = s->dilation;
    uint64_t freq = object_property_get_uint(OBJECT(first_cpu), "cntfrq",
                                             &error_abort);

    if (!factor) {
        factor = MIN(pow2ceil(DIV_ROUND_UP(cpus, CPUS_PER_DILATION)),
                     DILATION_AUTO_MAX);
        while (factor * freq > UINT32_MAX) {
            factor /= 2;
        }
    }
    freq *= factor;

    if (freq > UINT32_MAX) {
        error_report("dilation=%" PRIu64 ": /timer: clock-frequency %" PRIu64
                     " does not fit in 32 bits", factor, freq);
        exit(1);
    }
    if (factor > 1) {
        qemu_fdt_setprop_cell(MACHINE(s)->fdt, "/timer", "clock-frequency",
                              freq);
    }
    csvirt_set_dilation(factor);
}

/* ---- warm start ---- */

static void guest_parks(void *opaque)
{
    csvirt_sched_hold();
    vm_stop(RUN_STATE_PAUSED);
}

/*
 * Guest memory is a file that stays out of saved states.  The machine that is
 * to be saved stops at the instruction by which guest/init looks at the file
 * "parked": the same state each time.
 */
static void make_warm(CsvirtMachineState *s)
{
    MigrationCapabilityStatus shared = {
        .capability = MIGRATION_CAPABILITY_X_IGNORE_SHARED, .state = true,
    };
    MigrationCapabilityStatusList list = { .value = &shared };
    static char text[] = "parked";

    qmp_migrate_set_capabilities(&list, &error_fatal);
    if (!runstate_check(RUN_STATE_INMIGRATE)) {
        fw_cfg_add_file_callback(VIRT_MACHINE(s)->fw_cfg, "opt/csvirt/parked",
                                 guest_parks, NULL, s, text, sizeof(text),
                                 true);
    }
}

static void csvirt_init(MachineState *ms)
{
    CsvirtMachineState *s = CSVIRT_MACHINE(ms);
    struct trace_graph *g = NULL;
    Error *err = NULL;

    check_options(s);
    if (s->topology) {
        g = load_topology(s);
    }
    open_logs(s);
    pe_prepare_cpus();
    install_scheduler(s);
    if (ms->smp.cpus > s->its_max) {
        VIRT_MACHINE(ms)->its = false;
    }
    /*
     * One change of the memory map, not thousands: each is worked out for
     * every CPU's address space (with 512 CPUs 3 s of the start).
     */
    memory_region_transaction_begin();
    CSVIRT_MACHINE_GET_CLASS(s)->parent_init(ms);
    if (s->warm) {
        make_warm(s);
    }
    delete_cpu_map(s);
    dilate_time(s);
    if (g) {
        Object *network = object_property_add_new_container(OBJECT(s),
                                                            "csvirt");

        if (!csvirt_wire_build(network, g, &err)) {
            error_reportf_err(err, "%s: ", s->topology);
            exit(1);
        }
        put_topology(s, g);
        trace_graph_free(g);
        qemu_add_vm_change_state_handler(vm_state_change, NULL);
    }
    memory_region_transaction_commit();
}

/* ---- properties ---- */

#define STRING_PROPERTY(field) \
    static char *get_##field(Object *obj, Error **errp) \
    { \
        return g_strdup(CSVIRT_MACHINE(obj)->field); \
    } \
    static void set_##field(Object *obj, const char *value, Error **errp) \
    { \
        CsvirtMachineState *s = CSVIRT_MACHINE(obj); \
        \
        g_free(s->field); \
        s->field = g_strdup(value); \
    }

STRING_PROPERTY(topology)
STRING_PROPERTY(snapshot)
STRING_PROPERTY(exec_log)
STRING_PROPERTY(events)
STRING_PROPERTY(sched)

#define UINT_PROPERTY(field, bits) \
    static void get_##field(Object *obj, Visitor *v, const char *name, \
                            void *opaque, Error **errp) \
    { \
        visit_type_uint##bits(v, name, &CSVIRT_MACHINE(obj)->field, errp); \
    } \
    static void set_##field(Object *obj, Visitor *v, const char *name, \
                            void *opaque, Error **errp) \
    { \
        visit_type_uint##bits(v, name, &CSVIRT_MACHINE(obj)->field, errp); \
    }

UINT_PROPERTY(cpu_map_max, 32)
UINT_PROPERTY(its_max, 32)
UINT_PROPERTY(dilation, 32)
UINT_PROPERTY(quantum, 32)
UINT_PROPERTY(sched_seed, 64)

static bool get_strict(Object *obj, Error **errp)
{
    return CSVIRT_MACHINE(obj)->strict;
}

static void set_strict(Object *obj, bool value, Error **errp)
{
    CSVIRT_MACHINE(obj)->strict = value;
}

static bool get_warm(Object *obj, Error **errp)
{
    return CSVIRT_MACHINE(obj)->warm;
}

static void set_warm(Object *obj, bool value, Error **errp)
{
    CSVIRT_MACHINE(obj)->warm = value;
}

static void get_snapshot_max(Object *obj, Visitor *v, const char *name,
                             void *opaque, Error **errp)
{
    visit_type_size(v, name, &CSVIRT_MACHINE(obj)->snapshot_max, errp);
}

static void set_snapshot_max(Object *obj, Visitor *v, const char *name,
                             void *opaque, Error **errp)
{
    visit_type_size(v, name, &CSVIRT_MACHINE(obj)->snapshot_max, errp);
}

/* Numbers; the strings are below. */
static void add_numbers(ObjectClass *oc)
{
    static const struct {
        const char *name, *type, *text;
        ObjectPropertyAccessor *get, *set;
    } props[] = {
        { "snapshot-max", "size",
          "Trace bytes of all snapshots together (default 4G)",
          get_snapshot_max, set_snapshot_max },
        { "cpu-map-max", "uint32",
          "With more CPUs /cpus/cpu-map is left out (default 16)",
          get_cpu_map_max, set_cpu_map_max },
        { "its-max", "uint32",
          "With more CPUs there is no ITS (default 64)",
          get_its_max, set_its_max },
        { "dilation", "uint32",
          "A second of the guest lasts that many virtual seconds "
          "(default: by the number of CPUs)", get_dilation, set_dilation },
        { "sched-seed", "uint64", "Seed of sched=chaos (default 0)",
          get_sched_seed, set_sched_seed },
        { "quantum", "uint32", "Instructions of a turn under -icount",
          get_quantum, set_quantum },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(props); i++) {
        object_class_property_add(oc, props[i].name, props[i].type,
                                  props[i].get, props[i].set, NULL, NULL);
        object_class_property_set_description(oc, props[i].name,
                                              props[i].text);
    }
}

static void add_properties(ObjectClass *oc)
{
    add_numbers(oc);
    object_class_property_add_str(oc, "topology", get_topology, set_topology);
    object_class_property_set_description(oc, "topology",
        "Device tree (.dtb, .dtbo) that describes the trace network");
    object_class_property_add_str(oc, "snapshot", get_snapshot, set_snapshot);
    object_class_property_set_description(oc, "snapshot",
        "Folder for a snapshot of each sink read-out");
    object_class_property_add_str(oc, "exec-log", get_exec_log, set_exec_log);
    object_class_property_set_description(oc, "exec-log",
        "File for the log of retired instructions");
    object_class_property_add_str(oc, "events", get_events, set_events);
    object_class_property_set_description(oc, "events",
        "File for the timeline of the trace network");
    object_class_property_add_bool(oc, "strict", get_strict, set_strict);
    object_class_property_set_description(oc, "strict",
        "Refuse trace nodes that are not modelled (default: drop them)");
    object_class_property_add_bool(oc, "warm", get_warm, set_warm);
    object_class_property_set_description(oc, "warm",
        "To be saved when it parks, or restored so: RAM is a file");
    object_class_property_add_str(oc, "sched", get_sched, set_sched);
    object_class_property_set_description(oc, "sched",
        "vCPU scheduler: fair (default), chaos, stock");
}

/* ---- type ---- */

static void csvirt_instance_init(Object *obj)
{
    CsvirtMachineState *s = CSVIRT_MACHINE(obj);
    VirtMachineState *vms = VIRT_MACHINE(obj);

    vms->gic_version = VIRT_GIC_VERSION_3;
    /* ACPI has no tables for this network. */
    vms->acpi = ON_OFF_AUTO_OFF;
    s->snapshot_max = CSVIRT_SNAPSHOT_MAX;
    s->cpu_map_max = CPU_MAP_MAX;
    s->its_max = ITS_MAX;
}

static void csvirt_instance_finalize(Object *obj)
{
    CsvirtMachineState *s = CSVIRT_MACHINE(obj);

    g_free(s->topology);
    g_free(s->snapshot);
    g_free(s->exec_log);
    g_free(s->events);
    g_free(s->sched);
}

static void csvirt_class_init(ObjectClass *oc, void *data)
{
    static GlobalProperty compat[] = {
        { "virtio-iommu-pci", "aw-bits", "48" },
    };
    MachineClass *mc = MACHINE_CLASS(oc);

    CSVIRT_MACHINE_CLASS(oc)->parent_init = mc->init;
    mc->init = csvirt_init;
    mc->desc = "Arm virtual machine with a CoreSight trace network";
    mc->default_cpu_type = ARM_CPU_TYPE_NAME("neoverse-n1");
    /* Their window is the trace network's. */
    mc->allowed_dynamic_sysbus_devices = NULL;
    compat_props_add(mc->compat_props, compat, G_N_ELEMENTS(compat));
    add_properties(oc);
}

static const TypeInfo csvirt_machine_type = {
    .name = TYPE_CSVIRT_MACHINE,
    .parent = TYPE_VIRT_MACHINE,
    .instance_size = sizeof(CsvirtMachineState),
    .instance_init = csvirt_instance_init,
    .instance_finalize = csvirt_instance_finalize,
    .class_size = sizeof(CsvirtMachineClass),
    .class_init = csvirt_class_init,
};

static void csvirt_machine_register_types(void)
{
    type_register_static(&csvirt_machine_type);
}

type_init(csvirt_machine_register_types)
