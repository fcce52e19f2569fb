# Save and restore in the middle of trace sessions; needs guest.sh.
#
#   chain NAME KERNEL ACCEL POINTS SEED SECONDS
#       POINTS saves at moments of SEED while the guest runs trace sessions for
#       SECONDS of its time. 8 checks; sets compared, skipped, busy.
#
# SPDX-License-Identifier: GPL-2.0-or-later

# A sink whose flushes and stops take long (of the 100 us that the drivers
# allow), so that a moment can fall into them.
slow_tree()
{
    sed 's|compatible = "arm,coresight-tmc", "arm,primecell";|&\
        csvirt,flush-latency-ns = <60000>;\
        csvirt,ready-latency-ns = <30000>;|' board/dts/1etr-2cpu.dtso \
        >"$tmp/slow.dtso"
    grep -q flush-latency "$tmp/slow.dtso"
}

chain()
{
    name=$1
    slow_tree || bail "no slow tree"
    mkdir "$tmp/$name.state"
    copies sessions.sh tiny svcstorm workloop twoviews
    CSVIRT_STATE_QEMU=${CSVIRT_QEMU:-build/qemu-system-aarch64}
    CSVIRT_STATE_DIR=$tmp/$name.state
    CSVIRT_STATE_POINTS=$4
    CSVIRT_STATE_SEED=$5
    CSVIRT_STATE_SINKS=c400000
    export CSVIRT_STATE_QEMU CSVIRT_STATE_DIR CSVIRT_STATE_POINTS \
        CSVIRT_STATE_SEED CSVIRT_STATE_SINKS
    diag "seed $5"
    # shellcheck disable=SC2086 # options
    guest "$name" --kernel "$2" --topology "$tmp/slow.dtso" --accel "$3" \
        --qemu $tools/savestate --fail-on-warn $copies \
        --snapshot "$tmp/$name.snap" --exec-log "$tmp/$name.log" \
        --exec "sh sessions.sh $6"
    is "$status" 0 "$name: the guest does not notice" || why "$name"
    take_checks "$name" 3
    made=$(grep -c '^[0-9]' "$tmp/$name.state/points.tsv")
    is "$made" "$4" "$name: $made saves and restores"
    busy=$(grep -c -E 'session|flush|stop' "$tmp/$name.state/points.tsv")
    in_stop=$(grep -c -E 'flush|stop' "$tmp/$name.state/points.tsv")
    [ "$busy" -gt 0 ]
    ok $? "$name: $busy in a session, $in_stop of them in a flush or stop"
    set --
    for log in "$tmp/$name.log".[0-9]*; do
        set -- "$@" "$tmp/$name.snap/${log##*.}" "$log"
    done
    join_chain "$name" "$@" && verify_ok "$name" "$name"
}

# join_chain NAME DIR LOG...: one folder and one log of those of the emulators.
join_chain()
{
    chain_name=$1
    shift
    $tools/joinlogs "$tmp/$chain_name.joined" "$@" 2>"$tmp/joined.err"
    ok $? "$chain_name: the logs of all emulators are one" ||
        { sed 's/^/#   /' "$tmp/joined.err"; return 1; }
    mv "$tmp/$chain_name.snap" "$tmp/$chain_name.snaps"
    mv "$tmp/$chain_name.joined/snap" "$tmp/$chain_name.snap"
    mv "$tmp/$chain_name.joined/log" "$tmp/$chain_name.log"
}
