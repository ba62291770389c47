# SPDX-License-Identifier: GPL-3.0-or-later
# test_every_goal.sh - every goal on the demo image: planned, run, undone. Oracles: e2fsck -fn, contents and attributes by
# debugfs (lib/manifest), debugfs's own idea of where blocks lie, cmp after undo.
set -u
n=0 bad=0
check() { # check NAME COMMAND...
	local name=$1; shift
	n=$((n + 1))
	if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; bad=1; fi
}
img=$TMPDIR/demo.img
c() { "$CDEFRAG" "$@" </dev/null; }
get() { python3 -c "import json,sys; o=json.loads(sys.stdin.read().splitlines()[-1]); print($1)"; }
holds() { python3 -c "
import json,sys
t=sys.stdin.read()
o=json.loads(t.splitlines()[-1])
ok=($1)
if not ok: print('# '+t[-900:])
sys.exit(not ok)"; }
clean() { e2fsck -fn "$1" >"$TMPDIR/fsck" 2>&1 || { sed 's/^/# /' "$TMPDIR/fsck"; return 1; }; }
refused() { # refused CODE TEXT ARGS...
	local code=$1 text=$2; shift 2
	c "$@" >"$TMPDIR/out" 2>&1
	[ $? -eq "$code" ] && grep -q "$text" "$TMPDIR/out" || { sed 's/^/# /' "$TMPDIR/out"; return 1; }
}
in_use() { # how many of the $2 blocks from $1 on are used, by debugfs
	debugfs -R "testb $1 $2" "$img" 2>/dev/null | grep -c 'marked in use'
}

check 'make the demo' c --make-demo "$img" --seed 5
cp "$img" "$TMPDIR/before.img"
tests/lib/manifest "$img" >"$TMPDIR/before"

# goal NAME COMMAND: runs it on a fresh copy and asks the oracles.
goal() {
	local name=$1 line=$2
	cp "$TMPDIR/before.img" "$img"; rm -f "$TMPDIR/undo"
	c -w --json --undo full -z "$TMPDIR/undo" -c "$line" -c 'plan check' -c 'run!' "$img" \
		>"$TMPDIR/run" 2>"$TMPDIR/err" || sed 's/^/# /' "$TMPDIR/err"
	check "$name: moves, and as predicted" python3 -c "
import json
o=[json.loads(l) for l in open('$TMPDIR/run')]
plan,run=o[0],o[-1]
assert plan['moves']>0 and run['moves']==plan['moves'], (plan['moves'],run)
told={k: run['after'][k] for k in plan['after']}  # a run tells more besides
assert plan['after']==told, (plan['after'],told)
assert plan['after']['fragments']<=plan['before']['fragments'] or '$name'.startswith('move')"
	check "$name: clean" clean "$img"
}
same() {
	tests/lib/manifest "$img" >"$TMPDIR/after"
	check "$1: nothing of a file has changed" cmp "$TMPDIR/before" "$TMPDIR/after"
}
back() {
	c -w --undo full -z "$TMPDIR/undo" -c 'undo! all' "$img" >/dev/null
	check "$1: undone, byte for byte" cmp "$img" "$TMPDIR/before.img"
}

goal arrange arrange
same arrange
check 'arrange: the free space is in few holes' holds 'o["after"]["free_runs"]*10<o["before"]["free_runs"]' <"$TMPDIR/run"
check 'arrange: a walk through the tree hardly jumps' holds \
	'o["orders"]["readdir"]["jumps"]<60 and o["orders"]["readdir"]["dynamic_layout_score"]>0.99' \
	< <(c --json -c 'report layout' "$img")
check 'arrange: a second plan moves next to nothing' holds 'o["blocks_to_move"]<2000' < <(c --json -c arrange "$img")
back arrange

goal pack 'pack /var --order name'
c --json -c 'files --sort name' "$img" >"$TMPDIR/files"
check 'pack: one behind the other, by name' python3 -c "
import json
v=[f for f in json.loads(open('$TMPDIR/files').read()) if f['path'].startswith('/var') and f['blocks']]
assert len(v)>20 and all(f['fragments']==1 for f in v)
span=max(f['first_block']+f['blocks'] for f in v)-min(f['first_block'] for f in v)
assert span<1.1*sum(f['blocks'] for f in v), span"
back pack

c --json -c 'files --fragmented --limit 5' "$img" >"$TMPDIR/files"
get '"\n".join(f["path"] for f in o)' <"$TMPDIR/files" >"$TMPDIR/trace"
echo /no/such/file >>"$TMPDIR/trace"
goal 'pack list' "pack --order list=$TMPDIR/trace"
first=$(c --json -c files "$img" | python3 -c "
import json,sys
o={f['path']:f['first_block'] for f in json.load(sys.stdin)}
v=[o[l.strip()] for l in open('$TMPDIR/trace') if l.strip() in o]
print(v==sorted(v) and len(v)==5)")
check 'pack list: in the order of the list' [ "$first" = True ]
back 'pack list'
plan() { "$CDEFRAG" --json -c "pack --order list=$1" "$img" | get '[o["moves"], o["after"]]'; }
check 'pack list: the same from standard input' [ "$(plan - <"$TMPDIR/trace" 2>/dev/null)" = "$(plan "$TMPDIR/trace" </dev/null 2>/dev/null)" ]

goal compact 'compact g3'
same compact
back compact

goal gap 'gap 30 /var/log'
same gap
roomy() { # 30 % of its blocks are free behind its last one, by debugfs
	local blocks last
	blocks=$(debugfs -R "blocks $1" "$img" 2>/dev/null | tr ' ' '\n' | grep -c '[0-9]')
	last=$(debugfs -R "blocks $1" "$img" 2>/dev/null | tr ' ' '\n' | grep '[0-9]' | tail -1)
	[ "$blocks" -gt 50 ] && [ "$(in_use $((last + 1)) $(((blocks * 30 + 99) / 100)))" = 0 ]
}
check 'gap: debugfs finds room behind a log' roomy /var/log/auth.log
back gap

goal hole 'hole 2M --at 30000,50000'
hole=$(c --json -c 'owner 30000,50000' "$img" | get 'max((x["blocks"],x["block"]) for x in o if x["kind"]=="free")[1]')
check 'hole: debugfs finds it empty' [ "$(in_use "$hole" 2048)" = 0 ]
back hole

goal evacuate 'evacuate tail 4M'
same evacuate
check 'evacuate: debugfs finds the end empty' [ "$(in_use $((65536 - 4096)) 4096)" = 0 ]
check 'evacuate: it says how small the volume could be' bash -c \
	'head -1 "$TMPDIR/run" | grep -q "could be shrunk to 6[0-9] [0-9]* blocks now, to 61 [0-9]* "'
back evacuate

file=$(get 'o[0]["path"]' <"$TMPDIR/files") ino=$(get 'o[0]["inode"]' <"$TMPDIR/files")
goal 'move file' "move $file 45000"
check 'move file: debugfs finds it there' bash -c \
	"debugfs -R 'blocks <$ino>' '$img' 2>/dev/null | tr ' ' '\n' | sort -n | sed -n '2p' | awk '{exit !(\$1 >= 45000 && \$1 <= 45003)}'"
back 'move file'
goal 'move swap' 'move 30000+100 50000 --swap'
same 'move swap'
back 'move swap'

cp "$TMPDIR/before.img" "$img"; rm -f "$TMPDIR/undo"
c --json -c 'defrag /var' -c "plan save $TMPDIR/plan" -c 'plan clear' -c "plan load $TMPDIR/plan" -c 'plan show' "$img" >"$TMPDIR/out"
check 'a plan is read back as it was' python3 -c "
import json
o=[json.loads(l) for l in open('$TMPDIR/out') if l[0]=='{']
assert o[0]['moves']>5 and o[-1]['moves']==o[0]['moves'] and all(o[-1]['after'][k]==v for k,v in o[0]['after'].items())"
check 'and run' c -w -z "$TMPDIR/undo" -c "plan load $TMPDIR/plan" -c 'run!' "$img"
same 'plan load'
check 'not a second time' refused 1 'no longer as it was' -c "plan load $TMPDIR/plan" "$img"
check 'what is no plan' refused 2 'no plan of cdefrag' -c 'plan load /etc/passwd' "$img"
check 'explain a file' holds 'o["place"].startswith("%d blocks in %d fragments, from block %d " % (f["blocks"], f["fragments"], f["first_block"]))
	and "it then has 1 fragment from block" in o["defrag"] and o["path"]==f["path"] and any(k.startswith("compact g") for k in o)
	if (f:=json.loads(open("'"$TMPDIR"'/files").read())[0]) else 0' < <(c --json -c "explain $file" "$TMPDIR/before.img")
check 'explain a block' holds '"superblock" in o["place"] and "geometry" in o["why"]' < <(c --json -c 'explain 8193' "$img")
check 'move onto a superblock' refused 1 'cannot move and stands in the way' -c 'move 30000+100 8190' "$img"
check 'more than is free' refused 1 'are free on the volume' -c 'hole 60M' "$img"
check 'no such order' refused 2 'order is readdir' -c 'pack /var --order colour' "$img"
check 'no such place' refused 2 'is no place' -c 'move /var yonder' "$img"
check 'a tail without a size' refused 2 'evacuate tail SIZE' -c 'evacuate tail' "$img"
check 'swap is for ranges' refused 2 'swap is for ranges' -c 'move /var 20000 --swap' "$img"
echo "1..$n"
exit $bad
