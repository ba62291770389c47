# SPDX-License-Identifier: GPL-3.0-or-later
# test_together.sh - two programs at once on one volume, and signals at odd moments: one of the two is refused or
# waits its turn, a signal ends at a safe point; contents hold, the volume is clean, undo is exact.
# LONG=1: 50 pairs and 100 signals.
set -u
n=0 bad=0
check() { # check NAME COMMAND...
	local name=$1; shift
	n=$((n + 1))
	if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; cat "$TMPDIR"/out* 2>/dev/null | sed 's/^/# /'; bad=1; fi
}
img=$TMPDIR/together.img
c() { "$CDEFRAG" "$@" </dev/null; }
clean() { e2fsck -fn "$img" >"$TMPDIR/out.fsck" 2>&1; }
contents() {
	rm -rf "$TMPDIR/dump"; mkdir "$TMPDIR/dump"
	debugfs -R "rdump / $TMPDIR/dump" "$img" >/dev/null 2>&1
	(cd "$TMPDIR/dump" && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
}
known() { # known RC: what a program may end with here
	case $1 in 0 | 1 | 3 | 4) return 0 ;; *) return 1 ;; esac
}

c --make-demo "$img" --seed 12 >/dev/null
cp "$img" "$TMPDIR/before.img"
was=$(contents)
layout_before=$(c --json -c 'files --sort inode' "$img" | sha256sum)

pairs=$([ -n "${LONG:-}" ] && echo 50 || echo 4)
worked=0
for i in $(seq "$pairs"); do
	cp "$TMPDIR/before.img" "$img"; rm -rf "$XDG_STATE_HOME"
	c -w -c 'defrag /var' -c 'run!' "$img" >"$TMPDIR/out1" 2>&1 & one=$!
	c -w -c 'defrag /home' -c 'run!' "$img" >"$TMPDIR/out2" 2>&1 & two=$!
	wait $one; a=$?; wait $two; b=$?
	worked=$((worked + (a == 0) + (b == 0)))
	known $a && known $b; check "two at once end well ($i)" [ $? -eq 0 ]
	check 'at least one has worked' [ "$a" = 0 -o "$b" = 0 ]
	check 'clean' clean
	check 'same contents' [ "$(contents)" = "$was" ]
done
echo "# of $((2 * pairs)) programs $worked went through"

signals=$([ -n "${LONG:-}" ] && echo 100 || echo 6)
for i in $(seq "$signals"); do
	cp "$TMPDIR/before.img" "$img"; rm -rf "$XDG_STATE_HOME"
	set -- INT TERM HUP QUIT INT
	eval "sig=\${$((i % 5 + 1))}"
	# in a session of its own, so that a background job may have SIGINT
	python3 - "$sig" "0.0$((i * 7 % 90 + 10))" "$CDEFRAG" "$img" >"$TMPDIR/out1" 2>&1 <<'PY'
import signal, subprocess, sys, time
sig, delay, prog, img = sys.argv[1:]
p = subprocess.Popen([prog, "-w", "-c", "defrag %; step 100000", img], stdin=subprocess.DEVNULL, start_new_session=True,
	preexec_fn=lambda: [signal.signal(s, signal.SIG_DFL) for s in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)])
time.sleep(float(delay))
sent = time.time()
p.send_signal(getattr(signal, "SIG" + sig))
rc = p.wait(30)
took = time.time() - sent
print(sig, "after", delay, "s: ended with", rc, "in %.2f s" % took)
# QUIT ends like KILL: recovery takes over. The others stop at a safe point.
sys.exit(not (rc in (0, 3) or rc == -getattr(signal, "SIG" + sig) or rc == 1))
PY
	check "SIG$sig ends it ($i)" [ $? -eq 0 ]
	c -w -c info "$img" >"$TMPDIR/out2" 2>&1
	check 'it opens for writing' [ $? -eq 0 ]
	check 'clean' clean
	check 'same contents' [ "$(contents)" = "$was" ]
	c -w -c 'undo! all' "$img" >"$TMPDIR/out2" 2>&1
	check 'undo' [ $? -eq 0 ]
	check 'every file where it was' [ "$(c --json -c 'files --sort inode' "$img" | sha256sum)" = "$layout_before" ]
done
echo "1..$n"
exit $bad
