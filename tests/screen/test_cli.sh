# SPDX-License-Identifier: GPL-3.0-or-later
# test_cli.sh - options, exit codes, and what goes to stdout and what to stderr, without a volume.
set -u
n=0 bad=0
check() { # check NAME COMMAND...
	local name=$1; shift
	n=$((n + 1))
	if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; bad=1; fi
}
# run EXIT OUT ERR ARGS...: exit code, and a regular expression each for stdout and stderr ('' = empty).
run() {
	local want=$1 out=$2 err=$3 rc; shift 3
	"$CDEFRAG" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err" </dev/null
	rc=$?
	if [ $rc -ne "$want" ] || ! matches "$out" "$TMPDIR/out" || ! matches "$err" "$TMPDIR/err"; then
		echo "# exit $rc of: $*"; sed 's/^/# out: /' "$TMPDIR/out"; sed 's/^/# err: /' "$TMPDIR/err"
		return 1
	fi
}
matches() { if [ -z "$1" ]; then [ ! -s "$2" ]; else grep -qE -- "$1" "$2"; fi; }
json() { python3 -c 'import json,sys; [json.loads(l) for l in open(sys.argv[1])]' "$1"; }

check 'version' run 0 '^cdefrag [0-9]+\.[0-9]+\.[0-9]+$' '' -V
check 'help' run 0 '--make-demo FILE' '' --help
check 'help names every option that there is' bash -c 'for o in write command script batch json color no-color theme \
	ascii offset make-demo seed size force version help; do
	"$CDEFRAG" -h | grep -q -- "--$o" || { echo "# $o"; exit 1; }; done'
check 'unknown option' run 2 '' 'unknown option --frobnicate' --frobnicate
check 'missing value' run 2 '' 'a value is missing after -c' -c
check 'two volumes' run 2 '' 'not b as well' a b
check 'bad offset' run 2 '' '"x" is not a number' --offset x a
check 'no such volume' run 1 '' 'cdefrag: .*/none' -c info "$TMPDIR/none"
check 'no volume, no commands' run 2 '' 'which volume'
check 'unknown theme' run 2 '' 'no theme named "nix"' --theme nix -c version
check 'echo' run 0 '^a b$' '' -c 'echo a  b'
check 'no volume for a command that needs one' run 2 '' 'no volume is open' -c analyze
check 'the first failure stops the rest' bash -c '"$CDEFRAG" -c "echo one" -c "nix" -c "echo two" >"$TMPDIR/o" 2>&1
	[ $? -eq 2 ] && grep -qx one "$TMPDIR/o" && ! grep -qx two "$TMPDIR/o"'
check 'in a line too' bash -c '[ "$("$CDEFRAG" -c "echo one; nix; echo two" 2>/dev/null)" = one ]'
check 'quit ends the rest' bash -c '[ "$("$CDEFRAG" -c "echo one; quit" -c "echo two")" = one ]'
check 'suggestion and caret' bash -c '"$CDEFRAG" -c "echo x; anaylze" 2>&1 >/dev/null |
	diff - <(printf "%s\n" "cdefrag: unknown command \"anaylze\"; did you mean \"analyze\"?" \
		"  echo x; anaylze" "          ^")'
check 'commands on stdin' bash -c '[ "$(printf "echo 1\n# no\necho 2\n" | "$CDEFRAG" --batch | tr -d "\n")" = 12 ]'
printf 'echo first\n\nsort nix\necho last\n' >"$TMPDIR/script"
check 'a script names its line' run 2 '^first$' "script:3: \"nix\" is no sort key" -s "$TMPDIR/script"
check 'source' bash -c 'printf "echo in; echo side" >"$TMPDIR/s"; [ "$("$CDEFRAG" -c "source $TMPDIR/s" -c "echo out" |
	tr "\n" " ")" = "in side out " ]'
echo "source $TMPDIR/loop" >"$TMPDIR/loop"
check 'a script that calls itself ends' run 2 '' 'more than 8 deep' -c "source $TMPDIR/loop"
check 'script that is not there' run 2 '' 'cannot read' -s "$TMPDIR/none"
check 'JSON answers are JSON' bash -c '"$CDEFRAG" --json -c "echo a; version; help" -c "help run" >"$TMPDIR/j" &&
	[ "$(wc -l <"$TMPDIR/j")" = 4 ]'
check 'each of them' json "$TMPDIR/j"
check 'JSON errors are JSON' bash -c '"$CDEFRAG" --json -c analyze 2>/dev/null >"$TMPDIR/j"; [ $? = 2 ] &&
	grep -q "\"class\":\"usage\"" "$TMPDIR/j"'
check 'and can be parsed' json "$TMPDIR/j"
check 'a closed pipe is no crash' bash -c 'set -o pipefail; yes "echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" | head -n 20000 |
	{ "$CDEFRAG" --batch 2>"$TMPDIR/err"; echo $? >"$TMPDIR/rc"; } | head -n 1 >/dev/null
	[ "$(cat "$TMPDIR/rc")" = 1 ] && [ ! -s "$TMPDIR/err" ]'
check 'a full disk is an error' bash -c '"$CDEFRAG" -c "echo x" 2>"$TMPDIR/err" >/dev/full; [ $? = 1 ] &&
	grep -q "No space left" "$TMPDIR/err"'
check 'every verb is in help' bash -c '"$CDEFRAG" -c help >"$TMPDIR/h"
	for v in analyze blocks check close color defrag demo echo files goto help info journal log map next open owner \
	plan prev quit redo run select set shot sort source spotlight step stop tag theme undo untag version zoom; do
	grep -qE "^$v(\[!\])?( |\$)" "$TMPDIR/h" || { echo "# $v"; exit 1; }; done'
echo "1..$n"
exit $bad
