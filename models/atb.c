/*
 * ATB links: passing chunks downstream and flush requests upstream.
 * Spec: Arm IHI 0032C, chapters 3 and 4.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "atb.h"

const char *atb_drop_text(enum atb_drop why)
{
    switch (why) {
    case ATB_DROP_NONE:
        return "none";
    case ATB_DROP_NO_PATH:
        return "no path";
    case ATB_DROP_PORT_CLOSED:
        return "port closed";
    case ATB_DROP_FILTERED:
        return "filtered";
    case ATB_DROP_SINK_DISABLED:
        return "sink disabled";
    case ATB_DROP_SINK_STOPPED:
        return "sink stopped";
    case ATB_DROP_BUS_ERROR:
        return "bus error";
    case ATB_DROP_OVERFLOW:
        return "overflow";
    case ATB_DROP_BAD_ID:
        return "reserved ATID";
    case ATB_DROP_NO_BUFFER:
        return "no buffer";
    case ATB_DROP_COUNT:
        break;
    }
    return "unknown reason";
}

void atb_node_lock(const struct atb_node *node)
{
    if (node->lock) {
        node->lock(node->lock_arg);
    }
}

void atb_node_unlock(const struct atb_node *node)
{
    if (node->unlock) {
        node->unlock(node->lock_arg);
    }
}

bool atb_push(const struct atb_link *link, uint8_t atid,
              const uint8_t *bytes, size_t n)
{
    if (!link) {
        return false;
    }
    if (n) {
        atb_node_lock(link->to);
        link->to->ops->push(link->to->self, link->to_port,
                            atid & ATB_ID_MAX, bytes, n);
        atb_node_unlock(link->to);
    }
    return true;
}

void atb_flush(const struct atb_link *link)
{
    if (link && link->from->ops->flush) {
        link->from->ops->flush(link->from->self);
    }
}

void atb_count_drop(struct atb_count *c, uint8_t atid, enum atb_drop why,
                    size_t n)
{
    c->dropped[why] += n;
    c->dropped_id[atid & ATB_ID_MAX] += n;
}
