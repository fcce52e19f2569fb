#!/bin/sh
# Builds perf for the guest with its symbols and debug information, from
# Debian's linux-source of the same version: Debian's own perf is stripped,
# and some of perf's tests look for functions and source lines of perf's own
# workloads. Nothing of the source is changed.
#
# usage: build-perf.sh OUT PERF.deb
#   OUT becomes the program; OUT.from says what it was made from.
# Exit status: 0 done, 1 it cannot be had (one line on stderr).
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -u
LC_ALL=C
export LC_ALL

die()
{
    echo "build-perf.sh: $*" >&2
    exit 1
}

[ $# -eq 2 ] || die "OUT and PERF.deb are needed"
out=$1
perf_deb=$2
[ -f "$perf_deb" ] || die "no such package: $perf_deb"
here=$(cd "$(dirname "$0")" && pwd)
apt_state=${APT_STATE:-build/apt}
base=${PERF_SUITE_SUITE:-trixie}
cross=${CROSS_COMPILE:-aarch64-linux-gnu-}
jobs=${JOBS:-$(nproc)}

version=$(dpkg-deb -f "$perf_deb" Version)
release=$(printf '%s\n' "$version" | sed 's/^\([0-9]*\.[0-9]*\).*/\1/')
suite=$base
case $version in
*bpo*) suite=$base-backports ;;
esac
made_from=$({ echo "$version $cross"; cat "$here/build-perf.sh"; } |
    sha256sum)
[ ! -x "$out" ] || [ "$(cat "$out.from" 2>/dev/null)" != "$made_from" ] ||
    exit 0

for tool in flex bison "${cross}gcc"; do
    command -v "$tool" >/dev/null || die "no $tool on PATH"
done
mkdir -p "$(dirname "$out")" && rm -rf "$out.tmp" && mkdir "$out.tmp" ||
    die "cannot make the folder $out.tmp"
tmp=$(cd "$out.tmp" && pwd)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# fetch SUITE PACKAGE...: file names in $got.
fetch()
{
    for net in --offline ''; do
        # shellcheck disable=SC2086 # an option or nothing
        got=$(sh "$here/../../guest/apt.sh" --state "$apt_state" $net \
            "$1" download "$tmp/deb" "$2" $3 2>"$tmp/err") && return 0
    done
    die "$(tail -n 1 "$tmp/err")"
}

# ---- headers and libraries ---------------------------------------------------

# The host's cross compiler has its own libc; perf's other libraries and what
# those need come from the guest's suite.
fetch "$base" libopencsd-dev:arm64 "libopencsd1:arm64 libelf-dev:arm64
    libelf1t64:arm64 libdw-dev:arm64 libdw1t64:arm64 zlib1g-dev:arm64
    zlib1g:arm64 libzstd-dev:arm64 libzstd1:arm64"
for deb in $got; do
    dpkg-deb -x "$deb" "$tmp/sys" || die "cannot unpack $deb"
done
lib=$tmp/sys/usr/lib/aarch64-linux-gnu
include=$tmp/sys/usr/include

# ---- source ------------------------------------------------------------------

fetch "$suite" "linux-source-$release=$version" ''
dpkg-deb --fsys-tarfile "$got" |
    tar -xOf - --wildcards "*/linux-source-$release.tar.xz" | xz -dc |
    { mkdir "$tmp/src" && tar -xf - -C "$tmp/src" --strip-components=1 \
        --wildcards '*/tools/*' '*/arch/*/include/*' \
        '*/include/uapi/*' '*/scripts/*' '*/Makefile'; } ||
    die "cannot unpack the source of $got below $tmp"
rm -rf "$tmp/deb"

# ---- build -------------------------------------------------------------------

# Makefile.perf itself, not its wrapper, which would not hand down the options
# of one object: at -O3 the functions of that workload are inlined, and
# context_switch_thread.sh looks for them by name.
mkdir "$tmp/obj" || die "cannot make the folder $tmp/obj"
make -C "$tmp/src/tools/perf" -f Makefile.perf O="$tmp/obj" -j"$jobs" \
    ARCH=arm64 CROSS_COMPILE="$cross" CORESIGHT=1 WERROR=0 \
    "CFLAGS_context_switch_loop.o=-g -O0 -fno-inline -U_FORTIFY_SOURCE" \
    BUILD_BPF_SKEL=0 NO_LIBBPF=1 NO_JEVENTS=1 NO_LIBPERL=1 NO_LIBPYTHON=1 \
    NO_SLANG=1 NO_LIBUNWIND=1 NO_LIBNUMA=1 NO_LIBBABELTRACE=1 \
    NO_LIBCRYPTO=1 NO_LIBTRACEEVENT=1 NO_LIBCAP=1 NO_CAPSTONE=1 \
    NO_LIBLLVM=1 NO_LIBPFM4=1 NO_SDT=1 NO_AIO=1 NO_JVMTI=1 \
    NO_LIBDEBUGINFOD=1 NO_RUST=1 NO_LZMA=1 NO_SHELLCHECK=1 NO_DEMANGLE=1 \
    EXTRA_CFLAGS="-I$include -I$include/aarch64-linux-gnu" \
    EXTRA_CXXFLAGS="-I$include" CSLIBS="$lib" CSINCLUDES="$include" \
    LIBDW_DIR="$tmp/sys/usr" \
    LDFLAGS="-L$lib -Wl,-rpath-link,$lib -Wl,--allow-shlib-undefined" \
    >"$out.log" 2>&1 || die "perf $version does not build: $out.log"
"${cross}readelf" -d "$tmp/obj/perf" | grep -q libopencsd ||
    die "perf $version was built without OpenCSD: $out.log"

mv "$tmp/obj/perf" "$out" && echo "$made_from" >"$out.from" ||
    die "cannot write $out"
