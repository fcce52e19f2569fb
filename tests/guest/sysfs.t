#!/bin/sh
# Trace through sysfs: what /dev/tmc_etr0 gives is what the sink held, and
# decodes to what ran; a sink is read while other CPUs trace into it, with one
# host thread and with one a CPU.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh
need_kernel debian:trixie
tap_begin

# The last folder of a snapshot whose buffer has SIZE bytes.
same_bytes()
{
    size=$(wc -c <"$1")
    for f in "$tmp/$2.snap"/[0-9]*/*.bin; do
        [ "$(wc -c <"$f")" -eq "$size" ] || continue
        # The kernel puts its barrier over the first frame after a loss.
        cmp -s -i "$3" "$1" "$f" && return 0
    done
    return 1
}

copies sysfs.sh tiny workloop
# shellcheck disable=SC2086 # options
guest sysfs --kernel debian:trixie --topology 1etr-2cpu --fail-on-warn \
    $copies --snapshot "$tmp/sysfs.snap" --exec-log "$tmp/sysfs.log" \
    --pull "/tmp/fits:$tmp/fits" --pull "/tmp/wraps:$tmp/wraps" \
    --exec 'sh sysfs.sh tmc_etr0 1'
is "$status" 0 "sysfs: the run ends well" || why sysfs
take_checks sysfs 6
same_bytes "$tmp/fits" sysfs 0
ok $? "sysfs: the device file gives the sink's bytes"
same_bytes "$tmp/wraps" sysfs 16
ok $? "sysfs: also after a wrap, but for the kernel's barrier"
verify_ok sysfs sysfs

for accel in single multi; do
    copies shared.sh tiny svcstorm
    name=shared-$accel
    # shellcheck disable=SC2086 # options
    guest "$name" --kernel debian:trixie --topology deep-1etr-4cpu \
        --accel $accel --fail-on-warn $copies --snapshot "$tmp/$name.snap" \
        --exec-log "$tmp/$name.log" --exec 'sh shared.sh tmc_etr0 10'
    is "$status" 0 "$name: the run ends well" || why "$name"
    take_checks "$name" 4
    verify_ok "$name" "$name"
done
tap_done
