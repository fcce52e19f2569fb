#!/bin/sh
# Makes a guest kernel and initramfs from Debian's arm64 packages, from a kernel
# of the user's or one that is built here, without root.
#
# Results on stdout (kernel=, initrd=, version=, perf_version=), talk on
# stderr. Everything lies below --cache, keyed by what went into it; parts are
# made under a temporary name and renamed when whole, under a lock.
# Exit status: 0 done, 2 it cannot be had (one line on stderr).
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -u
LC_ALL=C
export LC_ALL

here=$(cd "$(dirname "$0")" && pwd)
. "$here/image-kernel.sh"
. "$here/image-perf.sh"
. "$here/image-variant.sh"

usage()
{
    cat <<'END'
usage: image.sh --cache DIR [OPTION]... KERNEL

KERNEL is one of
  debian:SUITE           newest kernel of that suite, with modules and perf
  debian:SUITE/VERSION   this version (package version or kernel release)
  debian:SUITE+16k...    the kernel with 16 KiB pages of that suite
  build:NAME             made from Debian's source: guest/kernel/build.sh
                         --list has the names
  debian:SUITE+NAME...   its coresight modules rebuilt with the patch or the
                         configuration NAME of kernel/patches; "rebuilt": with
                         neither
  FILE                   an arm64 Image, with --modules DIR
  FOLDER                 a kernel build tree (arch/arm64/boot/Image)

  --modules DIR     holds lib/modules/VERSION or VERSION; "none": built in
  --perf FILE       a linux-perf .deb, an arm64 perf binary (libraries are
                    looked for beside it first), or "none"
  --offline         use only what the cache holds
  --update          look for newer packages than those used before
  --apt-mirror URI  Debian mirror, instead of the host's
  --apt-state DIR   where apt.sh keeps its state (default: DIR/apt)
  --bin DIR         where init, mkcpio and the other programs are
END
}

say()
{
    echo "image.sh: $*" >&2
}

die()
{
    say "$*"
    exit 2
}

# run WHAT COMMAND...: on failure one line, WHAT and the command's last word.
run()
{
    what=$1
    shift
    err=$("$@" 2>&1) ||
        die "$what: $(printf '%s\n' "$err" |
                      sed -n -e '/No space left/{s/.*: //p;q;}' -e '$p')"
}

# plain_path WHAT PATH: names that end up in word lists and in our answer.
plain_path()
{
    case $2 in
    *[[:space:]\\\'\"\`\$\&\;\|\<\>\(\)\*\?\[\]\#\!]*)
        die "$1 '$2': blanks and shell characters are not taken" ;;
    esac
}

hash_of()
{
    sha256sum | cut -c 1-20
}

# What identifies a file or folder of the user's without reading it all.
identity()
{
    stat -L -c '%n %s %Y %i' "$1"
}

# ---- packages ------------------------------------------------------------

# apt COMMAND...: apt.sh for $suite; its talk goes on as ours, and its last
# line is the one that says why if it fails. Output in $apt_out. No file is
# written on the way: the disk may be full.
apt()
{
    apt_out=$({
        {
            MIRROR=${mirror:-${MIRROR:-}} sh "$here/apt.sh" \
                --state "$apt_state" $offline "$suite" "$@" 2>&1 >&4
            echo "status $?" >&4
        } | sed 's/^apt.sh: /image.sh: /' >&2
    } 4>&1)
    case $apt_out in
    *'status 0') apt_out=${apt_out%status 0} ;;
    *) exit 2 ;;
    esac
}

