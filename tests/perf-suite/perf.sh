#!/bin/sh
# In the guest, as "perf" ahead in PATH: a snapshot without -m gets -m,128K, as
# perf's test has it since 7.x. The older test leaves root's default, 4 MiB a
# CPU, whose branches an emulated perf prints for hours.
#
# SPDX-License-Identifier: GPL-2.0-or-later
case " $* " in
*' record '*' -S '*' -m'* | *' record '*' -m'*' -S '*) ;;
*' record '*' -S '*)
    count=$#
    for word; do
        set -- "$@" "$word"
        [ "$word" != -S ] || set -- "$@" -m,128K
    done
    shift "$count" ;;
esac
exec /usr/bin/perf "$@"
