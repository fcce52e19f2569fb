#!/bin/sh
# Rebuilds the coresight modules of a Debian arm64 kernel, patched or not.
#
# The headers packages have the configuration, the generated headers and the
# symbol versions of the very kernel; linux-source of the same version has the
# drivers and the build scripts. Nothing is configured anew, so the modules
# have the structures and the vermagic of the kernel that loads them.
#
# Exit status: 0 done (OUT has the .ko files), 2 not (one line on stderr says
# why; the compiler's talk is in the log).
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -u
LC_ALL=C
export LC_ALL

usage()
{
    cat <<'END'
usage: modules.sh --headers DEB --common DEB --source DEB --work DIR
                  --log FILE [--patch FILE]... [--config FILE]... OUT

  --headers DEB   linux-headers-RELEASE (arm64)
  --common DEB    linux-headers-...-common of the same version
  --source DEB    linux-source-X.Y of the same version
  --patch FILE    applied (patch -p1) to drivers/hwtracing/coresight and
                  include/, in the order given
  --config FILE   lines CONFIG_NAME=y or =m, over the kernel's
  --work DIR      an empty folder to build in
  --log FILE      what the build says
END
}

say()
{
    echo "modules.sh: $*" >&2
}

die()
{
    say "$*"
    exit 2
}

# ---- the tree ------------------------------------------------------------

version_of()
{
    dpkg-deb -f "$1" Version 2>/dev/null || die "$1 is no package"
}

check_versions()
{
    v=$(version_of "$headers") || exit 2
    for d in "$common" "$source"; do
        w=$(version_of "$d") || exit 2
        [ "$v" = "$w" ] ||
            die "$(basename "$d") is $w, the kernel's headers are $v"
    done
}

# Both headers packages in one tree, as if it had been configured here.
unpack_headers()
{
    for d in "$common" "$headers"; do
        dpkg-deb --fsys-tarfile "$d" |
            tar -x -C "$tree" --no-same-owner --strip-components=4 \
                --wildcards --exclude='./usr/src/*/vmlinux' \
                --exclude='./usr/src/*/scripts' \
                --exclude='./usr/src/*/tools' \
                --exclude='./usr/src/*/.kernelvariables' \
                './usr/src/linux-headers-*' 2>>"$log" ||
            die "cannot unpack $(basename "$d"):" "$(tail -n 1 "$log")"
        # The second package's Makefile only names the first's.
        [ -f "$work/Makefile" ] || cp "$tree/Makefile" "$work/Makefile" ||
            die "$(basename "$d") has no Makefile"
    done
    cp "$work/Makefile" "$tree/Makefile" || die "cannot write $tree/Makefile"
}

unpack_source()
{
    tarball=$(dpkg-deb -c "$source" |
        sed -n 's|.* \(\./usr/src/linux-source-[0-9.]*\.tar\.xz\)$|\1|p')
    [ -n "$tarball" ] || die "$(basename "$source") has no source in it"
    dpkg-deb --fsys-tarfile "$source" | tar -xO "$tarball" |
        xz -dc -T "$jobs" |
        tar -x -C "$tree" --no-same-owner --strip-components=1 --wildcards \
            '*/drivers/hwtracing/coresight/*' 'linux-source-*/scripts/*' \
            'linux-source-*/tools/include/*' 2>>"$log" ||
        die "cannot unpack $(basename "$source"):" \
            "$(tail -n 1 "$log")"
    [ -f "$tree/drivers/hwtracing/coresight/Makefile" ] ||
        die "$(basename "$source") has no coresight drivers"
}

# has_option NAME: takes the compiler it?
has_option()
{
    echo 'int x;' | "$cross"gcc -Werror "$1" -x c -c -o /dev/null - \
        2>/dev/null
}

# config_drop PATTERN: these options are off for what is built here.
config_drop()
{
    sed -i "/CONFIG_$1[= ]/d" "$tree/include/config/auto.conf" \
        "$tree/include/generated/autoconf.h" ||
        die "cannot change the configuration below $tree"
}

config_add()
{
    while IFS='=' read -r name value; do
        case $value in
        m) echo "#define ${name}_MODULE 1" ;;
        y) echo "#define $name 1" ;;
        '') continue ;;
        *) die "$1: $name=$value: y or m" ;;
        esac >>"$tree/include/generated/autoconf.h"
        echo "$name=$value" >>"$tree/include/config/auto.conf"
    done <<END
$(grep '^CONFIG_' "$1")
END
}

