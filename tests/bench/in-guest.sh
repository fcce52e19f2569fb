# In the guest: in-guest.sh ROUNDS REPEATS: times of one CPU-bound program on
# CPU 1: before any unit was enabled, while its unit traces user and kernel
# into an ETR that wraps, after it was disabled, in turn. Prints
# "time before|traced|after SECONDS".
#
# SPDX-License-Identifier: GPL-2.0-or-later
devices=/sys/bus/coresight/devices
rounds=$1
repeats=$2
sink=tmc_etr0
unit=$devices/etm1

now()
{
    read -r up _ </proc/uptime
    echo "$up"
}

one()
{
    from=$(now)
    taskset -c 1 ./workloop "$rounds" >/tmp/out || echo "workloop failed" >&2
    grep -q '^workloop: done' /tmp/out || exit 1
    echo "time $1 $(now) $from" | awk '{ printf "time %s %.2f\n", $2, $3 - $4 }'
}

# The program and what it needs are in memory and translated.
one warm
n=0
while [ $n -lt "$repeats" ]; do
    n=$((n + 1))
    one before
done
n=0
while [ $n -lt "$repeats" ]; do
    n=$((n + 1))
    echo 1 >$devices/$sink/enable_sink
    echo 1 >"$unit/enable_source" || exit 1
    one traced
    echo 0 >"$unit/enable_source"
    echo 0 >$devices/$sink/enable_sink
    csread /dev/$sink /tmp/trace
    # Translated code stays of the traced kind for 100 ms after a disable.
    usleep 300000
    one after
done
