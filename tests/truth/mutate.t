#!/bin/sh
# Each mutation still is one: code that has moved on leaves none behind. What
# notices them is make mutate's.
#
# SPDX-License-Identifier: GPL-2.0-or-later
exec tests/truth/mutate.sh -l
# TAP: skip_all and tap_begin are mutate.sh's.
