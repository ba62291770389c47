# SPDX-License-Identifier: GPL-3.0-or-later
# test_batch.sh - the main job without a terminal, on the demo image and on a mke2fs image.
# Oracles: e2fsck -fn, the contents by debugfs, python's json.
set -u
n=0 bad=0
check() { # check NAME COMMAND...
	local name=$1; shift
	n=$((n + 1))
	if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; bad=1; fi
}
img=$TMPDIR/demo.img
c() { "$CDEFRAG" "$@" </dev/null; }
# gets JSON of the last command: get 'python expression in o'
get() { python3 -c "import json,sys; o=json.loads(sys.stdin.read().splitlines()[-1]); print($1)"; }
# holds 'expression': the JSON on stdin is as it says, else show it
holds() { python3 -c "
import json,sys
t=sys.stdin.read()
o=json.loads(t.splitlines()[-1])
ok=($1)
if not ok: print('# '+t[:600])
sys.exit(not ok)"; }
clean() { e2fsck -fn "$1" >"$TMPDIR/fsck" 2>&1 || { sed 's/^/# /' "$TMPDIR/fsck"; return 1; }; }
contents() { # a checksum of every file's bytes, by name, read by debugfs
	rm -rf "$TMPDIR/dump"; mkdir "$TMPDIR/dump"
	debugfs -R "rdump / $TMPDIR/dump" "$1" >/dev/null 2>&1
	(cd "$TMPDIR/dump" && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
}

check 'make the demo' c --make-demo "$img" --seed 3
check 'keep it' bash -c '"$CDEFRAG" --make-demo "'"$img"'" --seed 4 | grep -q "kept as it is"'
check 'the demo is clean' clean "$img"
cp "$img" "$TMPDIR/before.img"; before=$(contents "$img")

check 'analyze has its keys' bash -c '"$CDEFRAG" --json -c analyze "'"$img"'" | python3 -c "
import json,sys
o=json.loads(sys.stdin.read())
keys=\"volume inodes_used files directories fragments best worst files_fragmented layout_score free_blocks free_runs largest_hole_blocks read_time_ms\".split()
volume=\"path uuid label type block_size blocks features state\".split()
assert all(k in o for k in keys) and all(k in o[\"volume\"] for k in volume)
assert o[\"best\"] < o[\"fragments\"] < o[\"worst\"] and o[\"flaw_count\"] == 0 and o[\"files_fragmented\"] > 50"'
check 'free blocks as dumpe2fs counts them' [ "$(c --json -c analyze "$img" | get 'o["free_blocks"]')" = \
	"$(dumpe2fs -h "$img" 2>/dev/null | sed -n 's/^Free blocks: *//p')" ]
check 'groups as dumpe2fs counts them' bash -c '
	dumpe2fs "'"$img"'" 2>/dev/null | sed -n "s/^  \([0-9]*\) free blocks,.*/\1/p" >"$TMPDIR/groups.want"
	"$CDEFRAG" --json -c groups "'"$img"'" | python3 -c "
import json,sys
for g in json.loads(sys.stdin.read()): print(g[\"free_blocks\"])" >"$TMPDIR/groups.got"
	[ -s "$TMPDIR/groups.got" ] && cmp "$TMPDIR/groups.want" "$TMPDIR/groups.got"'
check 'groups as text, one line each' [ "$(c -c groups "$img" | wc -l)" -gt 2 ]
c --json -c 'files --fragmented --limit 3' "$img" >"$TMPDIR/files"
check 'files' holds 'len(o)==3 and all(set(x)=={"inode","path","type","size_bytes","blocks","fragments","ideal","first_block"} for x in o)
	and o[0]["fragments"]>=o[1]["fragments"]>=o[2]["fragments"]>1' <"$TMPDIR/files"
path=$(get 'o[0]["path"]' <"$TMPDIR/files") ino=$(get 'o[0]["inode"]' <"$TMPDIR/files")
block=$(get 'o[0]["first_block"]' <"$TMPDIR/files")
check 'blocks add up' holds 'sum(e["blocks"] for e in o["extents"] if e["kind"]=="file")==o["blocks"]
	and o["extents"][-1]["kind"] in ("file","tree") and max(e.get("fragment",0) for e in o["extents"])==o["fragments"]' \
	< <(c --json -c "blocks $path" "$img")
check 'and are what debugfs says' [ "$(debugfs -R "bmap <$ino> 5" "$img" 2>/dev/null)" = "$(c --json -c "blocks $path" "$img" |
	get '[e["first_block"]+5-e["logical"] for e in o["extents"] if e["kind"]=="file" and e["logical"]<=5<e["logical"]+e["blocks"]][0]')" ]
check 'owner of its first block' holds "o['inode']==$ino and o['path']=='$path' and o['kind']=='file' and o['fragment']==1
	and o['logical']==0 and o['block']==$block and o['group']==($block-1)//8192" < <(c --json -c "owner $block" "$img")
check 'owner of a superblock' holds 'o["kind"]=="superblock" and o["inode"] is None and o["path"] is None' \
	< <(c --json -c 'owner 1' "$img")
check 'owner of a range' holds 'sum(x["blocks"] for x in o)==200 and o[0]["block"]==1' < <(c --json -c 'owner 1+200' "$img")
check 'names in order' bash -c '"$CDEFRAG" --json -c "files --sort name" "'"$img"'" | python3 -c "
import json,sys
p=[x[\"path\"] for x in json.loads(sys.stdin.read())]
assert len(p)>100 and p==sorted(p) and not any(x.startswith(\"<\") for x in p)"'
check 'map of 60 columns' bash -c '"$CDEFRAG" --ascii -c "map --width 60" "'"$img"'" >"$TMPDIR/map" &&
	awk "{ if (length(\$0) > 60) exit 1 } END { exit NR < 8 }" "$TMPDIR/map" && grep -q J "$TMPDIR/map"'
for kind in txt ansi svg; do
	check "shot .$kind" c -c "select $path; shot $TMPDIR/shot.$kind --size 120x40" "$img"
	check "shot .$kind shows the file" grep -q 'fragments' "$TMPDIR/shot.$kind"
done
check 'nothing of this wrote' cmp "$img" "$TMPDIR/before.img"

refused() { # refused EXIT TEXT ARGS...
	local rc want=$1 text=$2; shift 2
	c "$@" >"$TMPDIR/out" 2>&1; rc=$?
	[ $rc -eq "$want" ] && grep -q "$text" "$TMPDIR/out" || { echo "# exit $rc"; sed 's/^/# /' "$TMPDIR/out"; return 1; }
}
check 'run needs -w' refused 1 'for viewing only' -c 'defrag %; run!' "$img"
check 'run without ! needs an answer' refused 1 'an answer is needed; use run!' -w -c 'defrag %; run' "$img"
check 'run needs a plan' refused 2 'there is no plan' -w -c 'run!' "$img"
check 'nothing to undo' refused 1 'nothing to undo' -w -c 'undo' "$img"
check 'no such path' refused 2 'no such file' -c 'defrag /nix' "$img"
check 'none of this wrote' cmp "$img" "$TMPDIR/before.img"

c -w --json -c 'defrag %' -c 'plan show' -c 'plan check' "$img" >"$TMPDIR/plan"
check 'a plan' holds 'o["moves"]==len(o["move_list"])>0 and o["after"]["fragments"]<o["before"]["fragments"]' \
	< <(sed -n 2p "$TMPDIR/plan")
check 'planning wrote nothing' cmp "$img" "$TMPDIR/before.img"
c -w --json -c "defrag $path" -c 'run!' "$img" >"$TMPDIR/run"
check 'one file' holds 'o["moves"]>0 and o["blocks_moved"]>0 and o["bytes_read"]>0 and o["bytes_written"]>0 and
	o["batches"]>0 and o["skipped"]==[] and o["after"]["fragments"]<o["before"]["fragments"]' <"$TMPDIR/run"
check 'it is whole' holds 'o["fragments"]==o["ideal"]==1' < <(c --json -c "blocks $path" "$img")
check 'clean' clean "$img"
check 'run two files' holds 'o["batches"]==2 and o["moves"]>0' < <(c -w --json -c 'defrag %; run! 2' "$img")
check 'clean after a step' clean "$img"
check 'a plan goes on after a step' holds 'o["after"]["fragments"]==o["after"]["best"]' \
	< <(c -w --json -c 'defrag %; step 3; plan check; run!' "$img")
check 'whole volume: check agrees' bash -c '"$CDEFRAG" --json -c check "'"$img"'" | grep -q "\"model_agrees\":true.*\"e2fsck_clean\":true"'
check 'clean, same contents' bash -c "[ '$before' = '$(contents "$img")' ]"
check 'a second run has nothing to do' bash -c '"$CDEFRAG" -w -c "defrag %; run!" "'"$img"'" | grep -q "nothing to move"'
check 'journal list' holds 'len(o["actions"])==4 and o["fits"] and all(a["undone_batches"]==0 for a in o["actions"])' \
	< <(c --json -c 'journal list' "$img")
check 'undo one' holds 'o["actions"]==1' < <(c -w --json -c undo "$img")
check 'redo one' holds 'o["actions"]==1' < <(c -w --json -c redo "$img")
check 'undo all' holds 'o["actions"]==4' < <(c -w --json -c 'undo all' "$img")
check 'clean after undo' clean "$img"
check 'same contents after undo' bash -c "[ '$before' = '$(contents "$img")' ]"
check 'same layout after undo' cmp <(c --json -c 'files --sort inode' "$img") <(c --json -c 'files --sort inode' "$TMPDIR/before.img")
check 'redo all' holds 'o["after"]["fragments"]==o["after"]["best"]' < <(c -w --json -c 'redo all' "$img")

stopped() { # a signal between two batches: exit code 3, and nothing is broken
	yes 'defrag %; step 1; undo' | "$CDEFRAG" --batch -w "$TMPDIR/before.img" >"$TMPDIR/out" 2>"$TMPDIR/err" &
	local pid=$! rc
	for i in $(seq 100); do [ -s "$TMPDIR/out" ] && break; sleep 0.05; done
	kill -TERM $pid; wait $pid; rc=$?
	[ $rc -eq 3 ] && grep -q 'all that was done is safe' "$TMPDIR/err" || { echo "# exit $rc"; return 1; }
}
cp "$TMPDIR/before.img" "$TMPDIR/kept.img"
check 'a signal stops safely' stopped
check 'clean after the signal' clean "$TMPDIR/before.img"
check 'same contents after the signal' bash -c "[ '$before' = '$(contents "$TMPDIR/before.img")' ]"
mv "$TMPDIR/kept.img" "$TMPDIR/before.img"

printf 'tag %s\ndefrag @tags\nrun!\nundo\n' "$path" >"$TMPDIR/script"
cp "$TMPDIR/before.img" "$TMPDIR/two.img"
check 'a script, and a journal by -z' c -w -z "$TMPDIR/two.undo" -s "$TMPDIR/script" "$TMPDIR/two.img"
check 'the journal is there' [ -s "$TMPDIR/two.undo" ]
check 'a volume in a disk image' bash -c 'truncate -s 1M "$TMPDIR/disk" && cat "$TMPDIR/before.img" >>"$TMPDIR/disk" &&
	"$CDEFRAG" -w --offset 1M -z "$TMPDIR/disk.undo" -c "defrag %; run!; check" "$TMPDIR/disk" >"$TMPDIR/out" &&
	grep -q "e2fsck -fn: clean" "$TMPDIR/out" && cmp -n 1048576 "$TMPDIR/disk" /dev/zero'

# Names that are not UTF-8, blanks in names, no fragments at all.
mkdir "$TMPDIR/tree"; printf x >"$TMPDIR/tree/$(printf 'b\377d')"; printf y >"$TMPDIR/tree/two words"
truncate -s 16M "$TMPDIR/small.img"; mke2fs -q -t ext2 -d "$TMPDIR/tree" "$TMPDIR/small.img" >/dev/null 2>&1
check 'a name that is not UTF-8' holds 'any(x["path"]=="/b%FFd" and x["path_raw"]=="L2L/ZA==" for x in o)' \
	< <(c --json -c 'files' "$TMPDIR/small.img")
check 'a name with blanks' holds 'o["path"]=="/two words"' < <(c --json -c 'blocks "/two words"' "$TMPDIR/small.img")
check 'text never shows raw bytes' bash -c '"$CDEFRAG" -c files "$TMPDIR/small.img" | grep -q "/b\\\\xFFd"'
debugfs -w -R 'ssv state 3' "$TMPDIR/small.img" >/dev/null 2>&1
cp "$TMPDIR/small.img" "$TMPDIR/small2.img"
check 'errors recorded: no writing' refused 1 'error' -w -c 'defrag %; run!' "$TMPDIR/small.img"
check 'untouched' cmp "$TMPDIR/small.img" "$TMPDIR/small2.img"
check 'looking is allowed' c -c analyze "$TMPDIR/small.img"
debugfs -w -R 'ssv state 1' "$TMPDIR/small.img" >/dev/null 2>&1
debugfs -w -R 'clri <12>' "$TMPDIR/small.img" >/dev/null 2>&1
cp "$TMPDIR/small.img" "$TMPDIR/small2.img"
check 'contradictions: no planning' refused 1 'contradicts itself' -w -c 'defrag %; run!' "$TMPDIR/small.img"
check 'they are listed' refused 0 'contradictions: viewing only' -c analyze "$TMPDIR/small.img"
check 'untouched' cmp "$TMPDIR/small.img" "$TMPDIR/small2.img"
echo "1..$n"
exit $bad
