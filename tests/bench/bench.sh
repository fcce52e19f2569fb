#!/bin/sh
# make bench: what tracing costs, as ratios within one run.
#
#   tests/bench/bench.sh [REPEATS]        (3; from the top folder)
#
# 1. Boot to init on csvirt, no unit enabled, against the same emulator's
#    virt: CPU seconds of the emulator until the kernel starts /init, in turn.
# 2. A CPU-bound guest program: before the first session, while traced, after
#    the last unit was disabled: seconds of the guest's clock, in turn.
# Medians; the lowest and the highest are shown too. Other load on the host
# makes the figures worthless, so it is told.
#
# SPDX-License-Identifier: GPL-2.0-or-later
cd "$(dirname "$0")/../.." || exit 2
. tests/lib/guest.sh

repeats=${1:-3}
kernel=debian:trixie
topology=2etr-4cpu
rounds=${BENCH_ROUNDS:-15000}
goal=1.03

have_kernel $kernel || { echo "bench: $kernel: $image_err" >&2; exit 77; }

# median of the numbers on stdin, then the lowest and the highest
stats()
{
    sort -n | awk '{ v[NR] = $1 }
        END { if (!NR) exit 1
            m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
            printf "%.2f %.2f %.2f\n", m, v[1], v[NR] }'
}

# CPU seconds that process $1 has used.
cpu_seconds()
{
    sed 's/.*) //' "/proc/$1/stat" |
        awk -v hz="$(getconf CLK_TCK)" '{ print ($12 + $13) / hz }'
}

# boot MACHINE-OPTIONS: to the kernel's "Run /init" line, then it is ended.
boot()
{
    rm -f "$tmp/console"
    # shellcheck disable=SC2086 # options
    build/qemu-system-aarch64 -M $1 -cpu neoverse-n1 -smp 4 -m 1G \
        -accel tcg,thread=single -kernel "$image" -initrd "$initrd" \
        -append 'console=ttyAMA0 panic=-1' -nodefaults -display none \
        -no-reboot -serial "file:$tmp/console" >"$tmp/boot.err" 2>&1 &
    pid=$!
    waits=0
    until grep -q 'Run /init' "$tmp/console" 2>/dev/null; do
        waits=$((waits + 1))
        if ! kill -0 $pid 2>/dev/null || [ $waits -gt 6000 ]; then
            echo "bench: no boot: $(tail -n 1 "$tmp/boot.err")" >&2
            exit 3
        fi
        sleep 0.02
    done
    cpu_seconds $pid
    kill $pid
    wait $pid 2>/dev/null
}

sh guest/image.sh --cache build/cache --bin build/guest --apt-state build/apt \
    --offline $kernel >"$tmp/image" 2>/dev/null || exit 2
image=$(sed -n 's/^kernel=//p' "$tmp/image" | tr -d "'")
initrd=$(sed -n 's/^initrd=//p' "$tmp/image" | tr -d "'")
dtc -q -@ -I dts -O dtb -o "$tmp/tree.dtbo" board/dts/$topology.dtso || exit 2

echo "bench: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), \
$(nproc) CPUs, load $(cut -d ' ' -f 1 /proc/loadavg) at the start" >&2
n=0
while [ $n -lt "$repeats" ]; do
    n=$((n + 1))
    echo "bench: boots $n of $repeats" >&2
    boot "virt,gic-version=3" >>"$tmp/boot-virt"
    boot "csvirt,topology=$tmp/tree.dtbo" >>"$tmp/boot-csvirt"
done
: >"$tmp/times"
n=0
while [ $n -lt 2 ]; do
    n=$((n + 1))
    echo "bench: guest program, boot $n of 2" >&2
    guest bench --kernel $kernel --topology $topology \
        --copy $progs/workloop --copy tests/bench/in-guest.sh \
        --exec "sh in-guest.sh $rounds $repeats"
    if [ "$status" -ne 0 ]; then
        why bench >&2
        exit 3
    fi
    cat "$tmp/bench.out" >>"$tmp/times"
done
for what in before traced after; do
    sed -n "s/^time $what //p" "$tmp/times" >"$tmp/$what"
done

# row WHAT FILE BASE-FILE
row()
{
    read -r m low high <<END
$(stats <"$tmp/$2")
END
    base=$(stats <"$tmp/$3" | cut -d ' ' -f 1)
    ratio=$(awk -v a="$m" -v b="$base" 'BEGIN { printf "%.3f", a / b }')
    printf '%-48s %7s %7s %7s %7s\n' "$1" "$m" "$low" "$high" "$ratio"
}

printf '%-48s %7s %7s %7s %7s\n' '' median lowest highest ratio
row 'boot to init, virt (CPU s)' boot-virt boot-virt
row 'boot to init, csvirt, no unit enabled (CPU s)' boot-csvirt boot-virt
boot_ratio=$ratio
row 'workloop before the first session (s)' before before
row 'workloop after the last unit was disabled (s)' after before
row 'workloop traced, user and kernel (s)' traced before
awk -v r="$boot_ratio" -v g=$goal 'BEGIN {
    printf "boot ratio %s, goal at most %s: %s\n", r, g,
        r <= g ? "kept" : "MISSED" }'
