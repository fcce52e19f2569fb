#!/bin/sh
# pack.sh and mkcpio: contents, modes, owners, reproducible, bad input.
# cpio(1) is the judge of the format.
# SPDX-License-Identifier: GPL-2.0-or-later
. "$(dirname "$0")/fake.sh"

tap_begin
fake_begin

pack()
{
    err=$(sh "$guest/pack.sh" --bin "$bin" "$@" 2>&1)
    rc=$?
}

# as_listed CPIO NAME: "MODE UID GID SIZE" of a member.
as_listed()
{
    cpio -itvn --quiet <"$1" |
        awk -v n="$2" '$9 == n { print $1, $3, $4, $5 }'
}

mkdir -p "$t/dir/sub"
for n in 0 1 2 3 4 5 511 512 513; do
    head -c "$n" /dev/urandom >"$t/dir/f$n"
done
echo hello >"$t/dir/sub/data"
ln -s data "$t/dir/sub/link"
echo '#!/bin/sh' >"$t/prog"
chmod 700 "$t/prog"
echo colon >"$t/a:b"
echo 'two words' >"$t/two words"

pack "$t/o.cpio" "$t/prog" "$t/dir:/opt/tree" "$t/prog:/usr/local/bin/p2" \
    "$t/a:b" "$t/two words:/etc/" "$t/prog:rel"
is "$rc" 0 "files and a folder are packed" || diag "$err"
mkdir "$t/x"
(cd "$t/x" && cpio -id --quiet) <"$t/o.cpio"
is $? 0 "cpio reads the archive"
diff -r "$t/dir" "$t/x/opt/tree" >"$t/diff" 2>&1
ok $? "the folder's files are the same, whatever their size" ||
    diag "$(cat "$t/diff")"
is "$(readlink "$t/x/opt/tree/sub/link")" data "a symbolic link stays one"
cmp -s "$t/prog" "$t/x/root/prog" && cmp -s "$t/prog" "$t/x/root/rel"
ok $? "/root is the default folder"
cmp -s "$t/a:b" "$t/x/root/a:b"
ok $? "a file with a colon in its name"
cmp -s "$t/two words" "$t/x/etc/two words"
ok $? "a folder with / at its end keeps the name, blanks and all"
is "$(as_listed "$t/o.cpio" root/prog)" "-rwxr-xr-x 0 0 10" \
    "an executable has mode 0755, owner root"
is "$(as_listed "$t/o.cpio" opt/tree/f5)" "-rw-r--r-- 0 0 5" \
    "other files have mode 0644"
members "$t/o.cpio" >"$t/names"
grep -q -x opt "$t/names"
ok $? "a folder that the image lacks is made"
! grep -q -x -e root -e usr -e usr/local/bin -e etc "$t/names"
ok $? "those that it has keep mode and owner: they are not in the archive"
is "$(sort "$t/names" | uniq -d)" '' "no name comes twice"

sleep_free_copy()
{
    cp -R "$t/dir" "$t/dir2"
    touch -d '2001-01-01' "$t/dir2" "$t/dir2/f5" "$t/dir2/sub"
}
sleep_free_copy
pack "$t/1.cpio" "$t/dir:/d"
pack "$t/2.cpio" "$t/dir2:/d"
cmp -s "$t/1.cpio" "$t/2.cpio"
ok $? "same contents, other times: same bytes"
is $(($(stat -c %s "$t/1.cpio") % 512)) 0 "the size is whole blocks"

bad()
{
    name=$1
    pattern=$2
    shift 2
    pack "$t/bad.cpio" "$@"
    is "$rc" 2 "$name: exit status"
    is "$(lines "$err")" 1 "$name: one line"
    like "$err" "^pack.sh: $pattern" "$name: what it says"
    is "$(ls "$t"/bad.cpio* 2>/dev/null)" '' "$name: no archive"
}
bad "no such file" "no such file: $t/none" "$t/prog" "$t/none"
bad "a path upwards" "guest path /root/../etc/x: . and .. are not taken" \
    "$t/prog:../etc/x"
pack -z "$t/bad.cpio" "$t/prog"
is "$rc" 2 "an odd option: exit status"
like "$err" "^pack.sh: unknown option -z" "an odd option: what it says"
mkfifo "$t/pipe"
bad "no regular file" "$t/pipe is not a regular file" "$t/pipe"
truncate -s 5G "$t/huge"
bad "a file too large for newc" "$t/huge is too large" "$t/huge"
pack "$t/none/o.cpio" "$t/prog"
is "$rc" 2 "an output folder that is not there: exit status"
like "$err" "cannot write $t/none/o.cpio" "and its name"

tap_done
