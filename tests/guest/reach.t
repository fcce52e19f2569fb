#!/bin/sh
# What perf, configfs and sysfs can ask of the trace units, on each kernel:
# timestamps, context IDs, cycle counts, branch broadcast, return stack, address
# filters, strobing, snapshots, AUX pause; every file of a unit's sysfs folder.
# All of it decodes to what the CPU retired, and no driver write is one that a
# register's manual forbids but for those named below.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh
need_kernel debian:trixie
tap_begin

nm=${NM:-aarch64-linux-gnu-nm}
readelf=${READELF:-aarch64-linux-gnu-readelf}

# offset FUNCTION: sets at (in the file of markers, as perf's filters want it)
# and size.
offset()
{
    # shellcheck disable=SC2046 # two numbers
    set -- $("$nm" -S $progs/markers | awk -v f="$1" '$4 == f {
        print "0x" $1, "0x" $2 }') $("$readelf" -lW $progs/markers |
        awk '$1 == "LOAD" && $0 ~ / E / { print $2, $3 }')
    [ $# -eq 4 ] || bail "markers has no such function"
    at=$(printf '0x%x' $(($1 - $4 + $3)))
    size=$(printf '0x%x' $(($2)))
}

# The driver writes TRCOSLAR before it unlocks the registers, once a unit; and
# an AUX pause programs a sink that is stopped, not disabled (models/tmc.h).
unlocking='etm@[0-9a-f]*: write of 0x0 to TRCOSLAR .*: locked'
enabling='etr@.* to \(RSZ\|MODE\|AXICTL\|DBALO\|DBAHI\|TRG\|CTL\) '

# faults NAME: what else the log has.
faults()
{
    case $1 in
    *backports) known="$enabling.*: not idle" ;;
    *) known=$unlocking ;;
    esac
    grep '^csvirt: ' "$tmp/$1.faults" | grep -v -e "$unlocking" -e "$known" |
        sort | uniq -c
}

reach()
{
    name=reach-${1##*:}
    offset work_after
    other=$at
    offset work_inside
    copies reach.sh etm-sysfs.sh markers svcstorm
    # shellcheck disable=SC2086 # options
    guest "$name" --kernel "$1" --topology 1etr-2cpu --fail-on-warn $copies \
        --snapshot "$tmp/$name.snap" --exec-log "$tmp/$name.log" \
        --qemu-opts "-d guest_errors -D $tmp/$name.faults" \
        --exec "sh etm-sysfs.sh; sh reach.sh $at $size $other"
    is "$status" 0 "$name: the run ends well" || why "$name"
    more=$(grep -c -x -e levels -e pause "$tmp/$name.out")
    take_checks "$name" $((48 + 2 * more))
    case $1 in
    *backports) is "$more" 2 "$name: with levels, with AUX pause" ;;
    *) is "$more" 0 "$name: a kernel without either" ;;
    esac
    is "$(faults "$name")" '' "$name: no register is misused"
    verify_ok "$name" "$name"
    # CPU 0 has the strobes and the snapshots.
    grep -q '^cpu 1: .* 0 skipped (0 while no sink captured), 0 missing' \
        "$tmp/$name.verify"
    ok $? "$name: $(grep '^cpu 1: ' "$tmp/$name.verify")"
}

for k in debian:trixie-backports debian:trixie; do
    if have_kernel "$k"; then
        reach "$k"
    else
        skip 1 "$k: $image_err"
    fi
done
tap_done
