# SPDX-License-Identifier: GPL-3.0-or-later
# test_killed.sh - the program is killed (SIGKILL) while it moves files. Looking at the volume says what to do;
# the next open for writing recovers it without e2fsck; contents, undo and layout hold.
set -u
n=0 bad=0
check() { # check NAME COMMAND...
	local name=$1; shift
	n=$((n + 1))
	if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; bad=1; fi
}
img=$TMPDIR/killed.img
c() { "$CDEFRAG" "$@" </dev/null; }
clean() { e2fsck -fn "$img" >"$TMPDIR/fsck" 2>&1 || { sed 's/^/# /' "$TMPDIR/fsck"; return 1; }; }
contents() { # a checksum of every file's bytes, by name, read by debugfs
	rm -rf "$TMPDIR/dump"; mkdir "$TMPDIR/dump"
	debugfs -R "rdump / $TMPDIR/dump" "$img" >/dev/null 2>&1
	(cd "$TMPDIR/dump" && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
}
layout() { c --json -c 'files --sort inode' "$img" | sha256sum; }
cut_short() { c --json -c 'journal list' "$img" 2>/dev/null | grep -q '"cut_short":true'; }
has() { grep -q -- "$1" "$TMPDIR/out" || { sed 's/^/# /' "$TMPDIR/out"; return 1; }; }

c --make-demo "$img" --seed 11 >/dev/null
cp "$img" "$TMPDIR/before.img"
contents_before=$(contents) layout_before=$(layout)

hits=0
for try in $(seq 60); do
	cp "$TMPDIR/before.img" "$img"; rm -rf "$XDG_STATE_HOME"
	# One batch a file: several hundred moments to be killed at.
	"$CDEFRAG" -w -c 'defrag %; step 100000' "$img" </dev/null >/dev/null 2>&1 &
	sleep "0.$(printf %02d $((2 + try * 7 % 29)))"
	kill -KILL $! 2>/dev/null; wait $! 2>/dev/null
	cut_short || continue
	hits=$((hits + 1))
	c -c info "$img" >"$TMPDIR/out" 2>/dev/null
	check "looking says how it is recovered ($hits)" has 'open it with -w before any e2fsck'
	cp "$img" "$TMPDIR/cut.img"; c -c analyze "$img" >/dev/null 2>&1
	check 'and leaves it as it is' cmp "$img" "$TMPDIR/cut.img"
	if [ "$hits" = 1 ]; then # the sector that names the volume is gone: the journal in its default place knows it
		dd if=/dev/zero of="$img" bs=512 seek=2 count=1 conv=notrunc 2>/dev/null
	fi
	if [ "$hits" = 2 ]; then # the same by command, on a volume opened for viewing
		check 'verify sends to recovery' [ "$(c -c 'journal verify' "$img" >/dev/null 2>&1; echo $?)" = 4 ]
		check 'archive leaves what is needed' [ "$(c -c 'journal archive' "$img" >/dev/null 2>&1; echo $?)" = 4 ]
		c -c 'journal recover' -c info "$img" >"$TMPDIR/out" 2>&1
	else
		c -w -c info "$img" >"$TMPDIR/out" 2>&1
	fi
	check 'opened for writing it is recovered' has 'recovered: a session was cut short'
	check 'and can be written' has 'open for moving blocks'
	check 'clean without e2fsck' clean
	check 'same contents' [ "$(contents)" = "$contents_before" ]
	c -w -c 'undo all' "$img" >"$TMPDIR/out" 2>&1
	check 'undo' has '^undo: \|nothing to undo'
	check 'every file where it was' [ "$(layout)" = "$layout_before" ]
	check 'still clean' clean
	[ $hits -eq 3 ] && break
done
check 'it was killed in the middle of a session' [ $hits -gt 0 ]
echo "1..$n"
exit $bad
