#!/bin/sh
# image.sh on made-up packages: what goes in, caching, other kernels.
# SPDX-License-Identifier: GPL-2.0-or-later
. "$(dirname "$0")/fake.sh"

tap_begin
fake_begin
fake_pool
tab=$(printf '\t')

image --cache "$t/c" debian:trixie
is "$rc" 0 "an image is made" || diag "$err"
is "$(answer version)" "$version" "its kernel version"
is "$(answer perf_version)" 1.0 "its perf version"
is "$(lines "$out")" 4 "four lines of answer"
fake_image | cmp -s - "$(answer kernel)"
ok $? "the kernel is the package's"

k=$(dirname "$(answer kernel)")
cat "$t"/c/base-*/base.cpio "$k/modules.cpio" "$t"/c/perf-*/perf.cpio |
    cmp -s - "$(answer initrd)"
ok $? "the initrd is the three parts"

list=$(members "$t"/c/perf-*/perf.cpio)
is "$(printf '%s\n' "$list" | grep -v '^TRAILER')" \
    "$(printf '%s\n' usr/bin/perf \
    usr/lib/aarch64-linux-gnu/libone.so.1 \
    usr/lib/aarch64-linux-gnu/libdebuginfod.so.1 \
    usr/lib/aarch64-linux-gnu/libtwo.so.1)" \
    "perf and exactly the libraries that it needs, however packaged"

mkdir "$t/x"
(cd "$t/x" && cpio -id --quiet) <"$k/modules.cpio"
cmp -s "$bin/libdebuginfod.so.1" /dev/null
(cd "$t/x" && cpio -id --quiet) <"$(ls "$t"/c/perf-*/perf.cpio)"
cmp -s "$t/x/usr/lib/aarch64-linux-gnu/libdebuginfod.so.1" \
    "$bin/libdebuginfod.so.1"
ok $? "libdebuginfod is our stub"

order=$(sed 's|.*/||; s|\.ko$||' "$t/x/etc/csvirt/modules")
is "$(lines "$order")" 9 "nine modules, the unwanted one not among them"
after()
{
    printf '%s\n' "$order" | awk -v a="$1" -v b="$2" '
        $0 == a { na = NR } $0 == b { nb = NR }
        END { exit !(na && nb && na < nb) }'
}
after configfs coresight && after coresight coresight-tmc &&
    after coresight-tmc coresight-catu && after stm_core coresight-stm
ok $? "each is loaded after what it needs" || diag "$order"
is "$(sed -n 's/^kernel.coresight-catu.ko: //p' \
    "$t/x/usr/lib/modules/$version/modules.dep" | tr ' ' '\n' | sort |
    tr '\n' ' ')" \
    "kernel/configfs.ko kernel/coresight-tmc.ko kernel/coresight.ko " \
    "modules.dep has what a module needs, also through others"
is "$(sed -n 's/^kernel.coresight-catu.ko: //p' \
    "$t/x/usr/lib/modules/$version/modules.dep" | sed 's/.* //')" \
    kernel/configfs.ko "the first to be loaded stands last"

# ---- the cache -----------------------------------------------------------
first=$out
asked=$(lines "$(cat "$t/log")")
image --cache "$t/c" debian:trixie
is "$out" "$first" "the same request has the same answer"
is "$(lines "$(cat "$t/log")")" "$asked" "and asks for no package"
mv "$t/pool" "$t/gone"
image --cache "$t/c" --offline --perf none debian:trixie
is "$rc" 0 "another image of the same packages needs no pool" || diag "$err"
is "$(answer perf_version)" none "it has no perf"
is "$(members "$t"/c/perf-none/perf.cpio | grep -v TRAILER)" '' "none at all"
rm -rf "$t"/c/image-*
image --cache "$t/c" debian:trixie
is "$out" "$first" "an image that was lost is made again"
mv "$t/gone" "$t/pool"
image --cache "$t/d" debian:trixie
cmp -s "$(answer initrd)" \
    "$(printf '%s\n' "$first" | sed -n 's/^initrd=//p')"
ok $? "another cache gets the same bytes"

# ---- kernels of the user's -------------------------------------------------
fake_image >"$t/Image"
image --cache "$t/c" "$t/Image"
is "$rc" 2 "an Image without modules is refused"
like "$err" "kernel $t/Image has no modules: give --modules" "by name"
mkdir -p "$t/mods"
fake_modules "$t/mods/lib/modules"
image --cache "$t/c" --modules "$t/mods" --perf none "$t/Image"
is "$rc" 0 "an Image with lib/modules/VERSION" || diag "$err"
image --cache "$t/c" --modules "$t/mods/lib/modules" --perf none "$t/Image"
is "$rc" 0 "an Image with VERSION" || diag "$err"
before=$(answer initrd)
ko drivers/hwtracing/coresight coresight-tpiu coresight
image --cache "$t/c" --modules "$t/mods/lib/modules" --perf none "$t/Image"
[ "$(answer initrd)" != "$before" ]
ok $? "a module more makes another image"
image --cache "$t/c" --modules none --perf none "$t/Image"
is "$rc" 0 "an Image with all built in" || diag "$err"
mkdir -p "$t/tree/arch/arm64/boot"
image --cache "$t/c" --modules "$t/mods" "$t/tree"
like "$err" "kernel tree $t/tree has no arch/arm64/boot/Image" \
    "a kernel tree that is not built"
cp "$t/Image" "$t/tree/arch/arm64/boot/Image"
image --cache "$t/c" --modules "$t/mods" --perf none "$t/tree"
is "$rc" 0 "a kernel tree" || diag "$err"

# ---- perf of the user's ----------------------------------------------------
image --cache "$t/c" --perf "$t/pool/linux-perf_1.0_arm64.deb" debian:trixie
is "$rc-$(answer perf_version)" 0-1.0 "a perf package" || diag "$err"
mkdir "$t/mine"
cp "$t/perf" "$t/mine"
cp "$t/libtwo.so.1" "$t/mine/libone.so.1"
image --cache "$t/e" --perf "$t/mine/perf" debian:trixie
is "$rc" 0 "a perf binary with a library beside it" || diag "$err"
mkdir "$t/y"
(cd "$t/y" && cpio -id --quiet) <"$(ls "$t"/e/perf-*/perf.cpio)"
cmp -s "$t/libtwo.so.1" "$t/y/usr/lib/aarch64-linux-gnu/libone.so.1"
ok $? "the library beside it is taken before the package's"

tap_done
