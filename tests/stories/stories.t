#!/bin/sh
# The stories of docs/many-etms.md as tests.
#
#   stories.t [-l] [GROUP|NAME]...    of tests/stories/cases (small); -l: list
#
# CSVIRT_STORY: more options for csvirt run.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh
. tests/stories/stories.sh

cases=tests/stories/cases
perf=

wanted()
{
    for w in $chosen; do
        for word in $case_name $groups; do
            [ "$w" != "$word" ] || return 0
        done
    done
    return 1
}

if [ "${1:-}" = -l ]; then
    grep -v '^#' $cases
    exit 0
fi
chosen=${*:-${STORIES:-small}}
tap_begin
grep -v '^#' $cases >"$tmp/cases"
while read -r case_name story kernel topology groups <&3; do
    wanted || continue
    name=$case_name
    if ! have_kernel "$kernel"; then
        skip 1 "$name: $kernel: $image_err"
        continue
    fi
    cpus=$("$csvirt" topology check "new:$topology" 2>&1 |
        sed -n 's/.*needs \([0-9]*\) CPUs.*/\1/p')
    $story
done 3<"$tmp/cases"
tap_done
