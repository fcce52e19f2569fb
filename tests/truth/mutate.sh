#!/bin/sh
# The mutation run: each line of tests/truth/mutations breaks one rule of the
# trace unit in a copy; some test must notice. TAP, one check a mutation.
#
#   tests/truth/mutate.sh [-a] [-l] [-n] [NAME...]
#
# -a: name every native test that notices, not only the first. -l: only look
# that each still changes the source. -n: leave out those that only a guest can
# tell (and do not start one for the others).
# From the top folder, after make all; needs the native tests' sources, the
# decoder and, for guests, a kernel in the cache and the emulator's objects.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh

all=
look_only=
native_only=
while [ $# -gt 0 ]; do
    case $1 in
    -a) all=1 ;;
    -l) look_only=1 ;;
    -n) native_only=1 ;;
    -*) echo "usage: mutate.sh [-a] [-l] [-n] [NAME...]" >&2; exit 2 ;;
    *) break ;;
    esac
    shift
done
wanted=" $* "
# The same random tests for each; the later seeds if the first sees nothing.
seeds=${CSVIRT_SEED:-1 2 3 4}
cc=${CC:-gcc}
flags="-std=c11 -D_GNU_SOURCE -O1 -w -I. -iquote models"
ocsd=build/opencsd
obj=build/qemu/obj
list=tests/truth/mutations
kernel=debian:trixie

# Those that are quickest to tell first, then all others of their kind.
native="etm4-packets-test etm4-features-test etm4-opencsd-test formatter-test"
for t in tests/models/etm4*-test.c tests/models/formatter*-test.c; do
    t=$(basename "$t" .c)
    case " $native " in
    *" $t "*) ;;
    *) native="$native $t" ;;
    esac
done

# ---- native tests, once; models/ in a library that they load -------------
compile()
{
    # shellcheck disable=SC2086 # flags
    $cc $flags -fPIC -isystem $ocsd/include -DTOP_DIR="\"$PWD\"" -c "$1" \
        -o "$2"
}

library()
{
    # shellcheck disable=SC2086 # a list of files
    $cc -shared $1 -o "$2/libmodels.so"
}

