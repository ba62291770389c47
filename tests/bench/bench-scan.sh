#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bench-scan.sh BUILDDIR IMAGE [TURNS] - a whole scan of IMAGE (file or device) against e2fsck -fn and against the
# floor: the same metadata read in order, O_DIRECT, one reader. They take turns; medians, and their ratios.
#
# As root the page cache is dropped before each; else the figures are warm, and said to be.
set -eu
bench=$1/tests/bench/bench_scan image=$2 turns=${3:-3}
export PATH=$PATH:/sbin:/usr/sbin
temper=cold
[ -w /proc/sys/vm/drop_caches ] || temper=warm
cold() { sync; if [ $temper = cold ]; then echo 3 >/proc/sys/vm/drop_caches; fi; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# timed NAME COMMAND...: appends its seconds to NAME
timed() {
	local name=$1 t0 t1
	shift
	cold
	t0=$(date +%s.%N)
	"$@" >"$work/out" 2>&1 || { cat "$work/out"; echo "bench-scan: $* failed" >&2; exit 1; }
	t1=$(date +%s.%N)
	awk -v a="$t0" -v b="$t1" 'BEGIN {printf "%.3f\n", b - a}' >>"$work/$name"
}
median() { sort -n "$1" | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

for _ in $(seq "$turns"); do
	timed scan "$bench" scan "$image"
	cp "$work/out" "$work/said"
	timed fsck e2fsck -fn "$image"
	"$bench" floor "$image" >"$work/out"
	awk '{print $1}' "$work/out" >>"$work/floor"
done
scan=$(median "$work/scan") fsck=$(median "$work/fsck") floor=$(median "$work/floor")
echo "scan:  $(cat "$work/said")"
echo "floor: $(cat "$work/out")"
awk -v s="$scan" -v e="$fsck" -v f="$floor" -v t="$turns" -v temper="$temper" 'BEGIN {
	printf "%s, median of %d: scan %.2f s, e2fsck -fn %.2f s, floor %.2f s\n", temper, t, s, e, f
	printf "ratio to e2fsck -fn: %.2f (must 0.35, aim 0.2); to the floor: %.2f (must 2.0, aim 1.3)\n", s / e, s / f
}'
# 0.326 s, 326.0 MB read, 1000260 inodes, 1000946 runs, model 28.4 MB, peak 49.9 MB
awk '{
	may = ($8 * 32 + $6 * 8) / 1e6
	printf "peak memory: %.2f of what so many runs and inodes may take (%.1f of %.1f MB)\n", $(NF - 1) / may, $(NF - 1), may
}' "$work/said"
