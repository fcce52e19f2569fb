#!/bin/sh
# The ground-truth suite: every instruction that a CPU executed while its unit
# was on is what decodes from the trace. TAP.
#
#   tests/truth/truth.sh [-g GROUP] [-m MILLIONS] [-s SEED] [-n COUNT] [-l]
#
# Runs the boots of GROUP (check) of tests/truth/cases; with -m again and
# again, each time with other seeds, until that many millions of instructions
# have been compared. SEED (1) is the first seed of the guests' random numbers
# and of the random programs, of which -n makes COUNT a boot (-g random1 -s 77
# -n 1: the program of seed 77); -l lists the boots and ends.
# From the top folder, after make all.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh

group=check
millions=0
seed=${CSVIRT_SEED:-1}
list=
only=
while getopts g:m:s:n:l o; do
    case $o in
    g) group=$OPTARG ;;
    m) millions=$OPTARG ;;
    s) seed=$OPTARG ;;
    n) only=$OPTARG ;;
    l) list=1 ;;
    *) echo "usage: truth.sh [-g GROUP] [-m MILLIONS] [-s SEED] [-n COUNT]" \
           "[-l]" >&2
       exit 2 ;;
    esac
done
here=tests/truth
sum=0
lost=0
programs=0

# One line a boot of the group: NAME OPTIONS; its sessions in NAME.list, one for
# each of {A|B|C}; the number of a line "level" in NAME.level.
awk -v group="$group" -v dir="$tmp" '
    function each(text,    head, tail, part, n, i) {
        if (!match(text, /[{][^}]*[}]/)) {
            print text >file
            return
        }
        head = substr(text, 1, RSTART - 1)
        tail = substr(text, RSTART + RLENGTH)
        n = split(substr(text, RSTART + 1, RLENGTH - 2), part, "|")
        for (i = 1; i <= n; i++) {
            each(head part[i] tail)
        }
    }
    /^ *#/ || /^$/ { next }
    $1 == "boot" {
        n = split($3, g, ",")
        mine = $2 == group
        for (i = 1; i <= n; i++) {
            mine = mine || g[i] == group
        }
        file = dir "/" $2 ".list"
        level = dir "/" $2 ".level"
        if (mine) {
            sub(/^boot +/, "")
            sub(/ +[^ ]+/, "")
            print
        }
        next
    }
    mine && $1 == "level" { print $2 >level; next }
    mine { sub(/^ +/, ""); each($0) }' $here/cases >"$tmp/boots"
if [ -n "$list" ]; then
    cat "$tmp/boots"
    exit 0
fi

# random_programs NAME: the archive that its sessions want; sets count.
random_programs()
{
    count=$(sed -n 's/^random \([0-9]*\) .*/\1/p' "$tmp/$1.list" | head -n 1)
    [ -n "$count" ] || return 0
    count=${only:-$count}
    mkdir "$tmp/r" && $tools/randprog -n "$count" \
        -s $((seed + programs)) "$tmp/r" \
        >"$tmp/randprog.out" && (cd "$tmp/r" && tar -cf ../random.tar p*) &&
        mv "$tmp/random.tar" "$tmp/$1.tar" || bail "no random programs"
    diag "$(cat "$tmp/randprog.out")"
}

# The log has as many instructions of each program as the interpreter says.
# An exclusive that an exception interrupts is tried again, four instructions.
right_counts()
{
    $tools/logcount -l -a 28 -e 0 "$tmp/$1.log" | awk '
        NR == FNR { got[$1] = $3; next }
        { more = got[$3] - $4
          if (more && !($5 && more > 0 && more % 4 == 0)) {
              bad = 1
              print "#   seed " $2 ": " got[$3] + 0 " in the log, " $4 \
                  " by the interpreter"
          } }
        END { exit bad }' - "$tmp/r/list.tsv"
}

random_checks()
{
    grep -q '^check ok random' "$tmp/$1.out" || return
    cmp -s "$tmp/r/expected" "$tmp/$1.random"
    ok $? "$1: $count random programs compute what the interpreter says"
    right_counts "$1"
    ok $? "$1: the log has the instructions that the interpreter counts"
    programs=$((programs + count))
}

# The kernel runs at the Exception level that the boot is there for.
level_check()
{
    [ -e "$tmp/$1.level" ] || return
    level=$(cat "$tmp/$1.level")
    got=$($tools/logcount -e "$level" "$tmp/$1.log")
    [ "${got:-0}" -gt 100000 ]
    ok $? "$1: the kernel is at EL$level: $got instructions"
}

# run_boot NAME OPTIONS...: the sessions of NAME.list in one guest.
run_boot()
{
    name=$1
    shift
    count=
    random_programs "$name"
    files="$here/in/cases.sh $tmp/$name.list:/root/cases.list"
    [ -z "$count" ] || files="$files $tmp/$name.tar:/root/random.tar"
    copies $(sed -n 's/.*-- \.\/\([a-z]*\).*/\1/p' "$tmp/$name.list" | sort -u)
    for f in $files; do
        copies="$copies --copy $f"
    done
    [ -z "$count" ] ||
        copies="$copies --pull /tmp/random.out:$tmp/$name.random"
    # shellcheck disable=SC2086 # options
    guest "$name" "$@" ${CSVIRT_QEMU:+--qemu "$CSVIRT_QEMU"} \
        --seed "$seed" --fail-on-warn $copies \
        --snapshot "$tmp/$name.snap" --exec-log "$tmp/$name.log" \
        --exec 'sh cases.sh'
    is "$status" 0 "$name: the run ends well (seed $seed)" || why "$name"
    absent=$(grep -c '^absent ' "$tmp/$name.out")
    sed -n 's/^absent /# not offered by the unit: /p' "$tmp/$name.out"
    take_checks "$name" $(($(wc -l <"$tmp/$name.list") + 1 - absent))
    [ -z "$count" ] || random_checks "$name"
    verify_ok "$name" "$name"
    level_check "$name"
    sum=$((sum + compared))
    case $skipped in
    *[!0-9]*) ;;
    *) lost=$((lost + skipped)) ;;
    esac
    [ -n "${KEEP:-}" ] ||
        rm -rf "$tmp/$name.snap" "$tmp/$name.log" "$tmp/$name.tar"
    rm -rf "$tmp/r"
}

[ -s "$tmp/boots" ] || bail "no boot of group $group"
[ -x $tools/randprog ] || bail "no $tools/randprog: run make $tools/randprog"
need_kernel debian:trixie
tap_begin
while :; do
    before=$sum
    while read -r line; do
        kernel=${line#*--kernel }
        if ! have_kernel "${kernel%% *}" </dev/null; then
            skip 1 "${line%% *}: $image_err"
            continue
        fi
        eval "run_boot $line" </dev/null
    done <"$tmp/boots"
    [ $sum -lt $((millions * 1000000)) ] && [ $sum -gt "$before" ] || break
    seed=$((seed + 10000))
done
[ $sum -ge $((millions * 1000000)) ]
ok $? "$sum instructions compared, $lost skipped, $programs random programs"
# A sink that one CPU stops while another begins captures nothing of that one:
# so the driver does it. It may not become the rule.
[ $((lost * 10)) -lt $sum ] || [ $lost -eq 0 ]
ok $? "fewer than one in ten skipped"
tap_done
