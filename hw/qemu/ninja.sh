#!/bin/sh
# Runs $NINJA in the folder $1 with the other arguments. Output that is not
# for a terminal is thinned out: every 50th step, and whatever is no step.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -u
dir=$1
shift
if [ -t 1 ]; then
    exec "${NINJA:-ninja}" -C "$dir" "$@"
fi
{
    "${NINJA:-ninja}" -C "$dir" "$@" 2>&1
    echo "csvirt-status $?"
} | awk '
    $1 == "csvirt-status" { status = $2; next }
    /^ninja: Entering/ { next }
    /Generating qemu-version.h/ { next }
    match($0, /^\[[0-9]+\/[0-9]+\] /) {
        split(substr($1, 2), n, /[\/\]]/)
        if (n[1] % 50 == 0 || n[1] == n[2] || n[2] < 50) {
            print "  QEMU\t" $0
            fflush()
        }
        next
    }
    { print; fflush() }
    END { exit status }'
