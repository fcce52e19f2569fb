#!/bin/sh
# tests/lint/lint.sh on a small tree: passes a clean one, and sees each kind
# of violation put into it.
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/tap/tap.sh

t=$(mktemp -d) || bail "no temporary folder"
trap 'rm -rf "$t"' EXIT
tap_begin
mkdir -p "$t/tests/lint" "$t/models" "$t/board" "$t/hw" "$t/cli" "$t/guest"
spdx='SPDX-License-Identifier: GPL-2.0-or-later'
cp tests/lint/lint.sh "$t/tests/lint/"
echo 'MODELS_SRC += m.c' >"$t/models/sources.mk"
for d in board hw cli; do
    : >"$t/$d/sources.mk"
done
printf '/* %s */\n#include <stdint.h>\nuint32_t m_next(uint32_t x);\n' \
    "$spdx" >"$t/models/m.h"
printf '/* %s */\n#include "m.h"\n\n%s\n{\n    return x + 1;\n}\n' "$spdx" \
    'uint32_t m_next(uint32_t x)' >"$t/models/m.c"
printf '#!/bin/sh\n# %s\necho a\n' "$spdx" >"$t/guest/s.sh"
chmod +x "$t/guest/s.sh"

lint()
{
    out=$(sh "$t/tests/lint/lint.sh" 2>&1)
    rc=$?
}

# sees WHAT PATTERN FILE LINE...: the lines at the end of FILE are a violation.
sees()
{
    what=$1
    pattern=$2
    file=$t/$3
    shift 3
    had=
    [ ! -e "$file" ] || cp -p "$file" "$t.kept" && had=1
    printf '%s\n' "$@" >>"$file"
    lint
    is "$rc" 1 "$what: exit status"
    like "$out" "$pattern" "$what: named"
    if [ -e "$t.kept" ]; then
        mv "$t.kept" "$file"
    else
        rm "$file"
    fi
}

lint
is "$rc" 0 "a clean tree" || diag "$out"
long=$(printf '%0110d' 0)
sees "long line" 'models/m.c:8: longer than 100' models/m.c "/* $long */"
sees "space at the end" 'models/m.c:8:.*space at the end' models/m.c '/* */ '
sees "tab" 'models/m.c:8:.*tab' models/m.c "$(printf '/*\t*/')"
sees "unfinished" 'models/m.h:4:.*unfinished' models/m.h '/* TO''DO */'
sees "no licence" 'cli/x.h: no SPDX line' cli/x.h 'struct x;'
sees "Python" 'guest/x.py: Python' guest/x.py 'print()'
sees "Python by its first line" 'guest/x: Python' guest/x '#!/usr/bin/python3'
sees "host name" 'guest/s.sh:4:.*name of a host' guest/s.sh \
    'echo deb.debian.''org'
sees "bash" 'guest/s.sh:4:.*not POSIX sh' guest/s.sh 'if [[ a ]]; then b; fi'
sees "bad sh" 'guest/s.sh: .*dash -n' guest/s.sh 'if a; then'
sees "sleep" 'guest/s.sh:4:.*sleep' guest/s.sh 'sleep 5'
sees "include upwards" 'models/m.c:8:.*models include' models/m.c \
    '#include <glib.h>'
sees "a call" 'models/m.c:8:.*banned call in models' models/m.c \
    'int f(void) { return rand(); }'
sees "not listed" 'models/n.c: not in models/sources.mk' models/n.c \
    "/* $spdx */" 'typedef int n;'
sees "listed, not there" 'models/sources.mk: q.c: listed, not there' \
    models/sources.mk 'MODELS_SRC += q.c'
sees "header that needs help" 'uint8_t.*compile' models/h.h "/* $spdx */" \
    'uint8_t h(void);'
sees "warning" 'unused.*compile' models/m.c 'static int u(void) { return 1; }'
sees "sprintf" 'cli/c.c:2:.*banned call' cli/c.c "/* $spdx */" \
    'int c(char *s) { return sprintf(s, "a"); }'
mkdir "$t/tests/models"
sees "test without a plan" 'tests/models/x-test.c: no TAP plan' \
    tests/models/x-test.c "/* $spdx */" 'int main(void) { return 0; }'
lint
is "$rc" 0 "the clean tree again"
tap_done
