# In the guest: runs perf's own shell tests by the names of their files.
#
# usage: in-guest.sh SECONDS NAME...
#   One line a test: "suite ok|skip|FAIL|late NAME SECONDS"; after a test that
#   did not pass, what it printed, as lines "note ...".
#
# SPDX-License-Identifier: GPL-2.0-or-later
limit=$1
shift
shell=/usr/lib/perf-core/tests/shell
PERF_EXEC_PATH=/usr/lib/perf-core
mkdir -p /tmp/bin
for name in sleep perf; do
    cp "/root/$name.sh" "/tmp/bin/$name"
    chmod 755 "/tmp/bin/$name"
done
PATH=/tmp/bin:$PATH
export PERF_EXEC_PATH PATH
cd /tmp || exit 1

now()
{
    cut -d . -f 1 /proc/uptime
}

# What perf test calls a script: its second line, without what is for perf.
title_of()
{
    sed -n '2{s/^# *//; s/ *(exclusive) *$//; p;}' "$1"
}

# The verdict is the end of a line that begins with the number and the title.
verdict_of()
{
    grep -a -F "$1" "$2" | sed -n \
        -e 's/^ *[0-9]*: .*: Ok *$/ok/p' \
        -e 's/^ *[0-9]*: .*: Skip.*$/skip/p' \
        -e 's/^ *[0-9]*: .*: FAILED!.*$/FAIL/p' | tail -n 1
}

for name; do
    file=$shell/coresight/$name.sh
    [ -f "$file" ] || file=$shell/$name.sh
    if [ ! -f "$file" ]; then
        echo "suite FAIL $name 0"
        echo "note no $name.sh below $shell"
        continue
    fi
    title=$(title_of "$file")
    begin=$(now)
    timeout "$limit" perf test -vv "$title" >/tmp/suite.log 2>&1
    seconds=$(($(now) - begin))
    verdict=$(verdict_of "$title" /tmp/suite.log)
    [ -n "$verdict" ] || verdict=FAIL
    [ "$verdict" = ok ] || [ $seconds -lt "$limit" ] || verdict=late
    echo "suite $verdict $name $seconds"
    grep -a -E ': (PASS|FAIL)$' /tmp/suite.log | sed 's/^/note /'
    [ "$verdict" = ok ] || tail -n 40 /tmp/suite.log | sed 's/^/note   /'
    rm -rf /tmp/perf-* /tmp/__perf* /tmp/suite.log
done
dmesg | grep -a -E 'WARNING:|BUG:|Oops|Call trace' | sed 's/^/suite kernel /'
