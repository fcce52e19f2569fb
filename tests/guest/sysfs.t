#!/bin/sh
# Trace through sysfs: what /dev/tmc_etr0 gives is what the sink held, and
# decodes to what ran; a sink is read while other CPUs trace into it, with one
# host thread and with one a CPU.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh
. tests/lib/scenarios.sh
need_kernel debian:trixie
tap_begin

sysfs_capture debian:trixie 1etr-2cpu
shared_sink debian:trixie single 10
shared_sink debian:trixie multi 10
tap_done
