#!/bin/sh
# Stands in for the emulator: plays a guest by what $FAKE says, through the
# files that csvirt run gives it. FAKE is a list of words:
#   boot        console and control lines up to "start"
#   out=TEXT err=TEXT      the command's output
#   exit=N      the command ended
#   fail=TEXT   init gave up
#   console=FILE           a console log to add
#   pull=FILE   what the guest sends over csvirt.pull
#   hang        goes on for ever
#   die=SIGNAL  kills itself
#   status=N    its own exit status
# It writes its process ID to $FAKE_PID and its arguments to $FAKE_ARGS.
# SPDX-License-Identifier: GPL-2.0-or-later

[ -z "${FAKE_PID:-}" ] || echo $$ >"$FAKE_PID"
[ -z "${FAKE_ARGS:-}" ] || printf '%s\n' "$@" >"$FAKE_ARGS"
ctl= out= err= pull= console=
for a; do
    case $a in
    file,id=*)
        path=${a#*,path=}
        id=${a#file,id=}
        case ${id%%,*} in
        ctl) ctl=$path ;;
        out) out=$path ;;
        err) err=$path ;;
        pull) pull=$path ;;
        console) console=$path ;;
        esac ;;
    esac
done
for word in $FAKE; do
    value=${word#*=}
    case $word in
    boot)
        printf '[    0.000000] Booting Linux on CPU 0x0\r\n' >>"$console"
        printf 'ready 1 6.12.0-fake\nmodules 9\n' >>"$ctl"
        printf 'coresight 3\ncoresight-expected 3\nstart\n' >>"$ctl" ;;
    missing) printf 'coresight 2\ncoresight-expected 3\n' >>"$ctl" ;;
    out=*) printf '%s\n' "$value" >>"$out" ;;
    err=*) printf '%s\n' "$value" >>"$err" ;;
    exit=*) printf 'exit %s\n' "$value" >>"$ctl" ;;
    fail=*) printf 'fail %s\n' "$value" >>"$ctl" ;;
    console=*) cat "$value" >>"$console" ;;
    pull=*) cat "$value" >>"$pull" ;;
    hang)
        # A child that outlives its parent would keep the test from ending.
        trap 'kill $! 2>/dev/null; exit 0' TERM
        tail -f /dev/null &
        wait ;;
    die=*) kill -s "$value" $$ ;;
    status=*) exit "$value" ;;
    esac
done
