#!/bin/sh
# Fetches Debian packages of any suite through an apt state of its own: no
# root, the host's apt untouched, signatures checked against the keyring that
# the host has. Results (file names) on stdout, talk on stderr.
#
# The mirror is the one of the host's own sources, or $MIRROR.
# Exit status: 0 done, 1 could not be had, 2 usage.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -u

usage()
{
    cat <<'END'
usage: apt.sh --state DIR [--offline] SUITE COMMAND

  update                                 fetch the package lists
  download OUTDIR PKG[:ARCH][=VERSION].. .deb files into OUTDIR
  source OUTDIR SRCPKG[=VERSION]         upstream tar files into OUTDIR
  versions PKG[:ARCH]                    versions of the suite, newest first
  depends PKG[:ARCH]                     packages that it depends on

DIR keeps one folder of lists and packages per suite, and manifest.tsv: every
file fetched with its version and SHA-256. --offline uses only what is there.
MIRROR=URL names another mirror than that of the host's apt sources.
END
}

say()
{
    echo "apt.sh: $*" >&2
}

die()
{
    say "$*"
    exit 1
}

bad_usage()
{
    say "$1 (see apt.sh --help)"
    exit 2
}

# ---- the host ------------------------------------------------------------

# Prints the address of Debian's main archive from one-line (.list) and deb822
# (.sources) files. An entry counts if its path ends in "debian" and it has
# the component main: that leaves security archives and third parties out.
host_mirror()
{
    cat_lists /etc/apt/sources.list /etc/apt/sources.list.d/*.list |
    awk '
        $1 == "deb" || $1 == "deb-src" {
            sub(/^[^ \t]+[ \t]+/, ""); sub(/^\[[^]]*\][ \t]*/, "")
            emit($1, " " $0 " ")
        }
        function emit(uri, words) {
            sub(/\/+$/, "", uri)
            if (uri ~ /(\/|^)debian$|^mirror\+file:.*debian[^\/-]*$/ &&
                words ~ /[ \t]main[ \t]/) { print uri; exit }
        }'
    cat_lists /etc/apt/sources.list.d/*.sources |
    awk '
        function flush_entry() {
            sub(/\/+$/, "", uri)
            if (!off && comp ~ /[ \t]main[ \t]/ &&
                uri ~ /(\/|^)debian$|^mirror\+file:.*debian[^\/-]*$/) {
                print uri; found = 1; exit
            }
            uri = ""; comp = ""; off = 0
        }
        /^[ \t]*$/ { flush_entry(); next }
        tolower($1) == "uris:" { uri = $2 }
        tolower($1) == "components:" { comp = " " $0 " " }
        tolower($1) == "enabled:" { off = ($2 == "no") }
        END { if (!found) { flush_entry() } }'
}

cat_lists()
{
    for l in "$@"; do
        if [ -r "$l" ]; then
            cat "$l"
            echo
        fi
    done
}

find_keyring()
{
    for k in /usr/share/keyrings/debian-archive-keyring.gpg \
             /usr/share/keyrings/debian-archive-keyring.pgp; do
        if [ -r "$k" ]; then
            echo "$k"
            return
        fi
    done
}

# ---- our apt -------------------------------------------------------------

# The configuration replaces the host's altogether (its hooks would clean the
# host's cache), except for how to reach the network: Acquire::*.
setup()
{
    lists=$top/lists
    pool=$top/pool
    mkdir -p "$lists/partial" "$top/cache/archives/partial" "$pool" \
        2>/dev/null || die "cannot make the folder $top"
    top=$(cd "$top" && pwd)
    lists=$top/lists
    pool=$top/pool
    mirror=${MIRROR:-$(host_mirror | head -n 1)}
    [ -n "$mirror" ] ||
        die "no Debian mirror in /etc/apt/sources.list*: give MIRROR=URL"
    keyring=$(find_keyring)
    [ -n "$keyring" ] ||
        die "no /usr/share/keyrings/debian-archive-keyring.gpg on this host"
    arch=$(dpkg --print-architecture) || die "no dpkg on this host"
    # Left alone when unchanged: apt rebuilds its caches for a new file.
    write_conf >"$top/apt.conf.$$" 2>/dev/null &&
        renew "$top/apt.conf.$$" "$top/apt.conf" ||
        die "cannot write $top/apt.conf"
    write_sources >"$top/sources.$$" 2>/dev/null &&
        renew "$top/sources.$$" "$top/sources.list" &&
        : >>"$top/status" || die "cannot write $top/sources.list"
    APT_CONFIG=$top/apt.conf
    LC_ALL=C.UTF-8
    export APT_CONFIG LC_ALL
}

renew()
{
    if cmp -s "$1" "$2"; then
        rm -f "$1"
    else
        mv -f "$1" "$2"
    fi
}

write_conf()
{
    env -u APT_CONFIG apt-config dump 2>/dev/null | grep '^Acquire::' |
        grep -v '^Acquire::\(Languages\|GzipIndexes\|CompressionTypes\)'
    cat <<END
Dir::Etc::parts "/dev/null";
Dir::Etc::main "/dev/null";
Dir::Etc::sourcelist "$top/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "$top";
Dir::State::lists "$lists";
Dir::State::status "$top/status";
Dir::State::extended_states "$top/extended_states";
Dir::Cache "$top/cache";
APT::Architectures { "$arch"; "arm64"; };
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::Retries "2";
Acquire::http::Timeout "30";
Acquire::https::Timeout "30";
END
}

write_sources()
{
    cat <<END
deb [signed-by=$keyring] $mirror $suite main
deb-src [signed-by=$keyring] $mirror $suite main
END
}

# room MEGABYTES WHAT: die unless that much is free. apt 2.6 can wait for ever
# when a disk fills up while it unpacks lists, so ask before.
room()
{
    free=$(df -Pk "$top" 2>/dev/null | awk 'NR == 2 { print int($4 / 1024) }')
    if [ -n "$free" ] && [ "$free" -lt "$1" ]; then
        die "cannot fetch $2 of $suite from $mirror into $top:" \
            "No space left on device ($free MB free, $1 MB wanted)"
    fi
}

have_lists()
{
    for a in "$arch" arm64; do
        ls "$lists"/*_binary-"$a"_Packages* >/dev/null 2>&1 || return 1
    done
    ls "$lists"/*_Sources* >/dev/null 2>&1
}

# Prints the first reason in apt's output $1, without its prefix.
reason()
{
    r=$(printf '%s\n' "$1" |
        sed -n -e '/No space left/{s/.*/No space left on device/p;q;}' \
            -e 's/^E: *//p' | head -n 1)
    [ -n "$r" ] || r=$(printf '%s\n' "$1" | sed -n '$p')
    printf '%s\n' "$r"
}

