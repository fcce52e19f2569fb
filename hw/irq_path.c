/*
 * Connecting interrupt lines quickly.
 *
 * QEMU sets a link by the path of its target, and finds the name of a child by
 * going through all children of its parent.  The interrupt controller of 512
 * CPUs has 16,672 input lines, and each CPU is connected to eight: half of the
 * time that such a machine takes to be made.  The name of a device's input line
 * is known without a search; whether it is the right one is looked up.
 *
 * The linker's --wrap (hw/meson.build) sends calls of the function here.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "hw/irq.h"
#include "qapi/error.h"
#include "qom/object.h"

bool __real_object_property_set_link(Object *obj, const char *name,
                                     Object *value, Error **errp);
bool __wrap_object_property_set_link(Object *obj, const char *name,
                                     Object *value, Error **errp);

/* The path of @device; that of the last one is remembered. */
static const char *device_path(Object *device)
{
    static char *path;

    if (!path || object_resolve_path(path, NULL) != device) {
        g_free(path);
        path = object_get_canonical_path(device);
    }
    return path;
}

/* The path of an unnamed input line of a device; NULL if @obj is none. */
static char *line_path(Object *obj)
{
    char name[40];

    if (!obj->parent || !object_dynamic_cast(obj, TYPE_IRQ)) {
        return NULL;
    }
    snprintf(name, sizeof(name), "unnamed-gpio-in[%d]", IRQ(obj)->n);
    if (object_resolve_path_component(obj->parent, name) != obj) {
        return NULL;
    }
    return g_strdup_printf("%s/%s", device_path(obj->parent), name);
}

bool __wrap_object_property_set_link(Object *obj, const char *name,
                                     Object *value, Error **errp)
{
    g_autofree char *path = value ? line_path(value) : NULL;

    return path ? object_property_set_str(obj, name, path, errp)
                : __real_object_property_set_link(obj, name, value, errp);
}
