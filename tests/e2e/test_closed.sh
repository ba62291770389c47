# SPDX-License-Identifier: GPL-3.0-or-later
# test_closed.sh - started with stdin, stdout or stderr closed, in any combination. The volume must
# not take their numbers: what the program prints would land in the superblock.
set -u
n=0 bad=0
check() { # check NAME COMMAND...
	local name=$1; shift
	n=$((n + 1))
	if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; bad=1; fi
}
img=$TMPDIR/demo.img
contents() { # a checksum of every file's bytes, by name, read by debugfs
	rm -rf "$TMPDIR/dump"; mkdir "$TMPDIR/dump"
	debugfs -R "rdump / $TMPDIR/dump" "$1" >/dev/null 2>&1
	(cd "$TMPDIR/dump" && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
}
same() { [ "$(contents "$img")" = "$before" ] && e2fsck -fn "$img" >/dev/null 2>&1; }
pieces() { "$CDEFRAG" --json -c analyze "$1" </dev/null | python3 -c 'import json,sys; print(json.load(sys.stdin)["fragments"])'; }

"$CDEFRAG" --make-demo "$TMPDIR/new.img" --seed 5 </dev/null >/dev/null
cp "$TMPDIR/new.img" "$img"
before=$(contents "$img")

for closed in '<&-' '>&-' '2>&-' '<&- >&-' '>&- 2>&-' '<&- >&- 2>&-'; do
	cp "$TMPDIR/new.img" "$img"
	bash -c '"$CDEFRAG" -z "$TMPDIR/undo" -w -c files -c "defrag %" -c run! -c nonsense "$TMPDIR/demo.img" '"$closed"
	check "run with $closed: the contents are the same, e2fsck is clean" same
	check "run with $closed: it did its work" [ "$(pieces "$img")" -lt "$(pieces "$TMPDIR/new.img")" ]
	bash -c '"$CDEFRAG" -z "$TMPDIR/undo" -w -c "undo! all" -c nonsense "$TMPDIR/demo.img" '"$closed"
	check "undo with $closed: the contents are the same" same
	rm -f "$TMPDIR/undo"
done
echo "1..$n"
exit $bad
