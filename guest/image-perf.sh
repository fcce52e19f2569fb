# The perf part of a guest image: perf.cpio, version.
# Sourced by image.sh, whose functions and variables it uses.
#
# Libraries are found by what the files say: DT_NEEDED gives a library, the
# Depends of the package that needs it say where to look. Nothing is listed.
#
# SPDX-License-Identifier: GPL-2.0-or-later

perf_pick=
perf_request_file=

# Sets $perf_kind: none, package (of the kernel's suite), deb or binary.
perf_check_spec()
{
    case $perf in
    none) perf_kind=none ;;
    '') perf_kind=package ;;
    *)
        [ -f "$perf" ] || die "no such perf: $perf"
        [ -r "$perf" ] || die "cannot read $perf"
        plain_path perf "$perf"
        perf_request_file=$perf
        perf_kind=binary
        case $perf in
        *.deb)
            perf_kind=deb
            [ "$(dpkg-deb -f "$perf" Architecture 2>/dev/null)" = arm64 ] ||
                die "$perf is no arm64 package" ;;
        *)
            "$readelf" -h "$perf" 2>/dev/null | grep -q AArch64 ||
                die "$perf is no arm64 program" ;;
        esac ;;
    esac
}

perf_request()
{
    echo "perf=$perf"
    [ -z "$perf_request_file" ] || identity "$perf_request_file"
}

# The suite whose perf goes with a kernel: its own; for a kernel of the
# user's, the one with a perf of that generation.
perf_suite()
{
    if [ -n "$kernel_suite" ]; then
        echo "$kernel_suite"
    elif [ "${version%%.*}" -ge 7 ] 2>/dev/null; then
        echo "$base_suite-backports"
    else
        echo "$base_suite"
    fi
}

# Sets $perf_key, $perf_deb (also for a binary: whose Depends to search).
perf_resolve()
{
    perf_deb=
    case $perf_kind in
    none)
        perf_key=none
        return ;;
    deb) perf_deb=$perf ;;
    *)
        get "$(perf_suite)" "linux-perf:arm64$perf_pick"
        perf_deb=$got ;;
    esac
    perf_key=$({
        echo "$perf_kind $perf_deb"
        perf_request
        cat "$here/image-perf.sh" "$bin/libdebuginfod.so.1" "$bin/mkcpio"
    } | hash_of)
}

# ---- libraries -----------------------------------------------------------

# Prints the libraries of package file $1's Depends, likeliest provider of
# soname $2 first: the length of the common beginning, punctuation aside.
library_candidates()
{
    dpkg-deb -f "$1" Depends Pre-Depends | sed 's/^[A-Za-z-]*Depends: //' |
        tr ',' '\n' |
        sed 's/|.*//; s/^ *//; s/[ (:].*//' | grep -E '^(lib|zlib)' | sort -u |
        awk -v so="$2" '
            function flat(s) { gsub(/[^a-z0-9+]/, "", s); return s }
            BEGIN { sub(/\.so\./, "", so); so = flat(so) }
            {
                p = flat($1)
                for (n = 0; n < length(p) &&
                     substr(p, 1, n + 1) == substr(so, 1, n + 1); n++) {
                }
                print n, $1
            }' | sort -k 1,1nr -k 2,2 | cut -d ' ' -f 2
}

# Adds package file $1 to the pool of unpacked ones: an entry per library in
# $tmp/pool: "SONAME FILE DEB".
pool_add()
{
    p=$tmp/pool.d/$(basename "$1" .deb)
    [ -d "$p" ] && return
    run "cannot write below $tmp" mkdir -p "$p"
    unpack "$1" "$p"
    find "$p" \( -path '*/lib/*' -o -path '*/lib' \) -name '*.so*' \
        \( -type f -o -type l \) | while read -r f; do
        [ -f "$f" ] && echo "$(basename "$f") $f $1"
    done >>"$tmp/pool" || die "cannot write $tmp/pool"
}

pool_find()
{
    awk -v so="$1" '$1 == so { print $2, $3; exit }' "$tmp/pool"
}

