#!/bin/sh
# make demo: the main job, shown. An unmodified Debian kernel probes a trace
# network of ours, perf records a program of ours into a sink, OpenCSD decodes
# it, and what was decoded is compared with what was executed.
#
# Exit status: 0 only if every step gave what it should.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -u
LC_ALL=C
export LC_ALL

top=$(cd "$(dirname "$0")/.." && pwd)
csvirt=${CSVIRT:-$top/build/csvirt}
prog=$top/build/guest/progs/workloop
kernel=${KERNEL:-debian:trixie-backports}
topology=2etr-4cpu
sink=tmc_etr0
devices=10                      # of that topology: 4 ETMs, 3 funnels, a
                                # replicator, 2 ETRs
rounds=10

say()
{
    printf '\n== %s\n' "$*"
}

die()
{
    echo "demo: $*" >&2
    exit 1
}

[ -x "$csvirt" ] || die "no $csvirt: run make first"
[ -f "$prog" ] || die "no $prog: run make first"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/csvirt-demo.XXXXXX") || die 'no folder in /tmp'
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' HUP INT TERM

say "1/4 topology $topology"
"$csvirt" topology show "$topology" >"$tmp/topology" ||
    die "$topology is not right"
sed '/^$/q' "$tmp/topology"

say "2/4 $kernel boots on it, perf records workloop into $sink"
# Runs in the guest.
# shellcheck disable=SC2016
guest='
echo "guest: kernel $(uname -r), $(perf version)" >&2
for d in /sys/bus/coresight/devices/*; do
    echo "device ${d##*/}"
done
perf record -e cs_etm/@'$sink'/u -o /tmp/perf.data \
    -- /root/workloop '$rounds' >&2 || exit
uname -r | sed "s/^/kernel /"
dmesg | grep -c -e WARNING -e "[Tt]imeout" | sed "s/^/warnings /"
'
"$csvirt" run --kernel "$kernel" --topology "$topology" --timeout 600 \
    --fail-on-warn --copy "$prog" --pull /tmp/perf.data:"$tmp/perf.data" \
    --snapshot "$tmp/snapshot" --exec-log "$tmp/log" --exec "$guest" \
    >"$tmp/out" || die 'the run failed'
version=$(sed -n 's/^kernel //p' "$tmp/out")
probed=$(grep -c '^device ' "$tmp/out")
[ -n "$version" ] || die 'the guest did not tell its kernel'
[ "$probed" -eq $devices ] ||
    die "$probed coresight devices were probed, $devices are expected"
grep -qx 'warnings 0' "$tmp/out" || die 'the kernel log has warnings'
[ -s "$tmp/perf.data" ] || die 'there is no perf.data'

say '3/4 OpenCSD decodes the sink'
"$csvirt" decode "$tmp/snapshot" --exec-log "$tmp/log" --elf "$prog" \
    --top 10 >"$tmp/decode" || {
    cat "$tmp/decode"
    die 'the trace does not decode'
}
bytes=$(awk '/^  [0-9]+ bytes/ { n += $1 } END { print n + 0 }' "$tmp/decode")
instructions=$(sed -n 's/^decode: .*, \([0-9]*\) instructions,.*/\1/p' \
    "$tmp/decode")
[ "$bytes" -gt 0 ] || die 'the sink is empty'
[ "${instructions:-0}" -gt 0 ] || die 'no instruction was decoded'

say '4/4 are these the instructions that were executed?'
"$csvirt" verify "$tmp/snapshot" "$tmp/log" >"$tmp/verify" || {
    cat "$tmp/verify"
    die 'they are not'
}
tail -n 1 "$tmp/verify"

say 'Result'
echo "kernel version:         $version"
echo "devices probed:         $probed ($(sed -n 's/^device //p' "$tmp/out" |
    tr '\n' ' ' | sed 's/ $//'))"
echo "bytes in the sink:      $bytes ($sink)"
echo "instructions decoded:   $instructions"
echo "packets by kind:"
awk '/ packets +[0-9]+ bytes$/ { n[$1] += $2; b[$1] += $4 }
     END { for (k in n) printf "%12d  %-22s %9d bytes\n", n[k], k, b[k] }' \
    "$tmp/decode" | sort -rn
echo "top functions of workloop:"
sed -n '/^functions:/,/^decode:/{/^[ 0-9]/p;}' "$tmp/decode"
for name in leaf_hash sort_rows; do
    grep -q " $name\$" "$tmp/decode" ||
        die "$name is not among the functions that were traced"
done
