# SPDX-License-Identifier: GPL-3.0-or-later
# test_lab.sh - the lab from the command line. Oracles: e2fsck -fn, debugfs, cmp, sha256sum, a mount (root only).
set -u
n=0 bad=0
check() { # check NAME COMMAND...
	local name=$1; shift
	n=$((n + 1))
	if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; bad=1; fi
}
img=$TMPDIR/class.img
c() { "$CDEFRAG" "$@" </dev/null; }
holds() { python3 -c "
import json,sys
t=sys.stdin.read()
o=json.loads(t.splitlines()[-1])
ok=($1)
if not ok: print('# '+t[:600])
sys.exit(not ok)"; }
clean() { e2fsck -fn "$1" >"$TMPDIR/fsck" 2>&1 || { sed 's/^/# /' "$TMPDIR/fsck"; return 1; }; }
refuses() { # refuses CODE WORD COMMAND...: exits so and says so
	local code=$1 word=$2; shift 2
	"$@" >"$TMPDIR/said" 2>&1; local rc=$?
	[ $rc = "$code" ] && grep -q "$word" "$TMPDIR/said" || { echo "# rc $rc: $(head -3 "$TMPDIR/said")"; return 1; }
}

# --- ageing
check 'age' c -c "lab age $img --size 32M --preset mail --policy next --manifest $TMPDIR/sums"
check 'the aged volume is clean' clean "$img"
check 'its report' holds 'o["files"]>100 and o["extents"]>=o["files"] and o["loops"][0]["write"]["count"]>0
	and sum(o["holes_by_power_of_two"])==o["free_runs"]' < <(c --json -c "lab age $TMPDIR/two.img --size 32M --preset mail --policy next")
check 'the same again' cmp "$img" "$TMPDIR/two.img"
check 'figures as a scan has them' [ "$(c --json -c analyze "$img" | python3 -c 'import json,sys; print(json.load(sys.stdin)["free_runs"])')" = \
	"$(c --json -c "lab age $TMPDIR/two.img --size 32M --preset mail --policy next --force" | python3 -c 'import json,sys; print(json.load(sys.stdin)["free_runs"])')" ]
if [ "$(id -u)" = 0 ] && mkdir "$TMPDIR/m" && mount -o loop,ro "$img" "$TMPDIR/m" 2>/dev/null; then
	check 'mounts, with the contents of the manifest' bash -c 'cd "$TMPDIR/m" && sha256sum --quiet -c "$TMPDIR/sums"'
	check 'not while it is mounted' refuses 1 'mounted\|in use\|loop' c -c 'lab write /x 1K' "$img"
	umount "$TMPDIR/m"
else
	echo "ok $((n + 1)) - mounts # SKIP needs root and loop devices"; n=$((n + 1))
fi
check 'a preset that is not' refuses 2 'fsmark, mail' c -c "lab age $TMPDIR/x.img --preset nothing"
check 'an option that is not' refuses 2 'no option' c -c "lab age $TMPDIR/x.img --colour red"
check 'usage is of the verb' refuses 2 'usage: lab punch PATH OFFSET LENGTH' c -c 'lab punch /x'
check 'not over a file' refuses 1 'exists' c -c "lab age $img"

# --- comparing
mkdir "$TMPDIR/keep"
c --json -c "lab compare next ext4 --size 32M --preset logs --keep $TMPDIR/keep" >"$TMPDIR/cmp"
check 'compare' holds '[x["policy"] for x in o]==["next","ext4"] and o[0]["extents_per_file"]>5*o[1]["extents_per_file"]
	and all(set(x["map"])<=set(".%=#") and len(x["map"])>500 for x in o)' <"$TMPDIR/cmp"
for p in 0:next 1:ext4; do
	check "its copy under ${p#*:} is clean" clean "$TMPDIR/keep/${p#*:}.img"
	# root and lost+found are one fragment each
	check 'and a scan finds the same fragments' holds \
		"o['fragments']-2==$(python3 -c "import json; print(json.load(open('$TMPDIR/cmp'))[${p%:*}]['metrics']['fragments'])")" \
		< <(c --json -c analyze "$TMPDIR/keep/${p#*:}.img")
done
check 'compare as text' bash -c '"$CDEFRAG" -c "lab compare first best --size 16M" | grep -q "^largest hole"'
check 'an allocator that is not' refuses 2 'first, next' c -c 'lab compare first fist'

# --- by hand
img=$TMPDIR/hand.img
check 'new' c -c "lab new 16M $img --block 1k" -c info
cp "$img" "$TMPDIR/0.img"
check 'write says why' holds 'o["reasons"][0].endswith("first hole of 12 blocks at or after the goal, block 1") and o["taken"][0]["blocks"]==12' \
	< <(c --json -c 'lab policy next' -c 'lab write /a 12K' "$img")
check 'in turns they interleave' holds 'len(o["taken"])==8' < <(c --json -c 'lab write /b 16K /c 16K --piece 4K' "$img")
check 'debugfs sees the pieces' [ "$(debugfs -R 'stat /b' "$img" 2>/dev/null | grep -o '([0-9-]*):' | wc -l)" = 4 ]
check 'the others' c -c 'lab mkdir /d' -c 'lab append /a 5K' -c 'lab punch /a 2K 4K' -c 'lab truncate /c 3K' -c 'lab delete /b' -c 'lab fill 40' "$img"
check 'clean' clean "$img"
check 'undo all' c -c 'lab undo all' "$img"
check 'is as new' cmp "$img" "$TMPDIR/0.img"
check 'steps' holds 'len(o)==8 and all(s["undone"] for s in o)' < <(c --json -c 'lab steps' "$img")
check 'redo 3' c -c 'lab redo 3' "$img"
check 'clean again' clean "$img"
check 'defragment what the lab tore apart' c -w -z "$TMPDIR/u" -c 'defrag %' -c 'run!' "$img"
check 'then its steps no longer fit' refuses 1 'something else' c -c 'lab undo' "$img"
c --make-demo "$TMPDIR/demo.img" >/dev/null; cp "$TMPDIR/demo.img" "$TMPDIR/demo0.img"
check 'never another volume' refuses 1 'not made by the lab' c -c 'lab write /x 1K' "$TMPDIR/demo.img"
check 'which stays as it is' cmp "$TMPDIR/demo.img" "$TMPDIR/demo0.img"
check 'a verb that is not' refuses 2 'it knows' c -c 'lab dance'
exit $bad
