#!/bin/sh
# What a boot costs with few and many CPUs: CPU seconds of the emulator until
# the kernel starts /init, and from there until the trace devices are probed.
#
#   tests/bench/boot.sh [-n REPEATS] [-t CPUS=TOPOLOGY]... [CPUS...]
#
# REPEATS: 3, in turn; medians. CPUS: 4 128 512. TOPOLOGY: of csvirt run; for
# more than 4 CPUs new:cpus=N,etrs=M unless given. Then --warm: seconds of wall
# time from the start of csvirt to the end of its command, with the load.
#
# SPDX-License-Identifier: GPL-2.0-or-later
cd "$(dirname "$0")/../.." || exit 2
. tests/lib/guest.sh

repeats=3
given=
while getopts n:t: option; do
    case $option in
    n) repeats=$OPTARG ;;
    t) given="$given $OPTARG" ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- 4 128 512
have_kernel debian:trixie || { echo "bench: $image_err" >&2; exit 77; }

topology_of()
{
    for g in $given; do
        [ "${g%%=*}" != "$1" ] || { echo "${g#*=}"; return; }
    done
    if [ "$1" -le 4 ]; then
        echo 2etr-4cpu
    else
        echo "new:cpus=$1,etrs=$((($1 + 63) / 64 * 2))"
    fi
}

memory_of()
{
    echo "$((1024 + $1 * 6))M"
}

# CPU seconds that process $1 has used.
cpu_seconds()
{
    sed 's/.*) //' "/proc/$1/stat" |
        awk -v hz="$(getconf CLK_TCK)" '{ print ($12 + $13) / hz }'
}

# until WORDS: they are on the console; limit 20 minutes.
until_says()
{
    waits=0
    until grep -aq "$1" "$tmp/console" 2>/dev/null; do
        waits=$((waits + 1))
        if ! kill -0 $pid 2>/dev/null || [ $waits -gt 24000 ]; then
            echo "bench: no '$1': $(tail -n 1 "$tmp/boot.err")" >&2
            exit 3
        fi
        sleep 0.05
    done
}

# boot CPUS OPTION...: prints seconds to /init, seconds of the probes, and MiB
# of the emulator (all, guest memory included)
boot()
{
    cpus=$1
    shift
    command=$("$csvirt" run --offline --dry-run \
        --topology "$(topology_of "$cpus")" --memory "$(memory_of "$cpus")" \
        "$@" 2>"$tmp/boot.err") || { cat "$tmp/boot.err" >&2; exit 2; }
    : >"$tmp/console"
    (eval "exec $command") >"$tmp/console" 2>"$tmp/boot.err" </dev/null &
    pid=$!
    until_says 'Run /init'
    init=$(cpu_seconds $pid)
    until_says 'csvirt-init: shell on'
    all=$(cpu_seconds $pid)
    awk -v i="$init" -v a="$all" '/^VmRSS/ {
        printf "%.2f %.2f %.0f\n", i, a - i, $2 / 1024 }' "/proc/$pid/status"
    kill $pid
    wait $pid 2>/dev/null
}

middle()
{
    sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# The ways to run: a name and options of csvirt run.
ways_of()
{
    if [ "$1" -le 4 ]; then
        echo 'stock --sched stock'
    fi
    echo 'fair --sched fair'
    echo 'deterministic --deterministic'
}

echo "bench: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), \
$(nproc) CPUs, load $(cut -d ' ' -f 1 /proc/loadavg) at the start" >&2
n=0
while [ $n -lt "$repeats" ]; do
    n=$((n + 1))
    for cpus; do
        ways_of "$cpus" >"$tmp/ways"
        while read -r way options; do
            echo "bench: $n of $repeats: $cpus CPUs, $way" >&2
            # shellcheck disable=SC2086 # options
            boot "$cpus" $options >>"$tmp/got.$cpus.$way" || exit
        done <"$tmp/ways"
    done
done
printf '%5s %-14s %8s %8s %8s %8s\n' CPUs scheduler '/init' ratio probes MiB
base=
for cpus; do
    ways_of "$cpus" >"$tmp/ways"
    while read -r way options; do
        f=$tmp/got.$cpus.$way
        init=$(cut -d ' ' -f 1 "$f" | middle)
        base=${base:-$init}
        printf '%5s %-14s %8s %8s %8s %8s\n' "$cpus" "$way" "$init" \
            "$(awk -v a="$init" -v b="$base" 'BEGIN { printf "%.2f", a / b }')" \
            "$(cut -d ' ' -f 2 "$f" | middle)" "$(cut -d ' ' -f 3 "$f" | middle)"
    done <"$tmp/ways"
done
for cpus; do
    n=0
    while [ $n -le "$repeats" ]; do
        from=$(date +%s.%N)
        guest warm --warm --deterministic --memory "$(memory_of "$cpus")" \
            --topology "$(topology_of "$cpus")" --exec 'echo started'
        [ "$status" -eq 0 ] || { why warm >&2; exit 3; }
        # The first one boots.
        [ $n -eq 0 ] || echo "$from $(date +%s.%N)" |
            awk '{ printf "%.2f\n", $2 - $1 }' >>"$tmp/warm.$cpus"
        n=$((n + 1))
    done
    printf '%5s warm start, wall seconds: %s, load %s\n' "$cpus" \
        "$(middle <"$tmp/warm.$cpus")" "$(cut -d ' ' -f 1 /proc/loadavg)"
done
