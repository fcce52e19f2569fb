# In the guest: records user space and kernel of processes on two CPUs, each
# with a sink of its own: the driver loses trace of one where two share it.
# /tmp/steps: perf's samples, one an instruction; /tmp/kcore: the kernel's code
# as perf kept it. 4 checks.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

taskset -c 0 perf record --kcore -B -N -o /tmp/p -e cs_etm// -- \
    /root/markers 2 0 2 >/tmp/out 2>&1
check $? 'perf record of two CPUs' || note "$(tail -n 5 /tmp/out)"
ln /tmp/p/kcore_dir/kcore /tmp/kcore
check $? 'perf has kept the code of the kernel'
perf script -i /tmp/p --itrace=i1i -F cpu,ip 2>/tmp/err >/tmp/steps
check $? 'perf script' || note "$(tail -n 5 /tmp/err)"
grep -a -i -E 'error|lost|truncat|not found' /tmp/err | sed 's/^/note /'
clean_log 'two CPUs'
