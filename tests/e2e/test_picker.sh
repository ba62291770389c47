# SPDX-License-Identifier: GPL-3.0-or-later
# test_picker.sh - the machine's volumes: in batch mode, and on a terminal without an argument. With root and a loop
# device: it is found, size and use are right, and it opens by Enter.
set -u
N=0 BAD=0 dev=
ck() { N=$((N + 1)); if "${@:2}"; then echo "ok $N - $1"; else echo "not ok $N - $1"; BAD=1; fi; }
c() { "$CDEFRAG" "$@" </dev/null; }
ck 'a list, whatever is there' bash -c '"$CDEFRAG" --json -c volumes </dev/null | python3 -c "
import json,sys
for x in json.load(sys.stdin):
    assert {\"path\",\"type\",\"uuid\",\"label\",\"readable\",\"blocks\",\"free_blocks\",\"reasons\",\"why\"}<=set(x)
    assert x[\"type\"] in (\"ext2\",\"ext3\",\"ext4\")"'
img=$TMPDIR/demo.img
"$CDEFRAG" --make-demo "$img" --seed 8 >/dev/null
if [ "$(id -u)" = 0 ] && dev=$(losetup -f --show "$img" 2>/dev/null) && grep -q "${dev#/dev/}$" /proc/partitions; then
	uuid=$(dumpe2fs -h "$img" 2>/dev/null | sed -n 's/^Filesystem UUID: *//p')
	ck 'a device is found' bash -c '"$CDEFRAG" --json -c volumes </dev/null | python3 -c "
import json,sys
x=[x for x in json.load(sys.stdin) if x[\"path\"]==sys.argv[1]]
assert len(x)==1 and x[0][\"uuid\"]==sys.argv[2] and x[0][\"blocks\"]*x[0][\"block_size\"]==64<<20, x" "$1" "$2"' - "$dev" "$uuid"
	mkdir -p "$TMPDIR/mnt"
	if mount -o ro "$dev" "$TMPDIR/mnt" 2>/dev/null; then
		ck 'and why it cannot be written while mounted' bash -c '"$CDEFRAG" -c volumes </dev/null | grep "^$1 .*mounted"' - "$dev"
		umount "$TMPDIR/mnt"
	fi
else
	N=$((N + 1)); echo "ok $N - a device is found # SKIP needs root and a loop device"
	[ -n "$dev" ] && losetup -d "$dev" 2>/dev/null
	dev=
fi
. "$(dirname "$0")/../lib/tmux.sh"
T_COUNT=$N T_BAD=$BAD
trap 't kill-server 2>/dev/null; [ -n "$dev" ] && losetup -d "$dev"' EXIT
start 100 24 "$CDEFRAG"
check 'without an argument it shows them' wait_for 'Volumes of this machine'
keys w
check 'w is for writing' wait_for 'Enter opens for writing'
keys w
if [ -n "$dev" ]; then
	check 'with the device' wait_for "$dev .*ext4 .*64M"
	for _ in $(seq 40); do screen | grep -q "[▸>] $dev " && break; keys j; sleep 0.1; done
	keys Enter
	check 'Enter opens it' wait_for '64M .*8 grp|64M 1k'
	keys q
else
	keys q
fi
check 'q leaves' terminal_is_sane
finish