# get SUITE PACKAGE...: .deb files into the cache; their names in $got. What
# was answered once stays the answer until --update.
get()
{
    suite=$1
    shift
    memo=$cache/request/get-$(echo "$suite $*" | hash_of)
    if [ -z "$update" ] && [ -f "$memo" ]; then
        got=$(cat "$memo")
        for f in $got; do
            [ -f "$cache/deb/$f" ] || got=
        done
        got=$(printf '%s' "$got" | sed "s|^|$cache/deb/|")
        [ -z "$got" ] || return 0
    fi
    apt download "$cache/deb" "$@"
    got=$(printf '%s\n' "$apt_out" | grep '\.deb$')
    [ -n "$got" ] || die "$suite: apt.sh gave no file for $*"
    printf '%s\n' "$got" | sed 's|.*/||' >"$tmp/memo" &&
        mv "$tmp/memo" "$memo" || die "cannot write $memo"
}

unpack()
{
    run "cannot unpack $(basename "$1") into $2" dpkg-deb -x "$1" "$2"
}

# ---- the parts -----------------------------------------------------------

# make_part NAME KEY FUNCTION: $cache/NAME-KEY made by FUNCTION in $work
# unless it is there; the result in $part.
make_part()
{
    part=$cache/$1-$2
    if [ ! -d "$part" ]; then
        work=$tmp/$1
        run "cannot write below $cache" mkdir "$work"
        "$3"
        run "cannot write $part" mv "$work" "$part"
    fi
}

build_base()
{
    say "making the base"
    unpack "$busybox_deb" "$tmp/busybox"
    {
        cat "$here/rootfs.list"
        printf 'file\tinit\t%s\t755\t0\t0\n' "$bin/init"
        printf 'file\tusr/bin/busybox\t%s\t755\t0\t0\n' \
            "$tmp/busybox/usr/bin/busybox"
        printf 'slink\tusr/bin/sh\tbusybox\t0\t0\n'
        printf 'file\tusr/bin/setuidgid\t%s\t755\t0\t0\n' "$bin/setuidgid"
        printf 'file\tusr/bin/sysfs-capture\t%s\t755\t0\t0\n' \
            "$here/sysfs-capture.sh"
        printf 'file\tusr/bin/csread\t%s\t755\t0\t0\n' "$bin/csread"
        for f in passwd group; do
            printf 'file\tetc/%s\t%s\t644\t0\t0\n' "$f" "$here/etc/$f"
        done
    } >"$tmp/base.list"
    run "cannot make the base" \
        "$bin/mkcpio" "$work/base.cpio" "$tmp/base.list"
}

base_key()
{
    {
        echo "$busybox_deb"
        cat "$bin/init" "$bin/setuidgid" "$bin/mkcpio" "$bin/csread" \
            "$here/rootfs.list" "$here/sysfs-capture.sh" "$here/etc/passwd" \
            "$here/etc/group"
    } | hash_of
}

build_image()
{
    run "cannot write $part/initrd.cpio" sh -c 'cat "$@" >"$0"' \
        "$work/initrd.cpio" "$base_part/base.cpio" \
        "$kernel_part/modules.cpio" "$perf_part/perf.cpio"
}

# Drops requests that this one replaces, and parts that none names, unless a
# run that began within the hour may still be about to use them.
prune()
{
    for f in "$cache/request/image-$words-"*; do
        [ "$f" = "$request" ] || rm -f "$f"
    done
    for d in $(find "$cache" -maxdepth 1 -name 'image-*' -mmin +60) \
        $(find "$cache" -maxdepth 1 -name 'kernel-*' -mmin +60) \
        $(find "$cache" -maxdepth 1 -name 'base-*' -mmin +60); do
        case $d in
        "$base_part" | "$kernel_part" | "$part") ;;
        */image-* | */kernel-*)
            grep -q -F "$d/" "$cache/request/image-"* ||
                rm -rf "$d" ;;
        *) rm -rf "$d" ;;
        esac
    done
}

# ---- main ----------------------------------------------------------------