# An older compiler than Debian's: options of its own are left out. What is
# left out changes no structure.
configure()
{
    has_option -fmin-function-alignment=8 ||
        config_drop 'CC_HAS_\(MIN\|SANE\)_FUNCTION_ALIGNMENT'
    for f in $configs; do
        config_add "$f"
    done
}

apply_patches()
{
    for p in $patches; do
        said=$(patch -d "$tree" -p1 --no-backup-if-mismatch -F 0 -s \
            <"$p" 2>&1) ||
            die "$(basename "$p") does not apply to $v:" \
                "$(printf '%s\n' "$said" | head -n 1)"
    done
}

# ---- building ------------------------------------------------------------

# The programs of the build (Debian's run on Debian's release only), by a rule
# of ours: the kernel's own would configure anew.
add_tools_rule()
{
    printf '%s\n' '' 'ifeq ($(need-sub-make),)' \
        '.PHONY: csvirt-tools' \
        'scripts/genksyms.tool scripts/mod.tool: scripts/basic.tool' \
        'csvirt-tools: scripts/genksyms.tool scripts/mod.tool' \
        'scripts/%.tool:' >>"$tree/Makefile" &&
        printf '\t$(Q)$(MAKE) -C $(abs_srctree) %s -f %s obj=%s\nendif\n' \
            'KBUILD_EXTMOD= srctree=. objtree=. srcroot=. VPATH=.' \
            scripts/Makefile.build 'scripts/$*' >>"$tree/Makefile" ||
        die "cannot write $tree/Makefile"
}

build()
{
    make -C "$tree" -j "$jobs" ARCH=arm64 CROSS_COMPILE="$cross" \
        CC="$ccache$cross"gcc HOSTCC="${ccache}gcc" PAHOLE=false \
        M=drivers/hwtracing/coresight KERNELRELEASE="$release" \
        "$1" >>"$log" 2>&1 </dev/null ||
        die "the modules of $release do not build:" "$(grep -m 1 \
            -E 'error|ERROR|\*\*\*|No such' "$log") (see $log)"
}

# Symbols that the kernel does not have are an error of modpost's; a warning
# of the compiler is one of the patch.
check_log()
{
    w=$(grep -m 1 'drivers/hwtracing.*warning:' "$log") &&
        die "the compiler warns: $w (see $log)"
    for m in "$tree"/drivers/hwtracing/coresight/*.ko; do
        tr '\0' '\n' <"$m" | grep -q "^vermagic=$release " ||
            die "$(basename "$m") is not for $release"
    done
}

# ---- main ----------------------------------------------------------------

headers=
common=
source=
work=
log=
patches=
configs=
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) usage
                 exit 0 ;;
    --*)
        [ $# -gt 1 ] || die "$1 needs a value (see modules.sh --help)"
        case $1 in
        --headers) headers=$2 ;;
        --common) common=$2 ;;
        --source) source=$2 ;;
        --work) work=$2 ;;
        --log) log=$2 ;;
        --patch) patches="$patches $2" ;;
        --config) configs="$configs $2" ;;
        *) die "unknown option $1 (see modules.sh --help)" ;;
        esac
        shift ;;
    *) break ;;
    esac
    shift
done
[ $# -eq 1 ] && [ -n "$headers" ] && [ -n "$common" ] && [ -n "$source" ] &&
    [ -n "$work" ] && [ -n "$log" ] ||
    die "--headers, --common, --source, --work, --log and OUT are needed" \
        "(see modules.sh --help)"
ko=$1
cross=${CROSS_COMPILE:-aarch64-linux-gnu-}
for t in make gcc flex bison patch xz "$cross"gcc; do
    command -v "$t" >/dev/null ||
        die "no $t on PATH: rebuilding modules needs it (make deps)"
done
for f in "$headers" "$common" "$source" $patches $configs; do
    [ -r "$f" ] || die "cannot read $f"
done
jobs=$(nproc 2>/dev/null || echo 2)
ccache=
! command -v ccache >/dev/null || ccache='ccache '
# The folder is another one each time, the objects are not.
export CCACHE_NOHASHDIR=1

tree=$work/tree
mkdir -p "$tree" "$ko" 2>/dev/null ||
    die "cannot make the folder $tree"
: >"$log" || die "cannot write $log"
check_versions
unpack_headers
release=$(dpkg-deb -f "$headers" Package)
release=${release#linux-headers-}
unpack_source
configure
apply_patches
add_tools_rule
build csvirt-tools
build modules
check_log
cp "$tree"/drivers/hwtracing/coresight/*.ko "$ko/" ||
    die "cannot write to $ko"
