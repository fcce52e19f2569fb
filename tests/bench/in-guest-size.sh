# In the guest: in-guest-size.sh: what size the trace of the user part of each
# program has with each mix of packets: one session and one read-out each,
# "size PROGRAM MIX" in this order.
#
# SPDX-License-Identifier: GPL-2.0-or-later
devices=/sys/bus/coresight/devices
sink=tmc_etr0
unit=$devices/etm1

# one PROGRAM MIX MODE COMMAND...: MODE is the driver's ETM_MODE_* bits
one()
{
    what="$1 $2"
    mode=$3
    shift 3
    # No kernel; the start/stop logic started: the driver stops it otherwise.
    printf '%#x\n' $((mode | 1 << 30 | 1 << 27)) >"$unit/mode" || exit 1
    echo 1 >$devices/$sink/enable_sink
    echo 1 >"$unit/enable_source" || exit 1
    taskset -c 1 "$@" >/tmp/out || exit 1
    echo 0 >"$unit/enable_source"
    echo 0 >$devices/$sink/enable_sink
    csread /dev/$sink /tmp/trace || exit 1
    rm -f /tmp/trace
    grep -q ': done' /tmp/out || exit 1
    echo "size $what"
}

# all PROGRAM COMMAND...
all()
{
    program=$1
    shift
    one "$program" default $((1 << 6)) "$@"
    one "$program" timestamps $((1 << 6 | 1 << 11)) "$@"
    one "$program" retstack $((1 << 6 | 1 << 12)) "$@"
    one "$program" branch_broadcast $((1 << 6 | 1 << 4)) "$@"
    one "$program" cycacc $((1 << 6 | 1 << 5)) "$@"
}

echo 0x400000 >$devices/$sink/buffer_size 2>/dev/null
all integer ./kinds integer 2
all branchy ./kinds branchy 1
all indirect ./kinds indirect 1
all memory ./kinds memory 1
all workloop ./workloop 15
