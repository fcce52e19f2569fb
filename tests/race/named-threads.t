#!/bin/sh
# Two threads of one perf session on one sink, in each order of stops, on an
# unmodified kernel: what Linux does, found by csvirt race.
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh
tap_begin
need_kernel debian:trixie

"$csvirt" race named-threads --offline --kernel debian:trixie --details \
    --timeout "${CSVIRT_TIMEOUT:-600}" >"$tmp/race.out" 2>"$tmp/race.err"
is $? 0 "csvirt race: exit status"
all=$(cat "$tmp/race.out")
kernel='  debian:trixie: '

# outcome SCENARIO: its line, without the times
outcome()
{
    printf '%s\n' "$all" | grep -A 1 "^named-threads-$1\$" |
        sed -n "s/^$kernel\(.*\) (1, first seed 1)\$/\1/p"
}

# of SCENARIO BUFFER: its line of details
of()
{
    printf '%s\n' "$all" | sed -n "/^named-threads-$1\$/,/^[a-z]/p" |
        grep "^    $2: "
}

lost='WARN tmc_update_etr_buffer; trace of T1 lost; trace of T2 lost'
is "$(outcome crossing)" "$lost" "crossing: the warning, and nothing kept"
is "$(outcome exit)" "$lost" "threads that exit in that order: the same"
is "$(outcome nested)" 'trace of T2 in A' "nested: one has all, silently"
like "$(of nested A)" 'T1 0x1[0-9a-f] [1-9][0-9]{3,}' "nested: T1 in A"
like "$(of nested A)" 'T2 0x1[0-9a-f] [1-9][0-9]{3,}' "nested: T2 in A"
like "$(of nested B)" '^    B: 0 bytes' "nested: nothing in B"
is "$(outcome apart)" clean "apart: each has its own"
[ "$tap_failed" -eq 0 ] || diag "$all"
tap_done
