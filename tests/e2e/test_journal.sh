# SPDX-License-Identifier: GPL-3.0-or-later
# test_journal.sh - the undo journal from the command line: list, show, verify, recover, export, archive, forget;
# and what is said of a journal that is damaged, cut, of another volume, in use, or on the volume itself.
set -u
n=0 bad=0
check() { # check NAME COMMAND...
	local name=$1; shift
	n=$((n + 1))
	if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; sed 's/^/# /' "$TMPDIR/out"; bad=1; fi
}
img=$TMPDIR/journal.img
j() { ls "$XDG_STATE_HOME"/cdefrag/*.undo; }
c() { "$CDEFRAG" "$@" </dev/null >"$TMPDIR/out" 2>&1; }
says() { grep -q -- "$1" "$TMPDIR/out"; }
holds() { python3 -c "import json,sys; o=json.loads(open('$TMPDIR/out').readlines()[-1]); sys.exit(not ($1))"; }
fails() { local rc=$1; shift; "$@"; [ $? -eq "$rc" ]; }

"$CDEFRAG" --make-demo "$img" --seed 5 >/dev/null
cp "$img" "$TMPDIR/before.img"
check 'no journal yet' fails 1 c -c 'journal verify' "$img"
check 'and it says so' says 'there is no undo journal'
check 'nor anything to forget' fails 1 c -c 'journal! forget' "$img"
c -w -c 'defrag /var' -c 'run!' -c 'defrag /home' -c 'run!' "$img"
check 'two actions' c --json -c 'journal list' "$img"
check 'are listed' holds 'len(o["actions"])==2'
check 'show the second' c --json -c 'journal show 2' "$img"
check 'with its files' holds 'o["action"]==2 and o["files"] and all(f["path"].startswith("/home") and f["blocks"]>0 for f in o["files"])'
check 'show in words is the last' c -c 'journal show' "$img"
check 'with paths' says '/home/'
check 'there is no third' fails 2 c -c 'journal show 3' "$img"
check 'verify' c --json -c 'journal verify' "$img"
check 'all is whole' holds 'o["whole"] and o["fits"] and o["inodes"]>100 and o["inodes_changed"]==0'
check 'verify in words' c -c 'journal verify' "$img"
check 'nothing to recover' c -c 'journal recover' "$img"
check 'and that is said' says 'nothing to recover'
cmp -s "$img" "$TMPDIR/before.img"; check 'the volume did change' [ $? -eq 1 ]

check 'export' c -c "journal export $TMPDIR/undo.json" "$img"
check 'is JSON, each record once' python3 - "$TMPDIR/undo.json" <<'PY'
import json, sys
o = json.load(open(sys.argv[1]))
kinds = [r["type"] for r in o["records"]]
assert [r["record"] for r in o["records"]] == list(range(1, len(kinds) + 1))
assert kinds.count("action") == 2 and kinds.count("session") == kinds.count("closed") == 2
intents = [r for r in o["records"] if r["type"] == "intent"]
dones = [r for r in o["records"] if r["type"] == "done"]
assert len(intents) == len(dones) > 1
for i, d in zip(intents, dones):
	assert len(d["crc32c"]) == sum(len(f["copies"]) for f in i["inodes"])
	assert all(len(f["before"]) == 140 and f["before"] != f["after"] for f in i["inodes"])
PY
check 'not over another file' fails 1 c -c "journal export $TMPDIR/undo.json" "$img"

# An inode that another program changed behind the superblock's back.
cp "$img" "$TMPDIR/kept.img"
name=$("$CDEFRAG" --json -c 'journal show 2' "$img" | python3 -c 'import json,sys; print(json.load(sys.stdin)["files"][-1]["inode"])')
debugfs -w -R "set_inode_field <$name> mtime 77" "$img" >/dev/null 2>&1
check 'verify finds the inode' fails 1 c -c 'journal verify' "$img"
check 'and names it' says "inode $name"
cp "$img" "$TMPDIR/changed.img"
check 'undo does not touch it' fails 1 c -w -c 'undo! 1' "$img"
check 'and says what changed' says "inode $name was changed since by another program"
check 'not a byte is written' cmp "$img" "$TMPDIR/changed.img"
cp "$TMPDIR/kept.img" "$img"

# Damage.
jf=$(j); cp "$jf" "$TMPDIR/good.undo"
printf X | dd of="$jf" bs=1 seek=4000 conv=notrunc 2>/dev/null
check 'a flipped byte' fails 1 c -c 'journal verify' "$img"
check 'is found, and the place named' says 'damaged at byte'
check 'undo refuses' fails 1 c -w -c 'undo!' "$img"
check 'forget refuses' fails 1 c -c 'journal! forget' "$img"
check 'the volume is as it was' cmp "$img" "$TMPDIR/kept.img"
check 'archive sets it aside' c -c 'journal archive' "$img"
check 'as it was' [ -s "$jf.1" -a ! -e "$jf" ]
cp "$TMPDIR/good.undo" "$jf"

check 'another volume' c --make-demo "$TMPDIR/other.img" --seed 6
check 'has another journal' fails 1 c -w -z "$jf" -c 'undo!' "$TMPDIR/other.img"
check 'that is said' says 'belongs to another volume'
check 'on the volume itself' fails 1 c -w -z "$img" -c 'defrag /var' -c 'run!' "$img"
check 'the volume is as it was ' cmp "$img" "$TMPDIR/kept.img"
check 'no journal at all' fails 1 c -w -z "$TMPDIR/undo.json" -c 'undo!' "$img"
check 'that is said ' says 'is not an undo journal'
if [ -w /dev/full ]; then
	cp "$TMPDIR/kept.img" "$TMPDIR/full.img"
	check 'a journal that cannot be' fails 1 c -w -z /dev/full -c 'defrag /usr' -c 'run!' "$TMPDIR/full.img"
	check 'leaves the volume alone' cmp "$TMPDIR/full.img" "$TMPDIR/kept.img"
fi

check 'undo of both' c -w -c 'undo! all' "$img"
check 'as before' cmp <(dumpe2fs "$img" 2>/dev/null) <(dumpe2fs "$TMPDIR/before.img" 2>/dev/null)
cp "$TMPDIR/before.img" "$TMPDIR/full.img" # deleted files are still there in free blocks
check 'keeping free blocks' c --undo full -w -z "$TMPDIR/full.undo" -c 'defrag %' -c 'run!' "$TMPDIR/full.img"
check 'is told in the list' c --json -z "$TMPDIR/full.undo" -c 'journal list' "$TMPDIR/full.img"
check 'of actions' holds 'o["actions"][0]["undo"]=="full"'
cmp -s "$TMPDIR/full.img" "$TMPDIR/before.img"; check 'all was moved' [ $? -eq 1 ]
check 'undone' c -w -z "$TMPDIR/full.undo" -c 'undo! all' "$TMPDIR/full.img"
check 'the whole image is back, free blocks too' cmp "$TMPDIR/full.img" "$TMPDIR/before.img"
check 'no other word' fails 2 c --undo all -c info "$img"
cp "$TMPDIR/before.img" "$TMPDIR/room.img" # what a file left is still there: it need not be copied back
c -w -z "$TMPDIR/room.undo" -c 'defrag /home' -c 'run!' "$TMPDIR/room.img"
check 'undo of what had room' c --json -w -z "$TMPDIR/room.undo" -c 'undo!' "$TMPDIR/room.img"
check 'copies less than a fifth of its data' holds 'o["blocks_moved"]>3000 and o["copied_blocks"]*5<o["blocks_moved"]'
check 'forgetting needs an answer' fails 1 c -c 'journal forget' "$img"
check 'forget' c --json -c 'journal! forget' "$img"
check 'it is gone' [ ! -e "$jf" ]
check 'a mistyped word' fails 2 c -c 'journal frobnicate' "$img"
check 'is told the right ones' says 'recover, export, archive or forget'
echo "1..$n"
exit $bad
