# The kernel part of a guest image: Image, modules.cpio, version.
# Sourced by image.sh, whose functions and variables it uses.
#
# SPDX-License-Identifier: GPL-2.0-or-later

# Modules without which there is nothing to trace, and their options.
required_modules='coresight:CORESIGHT
coresight-etm4x:CORESIGHT_SOURCE_ETM4X
coresight-funnel:CORESIGHT_LINKS_AND_SINKS
coresight-replicator:CORESIGHT_LINKS_AND_SINKS
coresight-tmc:CORESIGHT_LINK_AND_SINK_TMC'

# Taken if the kernel has them as modules; init needs the first two.
wanted_modules='virtio_pci virtio_console virtio-rng'

kernel_check_spec()
{
    kernel_image=
    kernel_recipe=
    kernel_variants=
    case $spec in
    debian:?*)
        rest=${spec#debian:}
        kernel_suite=${rest%%/*}
        kernel_wanted=
        [ "$kernel_suite" = "$rest" ] || kernel_wanted=${rest#*/}
        kernel_flavour=arm64
        while [ "$kernel_suite" != "${kernel_suite%+*}" ]; do
            case ${kernel_suite##*+} in
            16k) kernel_flavour=arm64-16k ;;
            *) variant_check "${kernel_suite##*+}"
               kernel_variants="${kernel_suite##*+} $kernel_variants" ;;
            esac
            kernel_suite=${kernel_suite%+*}
        done
        case $kernel_suite in
        '' | .* | *[!a-z0-9.+-]*) die "kernel $spec: no name of a suite" ;;
        esac
        [ -z "$modules" ] || die "--modules goes with a kernel file only" ;;
    debian:) die "kernel $spec: the suite is missing" ;;
    build:*)
        [ -z "$modules" ] || die "--modules goes with a kernel file only"
        kernel_suite=
        kernel_recipe=${spec#build:}
        kernel_inputs=$(sh "$here/kernel/build.sh" --inputs \
            "$kernel_recipe") || exit 2 ;;
    *)
        [ -e "$spec" ] || die "no such kernel: $spec"
        kernel_suite=
        kernel_image=$spec
        if [ -d "$spec" ]; then
            kernel_image=$spec/arch/arm64/boot/Image
            [ -f "$kernel_image" ] || die "kernel tree $spec has no" \
                "arch/arm64/boot/Image: build it first"
        fi
        kernel_check_image "$kernel_image"
        kernel_find_modules ;;
    esac
}

# build:NAME: made before the cache is locked, as it takes minutes.
kernel_make()
{
    [ -n "$kernel_recipe" ] || return 0
    made=$(sh "$here/kernel/build.sh" --cache "$cache" \
        --apt-state "$apt_state" ${mirror:+--apt-mirror "$mirror"} $offline \
        "$kernel_recipe") || exit 2
    kernel_image=$(printf '%s\n' "$made" | sed -n 's/^kernel=//p')
    kernel_check_image "$kernel_image"
    modules=none
    kernel_find_modules
}

# The arm64 boot protocol has the magic "ARM\x64" at byte 56 of an Image.
kernel_check_image()
{
    [ -r "$1" ] || die "cannot read the kernel $1"
    magic=$(dd if="$1" bs=1 skip=56 count=4 2>/dev/null)
    [ "$magic" = ARMd ] ||
        die "$1 is not an arm64 Image (no magic at byte 56)"
}

# Sets $kernel_version and $modules_dir (empty: all built in).
kernel_find_modules()
{
    kernel_version=$(grep -a -o -m 1 \
        'Linux version [0-9][^ ]* ' "$kernel_image" | head -n 1 |
        cut -d ' ' -f 3)
    [ -n "$kernel_version" ] ||
        die "$kernel_image does not say its version"
    modules_dir=
    case $modules in
    none) return ;;
    '') die "kernel $spec has no modules: give --modules DIR (or none)" ;;
    esac
    [ -d "$modules" ] || die "no such modules folder: $modules"
    plain_path "modules folder" "$modules"
    for d in "$modules/lib/modules/$kernel_version" \
        "$modules/usr/lib/modules/$kernel_version" \
        "$modules/$kernel_version" "$modules"; do
        if [ -d "$d/kernel" ]; then
            if [ "$d" = "$modules" ] &&
                [ "$(basename "$d")" != "$kernel_version" ]; then
                die "modules in $modules are not of $kernel_version"
            fi
            modules_dir=$d
            return
        fi
    done
    die "no modules of $kernel_version in $modules"
}

# What a request depends on besides the words of the specification.
kernel_request()
{
    [ -z "$kernel_recipe" ] || cat $kernel_inputs
    variant_request
    [ -n "$kernel_image" ] || return 0
    identity "$kernel_image"
    echo "modules=$modules"
    if [ -n "$modules_dir" ]; then
        find "$modules_dir" -name '*.ko*' -path '*hwtracing*' \
            -exec stat -c '%n %s %Y' {} + | sort
    fi
}

