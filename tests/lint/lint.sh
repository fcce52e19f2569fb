#!/bin/sh
# Style and layering of the tree's tracked files. Prints FILE:LINE: what for
# each violation; exit status 1 if there is one. Warnings do not count.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -u
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/../.." || exit 2
CC=${CC:-gcc}
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
: >"$out/bad"

# bad: violations on stdin, one a line; $1 says what is wrong with them.
bad()
{
    sed "s|\$|: $1|" >>"$out/bad"
}

if [ -e .git ]; then
    git ls-files
else
    find . -name build -prune -o -type f -print | sed 's|^\./||'
fi | while read -r f; do
    [ -f "$f" ] && [ ! -L "$f" ] && echo "$f"
done >"$out/files"

# those EXPRESSION: tracked files whose name matches.
those()
{
    grep -E "$1" "$out/files"
}

# in_files EXPRESSION GREP-ARGUMENT...: grep -n over those files.
in_files()
{
    e=$1
    shift
    those "$e" | xargs -r grep -nHE "$@" | cut -c1-160
}

is_script()
{
    head -n 1 "$1" | grep -q '^#!.*sh\>'
}
those '(\.sh|\.t|^configure|^\.ci/[^.]*)$' >"$out/maybe"
while read -r f; do
    if is_script "$f" || [ "${f%.sh}" != "$f" ]; then
        echo "$f"
    fi
done <"$out/maybe" >"$out/scripts"

# ---- text ----------------------------------------------------------------
code='\.(c|h|sh|t|mk|S|build)$|^Makefile$|^configure$|^\.ci/'
those "$code" | while read -r f; do
    expand "$f" | awk -v f="$f" '
        length($0) > 100 { print "bad " f ":" NR }
        length($0) > 80 && length($0) <= 100 { n++ }
        END { if (n) { print "warn " f " " n } }'
done >"$out/length"
sed -n 's/^bad //p' "$out/length" | bad "longer than 100 columns"
sed -n 's/^warn \(.*\) \(.*\)/lint: warning: \1: \2 lines over 80 columns/p' \
    "$out/length"
those '\.(c|h)$' | xargs -r wc -l | awk '
    $2 != "total" && $1 > 600 {
        print "lint: warning: " $2 ": " $1 " lines, over 600" }'
in_files "$code" '[[:space:]]$' | bad "space at the end of the line"
tab=$(printf '\t')
in_files '\.(c|h|sh|t)$|^configure$' "$tab" | bad "tab"
in_files "$code" '\<(TO''DO|FIX''ME|XX''X)\>' | bad "unfinished"
those '\.(c|h|sh|t|S)$|^Makefile$|^configure$|^\.ci/' |
    xargs -r grep -L 'SPDX-License-Identifier: GPL-2.0-or-later' |
    bad "no SPDX line"
those '\.(py|pyc|pyi)$' | bad "Python"
those . | xargs -r grep -lIE '^#!.*python' | bad "Python"
in_files . -I 'debian[.]org|kernel[.]org/debian' | bad "name of a host"
in_files . -I '/(work)/(main|shared)|/tmp/(ref)/|/(root)/\.(cargo|cache|pyenv)' |
    grep -v '^guest/' | bad "path of one machine"

# ---- scripts -------------------------------------------------------------
while read -r f; do
    [ ! -x "$f" ] || head -n 1 "$f" | grep -qE '^#!/bin/sh( -[eu]+)?$' ||
        echo "$f:1" | bad "not #!/bin/sh"
    dash -n "$f" 2>&1 | sed "s|^|$f: |" | bad "dash -n"
done <"$out/scripts"
posix='((^|[;&|!] *|if |while |do )\[\[ |\<(local|declare) '
posix="$posix|\\<function [a-z_]+ *\\{|\\$\\(\\(.*\\+\\+)"
xargs -r grep -nHE "^[^#\"]*$posix" <"$out/scripts" | bad "not POSIX sh"
# Short ones between two looks at a condition are fine.
xargs -r grep -nHE '^[[:space:]]*sleep [1-9]' <"$out/scripts" |
    bad "sleep: wait for a condition"

# ---- layers --------------------------------------------------------------
libc='assert|ctype|errno|inttypes|limits|stdarg|stdbool|stddef|stdint'
libc="$libc|stdlib|string"
in_files '^models/.*\.[ch]$' '^[[:space:]]*#[[:space:]]*include' |
    grep -vE "<($libc)\.h>|\"[a-z0-9_]+\.h\"" | bad "models include"
in_files '^models/.*\.[ch]$' '#[[:space:]]*include "' |
    sed 's/^\([^:]*:[0-9]*\):.*"\(.*\)".*/\1 \2/' | while read -r w h; do
        [ -f "models/$h" ] || echo "$w"
    done | bad "models include only models"
