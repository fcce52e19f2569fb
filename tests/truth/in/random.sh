# In the guest: random.sh TARFILE PERF-ARGUMENTS: every program of the archive
# runs under one perf record, one after the other. What they write is left in
# /tmp/random.out. 3 checks.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. /root/common.sh

tar=$1
shift
mkdir /tmp/r && cd /tmp/r && tar xf "$tar"
check $? "$(ls p[0-9]* | wc -l) programs unpacked"
cat >all <<'EOF'
for p in p[0-9]*; do
    ./$p || echo "$p: $?" >&2
done
EOF
perf record -o /tmp/p "$@" -- sh all >/tmp/random.out 2>/tmp/random.err
check $? "perf record $*: every program runs" ||
    note "$(tail -n 5 /tmp/random.err)"
note "$(grep -v '^\[ perf' /tmp/random.err | head -n 5)"
clean_log "random programs"
