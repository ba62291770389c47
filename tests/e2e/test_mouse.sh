# SPDX-License-Identifier: GPL-3.0-or-later
# test_mouse.sh - a drag over the map selects a region; `set mouse=off` gives the mouse back to the terminal, and it stays so over a suspend.
. tests/lib/tmux.sh

mouse_is() { # mouse_is 0|1: whether the program asks for clicks, as tmux sees it
	local end=$((SECONDS + 10))
	while [ $SECONDS -le $end ]; do
		[ "$(t display-message -p -t s '#{mouse_any_flag}')" = "$1" ] && return 0
		sleep 0.05
	done
	return 1
}

truncate -s 16M "$TMPDIR/v.img"
mke2fs -q -t ext4 "$TMPDIR/v.img"
start 90 30 "$CDEFRAG $TMPDIR/v.img"
check 'the volume is shown' wait_for 'files, 0 fragmented|blk 1 '
check 'clicks are ours' mouse_is 1
type_text $'\033[<0;20;3M\033[<32;25;3M'
check 'a drag selects' wait_for 'region [0-9]+\.\.[0-9]+: '
type_text $'\033[<0;25;3m'
region=$(screen | grep -oE 'region [0-9]+\.\.[0-9]+')
type_text 'G'; check 'it stays when the button is let go' wait_for "$region"
type_text $'\033[<0;40;3M\033[<0;40;3m'
check 'a click lets go of it' gone "$region"
type_text ':set mouse=off'; keys Enter
check 'and now the terminal has them' mouse_is 0
keys C-z
check 'suspended' wait_for 'Stopped'
type_text 'fg'; keys Enter
check 'back on the screen' wait_for '10Quit'
type_text ':set mouse?'; keys Enter
check 'it is still off' wait_for 'mouse=off'
check 'in truth too' mouse_is 0
type_text ':set mouse=on'; keys Enter
check 'and on again' mouse_is 1
keys q
check 'off at the end' mouse_is 0
finish
