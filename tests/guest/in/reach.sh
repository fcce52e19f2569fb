# In the guest: reach.sh OFFSET SIZE OTHER: what perf and configfs can ask of
# the trace units, each with what the trace must show then. OFFSET and SIZE
# are those of work_inside() in the file /root/markers, OTHER is the offset of
# work_after(). 41 checks, and where the kernel has levels of timestamps and
# AUX pause (the line "levels" or "pause") 2 more for each.
#
# CPU 1 has what shows everything that its unit sees; CPU 0 what does not.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

inside=$1
size=$2
other=$3
syscfg=/sys/kernel/config/cs-syscfg
sink=tmc_etr0
cpu=1

# A call of one of its work functions is 1208 instructions, 4 rounds of each.
rounds=4
each=$((1208 * rounds))

# record ARGUMENTS...: on one CPU, so that its unit alone has the program.
record()
{
    rm -f /tmp/p
    taskset -c $cpu perf record -B -N -o /tmp/p "$@" -- \
        /root/markers $rounds >/tmp/out 2>&1 &&
        grep -q "^markers: done\$" /tmp/out
}

# packets KIND: packets of the dump, by a regular expression.
packets()
{
    grep -a -c -E "ID:[0-9a-f]+;.*I_$1" /tmp/dump
}

dump()
{
    perf report -D -i /tmp/p 2>/dev/null >/tmp/dump
}

# traced WHAT ARGUMENTS...: recorded and in /tmp/dump. 1 check.
traced()
{
    what=$1
    shift
    record "$@" && dump && [ "$(packets ASYNC)" -gt 0 ]
    check $? "$what: traced" || note "$(tail -n 5 /tmp/out)"
}

# refused WHAT ARGUMENTS...: perf takes no such event. 1 check.
refused()
{
    what=$1
    shift
    ! record "$@" && ! grep -q '^markers: done$' /tmp/out
    check $? "$what: refused"
}

# nothing WHAT ARGUMENTS...: the driver refuses it at each start, silently: the
# program runs untraced. 1 check.
nothing()
{
    what=$1
    shift
    record "$@" && dump && [ "$(packets '')" -eq 0 ]
    check $? "$what: runs untraced, the driver has refused it"
}

# less WHAT A B...: each is less than the one before. 1 check.
less()
{
    what=$1
    last=$2
    shift 2
    bad=0
    for n; do
        [ "$n" -lt "$last" ] || bad=1
        last=$n
    done
    check $bad "$what"
}

# Samples of each function, one an instruction, in /tmp/functions.
functions()
{
    perf script -i /tmp/p --itrace=i1i -F ip,sym 2>/tmp/err |
        awk 'NF > 1 { n[$2]++ } END { for (f in n) print f, n[f] }' \
            >/tmp/functions
}

samples()
{
    awk -v f="$1" '$1 ~ f { n += $2 } END { print n + 0 }' /tmp/functions
}

# least: the least cycle count of the dump.
least()
{
    n=4096
    for c in $(sed -n 's/.*I_CCNT.*Count=\(0x[0-9a-f]*\).*/\1/p' /tmp/dump |
        sort -u); do
        [ $((c)) -ge $n ] || n=$((c))
    done
    echo $n
}

