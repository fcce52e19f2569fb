# In the guest: the parts that the stories are made of.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

cpus=$(nproc)
etm_of=/sys/bus/coresight/devices/etm

# record FILE OPTION... -- COMMAND...: perf record of user code; its words in
# FILE.err
record()
{
    file=$1
    shift
    rm -f "$file"
    perf record -o "$file" -e cs_etm//u "$@" >/dev/null 2>"$file.err"
}

# hwids FILE: "hwid CPU PACKET" for each HW_ID packet
hwids()
{
    perf report -D -i "$1" 2>/dev/null | sed -n \
        's/^\([0-9]*\) .*OUTPUT_HW_ID hw_id: \(0x[0-9a-f]*\).*/hwid \1 \2/p'
}

# right_cpus FILE LIST: perf's samples of tN are all on CPU N, and each of the
# CPUs of LIST has some
right_cpus()
{
    perf script -i "$1" --itrace=i1000i -F comm,cpu 2>"$1.script.err" |
        awk -v list="$2" '
            $1 ~ /^t[0-9]+$/ {
                cpu = $2; gsub(/[^0-9]/, "", cpu); cpu += 0
                n[cpu]++
                if ($1 != "t" cpu) { wrong++ }
            }
            END {
                k = split(list, want, " ")
                for (i = 1; i <= k; i++) { if (!n[want[i]]) { none++ } }
                if (wrong + none) {
                    print wrong + 0 " samples on a wrong CPU, " none + 0 \
                        " CPUs without one"
                    exit 1
                }
            }' >"$1.wrong"
}

case $1 in
wide)
    # own: perf's default buffers, 4 MiB a CPU for root
    buffers=-m,256K
    [ "$2" != own ] || buffers=
    all=$(seq 0 $((cpus - 1)))
    is=$(ls "$devices" | grep -c '^etm')
    same "$is" "$cpus" "a trace unit for each CPU"
    # shellcheck disable=SC2086 # may be none
    record /tmp/p -a $buffers -- /root/percpu
    check $? "perf record -a of $cpus CPUs" || note "$(cat /tmp/p.err)"
    hwids /tmp/p
    right_cpus /tmp/p "$all"
    check $? "perf decodes, each sample on its CPU" ||
        note "$(cat /tmp/p.wrong /tmp/p.script.err | head -n 4)"
    clean_log "after that" ;;
limit)
    record /tmp/p -C 0-110 -m,256K -- true
    check $? "111 on one sink" || note "$(cat /tmp/p.err)"
    record /tmp/p -a -m,256K -- true
    [ $? -ne 0 ] && grep -q 'failed to mmap.*Cannot allocate memory' /tmp/p.err
    check $? "112 on one sink: perf says that it cannot map" ||
        note "$(cat /tmp/p.err)"
    record /tmp/p -C 1-111 -m,256K -- /root/percpu 5000 111
    check $? "another 111 afterwards: no ID is lost" ||
        note "$(cat /tmp/p.err)"
    right_cpus /tmp/p 111
    check $? "the last CPU's trace decodes" || note "$(cat /tmp/p.wrong)"
    clean_log "after that" ;;
global)
    record /tmp/p -a -m,256K -- true
    [ $? -ne 0 ] && grep -q 'failed to mmap.*Cannot allocate memory' /tmp/p.err
    check $? "$cpus CPUs over two sinks: one map has not enough IDs" ||
        note "$(cat /tmp/p.err)"
    record /tmp/p -C 0-110 -m,256K -- true
    check $? "111 afterwards" || note "$(cat /tmp/p.err)"
    clean_log "after that" ;;
alias)
    record /tmp/p -a -m,256K -- /root/percpu
    check $? "perf record -a of $cpus CPUs" || note "$(cat /tmp/p.err)"
    clean_log "after that" ;;
users)
    record /tmp/p -C 0-1 -- sh -c 'taskset -c 0 /root/tiny; usleep 3000000' &
    first=$!
    usleep 1500000
    cd /home/user && setuidgid user perf record -o q -e cs_etm//u -C 2-3 -- \
        taskset -c 2 /root/tiny >/dev/null 2>/tmp/q.err
    check $? "the second user's session ends well" || note "$(cat /tmp/q.err)"
    wait $first
    check $? "the first user's session ends well" || note "$(cat /tmp/p.err)"
    # Both kernels give a sink to one session: starts of others fail (EBUSY).
    perf report -f -D -i q >/tmp/q.dump 2>&1
    grep -q 'PERF_RECORD_ITRACE_START\|PERF_RECORD_MMAP' /tmp/q.dump &&
        ! grep -q 'PERF_RECORD_AUXTRACE size: 0x[0-9a-f]*[1-9a-f]' /tmp/q.dump
    check $? "and has no trace: the sink was the first user's" ||
        note "$(grep -e PERF_RECORD_AUX /tmp/q.dump | head -n 4)"
    record /tmp/p -C 2-3 -- taskset -c 2 /root/tiny
    check $? "the sink is free afterwards" || note "$(cat /tmp/p.err)"
    clean_log "after that" ;;
moving)
    # one thread, from a CPU of one sink to one of the other, by exec
    cp /root/tiny /tmp/t$3
    record /tmp/p --per-thread -- taskset -c "$2" taskset -c "$3" /tmp/t$3
    check $? "perf record --per-thread" || note "$(cat /tmp/p.err)"
    hwids /tmp/p
    perf script -i /tmp/p --itrace=i1000i -F comm,ip >/tmp/s 2>/tmp/s.err
    if [ "$4" = overlap ]; then
        grep -q 'overlapping Trace IDs' /tmp/s.err
        check $? "perf says that IDs overlap" || note "$(head -n 3 /tmp/s.err)"
    else
        grep -q "t$3" /tmp/s
        check $? "perf decodes over both sinks" ||
            note "$(head -n 3 /tmp/s.err)"
    fi
    clean_log "after that" ;;
sysfs)
    fail=0
    for c in $(seq 0 $((cpus - 1))); do
        id=$(cat ${etm_of}$c/mgmt/trctraceid 2>/dev/null) || fail=$((fail + 1))
        echo "id $c $id"
    done
    lacks=$((cpus > 111 ? cpus - 111 : 0))
    same "$fail" "$lacks" "units that get no ID by reading trctraceid"
    if [ $lacks -gt 0 ]; then
        echo 1 >"$devices/tmc_etr0/enable_sink"
        echo 1 >"${etm_of}$((cpus - 1))/enable_source" 2>/dev/null
        [ $? -ne 0 ]
        check $? "the last unit cannot be switched on"
        echo 1 >"${etm_of}0/reset"
        echo 1 >"${etm_of}$((cpus - 1))/enable_source"
        check $? "it can when another gives its ID back"
        echo 0 >"${etm_of}$((cpus - 1))/enable_source"
        echo 0 >"$devices/tmc_etr0/enable_sink"
    fi
    dmesg | grep -c 'Failed to allocate trace ID' | sed 's/^/note refused: /' ;;
esac