cache=
offline=
update=
mirror=
apt_state=
modules=
perf=
bin=
while [ $# -gt 0 ]; do
    case $1 in
    --cache | --perf | --modules | --apt-mirror | --apt-state | --bin)
        [ $# -gt 1 ] || die "$1 needs a value (see image.sh --help)"
        case $1 in
        --cache) cache=$2 ;;
        --perf) perf=$2 ;;
        --modules) modules=$2 ;;
        --apt-mirror) mirror=$2 ;;
        --apt-state) apt_state=$2 ;;
        --bin) bin=$2 ;;
        esac
        shift ;;
    --offline) offline=--offline ;;
    --update) update=1 ;;
    -h | --help) usage
                 exit 0 ;;
    -*) die "unknown option $1 (see image.sh --help)" ;;
    *) break ;;
    esac
    shift
done
[ -n "$cache" ] || die "--cache DIR is needed (see image.sh --help)"
[ $# -eq 1 ] || die "one KERNEL is needed (see image.sh --help)"
spec=$1
[ -z "$update$offline" ] || [ "$update$offline" != "1--offline" ] ||
    die "--update and --offline exclude each other"

if [ -z "$bin" ]; then
    bin=$here
    [ -x "$bin/mkcpio" ] || bin=$here/../build/guest
fi
for f in init mkcpio setuidgid libdebuginfod.so.1 csread; do
    [ -f "$bin/$f" ] || die "no $f in $bin: run make first"
done
readelf=${READELF:-aarch64-linux-gnu-readelf}
command -v "$readelf" >/dev/null || readelf=readelf
command -v "$readelf" >/dev/null ||
    die "no readelf on PATH: make deps installs binutils"
kernel_check_spec
perf_check_spec

mkdir -p "$cache/request" "$cache/deb" 2>/dev/null ||
    die "cannot make the folder $cache/request"
cache=$(cd "$cache" && pwd)
plain_path "cache folder" "$cache"
apt_state=${apt_state:-$cache/apt}

words=$(printf '%s\n' "$spec" "$perf" "$modules" | hash_of)
# The same request as before, with all that it needs still there?
request=$cache/request/image-$words-$({
    echo "$spec"
    kernel_request
    perf_request
    cat "$here/image.sh" "$here/image-kernel.sh" "$here/image-perf.sh" \
        "$here/image-variant.sh" \
        "$here/rootfs.list" "$here/sysfs-capture.sh" "$here/etc/passwd" \
        "$here/etc/group" "$bin/init" "$bin/setuidgid" "$bin/mkcpio" \
        "$bin/libdebuginfod.so.1" "$bin/csread"
} | hash_of)

answer()
{
    [ -z "$update" ] && [ -f "$request" ] || return 1
    k=$(sed -n 's/^kernel=//p' "$request")
    i=$(sed -n 's/^initrd=//p' "$request")
    [ -f "$k" ] && [ -f "$i" ] && cat "$request"
}
answer && exit 0
kernel_make

exec 9>"$cache/lock" || die "cannot write $cache/lock"
if ! flock -n 9; then
    say "waiting for another image.sh in $cache"
    flock -w 1800 9 || die "another image.sh keeps $cache/lock"
    answer && exit 0
fi
rm -rf "$cache"/tmp.*               # of runs that were interrupted
tmp=$cache/tmp.$$
mkdir "$tmp" 2>/dev/null || die "cannot make the folder $tmp"
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

kernel_resolve
make_part kernel "$kernel_key" kernel_build
kernel_part=$part
version=$(cat "$kernel_part/version")

perf_resolve
make_part perf "$perf_key" perf_build
perf_part=$part
perf_version=$(cat "$perf_part/version")

get "$base_suite" busybox-static:arm64
busybox_deb=$got
make_part base "$(base_key)" build_base
base_part=$part

make_part image "$(echo "$kernel_part $perf_part $base_part" | hash_of)" \
    build_image
{
    echo "kernel=$kernel_part/Image"
    echo "initrd=$part/initrd.cpio"
    echo "version=$version"
    echo "perf_version=$perf_version"
} >"$tmp/request" || die "cannot write $tmp/request"
run "cannot write $request" mv "$tmp/request" "$request"
prune
say "$version with perf $perf_version:" \
    "$(($(stat -c %s "$part/initrd.cpio") / 1048576)) MiB initrd"
cat "$request"
