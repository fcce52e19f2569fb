# In the guest: records user space and kernel of processes on two CPUs that
# share tmc_etr0. /tmp/steps: perf's samples of it, one an instruction, in the
# order of the trace's time; /tmp/kcore: the kernel's code as perf kept it.
# 4 checks.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

perf record --kcore -B -N -o /tmp/p -e cs_etm/@tmc_etr0/ -- \
    /root/markers 2 0 1 >/tmp/out 2>&1
check $? 'perf record of two CPUs' || note "$(tail -n 5 /tmp/out)"
ln /tmp/p/kcore_dir/kcore /tmp/kcore
check $? 'perf has kept the code of the kernel'
perf script -i /tmp/p --itrace=i1iT -F cpu,ip 2>/tmp/err >/tmp/steps
check $? 'perf script' || note "$(tail -n 5 /tmp/err)"
grep -a -i -E 'error|lost|truncat|not found' /tmp/err | sed 's/^/note /'
clean_log 'two CPUs'
