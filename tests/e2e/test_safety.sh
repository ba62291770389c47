# SPDX-License-Identifier: GPL-3.0-or-later
# test_safety.sh - before the first session that writes, a copy is offered; afterwards, or for the demo, it is not.
. tests/lib/tmux.sh

img=$TMPDIR/v.img
"$CDEFRAG" --make-demo "$img" --seed 3 >/dev/null
tune2fs -L data "$img" >/dev/null
cp "$img" "$TMPDIR/before.img"
check 'batch: said before the question' bash -c "'$CDEFRAG' -w -z '$TMPDIR/none' -c 'defrag /var/log' -c run '$img' </dev/null 2>&1 | grep -q 'safety copy first: clone FILE'"
start 100 30 "XDG_STATE_HOME=$XDG_STATE_HOME $CDEFRAG -w -z $TMPDIR/u $img; echo ended-\$?"
wait_for 'score'
type_text ':defrag /var/log'; keys Enter
wait_for 'moves' >/dev/null
keys '!'
check 'offered on the screen' wait_for 'c clones, i images'
keys c
check 'c: the command line, ready for a name' wait_for '^:clone'
type_text "$TMPDIR/copy.img"; keys Enter
check 'copied' wait_for 'clone'
check 'which is the volume' bash -c "for i in 1 2 3 4 5 6 7 8 9; do [ -e '$TMPDIR/copy.img' ] && break; sleep 0.2; done; '$CDEFRAG' -c 'compare $TMPDIR/copy.img' '$TMPDIR/before.img' </dev/null"
keys '!'
check 'asked again' wait_for '\(y/n\)'
check 'without the offer' gone 'c clones'
keys y
check 'run' wait_for 'run: .*moves'
keys q
wait_for 'ended-0' >/dev/null
check 'not the next time either' bash -c "! '$CDEFRAG' -w -z '$TMPDIR/u' -c 'defrag /home' -c run '$img' </dev/null 2>&1 | grep 'safety copy'"
"$CDEFRAG" --make-demo "$TMPDIR/demo.img" >/dev/null
check 'nor for the demo, which is made anew' bash -c "! '$CDEFRAG' -w -z '$TMPDIR/d' -c 'defrag /home' -c run '$TMPDIR/demo.img' </dev/null 2>&1 | grep 'safety copy'"
finish
