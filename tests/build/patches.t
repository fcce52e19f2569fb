#!/bin/sh
# hw/qemu/prepare.sh: sets of patches come and go, and files that do not
# change keep their times.
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/tap/tap.sh

t=$(mktemp -d) || bail "no temporary folder"
trap 'rm -rf "$t"' EXIT
tap_begin 19
src=$t/src
mkdir -p "$src/sub"
echo 10.0.0 >"$src/VERSION"
printf 'a\nb\nc\n' >"$src/one"
printf 'x\ny\nz\n' >"$src/sub/two"
cat >"$t/1.patch" <<'END'
First file.
--- a/one
+++ b/one
@@ -1,3 +1,3 @@
 a
-b
+B
 c
END
cat >"$t/2.patch" <<'END'
--- a/sub/two
+++ b/sub/two
@@ -1,3 +1,4 @@
 x
+new
 y
 z
--- /dev/null
+++ b/sub/three
@@ -0,0 +1 @@
+three
END
sed 's/+B/+BB/' "$t/1.patch" >"$t/1b.patch"
cat >"$t/bad.patch" <<'END'
--- a/one
+++ b/one
@@ -1,3 +1,3 @@
 q
-r
+s
 t
END

prepare()
{
    out=$(hw/qemu/prepare.sh "$src" "$t/saved" "$@" 2>&1)
    rc=$?
}

# old FILE...: their times become 2001, so that a write shows.
old()
{
    for f in "$@"; do
        touch -d 2001-01-01 "$src/$f"
    done
}

untouched()
{
    [ "$(date -r "$src/$1" +%Y)" = 2001 ]
    ok $? "$2"
}

prepare "$t/1.patch" "$t/2.patch"
is "$rc" 0 "two patches apply"
is "$(sed -n 2p "$src/one")" B "the first"
is "$(sed -n 2p "$src/sub/two")" new "the second"
is "$(cat "$src/sub/three")" three "and its new file"
old one sub/two sub/three
prepare "$t/1.patch" "$t/2.patch"
is "$rc" 0 "once more"
untouched one "nothing is written"
prepare "$t/1b.patch" "$t/2.patch"
is "$(sed -n 2p "$src/one")" BB "a changed patch"
untouched sub/two "the other's file stays"
prepare "$t/bad.patch"
is "$rc" 1 "a patch that does not apply: exit status"
like "$out" 'bad.patch does not apply to QEMU 10.0.0' "and its name"
is "$(sed -n 2p "$src/one")" BB "and the tree as before"
untouched sub/two "all of it"
prepare "$t/none.patch"
is "$rc" 1 "a patch that is not there"
prepare "$t/2.patch"
is "$(sed -n 2p "$src/one")" b "a patch gone: the original"
untouched sub/two "the other's file stays again"
prepare
is "$rc" 0 "no patch at all"
is "$(cat "$src/sub/two")" "$(printf 'x\ny\nz')" "the second original"
[ ! -e "$src/sub/three" ]
ok $? "the new file is gone"
is "$(find "$src" -type f | wc -l)" 3 "and nothing else is there"
tap_done
