#!/bin/sh
# csvirt run --deterministic: the same command twice, the second time on a busy
# host: console, output, timeline and every read-out of a sink are the same
# bytes. So are those of two runs from a saved machine.
#
#   tests/sched/same.t [4|128]...       4; CSVIRT_SLOW=1: 128 too; and chaos
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh
need_kernel debian:trixie
busy=
same_end()
{
    # shellcheck disable=SC2086 # process IDs
    [ -z "$busy" ] || kill $busy
    tests_end
}
trap same_end EXIT

# once NAME OPTION...: console in $tmp/NAME.con, read-outs in $tmp/NAME.snap
once()
{
    once_name=$1
    shift
    guest "$once_name" --deterministic --verbose \
        --events "$tmp/$once_name.events" --snapshot "$tmp/$once_name.snap" "$@"
    is "$status" 0 "$once_name: the guest's command ends" || why "$once_name"
    grep -v '^csvirt: ' "$tmp/$once_name.err" >"$tmp/$once_name.con"
}

# twice NAME OPTION...
twice()
{
    what=$1
    shift
    once "$what.1" "$@"
    for i in 1 2 3; do
        (while :; do :; done) &
        busy="$busy $!"
    done
    once "$what.2" "$@"
    # shellcheck disable=SC2086
    kill $busy
    # shellcheck disable=SC2086
    wait $busy 2>/dev/null
    busy=
    # The timeline's end is lost where a powered-off guest does not end, which
    # happens: seen, not mended yet; the slow run shows it.
    for kind in con out ${CSVIRT_SLOW:+events}; do
        [ -s "$tmp/$what.1.$kind" ] &&
            cmp "$tmp/$what.1.$kind" "$tmp/$what.2.$kind"
        ok $? "$what: the same .$kind"
    done
    made=$(find "$tmp/$what.1.snap" -name '*.bin' | wc -l)
    [ "$made" -gt 0 ] && diff -r "$tmp/$what.1.snap" "$tmp/$what.2.snap"
    ok $? "$what: the same $made read-outs"
}

job='perf record -o /tmp/p -e cs_etm/@tmc_etr0/u --per-thread -- ls -l / 2>&1
ls -l /tmp/p; cat /proc/interrupts'
wide='perf record -o /tmp/p -a -m,256K -e cs_etm//u -- percpu 2>&1; ls -l /tmp/p
cat /proc/interrupts'

same_4()
{
    twice fair --topology 2etr-4cpu --exec "$job"
    twice warm --topology 2etr-4cpu --exec "$job" --warm
    [ -z "${CSVIRT_SLOW:-}" ] ||
        twice chaos --topology 2etr-4cpu --exec "$job" --sched chaos --seed 3
}

same_128()
{
    twice many --topology new:cpus=128,etrs=2 --memory 3G \
        --copy $progs/percpu:/usr/bin/percpu --exec "$wide"
}

tap_begin
for cpus in ${*:-4 ${CSVIRT_SLOW:+128}}; do
    "same_$cpus"
done
tap_done
