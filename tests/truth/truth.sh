    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"#!/bin/sh
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"# The ground-truth suite: every instruction that a CPU executed while its unit
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"# was on is what decodes from the trace. TAP.
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"#
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"#   tests/truth/truth.sh [-g GROUP] [-m MILLIONS] [-s SEED] [-n COUNT] [-l]
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"#
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"# Runs the boots of GROUP (check) of tests/truth/cases; with -m again and
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"# again, each time with other seeds, until that many millions of instructions
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"# have been compared. SEED (1) is the first seed of the guests' random numbers
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"# and of the random programs, of which -n makes COUNT a boot (-g random1 -s 77
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"# -n 1: the program of seed 77); -l lists the boots and ends.
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"# From the top folder, after make all.
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"#
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"# SPDX-License-Identifier: GPL-2.0-or-later
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar". tests/lib/guest.sh
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"group=check
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"millions=0
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"seed=${CSVIRT_SEED:-1}
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"list=
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"only=
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"while getopts g:m:s:n:l o; do
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    case $o in
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    g) group=$OPTARG ;;
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    m) millions=$OPTARG ;;
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    s) seed=$OPTARG ;;
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    n) only=$OPTARG ;;
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    l) list=1 ;;
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    *) echo "usage: truth.sh [-g GROUP] [-m MILLIONS] [-s SEED] [-n COUNT]" \
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"           "[-l]" >&2
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"       exit 2 ;;
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    esac
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"done
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"here=tests/truth
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"sum=0
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"lost=0
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"programs=0
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"# One line a boot of the group: NAME OPTIONS, and its sessions in NAME.list.
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"awk -v group="$group" -v dir="$tmp" '
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    /^ *#/ || /^$/ { next }
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    $1 == "boot" {
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        n = split($3, g, ",")
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        mine = $2 == group
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        for (i = 1; i <= n; i++) {
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"            mine = mine || g[i] == group
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        }
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        file = dir "/" $2 ".list"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        if (mine) {
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"            sub(/^boot +/, "")
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"            sub(/ +[^ ]+/, "")
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"            print
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        }
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        next
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    }
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    mine { sub(/^ +/, ""); print >file }' $here/cases >"$tmp/boots"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"if [ -n "$list" ]; then
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    cat "$tmp/boots"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    exit 0
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"fi
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"# random_programs NAME: the archive that its sessions want; sets count.
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"random_programs()
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"{
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    count=$(sed -n 's/^random \([0-9]*\) .*/\1/p' "$tmp/$1.list" | head -n 1)
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    [ -n "$count" ] || return 0
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    count=${only:-$count}
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    mkdir "$tmp/r" && $tools/randprog -n "$count" \
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        -s $((seed + programs)) "$tmp/r" \
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        >"$tmp/randprog.out" && (cd "$tmp/r" && tar -cf ../random.tar p*) &&
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        mv "$tmp/random.tar" "$tmp/$1.tar" || bail "no random programs"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    diag "$(cat "$tmp/randprog.out")"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"}
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"# The log has as many instructions of each program as the interpreter says.
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"# An exclusive that an exception interrupts is tried again, four instructions.
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"right_counts()
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"{
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    $tools/logcount -l -a 28 -e 0 "$tmp/$1.log" | awk '
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        NR == FNR { got[$1] = $3; next }
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        { more = got[$3] - $4
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"          if (more && !($5 && more > 0 && more % 4 == 0)) {
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"              bad = 1
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"              print "#   seed " $2 ": " got[$3] + 0 " in the log, " $4 \
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"                  " by the interpreter"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"          } }
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        END { exit bad }' - "$tmp/r/list.tsv"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"}
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"random_checks()
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"{
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    grep -q '^check ok random' "$tmp/$1.out" || return
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    cmp -s "$tmp/r/expected" "$tmp/$1.random"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    ok $? "$1: $count random programs compute what the interpreter says"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    right_counts "$1"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    ok $? "$1: the log has the instructions that the interpreter counts"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    programs=$((programs + count))
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"}
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"# run_boot NAME OPTIONS...: the sessions of NAME.list in one guest.
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"run_boot()
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"{
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    name=$1
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    shift
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    count=
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    random_programs "$name"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    files="$here/in/cases.sh $tmp/$name.list:/root/cases.list"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    [ -z "$count" ] || files="$files $tmp/$name.tar:/root/random.tar"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    copies $(sed -n 's/.*-- \.\/\([a-z]*\).*/\1/p' "$tmp/$name.list" | sort -u)
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    for f in $files; do
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        copies="$copies --copy $f"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    done
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    [ -z "$count" ] ||
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        copies="$copies --pull /tmp/random.out:$tmp/$name.random"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    # shellcheck disable=SC2086 # options
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    guest "$name" "$@" ${CSVIRT_QEMU:+--qemu "$CSVIRT_QEMU"} \
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        --seed "$seed" --fail-on-warn $copies \
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        --snapshot "$tmp/$name.snap" --exec-log "$tmp/$name.log" \
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        --exec 'sh cases.sh'
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    is "$status" 0 "$name: the run ends well (seed $seed)" || why "$name"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    absent=$(grep -c '^absent ' "$tmp/$name.out")
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    sed -n 's/^absent /# not offered by the unit: /p' "$tmp/$name.out"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    take_checks "$name" $(($(wc -l <"$tmp/$name.list") + 1 - absent))
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    [ -z "$count" ] || random_checks "$name"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    verify_ok "$name" "$name"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    sum=$((sum + compared))
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    case $skipped in
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    *[!0-9]*) ;;
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    *) lost=$((lost + skipped)) ;;
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    esac
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"|| rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    rm -rf "$tmp/r"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"}
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"[ -s "$tmp/boots" ] || bail "no boot of group $group"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"[ -x $tools/randprog ] || bail "no $tools/randprog: run make $tools/randprog"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"need_kernel debian:trixie
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"tap_begin
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"while :; do
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    before=$sum
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    while read -r line; do
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        kernel=${line#*--kernel }
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        if ! have_kernel "${kernel%% *}" </dev/null; then
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"            skip 1 "${line%% *}: $image_err"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"            continue
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        fi
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"        eval "run_boot $line" </dev/null
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    done <"$tmp/boots"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    [ $sum -lt $((millions * 1000000)) ] && [ $sum -gt "$before" ] || break
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"    seed=$((seed + 10000))
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"done
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"[ $sum -ge $((millions * 1000000)) ]
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"ok $? "$sum instructions compared, $lost skipped, $programs random programs"
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"tap_done
