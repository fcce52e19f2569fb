# What all acceptance scripts share: one TAP line an item, with its figure.
# Sourced from the top folder, after tests/lib/guest.sh.
#
# A script sets items, has item NAME, and calls accept "$@". An item sets
# figure, or skipping to say why it cannot be run here; its checks are ok, is
# and failed below, which print comments: one line an item counts.
#
# SPDX-License-Identifier: GPL-2.0-or-later

ok()
{
    if [ "$1" -eq 0 ]; then
        diag "  ok - $2"
        return 0
    fi
    diag "  NOT OK - $2"
    bad=$((bad + 1))
    return 1
}

is()
{
    [ "$1" = "$2" ]
    ok $? "$3" || { diag "  got:  $1"; diag "  want: $2"; return 1; }
}

# failed TEXT: a check that has no other form.
failed()
{
    ok 1 "$*"
}

# suite_of ITEM: its kernel, by the end of its name.
suite_of()
{
    case $1 in
    *7.x) echo debian:trixie-backports ;;
    *) echo debian:trixie ;;
    esac
}

# suite WHAT COMMAND...: a test script of its own; its failures and what it
# skipped become comments, its output is $tmp/suite.out.
suite()
{
    suite_what=$1
    shift
    "$@" >"$tmp/suite.out" 2>"$tmp/suite.err"
    suite_status=$?
    passed=$(grep '^ok ' "$tmp/suite.out" | grep -c -v '# SKIP')
    skipped=$(grep '^ok ' "$tmp/suite.out" | grep -c '# SKIP')
    grep -E '^not ok |# SKIP|^Bail out' "$tmp/suite.out" | sed 's/^/#   /'
    [ $suite_status -eq 0 ] && [ "$passed" -gt 0 ] &&
        grep -q '^1\.\.' "$tmp/suite.out" &&
        ! grep -q -E '^(not ok|Bail out)' "$tmp/suite.out"
    ok $? "$suite_what: $passed checks passed, $skipped skipped" ||
        tail -n 5 "$tmp/suite.err" | sed 's/^/#   /'
}

accept_wanted()
{
    [ $# -gt 1 ] || return 0
    wanted=$1
    shift
    for w in "$@"; do
        case $wanted in
        "$w" | "$w"-*) return 0 ;;
        esac
    done
    return 1
}

accept_item()
{
    bad=0
    figure=
    skipping=
    began=$(date +%s)
    diag "$1"
    item "$1"
    tap_made=$((tap_made + 1))
    line="$tap_made - $1: $figure ($(($(date +%s) - began)) s)"
    if [ $bad -ne 0 ]; then
        echo "not ok $line: $bad checks failed"
        tap_failed=$((tap_failed + 1))
    elif [ -n "$skipping" ]; then
        echo "ok $tap_made - $1 # SKIP $skipping"
    else
        echo "ok $line"
    fi
}

# accept LETTER...: the items that begin with one of them; none: all.
accept()
{
    for w in "$@"; do
        printf '%s\n' $items | grep -q -E "^$w(-.*)?\$" || {
            echo "${0##*/}: no such letter: $w (there are: $items)" >&2
            exit 2
        }
    done
    tap_begin
    for i in $items; do
        if accept_wanted "$i" "$@"; then
            accept_item "$i"
        fi
    done
    tap_done
}
