# In the guest: the drivers unloaded, trace units and sinks driven by hand, so
# that two units have one trace ID. Needs mem=512M of 1G: the buffers lie above
# what the kernel knows. Topology new:cpus=4,etrs=2. 4 checks.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

funnel0=0x0c400000
funnel1=0x0c401000
etr0=0x0cc00000
etr1=0x0cc01000
key=0xc5acce55

# w BASE OFFSET VALUE: a register
w()
{
    devmem $(($1 + $2)) 32 "$3"
}

r()
{
    devmem $(($1 + $2)) 32
}

# etm CPU: its base
etm()
{
    echo $((0x0c100000 + $1 * 0x1000))
}

# on CPU ID: trace everything
on()
{
    base=$(etm "$1")
    w "$base" 0xfb0 $key
    w "$base" 0x300 0
    w "$base" 0x004 0
    w "$base" 0x010 1
    w "$base" 0x034 0xc
    w "$base" 0x040 "$2"
    w "$base" 0x080 0x201
    w "$base" 0x084 0
    w "$base" 0x088 0
    w "$base" 0x004 1
}

off()
{
    w "$(etm "$1")" 0x004 0
}

# capture ETR ADDRESS: 64 KiB there
capture()
{
    w "$1" 0xfb0 $key
    w "$1" 0x004 0x4000
    w "$1" 0x028 0
    w "$1" 0x118 "$2"
    w "$1" 0x11c 0
    w "$1" 0x304 0x3
    w "$1" 0x020 1
}

stop()
{
    w "$1" 0x304 0x1043
    n=0
    while [ $(($(r "$1" 0x00c) & 4)) -eq 0 ] && [ $n -lt 100 ]; do
        n=$((n + 1))
    done
    [ $n -lt 100 ]
    check $? "the sink at $1 stops"
    w "$1" 0x020 0
}

for pass in 1 2 3 4 5 6 7 8; do
    for m in $(lsmod | awk '$1 ~ /^coresight/ { print $1 }'); do
        rmmod "$m" 2>/dev/null
    done
done
[ -z "$(lsmod | grep '^coresight')" ]
check $? "the drivers are gone"

for f in $funnel0 $funnel1; do
    w $f 0xfb0 $key
    w $f 0x000 0x303
done
capture $etr0 0x68000000
capture $etr1 0x68100000
on 0 0x20
on 1 0x20
on 2 0x20
on 3 0x22
i=0
while [ $i -lt 4 ]; do
    taskset -c $i true
    i=$((i + 1))
done
for i in 0 1 2 3; do
    off $i
done
stop $etr0
stop $etr1
clean_log "after that"
