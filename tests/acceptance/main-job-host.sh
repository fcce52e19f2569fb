# Acceptance A, B, H, I: the build, bad input, drawings. Sourced by main-job.
#
# SPDX-License-Identifier: GPL-2.0-or-later

# ---- A, B: a fresh clone -----------------------------------------------------

clone()
{
    clone=${ACCEPT_CLONE:-$tmp/clone}
    fresh='a fresh clone'
    if [ -d "$clone/.git" ]; then
        fresh="$clone as it was"
        return
    fi
    git clone -q . "$clone" 2>"$tmp/clone.err" || {
        failed "git clone: $(tail -n 1 "$tmp/clone.err")"
        return 1
    }
}

item_build()
{
    clone || return
    start=$(date +%s)
    make -C "$clone" deps demo >"$tmp/build.out" 2>&1
    built=$?
    took=$(($(date +%s) - start))
    is $built 0 "make deps demo" || tail -n 20 "$tmp/build.out" | sed 's/^/# /'
    [ $took -le 1500 ]
    ok $? "within 25 minutes: $took s"
    for what in 'kernel.*[67]\.[0-9]+\.[0-9]+' 'devices.*[0-9]|[0-9].*devices' \
        '[0-9]+ bytes|bytes.*[0-9]' '[Aa]tom' \
        'instructions.*[0-9]|[0-9].*instructions' \
        'leaf_hash|walk_table|sort_rows'; do
        grep -q -E "$what" "$tmp/build.out"
        ok $? "it prints $what"
    done
    silence=$(awk '{ n++ } END { print n + 0 }' "$tmp/build.out")
    figure="$took s, $fresh, $silence lines of progress"
}

item_check()
{
    clone || return
    make -C "$clone" >"$tmp/make.out" 2>&1 ||
        failed "make: $(tail -n 1 "$tmp/make.out")"
    start=$(date +%s)
    make -C "$clone" check >"$tmp/check.out" 2>&1
    checked=$?
    took=$(($(date +%s) - start))
    is $checked 0 "make check" || tail -n 40 "$tmp/check.out" | sed 's/^/# /'
    [ $took -le 900 ]
    ok $? "within 15 minutes: $took s"
    grep -q '^Result: PASS' "$tmp/check.out"
    ok $? "prove says so"
    figure="$took s, $(grep '^Files=' "$tmp/check.out")"
}

# ---- H: bad input ------------------------------------------------------------

# bad_line WHAT FILE-OR-OTHER NODE-OR-OTHER COMMAND...: exit status 2, no
# result, and a line that names both.
bad_line()
{
    what=$1
    file=$2
    node=$3
    shift 3
    "$@" >"$tmp/bad.out" 2>"$tmp/bad.err" </dev/null
    bad_status=$?
    said=$(grep -v -E '^image\.sh: (making|fetching|reading|unpacking)' \
        "$tmp/bad.err")
    # Said once, and that in one line.
    lines=$(printf '%s\n' "$said" | grep -c -F -- "$node")
    [ $bad_status -eq 2 ] && [ ! -s "$tmp/bad.out" ] &&
        [ "$lines" -eq 1 ] && printf '%s\n' "$said" | grep -F -- "$node" |
        grep -q -F -- "$file"
    if ok $? "$what: $(printf '%s\n' "$said" | grep -F -- "$node")"; then
        told=$((told + 1))
    else
        diag "    exit status $bad_status, stderr:"
        sed 's/^/#     /' "$tmp/bad.err"
    fi
}

# The emulator itself refuses the tree: exit status 1, not a signal.
bad_machine()
{
    build/qemu-system-aarch64 -M "csvirt,topology=$1" -nodefaults -S \
        -display none -smp 4 >"$tmp/bad.out" 2>"$tmp/bad.err" </dev/null &
    bad_pid=$!
    wait $bad_pid
    is $? 1 "the emulator with ${1##*/}: exit status 1" ||
        sed 's/^/#     /' "$tmp/bad.err"
}

compile()
{
    dtc -q -@ -I dts -O dtb -o "${1%.dtso}.dtbo" "$1" 2>/dev/null
}

# bad_tree NAME NODE [OPTION...]: $tmp/NAME.dtso, by csvirt and the emulator.
bad_tree()
{
    tree=$1
    name_of=$2
    shift 2
    bad_line "$tree" "$tree.dtso" "$name_of" \
        "$csvirt" topology check "$@" "$tmp/$tree.dtso"
    bad_line "$tree, run" "$tree.dtso" "$name_of" \
        "$csvirt" run --offline "$@" --topology "$tmp/$tree.dtso" --exec true
    compile "$tmp/$tree.dtso" && bad_machine "$tmp/$tree.dtbo"
}

small=board/dts/1etr-2cpu.dtso
large=board/dts/2etr-4cpu.dtso

bad_trees()
{
    sed 's/<&etr0_in>/<0x4242>/' $small >"$tmp/dangling.dtso"
    bad_tree dangling funnel@c200000
    # The replicator's second output leads back into the main funnel.
    awk '/etr@c410000 \{/ { gone = 1 }
        gone { if (/^    };/) { gone = 0 } next }
        { sub(/<&etr1_in>/, "<\\&main_in2>"); print }
        /main_in1: endpoint/ { n = 3 }
        n && --n == 0 {
            getline; print
            print "port@2 { reg = <2>; main_in2: endpoint {"
            print "remote-endpoint = <&replicator_out1>; }; };"
        }' $large >"$tmp/loop.dtso"
    bad_tree loop funnel@c220000
    sed 's/0x0c110000/0x0c100000/' $small >"$tmp/overlap.dtso"
    bad_tree overlap etm@c110000
    sed 's/0x0c400000/0x30000000/' $small >"$tmp/outside.dtso"
    bad_tree outside etr@c400000
    sed 's/<&cpu1>/<\&cpu7>/' $small >"$tmp/nocpu.dtso"
    bad_tree nocpu etm@c110000 --cpus 2
    sed '/replicator@c300000/,/^    };/s/reg = <1>/reg = <0>/' $large \
        >"$tmp/oneport.dtso"
    bad_tree oneport replicator@c300000
}

