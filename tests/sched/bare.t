#!/bin/sh
# The vCPU scheduler with a guest of its own (bare.c): PSCI, wake-ups, locks,
# TLB maintenance and changed code on 1 to 130 CPUs (CSVIRT_SLOW=1: 512), by
# each policy; the same run from the same seed, on an idle and a busy host.
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/tap/tap.sh
qemu=${CSVIRT_QEMU:-build/qemu-system-aarch64}
guest=build/tests/bare
[ -x "$qemu" ] || bail "$qemu is not built"
[ -f $guest ] || skip_all 'no compiler for arm64'
dir=$(mktemp -d) || bail 'no temporary folder'
busy=
bare_end()
{
    # shellcheck disable=SC2086 # process IDs
    [ -z "$busy" ] || kill $busy
    rm -rf "$dir"
}
trap bare_end EXIT
trap 'exit 99' HUP INT TERM
counted='-icount shift=0,sleep=off -rtc base=2026-01-01T00:00:00,clock=vm'

# bare NAME CPUS MACHINE-OPTIONS OPTION...: output in $dir/NAME; status
bare()
{
    name=$1
    cpus=$2
    machine=$3
    shift 3
    timeout "${CSVIRT_TIMEOUT:-300}" "$qemu" -M "csvirt$machine" \
        -cpu neoverse-n1 -smp "$cpus" -m 256M -kernel $guest -nodefaults \
        -display none -no-reboot -seed 1 -serial "file:$dir/$name" \
        -accel tcg,thread=single "$@" >"$dir/err" 2>&1 </dev/null
    status=$?
}

# passes WHAT CPUS MACHINE-OPTIONS OPTION...
passes()
{
    what=$1
    shift
    bare out "$@"
    [ "$status" -eq 0 ] && [ "$(tail -n 1 "$dir/out")" = 'bare: done' ] &&
        [ "$(grep -c '^check ok' "$dir/out")" -eq 13 ] &&
        grep -q "^cpus $1\$" "$dir/out"
    ok $? "$what, $1 CPUs" || {
        diag "exit status $status: $(tail -n 1 "$dir/err")"
        sed 's/^/#   /' "$dir/out"
    }
}

# refused WORDS WHAT MACHINE-OPTIONS OPTION...
refused()
{
    words=$1
    what=$2
    shift 2
    bare out 2 "$@"
    is "$status" 1 "$what: refused"
    like "$(cat "$dir/err")" "$words" '... with the reason'
}

tap_begin
sizes='1 2 8 130'
[ -z "${CSVIRT_SLOW:-}" ] || sizes="$sizes 512"
for n in $sizes; do
    passes fair "$n" ''
    # shellcheck disable=SC2086 # options
    passes 'fair, instructions' "$n" '' $counted
done
# Each instruction can be the last of a turn.
# shellcheck disable=SC2086
for q in 1 13 5000000; do
    passes "turns of $q instructions" 4 ",quantum=$q" $counted
done
passes "QEMU's own" 4 ,sched=stock
passes 'a thread each' 4 '' -accel tcg,thread=multi

# ---- chaos
seed=${CSVIRT_SEED:-$(date +%s)}
diag "seed $seed"
n=0
# shellcheck disable=SC2086
while [ $n -lt 10 ]; do
    passes "chaos, seed $((seed + n))" 5 \
        ",sched=chaos,sched-seed=$((seed + n)),quantum=20000" $counted
    n=$((n + 1))
done

# ---- the same seed
# shellcheck disable=SC2086
for sched in fair chaos; do
    bare one 9 ",sched=$sched,sched-seed=3" $counted
    bare two 9 ",sched=$sched,sched-seed=3" $counted
    cmp "$dir/one" "$dir/two"
    ok $? "$sched: the same clock and output from the same seed"
    for i in 1 2 3 4; do
        (while :; do :; done) &
        busy="$busy $!"
    done
    bare two 9 ",sched=$sched,sched-seed=3" $counted
    kill $busy
    wait $busy 2>/dev/null
    busy=
    cmp "$dir/one" "$dir/two"
    ok $? "$sched: also on a busy host"
done
# shellcheck disable=SC2086
bare two 9 ',sched=chaos,sched-seed=4' $counted
! cmp -s "$dir/one" "$dir/two"
ok $? 'chaos: another seed, another run'

# ---- time and what is refused
# shellcheck disable=SC2086
refused 'sched=best: fair, chaos or stock' 'no such policy' ,sched=best
refused 'sched=chaos: needs -icount' 'chaos without a count' ,sched=chaos
refused 'clock-frequency 6250000000 does not fit' 'too much dilation' \
    ,dilation=100
tap_done
