# TAP 13 for tests in POSIX sh: source it, then call the functions below.
#   tap_begin [PLANNED]         version line, and the plan if it is known
#   ok STATUS NAME              passes when STATUS is 0
#   is GOT WANT NAME            passes when the strings are equal
#   like TEXT PATTERN NAME      passes when a line of TEXT matches (grep -E)
#   skip COUNT WHY ; skip_all WHY ; bail WHY ; diag TEXT...
#   tap_done                    ends the program: 0, 1, or 99 (plan not kept)
# The exit status of a check is whether it passed.
# SPDX-License-Identifier: GPL-2.0-or-later

tap_made=0
tap_failed=0
tap_planned=0

tap_begin() {
    tap_planned=${1:-0}
    echo "TAP version 13"
    if [ "$tap_planned" -gt 0 ]; then
        echo "1..$tap_planned"
    fi
}

diag() {
    printf '%s\n' "$*" | sed 's/^/# /'
}

ok() {
    tap_made=$((tap_made + 1))
    if [ "$1" -eq 0 ]; then
        printf 'ok %d - %s\n' "$tap_made" "$2"
        return 0
    fi
    tap_failed=$((tap_failed + 1))
    printf 'not ok %d - %s\n' "$tap_made" "$2"
    return 1
}

is() {
    if [ "$1" = "$2" ]; then
        ok 0 "$3"
        return 0
    fi
    ok 1 "$3"
    diag "got:  $1"
    diag "want: $2"
    return 1
}

like() {
    if printf '%s\n' "$1" | grep -E -q -e "$2"; then
        ok 0 "$3"
        return 0
    fi
    ok 1 "$3"
    diag "pattern: $2"
    diag "text:    $1"
    return 1
}

skip() {
    tap_left=$1
    while [ "$tap_left" -gt 0 ]; do
        tap_made=$((tap_made + 1))
        printf 'ok %d # SKIP %s\n' "$tap_made" "$2"
        tap_left=$((tap_left - 1))
    done
}

skip_all() {
    printf 'TAP version 13\n1..0 # SKIP %s\n' "$1"
    exit 0
}

bail() {
    printf 'Bail out! %s\n' "$1"
    exit 99
}

tap_done() {
    if [ "$tap_planned" -eq 0 ]; then
        echo "1..$tap_made"
    elif [ "$tap_made" -ne "$tap_planned" ]; then
        diag "planned $tap_planned checks, made $tap_made"
        exit 99
    fi
    if [ "$tap_made" -eq 0 ]; then
        exit 99
    fi
    if [ "$tap_failed" -gt 0 ]; then
        diag "$tap_failed of $tap_made checks failed"
        exit 1
    fi
    exit 0
}
