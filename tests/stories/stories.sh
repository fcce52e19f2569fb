# The stories: each runs one guest and makes its checks. Needs guest.sh.
# Set by the caller: name, kernel, topology, cpus (its number of them).
#
# SPDX-License-Identifier: GPL-2.0-or-later

# Memory for that many CPUs, in MiB: buffers of 256 KiB and the kernel's own.
memory_for()
{
    echo $((1024 + 16 * $1))
}

# tell PART...: the guest makes that part of in/story.sh
tell()
{
    parts=$*
    # shellcheck disable=SC2086 # a list of options
    guest "$name" --kernel "$kernel" --topology "new:$topology" \
        --memory "$(memory_for "$cpus")M" --events "$tmp/$name.json" \
        ${perf:+--perf "$perf"} ${CSVIRT_STORY:-} \
        --copy tests/guest/in/common.sh --copy tests/stories/in/story.sh \
        --copy "$progs/tiny" --copy "$progs/percpu" --exec "sh /root/story.sh $parts"
    is "$status" 0 "$name: the run ends well" || why "$name"
}

# uses: "SINK ID CPU" of every capture, from the timeline
uses()
{
    grep '"ph":"E","name":"capture"' "$tmp/$name.json" |
        sed 's/.*"pid":2,"tid":\([0-9]*\),.*"atids":{\(.*\)}}}.*/\1 \2/' |
        awk '{
            n = split($2, u, /},?/)
            for (i = 1; i <= n; i++) {
                if (match(u[i], /0x[0-9a-f]+/)) {
                    id = substr(u[i], RSTART, RLENGTH)
                    sub(/.*"cpu":/, "", u[i]); sub(/,.*/, "", u[i])
                    print $1, id, u[i]
                }
            }
        }' | sort -u
}

collisions()
{
    grep -c '"name":"collision"' "$tmp/$name.json"
}

# Every HW_ID packet says what the sinks saw of that CPU.
same_hwids()
{
    uses | awk '{ print $3, $2 }' | sort -u >"$tmp/$name.uses"
    sed -n 's/^hwid \([0-9]*\) 0x.*\(..\)$/\1 0x\2/p' "$tmp/$name.out" |
        sort -u >"$tmp/$name.hwids"
    [ -s "$tmp/$name.hwids" ] &&
        [ -z "$(comm -13 "$tmp/$name.hwids" "$tmp/$name.uses")" ]
    ok $? "$name: perf's HW_ID packets say what the sinks saw" ||
        comm -13 "$tmp/$name.hwids" "$tmp/$name.uses" | head -n 5 |
            sed 's/^/# lacks /'
}

# wide [own]: own with perf's default buffers
wide()
{
    tell wide ${1:-}
    take_checks "$name" 4
    is "$(collisions)" 0 "$name: no ID twice at one sink"
    is "$(uses | awk '{ print $3 }' | sort -u | wc -l)" "$cpus" \
        "$name: each CPU's trace reached a sink"
    most=$(uses | awk '{ n[$1]++ } END { for (s in n)
        { if (n[s] > m) { m = n[s] } } print m + 0 }')
    [ "$most" -le 111 ]
    ok $? "$name: at most 111 IDs at a sink: $most"
    both=$(uses | awk '{ n[$2]++ } END { for (i in n)
        { if (n[i] > 1) { k++ } } print k + 0 }')
    # CPUs up to 47 have IDs of their own on every sink.
    if [ "$cpus" -ge 112 ] && [ "${kernel#build:}" = "$kernel" ]; then
        [ "$both" -gt 0 ]
        ok $? "$name: IDs that are at several sinks: $both"
    fi
    same_hwids
}

own()
{
    wide own
}

limit()
{
    tell limit
    take_checks "$name" 5
    is "$(collisions)" 0 "$name: no ID twice at one sink"
}

global()
{
    tell global
    take_checks "$name" 3
}

# The IDs of the first user's CPUs stay the same from its start to its end.
users()
{
    tell users
    take_checks "$name" 5
    is "$(uses | grep -c -e ' 0x10 0$' -e ' 0x12 1$')" 2 \
        "$name: the first user's CPUs have their IDs"
    changes=$(grep '"ph":"B","name":"trace"' "$tmp/$name.json" |
        sed 's/.*"tid":\([0-9]*\),.*"atid":"\(0x..\)".*/\1 \2/' | sort -u |
        awk '{ n[$1]++ } END { for (c in n) { k += n[c] > 1 } print k + 0 }')
    is "$changes" 0 "$name: IDs stay while sessions live"
}

moving()
{
    tell moving 0 $((cpus - 1))
    take_checks "$name" 3
    is "$(uses | grep -c -e '^0 0x10 0$' -e "^1 .* $((cpus - 1))\$")" 2 \
        "$name: each sink had its CPU's part"
}

# CPU 0 has ID 0x10 of the first sink; of the second's CPUs, which get the
# lowest free IDs unless they are below 48, one has 0x10 too.
overlap()
{
    twin=$((cpus / 2 > 48 ? cpus / 2 + 15 : 48 + 15))
    tell moving 0 "$twin" overlap
    take_checks "$name" 3
}

sysfs()
{
    tell sysfs
    take_checks "$name" $((cpus > 111 ? 3 : 1))
    is "$(sed -n 's/^id [0-9]* \(0x.*\)/\1/p' "$tmp/$name.out" | sort |
        uniq -d | wc -l)" 0 "$name: no ID twice"
}

# The newest linux-perf of @suite that the image of @kernel has fetched.
perf_of()
{
    have_kernel "$1"
    perf=$(ls build/cache/deb/linux-perf_"$2"*_arm64.deb 2>/dev/null |
        tail -n 1)
    [ -n "$perf" ]
    ok $? "$name: a perf of $1"
}

oldperf()
{
    perf_of debian:trixie 6
    wide
    perf=
}

newperf()
{
    perf_of debian:trixie-backports 7
    wide
    perf=
}

# Static IDs, 0x10 + 2 x CPU in seven bits: CPUs 48 to 56 have reserved ones,
# CPU 64 has that of CPU 0. The kernel does not say so, the check does.
alias()
{
    tell alias
    take_checks "$name" 2
    [ "$(collisions)" -gt 0 ]
    ok $? "$name: IDs twice at one sink: $(collisions)"
    grep '"name":"collision"' "$tmp/$name.json" |
        grep -q '"atid":"0x10","cpus":\[\(0,64\|64,0\)\]'
    ok $? "$name: CPU 0 and CPU 64 among them"
}
