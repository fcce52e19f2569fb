# In the guest: unload and reload the coresight modules, $1 times. 3 checks.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

rounds=${1:-10}
before=$(ls "$devices" | sort)
links_before=$(links)
list=/etc/csvirt/modules

names()
{
    lsmod | awk '$1 ~ /^coresight/ { print $1 }'
}

# A module goes when nothing uses it: several passes over what is left.
unload()
{
    for pass in 1 2 3 4 5 6 7 8; do
        [ -n "$(names)" ] || return 0
        for m in $(names); do
            rmmod "$m" 2>/dev/null
        done
    done
    [ -z "$(names)" ]
}

load()
{
    grep "coresight[^/]*$" "$list" | while read -r file; do
        insmod "$file" || return 1
    done
}

# Probing ends within the limit: devices come one after the other.
settled()
{
    n=0
    while [ "$(ls "$devices" 2>/dev/null | sort)" != "$before" ]; do
        n=$((n + 1))
        [ $n -le 200 ] || return 1
        usleep 10000
    done
}

i=0
why=
while [ $i -lt "$rounds" ]; do
    i=$((i + 1))
    unload || { why="round $i: still loaded: $(names | tr '\n' ' ')"; break; }
    load || { why="round $i: a module does not load"; break; }
    settled || {
        why="round $i: devices: $(ls "$devices" | tr '\n' ' ')"
        break
    }
done
[ -z "$why" ]
check $? "modules unloaded and reloaded $i times" || note "$why"
same "$(links)" "$links_before" "the same connections afterwards"
clean_log "after $i reloads"
