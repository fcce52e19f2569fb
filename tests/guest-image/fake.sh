# A pool of made-up Debian packages and an apt.sh that serves them, so that
# image.sh runs without a network. Sourced by the tests here.
#
#   fake_begin        $t (a folder, removed at the end), $guest (scripts with
#                     the fake apt.sh), $bin; bails out without make's output
#   fake_pool         fills $t/pool
#   image ARG...      runs image.sh; $out, $err, $rc
#   members CPIO      names in an archive
#
# SPDX-License-Identifier: GPL-2.0-or-later

top=$(cd "$(dirname "$0")/../.." && pwd)
bin=$top/build/guest
. "$top/tests/tap/tap.sh"
cross=${CROSS_PREFIX:-aarch64-linux-gnu-}
version=6.99.1-fake

fake_begin()
{
    for f in init mkcpio setuidgid csread libdebuginfod.so.1; do
        [ -f "$bin/$f" ] || bail "no build/guest/$f: run make first"
    done
    t=$(mktemp -d) || bail "no temporary folder"
    trap 'rm -rf "$t"' EXIT
    guest=$t/guest
    mkdir "$guest"
    cp -R "$top"/guest/*.sh "$top/guest/rootfs.list" "$top/guest/etc" "$guest"
    fake_apt >"$guest/apt.sh"
}

# apt.sh: "download OUT PKG:arm64..." from $FAKE_POOL; each package asked for
# is noted in $FAKE_LOG. While the file $FAKE_POOL/hold exists it waits.
fake_apt()
{
    cat <<'END'
while [ "$1" != download ]; do
    suite=$1
    shift
done
out=$2
shift 2
for p; do
    p=${p%%:*}
    echo "$p" >>"$FAKE_LOG"
    while [ -e "$FAKE_POOL/hold" ]; do
        : >"$FAKE_POOL/held"
        sleep 0.05
    done
    f=$(ls "$FAKE_POOL/${p}"_*.deb 2>/dev/null)
    [ -n "$f" ] || {
        echo "apt.sh: no package $p in the lists of $suite" >&2
        exit 1
    }
    cp "$f" "$out" && echo "$out/${f##*/}"
done
END
}

# deb NAME DEPENDS: packs $t/root as NAME_1.0_arm64.deb and empties it.
deb()
{
    mkdir -p "$t/root/DEBIAN"
    {
        echo "Package: $1"
        echo "Version: 1.0"
        echo "Architecture: arm64"
        echo "Maintainer: test <test@example.org>"
        [ -z "$2" ] || echo "Depends: $2"
        echo "Description: made for a test"
    } >"$t/root/DEBIAN/control"
    dpkg-deb --root-owner-group -b "$t/root" "$t/pool/$1_1.0_arm64.deb" \
        >/dev/null || bail "dpkg-deb cannot pack $1"
    rm -rf "$t/root"
}

# ko FOLDER NAME DEPENDS: a module, as far as image.sh looks into one.
ko()
{
    mkdir -p "$modules/kernel/$1"
    printf 'x\0depends=%s\0name=%s\0' "$3" "$2" |
        xz -c >"$modules/kernel/$1/$2.ko.xz"
}

fake_image()
{
    printf '%056d' 0
    printf 'ARMd    Linux version %s (test)' "$version"
}

# fake_modules FOLDER: lib/modules below it.
fake_modules()
{
    modules=$1/$version
    cs=drivers/hwtracing/coresight
    ko fs/configfs configfs ''
    ko $cs coresight configfs
    ko $cs coresight-tmc coresight
    ko $cs coresight-catu coresight,coresight-tmc
    ko $cs coresight-etm4x coresight
    ko $cs coresight-funnel coresight
    ko $cs coresight-replicator coresight
    ko drivers/hwtracing/stm stm_core configfs
    ko $cs coresight-stm coresight,stm_core
    ko drivers/gpu unwanted ''
    echo "kernel/drivers/virtio/virtio_pci.ko" >"$modules/modules.builtin"
}

cross_lib()
{
    mkdir -p "$(dirname "$1")"
    echo 'void f(void); void f(void) { }' |
        "${cross}gcc" -shared -fPIC -nostdlib -x c - -x none \
        -o "$1" -Wl,-soname,"$(basename "$1")" -Wl,--no-as-needed $2 ||
        bail "${cross}gcc cannot make a library"
}

# perf -> libone.so.1 (in libone1) -> libtwo.so.1 (in libnumbers2t64)
fake_pool()
{
    lib=usr/lib/aarch64-linux-gnu
    mkdir -p "$t/pool"
    mkdir -p "$t/root/boot"
    fake_image >"$t/root/boot/vmlinuz-$version"
    fake_modules "$t/root/usr/lib/modules"
    deb "linux-image-$version" ''
    deb linux-image-arm64 "linux-image-$version (= 1.0)"
    cross_lib "$t/libtwo.so.1" ''
    mkdir -p "$t/root/$lib"
    cp "$t/libtwo.so.1" "$t/root/$lib/libtwo.so.1.0"
    ln -s libtwo.so.1.0 "$t/root/$lib/libtwo.so.1"
    deb libnumbers2t64 ''
    cross_lib "$t/root/$lib/libone.so.1" "$t/libtwo.so.1"
    cp "$t/root/$lib/libone.so.1" "$t"
    deb libone1 'libnumbers2t64 (>= 0.1) | libother'
    mkdir -p "$t/root/usr/bin"
    cross_lib "$t/root/usr/bin/perf" "$t/libone.so.1 $bin/libdebuginfod.so.1"
    cp "$t/root/usr/bin/perf" "$t/perf"
    deb linux-perf 'libdebuginfod1t64, libone1, perl:any'
    mkdir -p "$t/root/usr/bin"
    echo busybox >"$t/root/usr/bin/busybox"
    deb busybox-static ''
}

image()
{
    FAKE_POOL=$t/pool FAKE_LOG=$t/log READELF=${cross}readelf \
        sh "$guest/image.sh" --bin "$bin" "$@" >"$t/out" 2>"$t/err"
    rc=$?
    out=$(cat "$t/out")
    err=$(cat "$t/err")
}

# The value of a line KEY= of the last answer.
answer()
{
    printf '%s\n' "$out" | sed -n "s/^$1=//p"
}

members()
{
    cpio -it --quiet <"$1"
}

lines()
{
    printf '%s\n' "$1" | grep -c .
}
