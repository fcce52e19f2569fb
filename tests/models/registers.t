#!/bin/sh
# The coverage page: docs/registers.md says what the register tables say, and
# what an ID register advertises has a test.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/tap/tap.sh

registers=build/registers
tmp=$(mktemp -d) || bail "no folder"
trap 'rm -rf "$tmp"' EXIT

[ -x $registers ] || bail "no $registers: run make $registers"
tap_begin
$registers >"$tmp/page" 2>"$tmp/err"
is $? 0 "each register has its reason, each bit its test" ||
    sed 's/^/# /' "$tmp/err"
cmp "$tmp/page" docs/registers.md >"$tmp/cmp" 2>&1
ok $? "docs/registers.md is what the tables say (make docs)" ||
    sed 's/^/# /' "$tmp/cmp"
$registers --tests >"$tmp/tests" 2>&1
is $? 0 "the list of tests"
fields=0
missing=
tab=$(printf '\t')
# A long name may be cut into two strings of the source: joined here.
while IFS=$tab read -r file case field; do
    fields=$((fields + 1))
    [ -e "tests/$file" ] && tr '\n' ' ' <"tests/$file" |
        sed 's/" *"//g' | grep -qF "\"$case" ||
        missing="$missing
$field: no case \"$case\" in tests/$file"
done <"$tmp/tests"
is "$missing" "" "the tests of $fields fields are there"
[ $fields -gt 60 ]
ok $? "at least sixty fields: $fields"
# The same look at a list that is wrong.
printf '%s\n' "models/regs-test.c${tab}no such case${tab}X" >"$tmp/wrong"
IFS=$tab read -r file case field <"$tmp/wrong"
! grep -qF "\"$case" "tests/$file"
ok $? "a case that is not there is missed"
tap_done
