#!/bin/sh
# Brings the unpacked QEMU source tree SRC in line with a set of patches,
# whatever set it had before: only files whose content changes are written,
# so that the next build compiles as little as possible.
#
# usage: prepare.sh SRC SAVED PATCH...
#
# SAVED holds the original of every file that a patch has ever touched (or an
# empty NAME.absent for a file that a patch made).
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

die()
{
    echo "prepare.sh: $*" >&2
    exit 1
}

[ $# -ge 2 ] || die "usage: prepare.sh SRC SAVED PATCH..."
src=$1
saved=$2
shift 2

# Files that a patch touches, one a line.
touched()
{
    sed -n 's/^[+-]\{3\} [ab]\/\([^[:blank:]]*\).*/\1/p' "$@" | sort -u
}

# Keeps the original of $1, once; the copy appears whole or not at all.
save()
{
    if [ -e "$saved/$1" ] || [ -e "$saved/$1.absent" ]; then
        return
    fi
    mkdir -p "$saved/$(dirname "$1")"
    if [ -e "$src/$1" ]; then
        cp -p "$src/$1" "$saved/$1.new"
        mv "$saved/$1.new" "$saved/$1"
    else
        : >"$saved/$1.absent"
    fi
}

mkdir -p "$saved"
work=$saved.work
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

for p in "$@"; do
    [ -s "$p" ] || die "$p: no patch"
done
if [ $# -gt 0 ]; then
    touched "$@" >"$work.list"
else
    : >"$work.list"
fi
while read -r f; do
    save "$f"
    if [ -e "$saved/$f" ]; then
        mkdir -p "$work/$(dirname "$f")"
        cp -p "$saved/$f" "$work/$f"
    fi
done <"$work.list"
rm -f "$work.list"

for p in "$@"; do
    out=$(patch -d "$work" -p1 -s -f --no-backup-if-mismatch <"$p" 2>&1) ||
        die "${p##*/} does not apply to QEMU $(cat "$src/VERSION"):" \
            "$(printf '%s\n' "$out" | grep -v '^patching' | head -n 1)"
done

# Every file ever touched: its patched form, or its original.
(cd "$saved" && find . -type f) | while read -r f; do
    f=${f#./}
    case $f in
    *.absent)
        f=${f%.absent}
        from=$work/$f ;;
    *)
        from=$saved/$f
        [ ! -e "$work/$f" ] || from=$work/$f ;;
    esac
    if [ ! -e "$from" ]; then
        rm -f "$src/$f"
    elif ! cmp -s "$from" "$src/$f"; then
        echo "  patched $f"
        mkdir -p "$src/$(dirname "$f")"
        cp "$from" "$src/$f.csvirt-new"
        chmod --reference="$from" "$src/$f.csvirt-new"
        mv "$src/$f.csvirt-new" "$src/$f"
    fi
done
