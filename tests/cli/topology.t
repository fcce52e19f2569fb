#!/bin/sh
# csvirt topology: the trees known by name, and what it says of broken ones.
# SPDX-License-Identifier: GPL-2.0-or-later
. tests/tap/tap.sh
csvirt=build/csvirt
[ -x "$csvirt" ] || bail "$csvirt is not built"
command -v dtc >/dev/null || skip_all "no dtc"
LC_ALL=C
export LC_ALL
dir=$(mktemp -d) || bail "no temporary folder"
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM

tap_begin

# says WANT NAME ARG...: exit status 2, nothing on stdout, and on stderr just
# lines that match WANT, one for each line of it
says() {
    want=$1
    name=$2
    shift 2
    "$csvirt" topology "$@" >"$dir/out" 2>"$dir/err"
    is "$?" 2 "$name: exit status"
    is "$(cat "$dir/out")" "" "$name: nothing on stdout"
    is "$(sed "s,$dir/,,g" "$dir/err")" "$want" "$name: the words"
}

# tree SED: 2etr-4cpu changed, as $dir/t.dtso
tree() {
    sed "$1" board/dts/2etr-4cpu.dtso >"$dir/t.dtso"
}

list=$("$csvirt" topology list)
ok $? "list"
for f in board/dts/*.dtso; do
    name=$(basename "$f" .dtso)
    like "$list" "^$name +[0-9]+ +[0-9]+  [a-z]" "$name is listed"
    "$csvirt" topology check "$name" >"$dir/out" 2>"$dir/err"
    ok $? "$name: check"
    is "$(cat "$dir/err")" "" "$name: without a word"
    "$csvirt" topology show "$name" >"$dir/out" 2>&1
    ok $? "$name: show"
    cmp -s "$dir/out" "tests/data/topology/$name.txt"
    ok $? "$name: drawn as in tests/data/topology/$name.txt" ||
        diff "$dir/out" "tests/data/topology/$name.txt" | sed 's/^/# /'
done

says "csvirt: nothing: no such file, and no topology of that name \
(csvirt topology list)" "unknown name" check nothing
says "csvirt: $dir: is a folder, expected a device tree" "folder" check "$dir"

echo 'not a tree' >"$dir/t.dtb"
says "csvirt: t.dtb is text, expected a device tree blob (a source file must \
be named .dts or .dtso)" "text given as dtb" check "$dir/t.dtb"

dtc -q -@ -I dts -O dtb -o "$dir/whole.dtbo" board/dts/1etr-2cpu.dtso
size=$(wc -c <"$dir/whole.dtbo")
head -c 1000 "$dir/whole.dtbo" >"$dir/cut.dtbo"
says "csvirt: cut.dtbo is truncated: its header says $((size)) bytes, there \
are 1000" "truncated dtb" check "$dir/cut.dtbo"
"$csvirt" topology check "$dir/whole.dtbo" >/dev/null
ok $? "the whole one is taken as it is"

echo '/dts-v1/; / { a = <1 };' >"$dir/bad.dts"
says "csvirt: dtc: Error: bad.dts:1.22-23 syntax error" "syntax error" \
    check "$dir/bad.dts"

says "csvirt: 2etr-4cpu: /etm@c120000: cpu <&cpu2> is defined neither in this \
file nor by the machine, which defines cpu0 to cpu1, gic and apb_pclk
csvirt: 2etr-4cpu: /etm@c130000: cpu <&cpu3> is defined neither in this file \
nor by the machine, which defines cpu0 to cpu1, gic and apb_pclk" \
    "ETMs of CPUs that do not exist" check 2etr-4cpu --cpus 2

# the acceptance list: each names the file and the node
tree 's/<&etr1_in>/<\&nowhere>/'
says "csvirt: t.dtso: /replicator@c300000/out-ports/port@1/endpoint: \
remote-endpoint <&nowhere> is defined neither in this file nor by the \
machine, which defines cpu0 to cpu3, gic and apb_pclk" "dangling endpoint" \
    check "$dir/t.dtso"

tree 's/0x0c410000/0x0c400000/'
says "csvirt: t.dtso: /etr@c410000: reg 0xc400000-0xc400fff overlaps that of \
/etr@c400000, 0xc400000-0xc400fff" "two nodes at one address" \
    check "$dir/t.dtso"

tree 's/0x0c410000/0x0e410000/'
says "csvirt: t.dtso: /etr@c410000: reg 0xe410000-0xe410fff is outside the \
window for trace components, 0xc000000-0xdffffff" "outside the window" \
    check "$dir/t.dtso"

tree '/replicator@c300000 {/,$s/reg = <1>/reg = <0>/'
says "csvirt: t.dtso: /replicator@c300000/out-ports/port@1/endpoint: is a \
second output with port number 0, the first is \
/replicator@c300000/out-ports/port@0/endpoint" "two outputs with one number" \
    check "$dir/t.dtso"

# the second ETR goes, the replicator's output comes back to the main funnel
tree '/etr@c410000 {/,/^    };/d
s/<&etr1_in>/<\&main_in2>/
/main_in0: endpoint/,/};/{
/};/a\
};\
port@2 {\
reg = <2>;\
main_in2: endpoint {\
remote-endpoint = <\&replicator_out1>;\
};
}'
says "csvirt: t.dtso: /replicator@c300000: is in a loop: \
/replicator@c300000 -> /funnel@c220000 -> /replicator@c300000" "loop" check "$dir/t.dtso"

says "csvirt: topology: list, show NAME|FILE or check NAME|FILE (see csvirt \
topology --help)" "usage" look 2etr-4cpu

tap_done
