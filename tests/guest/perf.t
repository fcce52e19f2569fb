#!/bin/sh
# perf record on each kernel: user, kernel and system wide; what the sinks got
# decodes to what the CPUs retired, instruction for instruction.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh
. tests/lib/scenarios.sh
need_kernel debian:trixie
tap_begin

each()
{
    record "$1" user --topology 2etr-4cpu -- \
        "-e cs_etm/@tmc_etr1/u -- ./workloop 5"
    count=$($tools/logcount -e 0 "$tmp/$name.log")
    [ "${count:-0}" -ge 300000 ]
    ok $? "$name: $count instructions of user space in the log"
    record "$1" kernel --topology 2etr-4cpu -- "-e cs_etm//k -- ./svcstorm 20"
    record "$1" both --topology deep-1etr-4cpu -- "-e cs_etm// -- ./faults"
    record "$1" system --topology split-2etr-4cpu -- \
        "-e cs_etm// -a -- ./selfmod"
}

each debian:trixie
if have_kernel debian:trixie-backports; then
    each debian:trixie-backports
else
    skip 1 "debian:trixie-backports: $image_err"
fi

# One host thread a CPU: two processes, one page of code at two addresses.
record debian:trixie views --topology 1etr-2cpu --accel multi -- \
    "-e cs_etm//u -a -- ./twoviews -n 20"
tap_done
