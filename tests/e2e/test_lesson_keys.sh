# SPDX-License-Identifier: GPL-3.0-or-later
# test_lesson_keys.sh - a lesson on a terminal: captions, Space, questions, a power cut on screen, Escape.
. tests/lib/tmux.sh

img=$TMPDIR/v.img
"$CDEFRAG" --make-demo "$img" --seed 3 >/dev/null
start 100 30 "XDG_STATE_HOME=$XDG_STATE_HOME TMPDIR=$TMPDIR $CDEFRAG $img; echo ended-\$?"
check 'shown' wait_for 'fragmented, score'
type_text ':lesson fragments'; keys Enter
check 'the first caption, at its pause' wait_for 'Space goes on'
check 'with its commands' wait_for '> lab write /alone 200K'
check 'the map is of the lesson' wait_for '^ a\.img ext4 16M'
keys Space
check 'a question waits' wait_for 'Q: Now two programs'
keys Space
check 'the answer' wait_for 'A: Side by side'
for i in 1 2 3 4 5 6; do screen | grep -q 'the end:' && break; keys Space; sleep 0.5; done
check 'the end' wait_for 'the end: Space or Esc'
keys Space
check 'the box is closed' gone 'Lesson: fragments'
type_text ':lesson powercut'; keys Enter
check 'the next lesson' wait_for 'Lesson: powercut'
for i in 1 2 3 4 5 6 7 8; do wait_for 'Space goes on|the end:|ends here'; screen | grep -q 'the end:\|ends here' && break; keys Space; sleep 0.7; done
check 'runs to its end too' wait_for 'the end: Space or Esc'
check 'which it reached' bash -c '! grep -q "ends here\|not as the lesson" <<<"$1"' _ "$(screen)"
keys Escape; sleep 0.1
keys q
check 'ended' wait_for 'ended-0'
start 80 24 "XDG_STATE_HOME=$XDG_STATE_HOME TMPDIR=$TMPDIR $CDEFRAG -w --lesson tour $img; echo ended-\$?"
check 'the tour begins by itself' wait_for 'Esc skips the tour'
keys Escape; sleep 0.1
check 'and is skipped' gone 'Lesson: tour'
keys q
check 'ended too' wait_for 'ended-0'
check 'no folder is left' [ -z "$(ls -d "$TMPDIR"/cdefrag-lesson* 2>/dev/null)" ]
finish
