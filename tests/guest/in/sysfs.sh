# In the guest: sysfs.sh SINK CPU: trace without perf, twice: a run that fits
# into the sink's buffer (/tmp/fits), and one that wraps it (/tmp/wraps).
# 6 checks, and the lines "bytes NAME N".
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

sink=$1
cpu=$2

capture()
{
    out=$1
    shift
    sysfs-capture -c "$cpu" "$sink" "/tmp/$out" "$@" >/tmp/capture.out 2>&1
    check $? "sysfs capture $out: $*" || note "$(tail -n 4 /tmp/capture.out)"
    n=$(wc -c <"/tmp/$out")
    echo "bytes $out $n"
    [ "$n" -gt 0 ] && [ $((n % 16)) -eq 0 ]
    check $? "$out: $n bytes, whole frames"
}

capture fits /root/workloop 2
echo 0x10000 >"$devices/$sink/buffer_size"
capture wraps /root/workloop 60
same "$(od -A n -t x4 -N 16 /tmp/wraps | tr -d ' ')" \
    7fffffff7fffffff7fffffff7fffffff \
    "the kernel's barrier is where the oldest data were lost"
clean_log "sysfs captures"
