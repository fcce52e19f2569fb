#!/bin/sh
# csvirt run with a stand-in for the emulator: what comes out, which exit
# status, what is said, and that nothing is left behind.
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/tap/tap.sh
[ -x build/csvirt ] || bail "build/csvirt is not built"
command -v dtc >/dev/null || skip_all "no dtc"
LC_ALL=C
export LC_ALL
dir=$(mktemp -d) || bail "no temporary folder"
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM

# A tree of its own: the real front end and packer, an image.sh without Debian.
mkdir -p "$dir/tree/build" "$dir/tree/guest" "$dir/tmp"
cp build/csvirt "$dir/tree/build/"
ln -s "$PWD/build/guest" "$dir/tree/build/guest"
ln -s "$PWD/board" "$dir/tree/board"
cp guest/pack.sh guest/rootfs.list "$dir/tree/guest/"
cat >"$dir/tree/guest/image.sh" <<'END'
#!/bin/sh
for last; do :; done
printf '%s\n' "$*" >"${0%/*}/asked"
case $last in
none) echo "image.sh: none: no such kernel" >&2; exit 2 ;;
hang) echo $$ >"$FAKE_PID"; read -r _ <"${0%/*}/never" ;;
esac
here=$(cd "${0%/*}" && pwd)
echo kernel >"$here/Image"
printf 'cpio' >"$here/initrd.cpio"
echo "kernel='$here/Image'"
echo "initrd=$here/initrd.cpio"
echo "version=6.12.0-fake"
END
csvirt=$dir/tree/build/csvirt
TMPDIR=$dir/tmp
FAKE_PID=$dir/pid
FAKE_ARGS=$dir/args
export TMPDIR FAKE_PID FAKE_ARGS

# run FAKE OPTION...: out, err, status
run()
{
    FAKE=$1
    export FAKE
    shift
    "$csvirt" run --qemu tests/cli/fake-qemu.sh --topology 1etr-2cpu "$@" \
        >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
    out=$(cat "$dir/out")
    err=$(cat "$dir/err")
}

# refused WORDS NAME OPTION...: status 2, one line, no emulator
refused()
{
    words=$1
    name=$2
    shift 2
    rm -f "$FAKE_PID"
    run 'boot exit=0' "$@"
    is "$status" 2 "$name: exit status"
    is "$(printf '%s\n' "$err" | wc -l)" 1 "$name: one line"
    like "$err" "$words" "$name: the words"
    [ ! -e "$FAKE_PID" ]
    ok $? "$name: the emulator was not started"
}

tap_begin

# ---- exit statuses and output
run 'boot out=hello err=world exit=0' --exec 'true'
is "$status" 0 'a command that succeeds: 0'
is "$out" hello 'stdout is its stdout'
is "$err" world 'stderr is its stderr'
run 'boot exit=3' --exec 'false'
is "$status" 1 'a command that fails: 1'
is "$err" "csvirt: the guest's command ended with status 3" 'and its own'
run 'boot exit=77' --exec 'skip'
is "$status" 77 'a command that skips: 77'
run 'boot' --exec 'true'
is "$status" 3 'a guest that goes away: 3'
like "$err" 'went away before its command ended' '... is named so'
like "$err" 'Booting Linux' '... and its console is shown'
run '' --exec 'true'
is "$status" 3 'a guest that never boots: 3'
like "$err" 'before its command began' '... is named so'
run 'boot fail=no_modules' --exec 'true'
is "$status" 3 'init gives up: 3'
like "$err" 'the guest gave up: no_modules' '... and says why'
run 'boot die=SEGV' --exec 'true'
is "$status" 3 'an emulator that crashes: 3'
like "$err" 'ended by signal 11' '... is named so'
run 'boot exit=0 status=1' --exec 'true'
is "$status" 3 'an emulator that fails at its end: 3'
run 'status=1' --exec 'true' --qemu-opts '-M nonsense'
is "$status" 2 'options that the emulator does not take: 2'
like "$err" '--qemu-opts -M nonsense: ' '... are named'
run 'boot status=1' --exec 'true' --qemu-opts '-M nonsense'
is "$status" 3 '... but not when the guest has booted'
run 'status=1' --exec 'true'
is "$status" 3 'an emulator that fails without any: 3'
run 'boot status=1' --exec 'true'
like "$err" 'emulator ended with status 1' 'an emulator that fails: its status'
run 'boot out=early hang' --exec 'true' --timeout 1
is "$status" 124 'a command that hangs: 124'
is "$out" early '... what it wrote is there'
like "$err" 'timed out after 1 s, the command still runs' '... is named'
run 'hang' --exec 'true' --timeout 1
like "$err" 'has not started the command' 'a guest that hangs is named so'
run 'missing boot exit=0' --exec 'true'
like "$err" '2 coresight devices for 3 nodes' 'missing devices are named'

