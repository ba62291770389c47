#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bench-lab.sh BUILDDIR [--long] - the lab's `ext4` allocator against the kernel's, and how fast the ager is.
#
# One life is lived by the lab; its trace of operations is done again on a loop mount of the same freshly
# formatted image, written out at the same moments. Printed side by side, both judged by a scan: extents a file,
# and the holes by size (e2freefrag). Needs root and loop devices.
set -u
export PATH=$PATH:/sbin:/usr/sbin
cdefrag=$1/cdefrag
tmp=$(mktemp -d /var/tmp/cdefrag-bench.XXXXXX)
trap 'umount "$tmp/m" 2>/dev/null; rm -rf "$tmp"' EXIT
here=$(dirname "$0")

start=$(date +%s%N)
"$cdefrag" --json -c "lab age $tmp/big.img --size 2G --preset fsmark --ops 100000" >"$tmp/r" || exit 1
end=$(date +%s%N)
echo "ager: 100,000 operations on 2 GB in $(((end - start) / 1000000)) ms"
rm -f "$tmp/big.img"

# The undo journal of a defragmentation, batch by batch on a map of 200x50.
"$cdefrag" --json -c "lab age $tmp/r.img --size 1G --preset downloads --policy next --force" >/dev/null || exit 1
"$cdefrag" -w -z "$tmp/r.undo" -c 'defrag %' -c 'run!' "$tmp/r.img" >/dev/null || exit 1
python3 - "$cdefrag" "$tmp" <<-'END'
	import json, subprocess, sys, time
	def timed(*lines):
	    args = [sys.argv[1], '--json', '-z', sys.argv[2] + '/r.undo']
	    for l in lines: args += ['-c', l]
	    t = time.monotonic()
	    out = subprocess.run(args + [sys.argv[2] + '/r.img'], capture_output=True, text=True, check=True).stdout
	    return time.monotonic() - t, [json.loads(l) for l in out.splitlines() if l.startswith('{"at"')]
	there, _ = timed('record ' + sys.argv[2] + '/a.cast --size 200x50', 'replay first', 'record stop')
	both, at = timed('record ' + sys.argv[2] + '/b.cast --size 200x50', 'replay first', 'replay play', 'record stop')
	n = at[-1]['last']
	print('replay: %d batches on 200x50, %.1f ms each (30 frames a second leave 33)' % (n, (both - there) * 1000 / n))
	END
rm -f "$tmp"/r.* "$tmp"/?.cast

if ! mkdir "$tmp/m" || [ "$(id -u)" != 0 ]; then echo "lab against the kernel: needs root"; exit 0; fi

figures() { # IMAGE: extents a file, files in pieces, holes
	"$cdefrag" --json -c 'files --limit 1000000' "$1" | python3 -c "
import json,sys
f=[x for x in json.loads(sys.stdin.readline()) if '/f0' in (x['path'] or '') and x['blocks']]
n=sum(x['fragments'] for x in f)
print(len(f), n, '%.3f'%(n/len(f)), sum(x['fragments']>1 for x in f))"
}
holes() { e2freefrag "$1" | awk '$3 == ":" && $1 ~ /[KMG]\.\.\.$/ {print $1 $2, $4}' | sort; }
for preset in fsmark mail downloads database logs git; do
	size=256M
	"$cdefrag" --json -c "lab age $tmp/lab.img --size $size --preset $preset --policy ext4 --trace $tmp/trace --force" >/dev/null || exit 1
	# the same formatting, empty
	truncate -s 0 "$tmp/kernel.img"; truncate -s $size "$tmp/kernel.img"
	inodes=$(dumpe2fs -h "$tmp/lab.img" 2>/dev/null | sed -n 's/^Inode count: *//p')
	mke2fs -q -F -t ext4 -b 4096 -m 0 -N "$inodes" -E lazy_itable_init=0,lazy_journal_init=0 "$tmp/kernel.img"
	if ! mount -o loop "$tmp/kernel.img" "$tmp/m" 2>/dev/null; then echo "cannot mount: skipped"; exit 0; fi
	python3 "$here/replay-trace.py" "$tmp/trace" "$tmp/m" || { umount "$tmp/m"; exit 1; }
	umount "$tmp/m"
	read -r lf le lx lp <<<"$(figures "$tmp/lab.img")"
	read -r kf ke kx kp <<<"$(figures "$tmp/kernel.img")"
	echo "$preset: lab $lx extents a file ($lp of $lf in pieces), kernel $kx ($kp of $kf); ratio $(python3 -c "print('%.2f'%($lx/$kx))")"
	join -a1 -a2 -e0 -o 0,1.2,2.2 <(holes "$tmp/lab.img") <(holes "$tmp/kernel.img") | sort -h |
		awk '{printf "    holes of %-16s lab %6d  kernel %6d\n", $1, $2, $3}'
done
echo "Where the holes differ: a kernel with lists of groups by their free runs (mb_optimize_scan) picks a group that fits before it
looks at the goal's neighbours; the lab visits groups in order from the goal, as kernels before 5.13 do. So under churn (mail,
git) the kernel packs leftovers into smaller holes and keeps large ones whole, and the lab leaves more of middling size."
