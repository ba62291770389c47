# SPDX-License-Identifier: GPL-3.0-or-later
# test_replay.sh - the past on the map: there and back without a change to the volume; recordings; by keys.
. tests/lib/tmux.sh

img=$TMPDIR/v.img
"$CDEFRAG" --make-demo "$img" --seed 3 >/dev/null
c() { "$CDEFRAG" -z "$TMPDIR/u" "$@" </dev/null; }
figure() { python3 -c "import json,sys; print(*[json.loads(l)['fragments'] for l in sys.stdin if 'fragments' in l])"; }
fails() { local want=$1; shift; "$@" >"$TMPDIR/said" 2>&1 && return 1; grep -q "$want" "$TMPDIR/said" || { sed 's/^/# /' "$TMPDIR/said"; return 1; }; }
before=$(c --json -c analyze "$img" | figure)
check 'nothing to replay yet' fails 'nothing was done' c -c replay "$img"
c -w -c 'defrag /usr' -c 'run!' -c 'defrag %' -c 'run!' "$img" >/dev/null
after=$(c --json -c analyze "$img" | figure)
cp "$img" "$TMPDIR/after.img"
check 'first is before it all, last is now' [ "$(c --json -c 'replay first' -c analyze -c 'replay last' -c analyze "$img" | figure)" = "$before $after" ]
steps=$(c --json -c replay "$img" | python3 -c 'import json,sys; print(json.load(sys.stdin)["last"])')
check 'several batches' [ "$steps" -ge 2 ]
check 'every step there and back agrees with a scan at the end' bash -c "'$CDEFRAG' -z '$TMPDIR/u' $(for i in $(seq "$steps"); do echo -n "-c 'replay back' "; done) $(for i in $(seq "$steps"); do echo -n "-c 'replay on' "; done) -c 'replay end' -c check '$img' </dev/null | grep -q 'agrees with the picture'"
check 'no job meanwhile' fails 'replay end' c -c 'replay back' -c 'defrag %' "$img"
c -w -c 'undo! all' "$img" >/dev/null
check 'undone batches are left out' fails 'nothing was done' c -c replay "$img"
c -w -c 'redo! all' "$img" >/dev/null
check 'record a replay' c -c 'analyze' -c "record $TMPDIR/r.cast --size 100x30" -c 'replay play' -c 'record stop' -c 'replay end' "$img"
check 'frames enough' [ "$(wc -l <"$TMPDIR/r.cast")" -gt "$steps" ]
check 'as a moving picture' c -c "replay $TMPDIR/r.cast $TMPDIR/r.svg"
check 'which is one' grep -q animateTransform "$TMPDIR/r.svg"
check 'a lab run is recorded' c -c "lab age $TMPDIR/lab.img --size 32M --preset mail --record $TMPDIR/lab.cast"
check 'frame by frame' [ "$(wc -l <"$TMPDIR/lab.cast")" -gt 50 ]

# by keys
cp "$img" "$TMPDIR/now.img"
start 100 30 "XDG_STATE_HOME=$XDG_STATE_HOME $CDEFRAG -z $TMPDIR/u $img; echo ended-\$?"
wait_for 'score'
type_text ':replay'; keys Enter
check 'shown' wait_for "batch $steps of $steps"
keys Home
check 'Home: before it all' wait_for 'before it all'
keys Right
check 'a step' wait_for 'batch 1 of'
keys Space
check 'plays to the end' wait_for "= +batch $steps of $steps"
keys Escape; sleep 0.1
check 'back to the present' gone 'Space plays'
keys M-3; wait_for 'defrag %' >/dev/null; keys r
check 'r in the journal pane' wait_for "batch $steps of $steps"
keys Escape
check 'and back' gone 'Space plays'
type_text ":replay $TMPDIR/lab.cast"; keys Enter
check 'a recording' wait_for 'frame 1 of'
keys End
check 'its end' wait_for 'frame ([0-9]+) of \1'
keys Escape; sleep 0.1
keys q
check 'the volume was not touched' cmp "$img" "$TMPDIR/now.img"
finish
