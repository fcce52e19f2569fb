# In the guest: what the scripts of tests share. Each line "check ok WHAT" or
# "check FAIL WHAT" becomes a check of the host's test (tests/lib/guest.sh).
#
# SPDX-License-Identifier: GPL-2.0-or-later

devices=/sys/bus/coresight/devices

# check STATUS WHAT
check()
{
    if [ "$1" -eq 0 ]; then
        echo "check ok $2"
    else
        echo "check FAIL $2"
    fi
    return "$1"
}

# note TEXT: shown by the host as a diagnostic.
note()
{
    printf '%s\n' "$*" | sed 's/^/note /'
}

# same GOT WANT WHAT
same()
{
    if [ "$1" = "$2" ]; then
        check 0 "$3"
    else
        check 1 "$3"
        note "got $1, want $2"
    fi
}

# What no healthy run may leave in the kernel's log.
clean_log()
{
    bad=$(dmesg | grep -E -i \
        -e 'WARNING:|BUG:|Oops|Call trace|time-?out|timed out|lockup' \
        -e 'rcu.*stall|deferred probe|unable to claim' \
        -e 'failed to (claim|enable)|probe .*failed' |
        grep -v -i 'watchdog.*timeout=')
    [ -z "$bad" ]
    check $? "$1: dmesg has no warning, time-out or failed probe" ||
        note "$bad"
}

# Trace nodes of the device tree that shall have a device each.
nodes()
{
    kinds="etm4x|(dynamic|static)-(funnel|replicator)|tmc"
    for c in $(find /proc/device-tree/ -name compatible); do
        tr "\0" "\n" <"$c" | grep -q -E "^arm,coresight-($kinds)\$" &&
            echo "${c%/compatible}"
    done
}

# Those of a kind: names such as etm0, tmc_etr1.
devices_of()
{
    ls "$devices" | grep -E "^$1[0-9]+$"
}

# One line for each end of a connection: "NODE out:N NODE", "NODE in:N NODE",
# with the names of the nodes in the tree.
links()
{
    for d in "$devices"/*; do
        for l in "$d"/connections/*:*; do
            [ -e "$l" ] || continue
            echo "$(node_of "$d") ${l##*/} $(node_of "$l")"
        done
    done | sort
}

node_of()
{
    n=$(readlink -f "$1/../of_node")
    echo "${n##*/}"
}
