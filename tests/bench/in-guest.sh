# In the guest: in-guest.sh REPEATS HOW...: runs CPU-bound programs on CPU 1,
# in turn, with the unit of CPU 1 (or another) on or off. HOW is
#   before      no unit was ever on: all the repeats come first
#   traced      user and kernel are traced into an ETR that wraps
#   neighbour   the unit of CPU 2 traces, that of CPU 1 is off
#   untraced    no unit is on, but some were
# Around each run it prints "begin PROGRAM HOW" and "end PROGRAM HOW"; the CPU
# is idle for a while before and after these lines, so that the host's clock of
# the emulator can be read there.
#
# SPDX-License-Identifier: GPL-2.0-or-later
devices=/sys/bus/coresight/devices
sink=tmc_etr0
repeats=$1
shift

# one PROGRAM HOW COMMAND...
one()
{
    what="$1 $2"
    shift 2
    usleep 300000
    echo "begin $what"
    usleep 300000
    taskset -c 1 "$@" >/tmp/out || echo "failed: $*" >&2
    grep -q ': done' /tmp/out || exit 1
    usleep 300000
    echo "end $what"
    usleep 300000
}

all()
{
    one integer "$1" ./kinds integer "${INTEGER:-2500}"
    one branchy "$1" ./kinds branchy "${BRANCHY:-800}"
    one indirect "$1" ./kinds indirect "${INDIRECT:-400}"
    one memory "$1" ./kinds memory "${MEMORY:-100}"
    one workloop "$1" ./workloop "${WORKLOOP:-5000}"
}

# Context IDs and timestamps, as perf asks for; the start/stop logic started.
unit_on()
{
    echo 0x8000840 >"$devices/$1/mode"
    echo 1 >$devices/$sink/enable_sink && echo 1 >"$devices/$1/enable_source"
}

unit_off()
{
    echo 0 >"$devices/$1/enable_source"
    echo 0 >$devices/$sink/enable_sink
    csread /dev/$sink /tmp/trace
    rm -f /tmp/trace
}

# The programs and what they need are in memory and translated.
all warm
case " $* " in
*" before "*)
    n=0
    while [ $n -lt "$repeats" ]; do
        n=$((n + 1))
        all before
    done ;;
esac
n=0
while [ $n -lt "$repeats" ]; do
    n=$((n + 1))
    for how in "$@"; do
        case $how in
        traced) unit_on etm1 || exit 1; all traced; unit_off etm1 ;;
        neighbour) unit_on etm2 || exit 1; all neighbour; unit_off etm2 ;;
        untraced) all untraced ;;
        esac
    done
done
