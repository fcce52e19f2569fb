#!/bin/sh
# Trace IDs: a session of perf over two sinks has none twice, and the timeline
# says whose is which; two trace units that are given one ID are told, those
# that share it over two sinks are not.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh
need_kernel debian:trixie
command -v perl >/dev/null || skip_all "no perl"
tap_begin

topology=new:cpus=4,etrs=2

# json NAME: the file is what its format says, all of it
json()
{
    perl -MJSON::PP -0777 -ne 'exit(ref decode_json($_) ne "ARRAY")' \
        "$tmp/$1.json"
    ok $? "$1: the timeline is an array of JSON"
}

# events NAME EVENT: its lines
events()
{
    grep "\"name\":\"$2\"" "$tmp/$1.json"
}

# atids NAME SINK: "0x10 cpu 0" for each ID of its captures that had bytes
atids()
{
    grep '"ph":"E","name":"capture"' "$tmp/$1.json" |
        grep "\"pid\":2,\"tid\":$2," |
        grep -o '"0x[0-9a-f]*":{"cpu":[0-9]*,"bytes":[1-9]' |
        sed 's/"\(0x[0-9a-f]*\)":{"cpu":\([0-9]*\),.*/\1 cpu \2/' | sort -u
}

guest perf --topology $topology --events "$tmp/perf.json" --exec \
    'perf record -a -o /tmp/p -e cs_etm//u -- sh -c "for i in 0 1 2 3; do
        taskset -c \$i ls / ; done" >/dev/null 2>&1 &&
     perf report -D -i /tmp/p 2>/dev/null | sed -n \
        "s/^\([0-9]*\) .*OUTPUT_HW_ID hw_id: \(0x[0-9a-f]*\).*/hwid \1 \2/p"'
is $status 0 "perf: over two sinks" || why perf
json perf
is "$(events perf collision | wc -l)" 0 "perf: no ID twice"
is "$(grep -c ATID "$tmp/perf.err")" 0 "perf: nothing to say"
is "$(atids perf 0)" "0x10 cpu 0
0x12 cpu 1" "perf: the IDs of the first sink and their CPUs"
is "$(atids perf 1)" "0x14 cpu 2
0x16 cpu 3" "perf: of the second"
is "$(events perf trace | grep -c '"ph":"B"')" \
    "$(events perf trace | grep -c '"ph":"E"')" \
    "perf: each unit that goes on goes off"
is "$(events perf capture | grep -c '"ph":"B"')" \
    "$(events perf capture | grep -c '"ph":"E"')" \
    "perf: each capture ends"
# perf's own packets: the ID in bits 7:0, the CPU as perf has it
is "$(sed -n 's/^hwid \([0-9]*\) 0x.*\(..\)$/0x\2 cpu \1/p' "$tmp/perf.out" |
    sort -u)" "$(atids perf 0; atids perf 1)" \
    "perf: its HW_ID packets say the same"

copies collide.sh
# shellcheck disable=SC2086 # a list of options
guest hand --topology $topology --events "$tmp/hand.json" --append mem=512M \
    $copies --exec 'sh /root/collide.sh'
is $status 0 "by hand: one ID for three units" || why hand
take_checks hand 4
json hand
is "$(events hand collision | sed 's/.*"pid"/"pid"/; s/,"ts":[0-9.]*//')" \
    '"pid":2,"tid":0,"s":"t","args":{"atid":"0x20","cpus":[0,1],"live":true}},' \
    "by hand: one collision, at the sink of CPUs 0 and 1"
is "$(grep -o 'csvirt: etr.*' "$tmp/hand.err")" \
    'csvirt: etr@cc00000: CPU 0 and CPU 1 trace with the same ATID 0x20' \
    "by hand: and told"
is "$(atids hand 1)" "0x20 cpu 2
0x22 cpu 3" "by hand: the same ID at the other sink is another CPU's"
tap_done
