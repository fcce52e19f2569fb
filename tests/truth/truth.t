#!/bin/sh
# The ground-truth suite's selection for every make check: 10^8 instructions.
#
#   tests/truth/truth.t [SEED]
#
# SPDX-License-Identifier: GPL-2.0-or-later
exec tests/truth/truth.sh -g check -m 100 -s "${1:-${CSVIRT_SEED:-1}}"
# TAP: skip_all and tap_begin are truth.sh's.