lock()
{
    exec 9>"$top/lock" || die "cannot write $top/lock"
    flock -w 900 9 || die "another apt.sh keeps $top/lock"
}

unlock()
{
    exec 9>&-
}

update()
{
    lock
    update_locked
    unlock
}

update_locked()
{
    say "fetching the package lists of $suite from $mirror"
    room 300 "the package lists"
    # In the foreground: Ctrl-C reaches apt-get too. It keeps the lock (fd 9),
    # so that a next run waits for one that outlived its parent.
    out=$(timeout --foreground 900 apt-get -q -y update 2>&1) || {
        die "cannot fetch the package lists of $suite from $mirror" \
            "into $lists: $(reason "$out")"
    }
    have_lists ||
        die "no lists of $suite came from $mirror into $lists"
    updated=1
}

need_lists()
{
    lock                        # another run may be fetching them
    if ! have_lists; then
        [ -z "$offline" ] ||
            die "offline, and no package lists of $suite in $lists"
        update_locked
    fi
    unlock
}

# ---- packages ------------------------------------------------------------

# versions NAME[:ARCH] [Packages|Sources]: newest first, nothing if unknown.
versions()
{
    apt-cache madison "$1" 2>/dev/null |
        awk -F ' *[|] *' -v k="${2:-Packages}" '
            $3 ~ (k "$") && !seen[$2]++ { sub(/^ +/, "", $2); print $2 }'
}

