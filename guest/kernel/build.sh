#!/bin/sh
# Builds an arm64 kernel from Debian's source of it, a recipe, our patches and
# our configuration, without root. See README.md.
#
# Result on stdout (kernel=, version=), talk on stderr. Everything lies below
# --cache, keyed by what went into it; a kernel is made under a temporary name
# and renamed when whole, under a lock.
# Exit status: 0 done, 2 it cannot be had (one line on stderr).
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -u
LC_ALL=C
export LC_ALL

here=$(cd "$(dirname "$0")" && pwd)

usage()
{
    cat <<'END'
usage: build.sh --cache DIR [OPTION]... NAME
       build.sh --list | --inputs NAME

NAME is one of --list: a file NAME.recipe beside this script.

  --list            the recipes, a line each
  --inputs NAME     the files that make the kernel, a line each
  --offline         use only the source that has been fetched
  --jobs N          compilers at a time (as many as the host has CPUs)
  --apt-mirror URI  Debian mirror, instead of the host's
  --apt-state DIR   where apt.sh keeps its state (default: DIR/apt)
END
}

say()
{
    echo "build.sh: $*" >&2
}

die()
{
    say "$*"
    exit 2
}

# ---- recipes -------------------------------------------------------------

# recipe KEY: its words; nothing when the recipe has no such line.
recipe()
{
    sed -n "s/^$1  *//p" "$here/$name.recipe"
}

list()
{
    for r in "$here"/*.recipe; do
        name=$(basename "$r" .recipe)
        printf '%-12s %s\n' "$name" "$(recipe about)"
    done
}

# need_file KIND FILE: names of a recipe must be there.
need_file()
{
    [ -f "$here/$2" ] || die "recipe $name: $1: no file guest/kernel/$2"
}

recipe_read()
{
    case $name in
    '' | .* | */* | *[!A-Za-z0-9._-]*) die "kernel '$name': no name of a" \
        "recipe (guest/kernel/build.sh --list)" ;;
    esac
    [ -f "$here/$name.recipe" ] ||
        die "kernel '$name': no such recipe, only:" \
            $(list | cut -d ' ' -f 1)
    bad=$(grep -v -E '^(#|$|(about|suite|source|config|patch) +[^ ])' \
          "$here/$name.recipe" | head -n 1)
    [ -z "$bad" ] || die "recipe $name: what is '$bad'?"
    suite=$(recipe suite)
    package=$(recipe source)
    configs=
    patches=
    for c in $(recipe config); do
        need_file config "config/$c.config"
        configs="$configs config/$c.config"
    done
    for p in $(recipe patch); do
        need_file patch "patches/$p.patch"
        patches="$patches patches/$p.patch"
    done
    [ -n "$suite" ] && [ -n "$package" ] && [ -n "$configs" ] ||
        die "recipe $name: suite, source and config are needed"
}

inputs()
{
    for f in build.sh "$name.recipe" $configs $patches; do
        echo "$here/$f"
    done
}

# ---- the source ----------------------------------------------------------

need_tools()
{
    for t in make flex bison bc perl patch xz dpkg-deb flock \
        "${cross}gcc" "${cross}ld" gcc; do
        command -v "$t" >/dev/null ||
            die "$t is missing: make deps installs it"
    done
}

# The source package's file, in $deb.
fetch()
{
    deb=$(MIRROR=${mirror:-${MIRROR:-}} sh "$here/../apt.sh" \
        --state "$apt_state" $offline "$suite" download "$cache/deb" \
        "$package") || die "no source of the kernel $name"
}

# Debian's tree, unpacked once, in $tree.
unpack()
{
    tree=$built/$(basename "$deb" .deb)
    [ ! -d "$tree" ] || return 0
    say "unpacking $(basename "$deb")"
    rm -rf "$built/unpack"
    mkdir "$built/unpack" || die "cannot make the folder $built/unpack"
    dpkg-deb --fsys-tarfile "$deb" |
        tar -xO "./usr/src/$package.tar.xz" |
        tar -xJ -C "$built/unpack" --strip-components=1 &&
        [ -f "$built/unpack/Makefile" ] ||
        die "cannot unpack $deb into $built/unpack"
    mv "$built/unpack" "$tree" || die "cannot write $tree"
}

# ---- the kernel ----------------------------------------------------------

# A tree of links, cheap; patch(1) and make replace files, never write them.
copy_tree()
{
    cp -al "$tree" "$work/tree" 2>/dev/null || cp -a "$tree" "$work/tree" ||
        die "cannot copy $tree to $work"
    for p in $patches; do
        why=$(patch -p1 -s -f -F 0 -d "$work/tree" -i "$here/$p" 2>&1) ||
            die "$p does not apply to $(basename "$tree"):" \
                "$(echo "$why" | head -n 1)"
    done
}

