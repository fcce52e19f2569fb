#!/bin/sh
# Kernels with rebuilt modules: names that there are not, packages that do not
# belong together, patches that do not apply. (That they work is in
# tests/race.)
# SPDX-License-Identifier: GPL-2.0-or-later
. "$(dirname "$0")/fake.sh"
tap_begin
fake_begin
fake_pool
mkdir -p "$guest/kernel/patches/6.99" "$guest/kernel/patches/9.1"
cp "$top/guest/kernel/modules.sh" "$guest/kernel/"
echo 'CONFIG_X=m' >"$guest/kernel/patches/6.99/here.config"
: >"$guest/kernel/patches/9.1/later.patch"

# refused SPEC PATTERN NAME
refused()
{
    image --cache "$t/c" "$1"
    is "$rc" 2 "$3: exit status"
    like "$(printf '%s\n' "$err" | tail -n 1)" "^image.sh: $2" "$3: one line"
    is "$(ls -d "$t"/c/image-* 2>/dev/null)" '' "$3: no image"
}

refused debian:trixie+frob \
    'kernel debian:trixie\+frob: no variant frob, only: rebuilt here later' \
    "no such variant"
refused debian:trixie+later \
    'kernel .*: no variant later of Linux 6.99, only: rebuilt here' \
    "a variant of another kernel"
refused debian:trixie+here+frob 'kernel .*: no variant frob' \
    "the second one of two"

# ---- modules.sh -----------------------------------------------------------

# source_deb NAME VERSION
source_deb()
{
    mkdir -p "$t/s/DEBIAN"
    printf '%s\n' "Package: $1" "Version: $2" 'Architecture: all' \
        'Maintainer: test <test@example.org>' 'Description: test' \
        >"$t/s/DEBIAN/control"
    dpkg-deb --root-owner-group -b "$t/s" "$t/$1.deb" >/dev/null ||
        bail "dpkg-deb cannot pack $1"
    rm -rf "$t/s"
}

# modules ARG...: rc, err
modules()
{
    err=$(sh "$guest/kernel/modules.sh" --work "$t/w" --log "$t/log" "$@" \
        "$t/ko" 2>&1)
    rc=$?
}

for p in flex bison; do
    command -v $p >/dev/null ||
        skip_all "no $p, without which modules are not rebuilt"
done
source_deb linux-headers-6.99 1.0
source_deb linux-headers-common 1.0
source_deb linux-source-6.99 1.1
modules --headers "$t/linux-headers-6.99.deb" \
    --common "$t/linux-headers-common.deb" \
    --source "$t/linux-source-6.99.deb"
is "$rc" 2 "another version of the source: exit status"
is "$err" "modules.sh: linux-source-6.99.deb is 1.1, the kernel's headers\
 are 1.0" \
    "another version of the source: one line"
modules --headers "$t/none.deb" --common "$t/linux-headers-common.deb" \
    --source "$t/linux-source-6.99.deb"
is "$err" "modules.sh: cannot read $t/none.deb" "no such package"
modules --headers "$t/linux-headers-6.99.deb"
like "$err" '^modules.sh: --headers, --common, .* are needed' "words missing"
tap_done
