#!/bin/sh
# ./configure: options that are wrong leave config.mak alone; a host that lacks
# something is told all of it.
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/tap/tap.sh

t=$(mktemp -d) || bail "no temporary folder"
trap 'rm -rf "$t"' EXIT
tap_begin 25
cp configure "$t/"
echo kept >"$t/config.mak"

# conf ARG...: sets out (both streams) and rc.
conf()
{
    out=$("$t/configure" "$@" 2>&1)
    rc=$?
}

# refused WHAT PATTERN
refused()
{
    is "$rc" 2 "$1: exit status"
    like "$out" "$2" "$1: says why"
    is "$(cat "$t/config.mak")" kept "$1: config.mak as before"
    is "$(ls -A "$t" | grep -c 'config.mak.')" 0 "$1: nothing left"
}

conf --enable-magic
refused "unknown option" "^configure: unknown argument '--enable-magic'"
conf --with-qemu="$t/none"
refused "no tree" "^configure: --with-qemu=$t/none: no such folder"
mkdir "$t/tree"
conf --with-qemu="$t/tree"
refused "an empty tree" "$t/tree: no QEMU source tree \(no file VERSION\)"
mkdir -p "$t/tree/hw/arm"
: >"$t/tree/meson.build" >"$t/tree/hw/arm/virt.c"
echo 9.2.0 >"$t/tree/VERSION"
conf --with-qemu="$t/tree"
refused "another QEMU" "$t/tree: is QEMU 9.2.0, and 10.0 is needed"
conf CC="$t/no-gcc" DTC="$t/no-dtc"
refused "tools that lack" "^  the device tree compiler"
like "$out" '^  a C compiler' "tools that lack: all of them"
like "$out" "make deps" "tools that lack: and the way out"
conf --help
is "$rc" 0 "help"
like "$out" '--with-qemu=DIR' "help names the options"
conf --prefix="$t/p q" CFLAGS=-O1
like "$(cat "$t/config.mak")" "^# args: '--prefix=$t/p q' 'CFLAGS=-O1'" \
    "arguments are kept for the next run"
tap_done
