# Variants of Debian's kernels: the coresight modules rebuilt with patches or
# other options, in the place of Debian's. Sourced by image.sh.
#
# SPDX-License-Identifier: GPL-2.0-or-later

# Prints what variants there are: for kernel X.Y if one is given.
variant_names()
{
    for f in "$here"/kernel/patches/${1:-*}/*.patch \
        "$here"/kernel/patches/${1:-*}/*.config; do
        [ ! -f "$f" ] || basename "${f%.*}"
    done | sort -u | tr '\n' ' '
}

# variant_check NAME: is there any such?
variant_check()
{
    case " rebuilt $(variant_names)" in
    *" $1 "*) ;;
    *) die "kernel $spec: no variant $1, only: rebuilt $(variant_names)" ;;
    esac
}

# Prints the files of $kernel_variants, in order; for kernel X.Y if given.
variant_files()
{
    for name in $kernel_variants; do
        for f in "$here"/kernel/patches/${1:-*}/"$name".patch \
            "$here"/kernel/patches/${1:-*}/"$name".config; do
            [ ! -f "$f" ] || echo "$f"
        done
    done
}

# What the modules depend on besides the packages.
variant_request()
{
    [ -n "$kernel_variants" ] || return 0
    echo "$kernel_variants"
    "${CROSS_COMPILE:-aarch64-linux-gnu-}gcc" --version | head -n 1
    cat $(variant_files) "$here/kernel/modules.sh" "$here/image-variant.sh"
}

# Sets $variant_args: the packages of this very kernel, by their versions.
variant_resolve()
{
    [ -n "$kernel_variants" ] || return 0
    image=$(printf '%s\n' $kernel_debs | grep -m 1 '^linux-image-[0-9]')
    [ -n "$image" ] || die "kernel $spec: no linux-image package"
    release=${image%%_*}
    release=${release#linux-image-}
    v=$(dpkg-deb -f "$cache/deb/$image" Version)
    series=$(printf '%s\n' "$release" | cut -d - -f 1 | cut -d . -f 1,2)
    for name in $kernel_variants; do
        case " rebuilt $(variant_names "$series")" in
        *" $name "*) ;;
        *) die "kernel $spec: no variant $name of Linux $series, only:" \
               "rebuilt $(variant_names "$series")" ;;
        esac
    done
    get "$kernel_suite" "linux-headers-$release:arm64=$v"
    variant_args="--headers $got"
    common=$(dpkg-deb -f "$got" Depends | tr ',|' '\n\n' |
        sed -n 's/^ *\(linux-headers-[^ ]*-common\).*/\1/p')
    get "$kernel_suite" "$common=$v"
    variant_args="$variant_args --common $got"
    get "$kernel_suite" "linux-source-$series=$v"
    variant_args="$variant_args --source $got"
    for f in $(variant_files "$series"); do
        variant_args="$variant_args --${f##*.} $f"
    done
}

# Puts the rebuilt modules in the place of Debian's below $modules_dir.
variant_build()
{
    [ -n "$kernel_variants" ] || return 0
    say "kernel $kernel_version: building coresight modules" \
        "($(echo $kernel_variants), a minute or two)"
    dir=$modules_dir/kernel/drivers/hwtracing/coresight
    mkdir -p "$dir" || die "cannot write $dir"
    run "kernel $spec" sh "$here/kernel/modules.sh" $variant_args \
        --work "$tmp/variant" --log "$cache/modules.log" "$tmp/variant/out"
    rm -f "$dir"/*.ko*
    run "cannot write $dir" cp "$tmp/variant/out/"*.ko "$dir/"
    rm -rf "$tmp/variant"
}
