#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bench-clone.sh [VOLUME] - clone and image side by side with copying as many bytes in a row and with e2image. Without
# a VOLUME one of 1 GiB is aged first. Tools take turns, caches are dropped (root); medians of RUNS turns, as ratios.
set -u
dir=$(mktemp -d "${TMPDIR:-/var/tmp}/bench-clone.XXXXXX"); trap 'rm -rf "$dir"' EXIT
vol=${1:-$dir/vol.img}; runs=${RUNS:-3}
if [ $# -eq 0 ]; then # files of two sizes, every third removed, and larger ones written into the holes
	mkdir "$dir/tree"
	for i in $(seq 1 600); do head -c $((i % 40 * 40000 + 9000)) /dev/zero | tr '\0' x >"$dir/tree/f$i"; done
	truncate -s 1G "$vol"; mke2fs -q -t ext4 -d "$dir/tree" "$vol"
	for i in $(seq 3 3 600); do echo "rm /f$i"; done >"$dir/cmds"
	for i in 1 2 3 4; do echo "write $dir/tree/f39 /again$i"; done >>"$dir/cmds"
	debugfs -w -f "$dir/cmds" "$vol" >/dev/null 2>&1; rm -rf "$dir/tree"
fi
blocks=$(dumpe2fs -h "$vol" 2>/dev/null | awk -F: '/^Block count/{b=$2}/^Free blocks/{f=$2}/^Block size/{s=$2}END{printf "%.0f",(b-f)*s/4194304+0.5}')
drop() { sync; [ "$(id -u)" = 0 ] && echo 3 >/proc/sys/vm/drop_caches; }
timed() { # NAME COMMAND...: seconds until it is durable
	local name=$1 s; shift; rm -f "$dir"/out; drop; s=$(date +%s%N)
	"$@" >/dev/null 2>&1 || echo "$name failed"; sync "$dir/out"
	echo "$name $((($(date +%s%N) - s) / 1000000))" >>"$dir/times"
}
for _ in $(seq "$runs"); do
	timed floor dd if="$vol" of="$dir/out" bs=4M count="$blocks" iflag=direct oflag=direct conv=fsync
	timed clone "$CDEFRAG" -c "clone $dir/out" "$vol"
	timed image "$CDEFRAG" -c "image $dir/out" "$vol"
	timed e2image-ra e2image -ra "$vol" "$dir/out"
	timed e2image-Qa e2image -Qa "$vol" "$dir/out"
done
awk -v mb="$blocks" '{t[$1,++n[$1]]=$2}
function median(k, i,j,x,v) { for(i=1;i<=n[k];i++) v[i]=t[k,i]; for(i=1;i<=n[k];i++) for(j=i+1;j<=n[k];j++) if(v[j]<v[i]){x=v[i];v[i]=v[j];v[j]=x} return v[int((n[k]+1)/2)] }
END { f=median("floor"); r=median("e2image-ra"); q=median("e2image-Qa"); c=median("clone"); i=median("image")
 printf "%d MB in use: floor %.2f s, e2image -ra %.2f s, -Qa %.2f s\n", mb*4, f/1000, r/1000, q/1000
 printf "clone %.2f s: %.2f of the floor, %.2f of e2image -ra\n", c/1000, c/f, c/r
 printf "image %.2f s: %.2f of the floor, %.2f of e2image -Qa; clone/image %.2f\n", i/1000, i/f, i/q, c/i }' "$dir/times"
