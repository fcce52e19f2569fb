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

# made topologies: sources and pictures as in tests/data/topology/new
for f in tests/data/topology/new/*.dts; do
    spec=$(basename "$f" .dts)
    "$csvirt" topology new "$spec" >"$dir/out"
    ok $? "new $spec"
    cmp -s "$dir/out" "$f"
    ok $? "new $spec: as in $f" || diff "$dir/out" "$f" | sed 's/^/# /'
    "$csvirt" topology new "new:$spec" --output "$dir/new.dts"
    ok $? "new $spec: to a file"
    cmp -s "$dir/new.dts" "$f"
    ok $? "new $spec: the same in the file"
    is "$("$csvirt" topology check "new:$spec" 2>&1 | sed 's/.*: ok/ok/')" \
        "$("$csvirt" topology check "$f" 2>&1 | sed 's/.*: ok/ok/')" \
        "$spec: made as it is read"
done
for f in tests/data/topology/new/*.txt; do
    spec=$(basename "$f" .txt)
    "$csvirt" topology show "new:$spec" 2>&1 | sed '/^$/q' >"$dir/out"
    cmp -s "$dir/out" "$f"
    ok $? "show new:$spec: drawn as in $f" ||
        diff "$dir/out" "$f" | sed 's/^/# /'
done
says "csvirt: topology new: etrs: 3 of them for 2 CPUs: at most one a CPU \
expected" "new: more sinks than CPUs" new cpus=2,etrs=3
says "csvirt: new:cpus=2,sinks=etf: sinks: 'etf': a TMC configured as ETF is \
not modelled, etr expected" "new: an ETF" check new:cpus=2,sinks=etf
says "csvirt: topology: --output goes with new and graph only" \
    "output of show" \
    show 2etr-4cpu -o "$dir/x"

# graphs: well-formed, a box a group, and refused by name
"$csvirt" topology graph 2etr-4cpu >"$dir/g.dot"
ok $? "graph: for Graphviz"
is "$(grep -c ' -> ' "$dir/g.dot")" 9 "graph: its connections"
"$csvirt" topology graph new:cpus=512,etrs=16 -o "$dir/g.svg"
ok $? "graph: 512 CPUs as SVG"
is "$(grep -c '^<rect' "$dir/g.svg")" 64 "graph: four boxes for each sink"
is "$(head -c 5 "$dir/g.svg")$(tail -n 1 "$dir/g.svg")" "<svg </svg>" \
    "graph: a whole file"
says "csvirt: topology graph: --output g.png: a name in .svg or .dot \
expected" "graph: another kind" graph 2etr-4cpu -o g.png
says "csvirt: nothing: no such file, and no topology of that name \
(csvirt topology list)" "graph: unknown name" graph nothing

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

says "csvirt: topology: list, show NAME, check NAME, graph NAME or new SPEC \
(see csvirt topology --help)" "usage" look 2etr-4cpu

tap_done
