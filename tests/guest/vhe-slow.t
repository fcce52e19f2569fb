#!/bin/sh
# Context IDs of kernels that run at EL2 (VHE), decoded and compared.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh
need_kernel debian:trixie
tap_begin

for k in debian:trixie debian:trixie-backports; do
    if ! have_kernel "$k"; then
        skip 1 "$k: $image_err"
        continue
    fi
    name=vhe-${k##*:}
    copies vhe.sh markers
    # shellcheck disable=SC2086 # options
    guest "$name" --kernel "$k" --topology 1etr-2cpu --fail-on-warn $copies \
        --qemu-opts '-machine virtualization=on' \
        --snapshot "$tmp/$name.snap" --exec-log "$tmp/$name.log" \
        --exec 'sh vhe.sh'
    is "$status" 0 "$name: the run ends well" || why "$name"
    take_checks "$name" 6
    verify_ok "$name" "$name"
    is "$skipped" 0 "$name: nothing was skipped"
done
tap_done
