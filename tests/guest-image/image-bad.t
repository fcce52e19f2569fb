#!/bin/sh
# image.sh: bad input, runs that are killed, runs at the same time.
# SPDX-License-Identifier: GPL-2.0-or-later
. "$(dirname "$0")/fake.sh"

tap_begin
fake_begin
fake_pool

# bad NAME PATTERN ARG...: refused with exit 2, the last line says so, no
# answer, and no image or temporary folder is left.
bad()
{
    name=$1
    pattern=$2
    shift 2
    image --cache "$t/c" "$@"
    is "$rc" 2 "$name: exit status"
    like "$(printf '%s\n' "$err" | tail -n 1)" "^image.sh: $pattern" \
        "$name: one line"
    is "$out" '' "$name: no answer"
    is "$(ls -d "$t"/c/image-* "$t"/c/tmp.* 2>/dev/null)" '' \
        "$name: nothing left"
}

echo text >"$t/text"
bad "no kernel" "no such kernel: $t/none" "$t/none"
bad "a text file" "$t/text is not an arm64 Image" --modules none "$t/text"
fake_image >"$t/Image"
bad "no such folder of modules" "no such modules folder: $t/none" \
    --modules "$t/none" "$t/Image"
mkdir -p "$t/empty"
bad "modules of no version" "no modules of $version in $t/empty" \
    --modules "$t/empty" "$t/Image"
bad "no such perf" "no such perf: $t/none" --perf "$t/none" debian:trixie
bad "perf is text" "$t/text is no arm64 program" --perf "$t/text" \
    debian:trixie
bad "suite missing" "kernel debian:: the suite is missing" debian:
bad "bad option" "unknown option --frob" --frob debian:trixie
mkdir "$t/a b"
bad "blanks" "modules folder '$t/a b': blanks" --modules "$t/a b" "$t/Image"

mv "$t/pool/libnumbers2t64_1.0_arm64.deb" "$t/numbers.deb"
bad "a package that cannot be had" "no package libnumbers2t64 in the lists" \
    debian:trixie
deb libnumbers2t64 ''
bad "a library that no package has" "libone1_1.0_arm64.deb needs libtwo.so.1" \
    debian:trixie
mv "$t/numbers.deb" "$t/pool/libnumbers2t64_1.0_arm64.deb"
rm -rf "$t/c"

modules=$t/mods/lib/modules/$version
fake_modules "$t/mods/lib/modules"
rm "$modules/kernel/drivers/hwtracing/coresight/coresight-tmc.ko.xz"
bad "a kernel without TMC" \
    "kernel $version has no module coresight-tmc .CONFIG_CORESIGHT_LINK" \
    --modules "$t/mods" --perf none "$t/Image"
fake_modules "$t/mods/lib/modules"
rm "$modules/kernel/fs/configfs/configfs.ko.xz"
bad "a dependency missing" \
    "kernel $version: no module configfs, on which coresight depends" \
    --modules "$t/mods" --perf none "$t/Image"

# ---- killed in the middle, then again ---------------------------------------
# until_there FILE: a condition with a limit of 20 s.
until_there()
{
    n=0
    until [ -e "$1" ] || [ $n -gt 400 ]; do
        sleep 0.05
        n=$((n + 1))
    done
    [ -e "$1" ]
}

rm -rf "$t/c" "$t/pool/held"
: >"$t/pool/hold"
FAKE_POOL=$t/pool FAKE_LOG=$t/log sh "$guest/image.sh" --bin "$bin" \
    --cache "$t/c" debian:trixie >/dev/null 2>&1 &
pid=$!
until_there "$t/pool/held"
ok $? "a run waits in the middle"
kill -9 $pid
wait $pid 2>/dev/null
[ -n "$(ls -d "$t"/c/tmp.*)" ]
ok $? "killed, it leaves a temporary folder"
rm "$t/pool/hold"
image --cache "$t/c" debian:trixie
is "$rc" 0 "the next run succeeds" || diag "$err"
is "$(ls -d "$t"/c/tmp.* 2>/dev/null)" '' "and removes what was left"
first=$out

# ---- two at the same time ---------------------------------------------------
rm -rf "$t/c" "$t/pool/held" "$t/log"
: >"$t/pool/hold"
for i in 1 2; do
    FAKE_POOL=$t/pool FAKE_LOG=$t/log READELF=${cross}readelf \
        sh "$guest/image.sh" --bin "$bin" --cache "$t/c" debian:trixie \
        >"$t/out$i" 2>"$t/err$i" &
    eval "pid$i=\$!"
done
# Held with the first package asked for: the other run waits for the lock, or,
# if there were none, asks for it as well.
n=0
until grep -q "waiting for another" "$t/err1" "$t/err2" ||
    [ "$(lines "$(cat "$t/log" 2>/dev/null)")" -gt 1 ] || [ $n -gt 400 ]; do
    sleep 0.05
    n=$((n + 1))
done
rm "$t/pool/hold"
wait "$pid1"
is $? 0 "one of two succeeds"
wait "$pid2"
is $? 0 "so does the other"
is "$(cat "$t/out1")" "$(cat "$t/out2")" "with the same answer"
is "$(cat "$t/out1")" "$first" "which is that of a run alone"
is "$(grep -c linux-image-arm64 "$t/log")" 1 "the packages were asked for once"

# ---- full disk ---------------------------------------------------------------
# /dev/full stands for it where the disk matters last: mkcpio's output.
err=$("$bin/mkcpio" /dev/full "$guest/rootfs.list" 2>&1)
is $? 2 "mkcpio on a full disk: exit status"
like "$err" 'cannot write /dev/full: No space left' "by name"

tap_done