build_native()
{
    mkdir -p "$tmp/good" "$tmp/bad" "$tmp/test" "$tmp/run"
    for f in models/*.c; do
        compile "$f" "$tmp/good/$(basename "$f" .c).o" || return 1
    done
    for f in tests/models/*.c tests/oracle/*.c tests/tap/*.c; do
        case $f in
        *-test.c) continue ;;
        esac
        compile "$f" "$tmp/test/$(basename "$f" .c).o" || return 1
    done
    library "$tmp/good/*.o" "$tmp/run" || return 1
    for t in $native; do
        compile "tests/models/$t.c" "$tmp/$t.o" &&
            $cc "$tmp/$t.o" "$tmp"/test/*.o -L"$tmp/run" -lmodels \
                -Wl,-rpath,"$tmp/run" $ocsd/libopencsd.a -lstdc++ -lm \
                -o "$tmp/run/$t" || return 1
    done
}

# Sets caught to the native tests that fail.
run_native()
{
    caught=
    for seed in $seeds; do
        for t in $native; do
            timeout 60 "$tmp/run/$t" --seed="$seed" >"$tmp/$t.out" \
                2>&1 && continue
            caught="$caught $t"
            [ -n "$all" ] || return
        done
        [ -z "$caught" ] || return
    done
}

# ---- a guest, for what native tests cannot see ---------------------------
# What ninja would run for target $1.
command_of()
{
    (cd $obj && ninja -t compdb -x) | awk -v want="\"output\": \"$1\"" '
        /"command":/ { c = $0 }
        index($0, want) { print c; exit }' |
        sed 's/^ *"command": "//; s/",$//; s/\\"/"/g'
}

# build_qemu FILE: the emulator with the object of $tmp/mutant.c for FILE's.
build_qemu()
{
    case $1 in
    qemu/*) src=../src/${1#qemu/}; name=${1#qemu/} ;;
    *) src=../src/csvirt/$1; name=csvirt/$1 ;;
    esac
    o=libqemu-aarch64-softmmu.a.p/$(echo "$name" | tr / _).o
    make_o=$(command_of "$o" | sed "s|-MD .*|-iquote $(dirname "$src")|")
    link=$(command_of qemu-system-aarch64 |
        sed "s|$o|$tmp/mutant.o|g; s|-o qemu-system-aarch64|-o $tmp/mutant|")
    [ -n "$make_o" ] && [ -n "$link" ] &&
        (cd $obj && eval "$make_o -c $tmp/mutant.c -o $tmp/mutant.o" &&
            eval "$link") >"$tmp/build.out" 2>&1
}

# Sets caught to what csvirt verify says when it finds mismatches.
run_guest()
{
    caught=
    rm -rf "$tmp/mutant.snap"
    copies tiny svcstorm faults
    # shellcheck disable=SC2086 # options
    guest mutant --kernel $kernel --topology 1etr-2cpu --qemu "$1" $copies \
        --snapshot "$tmp/mutant.snap" --exec-log "$tmp/mutant.log" \
        --exec 'for p in ./tiny "./svcstorm 20" ./faults; do
            perf record -e cs_etm// -o /tmp/p -- $p; done
            perf record -e cs_etm// -a -o /tmp/p -- ./svcstorm 5
            perf record -e cs_etm/retstack,cycacc/ --filter "filter el0_svc" \
                -o /tmp/p -- ./svcstorm 5
            perf record -e cs_etm/cycacc/ -o /tmp/p -- ./svcstorm 5'
    "$csvirt" verify "$tmp/mutant.snap" "$tmp/mutant.log" \
        >"$tmp/mutant.verify" 2>&1
    verify_status=$?
    what=$(tail -n 1 "$tmp/mutant.verify")
    case $verify_status,$what in
    1,*' 0 mismatches'*) ;;
    1,*mismatches*) caught=" csvirt verify ($what)" ;;
    esac
    [ $verify_status -eq 0 ]
}

# ---- one mutation --------------------------------------------------------
# mutate FILE FUNCTION SCRIPT: $tmp/mutant.c; false when nothing changes.
mutate()
{
    case $1 in
    qemu/*) from=build/qemu/src/${1#qemu/} ;;
    *) from=$1 ;;
    esac
    range=
    [ "$2" = - ] || range="/^[a-z].*\\<$2(/,/^}/"
    sed "$range{
$3
}" "$from" >"$tmp/mutant.c" && ! cmp -s "$from" "$tmp/mutant.c"
}

one()
{
    if ! mutate "$2" "$3" "$4"; then
        ok 1 "$1: changes nothing in $2 ($3)"
        return
    fi
    if [ -n "$look_only" ]; then
        ok 0 "$1: changes $2"
        return
    fi
    caught=
    case $2 in
    models/*)
        o=$(basename "$2" .c).o
        cp "$tmp"/good/*.o "$tmp/bad/"
        if ! compile "$tmp/mutant.c" "$tmp/bad/$o" 2>"$tmp/build.out" ||
            ! library "$tmp/bad/*.o" "$tmp/run"; then
            ok 1 "$1: does not compile"
            sed 's/^/#   /' "$tmp/build.out" | head -n 5
            return
        fi
        run_native ;;
    esac
    if [ -z "$caught" ] && [ -z "$native_only" ]; then
        if [ -z "$guests" ]; then
            skip 1 "$1: needs a guest: ${image_err:-no emulator was built here}"
            return
        fi
        if ! build_qemu "$2"; then
            ok 1 "$1: the emulator is not built"
            sed 's/^/#   /' "$tmp/build.out" | tail -n 5
            return
        fi
        run_guest "$tmp/mutant"
    fi
    [ -n "$caught" ]
    ok $? "$1: caught by${caught:- nothing}"
}

before_all()
{
    build_native || bail "the native tests do not build"
    run_native
    [ -z "$caught" ]
    ok $? "without a mutation every native test passes$caught" || tap_done
    if [ -z "$native_only" ] && [ -e $obj/build.ninja ] &&
        have_kernel $kernel; then
        guests=1
        run_guest "${CSVIRT_QEMU:-build/qemu-system-aarch64}"
        ok $? "without a mutation the guest verifies: $what" || why mutant
    fi
}

guests=
[ -n "$look_only" ] || [ -d $ocsd/include ] || skip_all "no $ocsd: run make"
tap_begin
[ -n "$look_only" ] || before_all

made=0
# The script may hold anything but " :: ".
while IFS= read -r line; do
    case $line in
    ''|'#'*) continue ;;
    esac
    name=${line%% :: *}
    line=${line#* :: }
    file=${line%% :: *}
    line=${line#* :: }
    function=${line%% :: *}
    script=${line#* :: }
    case $wanted in
    '  '|*" $name "*) ;;
    *) continue ;;
    esac
    case $native_only,$file in
    1,models/*|,*) ;;
    *) continue ;;
    esac
    made=$((made + 1))
    one "$name" "$file" "$function" "$script" </dev/null
done <$list
[ $made -gt 0 ] || bail "no mutation is called so:$wanted"
diag "$made mutations"
tap_done
