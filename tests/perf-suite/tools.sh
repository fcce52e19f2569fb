#!/bin/sh
# Gathers what perf's own shell tests call in the guest and its image has
# not: programs from Debian's arm64 packages with the libraries they need.
#
# usage: tools.sh OUT PERF.deb
#   OUT/usr is what goes over the guest's /usr, perf's tests included. It is
#   made under a temporary name and renamed when whole; OUT/made-from says
#   what it was made from. Packages come through guest/apt.sh.
# Exit status: 0 done, 1 it cannot be had (one line on stderr).
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -u
LC_ALL=C
export LC_ALL

# Packages, and of each the programs to take. "stdlib": Python's modules, of
# the version that perf is linked with.
programs='bash:bash grep:grep sed:sed mawk:mawk diffutils:diff
coreutils:mktemp coreutils:touch coreutils:ls coreutils:dd coreutils:true
coreutils:seq coreutils:tail coreutils:head coreutils:sort coreutils:uniq
util-linux:taskset binutils-aarch64-linux-gnu:aarch64-linux-gnu-objdump
binutils-aarch64-linux-gnu:aarch64-linux-gnu-addr2line'

# Packages of the libraries that those programs need; a program that needs
# another one is refused below, by name.
libraries='libtinfo6 libpcre2-8-0 libacl1 libattr1 libselinux1 libcap2
libssl3t64
libbinutils libctf0 libctf-nobfd0 libsframe1 libjansson4 zlib1g libzstd1'

die()
{
    echo "tools.sh: $*" >&2
    exit 1
}

[ $# -eq 2 ] || die "OUT and PERF.deb are needed"
out=$1
perf_deb=$2
[ -f "$perf_deb" ] || die "no such package: $perf_deb"
suite=${PERF_SUITE_SUITE:-trixie}
apt_state=${APT_STATE:-build/apt}
readelf=${READELF:-aarch64-linux-gnu-readelf}
command -v "$readelf" >/dev/null || readelf=readelf
here=$(cd "$(dirname "$0")" && pwd)

python=$(dpkg-deb -f "$perf_deb" Depends | tr ',' '\n' |
    sed -n 's/^ *\(libpython3\.[0-9]*\).*/\1/p')
[ -n "$python" ] || die "$perf_deb is not linked with Python"
packages=$(for p in $programs; do echo "${p%%:*}"; done | sort -u)
# shellcheck disable=SC2116,SC2086 # one line of names
packages=$(echo $packages $libraries $python-minimal $python-stdlib)
made_from=$({ echo "$suite $packages"; cat "$perf_deb" "$here/tools.sh"; } |
    sha256sum)
[ "$(cat "$out/made-from" 2>/dev/null)" != "$made_from" ] || exit 0

tmp=$out.$$
rm -rf "$out".[0-9]* "$out"
mkdir -p "$tmp/pool" "$tmp/root/usr/bin" ||
    die "cannot make the folder $tmp"
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# ---- packages --------------------------------------------------------------

for net in --offline ''; do
    # shellcheck disable=SC2086,SC2046 # an option or nothing; names
    debs=$(sh "$here/../../guest/apt.sh" --state "$apt_state" $net "$suite" \
        download "$tmp/deb" $(printf '%s:arm64 ' $packages) \
        2>"$tmp/err") && break
    debs=
done
[ -n "$debs" ] || die "$(tail -n 1 "$tmp/err")"
for deb in $debs; do
    dpkg-deb -x "$deb" "$tmp/pool" || die "cannot unpack $deb"
done

# ---- programs and libraries ------------------------------------------------

# take FILE: into the root; its libraries too.
take()
{
    name=${1#"$tmp"/pool/}
    case $name in
    lib/* | bin/*) name=usr/$name ;;
    esac
    [ ! -e "$tmp/root/$name" ] || return 0
    mkdir -p "$tmp/root/$(dirname "$name")" &&
        cp -L "$1" "$tmp/root/$name" || die "cannot write below $tmp"
    for so in $("$readelf" -d "$1" 2>/dev/null |
        sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p'); do
        lib=$(find "$tmp/pool/usr/lib" "$tmp/pool/lib" -name "$so" \
            2>/dev/null | head -n 1)
        case $so in
        libc.so.6 | libm.so.6 | ld-linux-aarch64.so.1) ;;
        *) [ -n "$lib" ] || die "${1##*/} needs $so, which no package has"
           take "$lib" ;;
        esac
    done
}

for p in $programs; do
    file=$tmp/pool/usr/bin/${p#*:}
    [ -f "$file" ] || file=$tmp/pool/bin/${p#*:}
    [ -f "$file" ] || die "${p%%:*} has no ${p#*:}"
    take "$file"
done
ln -s mawk "$tmp/root/usr/bin/awk"
# Busybox's own shell takes its own mktemp, which refuses their templates.
ln -s bash "$tmp/root/usr/bin/sh"
ln -s aarch64-linux-gnu-objdump "$tmp/root/usr/bin/objdump"
ln -s aarch64-linux-gnu-addr2line "$tmp/root/usr/bin/addr2line"
version=${python#lib}
lib=$tmp/pool/usr/lib/$version
[ -d "$lib" ] || die "$python-stdlib has no usr/lib/$version"
rm -rf "$lib/test" "$lib/lib-dynload" "$lib/idlelib" "$lib/ensurepip" \
    "$lib/pydoc_data"
cp -r "$lib" "$tmp/root/usr/lib/" || die "cannot write below $tmp"

dpkg-deb -x "$perf_deb" "$tmp/perf" || die "cannot unpack $perf_deb"
[ -d "$tmp/perf/usr/lib/perf-core/tests/shell" ] ||
    die "$perf_deb has no usr/lib/perf-core/tests/shell"
cp -r "$tmp/perf/usr/lib/perf-core" "$tmp/root/usr/lib/" ||
    die "cannot write below $tmp"

echo "$made_from" >"$tmp/root/made-from" && mv "$tmp/root" "$out" ||
    die "cannot write $out"
