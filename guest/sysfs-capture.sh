#!/bin/sh
# In the guest: trace a command through sysfs, without perf.
#
#   sysfs-capture [-c CPU] SINK OUT COMMAND ARG...
#
# SINK is a name below /sys/bus/coresight/devices (tmc_etr0). Every CPU's
# trace unit is the source, or that of CPU alone, to which COMMAND is then
# bound. Prints the sink's byte count; COMMAND's exit status is its own unless
# a step of the capture fails (3, one line on stderr).
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -u
devices=/sys/bus/coresight/devices

die()
{
    echo "sysfs-capture: $*" >&2
    stop
    exit 3
}

on=
sink_on=
stop()
{
    for s in $on; do
        echo 0 >"$devices/$s/enable_source"
    done
    on=
    [ -z "$sink_on" ] || echo 0 >"$devices/$sink/enable_sink"
    sink_on=
}

cpu=
if [ "${1:-}" = -c ]; then
    cpu=${2:-}
    shift 2
fi
[ $# -ge 3 ] || {
    echo "usage: sysfs-capture [-c CPU] SINK OUT COMMAND ARG..." >&2
    exit 2
}
sink=$1
out=$2
shift 2
[ -e "$devices/$sink/enable_sink" ] || die "$sink is no sink in $devices"

sources=
for d in "$devices"/*; do
    [ -e "$d/enable_source" ] && [ -e "$d/cpu" ] || continue
    [ -z "$cpu" ] || [ "$(cat "$d/cpu")" = "$cpu" ] || continue
    sources="$sources ${d##*/}"
done
[ -n "$sources" ] || die "no trace unit${cpu:+ of CPU $cpu}"

echo 1 >"$devices/$sink/enable_sink" || die "cannot enable $sink"
sink_on=1
for s in $sources; do
    echo 1 >"$devices/$s/enable_source" || die "cannot enable $s"
    on="$on $s"
done
if [ -n "$cpu" ]; then
    taskset -c "$cpu" "$@"
else
    "$@"
fi
status=$?
# The sources first: what they still hold goes to the sink as they stop.
stop
csread "/dev/$sink" "$out" || die "cannot read /dev/$sink"
exit $status
