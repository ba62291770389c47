# SPDX-License-Identifier: GPL-3.0-or-later
# test_watch.sh - a mounted volume, watched while the kernel writes to it (needs root and a loop device): the new
# file is seen, what does not change is not reported, nothing is written by us.
set -u
N=0 BAD=0 dev= mnt=$TMPDIR/mnt img=$TMPDIR/watch.img
ck() { N=$((N + 1)); if "${@:2}"; then echo "ok $N - $1"; else echo "not ok $N - $1"; BAD=1; fi; }
end() { umount "$mnt" 2>/dev/null; [ -n "$dev" ] && losetup -d "$dev" 2>/dev/null; }
trap end EXIT
"$CDEFRAG" --make-demo "$img" --seed 8 >/dev/null
ck 'a still image does not change' [ "$("$CDEFRAG" --json -c 'watch 1 --times 2' "$img" </dev/null |
	python3 -c 'import json,sys; print([json.loads(l)["changed_blocks"] for l in sys.stdin])')" = '[0, 0]' ]
mkdir -p "$mnt"
if [ "$(id -u)" != 0 ] || ! dev=$(losetup -f --show "$img" 2>/dev/null) || ! mount "$dev" "$mnt" 2>/dev/null; then
	N=$((N + 1)); echo "ok $N - a mounted volume # SKIP needs root, a loop device and mount"; echo "1..$N"; exit $BAD
fi
ck 'it refuses what it must' bash -c '! "$CDEFRAG" -w -c "watch 1" "$1" 2>/dev/null </dev/null' - "$dev"
"$CDEFRAG" --json -c 'watch 1 --times 4' "$dev" </dev/null >"$TMPDIR/out" 2>"$TMPDIR/err" &
sleep 1.5
head -c 1000000 /dev/urandom >"$mnt/new-file"
wait $!
ck 'the new file is seen, in one round or two' python3 - "$TMPDIR/out" <<'PY'
import json,sys
o=[json.loads(l) for l in open(sys.argv[1])]
assert len(o)==4 and all(x["synced"] for x in o), o
assert sum(x["changed_blocks"]>0 for x in o) in (1,2) and 976<=sum(x["changed_blocks"] for x in o)<1200, o
PY
. "$(dirname "$0")/../lib/tmux.sh"
T_COUNT=$N T_BAD=$BAD
trap 't kill-server 2>/dev/null; end' EXIT
start 100 30 "$CDEFRAG" "$dev"
wait_for 'frag [0-9]' || exit 1
type_text ':goto 30000'; keys Enter
wait_for 'blk 30000 '
type_text ':watch 1'; keys Enter
check 'watched on the terminal' wait_for 'watching, every 1 s: as of [0-9:]*, 0 blocks have changed'
head -c 500000 /dev/urandom >"$mnt/second"
check 'a change is said' wait_for 'watching.*, [4-9][0-9][0-9] blocks have changed'
check 'the cursor stays' wait_for 'blk 30000 '
type_text ':watch off'; keys Enter
check 'no longer' wait_for 'no longer watching'
keys q
check 'the terminal is as it was' terminal_is_sane
umount "$mnt"
check 'the volume is clean' bash -c 'e2fsck -fn "$1" >/dev/null 2>&1' - "$img"
finish