# Finds soname $1 for a file of package $2 and puts it into $tmp/pool.
library_find()
{
    [ -z "$(pool_find "$1")" ] || return 0
    for c in $(library_candidates "$2" "$1"); do
        case $c in
        libdebuginfod*) continue ;;
        esac
        get "$base_suite" "$c:arm64"
        pool_add "$got"
        [ -z "$(pool_find "$1")" ] || return 0
    done
    die "$(basename "$2") needs $1," \
        "which none of the packages it depends on has"
}

needed()
{
    "$readelf" -d "$1" 2>/dev/null |
        sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p'
}

# Lists into $tmp/perf.list every library that file $1 of package $2 needs,
# and so on. The stub stands for libdebuginfod. One round per depth: all that
# a round lacks is fetched at once, likeliest packages first.
library_closure()
{
    todo="$1 $2"
    : >"$tmp/have"
    while [ -n "$todo" ]; do
        : >"$tmp/round"
        set -- $todo
        while [ $# -ge 2 ]; do
            for so in $(needed "$1"); do
                grep -q -x -F "$so" "$tmp/have" && continue
                echo "$so" >>"$tmp/have"
                echo "$so $2" >>"$tmp/round" || die "cannot write $tmp/round"
            done
            shift 2
        done
        library_prefetch
        todo=
        while read -r so deb; do
            library_add "$so" "$deb"
            todo="$todo $found"
        done <"$tmp/round"
        todo=${todo# }
    done
}

# The likeliest package of each library that $tmp/round lacks.
library_prefetch()
{
    likely=$(while read -r so deb; do
        [ "$so" != libdebuginfod.so.1 ] && [ -z "$(pool_find "$so")" ] ||
            continue
        library_candidates "$deb" "$so" | sed '/^libdebuginfod/d; s/$/:arm64/;
            q'
    done <"$tmp/round" | sort -u)
    [ -n "$likely" ] || return 0
    get "$base_suite" $likely
    for deb in $got; do
        pool_add "$deb"
    done
}

# library_add SONAME DEB: into the list; "FILE DEB" in $found.
library_add()
{
    dir=usr/lib/aarch64-linux-gnu
    found=
    case $1 in
    libdebuginfod.so.1)
        file=$bin/libdebuginfod.so.1 ;;
    *)
        file=
        [ "$perf_kind" != binary ] || file=$(dirname "$perf")/$1
        if [ -f "$file" ]; then
            found="$file $2"
        else
            library_find "$1" "$2"
            found=$(pool_find "$1")
            file=${found%% *}
        fi
        [ "$1" != ld-linux-aarch64.so.1 ] || dir=usr/lib ;;
    esac
    printf 'file\t%s\t%s\t755\t0\t0\n' "$dir/$1" "$file" >>"$tmp/perf.list"
}

# ---- the part ------------------------------------------------------------

# libdw and others are opened by name, not linked: those perf itself links
# against cover all that this image needs.
perf_build()
{
    : >"$tmp/perf.list"
    : >"$tmp/pool"
    case $perf_kind in
    none)
        echo none >"$work/version" ;;
    *)
        say "making the perf part"
        if [ "$perf_kind" = binary ]; then
            perf_file=$perf
            echo "file:$(hash_of <"$perf" | cut -c 1-12)" >"$work/version"
        else
            pool_add "$perf_deb"
            perf_file=$tmp/pool.d/$(basename "$perf_deb" .deb)/usr/bin/perf
            [ -f "$perf_file" ] || die "$perf_deb has no usr/bin/perf"
            dpkg-deb -f "$perf_deb" Version >"$work/version"
        fi
        printf 'file\tusr/bin/perf\t%s\t755\t0\t0\n' "$perf_file" \
            >>"$tmp/perf.list"
        library_closure "$perf_file" "$perf_deb" ;;
    esac
    [ -s "$work/version" ] || die "cannot write $work/version"
    run "cannot make perf.cpio" "$bin/mkcpio" \
        --assume "$here/rootfs.list" "$work/perf.cpio" "$tmp/perf.list"
    rm -rf "$tmp/pool.d"
}
