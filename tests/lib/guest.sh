# What tests of a running guest share; source it from the top folder:
#   . tests/lib/guest.sh
#
#   need_kernel SPEC        the image is made from what is cached or fetched;
#                           else skip_all (with REQUIRE=guest: a failure)
#   have_kernel SPEC        the same question, as an exit status
#   guest NAME OPTION...    csvirt run with OPTIONs to its end. Sets status;
#                           its output is in $tmp/NAME.out, .err
#   take_checks NAME MANY   the lines "check ok|FAIL WHAT" of a guest's output
#                           as checks of ours, MANY of them expected
#   verify_ok NAME WHAT     csvirt verify of $tmp/NAME.snap and $tmp/NAME.log
#                           finds no mismatch; sets compared, skipped
#   why NAME                the end of its stderr as TAP diagnostics
#
# tmp is a folder that goes when the test ends (KEEP=1: stays). CSVIRT names
# another front end; CSVIRT_TIMEOUT the limit of one run in seconds.
#
# SPDX-License-Identifier: GPL-2.0-or-later

. tests/tap/tap.sh

csvirt=${CSVIRT:-build/csvirt}
# The guest's side, and programs of ours to trace.
in_guest=tests/guest/in
progs=build/guest/progs
tools=build/tests

for_tests=${TMPDIR:-/tmp}
tmp=$(mktemp -d "$for_tests/csvirt-test.XXXXXX") ||
    bail "no folder in $for_tests"

tests_end()
{
    if [ -n "${KEEP:-}" ]; then
        echo "# kept: $tmp"
    else
        rm -rf "$tmp"
    fi
}
trap tests_end EXIT
trap 'exit 130' HUP INT TERM

have_kernel()
{
    [ -x "$csvirt" ] || { image_err="no $csvirt: run make"; return 1; }
    for net in --offline ''; do
        # shellcheck disable=SC2086 # an option or nothing
        image_err=$(sh guest/image.sh --cache build/cache --bin build/guest \
            --apt-state build/apt $net "$1" 2>&1 >/dev/null) && return 0
        image_err=$(printf '%s\n' "$image_err" | tail -n 1)
    done
    return 1
}

need_kernel()
{
    have_kernel "$1" && return 0
    case " ${REQUIRE:-} " in
    *guest*) bail "$1: $image_err" ;;
    esac
    skip_all "$1: $image_err"
}

guest()
{
    guest_name=$1
    shift
    "$csvirt" run --offline --timeout "${CSVIRT_TIMEOUT:-600}" "$@" \
        >"$tmp/$guest_name.out" 2>"$tmp/$guest_name.err" </dev/null
    status=$?
}

why()
{
    diag "csvirt run: exit status $status"
    tail -n 12 "$tmp/$1.err" | sed 's/^/#   /'
}

take_checks()
{
    taken=0
    while IFS=' ' read -r word how what; do
        [ "$word" = check ] || continue
        taken=$((taken + 1))
        [ "$how" = ok ]
        ok $? "$1: $what"
    done <"$tmp/$1.out"
    is "$taken" "$2" "$1: every check of the guest was made" || why "$1"
    sed -n 's/^note /#   /p' "$tmp/$1.out"
}

verify_ok()
{
    "$csvirt" verify "$tmp/$1.snap" "$tmp/$1.log" >"$tmp/$1.verify" 2>&1
    verify_status=$?
    last=$(tail -n 1 "$tmp/$1.verify")
    compared=$(printf '%s\n' "$last" |
        sed -n 's/^verify: \([0-9]*\) instr.*/\1/p')
    skipped=$(printf '%s\n' "$last" | sed -n 's/.* \([0-9]*\) skipped.*/\1/p')
    compared=${compared:-0}
    skipped=${skipped:-unknown}
    [ $verify_status -eq 0 ] && [ "$compared" -gt 0 ] &&
        printf '%s\n' "$last" | grep -q ' 0 mismatches'
    ok $? "$2: $last" || tail -n 25 "$tmp/$1.verify" | sed 's/^/#   /'
}

# copies FILE...: sets copies to --copy options (no spaces in our names):
# common.sh, scripts of tests/guest/in (NAME.sh) and programs (NAME).
copies()
{
    copies="--copy $in_guest/common.sh"
    for c in "$@"; do
        case $c in
        *.sh) copies="$copies --copy $in_guest/$c" ;;
        *) copies="$copies --copy $progs/$c" ;;
        esac
    done
}

# links_of TOPOLOGY: the lines that common.sh's links() shall print.
links_of()
{
    while read -r from out to in; do
        echo "$from out:$out $to"
        echo "$to in:$in $from"
    done <"tests/data/links/$1" | LC_ALL=C sort
}

# got_links NAME: those that a guest's probe.sh has printed.
got_links()
{
    sed -n 's/^link //p' "$tmp/$1.out" | LC_ALL=C sort
}
