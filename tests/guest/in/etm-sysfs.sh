# In the guest: etm-sysfs.sh: every file of a trace unit's sysfs folder.
# Legal values are taken and read back, others are refused and change nothing,
# each file that can be read can be; then all that was programmed last goes to
# the registers, in a session. 7 checks.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

unit=$devices/etm1
cpu=1
bad=
writes=0
refusals=0

fault()
{
    bad=1
    note "$*"
}

get()
{
    cat "$unit/$1" 2>/dev/null
}

put()
{
    echo "$2" 2>/dev/null >"$unit/$1"
}

# takes FILE VALUE [READ-BACK]
takes()
{
    writes=$((writes + 1))
    echo "$1" >>/tmp/tried
    put "$1" "$2" || fault "$1: '$2' is not taken"
    [ "$(get "$1")" = "${3:-$2}" ] ||
        fault "$1: '$2' reads as '$(get "$1")', not '${3:-$2}'"
}

# refuses FILE VALUE
refuses()
{
    refusals=$((refusals + 1))
    echo "$1" >>/tmp/tried
    was=$(get "$1")
    ! put "$1" "$2" || fault "$1: '$2' is taken"
    [ "$(get "$1")" = "$was" ] ||
        fault "$1: refused, but now '$(get "$1")', before '$was'"
}

# index FILE FIRST COUNT: each index is taken, the ones beside are not.
index()
{
    i=$2
    while [ $i -lt $(($3)) ]; do
        takes "$1" "$(printf '0x%x' $i)"
        i=$((i + 1))
    done
    refuses "$1" "$(printf '0x%x' $(($3)))"
    [ "$2" -eq 0 ] || refuses "$1" "$(printf '0x%x' $(($2 - 1)))"
    takes "$1" "$(printf '0x%x' "$2")"
}

tell()
{
    [ -z "$bad" ]
    check $? "$1"
    bad=
}

: >/tmp/tried
put reset 1
echo reset >>/tmp/tried

# ---- what is no number -------------------------------------------------
for f in "$unit"/*; do
    f=${f##*/}
    case $f in
    # Names; and the driver takes the last content of its stack for a mask.
    addr_instdatatype | addr_ctxtype | uevent | *_masks) continue ;;
    esac
    [ -f "$unit/$f" ] && [ -w "$unit/$f" ] || continue
    case $(stat -c %a "$unit/$f") in
    *[2367]*) refuses "$f" zz ;;
    esac
done
tell "$refusals files refuse what is no number"
ls "$unit" >/tmp/all
for f in $(cat /tmp/all); do
    [ -f "$unit/$f" ] || continue
    case $(stat -c %a "$unit/$f") in
    *[2367]*) echo "$f" ;;
    esac
done | grep -v -x -e uevent -e enable_source | sort >/tmp/writable

# ---- numbers -----------------------------------------------------------
: >/tmp/tried
echo reset >>/tmp/tried
index addr_idx 0 $(($(get nr_addr_cmp) * 2))
index cntr_idx 0 "$(get nr_cntr)"
index res_idx 2 $(($(get nr_resource) * 2))
index sshot_idx 0 "$(get nr_ss_cmp)"
index ctxid_idx 0 "$(get numcidc)"
index vmid_idx 0 "$(get numvmidc)"
index seq_idx 0 $(($(get nrseqstate) - 1))
tell "indices: all that there are, and no more"

takes mode 0x0
takes mode 0x1870 # BB, CYCACC, CTXID, TIMESTAMP, RETURNSTACK
takes pe 0x0
refuses pe 0x1
takes event 0x1020304
takes event 0x0
takes event_instren 0xf
takes event_instren 0x0
takes event_ts 0x83
takes event_ts 0x0
takes syncfreq 0xc
takes syncfreq 0x8
takes cyc_threshold 0xfff
refuses cyc_threshold 0x3
refuses cyc_threshold 0x1000
takes cyc_threshold 0x4
takes event_vinst 0x2
takes event_vinst 0x1
takes s_exlevel_vinst 0x0
takes ns_exlevel_vinst 0x2
takes ns_exlevel_vinst 0x0
refuses vinst_pe_cmp_start_stop 0x1
tell "controls of the unit"

takes addr_single 0xffff800080000000
refuses addr_range '0x1000 0x2000' # a single one already
put reset 1
refuses addr_range '0x2000 0x1000'
takes addr_range '0x400000 0x4fffff'
refuses addr_single 0x1000
refuses addr_start 0x1000
refuses addr_stop 0x1000
takes addr_exlevel_s_ns 0x7f
refuses addr_exlevel_s_ns 0x80
takes addr_exlevel_s_ns 0x0
takes addr_ctxtype ctxid
takes addr_ctxtype vmid
takes addr_ctxtype all
takes addr_ctxtype none
takes addr_instdatatype instr
refuses addr_context 0x0 # a comparator of each kind: nothing to choose
takes bb_ctrl 0x101
takes bb_ctrl 0x1
refuses bb_ctrl 0x100
put addr_idx 1
refuses addr_range '0x1000 0x2000' # a pair begins with an even one
put addr_idx 2
takes addr_start 0x400000
put addr_idx 3
takes addr_stop 0x400010
tell "address comparators"

for n in 0 1; do
    put cntr_idx $n
    takes cntrldvr 0xffff
    refuses cntrldvr 0x10000
    takes cntr_val 0x1234
    refuses cntr_val 0x10000
    takes cntr_ctrl 0x18281
    takes cntr_ctrl 0x0
done
for n in 0 1 2; do
    put seq_idx $n
    takes seq_event 0x8281
    takes seq_event 0x0
done
takes seq_state 0x3
refuses seq_state 0x4
takes seq_state 0x0
takes seq_reset_event 0x83
takes seq_reset_event 0x0
put res_idx 2
takes res_ctrl 0x3f0003
put res_idx 3
takes res_ctrl 0x3f0003 0x1f0003 # a pair has one inversion
takes res_ctrl 0x0
put res_idx 2
takes res_ctrl 0x0
takes sshot_ctrl 0x1000003
takes sshot_ctrl 0x0
takes sshot_pe_ctrl 0x1
takes sshot_pe_ctrl 0x0
takes ctxid_pid 0x1234
takes ctxid_masks '0x8 0x0'
takes ctxid_pid 0x0
takes vmid_val 0x1234
takes vmid_masks '0x8 0x0'
takes vmid_val 0x0
tell "counters, sequencer, selectors, single shots, comparators of contexts"
sort -u /tmp/tried >/tmp/tried.sorted
same "$(cat /tmp/tried.sorted)" "$(cat /tmp/writable)" \
    "$writes writes, $refusals refused: every file that can be written"

# ---- read only, and a session with what is programmed -------------------
for f in $(find "$unit/" -type f -maxdepth 2 ! -path '*/power/*'); do
    case $(stat -c %a "$f") in
    2*) ;;
    *) cat "$f" >/tmp/file 2>&1 || case ${f##*/} in
        # These belong to another use of the comparator, or to none.
        addr_single | addr_range | addr_start | vinst_pe_cmp_start_stop) ;;
        *) fault "${f#"$unit"/} cannot be read" ;;
        esac ;;
    esac
done
put addr_idx 2
put addr_idx 0
sysfs-capture -c $cpu tmc_etr0 /tmp/programmed /root/markers 3 >/tmp/out 2>&1 ||
    fault "session: $(tail -n 2 /tmp/out)"
[ -s /tmp/programmed ] || fault "session: nothing was traced"
tell "all that can be read; a session with what was programmed"
put reset 1
