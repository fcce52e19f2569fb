#!/bin/sh
# Every shipped topology on Debian's 6.12 kernel, the two-sink one on 7.x too:
# the drivers probe each node and connect it as the tree's drawing shows; the
# modules can be unloaded and loaded again.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh
. tests/lib/scenarios.sh
need_kernel debian:trixie
tap_begin

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
