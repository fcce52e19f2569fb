# Acceptance C to G2: what a guest does. Sourced by main-job.
#
# SPDX-License-Identifier: GPL-2.0-or-later

need()
{
    have_kernel "$1" || { skipping="$1: $image_err"; return 1; }
}

# ---- C: perf's counts and names ----------------------------------------------

# count_run NAME KERNEL COMMAND: the last number that COMMAND prints, in count.
count_run()
{
    rm -rf "$tmp/$1.snap" "$tmp/$1.log"
    guest "$1" --kernel "$2" --topology 2etr-4cpu --fail-on-warn \
        --copy $progs/tiny --snapshot "$tmp/$1.snap" \
        --exec-log "$tmp/$1.log" --exec "$3"
    is "$status" 0 "$1: $3" || why "$1"
    count=$(grep -E '^[0-9]+$' "$tmp/$1.out" | tail -n 1)
    count=${count:-0}
    verify_ok "$1" "$1"
}

# The issue's own command: one sample for each instruction of user space.
count_user()
{
    count_run count-u "$1" 'perf record -e cs_etm/@tmc_etr1/u -o /tmp/p -- '\
'./tiny && perf script -i /tmp/p --itrace=i1i | wc -l'
    log=$($tools/logcount -e 0 "$tmp/count-u.log")
    [ "$log" -gt 1000 ] && [ "$log" -lt 50000 ]
    ok $? "tiny retires $log instructions of user space"
    is "$count" "$log" "--itrace=i1i: a sample for each"
    figure="u: $count samples, $log instructions"
}

# near COUNT LOG PERIOD PERCENT: at least that share of the instructions has its
# sample. --kcore gives perf the kernel's code as it was in the session; without
# it perf reads the code afterwards, when static keys that a system-wide event
# switches are back, and OpenCSD says "N Atom on unconditional direct BR". What
# is missing still is the page table isolation's trampoline, of which perf has
# no image. That the trace has every instruction is what verify says.
near()
{
    [ "$1" -le $(($2 / $3)) ] && [ "$1" -ge $(($2 * $4 / 100 / $3 - 8)) ]
}

count_others()
{
    count_run count-k "$1" 'perf record --kcore -e cs_etm//k -o /tmp/p -- '\
'./tiny && perf script -i /tmp/p --itrace=i100i | wc -l'
    log=$($tools/logcount -e 1 "$tmp/count-k.log")
    near "$count" "$log" 100 98
    ok $? "k: $count samples of 100, $log instructions"
    figure="$figure; k: $count of 100, $log"
    count_run count-a "$1" 'perf record --kcore -e cs_etm// -a -o /tmp/p -- '\
'sleep 1 && perf script -i /tmp/p --itrace=i1000i | wc -l'
    log=$($tools/logcount "$tmp/count-a.log")
    near "$count" "$log" 1000 98
    ok $? "-a: $count samples of 1000, $log instructions"
    figure="$figure; -a: $count of 1000, $log"
}

# Function names: of our program, and of perf's own workload. Debian's perf is
# stripped, so its samples must lie in perf; the same workload in a perf of the
# same sources with its symbols (tests/perf-suite/build-perf.sh) is named.
count_names()
{
    copies names.sh workloop
    # shellcheck disable=SC2086 # options
    guest names --kernel "$1" --topology 2etr-4cpu --fail-on-warn $copies \
        --exec 'sh names.sh sym leaf_hash walk_table sort_rows -- \
            ./workloop 60; sh names.sh dso /usr/bin/perf -- \
            perf test -w brstack 200000'
    is "$status" 0 "workloads: the run ends well" || why names
    take_checks names 8
    figure="$figure; workloop's functions named;"
    figure="$figure $(sed -n 's/^check ok \([0-9]* samples\) of perf.*/\1/p' \
        "$tmp/names.out") in perf's workload"
    count_named "$1"
}

count_named()
{
    perf=build/perf-suite/perf-7
    if [ ! -x $perf ]; then
        diag "perf's workload by name: no $perf (make check-perf makes it)"
        figure="$figure, not named: its package is stripped"
        return
    fi
    # shellcheck disable=SC2086 # options
    guest named --kernel "$1" --perf $perf --topology 2etr-4cpu \
        --fail-on-warn $copies \
        --exec 'sh names.sh sym brstack_foo brstack_bar brstack_bench -- \
            perf test -w brstack 200000'
    is "$status" 0 "perf's workload: the run ends well" || why named
    take_checks named 5
    figure="$figure, its functions named in a perf with symbols"
}

item_counts()
{
    need "$1" || return
    count_user "$1"
    count_others "$1"
    count_names "$1"
}

# ---- D: a million instructions -----------------------------------------------

item_million()
{
    need "$1" || return
    record "$1" user --topology 2etr-4cpu -- \
        "-m ,16M -e cs_etm/@tmc_etr0/u -- ./workloop 20"
    user=$compared
    [ "$user" -ge 1000000 ] && [ "$skipped" = 0 ]
    ok $? "user space: $user compared, $skipped skipped"
    record "$1" both --topology 2etr-4cpu -- \
        "-m ,16M -e cs_etm/@tmc_etr0/ -- ./svcstorm 400"
    el1=$($tools/logcount -e 1 "$tmp/$name.log")
    [ "$el1" -ge 1000000 ] && [ "$compared" -ge "$el1" ] &&
        [ "$skipped" = 0 ]
    ok $? "with the kernel: $compared compared, $el1 of EL1, $skipped skipped"
    figure="0 mismatches of $user (user) and $compared ($el1 of EL1)"
}

# ---- E: sysfs; F: the drivers ------------------------------------------------

item_sysfs()
{
    for k in debian:trixie debian:trixie-backports; do
        need $k || return
        sysfs_capture $k 2etr-4cpu
        figure="$figure ${k#debian:}: $(sed -n 's/^bytes //p' \
            "$tmp/$name.out" | tr '\n' ' ')bytes, $compared compared;"
    done
}

item_driver()
{
    runs=0
    for k in debian:trixie debian:trixie-backports; do
        need $k || return
        for t in 1etr-2cpu 2etr-4cpu split-2etr-4cpu deep-1etr-4cpu \
            static-1etr-2cpu; do
            probe $t $k 10
            runs=$((runs + 1))
        done
    done
    figure="$runs boots (5 topologies, 2 kernels), 10 reloads each"
}

# ---- G: saved states; G2: shared sinks ---------------------------------------

item_saves()
{
    need debian:trixie || return
    points=${ACCEPT_POINTS:-100}
    seed=${CSVIRT_SEED:-1}
    chain saves debian:trixie single "$points" "$seed" 60
    figure="$made saves, $busy in a session, $in_stop in a flush or stop;"
    figure="$figure $last"
    chain saves-multi debian:trixie multi $((points / 5)) "$seed" 20
    figure="$figure; one thread a CPU: $made saves, $last"
}

item_shared()
{
    need debian:trixie || return
    figure=
    for accel in single multi; do
        shared_sink debian:trixie $accel 20
        shared=$compared
        record debian:trixie all-$accel --topology 2etr-4cpu \
            --accel $accel -- "-e cs_etm/@tmc_etr0/ -a -- ./svcstorm 50"
        all=$compared
        record debian:trixie views-$accel --topology 2etr-4cpu \
            --accel $accel -- "-e cs_etm//u -a -- ./twoviews -n 50"
        figure="$figure $accel: read while tracing $shared, -a $all,"
        figure="$figure two views $compared instructions;"
    done
}
