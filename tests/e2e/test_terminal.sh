# SPDX-License-Identifier: GPL-3.0-or-later
# test_terminal.sh - the terminal is given back as it was, whatever ends the program; resize, suspend, paste,
# few colours, no UTF-8.
. tests/lib/tmux.sh

img=$TMPDIR/v.img
"$CDEFRAG" --make-demo "$img" --seed 3 >/dev/null
run() { start "${1:-80}" "${2:-24}" "XDG_STATE_HOME=$XDG_STATE_HOME ${3:-} $CDEFRAG $img; echo ended-\$?"; wait_for 'fragmented, score'; }
kill_it() { kill -s "$1" "$(pgrep -f -n "^$CDEFRAG $img")"; }
size() { t resize-window -t s -x "$1" -y "$2"; }
paste() { t set-buffer -- "$1"; t paste-buffer -p -t s; }

for sig in SEGV:139 ABRT:134 TERM:143 HUP:129 INT:130; do
	check "shown (${sig%:*})" run
	kill_it "${sig%:*}"
	check "SIG${sig%:*} ends it with ${sig#*:}" wait_for "ended-${sig#*:}"
	check "the terminal is sane after SIG${sig%:*}" terminal_is_sane
done

check 'shown' run
size 120 40
check 'wide: list, inspector and tabs side by side' wait_for 'Inspect ─.*$'
size 39 24
check 'too small' wait_for 'terminal too small'
size 12 3
check 'much too small' wait_for 'terminal to'
size 40 10
check 'just large enough' wait_for '10Quit'
size 80 24
type_text ':resize while ed'; wait_for ':resize while ed'
size 100 30
type_text 'iting'
check 'the line survives a resize' wait_for ':resize while editing'
keys C-c
keys C-z
check 'suspended' wait_for 'Stopped'
check 'sane meanwhile' terminal_is_sane
type_text 'fg'; keys Enter
check 'back' wait_for '10Quit'
paste $'q\nq\n'
check 'a paste outside the prompt does nothing' wait_for '10Quit'
type_text ':'; wait_for '^:'
paste $'echo one\ntwo'
check 'inside it is text, in one line' wait_for '^:echo one two'
keys Escape
sleep 0.1 # what comes right after Escape would count as Alt
keys q
check 'the end' wait_for 'ready> *$'
check 'sane at the end' terminal_is_sane

T_TERM=xterm check '8 colours' run 80 24
keys q; wait_for 'ended-0'
T_TERM=vt100 check 'no colours' run 80 24
keys q; wait_for 'ended-0'
check 'the C locale: ASCII' run 80 24 LC_ALL=C
check 'nothing beyond ASCII' bash -c '! grep -qP "[^\x00-\x7f]" <<<"$1"' _ "$(screen)"
keys q; wait_for 'ended-0'
T_TERM=dumb start 80 24 "$CDEFRAG $img </dev/null; echo ended-\$?"
check 'a dumb terminal: no curses' wait_for 'ended-[0-9]'
finish
