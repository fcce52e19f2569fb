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
#include "qapi/visitor.h"
#include "exec/cpu-common.h"
#include "hw/arm/virt.h"
#include "hw/boards.h"
#include "system/qtest.h"
#include "system/runstate.h"
#include "system/tcg.h"
#include "target/arm/cpu-qom.h"
#include <libfdt.h>
#include "hw/exec_log.h"
#include "hw/pe_tap.h"
#include "hw/snapshot.h"
#include "trace_graph.h"
#include "wire.h"

#define TYPE_CSVIRT_MACHINE MACHINE_TYPE_NAME("csvirt")

/* What virt adds to the tree at machine-done: memory, /chosen, /psci. */
#define TREE_SLACK (64u * KiB)
/* The guest's parser of /cpus/cpu-map is cubic: 84 s with 512 CPUs. */
#define CPU_MAP_MAX 16u

struct CsvirtMachineState {
    VirtMachineState parent;
    char *topology;
    char *snapshot;
    char *exec_log;
    uint64_t snapshot_max;
    uint32_t cpu_map_max;
    bool strict;
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
    pe_tap_prepare_cpus();
    CSVIRT_MACHINE_GET_CLASS(s)->parent_init(ms);
    delete_cpu_map(s);
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

static bool get_strict(Object *obj, Error **errp)
{
    return CSVIRT_MACHINE(obj)->strict;
}

static void set_strict(Object *obj, bool value, Error **errp)
{
    CSVIRT_MACHINE(obj)->strict = value;
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

static void get_cpu_map_max(Object *obj, Visitor *v, const char *name,
                            void *opaque, Error **errp)
{
    visit_type_uint32(v, name, &CSVIRT_MACHINE(obj)->cpu_map_max, errp);
}

static void set_cpu_map_max(Object *obj, Visitor *v, const char *name,
                            void *opaque, Error **errp)
{
    visit_type_uint32(v, name, &CSVIRT_MACHINE(obj)->cpu_map_max, errp);
}

static void add_properties(ObjectClass *oc)
{
    object_class_property_add_str(oc, "topology", get_topology, set_topology);
    object_class_property_set_description(oc, "topology",
        "Device tree (.dtb, .dtbo) that describes the trace network");
    object_class_property_add_str(oc, "snapshot", get_snapshot, set_snapshot);
    object_class_property_set_description(oc, "snapshot",
        "Folder for a snapshot of each sink read-out");
    object_class_property_add(oc, "snapshot-max", "size", get_snapshot_max,
                              set_snapshot_max, NULL, NULL);
    object_class_property_set_description(oc, "snapshot-max",
        "Trace bytes of all snapshots together (default 4G)");
    object_class_property_add_str(oc, "exec-log", get_exec_log, set_exec_log);
    object_class_property_set_description(oc, "exec-log",
        "File for the log of retired instructions");
    object_class_property_add_bool(oc, "strict", get_strict, set_strict);
    object_class_property_set_description(oc, "strict",
        "Refuse trace nodes that are not modelled (default: drop them)");
    object_class_property_add(oc, "cpu-map-max", "uint32", get_cpu_map_max,
                              set_cpu_map_max, NULL, NULL);
    object_class_property_set_description(oc, "cpu-map-max",
        "With more CPUs /cpus/cpu-map is left out (default 16)");
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
}

static void csvirt_instance_finalize(Object *obj)
{
    CsvirtMachineState *s = CSVIRT_MACHINE(obj);

    g_free(s->topology);
    g_free(s->snapshot);
    g_free(s->exec_log);
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
