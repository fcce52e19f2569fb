#!/bin/sh
# The same trace through two decoders and beside the execution log: perf in the
# guest on its perf.data, and OpenCSD's lister on the snapshot of the sink.
# Packets agree kind by kind for each trace ID; instructions of the two
# decoders are those that the CPUs retired at EL0 while they were traced.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh
need_kernel debian:trixie
tap_begin

lister=${LISTER:-$PWD/build/opencsd/trc_pkt_lister}
readelf=${READELF:-aarch64-linux-gnu-readelf}
[ -x "$lister" ] || lister=$(command -v trc_pkt_lister)

# The executable segment of program $1 as a memory image of a snapshot's core.
image_of()
{
    "$readelf" -lW "$1" | awk -v file="${1##*/}" '
        $1 == "LOAD" && $0 ~ / E / {
            print "\n[dump1]\nfile=" file
            print "offset=" $2 "\naddress=" $3 "\nlength=" $5
        }'
}

# Lists every read-out of $tmp/$1.snap, decoded, into $tmp/$1.list.
list()
{
    image=$(image_of "$2")
    : >"$tmp/$1.list"
    for dir in "$tmp/$1.snap"/[0-9]*; do
        cp "$2" "$dir/" || return 1
        for core in "$dir"/cpu_*.ini; do
            printf '%s\n' "$image" >>"$core"
        done
        # It leaves a log of its own where it runs.
        (cd "$tmp" && "$lister" -ss_dir "$dir" -decode -no_time_print \
            -logstdout) >>"$tmp/$1.list" 2>"$tmp/$1.lister.err" ||
            return 1
    done
}

# kinds NAME: "kind ATID PACKET COUNT" of the list.
kinds()
{
    awk '$1 ~ /^Idx:/ && $2 ~ /^ID:/ && match($0, /;\tI_[A-Z0-9_]*/) {
        kind = substr($0, RSTART + 2, RLENGTH - 2)
        id = $2
        gsub(/^ID:|;$/, "", id)
        n[id " " kind]++
    } END { for (k in n) { print "kind", k, n[k] } }' "$tmp/$1.list" |
        LC_ALL=C sort
}

# Instructions in the ranges of the list.
ranges()
{
    sed -n 's/.*OCSD_GEN_TRC_ELEM_INSTR_RANGE(.* num_i(\([0-9]*\)).*/\1/p' \
        "$tmp/$1.list" | awk '{ n += $1 } END { print n + 0 }'
}

# agree KERNEL PROGRAM ARGUMENT...: 9 checks.
agree()
{
    name=agree-${1##*:}-$2
    kernel=$1
    program=$2
    shift 2
    copies tiny workloop
    # shellcheck disable=SC2086 # options
    guest "$name" --kernel "$kernel" --topology 2etr-4cpu --fail-on-warn \
        $copies --copy tests/perf-suite/agree.sh \
        --snapshot "$tmp/$name.snap" --exec-log "$tmp/$name.log" \
        --exec "cd /root; sh agree.sh ./$program $*"
    is "$status" 0 "$name: the run ends well" || why "$name"
    take_checks "$name" 4
    list "$name" "$progs/$program"
    ok $? "$name: the lister reads every read-out" ||
        tail -n 3 "$tmp/$name.lister.err" | sed 's/^/#   /'
    got=$(sed -n '/^kind /p' "$tmp/$name.out" | LC_ALL=C sort)
    want=$(kinds "$name")
    [ -n "$want" ] && [ "$got" = "$want" ]
    ok $? "$name: $(printf '%s\n' "$want" | wc -l) kinds of packets agree" || {
        printf '%s\n' "$got" >"$tmp/got"
        printf '%s\n' "$want" | diff "$tmp/got" - | sed 's/^/#   /'
    }
    retired=$($tools/logcount -e 0 "$tmp/$name.log")
    is "$(ranges "$name")" "$retired" \
        "$name: the lister's ranges are the $retired instructions retired"
    is "$(sed -n 's/^samples [0-9]* //p' "$tmp/$name.out")" "$retired" \
        "$name: so are the periods of perf's samples"
}

for k in debian:trixie debian:trixie-backports; do
    if have_kernel "$k"; then
        agree "$k" tiny
    else
        skip 1 "$k: $image_err"
    fi
done
tap_done
