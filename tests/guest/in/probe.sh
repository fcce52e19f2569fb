# In the guest: every node has its device, wired as the tree says.
# 7 checks, then "link" lines for the host to compare.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

want=$(nodes | wc -l)
got=$(ls "$devices" | wc -l)
same "$got" "$want" "a device for each of $want trace nodes"
same "$(devices_of etm | wc -l)" "$(nproc)" "a trace unit for each CPU"
deferred=$(cat /sys/kernel/debug/devices_deferred 2>/dev/null)
same "$deferred" "" "no deferred probe"

unbound=
for d in /sys/bus/amba/devices/*; do
    grep -q coresight "$d/uevent" || continue
    [ -e "$d/driver" ] || unbound="$unbound ${d##*/}"
done
same "$unbound" "" "each primecell of the network has its driver"

pmu=/sys/bus/event_source/devices/cs_etm
same "$(ls -d $pmu/cpu[0-9]* 2>/dev/null | wc -l)" "$(nproc)" \
    "the cs_etm PMU knows each CPU's unit"
same "$(ls $pmu/sinks | sort | tr '\n' ' ')" \
    "$(devices_of tmc_etr | sort | tr '\n' ' ')" "its sinks are the ETRs"
clean_log "after boot"
links | sed 's/^/link /'
