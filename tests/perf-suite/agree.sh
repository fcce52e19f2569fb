# In the guest: records PROGRAM's user space into tmc_etr0, and says what
# perf makes of the data, in lines for agree.t:
#   kind ATID PACKET COUNT      packets of perf's raw dump, by kind
#   samples COUNT PERIODS       perf script, one sample an instruction
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

perf record -o /tmp/p -e cs_etm/@tmc_etr0/u --per-thread "$@" \
    >/tmp/out 2>&1
check $? "perf record $*" || note "$(tail -n 5 /tmp/out)"
perf report -D -i /tmp/p 2>/dev/null >/tmp/dump
check $? 'perf report -D'
awk '$1 ~ /^Idx:/ && $2 ~ /^ID:/ {
    sub(/^ID:/, "", $2); sub(/;$/, "", $2); n[$2 " " $3]++
} END { for (k in n) { print "kind", k, n[k] } }' /tmp/dump | sort
perf script -i /tmp/p --itrace=i1i -F period,ip 2>/tmp/err >/tmp/script
check $? 'perf script' || note "$(tail -n 5 /tmp/err)"
awk 'NF >= 2 { n++; periods += $1 } END { print "samples", n + 0, periods + 0 }' \
    /tmp/script
note "$(head -n 3 /tmp/script)"
grep -a -i -E 'error|lost|truncat|not found' /tmp/err | sed 's/^/note /'
clean_log agree
