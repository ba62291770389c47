# SPDX-License-Identifier: GPL-3.0-or-later
# test_rules.sh - what may be moved and what stays, by the program itself: features, report pinned, a volume
# with quota defragmented and read back with --verify, and undone whole. Oracles: e2fsck -fn (which counts the
# usage itself), cmp.
set -u
n=0 bad=0
check() { # check NAME COMMAND...
	local name=$1; shift
	n=$((n + 1))
	if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; bad=1; fi
}
c() { "$CDEFRAG" "$@" </dev/null; }
holds() { python3 -c "
import json,sys
t=sys.stdin.read()
o=json.loads(t.splitlines()[-1])
ok=($1)
if not ok: print('# '+t[:600])
sys.exit(not ok)"; }
to() { local file=$1; shift; "$@" >"$file"; }
quiet() { "$@" >/dev/null 2>&1; }
row() { c --json -c features ${3:+"$3"} | holds "[f for f in o['features'] if f['name']=='$1'][0]$2"; }

check 'features without a volume' to "$TMPDIR/features" c -c features
check 'each with a rule' bash -c '[ $(grep -cE "^ [^ ]+ +(move|view|refuse) +[^ ]" "$1") -ge 44 ]' - "$TMPDIR/features"
check 'and what is never moved' grep -q '^ inode table  *[^ ]' "$TMPDIR/features"
check 'a rule as JSON' row bigalloc "['rule']=='view'"
check 'not on a volume' row extent "['here']==False"

img=$TMPDIR/q.img tree=$TMPDIR/tree
mkdir -p "$tree/boot/grub" "$tree/d"
echo loader >"$tree/boot/grub/core.img"
mke2fs -q -F -t ext4 -b 1024 -O quota,project -d "$tree" "$img" 24M
head -c 2000 /dev/urandom >"$TMPDIR/piece"
for f in $(seq 1 400); do echo "write $TMPDIR/piece d/$f"; done | debugfs -w -f - "$img" >/dev/null 2>&1
for f in $(seq 1 2 400); do echo "rm d/$f"; done | debugfs -w -f - "$img" >/dev/null 2>&1
head -c 300000 /dev/urandom >"$TMPDIR/large"
echo "write $TMPDIR/large large" | debugfs -w -f - "$img" >/dev/null 2>&1
e2fsck -fy "$img" >/dev/null 2>&1; e2fsck -fy "$img" >/dev/null 2>&1
check 'the volume is clean' quiet e2fsck -fn "$img"
check 'it has quota' row quota "['here']" "$img"
check 'it is in pieces' bash -c '"$1" --json -c analyze "$2" </dev/null | grep -q "\"fragments\":"' - "$CDEFRAG" "$img"
check 'pinned is listed' bash -c '"$1" -c "report pinned" "$2" </dev/null | grep -q "core.img: a boot loader"' - "$CDEFRAG" "$img"
check 'defragment and read back' to "$TMPDIR/run" c --json -w --verify -z "$TMPDIR/u" -c 'defrag %' -c 'run!' "$img"
verified() { holds "o['bytes_verified']>=100000" <"$TMPDIR/run"; }
check 'all that was written was read' verified
check 'usage is right' quiet e2fsck -fn "$img"
debugfs -R "dump large $TMPDIR/dump" "$img" >/dev/null 2>&1
check 'contents' cmp "$TMPDIR/large" "$TMPDIR/dump"
check 'off unless asked for' bash -c '[ "$("$1" -c "set verify?" </dev/null)" = verify=off ]' - "$CDEFRAG"
check 'undo' quiet c -w -z "$TMPDIR/u" -c 'undo! all' "$img"
check 'usage is right again' quiet e2fsck -fn "$img"
echo "1..$n"
exit $bad
