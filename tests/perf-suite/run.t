#!/bin/sh
# perf's own CoreSight tests in the guest, by the names of their scripts, for
# each kernel with the perf of its version.
#
# KERNELS and TOPOLOGIES choose among them. LIMIT: seconds for one test.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/lib/guest.sh
KERNELS=${KERNELS:-debian:trixie-backports debian:trixie}
TOPOLOGIES=${TOPOLOGIES:-2etr-4cpu 1etr-2cpu}
LIMIT=${LIMIT:-2400}
CSVIRT_TIMEOUT=${CSVIRT_TIMEOUT:-14400}
need_kernel "${KERNELS%% *}"
tap_begin

work=build/perf-suite
# Where a test may need more than LIMIT seconds without a fault of the trace:
# thread_loop_check_tid_2 ("2 20") has 20 times the branches of two threads that
# are 153,000 packets, and 3,500 packets a second is what a busy host prints.
not_ours="lib/coresight.sh, perf_dump_aux_tid_verify: perf report --dump of"
not_ours="$not_ours several 16 MiB buffers, printed by an emulated CPU"
el2='-machine virtualization=on'

# Sets perf_deb to the package that the image of kernel $1 has its perf from.
perf_of()
{
    perf_version=$(sh guest/image.sh --offline --cache build/cache \
        --bin build/guest --apt-state build/apt "$1" 2>/dev/null |
        sed -n 's/^perf_version=//p')
    perf_deb=build/cache/deb/linux-perf_$(printf '%s\n' "$perf_version" |
        sed 's/:/%3a/')_arm64.deb
}

# suite WHAT TESTS OPTION...: TESTS in one guest, a check each.
suite()
{
    name=$(printf '%s\n' "$1" | tr -c 'a-z0-9.\n-' _)
    what=$1
    tests=$2
    shift 2
    guest "$name" --topology "$topology" --kernel "$kernel" --memory 4G \
        --copy "$work/tools-$major/usr:/usr" --copy tests/perf-suite/sleep.sh \
        --copy tests/perf-suite/perf.sh \
        --copy tests/perf-suite/in-guest.sh "$@" \
        --exec "sh in-guest.sh $LIMIT $tests"
    [ "$status" -eq 0 ] || why "$name"
    for t in $tests; do
        line=$(grep -a "^suite [a-zA-Z]* $t " "$tmp/$name.out")
        seconds=${line##* }
        case $line in
        'suite ok '*) ok 0 "$what: $t ($seconds s)" ;;
        "suite late thread_loop_"*) skip 1 "$what: $t: $not_ours" ;;
        *) ok 1 "$what: $t" ;;
        esac
    done
    sed -n 's/^note /#   /p' "$tmp/$name.out"
    [ "$status" -eq 0 ] &&
        ! grep -a '^suite kernel' "$tmp/$name.out"
    ok $? "$what: no warning of the kernel"
}

seven()
{
    suite "$kernel $topology" \
        'raw_dump_stress test_arm_coresight test_arm_coresight_disasm'
    # Functions and lines of perf's own workloads: Debian's perf is stripped.
    if sh tests/perf-suite/build-perf.sh "$work/perf-$major" "$perf_deb" \
        2>"$tmp/build.err"; then
        suite "$kernel $topology perf with symbols" \
            'concurrent_threads context_switch_thread deterministic' \
            --perf "$work/perf-$major"
        # Without context IDs (--per-thread) perf takes EL1 for a guest's
        # kernel (cs-etm.c, cs_etm__get_machine): the kernel must be at EL2.
        suite "$kernel $topology perf with symbols, kernel at EL2" callchain \
            --perf "$work/perf-$major" --qemu-opts "$el2"
    else
        skip 4 "concurrent_threads, context_switch_thread, deterministic," \
            "callchain look for symbols: $(tail -n 1 "$tmp/build.err")"
    fi
}

six()
{
    suite "$kernel $topology" 'asm_pure_loop memcpy_thread_16k_10
        unroll_loop_thread_10 thread_loop_check_tid_10 thread_loop_check_tid_2'
    suite "$kernel $topology" test_arm_coresight
}

for kernel in $KERNELS; do
    if ! have_kernel "$kernel"; then
        skip 1 "$kernel: $image_err"
        continue
    fi
    perf_of "$kernel"
    major=${perf_version%%.*}
    if ! sh tests/perf-suite/tools.sh "$work/tools-$major" "$perf_deb" \
        2>"$tmp/tools.err"; then
        skip 1 "$kernel: $(tail -n 1 "$tmp/tools.err")"
        continue
    fi
    for topology in $TOPOLOGIES; do
        if [ "$major" -ge 7 ]; then
            seven
        else
            six
        fi
    done
done
tap_done
