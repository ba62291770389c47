#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bench-reports.sh CDEFRAG VOLUME - processor time of each report and of all, after the scan: the same command line
# with and without it, the least of three, so that what is left is the report whatever else the machine does.
set -eu
cdefrag=$1 vol=$2
cpu() { # milliseconds of processor time, the least of three
	local best=999999 t
	for _ in 1 2 3; do
		t=$(TIMEFORMAT='%U %S'; { time "$cdefrag" "$@" "$vol" >/dev/null; } 2>&1 | awk 'NF==2 && $1+0==$1 {printf "%d", ($1+$2)*1000}')
		[ -n "$t" ] || exit 1
		if [ "$t" -lt "$best" ]; then best=$t; fi
	done
	echo "$best"
}
scan=$(cpu -c analyze)
all=(-c analyze)
for r in 'place' 'place --by dir' 'place --by file' 'free' 'layout' 'heat' 'blockers' 'walk'; do
	all+=(-c "report $r")
	with=$(cpu -c analyze -c "report $r")
	printf 'report %-16s %6d ms\n' "$r" $((with - scan))
done
with=$(cpu "${all[@]}")
printf 'scan %d ms; all of them %d ms of processor time\n' "$scan" $((with - scan))
