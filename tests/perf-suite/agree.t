#!/bin/sh
# The same trace through two decoders and beside the execution log: perf in the
# guest on its perf.data, and OpenCSD's lister on the snapshot of the sink.
# Packets agree kind by kind for each trace ID; instructions of the two
# decoders are those that the CPUs retired at EL0 while they were traced. And
# kernel and user space of two CPUs: the same instructions in the
# same order for each trace ID, and those that csvirt verify compares.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh
need_kernel debian:trixie
tap_begin

lister=${LISTER:-$PWD/build/opencsd/trc_pkt_lister}
readelf=${READELF:-aarch64-linux-gnu-readelf}
[ -x "$lister" ] || lister=$(command -v trc_pkt_lister)

# The executable segments of program $1, $2 of them at most, each with a name,
# offset, address and length.
segments_of()
{
    "$readelf" -lW "$1" | awk -v file="${1##*/}" -v most="$2" '
        $1 == "LOAD" && / R?W?E / && !seen[$3]++ && n++ < most {
            print file, $2, $3, $5
        }'
}

# list NAME FILE:SEGMENTS...: every read-out of $tmp/NAME.snap, decoded with so
# many segments of the files as memory images, into $tmp/NAME.list.
list()
{
    list_name=$1
    shift
    image=$(for f; do
        segments_of "${f%:*}" "${f##*:}"
    done | awk '{
        print "\n[dump" NR "]\nfile=" $1
        print "offset=" $2 "\naddress=" $3 "\nlength=" $4
    }')
    : >"$tmp/$list_name.list"
    for readout in "$tmp/$list_name.snap"/[0-9]*; do
        rm -rf "$tmp/readout"
        cp -r "$readout" "$tmp/readout" || return 1
        for f; do
            ln -s "$(realpath "${f%:*}")" "$tmp/readout/" || return 1
        done
        for core in "$tmp/readout"/cpu_*.ini; do
            printf '%s\n' "$image" >>"$core"
        done
        # It leaves a log of its own where it runs.
        (cd "$tmp" && "$lister" -ss_dir "$tmp/readout" -decode \
            -no_time_print -logstdout) >>"$tmp/$list_name.list" \
            2>"$tmp/$list_name.lister.err" || return 1
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
    list "$name" "$progs/$program:1"
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

# both KERNEL: 12 checks. Without the trampoline of kpti, which /proc/kcore
# has not.
both()
{
    name=agree-${1##*:}-both
    copies markers
    # shellcheck disable=SC2086 # options
    guest "$name" --kernel "$1" --topology split-2etr-4cpu --fail-on-warn \
        --memory 2G --append kpti=off $copies \
        --copy tests/perf-suite/agree-both.sh \
        --snapshot "$tmp/$name.snap" --exec-log "$tmp/$name.log" \
        --pull "/tmp/steps:$tmp/$name.steps" \
        --pull "/tmp/kcore:$tmp/$name.kcore" \
        --exec 'sh agree-both.sh'
    is "$status" 0 "$name: the run ends well" || why "$name"
    take_checks "$name" 4
    verify_ok "$name" "$name"
    is "$skipped" 0 "$name: nothing was skipped"
    list "$name" "$progs/markers:1" "$tmp/$name.kcore:99"
    ok $? "$name: the lister reads every read-out" ||
        tail -n 3 "$tmp/$name.lister.err" | sed 's/^/#   /'
    $tools/samesteps "$tmp/$name.list" /dev/null 2>/dev/null |
        awk '{ print $2 }' >"$tmp/$name.listed"
    # "cpu N: W windows, T instructions to trace: C compared"
    sed -n 's/^cpu .* to trace: \([0-9]*\) compared.*/\1/p' \
        "$tmp/$name.verify" >"$tmp/$name.compared"
    cmp -s "$tmp/$name.listed" "$tmp/$name.compared"
    ok $? "$name: the lister has what verify has compared with the log: \
$(tr '\n' ' ' <"$tmp/$name.listed")" || diag "verify: $(tr '\n' ' ' \
        <"$tmp/$name.compared")"
    # perf never looks into kcore for the code of modules: without it, too,
    # which is the second of its segments.
    list "$name" "$progs/markers:1" "$tmp/$name.kcore:1"
    $tools/samesteps "$tmp/$name.list" "$tmp/$name.steps" >"$tmp/$name.ids" \
        2>"$tmp/$name.differ"
    ok $? "$name: perf's steps are the lister's: \
$(tr '\n' ' ' <"$tmp/$name.ids")" || sed 's/^/#   /' "$tmp/$name.differ"
    [ "$(wc -l <"$tmp/$name.ids")" -ge 2 ]
    ok $? "$name: of several CPUs"
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
