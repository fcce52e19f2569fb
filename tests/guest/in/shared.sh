# In the guest: shared.sh SINK ROUNDS: all units trace into one sink in sysfs
# mode; the sink is read, so flushed, stopped and started again, ROUNDS times
# while they run. 4 checks.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

sink=$1
rounds=$2
last=$(($(nproc) - 1))

for d in $(devices_of etm); do
    # ETM_MODE_EXCL_KERN: user space alone, so a buffer lasts longer.
    echo 0x40000000 >"$devices/$d/mode" 2>/dev/null
done
echo 1 >"$devices/$sink/enable_sink"
check $? "$sink enabled"
for d in $(devices_of etm); do
    echo 1 >"$devices/$d/enable_source" || note "$d: not enabled"
done
c=1
jobs=
while [ $c -le $last ]; do
    taskset -c $c sh -c 'while [ ! -e /tmp/stop ]; do
        /root/svcstorm 20 >/dev/null; done' &
    jobs="$jobs $!"
    c=$((c + 1))
done
i=0
bad=0
while [ $i -lt "$rounds" ]; do
    i=$((i + 1))
    taskset -c 0 /root/tiny >/dev/null
    taskset -c 0 csread "/dev/$sink" /tmp/shared >/tmp/shared.out 2>&1 ||
        bad=$((bad + 1))
done
touch /tmp/stop
for j in $jobs; do
    wait "$j"
done
for d in $(devices_of etm); do
    echo 0 >"$devices/$d/enable_source"
done
echo 0 >"$devices/$sink/enable_sink"
csread "/dev/$sink" /tmp/shared >/tmp/shared.out 2>&1 || bad=$((bad + 1))
same "$bad" 0 "$rounds read-outs of a sink that $((last + 1)) CPUs trace into"
n=$(wc -c </tmp/shared)
[ "$n" -gt 0 ]
check $? "the last has $n bytes"
clean_log "shared sink"
