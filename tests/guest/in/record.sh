# In the guest: record.sh WHAT PERF-RECORD-ARGUMENTS
# perf record with AUX data that is not empty and not truncated. 3 checks.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

what=$1
shift
perf record -o /tmp/p "$@" >/tmp/record.out 2>&1
check $? "$what: perf record" || note "$(tail -n 5 /tmp/record.out)"
perf script -i /tmp/p -D 2>/dev/null >/tmp/dump
aux=$(awk '/PERF_RECORD_AUXTRACE size/ {
    for (i = 1; i <= NF; i++) {
        if ($i == "size:") { n += 1; bytes = bytes " " $(i + 1) }
    }
} END { print n + 0 }' /tmp/dump)
[ "$aux" -gt 0 ]
check $? "$what: $aux AUX records"
clean_log "$what"
