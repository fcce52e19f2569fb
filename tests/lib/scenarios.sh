# Runs of a guest that several tests make; needs guest.sh. Each is named by
# $name afterwards, and its checks are made through tap.sh's functions.
#
#   probe TOPOLOGY KERNEL RELOADS
#   record KERNEL NAME OPTION-OF-CSVIRT... -- ARGUMENTS-OF-PERF-RECORD
#   sysfs_capture KERNEL TOPOLOGY
#   shared_sink KERNEL ACCEL ROUNDS
#
# SPDX-License-Identifier: GPL-2.0-or-later

# probe: all nodes probe, are connected as drawn, modules reload. 13 checks.
probe()
{
    name=$1-${2##*:}
    copies probe.sh reload.sh
    # shellcheck disable=SC2086 # options
    guest "$name" --kernel "$2" --topology "$1" --fail-on-warn $copies \
        --exec "sh probe.sh; sh reload.sh $3"
    is "$status" 0 "$1, $2: the run ends well" || why "$name"
    take_checks "$name" 10
    is "$(got_links "$name")" "$(links_of "$1")" \
        "$1, $2: connections as drawn"
}

# record: perf records a command of /root; the sinks' contents decode to what
# the CPUs retired. 6 checks.
record()
{
    kernel=$1
    name=$2-${kernel##*:}
    shift 2
    options=
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    copies record.sh tiny workloop svcstorm faults selfmod twoviews
    # shellcheck disable=SC2086 # options
    guest "$name" --kernel "$kernel" --fail-on-warn $options $copies \
        --snapshot "$tmp/$name.snap" --exec-log "$tmp/$name.log" \
        --exec "sh record.sh $name $*"
    is "$status" 0 "$name: the run ends well" || why "$name"
    take_checks "$name" 3
    verify_ok "$name" "$name"
    # Nothing wraps here, so a read-out that is missing shows as this.
    is "$skipped" 0 "$name: nothing was skipped"
}

# The buffer of some read-out is this file, but for the first COUNT bytes.
same_bytes()
{
    size=$(wc -c <"$1")
    for f in "$tmp/$2.snap"/[0-9]*/*.bin; do
        [ "$(wc -c <"$f")" -eq "$size" ] || continue
        cmp -s -i "$3" "$1" "$f" && return 0
    done
    return 1
}

# sysfs_capture: trace without perf. 11 checks.
sysfs_capture()
{
    name=sysfs-${1##*:}
    copies sysfs.sh tiny workloop
    # shellcheck disable=SC2086 # options
    guest "$name" --kernel "$1" --topology "$2" --fail-on-warn $copies \
        --snapshot "$tmp/$name.snap" --exec-log "$tmp/$name.log" \
        --pull "/tmp/fits:$tmp/$name.fits" \
        --pull "/tmp/wraps:$tmp/$name.wraps" \
        --exec 'sh sysfs.sh tmc_etr0 1'
    is "$status" 0 "$name: the run ends well" || why "$name"
    take_checks "$name" 6
    same_bytes "$tmp/$name.fits" "$name" 0
    ok $? "$name: the device file gives the sink's bytes"
    # The kernel puts its barrier over the first frame after a loss.
    same_bytes "$tmp/$name.wraps" "$name" 16
    ok $? "$name: also after a wrap, but for the kernel's barrier"
    verify_ok "$name" "$name"
}

# shared_sink: read a sink that every CPU traces into. 7 checks.
shared_sink()
{
    name=shared-$2-${1##*:}
    copies shared.sh workloop svcstorm
    # shellcheck disable=SC2086 # options
    guest "$name" --kernel "$1" --topology deep-1etr-4cpu --accel "$2" \
        --fail-on-warn $copies --snapshot "$tmp/$name.snap" \
        --exec-log "$tmp/$name.log" --exec "sh shared.sh tmc_etr0 $3"
    is "$status" 0 "$name: the run ends well" || why "$name"
    take_checks "$name" 4
    verify_ok "$name" "$name"
}
