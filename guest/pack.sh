#!/bin/sh
# Packs files of the host into a cpio for the guest, to be appended to its
# initrd. No root needed; the same files give the same bytes.
#
# Exit status: 0 done, 2 bad input (one line on stderr, no OUT.cpio left).
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -u

usage()
{
    cat <<'END'
usage: pack.sh [--bin DIR] OUT.cpio FILE[:GUESTPATH]...

FILE is a file or folder; it becomes GUESTPATH, or /root/NAME. Owner root,
mode 0755 if executable, else 0644. A GUESTPATH that ends in / is a folder
that gets FILE under its own name. --bin DIR: where mkcpio is.
END
}

die()
{
    echo "pack.sh: $*" >&2
    exit 2
}

here=$(cd "$(dirname "$0")" && pwd)
bin=
while [ $# -gt 0 ]; do
    case $1 in
    --bin) [ $# -gt 1 ] || die "--bin needs a folder"
           bin=$2
           shift ;;
    -h | --help) usage
                 exit 0 ;;
    -*) die "unknown option $1 (see pack.sh --help)" ;;
    *) break ;;
    esac
    shift
done
[ $# -ge 2 ] || die "OUT.cpio and FILE are needed (see pack.sh --help)"
if [ -z "$bin" ]; then
    bin=$here
    [ -x "$bin/mkcpio" ] || bin=$here/../build/guest
fi
[ -x "$bin/mkcpio" ] || die "no mkcpio in $bin: run make first"

out=$1
shift
tab=$(printf '\t')
nl='
'
list=$(mktemp "${TMPDIR:-/tmp}/csvirt-pack.XXXXXX") ||
    die "cannot write below ${TMPDIR:-/tmp}"
trap 'rm -f "$list" "$out.$$"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

for arg; do
    case $arg in
    *"$tab"* | *"$nl"*) die "'$arg' has a tab or a line end in its name" ;;
    esac
    # The whole argument may be a file whose name has a colon.
    if [ -e "$arg" ]; then
        file=$arg
        path=
    else
        file=${arg%:*}
        path=${arg##*:}
        [ "$file" != "$arg" ] || path=
    fi
    [ -e "$file" ] || die "no such file: $file"
    [ -r "$file" ] || die "cannot read $file"
    name=$(basename "$file")
    case $path in
    '') path=/root/$name ;;
    */) path=$path$name ;;
    /*) ;;
    *) path=/root/$path ;;
    esac
    case /$path/ in
    */../* | */./*) die "guest path $path: . and .. are not taken" ;;
    esac
    if [ -d "$file" ]; then
        printf 'tree\t%s\t%s\t0\t0\n' "$path" "$file"
    else
        printf 'file\t%s\t%s\t-\t0\t0\n' "$path" "$file"
    fi >>"$list" || die "cannot write $list"
done

err=$("$bin/mkcpio" --assume "$here/rootfs.list" "$out.$$" "$list" 2>&1) ||
    die "${err#mkcpio: }"
mv -f "$out.$$" "$out" || die "cannot write $out"
