# SPDX-License-Identifier: GPL-3.0-or-later
# test_stop.sh - ^C while the volume is being written: the run ends between two batches, the rest of the plan
# stays, and what was done can be undone. The program goes on.
. tests/lib/tmux.sh

img=$TMPDIR/stop.img
clean() { e2fsck -fn "$img" >"$TMPDIR/fsck" 2>&1 || { sed 's/^/# /' "$TMPDIR/fsck"; return 1; }; }
c() { "$CDEFRAG" "$@" </dev/null; }
# done_moves: of the one action that the journal has, if nothing of it is undone.
done_moves() { c --json -c 'journal list' "$img" | sed -n 's/^{"actions":\[{[^}]*"undone_batches":0,"moves":\([0-9]*\)[^}]*}\].*/\1/p'; }
layout() { c --json -c 'files --sort inode' "$img"; }

"$CDEFRAG" --make-demo "$img" --seed 5 --size 256M >/dev/null
layout >"$TMPDIR/layout"
# More than a thousand batches of one file each: long enough to be stopped.
start 100 30 "XDG_STATE_HOME=$XDG_STATE_HOME $CDEFRAG -w $img"
check 'the volume is open for writing' wait_for '\[RW'
check 'and read' wait_for 'fragmented, score'
type_text ':defrag %; step 100000; color kind'; keys Enter
check 'a run is going on' wait_for 'run .*batch [0-9]+'
keys C-c
check 'it stops' wait_for 'run stopped: [0-9 ]+ moves'
check 'the rest of the plan stays' wait_for 'plan: .*moves.* runs it'
type_text ':plan check'; keys Enter
check 'and is still possible' wait_for 'moves are possible as they stand'
keys q
check 'the program ends' wait_for 'ready> *$'
check 'clean after the stop' clean
moves=$(done_moves)
check 'a part was done' [ "${moves:-0}" -gt 0 ]
check 'and not all of it' bash -c '[ "$1" -gt 0 ]' _ "$(c --json -c 'defrag %' "$img" | sed 's/.*"moves":\([0-9]*\),"files".*/\1/')"
check 'undo' bash -c '"$CDEFRAG" -w -c "undo all" "'"$img"'" </dev/null >"$TMPDIR/undo"'
layout >"$TMPDIR/again"
check 'every file where it was' cmp "$TMPDIR/layout" "$TMPDIR/again"
check 'clean after undo' clean
finish
