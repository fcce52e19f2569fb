#!/bin/sh
# The same trace through two decoders and beside the execution log: perf in the
# guest on its perf.data, and OpenCSD's lister on the snapshot of the sink.
# Packets agree kind by kind for each trace ID; instructions of the two
# decoders are those that the CPUs retired at EL0 while they were traced. And
# kernel and user space of two CPUs in one sink: the same instructions in the
# same order for each trace ID, and those that csvirt verify compares.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh
need_kernel debian:trixie
tap_begin

lister=${LISTER:-$PWD/build/opencsd/trc_pkt_lister}
readelf=${READELF:-aarch64-linux-gnu-readelf}
[ -x "$lister" ] || lister=$(command -v trc_pkt_lister)

# The executable segments of programs as memory images of a snapshot's core.
image_of()
{
    for p; do
        "$readelf" -lW "$p" | awk -v file="${p##*/}" '
            $1 == "LOAD" && $0 ~ / R?W?E / && $5 !~ /^0x0+$/ {
                print file, $2, $3, $5
            }'
    done | awk '{
        print "\n[dump" NR "]\nfile=" $1
        print "offset=" $2 "\naddress=" $3 "\nlength=" $4
    }'
}

# list NAME PROGRAM...: every read-out of $tmp/NAME.snap, decoded with the code
# of the programs, into $tmp/NAME.list.
list()
{
    list_name=$1
    shift
    image=$(image_of "$@")
    set -- "$list_name" "$@"
    : >"$tmp/$1.list"
    for dir in "$tmp/$1.snap"/[0-9]*; do
        for p; do
            [ "$p" = "$1" ] || ln -s "$(realpath "$p")" "$dir/${p##*/}" ||
                return 1
        done
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

# both KERNEL: 10 checks.
both()
{
    name=agree-${1##*:}-both
    copies markers
    # shellcheck disable=SC2086 # options
    guest "$name" --kernel "$1" --topology 2etr-4cpu --fail-on-warn \
        --memory 2G $copies --copy tests/perf-suite/agree-both.sh \
        --snapshot "$tmp/$name.snap" --exec-log "$tmp/$name.log" \
        --pull "/tmp/steps:$tmp/$name.steps" \
        --pull "/tmp/kcore:$tmp/$name.kcore" \
        --exec 'sh agree-both.sh'
    is "$status" 0 "$name: the run ends well" || why "$name"
    take_checks "$name" 4
    verify_ok "$name" "$name"
    is "$skipped" 0 "$name: nothing was skipped"
    list "$name" "$progs/markers" "$tmp/$name.kcore"
    ok $? "$name: the lister reads every read-out" ||
        tail -n 3 "$tmp/$name.lister.err" | sed 's/^/#   /'
    $tools/samesteps "$tmp/$name.list" "$tmp/$name.steps" >"$tmp/$name.ids" \
        2>"$tmp/$name.differ"
    ok $? "$name: $(tr '\n' ' ' <"$tmp/$name.ids"): perf and the lister" ||
        sed 's/^/#   /' "$tmp/$name.differ"
    # "cpu N: W windows, T instructions to trace: C compared"
    is "$(awk '{ print $2 }' "$tmp/$name.ids" | tr '\n' ' ')" \
        "$(sed -n 's/^cpu .* to trace: \([0-9]*\) compared.*/\1/p' \
            "$tmp/$name.verify" | tr '\n' ' ')" \
        "$name: as many as verify has compared with the log"
}

for k in debian:trixie debian:trixie-backports; do
    if have_kernel "$k"; then
        agree "$k" tiny
        both "$k"
    else
        skip 1 "$k: $image_err"
    fi
done
tap_done
