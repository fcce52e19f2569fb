# In the guest: names.sh FUNCTION... -- COMMAND...
# A traced workload's functions are named by perf script. A check a function,
# and 2.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

want=
while [ "$1" != -- ]; do
    want="$want $1"
    shift
done
shift
perf record -e cs_etm//u -o /tmp/names -- "$@" >/tmp/names.out 2>&1
check $? "perf record $*" || note "$(tail -n 5 /tmp/names.out)"
perf script -i /tmp/names --itrace=i100000i -F sym 2>/tmp/names.err |
    sort | uniq -c | sort -rn >/tmp/names.sym
note "$(head -n 8 /tmp/names.sym)"
for f in $want; do
    grep -q -w "$f" /tmp/names.sym
    check $? "perf script names $f of $*"
done
clean_log "$*"