depends()
{
    apt-cache depends --no-recommends --no-suggests --no-conflicts \
        --no-breaks --no-replaces --no-enhances "$1" 2>/dev/null |
        sed -n 's/^[ |]*\(Pre\)\{0,1\}-\{0,1\}Depends: *//p' |
        grep -v '^<' | awk '!seen[$0]++'
}

# Prints "file size hash" of what $1 (deb or source) $2 (name=version) is.
describe()
{
    if [ "$1" = deb ]; then
        apt-get download --print-uris "$2" 2>/dev/null
    else
        apt-get source --tar-only --print-uris "$2" 2>/dev/null
    fi | awk '$1 ~ /^\047/ { sub(/^[^:]*:/, "", $4); print $2, $3, $4 }'
}

# True if the pool holds all of what describe printed ($1), by size: a file
# gets into the pool by a rename after apt has checked its hash.
in_pool()
{
    [ -n "$1" ] || return 1
    printf '%s\n' "$1" | {
        while read -r f size _; do
            [ -f "$pool/$f" ] || exit 1
            [ "$(wc -c <"$pool/$f")" -eq "$size" ] || exit 1
        done
    }
}

part=
clean_up()
{
    [ -z "$part" ] || rm -rf "$part"
    rm -f "$top/apt.conf.$$" "$top/sources.$$"
}

# Removes what a killed run left.
clean_old()
{
    for d in "$pool"/.part-*; do
        if [ -d "$d" ] && ! kill -0 "${d##*-}" 2>/dev/null; then
            rm -rf "$d"
        fi
    done
}

# get_one deb|source NAME=VERSION: into the pool; on failure $why has it.
get_one()
{
    mkdir -p "$part" 2>/dev/null || {
        why="cannot make the folder $part"
        return 1
    }
    if [ "$1" = deb ]; then
        why=$(cd "$part" &&
              timeout --foreground 3600 apt-get -q -y download "$2" 2>&1)
    else
        why=$(cd "$part" &&
              timeout --foreground 3600 apt-get -q -y source --download-only \
                  --tar-only "$2" 2>&1)
    fi || {
        why=$(reason "$why")
        rm -rf "$part"
        return 1
    }
    for f in "$part"/*; do
        [ -f "$f" ] || continue
        record "$f" "$2" && mv -f "$f" "$pool/" || {
            why="cannot write to $pool or $state/manifest.tsv"
            rm -rf "$part"
            return 1
        }
    done
    rm -rf "$part"
    why="apt-get wrote nothing"
    in_pool "$d"
}

record()
{
    sum=$(sha256sum "$1") || return 1
    line=$(printf '%s\t%s\t%s\t%s\t%s' "$suite" "${2%%=*}" "${2#*=}" \
        "${1##*/}" "${sum%% *}")
    if [ ! -s "$state/manifest.tsv" ]; then
        printf '# suite\tpackage\tversion\tfile\tsha256\n' \
            >"$state/manifest.tsv" || return 1
    fi
    grep -qxF -e "$line" "$state/manifest.tsv" ||
        printf '%s\n' "$line" >>"$state/manifest.tsv"
}

# place: what describe printed ($d) from the pool to $outdir, atomically.
place()
{
    printf '%s\n' "$d" | while read -r f _; do
        if ! cmp -s "$pool/$f" "$outdir/$f"; then
            t=$outdir/.$f.$$
            { ln -f "$pool/$f" "$t" 2>/dev/null ||
                cp "$pool/$f" "$t"; } &&
                mv -f "$t" "$outdir/$f" || {
                rm -f "$t"
                exit 1
            }
        fi
        echo "$outdir/$f"
    done || die "cannot write to $outdir"
}

