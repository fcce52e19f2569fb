#!/bin/sh
# In the guest, as "sleep" ahead in PATH: test_arm_coresight.sh gives perf one
# second to start dd and then asks for a snapshot ("Wait for perf program").
# Emulated, perf record of kernel and user takes 1.3 seconds of an unloaded
# CPU to get there. So the second begins when dd runs, at most a minute later.
#
# SPDX-License-Identifier: GPL-2.0-or-later
tries=0
while ! pidof dd >/dev/null && [ $tries -lt 600 ]; do
    tries=$((tries + 1))
    busybox sleep 0.1
done
exec busybox sleep "$@"