kmake()
{
    make -s -C "$work/tree" ARCH=arm64 CROSS_COMPILE="$ccache$cross" \
        HOSTCC="${ccache}gcc" LOCALVERSION="-csvirt-$name" \
        KBUILD_BUILD_TIMESTAMP='Thu Jan 1 00:00:00 UTC 1970' \
        KBUILD_BUILD_USER=csvirt KBUILD_BUILD_HOST=csvirt \
        KBUILD_BUILD_VERSION=1 "$@" >>"$log" 2>&1
}

# Kconfig drops what depends on something that is off without a word.
configure()
{
    for c in $configs; do
        cat "$here/$c"
    done >"$work/wanted.config"
    kmake KCONFIG_ALLCONFIG="$work/wanted.config" allnoconfig ||
        die "kernel $name: make allnoconfig failed: see $log"
    grep '^CONFIG_' "$work/wanted.config" | while read -r line; do
        grep -q -x -F -e "$line" "$work/tree/.config" || {
            of=$(grep -l -x -F -e "$line" $(inputs) | tail -n 1)
            say "kernel $name: $line of $(basename "$of")" \
                "is not to be had from $(basename "$tree")"
            exit 2
        }
    done || exit 2
}

compile()
{
    say "building the kernel $name with $jobs jobs (log: $log)"
    kmake -j "$jobs" Image || {
        why=$(grep -m 1 -E 'error:|Error [0-9]|No space left' "$log")
        die "kernel $name: ${why:-make failed} (log: $log)"
    }
}

# What stays of a build.
keep()
{
    mkdir "$work/out" &&
        cp "$work/tree/arch/arm64/boot/Image" "$work/tree/vmlinux" \
            "$work/tree/System.map" "$work/out/" &&
        cp "$work/tree/.config" "$work/out/config" &&
        cat "$work/tree/include/config/kernel.release" \
            >"$work/out/version" &&
        mv "$work/out" "$result" || die "cannot write $result"
}

answer()
{
    [ -f "$result/version" ] || return 1
    echo "kernel=$result/Image"
    echo "version=$(cat "$result/version")"
}

make_kernel()
{
    log=$built/$name.log
    work=$built/tmp.$name.$$
    : >"$log" && mkdir "$work" || die "cannot write below $built"
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    copy_tree
    configure
    compile
    keep
}

# ---- main ----------------------------------------------------------------

cache=
offline=
mirror=
apt_state=
jobs=$(nproc 2>/dev/null || echo 2)
only=
cross=${CROSS_COMPILE:-aarch64-linux-gnu-}
ccache=
! command -v ccache >/dev/null || ccache='ccache '
while [ $# -gt 0 ]; do
    case $1 in
    --cache | --jobs | --apt-mirror | --apt-state)
        [ $# -gt 1 ] || die "$1 needs a value (see build.sh --help)"
        case $1 in
        --cache) cache=$2 ;;
        --jobs) jobs=$2 ;;
        --apt-mirror) mirror=$2 ;;
        --apt-state) apt_state=$2 ;;
        esac
        shift ;;
    --offline) offline=--offline ;;
    --list) list
            exit 0 ;;
    --inputs) only=inputs ;;
    -h | --help) usage
                 exit 0 ;;
    -*) die "unknown option $1 (see build.sh --help)" ;;
    *) break ;;
    esac
    shift
done
[ $# -eq 1 ] || die "one NAME is needed (see build.sh --help)"
case $jobs in
'' | *[!0-9]* | 0*) die "--jobs $jobs: a number from 1 on" ;;
esac
name=$1
recipe_read
if [ -n "$only" ]; then
    inputs
    exit 0
fi
[ -n "$cache" ] || die "--cache DIR is needed (see build.sh --help)"
built=$cache/built
mkdir -p "$built" "$cache/deb" 2>/dev/null ||
    die "cannot make the folder $built"
cache=$(cd "$cache" && pwd)
built=$cache/built
apt_state=${apt_state:-$cache/apt}

key=$({
    cat $(inputs) || exit 1
    "${cross}gcc" --version 2>/dev/null | head -n 1
} | sha256sum | cut -c 1-20)
result=$built/$name-$key
answer && exit 0

need_tools
exec 8>"$built/lock" || die "cannot write $built/lock"
if ! flock -n 8; then
    say "waiting for another build in $built"
    flock 8
    answer && exit 0
fi
rm -rf "$built"/tmp.*               # of builds that were interrupted
fetch
unpack
make_kernel
for old in "$built/$name"-????????????????????; do
    [ "$old" = "$result" ] || rm -rf "$old"
done
answer
