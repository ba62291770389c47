# SPDX-License-Identifier: GPL-3.0-or-later
# test_tree.sh - the directory tree on the demo volume: sums against python's own over the list of files, heat from
# a trace, and on a terminal from a hot directory to a plan by one key.
set -u
img=$TMPDIR/demo.img
"$CDEFRAG" --make-demo "$img" --seed 6 >/dev/null || exit 1
c() { "$CDEFRAG" "$@" </dev/null; }
N=0 BAD=0
ck() { N=$((N + 1)); if "${@:2}"; then echo "ok $N - $1"; else echo "not ok $N - $1"; BAD=1; fi; }
c --json -c files "$img" >"$TMPDIR/files"; c --json -c 'tree --flat' "$img" >"$TMPDIR/flat"
c --json -c 'tree /var --sort blocks' "$img" >"$TMPDIR/var"
ck 'every directory holds what is below it' python3 - "$TMPDIR/files" "$TMPDIR/flat" <<'PY'
import json,sys
files=json.load(open(sys.argv[1])); flat=json.load(open(sys.argv[2]))
assert len(flat)>8
for d in flat:
    p=d["path"].rstrip("/")
    if not p.startswith("/") and d["inode"]!=2: continue
    below=[f for f in files if f["path"]==d["path"] or f["path"].startswith(p+"/")]
    assert (len(below),sum(f["blocks"] for f in below),sum(f["fragments"] for f in below)) == \
        (d["files"],d["blocks"],d["fragments"]), (d, len(below))
assert [x["heat"] for x in flat]==sorted((x["heat"] for x in flat),reverse=True)
PY
ck 'children of a directory, largest first' python3 - "$TMPDIR/var" "$TMPDIR/flat" <<'PY'
import json,sys
var=json.load(open(sys.argv[1])); flat={x["inode"]:x for x in json.load(open(sys.argv[2]))}
assert len(var)>1 and all(x["path"].startswith("/var/") and x["path"].count("/")==2 for x in var)
assert [x["blocks"] for x in var]==sorted((x["blocks"] for x in var),reverse=True)
assert all(flat[x["inode"]]["read_ms"]==x["read_ms"] for x in var if x["type"]=="directory")
PY
hot=$(python3 -c "
import json
f=[x for x in json.load(open('$TMPDIR/files')) if x['path'].startswith('/home/') and x['fragments']>3]
print(f[0]['path'])")
{ echo "cat(12): RO /mnt$hot"; echo "open(\"/mnt$hot\", O_RDONLY) = 3"; echo /mnt/not/there; echo /elsewhere; } >"$TMPDIR/trace"
ck 'heat from a trace' bash -c '"$CDEFRAG" --json -c "trace $1/trace --strip /mnt/" -c "tree --flat" "$2" </dev/null | tail -1 | python3 -c "
import json,sys
o=json.load(sys.stdin)
hot=[x for x in o if x[\"heat\"]>0]
assert all(sys.argv[1].startswith(x[\"path\"].rstrip(\"/\")+\"/\") for x in hot) and len(hot)>=2, hot
assert hot[0][\"path\"]==\"/\" or hot[0][\"heat\"]>=hot[-1][\"heat\"]" "$3"' - "$TMPDIR" "$img" "$hot"
ck 'what it found' [ "$(c -c "trace $TMPDIR/trace --strip /mnt" "$img")" = '1 files used 2 times; 1 paths are not of this volume' ]
ck 'a trace of something else' bash -c '! "$CDEFRAG" -c "trace $1/trace" "$2" 2>"$1/err" </dev/null && grep -q "goes to --strip" "$1/err"' - "$TMPDIR" "$img"
ck 'a file is no directory' bash -c '! "$CDEFRAG" -c "tree $3" "$2" 2>"$1/err" </dev/null && grep -q "that is no directory" "$1/err"' - "$TMPDIR" "$img" "$hot"
ck 'a directory as a target' [ "$(c -c 'tag "dir 2"' "$img")" = "$(c -c 'tag %' "$img")" ]

. "$(dirname "$0")/../lib/tmux.sh"
T_COUNT=$N T_BAD=$BAD
cp "$img" "$TMPDIR/w.img"
start 120 36 "$CDEFRAG" -w "$TMPDIR/w.img"
wait_for 'frag [0-9]' || exit 1
keys M-5; keys Enter
check 'M-5 and Enter show the tree' wait_for 'files, read in .* seeks'
keys s; keys s; keys s; keys s
check 's sorts it' wait_for 'SIZE.?[▼v]'
type_text ':tree /var --sort heat'; keys Enter
check 'into a directory' wait_for '^ /var  [0-9]+ files'
keys h
check 'h goes up' wait_for '^ /  [0-9 ]+ files'
type_text 'gg'; keys o
check 'o plans to pack the directory' wait_for 'PLAN:'
keys q
check 'the terminal is as it was' terminal_is_sane
finish
