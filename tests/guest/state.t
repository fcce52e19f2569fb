#!/bin/sh
# Three times in the middle of trace sessions the machine is saved to a file,
# the emulator ends, and another goes on from the file. The chain verifies.
#
#   tests/guest/state.t [SEED]
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh
. tests/lib/state.sh
need_kernel debian:trixie
seed=${1:-${CSVIRT_SEED:-1}}
tap_begin
chain state debian:trixie single 3 "$seed" 6
tap_done
