#!/bin/sh
# tests/tap/tap.sh checks itself: a program with failing checks, its output
# and its exit status.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016
dir=$(dirname "$0")
. "$dir/tap.sh"

inner() {
    sh -c '. "$0/tap.sh"; '"$1" "$dir" 2>&1
}

tap_begin 18

out=$(inner 'tap_begin; ok 0 good; ok 1 bad; is a a same; is a b other
    like "one
two" "^two$" line; like one three none; skip 2 "no reason"; tap_done')
ok $(($? != 1)) "failed checks: exit 1"
is "$(printf '%s\n' "$out" | head -n 4)" "TAP version 13
ok 1 - good
not ok 2 - bad
ok 3 - same" "plain checks"
like "$out" '^not ok 4 - other$' "is fails"
like "$out" '^# got:  a$' "... and says what it got"
like "$out" '^# want: b$' "... and what it wanted"
like "$out" '^ok 5 - line$' "like finds a line"
like "$out" '^not ok 6 - none$' "like fails"
like "$out" '^ok 8 # SKIP no reason$' "skips are numbered"
like "$out" '^1\.\.8$' "plan at the end"
like "$out" '^# 3 of 8 checks failed$' "summary"

out=$(inner 'tap_begin 3; ok 0 one; tap_done')
ok $(($? != 99)) "a plan not kept: exit 99"
like "$out" '^1\.\.3$' "plan at the start"

out=$(inner 'tap_begin; tap_done')
ok $(($? != 99)) "no check at all: exit 99"

out=$(inner 'tap_begin 1; ok 0 one; tap_done')
ok $? "all well: exit 0"

out=$(inner 'bail "broken"')
ok $(($? != 99)) "bail out: exit 99"
is "$out" "Bail out! broken" "bail out says why"

out=$(inner 'skip_all "no hardware"')
ok $? "skip all: exit 0"
like "$out" '^1\.\.0 # SKIP no hardware$' "skip all says why"

tap_done
