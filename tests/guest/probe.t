#!/bin/sh
# Every shipped topology on Debian's 6.12 kernel, the two-sink one on 7.x too:
# the drivers probe each node and connect it as the tree's drawing shows; the
# modules can be unloaded and loaded again.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh
need_kernel debian:trixie
tap_begin

probe()
{
    name=$1-${2##*:}
    copies probe.sh reload.sh
    # shellcheck disable=SC2086 # options
    guest "$name" --kernel "$2" --topology "$1" --fail-on-warn $copies \
        --exec "sh probe.sh; sh reload.sh $3"
    is "$status" 0 "$1, $2: the run ends well" || why "$name"
    take_checks "$name" 10
    is "$(got_links "$name")" "$(links_of "$1")" \
        "$1, $2: connections as drawn"
}

probe 2etr-4cpu debian:trixie 3
for t in 1etr-2cpu split-2etr-4cpu deep-1etr-4cpu static-1etr-2cpu; do
    probe $t debian:trixie 1
done
if have_kernel debian:trixie-backports; then
    probe 2etr-4cpu debian:trixie-backports 3
else
    skip 1 "debian:trixie-backports: $image_err"
fi
tap_done