timestamps()
{
    traced timestamp=0 -e cs_etm/timestamp=0/u
    addresses=$(packets ADDR_)
    same "$(packets TIMESTAMP)" 0 'timestamp=0: none'
    traced timestamp=1 -e cs_etm/timestamp=1/u
    every=$(packets TIMESTAMP)
    contexts=$(packets '.*CID=0x')
    sed -n 's/.*CID=\(0x[0-9a-f]*\).*/\1/p' /tmp/dump | sort -u >/tmp/pids
    pid=$(sed -n 's/.*PERF_RECORD_COMM exec: markers:\([0-9]*\).*/\1/p' \
        /tmp/dump | tail -n 1)
    [ "$every" -gt $((10 * $(packets ASYNC))) ]
    check $? "timestamp=1: $every, by the counter and not at sync alone"
    sed -n 's/.*I_TIMESTAMP.* val = 0x//p' /tmp/dump | awk '{
        v = sprintf("%16s", $1)
        bad += v < last
        last = v
    } END { exit bad || !NR }'
    check $? 'timestamp=1: they do not go back'
    case $(cat /sys/bus/event_source/devices/cs_etm/format/timestamp) in
    *-*)
        echo levels
        traced timestamp=15 -e cs_etm/timestamp=15/u
        few=$(packets TIMESTAMP)
        [ "$few" -gt 0 ] && [ "$few" -le "$(packets ASYNC)" ]
        check $? "timestamp=15: $few, at sync alone"
        refused timestamp=16 -e cs_etm/timestamp=16/u
        ;;
    *)
        refused timestamp=2 -e cs_etm/timestamp=2/u
        ;;
    esac
}

contexts()
{
    [ "$contexts" -gt 0 ] && [ "$(wc -l </tmp/pids)" -eq 1 ]
    check $? "contextid: $contexts times one process"
    same "$(($(cat /tmp/pids)))" "$pid" "contextid: that of markers"
    traced contextid1 -e cs_etm/contextid1,timestamp=0/u --per-thread
    [ "$(packets '.*CID=0x')" -gt 0 ]
    check $? "contextid1: with --per-thread only when asked for"
    traced 'no contextid1' -e cs_etm/timestamp=0/u --per-thread
    same "$(packets '.*CID=0x')" 0 'no contextid1: none'
    nothing contextid2 -e cs_etm/contextid2/u
}

cycles()
{
    traced cycacc -e cs_etm/cycacc/u
    some=$(packets CCNT)
    [ "$(least)" -ge 256 ] && [ "$(least)" -lt 300 ]
    check $? "cycacc: no count below the driver's threshold of 256"
    traced cc_threshold=4 -e cs_etm/cycacc,cc_threshold=4/u
    many=$(packets CCNT)
    same "$(least)" 4 "cc_threshold=4: down to 4"
    traced cc_threshold=0xfff -e cs_etm/cycacc,cc_threshold=0xfff/u
    less "cycle counts: $many, $some, $(packets CCNT)" \
        "$many" "$some" "$(packets CCNT)"
    refused cc_threshold=0x1000 -e cs_etm/cycacc,cc_threshold=0x1000/u
}

branches()
{
    traced branch_broadcast -e cs_etm/branch_broadcast,timestamp=0/u
    less "addresses: $(packets ADDR_), ten times $addresses" \
        "$(packets ADDR_)" $((10 * addresses))
    traced retstack -e cs_etm/retstack,timestamp=0/u
    less "addresses: $addresses, with the return stack $(packets ADDR_)" \
        "$addresses" "$(packets ADDR_)"
}

filters()
{
    range="filter $inside/$size@/root/markers"
    traced 'a range' -e cs_etm//u --filter "$range"
    functions
    same "$(samples work_inside) of $(samples .)" "$each of $each" \
        'a range: its function and nothing else'
    traced 'start and stop' -e cs_etm//u --filter \
        "start $inside@/root/markers, stop $other@/root/markers"
    functions
    [ "$(samples work_inside)" -eq $each ] &&
        [ "$(samples work_before)" -eq 0 ] &&
        [ "$(samples work_after)" -le $((16 * rounds)) ] &&
        [ "$(samples syscall)" -gt 0 ]
    check $? 'start and stop: from the one to the other' ||
        note "$(cat /tmp/functions)"
    nothing 'more ranges than comparators' -e cs_etm//u \
        --filter "$range, $range, $range, $range, $range"
    refused 'a range and a start' -e cs_etm//u \
        --filter "$range, start $other@/root/markers"
}

