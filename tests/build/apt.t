#!/bin/sh
# guest/apt.sh without a network: nothing cached, a dead mirror, a suite and
# packages that are not there, and what a killed run leaves behind.
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/tap/tap.sh

t=$(mktemp -d) || bail "no temporary folder"
trap 'rm -rf "$t"' EXIT
tap_begin

# apt ARG...: sets out, err and rc.
apt()
{
    out=$(guest/apt.sh "$@" 2>"$t/err")
    rc=$?
    err=$(cat "$t/err")
}

# refused WHAT STATUS PATTERN: the last run failed so, with one clear line.
refused()
{
    is "$rc" "$2" "$1: exit status"
    is "$out" '' "$1: no result"
    is "$(printf '%s\n' "$err" | grep -vc ': fetching')" 1 "$1: one line"
    like "$err" "^apt.sh: .*$3" "$1: says why"
}

apt trixie update
refused "no state folder" 2 "--state DIR is needed"
apt --state "$t/s" ../etc update
refused "odd suite" 2 "'../etc' is no name of a suite"
apt --state "$t/s" trixie upgrade
refused "odd command" 2 "unknown command upgrade"
apt --state "$t/s" --offline trixie download "$t/o" meson
refused "offline, nothing there" 1 "no package lists of trixie in $t/s/trixie"
# Port 9 of this host: nobody listens there.
MIRROR=http://127.0.0.1:9/debian
export MIRROR
apt --state "$t/s" trixie download "$t/o" meson
refused "dead mirror" 1 "cannot fetch the package lists of trixie from $MIRROR"
is "$(ls "$t/o" 2>/dev/null)" '' "dead mirror: nothing half-made"
: >"$t/file"
apt --state "$t/file" trixie update
refused "state is a file" 1 "cannot make the folder $t/file/trixie"

# The rest wants lists and a package: those that make has fetched.
if [ -d build/apt/trixie/lists ] && ls build/apt/trixie/pool/libopencsd_* \
    >/dev/null 2>&1; then
    mkdir -p "$t/s"
    cp -r build/apt/trixie/lists "$t/lists"
    rm -rf "$t/s/trixie/lists" && mkdir -p "$t/s/trixie"
    mv "$t/lists" "$t/s/trixie/lists"
    mkdir -p "$t/s/trixie/pool"
    MIRROR=$(awk '$1 == "deb" { print $3 }' build/apt/trixie/sources.list)
    apt --state "$t/s" --offline trixie source "$t/o" libopencsd
    refused "offline, not fetched" 1 "libopencsd .*offline, and not in $t/s"
    cp build/apt/trixie/pool/libopencsd_*.tar.gz "$t/s/trixie/pool/"
    for f in "$t"/s/trixie/pool/libopencsd_*; do
        name=${f##*/}
    done
    # A run that was killed: half a file in the pool's partial folder of a
    # process that is gone, half a file under the final name elsewhere.
    mkdir "$t/s/trixie/pool/.part-999999999"
    echo half >"$t/s/trixie/pool/.part-999999999/$name"
    echo half >"$t/o/$name"
    apt --state "$t/s" --offline trixie source "$t/o" libopencsd
    is "$rc" 0 "after a killed run: exit status"
    is "$out" "$t/o/$name" "after a killed run: result"
    cmp -s "$t/o/$name" "build/apt/trixie/pool/$name"
    ok $? "after a killed run: the whole file"
    is "$(ls -A "$t/s/trixie/pool")" "$name" "after a killed run: cleaned up"
    truncate -s 100 "$t/s/trixie/pool/$name"
    apt --state "$t/s" --offline trixie source "$t/o" libopencsd
    refused "short file in the pool" 1 "not in $t/s"
    apt --state "$t/s" --offline trixie download "$t/o" no-such-package
    refused "unknown package" 1 "no package no-such-package in the lists"
    apt --state "$t/s" --offline trixie download "$t/o" meson=0.1
    refused "unknown version" 1 "trixie has no version 0.1 of meson, only:"
    apt --state "$t/s" --offline trixie versions meson
    like "$out" '^[1-9][0-9.]*-[0-9]' "versions: prints one"
    apt --state "$t/s" --offline trixie depends meson
    like "$out" '^ninja-build' "depends: names packages"
else
    skip 25 "build/apt has nothing fetched"
fi
tap_done