banned='s?printf|vsprintf|fprintf|puts|rand|random|srand|time|clock'
banned="$banned|gettimeofday|clock_gettime|malloc|calloc|realloc|free"
banned="$banned|exit|abort|strcpy|strcat|gets"
# Comments do not call.
those '^models/.*\.[ch]$' | while read -r f; do
    awk -v f="$f" -v re="(^|[^a-z_0-9>.])($banned)[ ]*[(]" '
        {
            line = $0
            while (1) {
                if (in_c) {
                    e = index(line, "*/")
                    if (!e) { line = ""; break }
                    line = substr(line, e + 2); in_c = 0
                }
                s = index(line, "/*")
                if (!s) { break }
                head = substr(line, 1, s - 1)
                rest = substr(line, s + 2)
                e = index(rest, "*/")
                if (!e) { line = head; in_c = 1; break }
                line = head " " substr(rest, e + 2)
            }
            gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
            if (line ~ re) { print f ":" NR ":" $0 }
        }' "$f"
done | bad "banned call in models"
in_files '^(hw|board|cli|tests|guest)/.*\.[ch]$' \
    '(^|[^a-z_0-9>.])(sprintf|vsprintf|gets) *\(' |
    bad "banned call"
qemu_c=" $(sed -n 's/^BOARD_QEMU_SRC += *//p' board/sources.mk |
    tr '\n' ' ') machine.h wire.h "
in_files '^board/.*\.[ch]$' '#[[:space:]]*include "(qemu|hw|exec|qapi|qom)/' |
    while IFS=: read -r f n _; do
        case "$qemu_c" in
        *" ${f#board/} "*) ;;
        *) echo "$f:$n" ;;
        esac
    done | bad "board sees QEMU"
in_files '^tests/oracle/.*\.[ch]$' '#[[:space:]]*include "(\.\./)*(\.\./)?models/' |
    bad "an oracle sees the models"

# ---- lists ---------------------------------------------------------------
for d in models board hw cli; do
    sed -n 's/^[A-Z_]*SRC += *//p' $d/sources.mk |
        tr ' ' '\n' | sort >"$out/listed"
    (cd $d && ls ./*.c 2>/dev/null) | sed 's|^\./||' | sort >"$out/there"
    comm -23 "$out/listed" "$out/there" |
        sed "s|^|$d/sources.mk: |" | bad "listed, not there"
    comm -13 "$out/listed" "$out/there" | sed "s|^|$d/|" |
        bad "not in $d/sources.mk"
done
those '^tests/.*-test\.c$' | xargs -r grep -LE '\<(plan|tap_plan|tap_begin|skip_all)\>|1\.\.' |
    bad "no TAP plan"
those '^tests/.*\.t$' | xargs -r grep -LE '\<(plan|tap_begin|skip_all)\>|1\.\.' | bad "no TAP plan"
those '^tests/.*\.t$' | while read -r f; do
    [ -x "$f" ] || echo "$f"
done | bad "not executable"

# ---- compiling -----------------------------------------------------------
warn='-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla'
glib=$(pkg-config --cflags glib-2.0 2>/dev/null)

# alone FILE FLAGS...: a header or source that must compile without help.
alone()
{
    f=$1
    shift
    # shellcheck disable=SC2086
    $CC -x c -std=c11 -D_GNU_SOURCE -c -o /dev/null -I. $warn -Werror "$@" \
        "$f" >"$out/cc" 2>&1 ||
        grep -E 'error|warning' "$out/cc" | head -n 3 | bad "compile"
}
those '^models/.*\.[ch]$' | while read -r f; do
    case $f in
    *.h) echo "#include \"$f\"" >"$out/alone.c"
         alone "$out/alone.c" -Wconversion ;;
    *) alone "$f" -Wconversion ;;
    esac
done
those '^(board|cli)/.*\.[ch]$' | while read -r f; do
    case "$qemu_c" in
    *" ${f#board/} "*) continue ;;
    esac
    inc=
    [ ! -d build/opencsd/include ] || inc="-isystem build/opencsd/include"
    case $f in
    cli/*) [ -n "$inc" ] || continue ;;
    esac
    s=$f
    if [ "${f%.h}" != "$f" ]; then
        echo "#include \"$f\"" >"$out/alone.c"
        s=$out/alone.c
    fi
    # shellcheck disable=SC2086
    alone "$s" $glib $inc
done
# Headers of hw/ and of the machine want QEMU's flags: those of pe_tap.c.
obj=build/qemu/obj
if cmd=$(ninja -C $obj -t commands qemu-system-aarch64 2>/dev/null |
    grep 'csvirt/hw/pe_tap\.c$'); then
    those '^(hw/.*|board/(machine|wire))\.h$' | while read -r f; do
        printf '#include "qemu/osdep.h"\n#include "csvirt/%s"\n' "$f" \
            >"$out/alone.c"
        flags=$(echo "$cmd" |
            sed 's/^.*\(gcc\|cc\|clang\) //; s/-MD .*//')
        (cd $obj && eval "$CC $flags -fsyntax-only $out/alone.c") \
            >"$out/cc" 2>&1 || grep error "$out/cc" | head -n 3 |
            sed "s|^|$f: |" | bad "does not compile alone"
    done
else
    echo "lint: note: hw/ headers not compiled: no emulator is built here"
fi

if [ -s "$out/bad" ]; then
    sort -u "$out/bad" >&2
    echo "lint: $(sort -u "$out/bad" | wc -l) violations" >&2
    exit 1
fi
echo "lint: clean ($(wc -l <"$out/files") files)"