# ---- which packages ------------------------------------------------------

# Prints the kernel packages named in the Depends of the .deb $1.
kernel_depends()
{
    dpkg-deb -f "$1" Depends | tr ',|' '\n\n' | sed 's/^ *//; s/[ (:].*//' |
        grep -E '^linux-(image|binary|modules|base)-' | sort -u
}

# Finds the metapackage version that $kernel_wanted names, if any.
kernel_pick_version()
{
    kernel_pick=
    [ -n "$kernel_wanted" ] || return 0
    suite=$kernel_suite
    apt versions "linux-image-$kernel_flavour:arm64"
    for v in $apt_out; do
        case $v in
        "$kernel_wanted" | "${kernel_wanted%%+*}"-*) kernel_pick="=$v"
                                                      return ;;
        esac
    done
    die "$kernel_suite has no kernel $kernel_wanted, only:" $apt_out
}

# Sets $kernel_key and, for Debian's kernels, $kernel_debs.
kernel_resolve()
{
    base_suite=${kernel_suite%-backports}
    base_suite=${base_suite:-trixie}
    if [ -z "$kernel_suite" ]; then
        kernel_key=$({
            kernel_request
            echo "$kernel_version"
            cat "$here/image-kernel.sh" "$bin/mkcpio"
        } | hash_of)
        return
    fi
    if [ -n "$update" ]; then
        for suite in $(printf '%s\n' "$kernel_suite" "$base_suite" |
                       sort -u); do
            apt update
        done
    fi
    kernel_pick_version
    get "$kernel_suite" "linux-image-$kernel_flavour:arm64$kernel_pick"
    kernel_package=$(dpkg-deb -f "$got" Version)
    [ -z "$kernel_pick" ] || perf_pick="=$kernel_package"
    kernel_debs=
    todo=$(kernel_depends "$got")
    done_=
    while [ -n "$todo" ]; do
        next=
        for p in $todo; do
            case " $done_ " in
            *" $p "*) continue ;;
            esac
            done_="$done_ $p"
            get "$kernel_suite" "$p:arm64"
            kernel_debs="$kernel_debs $(basename "$got")"
            next="$next $(kernel_depends "$got")"
        done
        todo=$(printf '%s' "$next" | tr -s ' \n' ' ' | sed 's/^ $//')
    done
    variant_resolve
    kernel_key=$({
        echo "$kernel_debs"
        variant_request
        cat "$here/image-kernel.sh" "$bin/mkcpio"
    } | hash_of)
}

# ---- modules -------------------------------------------------------------

# Prints a module's file among those of $modules_dir, or nothing. $1: name,
# in which - and _ are the same.
module_file()
{
    grep -m 1 -E "/$(echo "$1" | sed 's/[-_]/[-_]/g')\.ko(\.(xz|zst|gz))?$" \
        "$tmp/all-modules"
}

module_builtin()
{
    for f in "${modules_dir:-/none}/modules.builtin" "$spec/modules.builtin"
    do
        [ -f "$f" ] &&
            grep -q "/$(echo "$1" | sed 's/[-_]/[-_]/g')\.ko$" "$f" &&
            return 0
    done
    return 1
}

# module_unpack FILE: to $work/ko, uncompressed; its path in $ko.
module_unpack()
{
    ko=$work/ko/$(basename "${1%.ko*}").ko
    case $1 in
    *.xz) unpacker='xz -dc' ;;
    *.zst) unpacker='zstd -qdc' ;;
    *.gz) unpacker='gzip -dc' ;;
    *) unpacker=cat ;;
    esac
    run "cannot unpack $1" sh -c "$unpacker"' "$0" >"$1"' "$1" "$ko"
}

# Unpacks the module files of list $1 and all that they depend on; $tmp/pairs
# gets a line "DEPENDENCY MODULE" for each edge, "MODULE MODULE" for each
# module.
module_closure()
{
    todo=$1
    : >"$tmp/pairs" || die "cannot write $tmp/pairs"
    while [ -n "$todo" ]; do
        next=
        for file in $todo; do
            name=$(basename "${file%.ko*}")
            grep -q -x "$name $name" "$tmp/pairs" && continue
            module_unpack "$file"
            echo "$name $name" >>"$tmp/pairs"
            for d in $(tr '\0' '\n' <"$ko" | sed -n 's/^depends=//p' |
                       tr ',' ' '); do
                df=$(module_file "$d")
                if [ -n "$df" ]; then
                    echo "$(basename "${df%.ko*}") $name" >>"$tmp/pairs"
                    next="$next $df"
                elif ! module_builtin "$d"; then
                    die "kernel $kernel_version: no module $d," \
                        "on which $name depends"
                fi
            done
        done
        todo=$next
    done
}

