# SPDX-License-Identifier: GPL-3.0-or-later
# test_lessons.sh - every shipped lesson runs through to its stated end state, and leaves nothing behind.
set -u
n=0 bad=0
check() { # check NAME COMMAND...
	local name=$1; shift
	n=$((n + 1))
	if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; bad=1; fi
}
c() { "$CDEFRAG" "$@" </dev/null; }
play() { c -c "lesson $1" >"$TMPDIR/out" 2>&1 || { tail -5 "$TMPDIR/out" | sed 's/^/# /'; return 1; }; }
fails() { # fails WORD FILE: a lesson that must not run through
	c -c "lesson $2" >"$TMPDIR/out" 2>&1 && { echo '# it ran through'; return 1; }
	grep -q "$1" "$TMPDIR/out" || { tail -3 "$TMPDIR/out" | sed 's/^/# /'; return 1; }
}
lessons=$(c --json -c lesson | python3 -c 'import json,sys; print(*[l["name"] for l in json.load(sys.stdin)])')
check 'at least six' [ "$(wc -w <<<"$lessons")" -ge 6 ]
"$CDEFRAG" --make-demo "$TMPDIR/demo.img" >/dev/null; cp "$TMPDIR/demo.img" "$TMPDIR/demo0.img"
tour() { c --lesson tour "$TMPDIR/demo.img" >"$TMPDIR/out" 2>&1 || { tail -5 "$TMPDIR/out" | sed 's/^/# /'; return 1; }; }
check 'the tour of the demo' tour
check 'shows a plan' grep -q 'moves of' "$TMPDIR/out"
check 'and writes nothing' cmp "$TMPDIR/demo.img" "$TMPDIR/demo0.img"
for l in $lessons; do
	[ "$l" = tour ] && continue # it is about the volume that is open
	check "lesson $l" play "$l"
	check "$l states its end" grep -q "^= .*([0-9]" "$TMPDIR/out"
done
check 'no folder is left' [ -z "$(ls -d "$TMPDIR"/cdefrag-* 2>/dev/null)" ]

# a lesson is a test: what does not hold ends it
printf 'title T\nlab new 4M $DIR/a.img --block 1k\nlab write /a 10K\nexpect pieces > 0\n' >"$TMPDIR/wrong.lesson"
check 'an expectation that does not hold' fails 'line 4: not as the lesson expects: pieces > 0 (0 > 0)' "$TMPDIR/wrong.lesson"
printf 'lab new 4M $DIR/a.img --block 1k\nlab delete /none\n' >"$TMPDIR/cmd.lesson"
check 'a command that fails' fails 'line 2: the lesson ends here' "$TMPDIR/cmd.lesson"
printf 'lab new 4M $DIR/a.img --block 1k\nfails lab write /a 1K\n' >"$TMPDIR/must.lesson"
check 'a command that should fail and does not' fails 'should have failed' "$TMPDIR/must.lesson"
printf 'expect nonsense > 1\n' >"$TMPDIR/fig.lesson"
check 'a figure that is not' fails 'nonsense\|no volume' "$TMPDIR/fig.lesson"
check 'a lesson that is not' fails 'no lesson' nothing
check 'still no folder' [ -z "$(ls -d "$TMPDIR"/cdefrag-* 2>/dev/null)" ]
exit $bad
