#!/bin/sh
# Stands in for the emulator of csvirt race: the guest's program printed
# $RACE_FAKE/text and wrote $RACE_FAKE/file, the sinks were read out as in
# $RACE_FAKE/snap. With $RACE_FAKE/hang the command never ends.
# SPDX-License-Identifier: GPL-2.0-or-later
for a; do
    case $a in
    file,id=ctl,path=*) ctl=${a#*,path=} ;;
    file,id=out,path=*) out=${a#*,path=} ;;
    file,id=pull,path=*) pull=${a#*,path=} ;;
    csvirt,*)
        snapshot=${a##*,snapshot=}
        snapshot=${snapshot%%,*} ;;
    esac
done
cp -R "$RACE_FAKE/snap/." "$snapshot/"
printf 'ready 1 6.12.0-fake\nmodules 9\n' >>"$ctl"
printf 'coresight 3\ncoresight-expected 3\nstart\n' >>"$ctl"
cat "$RACE_FAKE/text" >>"$out"
if [ -e "$RACE_FAKE/hang" ]; then
    trap 'kill $! 2>/dev/null; exit 0' TERM
    tail -f /dev/null &
    wait
fi
{
    echo "file $(wc -c <"$RACE_FAKE/file") /root/out"
    cat "$RACE_FAKE/file"
} >>"$pull"
echo 'exit 0' >>"$ctl"
