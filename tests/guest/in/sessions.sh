# In the guest: sessions.sh SECONDS: trace sessions one after the other, by
# perf (user and kernel, a thread each) and by sysfs (every CPU), for so long.
# The host saves and restores the machine meanwhile. 3 checks.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

until=$(($(date +%s) + $1))
sink=$(devices_of tmc_etr | head -n 1)
failed=0
rounds=0

one()
{
    "$@" >/tmp/session.out 2>&1 && return
    failed=$((failed + 1))
    note "$* failed: $(tail -n 2 /tmp/session.out)"
}

while [ "$(date +%s)" -lt "$until" ]; do
    rounds=$((rounds + 1))
    for c in $(seq 0 $(($(nproc) - 1))); do
        one sysfs-capture -c "$c" "$sink" /tmp/s /root/tiny
        one sysfs-capture -c "$c" "$sink" /tmp/s /root/svcstorm 3
    done
    one perf record -e cs_etm//u -o /tmp/p -- /root/workloop 1
    one perf record -e cs_etm/retstack,cycacc,branch_broadcast/ -o /tmp/p \
        -- /root/workloop 1
    one perf record -e "cs_etm/@$sink/" -o /tmp/p -- /root/tiny
    if [ -x /root/twoviews ]; then
        one perf record -e cs_etm//u -o /tmp/p -- /root/twoviews -n 4
    fi
done
note "$rounds rounds"
[ $rounds -gt 0 ]
check $? "sessions ran"
same "$failed" 0 "every session ended well"
clean_log "sessions"
