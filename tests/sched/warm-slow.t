#!/bin/sh
# csvirt run --warm: a saved machine runs any command with any files, belongs
# to one set of inputs, and is never used when it is not whole.
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh
need_kernel debian:trixie
store=build/cache/warm
# A machine of this test alone: no other run has this word.
word=warm.test.$$

machines()
{
    find "$store" -mindepth 1 -maxdepth 1 2>/dev/null | LC_ALL=C sort
}

# warm NAME OPTION...: sets booted to 1 if the machine was booted, and dir
warm()
{
    warm_name=$1
    shift
    guest "$warm_name" --warm --topology 1etr-2cpu --append "$word" "$@"
    grep -q 'booting the machine once' "$tmp/$warm_name.err"
    booted=$((1 - $?))
}

tap_begin
before=$(machines)
echo one >"$tmp/a"
echo two >"$tmp/b"
warm first --copy "$tmp/a:/root/x" --exec 'cat x; cat /proc/cmdline'
is "$status" 0 'the first run' || why first
is "$booted" 1 '... boots'
is "$(head -n 1 "$tmp/first.out")" one '... and runs the command'
like "$(cat "$tmp/first.out")" "$word" '... on the kernel that was asked for'
dir=$(machines | grep -vxF "${before:-none}")
warm_end()
{
    rm -rf "$dir"
    tests_end
}
trap warm_end EXIT
is "$(printf '%s\n' "$dir" | wc -l)" 1 'one machine is kept'

warm second --copy "$tmp/b:/root/x" --pull "/root/y:$tmp/y" \
    --exec 'cat x | tee y; ls /sys/bus/coresight/devices | grep -c etm; exit 3'
is "$booted" 0 'the second run does not boot'
is "$status" 1 '... its command has its own status'
is "$(cat "$tmp/second.out")" 'two
2' '... and its own files'
is "$(cat "$tmp/y")" two '... which come back, too'
warm traced --snapshot "$tmp/traced.snap" --exec-log "$tmp/traced.log" \
    --copy build/guest/progs/tiny --exec \
    'perf record -o /tmp/p -e cs_etm/@tmc_etr0/u --per-thread -- ./tiny'
is "$booted $status" '0 0' 'a traced run from it' || why traced
verify_ok traced 'its trace'

# ---- other inputs, another machine
guest other --dry-run --warm --topology 1etr-2cpu --append "$word" \
    --memory 768M --exec true
like "$(cat "$tmp/other.err")" 'not been booted yet' 'other memory: not that one'

# ---- what is not whole
# damaged HOW WHAT: HOW is a command that does it
damaged()
{
    eval "$1"
    warm again --exec 'echo fine'
    is "$status $booted $(cat "$tmp/again.out")" '0 1 fine' \
        "$2: made again" || why again
    warm after --exec 'echo fine'
    is "$booted" 0 '... and whole again'
}
# shellcheck disable=SC2016 # for eval
damaged 'printf X | dd of="$dir/state" bs=1 seek=1000 conv=notrunc 2>/dev/null' \
    'a changed byte in the state'
# shellcheck disable=SC2016
damaged 'truncate -s 1G "$dir/ram" && rm "$dir/ram" && truncate -s 1G "$dir/ram"' \
    'other memory of the same size'
if [ -n "${CSVIRT_SLOW:-}" ]; then
    # shellcheck disable=SC2016
    damaged 'rm "$dir/sum"' 'no sum'
    # shellcheck disable=SC2016
    damaged 'truncate -s -1 "$dir/state"' 'a state cut short'
fi

# ---- a run that is killed while it saves leaves nothing to use
rm -rf "$dir"
"$csvirt" run --offline --warm --topology 1etr-2cpu --append "$word" \
    --exec true >"$tmp/killed.out" 2>&1 </dev/null &
us=$!
n=0
until ls "$dir".*/ram >/dev/null 2>&1; do
    n=$((n + 1))
    [ $n -lt 3000 ] || bail 'no machine is being made'
    sleep 0.01
done
kill -s KILL $us
wait $us 2>/dev/null
[ ! -e "$dir" ]
ok $? 'killed while it boots: nothing is kept'
warm new --exec 'echo fine'
is "$status $booted" '0 1' '... the next run boots'
ls -d "$dir".* >/dev/null 2>&1
is $? 2 '... and what was left over is gone'
tap_done
