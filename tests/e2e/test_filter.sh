# SPDX-License-Identifier: GPL-3.0-or-later
# test_filter.sh - filters and orders of the file list on the demo volume: in batch mode against python's own
# filtering of the whole list, and on a terminal, where a sort by name and a filter by name must not block.
set -u
img=$TMPDIR/demo.img
n=0 bad=0
"$CDEFRAG" --make-demo "$img" --seed 5 >/dev/null || exit 1
c() { "$CDEFRAG" "$@" </dev/null; }
all=$TMPDIR/all.json
c --json -c 'files --sort inode' "$img" >"$all"
# same FILTER 'python condition on x': the same inodes as python picks from the whole list
same() {
	n=$((n + 1))
	c --json -c "files --sort inode $1" "$img" >"$TMPDIR/some.json"
	if python3 - "$all" "$TMPDIR/some.json" "$2" <<'PY'
import json,sys,fnmatch
all=json.load(open(sys.argv[1])); some=json.load(open(sys.argv[2]))
want=[x['inode'] for x in all if eval(sys.argv[3])]
got=[x['inode'] for x in some]
if not want or len(want)==len(all): print('# the condition decides nothing')
sys.exit(got!=want or not want or len(want)==len(all))
PY
	then echo "ok $n - $1"; else echo "not ok $n - $1"; bad=1; fi
}
base='x["path"].rsplit("/",1)[1]'
same 'frag>4' 'x["fragments"]>4'
same 'excess>=3 blocks<1000' 'x["fragments"]-x["ideal"]>=3 and x["blocks"]<1000'
same 'name~*.log' "fnmatch.fnmatch($base.lower(),'*.log')"
same 'path~/var frag>1' '"/var" in x["path"].lower() and x["fragments"]>1'
same '{first<20000 | name~*.img}' "x['first_block']<20000 or fnmatch.fnmatch($base.lower(),'*.img')"
same '!path~a' '"a" not in x["path"].lower()'
check() { n=$((n + 1)); if "${@:2}"; then echo "ok $n - $1"; else echo "not ok $n - $1"; bad=1; fi; }
check 'sorted by name' bash -c '"$CDEFRAG" --json -c "files --sort name" "$1" | python3 -c "
import json,sys
p=[x[\"path\"].encode() for x in json.load(sys.stdin)]
sys.exit(p!=sorted(p) or len(p)<100)"' - "$img"
check 'and backwards' bash -c '"$CDEFRAG" --json -c "files name~*.* --sort name-" "$1" | python3 -c "
import json,sys
p=[x[\"path\"].encode() for x in json.load(sys.stdin)]
sys.exit(p!=sorted(p,reverse=True) or len(p)<10)"' - "$img"
check 'a filter is a target' [ "$(c -c 'tag {frag>4}' -c 'tag {frag>4 | frag=1}' "$img" | head -1)" = \
	"$(python3 -c "import json;print(sum(x['fragments']>4 for x in json.load(open('$all'))),'files tagged')")" ]
check 'used lately' bash -c '[ "$("$CDEFRAG" --json -c "files age>100y" "$1")" = "[]" ] &&
	[ "$("$CDEFRAG" --json -c "files --sort inode age<100y" "$1" | cksum)" = "$(cksum <"$2")" ]' - "$img" "$all"

N=$n BAD=$bad
. "$(dirname "$0")/../lib/tmux.sh"
T_COUNT=$N T_BAD=$BAD
start 100 30 "$CDEFRAG" "$img"
wait_for 'frag [0-9]' || exit 1
keys Tab; type_text ':sort name'; keys Enter
first=$(python3 -c "import json;print(min(x['path'] for x in json.load(open('$all'))))")
check 'sort by name on the terminal' wait_for "1/$(python3 -c "import json;print(len(json.load(open('$all'))))")"
type_text 'fname~*.log frag>1'; keys Enter
check 'filter by name on the terminal' wait_for "1/$(python3 -c "
import json;print(sum(x['path'].endswith('.log') and x['fragments']>1 for x in json.load(open('$all'))))")"
type_text 'f'; keys Enter
check 'all files again' wait_for "/$(python3 -c "import json;print(len(json.load(open('$all'))))")"
keys q
check 'the terminal is as it was' terminal_is_sane
finish
