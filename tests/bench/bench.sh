#!/bin/sh
# make bench: what tracing costs, as ratios within one run.
#
#   tests/bench/bench.sh [REPEATS]        (3; from the top folder)
#
# 1. Boot to init on csvirt, no unit enabled, against the same emulator's
#    virt: CPU seconds of the emulator until the kernel starts /init, in turn.
# 2. CPU-bound guest programs: before the first session, while their CPU is
#    traced, while another CPU is, after the last unit was disabled, in turn.
# 3. The same programs, nobody tracing, on the same emulator built with
#    plugins: without one, and with QEMU's plugin that counts blocks.
# 4. What size their traces have.
# All times are CPU seconds of the emulator, which other load on the host
# disturbs less than time itself; the load is told all the same. Medians; the
# lowest and the highest are shown too. BENCH=boot,programs,plugin,size picks.
#
# SPDX-License-Identifier: GPL-2.0-or-later
cd "$(dirname "$0")/../.." || exit 2
. tests/lib/guest.sh

repeats=${1:-3}
kernel=debian:trixie
topology=2etr-4cpu
parts=${BENCH:-boot,programs,plugin,size}
programs="integer branchy indirect memory workloop"
plugins=build/qemu/plugins
goal=1.03

wants()
{
    case ,$parts, in *,$1,*) ;; *) return 1 ;; esac
}

have_kernel $kernel || { echo "bench: $kernel: $image_err" >&2; exit 77; }

# median of the numbers on stdin, then the lowest and the highest
stats()
{
    sort -n | awk '{ v[NR] = $1 }
        END { if (!NR) exit 1
            m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
            printf "%.2f %.2f %.2f\n", m, v[1], v[NR] }'
}

# CPU seconds that the threads of process $1 have used.
cpu_seconds()
{
    cat "/proc/$1/task/"*/schedstat 2>/dev/null |
        awk '{ s += $1 } END { printf "%.3f\n", s / 1e9 }'
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

# meter NAME HOWS OPTION...: csvirt run of in-guest.sh; for each run of a
# program a line "SECONDS" in $tmp/NAME.PROGRAM.HOW. Sets emulator.
meter()
{
    name=$1
    hows=$2
    shift 2
    rm -f "$tmp/lines"
    mkfifo "$tmp/lines"
    "$csvirt" run --offline --timeout 0 --kernel $kernel \
        --topology $topology --copy $progs/kinds --copy $progs/workloop \
        --copy tests/bench/in-guest.sh \
        --exec "sh in-guest.sh $repeats $hows" "$@" \
        >"$tmp/lines" 2>"$tmp/$name.err" &
    front=$!
    emulator=
    while read -r word program how; do
        [ -n "$emulator" ] ||
            emulator=$(tr -d ' ' <"/proc/$front/task/$front/children")
        case $word in
        begin)
            from=$(cpu_seconds "$emulator") ;;
        end)
            echo "$(cpu_seconds "$emulator") $from" |
                awk '{ printf "%.3f\n", $1 - $2 }' \
                >>"$tmp/$name.$program.$how" ;;
        esac
    done <"$tmp/lines"
    wait $front
    status=$?
    if [ $status -ne 0 ]; then
        why "$name" >&2
        exit 3
    fi
}

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

heading()
{
    printf '\n%-48s %7s %7s %7s %7s\n' "$1" median lowest highest ratio
}

bench_boot()
{
    n=0
    while [ $n -lt "$repeats" ]; do
        n=$((n + 1))
        echo "bench: boots $n of $repeats" >&2
        boot "virt,gic-version=3" >>"$tmp/boot-virt"
        boot "csvirt,topology=$tmp/tree.dtbo" >>"$tmp/boot-csvirt"
    done
    heading 'boot to init (CPU s)'
    row 'virt' boot-virt boot-virt
    row 'csvirt, no unit enabled' boot-csvirt boot-virt
    awk -v r="$ratio" -v g=$goal 'BEGIN {
        printf "boot ratio %s, goal at most %s: %s\n", r, g,
            r <= g ? "kept" : "MISSED" }'
}

bench_programs()
{
    echo "bench: guest programs" >&2
    meter tap "before untraced traced neighbour"
    heading 'programs on CPU 1 (CPU s)'
    for p in $programs; do
        row "$p, no unit is on, one was" tap.$p.untraced tap.$p.untraced
        row "$p, before the first session" tap.$p.before tap.$p.untraced
        row "$p, CPU 2 is traced" tap.$p.neighbour tap.$p.untraced
        row "$p, traced, user and kernel" tap.$p.traced tap.$p.untraced
    done
}

# The guest is the same; a session would not change what a plugin costs.
bench_plugin()
{
    if [ ! -x $plugins/qemu-system-aarch64 ]; then
        echo "bench: no emulator with plugins: make bench-plugins" >&2
        return
    fi
    echo "bench: the same with plugins" >&2
    meter plain untraced --qemu $plugins/qemu-system-aarch64
    meter block untraced --qemu $plugins/qemu-system-aarch64 \
        --qemu-opts "-plugin $PWD/$plugins/libbb.so"
    heading 'the emulator with plugins (CPU s)'
    for p in $programs; do
        row "$p, no plugin" plain.$p.untraced plain.$p.untraced
        row "$p, blocks counted by a plugin" block.$p.untraced \
            plain.$p.untraced
    done
}

# Bytes in the buffer, frames and all, for each instruction; verify compares
# the traces with what was executed and tells both numbers for each read-out.
bench_size()
{
    echo "bench: sizes" >&2
    guest size --kernel $kernel --topology $topology \
        --copy $progs/kinds --copy $progs/workloop \
        --copy tests/bench/in-guest-size.sh --exec "sh in-guest-size.sh" \
        --snapshot "$tmp/size.snap" --exec-log "$tmp/size.log"
    if [ "$status" -ne 0 ]; then
        why size >&2
        exit 3
    fi
    "$csvirt" verify "$tmp/size.snap" "$tmp/size.log" >"$tmp/size.verify" ||
        { tail -n 3 "$tmp/size.verify" >&2; exit 1; }
    printf '\nbits of trace for each user instruction\n'
    awk '$1 == "size" && $2 != last { printf "%s%s", n++ ? "\n" : "", $2
            last = $2 }
        $1 == "size" { printf " %s %.2f", $3, bits[++k] }
        / bytes/ && NR == FNR { bytes = $3 }
        /^ .* instructions, / && NR == FNR { sub(/.*: /, "")
            bits[++m] = 8 * bytes / $1 }
        END { print "" }' "$tmp/size.verify" "$tmp/size.out"
}

sh guest/image.sh --cache build/cache --bin build/guest --apt-state build/apt \
    --offline $kernel >"$tmp/image" 2>/dev/null || exit 2
image=$(sed -n 's/^kernel=//p' "$tmp/image" | tr -d "'")
initrd=$(sed -n 's/^initrd=//p' "$tmp/image" | tr -d "'")
dtc -q -@ -I dts -O dtb -o "$tmp/tree.dtbo" board/dts/$topology.dtso || exit 2

echo "bench: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), \
$(nproc) CPUs, load $(cut -d ' ' -f 1-3 /proc/loadavg) at the start" >&2
for part in boot programs plugin size; do
    if wants $part; then
        bench_$part
    fi
done
echo "bench: load $(cut -d ' ' -f 1-3 /proc/loadavg) at the end" >&2