# A window of W cycles each P + 1 windows: the period counter counts to zero
# and reloads at the end of the window in which it was zero.
strobing()
{
    nothing 'preset 10' -e cs_etm/autofdo,preset=10/u
    traced 'autofdo, preset 1' -e cs_etm/autofdo,preset=1/u
    ! echo zz >$syscfg/features/strobing/params/window/value 2>/dev/null
    check $? 'strobing: a window that is no number is refused'
    echo 400 >$syscfg/features/strobing/params/window/value
    echo 4 >$syscfg/features/strobing/params/period/value
    traced 'autofdo, 400 cycles of 2000' -e cs_etm/autofdo/u
    functions
    got=$(samples work_)
    want=$((3 * each / 5))
    [ "$got" -gt $((want * 3 / 4)) ] && [ "$got" -lt $((want * 5 / 4)) ]
    check $? "strobing: $got instructions traced, about $want"
    # In sysfs mode the configuration that is enabled counts. The kernel alone,
    # whose code at an address is the same before and behind a gap.
    echo 1 >$devices/etm$cpu/reset
    # Bit 27: the start/stop logic is on, 31: no user space.
    echo 0x88000000 >$devices/etm$cpu/mode
    sysfs-capture -c $cpu $sink /tmp/whole /root/svcstorm 20 >/dev/null
    echo 1 >$syscfg/configurations/autofdo/preset
    ! echo 10 >$syscfg/configurations/autofdo/preset 2>/dev/null
    check $? 'autofdo: preset 10 is refused'
    echo 1 >$syscfg/configurations/autofdo/enable
    sysfs-capture -c $cpu $sink /tmp/part /root/svcstorm 20 >/dev/null
    echo 0 >$syscfg/configurations/autofdo/enable
    less "autofdo in sysfs mode: $(wc -c </tmp/part) bytes of \
$(wc -c </tmp/whole)" "$(wc -c </tmp/whole)" $((2 * $(wc -c </tmp/part)))
    [ -s /tmp/part ]
    check $? 'autofdo in sysfs mode: something is traced'
}

# grown FILE BYTES: has FILE more than BYTES, within a minute?
grown()
{
    n=0
    while [ ! -e "$1" ] || [ "$(wc -c <"$1")" -le "$2" ]; do
        n=$((n + 1))
        [ $n -le 600 ] || return 1
        usleep 100000
    done
}

snapshot()
{
    rm -f /tmp/p
    taskset -c $cpu perf record -B -N -S -m ,64K -e cs_etm//u -o /tmp/p -- \
        /root/svcstorm 1000000 >/tmp/out 2>&1 &
    perf=$!
    grown /tmp/p 0
    n=0
    until pidof svcstorm >/dev/null || [ $n -gt 600 ]; do
        n=$((n + 1))
        usleep 100000
    done
    bad=0
    for i in 1 2; do
        before=$(wc -c </tmp/p)
        kill -USR2 $perf
        grown /tmp/p "$before" || bad=1
    done
    kill $(pidof svcstorm)
    wait $perf 2>/dev/null
    check $bad 'snapshot: each SIGUSR2 writes one'
    dump
    n=$(grep -a -c 'PERF_RECORD_AUXTRACE size' /tmp/dump)
    [ "$n" -ge 2 ] && [ "$(packets ASYNC)" -ge "$n" ]
    check $? "snapshot: $n of them, each with a sync"
}

# Traced from getppid() to getpgid(), which is work_inside().
pause()
{
    case $(uname -r) in
    [1-6].*) return ;;
    esac
    echo pause
    traced 'AUX pause' -e "{cs_etm/@$sink,aux-action=start-paused/u,\
syscalls:sys_enter_getppid/aux-action=resume/,\
syscalls:sys_enter_getpgid/aux-action=pause/}"
    functions
    same "$(samples work_inside) $(samples 'work_(before|after)')" "$each 0" \
        'AUX pause: each resumed part, nothing else'
}

timestamps
contexts
cycles
branches
filters
pause
cpu=0
strobing
snapshot
clean_log reach