human()
{
    printf '%s\n' "$1" | awk '
        { n += $2 }
        END { if (n < 1e6) { printf "%d kB", n / 1000 + 1 }
              else { printf "%.1f MB", n / 1e6 } }'
}

# fetch deb|source NAME[:ARCH][=VERSION]: the newest version that can be had,
# or just the one asked for.
fetch()
{
    name=${2%%=*}
    wanted=
    case $2 in
    *=*) wanted=${2#*=} ;;
    esac
    kind=Packages
    [ "$1" = deb ] || kind=Sources
    list=$(versions "$name" $kind)
    if [ -z "$list" ] && [ -z "$offline$updated" ]; then
        update
        list=$(versions "$name" $kind)
    fi
    [ -n "$list" ] || die "no package $name in the lists of $suite ($lists)"
    if [ -n "$wanted" ]; then
        printf '%s\n' "$list" | grep -qxF -e "$wanted" ||
            die "$suite has no version $wanted of $name, only:" $list
        list=$wanted
    fi
    newest=${list%%
*}
    why=
    for v in $list; do
        d=$(describe "$1" "$name=$v")
        if ! in_pool "$d"; then
            if [ -n "$offline" ]; then
                why="offline, and not in $pool"
                continue
            fi
            room $(($(printf '%s\n' "$d" |
                awk '{ n += $2 } END { print int(n / 1e6) }') + 20)) "$name"
            say "fetching $name $v ($(human "$d"))"
            get_one "$1" "$name=$v" || {
                say "$name $v of $suite cannot be had: $why"
                continue
            }
        fi
        [ "$v" = "$newest" ] ||
            say "NOTE: $name is $v, not the newest listed $newest"
        place
        return 0
    done
    return 1
}

# As fetch; when every listed version fails, the lists may be old: once more
# with new ones.
fetch_or_die()
{
    fetch "$1" "$2" && return
    if [ -z "$offline$updated" ]; then
        update
        fetch "$1" "$2" && return
    fi
    die "cannot fetch $2 of $suite from $mirror into $pool: $why"
}

# ---- main ----------------------------------------------------------------

state=
offline=
updated=
while [ $# -gt 0 ]; do
    case $1 in
    --state) [ $# -gt 1 ] || bad_usage "--state needs a folder"
             state=$2
             shift ;;
    --state=*) state=${1#*=} ;;
    --offline) offline=1 ;;
    -h | --help) usage
                 exit 0 ;;
    -*) bad_usage "unknown option $1" ;;
    *) break ;;
    esac
    shift
done
[ -n "$state" ] || bad_usage "--state DIR is needed"
[ $# -ge 2 ] || bad_usage "SUITE and COMMAND are needed"
suite=$1
command=$2
shift 2
case $suite in
*[!a-z0-9.+-]* | '') bad_usage "'$suite' is no name of a suite" ;;
esac
top=$state/$suite

case $command in
update) [ $# -eq 0 ] || bad_usage "update takes no argument" ;;
download) [ $# -ge 2 ] || bad_usage "download needs OUTDIR and PKG" ;;
source) [ $# -eq 2 ] || bad_usage "source needs OUTDIR and SRCPKG" ;;
versions | depends) [ $# -eq 1 ] || bad_usage "$command needs one PKG" ;;
*) bad_usage "unknown command $command" ;;
esac

setup
state=$(cd "$state" && pwd)
part=$pool/.part-$$
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
clean_old

case $command in
update)
    if [ -n "$offline" ]; then
        need_lists
    else
        update
    fi ;;
versions | depends)
    need_lists
    out=$($command "$1")
    if [ -z "$out" ] && [ "$command" = versions ]; then
        die "no package $1 in the lists of $suite ($lists)"
    fi
    printf '%s\n' "$out" ;;
download | source)
    need_lists
    outdir=$1
    shift
    mkdir -p "$outdir" 2>/dev/null || die "cannot make the folder $outdir"
    what=deb
    [ "$command" = download ] || what=source
    for p in "$@"; do
        fetch_or_die $what "$p"
    done ;;
esac
