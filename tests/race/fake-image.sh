#!/bin/sh
# Stands in for guest/image.sh: any kernel but "none" is there.
# SPDX-License-Identifier: GPL-2.0-or-later
for last; do :; done
[ "$last" != none ] || { echo "image.sh: none: no such kernel" >&2; exit 2; }
here=$(cd "${0%/*}" && pwd)
echo kernel >"$here/Image"
printf 'cpio' >"$here/initrd.cpio"
printf '%s\n' "kernel=$here/Image" "initrd=$here/initrd.cpio" version=6.12.0
