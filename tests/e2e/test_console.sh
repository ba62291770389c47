# SPDX-License-Identifier: GPL-3.0-or-later
# test_console.sh - the main job by keys, in a terminal: look, select, plan, run, undo; the command line; help;
# the mouse; kinds of terminals. Oracles: e2fsck -fn, contents by debugfs, the layout as batch mode tells it.
. tests/lib/tmux.sh

img=$TMPDIR/v.img
c() { "$CDEFRAG" "$@" </dev/null; }
clean() { e2fsck -fn "$img" >"$TMPDIR/fsck" 2>&1 || { sed 's/^/# /' "$TMPDIR/fsck"; return 1; }; }
contents() { # a checksum of every file's bytes, by name, read by debugfs
	rm -rf "$TMPDIR/dump"; mkdir "$TMPDIR/dump"
	debugfs -R "rdump / $TMPDIR/dump" "$img" >/dev/null 2>&1
	(cd "$TMPDIR/dump" && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
}
layout() { c --json -c 'files --sort inode' "$img"; }
# run COLS ROWS [ENV]: the console, open for writing, the scan done
run() {
	start "$1" "$2" "XDG_STATE_HOME=$XDG_STATE_HOME ${3:-} $CDEFRAG -w $img; echo ended-\$?"
	wait_for 'fragmented, score' 5 && wait_for '^ *1Help' 5
}
shows() { wait_for "$1" 5; }
hides() { gone "$1" 5; }
click() { # click COL ROW, from 1: an SGR press and release
	type_text "$(printf '\033[<0;%d;%dM\033[<0;%d;%dm' "$1" "$2" "$1" "$2")"
}
frag() { screen | sed -n '1s/.*frag \([0-9.]*\)%.*/\1/p'; }
block() { screen | sed -n 's/^ *blk \([0-9]*\) .*/\1/p'; }
ends() { keys q; wait_for '^ended-0' 5; }
colours() { t capture-pane -p -e -t s | grep -cE "$(printf '\033')\[([0-9]+;)*[34][0-8][;m]"; }

"$CDEFRAG" --make-demo "$img" --seed 1 >/dev/null
cp "$img" "$TMPDIR/before.img"
contents_before=$(contents) layout_before=$(layout)
path=$(c --json -c 'files --fragmented --limit 1' "$img" | sed -n 's/.*"path":"\([^"]*\)".*/\1/p')

# The main job.
check 'the screen comes up' run 120 40
check 'header' shows '^ v.img +ext4 +64M 1k blocks .* frag [0-9.]+% .*\[RW clean\]'
check 'the worst file is the first of the list' shows "▸ *[0-9]+ .*■ $path"
check 'a legend' shows 'free .* meta .* contiguous .* fragmented'
before=$(frag)
keys Tab Enter
check 'selected: the inspector has it' shows "│ ino [0-9]+  $path"
check 'the readout too' shows "^ blk .* ino [0-9]+ $path \| fragment 1/"
keys d
check 'a plan with its price' shows ' [0-9 ]+ moves of [0-9 ]+ blk in .*reads .*writes .*about'
check 'the header says so' shows 'PLAN:[0-9]+ moves'
check 'nothing is written yet' cmp "$img" "$TMPDIR/before.img"
keys '!'
check 'running it asks' shows '^ *run [0-9 ]+ moves .*\(y/n\)'
keys n
check 'n is taken' hides '\(y/n\)'
check 'the plan stays' shows 'PLAN:[0-9]+ moves'
check 'and nothing is written' cmp "$img" "$TMPDIR/before.img"
keys '!'; shows '\(y/n\)'; keys y
check 'y runs it' shows 'last run: [0-9 ]+ moves'
check 'the jobs pane shows it' shows '\[Jobs\]'
check 'the file is in one piece' shows 'fragments 1 \(ideal 1\)'
check 'the header falls' awk "BEGIN { exit !($(frag) < $before) }"
check 'no plan is left' hides 'PLAN:'
check 'clean after the run' clean
keys U
check 'undo asks' shows '^ *undo .*\(y/n\)'
keys y
check 'and undoes' shows '^ *undo: [0-9 ]+ moves'
check 'the header is back' [ "$(frag)" = "$before" ]
keys '?'
check '? opens help' shows 'Keys of this pane'
keys q
check 'q closes it' hides 'Keys of this pane'
check 'q quits, exit code 0' ends
check 'the terminal is sane' terminal_is_sane
check 'clean' clean
check 'the same contents' [ "$(contents)" = "$contents_before" ]
check 'every file where it was' [ "$(layout)" = "$layout_before" ]

# The command line.
check 'again' run 80 24
type_text ':de'; shows '^:de'; keys Tab
check 'completion lists the verbs' shows '^ *defrag +demo'
keys C-g
check 'C-g cancels' hides '^:'
type_text ':defr'; shows '^:defr'; keys Tab
check 'one verb is completed' shows '^:defrag'
type_text '/v'; shows '^:defrag /v'; keys Tab; shows '^:defrag /var/'; keys Tab
check 'completion lists folders of the volume' shows '^ */var/lib/ +/var/log/'
keys Escape
check 'Escape closes the list' hides '^ */var/lib/ +/var/log/'
check 'and keeps the line' shows '^:defrag /var/'
keys Escape
check 'another one cancels' hides '^:'
type_text ':xcho one two'; shows '^:xcho one two'
keys C-a C-d; type_text 'e'; keys C-e C-w; type_text 'three'; keys Left BSpace Delete; type_text 'e'
check 'readline edits the line' shows '^:echo one thre$'
keys Enter
check 'Enter runs it' shows '^ *one thre$'
type_text ':'; shows '^:'; keys Up
check 'Up brings it back' shows '^:echo one thre$'
keys C-u; type_text 'selekt %'; keys Enter
check 'the nearest verb is suggested' shows 'select'
check 'the end' ends

# The mouse.
check 'once more' run 120 40
before=$(block)
click 40 12
check 'a click moves the cursor of the map' hides "^ *blk $before "
before=$(block)
click 20 20
check 'and another one' hides "^ *blk $before "
second=$(screen | sed -n '4s/.*■ \(.*[^ ]\) *$/\1/p')
click 100 4
check 'a click selects a file' shows "│ ino [0-9]+  $second"
check 'the end' ends

# Terminals.
for term in xterm-256color screen linux vt100; do
	T_TERM=$term check "TERM=$term" run 80 24
	check "the list is there ($term)" shows "$path"
	check "the end ($term)" ends
	check "sane after $term" terminal_is_sane
done
check 'in colour' run 80 24
check 'there are colours' [ "$(colours)" -gt 5 ]
check 'the end' ends
check 'NO_COLOR' run 80 24 NO_COLOR=1
check 'not one colour' [ "$(colours)" -eq 0 ]
check 'the end' ends
finish
