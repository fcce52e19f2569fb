# In the guest: shared.sh SINK ROUNDS: the units of all CPUs but 0 trace into
# one sink in sysfs mode; CPU 0 reads it, so it is flushed, stopped and started
# again, ROUNDS times while they run. 4 checks.
#
# Each traced CPU keeps to one program: after a restart of the sink the trace
# begins in the middle, without a context ID in this mode, and every static
# program has its code at the same address.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

sink=$1
rounds=$2
last=$(($(nproc) - 1))

echo 0x1000000 >"$devices/$sink/buffer_size"
for c in $(seq 1 $last); do
    if [ $((c % 2)) -eq 1 ]; then
        taskset -c "$c" /root/workloop 1000000 >/dev/null &
    else
        taskset -c "$c" /root/svcstorm 1000000 >/dev/null &
    fi
    jobs="${jobs:-} $!"
done
# Each has reached its program when it has used some time of its CPU.
for j in $jobs; do
    n=0
    while [ "$(cut -d ' ' -f 14 "/proc/$j/stat")" -lt 5 ] && [ $n -lt 500 ]; do
        n=$((n + 1))
        usleep 10000
    done
done
echo 1 >"$devices/$sink/enable_sink"
check $? "$sink enabled"
for c in $(seq 1 $last); do
    echo 1 >"$devices/etm$c/enable_source" || note "etm$c: not enabled"
done
bad=0
for i in $(seq 1 "$rounds"); do
    csread "/dev/$sink" /tmp/shared >/tmp/shared.out 2>&1 || bad=$((bad + 1))
done
n=$(wc -c </tmp/shared)
for c in $(seq 1 $last); do
    echo 0 >"$devices/etm$c/enable_source"
done
echo 0 >"$devices/$sink/enable_sink"
kill $jobs
same "$bad" 0 "$rounds read-outs of a sink that $last CPUs trace into"
[ "$n" -gt 0 ]
check $? "the last of them has $n bytes"
clean_log "shared sink"
