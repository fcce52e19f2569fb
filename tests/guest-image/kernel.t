#!/bin/sh
# guest/kernel/build.sh: recipes, what is wrong with them, and that each patch
# applies to the source that it is for. Kernels themselves are not built here.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/tap/tap.sh
tmp=$(mktemp -d) || bail "no temporary folder"
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM
tap_begin

cp -r guest/kernel "$tmp/kernel" || bail "cannot copy guest/kernel"
build=$tmp/kernel/build.sh

# says WANT NAME ARG...: exit status 2 and one line
says()
{
    want=$1
    what=$2
    shift 2
    "$build" "$@" >"$tmp/out" 2>"$tmp/err"
    is "$?" 2 "$what: exit status"
    is "$(cat "$tmp/out")" "" "$what: nothing on stdout"
    is "$(cat "$tmp/err")" "build.sh: $want" "$what: the words"
}

# recipe LINE...: as $tmp/kernel/t.recipe
recipe()
{
    printf '%s\n' "$@" >"$tmp/kernel/t.recipe"
}

names=$("$build" --list | cut -d ' ' -f 1)
is "$(printf '%s\n' $names | sort)" \
    "$(cd guest/kernel && ls *.recipe | sed 's/\.recipe//' | sort)" \
    "every recipe is listed"
is "$("$build" --list | grep -c -E '^[^ ]+ +[^ ].*[^ ]$')" \
    "$(printf '%s\n' $names | wc -l)" "with what it is"
for n in $names; do
    missing=$("$build" --inputs "$n" | while read -r f; do
        [ -f "$f" ] || echo "$f"
    done)
    is "$missing" "" "$n: all inputs are there"
done

says "one NAME is needed (see build.sh --help)" "no name"
says "kernel '../6.12': no name of a recipe (guest/kernel/build.sh --list)" \
    "a path" ../6.12
says "kernel 'nope': no such recipe, only: $(echo $names)" "no such" nope
says "--cache DIR is needed (see build.sh --help)" "no cache" 6.12
says "--jobs 0: a number from 1 on" "no jobs" --jobs 0 --cache "$tmp/c" 6.12
says "unknown option --fast (see build.sh --help)" "an option" --fast 6.12

recipe 'suite trixie' 'source linux-source-6.12' 'config base' 'patches x'
says "recipe t: what is 'patches x'?" "unknown word" --cache "$tmp/c" t
recipe 'suite trixie' 'source linux-source-6.12' 'config base nope'
says "recipe t: config: no file guest/kernel/config/nope.config" \
    "no such fragment" --cache "$tmp/c" t
recipe 'suite trixie' 'source linux-source-6.12' 'config base' 'patch nope'
says "recipe t: patch: no file guest/kernel/patches/nope.patch" \
    "no such patch" --cache "$tmp/c" t
recipe 'suite trixie' 'config base'
says "recipe t: suite, source and config are needed" "no source" \
    --cache "$tmp/c" t
ok "$([ ! -e "$tmp/c" ]; echo $?)" "nothing was made"

# Where a source has been unpacked, its patches must apply.
for n in $names; do
    source=$(sed -n 's/^source  *//p' "guest/kernel/$n.recipe")
    tree=$(ls -d build/cache/built/"$source"_*_all 2>/dev/null | tail -n 1)
    for p in $(sed -n 's/^patch  *//p' "guest/kernel/$n.recipe"); do
        if [ -z "$tree" ]; then
            skip 1 "$n: $source is not unpacked"
            continue
        fi
        patch -p1 -s -f -F 0 --dry-run -d "$tree" \
            -i "$PWD/guest/kernel/patches/$p.patch" >"$tmp/patch" 2>&1
        ok $? "$n: $p applies" || sed 's/^/# /' "$tmp/patch"
    done
done
tap_done
