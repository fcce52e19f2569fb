# In the guest: cases.sh: a perf record for each line of /root/cases.list. The
# line "random N ARGUMENTS" runs the programs of /root/random.tar, whose output
# is left in /tmp/random.out. A check a line, or a line "absent WHAT" where the
# trace unit lacks an option of the event; 1 check more.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

idr0=$(cat "$devices/etm0/trcidr/trcidr0")
out=/tmp/case.out

# IHI 0064H.b, 7.3 TRCIDR0: TRCBB, TRCCCI, RETSTACK
lacks()
{
    case ",$1" in
    *[,/]branch_broadcast*) [ $((idr0 >> 5 & 1)) -eq 1 ] || return 0 ;;
    esac
    case ",$1" in
    *[,/]cycacc*) [ $((idr0 >> 7 & 1)) -eq 1 ] || return 0 ;;
    esac
    case ",$1" in
    *[,/]retstack*) [ $((idr0 >> 9 & 1)) -eq 1 ] || return 0 ;;
    esac
    return 1
}

# One CPU: a sink that two share is stopped for both when one is read.
random()
{
    shift 3
    mkdir -p /tmp/r && cd /tmp/r && tar xf /root/random.tar || return
    cat >all <<'EOF'
for p in p[0-9]*; do
    ./$p || echo "$p: exit status $?" >&2
done
EOF
    taskset -c 1 perf record -o /tmp/p "$@" -- sh all >/tmp/random.out 2>$out
    status=$?
    cd /root
    ! grep 'exit status' $out && [ $status -eq 0 ]
}

# The program says that it is done; perf that it has written.
session()
{
    perf record -o /tmp/p "$@" >$out 2>&1 && grep -q ': done$' $out
}

while read -r line; do
    if lacks "$line"; then
        echo "absent $line"
        continue
    fi
    case $line in
    random*) eval "random x $line" ;;
    *) eval "session $line" ;;
    esac </dev/null
    check $? "$line" || note "$(tail -n 5 $out)"
    rm -f /tmp/p
done </root/cases.list
clean_log "truth"
