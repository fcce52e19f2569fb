# In the guest, with the kernel at EL2: the context of a process is
# CONTEXTIDR_EL2, which the trace has as VMID. 6 checks.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

# ids EVENT KIND: the values of KIND (CID, VMID) in the trace of markers.
ids()
{
    taskset -c 1 perf record -B -N -o /tmp/p -e "$1" -- /root/markers 2 \
        >/tmp/out 2>&1 && perf report -D -i /tmp/p 2>/dev/null >/tmp/dump
    check $? "$1: traced" || note "$(tail -n 5 /tmp/out)"
    pid=$(sed -n 's/.*PERF_RECORD_COMM exec: markers:\([0-9]*\).*/\1/p' \
        /tmp/dump | tail -n 1)
    for id in $(sed -n "s/.*[ ;]$2=\(0x[0-9a-f]*\).*/\1/p" /tmp/dump |
        sort -u); do
        echo $((id))
    done >/tmp/ids
}

ids cs_etm/contextid2/u VMID
same "$(cat /tmp/ids)" "$pid" 'contextid2: the process'
ids cs_etm//u VMID
same "$(cat /tmp/ids)" "$pid" 'by default: the process'
# Nobody writes CONTEXTIDR_EL1 here: a program of EL1 would be a guest's.
ids cs_etm/contextid1,contextid2=0/u CID
clean_log vhe
