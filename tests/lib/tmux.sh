# SPDX-License-Identifier: GPL-3.0-or-later
# tmux.sh - sourced by the terminal tests: a private tmux server, keys in, screens out, TAP.
#
# Every test has its own socket (a shared one races when a server ends), no configuration, a fixed size and no
# status line; text is waited for, never slept for.

command -v tmux >/dev/null || { echo "ok 1 - all # SKIP tmux is not installed"; exit 0; }

[ -c /dev/ptmx ] && [ -d /dev/pts ] && [ -c /dev/pts/ptmx ] || { echo "ok 1 - all # SKIP there are no pseudo terminals here"; exit 0; }

T_SOCKET=cdefrag-$$-$RANDOM
T_COUNT=0 T_BAD=0
export LC_ALL=C.UTF-8

t() { tmux -u -L "$T_SOCKET" -f /dev/null "$@"; }
# start COLS ROWS COMMAND...: runs it in a fresh session named s, under a shell that stays.
start() {
	local cols=$1 rows=$2; shift 2
	t kill-server 2>/dev/null
	T_SOCKET=cdefrag-$$-$RANDOM
	t new-session -d -s s -x "$cols" -y "$rows" "env PS1='ready> ' TERM=${T_TERM:-tmux-256color} sh -i"
	t set-option -g status off >/dev/null
	wait_for 'ready>'
	t send-keys -t s -l -- "$*"; t send-keys -t s Enter
}
keys() { t send-keys -t s "$@"; }
type_text() { t send-keys -t s -l -- "$1"; }
screen() { t capture-pane -p -t s; }
# wait_for REGEX [SECONDS]: true once the screen shows it.
wait_for() {
	local end=$((SECONDS + ${2:-15}))
	while [ $SECONDS -le $end ]; do
		screen 2>/dev/null | grep -qE -- "$1" && return 0
		sleep 0.05
	done
	echo "# waited for '$1', the screen shows:"; screen | sed 's/^/#  /'
	return 1
}
gone() { # gone REGEX: true once the screen no longer shows it
	local end=$((SECONDS + ${2:-15}))
	while [ $SECONDS -le $end ]; do
		screen | grep -qE -- "$1" || return 0
		sleep 0.05
	done
	return 1
}
# check NAME COMMAND...: one TAP line.
check() {
	local name=$1; shift
	T_COUNT=$((T_COUNT + 1))
	if "$@"; then
		echo "ok $T_COUNT - $name"
	else
		echo "not ok $T_COUNT - $name"
		screen 2>/dev/null | sed 's/^/#  /'
		T_BAD=$((T_BAD + 1))
	fi
}
finish() { t kill-server 2>/dev/null; echo "1..$T_COUNT"; exit $((T_BAD > 0)); }
trap 't kill-server 2>/dev/null' EXIT
# The terminal is sane again: echo on, canonical mode, cursor visible, main screen.
terminal_is_sane() {
	keys C-u; type_text 'stty -a | tr ";" "\n" | grep -cE "(^| )(icanon|echo)( |$)"; echo sane-$?'; keys Enter
	wait_for '^sane-0' 5 && [ "$(t display-message -p -t s '#{alternate_on}#{cursor_flag}#{mouse_any_flag}')" = 010 ]
}