# Prints modules.dep: per module all it needs, the last to be loaded first.
# in: $tmp/pairs, and the load order as arguments.
modules_dep()
{
    awk -v dir=kernel '
        FNR == NR { if ($1 != $2) { direct[$2] = direct[$2] " " $1 } next }
        { order[++n] = $1 }
        END {
            for (i = 1; i <= n; i++) {
                m = order[i]
                k = split(direct[m], d, " ")
                for (j = 1; j <= k; j++) {
                    all[m, d[j]] = 1
                    for (x = 1; x < i; x++) {
                        if ((d[j], order[x]) in all) {
                            all[m, order[x]] = 1
                        }
                    }
                }
                line = dir "/" m ".ko:"
                for (x = i - 1; x >= 1; x--) {
                    if ((m, order[x]) in all) {
                        line = line " " dir "/" order[x] ".ko"
                    }
                }
                print line
            }
        }' "$tmp/pairs" "$tmp/order"
}

# All of coresight and STM, the required ones checked by name.
modules_pick()
{
    for r in $required_modules; do
        module_builtin "${r%:*}" || [ -n "$(module_file "${r%:*}")" ] ||
            die "kernel $kernel_version has no module ${r%:*}" \
                "(CONFIG_${r#*:} is off)"
    done
    picked=$(grep -E '/drivers/hwtracing/(coresight|stm)/' "$tmp/all-modules")
    for m in $wanted_modules; do
        picked="$picked $(module_file "$m")"
    done
}

# $work/modules.cpio from $modules_dir, or an empty one.
modules_build()
{
    run "cannot write below $work" mkdir "$work/ko"
    : >"$tmp/all-modules"
    : >"$tmp/order"
    : >"$tmp/pairs"
    if [ -n "$modules_dir" ]; then
        find "$modules_dir/" -name '*.ko*' -type f | sort >"$tmp/all-modules"
        modules_pick
        module_closure "$picked"
        tsort "$tmp/pairs" >"$tmp/order" 2>"$tmp/err" ||
            die "kernel $kernel_version: modules depend on one another"
    fi
    lib=usr/lib/modules/$kernel_version
    modules_dep >"$tmp/modules.dep" || die "cannot write $tmp/modules.dep"
    sed "s|.*|/$lib/kernel/&.ko|" "$tmp/order" >"$tmp/modules" ||
        die "cannot write $tmp/modules"
    {
        printf 'dir\t%s\t755\t0\t0\n' "$lib" "$lib/kernel"
        while read -r m; do
            printf 'file\t%s\t%s\t644\t0\t0\n' "$lib/kernel/$m.ko" \
                "$work/ko/$m.ko"
        done <"$tmp/order"
        printf 'file\t%s\t%s\t644\t0\t0\n' \
            "$lib/modules.dep" "$tmp/modules.dep" \
            etc/csvirt/modules "$tmp/modules"
    } >"$tmp/modules.list" || die "cannot write $tmp/modules.list"
    run "cannot make modules.cpio" "$bin/mkcpio" \
        --assume "$here/rootfs.list" "$work/modules.cpio" "$tmp/modules.list"
    rm -rf "$work/ko"
}

# ---- the part ------------------------------------------------------------

# Not unpacked: half of the package that no trace module depends on.
kernel_unpack_one()
{
    mkdir -p "$tmp/kernel-root" || die "cannot write below $tmp"
    run "cannot unpack $(basename "$1")" sh -c '
        dpkg-deb --fsys-tarfile "$0" | tar -x -C "$1" --no-same-owner \
            --exclude="./usr/share" --exclude="./usr/lib/linux-image-*" \
            --exclude="*/kernel/net" --exclude="*/kernel/sound" \
            --exclude="*/drivers/net" --exclude="*/drivers/gpu" \
            --exclude="*/drivers/media" --exclude="*/drivers/usb" \
            --exclude="*/drivers/scsi" --exclude="*/drivers/iio" \
            --exclude="*/drivers/infiniband"' "$1" "$tmp/kernel-root"
}

# Unpacks the packages and sets what kernel_find_modules sets for a file.
kernel_unpack()
{
    for d in $kernel_debs; do
        say "unpacking $d"
        kernel_unpack_one "$cache/deb/$d"
    done
    kernel_image=$(find "$tmp/kernel-root" -type f -name 'vmlinuz*' |
                   head -n 1)
    [ -n "$kernel_image" ] || die "no kernel in$(printf ' %s' $kernel_debs)"
    kernel_check_image "$kernel_image"
    modules=$tmp/kernel-root
    kernel_find_modules
    variant_build
}

kernel_build()
{
    [ -z "$kernel_suite" ] || kernel_unpack
    say "kernel $kernel_version: taking its coresight modules"
    modules_build
    run "cannot write $work/Image" cp "$kernel_image" "$work/Image"
    echo "$kernel_version" >"$work/version" ||
        die "cannot write $work/version"
    rm -rf "$tmp/kernel-root"
}
