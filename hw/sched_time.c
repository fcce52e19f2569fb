/*
 * The guest's time: the virtual clock divided by the dilation.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "sched.h"

static unsigned dilation = 1;

void csvirt_set_dilation(unsigned factor)
{
    dilation = factor;
}

uint64_t csvirt_now_ns(void)
{
    return (uint64_t)qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) / dilation;
}