bad_files()
{
    compile_to=$tmp/whole.dtbo
    dtc -q -@ -I dts -O dtb -o "$compile_to" $small
    head -c 700 "$compile_to" >"$tmp/truncated.dtb"
    cp $small "$tmp/text.dtb"
    for f in truncated text; do
        bad_line "$f tree" $f.dtb $f.dtb "$csvirt" topology check "$tmp/$f.dtb"
        bad_line "$f tree, run" $f.dtb $f.dtb "$csvirt" run --offline \
            --topology "$tmp/$f.dtb" --exec true
        bad_machine "$tmp/$f.dtb"
    done
    bad_line 'missing kernel' /no/such/Image /no/such/Image \
        "$csvirt" run --kernel /no/such/Image --exec true
    sh guest/image.sh --cache build/cache --bin build/guest --apt-state \
        build/apt --offline debian:trixie >"$tmp/image" 2>/dev/null
    image=$(sed -n 's/^kernel=//p' "$tmp/image" | tr -d "'")
    bad_line 'kernel without modules' "$image" "$image" \
        "$csvirt" run --kernel "$image" --exec true
}

fetch()
{
    sh guest/image.sh --cache "$1" --bin build/guest --apt-state "$1/apt" \
        --perf none debian:trixie
}

bad_fetches()
{
    mkdir "$tmp/empty"
    bad_line 'no network, empty cache' trixie trixie \
        env MIRROR=http://127.0.0.1:9/debian sh guest/image.sh \
        --cache "$tmp/empty" --bin build/guest --apt-state "$tmp/empty/apt" \
        debian:trixie
    bad_line 'offline, empty cache' trixie trixie \
        sh guest/image.sh --offline --cache "$tmp/empty" --bin build/guest \
        --apt-state "$tmp/empty/apt" debian:trixie
    full_disk 24 'at the start'
    full_disk 400 'in the middle'
    interrupted_fetch
}

# full_disk MEGABYTES WHEN: at the start, or in the middle of a package.
full_disk()
{
    mkdir -p "$tmp/small"
    mount -t tmpfs -o size=$1m none "$tmp/small" 2>/dev/null || {
        diag "  skipped: a full disk (mounting a small one needs root)"
        return
    }
    fetch "$tmp/small" >"$tmp/bad.out" 2>"$tmp/bad.err"
    is $? 2 "full disk $2: exit status 2"
    tail -n 1 "$tmp/bad.err" | grep -q -i -E 'no space|full'
    ok $? "full disk $2: $(tail -n 1 "$tmp/bad.err")" && told=$((told + 1))
    [ ! -s "$tmp/bad.out" ]
    ok $? "full disk $2: no result"
    umount "$tmp/small"
}

# Cut off three times, with more fetched each time; then left alone.
interrupted_fetch()
{
    mkdir "$tmp/cut"
    cat >"$tmp/fetch.sh" <<END
exec sh guest/image.sh --cache $tmp/cut --bin build/guest \
    --apt-state $tmp/cut/apt --perf none debian:trixie >/dev/null 2>&1
END
    for kib in 1000 60000 200000; do
        setsid sh "$tmp/fetch.sh" &
        fetcher=$!
        n=0
        while [ "$(du -sk "$tmp/cut" 2>/dev/null | cut -f 1)" -lt $kib ] &&
            kill -0 $fetcher 2>/dev/null && [ $n -lt 6000 ]; do
            n=$((n + 1))
            sleep 0.02
        done
        kill -s KILL -- -$fetcher 2>/dev/null
        wait $fetcher 2>/dev/null
        [ $? -eq 137 ]
        ok $? "fetch cut off at $(du -sk "$tmp/cut" | cut -f 1) KiB"
    done
    fetch "$tmp/cut" >"$tmp/cut.out" 2>"$tmp/cut.err"
    is $? 0 "interrupted fetch: the next run recovers" ||
        tail -n 3 "$tmp/cut.err" | sed 's/^/#     /'
    grep -q '^initrd=' "$tmp/cut.out"
    ok $? "interrupted fetch: an image" && told=$((told + 1))
}

item_bad_input()
{
    told=0
    bad_trees
    bad_files
    bad_fetches
    figure="$told bad inputs, each with its line"
}

# ---- I: drawings -------------------------------------------------------------

item_drawings()
{
    drawn=0
    for f in board/dts/*.dtso; do
        t=$(basename "$f" .dtso)
        LC_ALL=C "$csvirt" topology show "$t" >"$tmp/$t.show" 2>"$tmp/show.err"
        is $? 0 "topology show $t"
        cmp -s "$tmp/$t.show" "tests/data/topology/$t.txt"
        if ok $? "$t: drawn as in tests/data/topology/$t.txt"; then
            drawn=$((drawn + 1))
        else
            diff "tests/data/topology/$t.txt" "$tmp/$t.show" | sed 's/^/# /'
        fi
        # Each node of the tree is in a box, by its name.
        for n in $(sed -n 's/^    \([a-z-]*\(@[0-9a-f]*\)*\) {$/\1/p' "$f" |
            grep -E '^(etm|funnel|replicator|etr|static)'); do
            grep -q -F -- "$n" "$tmp/$t.show" || failed "$t: no $n"
        done
    done
    figure="$drawn drawings"
}
