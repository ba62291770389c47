#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bench-goals.sh CDEFRAG [IMAGE...] - what arrange and defrag reach on aged volumes, and what it costs.
#
# Without an image the lab ages one of 1 GiB. Every run is on a copy. Columns: removable fragments gone; data moved,
# as a multiple of all data; KB written a fragment removed; batches; seconds, and as a multiple of copying the moved
# bytes in sequence (dd with a final sync, in the same run); modelled time of a backup in readdir order, of that before.
set -eu
cdefrag=$1; shift
work=${WORK:-/var/tmp}/cdefrag-goals.$$
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work/state
if [ $# -eq 0 ]; then
	"$cdefrag" -c "lab age $work/aged.img --size 1G --preset mail" >/dev/null
	set -- "$work/aged.img"
fi
readdir() { "$cdefrag" --json -c 'report layout' "$1" | python3 -c '
import json,sys; print(json.loads(sys.stdin.read().splitlines()[-1])["orders"]["readdir"]["read_time_ms"])'; }
printf '%-34s %8s %8s %9s %8s %8s %8s %8s\n' GOAL 'GONE %' 'x DATA' 'KB/FRAG' BATCHES SECONDS 'x FLOOR' BACKUP
for image; do
	free=$("$cdefrag" --json -c analyze "$image" | python3 -c '
import json,sys; o=json.loads(sys.stdin.read()); print("%.1f" % (100*o["free_blocks"]/o["volume"]["blocks"]))')
	echo "$(basename "$image"), $free % free"
	before=$(readdir "$image")
	for goal in arrange 'defrag %' 'defrag % --min-gain 400' 'defrag % --min-gain 600'; do
		cp --sparse=always "$image" "$work/run.img"; sync
		"$cdefrag" -w --json -z "$work/undo" -c "$goal" -c 'run!' "$work/run.img" >"$work/out" 2>/dev/null
		e2fsck -fn "$work/run.img" >/dev/null 2>&1 || { echo "e2fsck: not clean after $goal"; exit 1; }
		bytes=$(tail -1 "$work/out" | python3 -c 'import json,sys; print(json.load(sys.stdin)["bytes_written"] >> 20)')
		start=$(date +%s.%N)
		dd if="$image" of="$work/floor" bs=1M count="$bytes" conv=fdatasync status=none 2>/dev/null || :
		have=$(($(stat -c %s "$image") >> 20))
		while [ "$bytes" -gt "$have" ]; do # more than the image holds: once more
			bytes=$((bytes - have))
			dd if="$image" of="$work/floor" bs=1M count="$bytes" conv=fdatasync status=none
		done
		floor=$(python3 -c "import time; print(time.time() - $start)")
		python3 - "$work/out" "$goal" "$floor" "$before" "$(readdir "$work/run.img")" <<'PY'
import json, sys
run = json.loads(open(sys.argv[1]).read().splitlines()[-1])
goal, floor, was, now = sys.argv[2], *map(float, sys.argv[3:])
b, a = run["before"], run["after"]
gone = b["fragments"] - a["fragments"]
print("  %-32s %8.1f %8.2f %9.1f %8d %8.1f %8.1f %8.3f" % (goal, 100 * gone / (b["fragments"] - b["best"]),
      run["blocks_moved"] / b["worst"], run["bytes_written"] / 1024 / max(gone, 1), run["batches"],
      run["elapsed_ms"] / 1000, run["elapsed_ms"] / 1000 / floor, now / was))
PY
		rm -f "$work/run.img" "$work/undo" "$work/floor"
	done
done
