# In the guest: names.sh WHAT PATTERN... -- COMMAND...
# perf script attributes a traced workload's samples (one each 100,000
# instructions) to what WHAT says: sym (functions) or dso (files). A check for
# each PATTERN, and 2.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

field=$1
shift
want=
while [ "$1" != -- ]; do
    want="$want $1"
    shift
done
shift
perf record -m ,16M -e cs_etm//u -o /tmp/names -- "$@" >/tmp/names.out 2>&1
check $? "perf record $*" || note "$(tail -n 5 /tmp/names.out)"
perf script -i /tmp/names --itrace=i100000i -F "ip,$field" 2>/tmp/names.err |
    awk '{ $1 = ""; print }' | sort | uniq -c | sort -rn >/tmp/names.found
note "$(head -n 8 /tmp/names.found)"
for f in $want; do
    n=$(grep -w -e "$f" /tmp/names.found |
        awk '{ s += $1 } END { print s + 0 }')
    [ "$n" -gt 0 ]
    check $? "$n samples of $* in $f"
done
clean_log "$*"