# ---- reports of the kernel
cat >"$dir/console" <<'END'
WARNING: of a user's program, without a time
[    1.000000] coresight etm0: CPU0: etm v4.2 initialized
[    2.000000] WARNING: CPU: 1 PID: 99 at drivers/x.c:12 etm4_enable_hw+0x10/0x20 [coresight]
[    2.000001] pc : wrong_function+0x1/0x2
[    3.000000] WARNING: CPU: 1 PID: 99 at drivers/y.c:1
[    3.000001] pc : tmc_flush_and_stop+0x44/0x80 [coresight_tmc]
[    4.000000] WARNING: possible circular locking dependency detected
[    4.100000] 6.12 #1 Not tainted
[    4.200000]  dump_stack+0x1/0x2
[    4.300000]  coresight_enable+0x1/0x2
[    5.000000] BUG: KASAN: slab-use-after-free in tmc_read+0x4/0x8
[    6.000000] watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [perf:99]
[    6.000001] pc : smp_call_function+0x4/0x8
[    7.000000] rcu: INFO: rcu_preempt self-detected stall on CPU
[    8.000000] Internal error: Oops: 0000000096000004 [#1] SMP
[    8.000001] pc : funnel_disable+0x4/0x8
END
run "boot console=$dir/console exit=0" --exec 'true'
is "$status" 0 'reports alone do not fail a run'
for r in 'WARNING in etm4_enable_hw' 'WARNING in tmc_flush_and_stop' \
    'lockdep in coresight_enable' 'KASAN in tmc_read' \
    'soft lockup in smp_call_function' 'RCU stall' 'Oops in funnel_disable'
do
    like "$err" "guest kernel: $r" "reported: $r"
done
is "$(printf '%s\n' "$err" | grep -c 'guest kernel:')" 7 'and no other'
run "boot console=$dir/console exit=0" --exec 'true' --fail-on-warn
is "$status" 1 '--fail-on-warn: 1'
run 'boot exit=0' --exec 'true' --fail-on-warn
is "$status" 0 '--fail-on-warn without reports: 0'
echo '[    9.000000] Kernel panic - not syncing: Fatal exception' >"$dir/console"
run "boot console=$dir/console" --exec 'true'
is "$status" 3 'a panic: 3'
like "$err" 'panicked: Kernel panic - not syncing: Fatal' '... is named so'
run "boot console=$dir/console exit=0" --exec 'true'
is "$status" 3 'a panic at the end is not a success'

# ---- files
printf 'file 6 /root/a\nhello\nmissing /root/b\n' >"$dir/sent"
run "boot pull=$dir/sent exit=0" --exec 'true' --pull "/root/a:$dir/got"
is "$status" 1 'a file that the guest has not: 1'
is "$(cat "$dir/got")" hello 'the other one is there'
like "$err" '/root/b: no such file in the guest' 'the missing one is named'
printf 'file 60 /root/a\nhello\n' >"$dir/sent"
run "boot pull=$dir/sent exit=0" --exec 'true' --pull "/root/a:$dir/got2"
is "$status" 1 'a file cut short: 1'
[ ! -e "$dir/got2" ]
ok $? '... leaves nothing'
run 'boot exit=0' --exec 'true' --copy "$dir/sent:/tmp/x" --copy "$dir/console"
is "$status" 0 '--copy'

# ---- an execution log that the emulator could not finish
echo CSVEXLOG >"$dir/half"
run 'boot exit=0' --exec 'true' --exec-log "$dir/half"
is "$status" 3 'an execution log without its end: 3'
like "$err" 'half: the log is not complete' '... is named so'

# ---- the command line
run '' --dry-run --exec 'true' --cpus 7 --memory 2G --accel multi --seed 9 \
    --append 'one two' --qemu-opts '-d "a b"' --snapshot "$dir/s,1" \
    --exec-log "$dir/l"
is "$status" 0 '--dry-run'
like "$out" '-smp 7 -m 2G -accel tcg,thread=multi -seed 9 ' '... options'
like "$out" "'console=ttyAMA0 earlycon panic=-1 one two'" '... for the kernel'
like "$out" "-d 'a b'\$" '... --qemu-opts are last, words kept'
like "$out" "snapshot=[^ ]*/s,,1,exec-log=" '... a comma is doubled'
[ ! -e "$dir/s,1" ]
ok $? '... nothing is made'
run '' --dry-run
like "$out" '-smp 2 .*-serial mon:stdio' 'CPUs of the topology; a terminal'
asked=$(cat "$dir/tree/guest/asked")
is "${asked##* }" debian:trixie 'the default kernel'
run '' --dry-run --sched chaos --seed 5 --dilation 4
like "$out" 'sched=chaos,sched-seed=5,dilation=4 ' 'a policy and its seed'
like "$out" '-icount shift=0,sleep=off -rtc base=[^ ]*,clock=vm' \
    '... which counts instructions'
run '' --dry-run --deterministic
like "$out" '-icount shift=0,sleep=off' '--deterministic'
run 'boot exit=0' --exec 'a
b "c"' --kernel debian:sid --perf p --modules m --offline
asked=$(cat "$dir/tree/guest/asked")
like "$asked" '--offline --perf p --modules m debian:sid' 'image.sh is asked'

# ---- what is refused
touch "$dir/file"
mkdir "$dir/full"
touch "$dir/full/x"
refused 'no such kernel' 'no kernel' --exec true --kernel none
refused 'no such file: /nonesuch' 'no file to copy' --exec true --copy /nonesuch
refused 'what is .word' 'a word' word
refused 'nonsense' 'an option' --nonsense
refused 'cpus 1000' 'too many CPUs' --cpus 1000
refused 'memory 1X' 'memory' --memory 1X
refused 'memory 127M' 'too little memory' --memory 127M
refused 'memory 1025G' 'too much memory' --memory 1025G
refused 'exec-log: .*empty' 'a log without a name' --exec true --exec-log ''
refused 'accel both' 'threads' --accel both
refused 'sched best: fair, chaos or stock' 'a policy' --sched best
refused 'sched fair: not with --accel multi' 'a policy for threads' \
    --sched fair --accel multi
refused 'deterministic: not with --accel multi' 'threads in an order' \
    --deterministic --accel multi
refused 'deterministic: not with --sched stock' 'a count without us' \
    --deterministic --sched stock
refused 'dilation 1025' 'too slow a time' --dilation 1025
refused 'warm needs --exec' 'a saved terminal' --warm
refused 'timeout -1' 'time' --timeout -1
refused 'no emulator at /nonesuch' 'emulator' --qemu /nonesuch
refused 'pull needs --exec' 'pull without a command' --pull /a:b
refused 'GUEST:HOST' 'pull without a place' --exec true --pull /a
refused 'nonesuch' 'pull to nowhere' --exec true --pull /a:/nonesuch/x
refused 'nonesuch' 'no topology' --topology nonesuch
refused 'snapshot .*file' 'snapshot is a file' --exec true \
    --snapshot "$dir/file"
refused 'not empty' 'snapshot folder is not empty' --exec true \
    --snapshot "$dir/full"
refused 'exec-log .*folder' 'log is a folder' --exec true --exec-log "$dir/full"
refused 'nonesuch' 'log in no folder' --exec true --exec-log /nonesuch/log
refused 'qemu-opts' 'half a quote' --exec true --qemu-opts "'a"
run 'boot' --exec 'true' --cpus 1
is "$status" 2 'fewer CPUs than the topology needs: exit status'
like "$err" '/etm@' '... its node is named'

# ---- where results go
"$csvirt" topology list >/dev/full 2>"$dir/err"
is "$?" 1 'results that cannot be written: exit status'
like "$(cat "$dir/err")" 'cannot write the results' '... it is said'
"$csvirt" topology list >&- 2>"$dir/err"
is "$?" 1 'no stdout at all: exit status'
FAKE='boot out=hello exit=0' "$csvirt" run --qemu tests/cli/fake-qemu.sh \
    --topology 1etr-2cpu --exec true <&- >"$dir/out" 2>&-
is "$?" 0 'no stdin and no stderr: exit status'
is "$(cat "$dir/out")" hello '... and output'

# ---- signals: the emulator goes with us
# until_true COMMAND: waits for it, at most 10 s.
until_true()
{
    n=0
    until eval "$1"; do
        n=$((n + 1))
        [ $n -le 1000 ] || return 1
        sleep 0.01
    done
}
for signal in TERM INT KILL; do
    rm -f "$FAKE_PID"
    FAKE='boot hang' "$csvirt" run --qemu tests/cli/fake-qemu.sh \
        --topology 1etr-2cpu --exec true >"$dir/out" 2>"$dir/err" &
    us=$!
    # shellcheck disable=SC2016 # for eval
    until_true '[ -s "$FAKE_PID" ]' || bail "the stand-in did not start"
    it=$(cat "$FAKE_PID")
    # A background job of a shell without job control ignores INT; we do not.
    kill -s $signal $us
    wait $us 2>/dev/null
    status=$?
    # shellcheck disable=SC2016
    until_true '! kill -0 "$it" 2>/dev/null'
    ok $? "SIG$signal: the emulator is gone"
    if [ $signal != KILL ]; then
        is "$status" 3 "SIG$signal: exit status"
        is "$(ls "$TMPDIR")" '' "SIG$signal: nothing is left in TMPDIR"
    fi
    rm -rf "$TMPDIR"/*
done
# While the image is made there is no emulator to end.
rm -f "$FAKE_PID"
mkfifo "$dir/tree/guest/never"
"$csvirt" run --qemu tests/cli/fake-qemu.sh --topology 1etr-2cpu \
    --kernel hang --exec true >"$dir/out" 2>"$dir/err" &
us=$!
# shellcheck disable=SC2016
until_true '[ -s "$FAKE_PID" ]' || bail 'the stand-in of image.sh did not start'
kill -s TERM $us
wait $us 2>/dev/null
is "$?" 143 'SIGTERM while the image is made: ended by it'
is "$(ls "$TMPDIR")" '' '... nothing is left in TMPDIR'
run 'boot exit=0' --exec 'true'
is "$(ls "$TMPDIR")" '' 'nothing is left in TMPDIR'

tap_done
