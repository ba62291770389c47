# SPDX-License-Identifier: GPL-3.0-or-later
# test_reports.sh - every count of the reports against an independent tool on the same volume: e2freefrag,
# dumpe2fs, debugfs (filefrag, icheck), resize2fs.
set -u
n=0 bad=0
check() { # check NAME COMMAND...
	local name=$1; shift
	n=$((n + 1))
	if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; bad=1; fi
}
c() { "$CDEFRAG" "$@" </dev/null; }
j() { c --json -c "$1" "$2"; }
py() { python3 -c "
import json,sys
o=json.loads(open(sys.argv[1]).read().splitlines()[-1])
$2" "$1" "${@:3}"; }

same_histogram() { # IMG: runs and blocks of each class as e2freefrag has them
	j 'report free --chunk 1M' "$1" >"$TMPDIR/free"
	e2freefrag -c 1024 "$1" >"$TMPDIR/e2freefrag"
	py "$TMPDIR/free" '
import re
t=open(sys.argv[2]).read()
rows=[(int(a),int(b)) for a,b in re.findall(r"\.\.\.\s*\d+[KMG]-\s*:\s*(\d+)\s+(\d+)",t)]
mine=[(h["runs"],h["blocks"]) for h in o["histogram"]]
kb=o["volume"]["block_size"]//1024
word=lambda w: int(re.search(w+r"[^:]*:\s*(\d+)",t).group(1))
ok=(rows==mine and len(mine)>3 and word("Free blocks")==o["free_blocks"] and word("Num. free extent")==o["free_runs"]
 and word("Min. free")==o["shortest_blocks"]*kb and word("Max. free")==o["longest_blocks"]*kb
 and word("Free chunks")==o["chunks_free"])
if not ok: print("#",rows,mine,t.replace("\n","\n# "))
sys.exit(not ok)' "$TMPDIR/e2freefrag"
}

same_fragments() { # IMG: every file and directory as debugfs counts it
	j 'report place --by file --limit 0' "$1" >"$TMPDIR/files"
	{ echo 'filefrag -r /'; echo 'filefrag /'; } >"$TMPDIR/cmds"
	debugfs -f "$TMPDIR/cmds" "$1" >"$TMPDIR/filefrag" 2>&1
	py "$TMPDIR/files" '
import re
theirs={}
for l in open(sys.argv[2],errors="surrogateescape"):
    m=re.match(r"(/.*): (\d+) contiguous extents",l)
    if m: theirs[re.sub("^//","/",m.group(1))]=int(m.group(2))
mine={x["path"]:x["strict_runs"] for x in o}
hit=[p for p in theirs if p in mine]
wrong=[(p,theirs[p],mine[p]) for p in hit if theirs[p]!=mine[p]]
if wrong or len(hit)<len(mine)*0.9 or len(hit)<50: print("#",len(hit),len(mine),wrong[:5])
sys.exit(bool(wrong) or len(hit)<len(mine)*0.9 or len(hit)<50)' "$TMPDIR/filefrag"
}

same_owners() { # IMG: 1,000 blocks by chance, as debugfs icheck says
	local last
	last=$(($(dumpe2fs -h "$1" 2>/dev/null | sed -n 's/^Block count: *//p') - 1))
	j "owner 1,$last" "$1" >"$TMPDIR/owners"
	python3 -c "
import random
random.seed(7)
print('\n'.join('icheck '+' '.join(str(random.randint(1,$last)) for _ in range(100)) for _ in range(10)))" >"$TMPDIR/cmds"
	debugfs -f "$TMPDIR/cmds" "$1" 2>/dev/null >"$TMPDIR/icheck"
	py "$TMPDIR/owners" '
import bisect,re
start=[r["block"] for r in o]
n=found=0
for l in open(sys.argv[2]):
    m=re.match(r"(\d+)\t(\d+|<block not found>)\s*$",l)
    if not m: continue
    b=int(m.group(1)); theirs=int(m.group(2)) if m.group(2)[0]!="<" else None
    r=o[bisect.bisect_right(start,b)-1]
    n+=1; found+=theirs is not None
    if theirs==7 and r["kind"] in ("reserved_gdt","gdt_reserved","reserved_group_descriptors"): continue
    if r["inode"]!=theirs: print("# block",b,"is of",theirs,"not",r["inode"],r["kind"]); sys.exit(1)
print("#",n,"blocks,",found,"owned"); sys.exit(n!=1000 or found<300)' "$TMPDIR/icheck"
}

dumpe2fs_free() {
	[ "$(j 'report free' "$1" | python3 -c 'import json,sys; print(json.load(sys.stdin)["free_blocks"])')" = \
		"$(dumpe2fs -h "$1" 2>/dev/null | sed -n 's/^Free blocks: *//p')" ]
}

places() { # IMG: where each file lies
	j 'files --sort inode' "$1" >"$TMPDIR/where.json"
	py "$TMPDIR/where.json" 'print([(x["path"],x["blocks"],x["fragments"],x["first_block"]) for x in o])'
}

# Cut to what `minimum_now_blocks` says, resize2fs has nothing to move and the volume is clean.
shrinks() {
	local before after now low
	j 'report blockers' "$1" >"$TMPDIR/blockers"
	now=$(py "$TMPDIR/blockers" 'print(o["minimum_now_blocks"])')
	low=$(py "$TMPDIR/blockers" 'print(o["minimum_renumbered_blocks"])')
	py "$TMPDIR/blockers" 'sys.exit(not o["minimum_renumbered_blocks"]<=o["minimum_packed_blocks"]<=o["minimum_now_blocks"]<=o["volume"]["blocks"])' || return 1
	[ "$low" -le "$(resize2fs -P "$1" 2>/dev/null | sed 's/.*: //')" ] || { echo "# resize2fs -P is lower than $low"; return 1; }
	cp "$1" "$TMPDIR/cut.img"
	before=$(places "$TMPDIR/cut.img")
	resize2fs -f "$TMPDIR/cut.img" "$now" >"$TMPDIR/resize" 2>&1 || { sed 's/^/# /' "$TMPDIR/resize"; return 1; }
	after=$(places "$TMPDIR/cut.img")
	[ "$before" = "$after" ] && e2fsck -fn "$TMPDIR/cut.img" >/dev/null 2>&1 ||
		{ echo "# resize2fs to $now moved files or left damage"; return 1; }
	rm "$TMPDIR/cut.img"
}

demo=$TMPDIR/demo.img
same_names() { # sizes are kept with 20 significant bits, rounded up
	j 'files --limit 100000' "$1" >"$TMPDIR/names"
	python3 - "$TMPDIR" <<-'END'
	import json,sys
	ours={x['path']:x['size_bytes'] for x in json.load(open(sys.argv[1]+'/names')) if x['type']=='file'}
	theirs={p:int(n) for p,n in (l.rstrip('\n').split('\t') for l in open(sys.argv[1]+'/kernel'))}
	assert set(ours)==set(theirs), len(set(ours)^set(theirs))
	assert len(ours)>50 and all(n<=ours[p]<=n*(1+2**-19)+0.5 for p,n in theirs.items())
	END
}
mkdir "$TMPDIR/mnt"
check 'make the demo' c --make-demo "$demo" --seed 3
mkdir -p "$TMPDIR/tree/many" "$TMPDIR/tree/few"
for i in $(seq 1 200); do head -c $((i * 700)) /dev/zero | tr '\0' x >"$TMPDIR/tree/many/f$i"; done
for i in $(seq 1 8); do head -c $((i * 300000)) /dev/zero | tr '\0' y >"$TMPDIR/tree/few/g$i"; done
for kind in ext4:4096 ext3:1024 ext2:2048; do # ext3 and ext2: indirect maps; holes by removing every third file
	img=$TMPDIR/${kind%:*}.img
	truncate -s 48M "$img"
	mke2fs -q -t "${kind%:*}" -b "${kind#*:}" -d "$TMPDIR/tree" "$img" >/dev/null 2>&1
	for i in $(seq 3 3 200); do echo "rm /many/f$i"; done >"$TMPDIR/cmds"
	seq 2 3 200 | sed 's/^/rm \/many\/f/' >>"$TMPDIR/cmds"
	debugfs -w -f "$TMPDIR/cmds" "$img" >/dev/null 2>&1
	# new files fall into the holes, in pieces
	for i in 1 2 3 4; do echo "write $TMPDIR/tree/few/g$i /few/again$i"; done >"$TMPDIR/cmds"
	debugfs -w -f "$TMPDIR/cmds" "$img" >/dev/null 2>&1
	e2fsck -fy "$img" >/dev/null 2>&1
done
for img in demo ext4 ext3 ext2; do
	check "$img: free space as e2freefrag has it" same_histogram "$TMPDIR/$img.img"
	check "$img: free blocks as dumpe2fs counts them" dumpe2fs_free "$TMPDIR/$img.img"
	check "$img: fragments as debugfs filefrag counts them" same_fragments "$TMPDIR/$img.img"
	check "$img: owners as debugfs icheck says" same_owners "$TMPDIR/$img.img"
	check "$img: resize2fs cuts the volume where we say, moving nothing" shrinks "$TMPDIR/$img.img"
	if mount -o ro,loop "$TMPDIR/$img.img" "$TMPDIR/mnt" 2>/dev/null; then
		(cd "$TMPDIR/mnt" && find . -type f -printf '/%P\t%s\n' | sort) >"$TMPDIR/kernel"; umount "$TMPDIR/mnt"
		check "$img: names and sizes as the kernel sees them" same_names "$TMPDIR/$img.img"
	else
		n=$((n + 1)); echo "ok $n - $img: names and sizes # SKIP cannot mount here"
	fi
done

# One definition, wherever it is printed.
agree() {
	j analyze "$demo" >"$TMPDIR/analyze"; j 'report place' "$demo" >"$TMPDIR/place"; j 'report layout' "$demo" >"$TMPDIR/layout"
	python3 - "$TMPDIR" <<-'END'
	import json,sys
	a,p,l=(json.load(open(sys.argv[1]+'/'+f)) for f in ('analyze','place','layout'))
	assert a['fragments']==p['fragments']==l['fragments'] and a['worst']==p['worst']==l['blocks']
	assert abs(p['overall_percent']-100*(p['worst']-p['fragments'])/(p['worst']-p['best']))<1e-9
	assert a['layout_score']==l['layout_score'] and abs(a['read_time_ms']-l['read_time_ms'])<1
	assert sum(x['files'] for x in l['by_size'])==l['files'] and sum(x['fragments'] for x in l['by_size'])==l['fragments']
	assert set(l['orders'])=={'readdir','name','inode'} and all(0<o['dynamic_layout_score']<1 for o in l['orders'].values())
	assert p['efficiency_arithmetic_percent']>p['efficiency_geometric_percent']
	END
}
check 'analyze, place and layout agree' agree
check 'tables add up' bash -c '"$CDEFRAG" --json -c "report place --by group --limit 0" -c "report place --by dir --limit 0" "'"$demo"'" | python3 -c "
import json,sys
g,d=(json.loads(l) for l in sys.stdin)
assert sum(x[\"fragments\"] for x in g)==sum(x[\"fragments\"] for x in d)>500
assert any(x[\"path\"]==\"/home/ada\" for x in d)"'
heat() { # the demo lies in 2024; the year of the last use decides
	c --json -c 'report heat --now 1704067200 --limit 5' -c 'report heat --now 1735689600 --limit 5' "$demo" >"$TMPDIR/heat"
	python3 - "$TMPDIR/heat" <<-'END'
	import json,sys
	then,later=(json.loads(l) for l in open(sys.argv[1]))
	h=[x['heat'] for x in then['files']]
	assert len(h)==5 and h==sorted(h,reverse=True) and h[0]>0
	x,y=then['files'][0],[f for f in later['files'] if f['inode']==then['files'][0]['inode']]
	for f in then['files']+later['files']:
	    assert abs(f['heat']-f['excess_ms']*0.5**(f['age_days']/30))<1e-9
	assert later['files'][0]['heat']<h[0] and then['directories'][0]['files']>0
	END
}
check 'heat falls with age' heat
planned() {
	cp "$demo" "$TMPDIR/run.img"
	c -w --json -c 'defrag %' -c 'report place --planned' -c 'report free --planned' -c 'report layout --planned' \
		-c 'run!' -c 'report place' -c 'report free' -c 'report layout' "$TMPDIR/run.img" >"$TMPDIR/planned"
	python3 - "$TMPDIR/planned" <<-'END'
	import json,sys
	o=[json.loads(l) for l in open(sys.argv[1])]
	o=[x for x in o if 'planned' in x]
	assert len(o)==6
	for a,b in zip(o[:3],o[3:]):
	    assert a.pop('planned') and not b.pop('planned')
	    assert a==b, (a,b)
	END
}
check 'what is planned is what comes' planned
last_run() {
	cp "$demo" "$TMPDIR/run2.img"
	c -w --json -z "$TMPDIR/run2.undo" -c 'report place' -c 'defrag %' -c 'run!' -c 'report run' -c 'report place' -c "report run --html $TMPDIR/run.html" \
		-c 'undo!' -c 'report run' "$TMPDIR/run2.img" >"$TMPDIR/runs" || return 1
	python3 - "$TMPDIR" <<-'END'
	import json,sys,re,xml.dom.minidom
	o=[json.loads(l) for l in open(sys.argv[1]+'/runs')]
	place0,run,again,place1,undo=o[0],[x for x in o if 'skipped' in x and 'job' in x][0],*[x for x in o if x.get('job')=='run' and 'skipped' not in x],[x for x in o if 'planned' in x][1],o[-1]
	for a,b in ((run['before']['place'],place0),(run['after']['place'],place1),(undo['after']['place'],place0)):
	    assert all(b[k]==v for k,v in a.items())
	assert again==({k:v for k,v in run.items() if k in again}) and undo['job']=='undo'
	for s in ('before','after'):
	    f=run[s]; assert sum(h['blocks'] for h in f['free_histogram'])==f['free_blocks'] and set(f['orders'])=={'readdir','name','inode'}
	t=run['read_every_file']; assert abs(t['ratio']-t['before_ms']/t['after_ms'])<1e-9 and abs(t['percent_less']-100*(1-1/t['ratio']))<1e-6
	assert run['headroom_blocks']==run['before']['free_blocks'] and run['barriers']>0 and run['evicted_blocks']>=run['evicted_files']>0
	h=open(sys.argv[1]+'/run.html').read()
	maps=re.findall(r'<svg.*?</svg>',h,re.S); assert len(maps)==2 and maps[0]!=maps[1]
	red=[m.count('#d9552b') for m in maps]; assert red[0]>20>red[1], red
	for m in maps: xml.dom.minidom.parseString(m)
	assert not re.search(r'(src|href)=',h) and 'dynamic score, readdir' in h and 'http' not in h
	END
}
check 'a run before and after; as a page of its own' last_run
check 'a page is written over nothing' bash -c "cp '$demo' '$TMPDIR/k.img'; '$CDEFRAG' -w -z '$TMPDIR/k.undo' -c 'defrag %; run!; report run --html $demo' '$TMPDIR/k.img' 2>&1 </dev/null | grep -q 'nothing is written over'"
walk() { # bitmaps: two a group; tables no longer than dumpe2fs says; directories as `files` knows them
	j 'report walk' "$demo" >"$TMPDIR/walk"; dumpe2fs "$demo" >"$TMPDIR/dump" 2>/dev/null
	python3 - "$TMPDIR" <<-'END'
	import json,re,sys
	o=json.load(open(sys.argv[1]+'/walk')); t=open(sys.argv[1]+'/dump').read()
	p={x['phase']:x for x in o['phases']}
	groups=len(re.findall(r'^Group \d+:',t,re.M)); each=int(re.search(r'Inode blocks per group:\s*(\d+)',t).group(1))
	assert p['bitmaps']['blocks']==2*groups and o['untrimmed_table_blocks']==groups*each
	per=int(re.search(r'Inodes per group:\s*(\d+)',t).group(1))//each
	unused=[int(m or 0) for m in re.findall(r'directories(?:, (\d+) unused inodes)?',t)]
	assert len(unused)==groups and p['inode tables']['blocks']<=sum(-(-(each*per-u)//per) for u in unused)
	assert 0<p['inode tables']['blocks']<o['untrimmed_table_blocks'] and o["groups_skipped"]==sum(u==each*per for u in unused)
	assert p['directories']['blocks']>=16 and p['map blocks']['blocks']>0
	assert all(x['packed_time_ms']<=x['read_time_ms'] for x in o['phases'])
	END
}
check 'what a checker reads, as dumpe2fs counts it' walk
reads() {
	cp "$demo" "$TMPDIR/r.img"
	c -w --json -z "$TMPDIR/r.undo" -c 'readtest --real' -c 'defrag %' -c 'readtest --planned' -c 'run!' -c readtest -c 'readtest /home --order inode' "$TMPDIR/r.img" >"$TMPDIR/reads" || return 1
	python3 - "$TMPDIR/reads" <<-'END'
	import json,sys
	before,planned,after,home=[o for o in map(json.loads,open(sys.argv[1])) if isinstance(o,list)]
	assert [x['order'] for x in before]==['readdir','name','inode'] and planned==after!=before
	for x in before:
	    assert x['real']['bytes_read']==x['blocks']*1024 and x['real']['reads']>0
	assert all(a['read_time_ms']<b['read_time_ms'] for a,b in zip(after[:2],before[:2]))
	assert len(home)==1 and 0<home[0]['blocks']<before[0]['blocks']
	END
}
really() { # the scan's own phases: what it read is what a trace of it saw
	c --json -c "iotrace $TMPDIR/scan.io" -c 'analyze!' -c 'iotrace stop' -c 'report walk --real' -c "iotrace show $TMPDIR/scan.io" "$demo" >"$TMPDIR/really" || return 1
	python3 - "$TMPDIR/really" <<-'END'
	import json,sys
	o=[json.loads(l) for l in open(sys.argv[1])]
	walk=[x for x in o if isinstance(x,dict) and 'scan' in x][0]; trace=o[-1][0]
	p={x['phase']:x for x in walk['scan']}
	assert list(p)==['bitmaps','inode tables','tree nodes','directories','sorting']
	assert p['inode tables']['bytes_read']==walk['phases'][0]['blocks']*1024
	assert sum(x['bytes_read'] for x in p.values())<=trace['bytes_read'] and trace['writes']==trace['barriers']==0
	assert sum(x['real_ms'] for x in p.values())>0 and walk['measured_mb_per_second']>0 and walk['peak_memory_bytes']>1<<20
	assert all(x['percent_of_measured_rate']>=0 for x in p.values())
	END
}
check 'what the scan took, and in shares of the disk' really
traced() { # everything a run says that it wrote is in the trace; two of them in one picture
	cp "$demo" "$TMPDIR/t.img"
	c -w --json -z "$TMPDIR/t.undo" -c 'defrag /var' -c "iotrace $TMPDIR/run.io" -c 'run!' -c 'iotrace stop' -c "iotrace $TMPDIR/undo.io" -c 'undo!' \
		-c 'iotrace stop' -c "iotrace show $TMPDIR/run.io $TMPDIR/undo.io --svg $TMPDIR/io.svg" "$TMPDIR/t.img" >"$TMPDIR/traced" || return 1
	python3 - "$TMPDIR" <<-'END'
	import json,sys,xml.dom.minidom
	o=[json.loads(l) for l in open(sys.argv[1]+'/traced')]
	run=[x for x in o if isinstance(x,dict) and x.get('job')=='run'][0]; a,b=o[-1]
	assert a['bytes_written']>=run['blocks_moved']*1024 and a['barriers']>0 and b['bytes_written']>0
	assert abs(a['seeks_per_second']*a['seconds']-a['seeks'])<1 and a['busy_seconds']<=a['seconds']
	n=sum(l[0]!='#' for l in open(sys.argv[1]+'/run.io')); assert n==a['reads']+a['writes']+a['barriers']
	svg=open(sys.argv[1]+'/io.svg').read(); xml.dom.minidom.parseString(svg); assert svg.count('<polyline')==4 and svg.count('M')>50
	END
}
check 'a run and its undo, traced and drawn' traced
no() { # no TEXT COMMAND...: refused, and it says so
	local text=$1; shift
	"$CDEFRAG" -c "$*" "$demo" >"$TMPDIR/no" 2>&1 </dev/null && return 1
	grep -q "$text" "$TMPDIR/no" || { sed 's/^/# /' "$TMPDIR/no"; return 1; }
}
mkfifo "$TMPDIR/fifo"
check 'nothing but a trace is traced over' no 'is no trace' iotrace "$demo"
check 'nor a pipe' no 'is no trace' iotrace "$TMPDIR/fifo"
check 'no trace to end' no 'no trace is running' iotrace stop
check 'a file that is none' no 'is no trace' iotrace show "$TMPDIR/runs"
check 'a pipe is not read' no 'cannot read' iotrace show "$TMPDIR/fifo"
check 'a picture is an SVG' no 'FILE.svg' iotrace show "$TMPDIR/run.io" --svg "$demo"
model() { # one disk for figures, plans, reports and the tree
	c --json -c analyze -c 'readtest / --order inode' -c 'set disk=nvme' -c analyze -c 'set model.jump=12.67 model.rate=150 model.gap=256K' -c analyze \
		-c 'set model.jump=0' -c 'defrag /var' -c 'readtest / --order inode' "$demo" >"$TMPDIR/model" || return 1
	python3 - "$TMPDIR/model" <<-'END'
	import json,sys
	o=[json.loads(l) for l in open(sys.argv[1])]
	hdd,read,nvme,own,plan,read0=o
	assert nvme['read_time_ms']<hdd['read_time_ms']/20 and own['read_time_ms']==hdd['read_time_ms']
	assert read0[0]['read_time_ms']<read[0]['read_time_ms'] and read0[0]['jumps']==read[0]['jumps']
	assert abs(read[0]['read_time_ms']-read0[0]['read_time_ms']-12.67*read[0]['jumps'])<1e-3
	# nothing but bytes and barriers is left of the price
	p=plan; ms=(p['bytes_read']+p['bytes_written'])/150e3+60*p['batches']
	assert abs(p['run_time_ms']-ms)<1, (p,ms)
	END
}
check 'set disk, set model' model
check 'a figure that is none' no 'from 0.1' set model.rate=0
check 'a disk that is none' no 'one of: hdd' set disk=tape
check 'readtest: before, planned, after, real' reads
runs() {
	for k in a b; do cp "$demo" "$TMPDIR/$k.img"; done
	c -w --json -z "$TMPDIR/a.undo" -c 'defrag %' -c 'run!' "$TMPDIR/a.img" >"$TMPDIR/a.json"
	c -w --json -z "$TMPDIR/b.undo" -c 'defrag /home' -c 'run!' "$TMPDIR/b.img" >"$TMPDIR/b.json"
	c --json -c "compare-runs $TMPDIR/a.json $TMPDIR/b.json" >"$TMPDIR/ab"
	python3 - "$TMPDIR" <<-'END'
	import json,sys
	f=lambda n: json.loads(open(sys.argv[1]+'/'+n).read().splitlines()[-1])
	o,a,b=f('ab'),f('a.json'),f('b.json')
	for i,x in enumerate((a,b)):
	    gone=x['before']['fragments']-x['after']['fragments']
	    assert o['fragments_removed'][i]==gone>0 and abs(o['bytes_per_fragment_removed'][i]-x['bytes_written']/gone)<1e-6
	    assert o['gb_written'][i]*1e9==x['bytes_written'] or abs(o['gb_written'][i]*1e9-x['bytes_written'])<1
	assert o['fragments_after'][0]<o['fragments_after'][1]
	END
}
check 'two runs side by side' runs
check 'as text' bash -c "'$CDEFRAG' -c 'compare-runs $TMPDIR/a.json $TMPDIR/b.json' </dev/null | grep -qE '^bytes per fragment removed +[0-9.]+ +[0-9.]+ +[0-9.]+$'"
refused() { # refused TEXT COMMAND
	c -c "$2" "$demo" >"$TMPDIR/out" 2>&1; [ $? -eq 2 ] && grep -q "$1" "$TMPDIR/out" || { sed 's/^/# /' "$TMPDIR/out"; return 1; }
}
check 'no such report' refused 'there is no report "weather"; see: report' 'report weather'
check 'no plan' refused 'there is no plan' 'report place --planned'
check 'no run in a file' refused 'holds no run' "compare-runs $TMPDIR/place $TMPDIR/place"
check 'no such order' refused 'readdir, name or inode' 'readtest --order size'
check 'no run' refused 'nothing has been run yet' 'report run'
check 'no such disk' refused 'one of: hdd, ssd, nvme, sd' 'report layout --disk tape'
check 'no such table' refused 'dir, file or group' 'report place --by colour'
check 'a list of reports' bash -c '"$CDEFRAG" -c report "'"$demo"'" | grep -c "^report " | grep -qxE "[5-9]|1[0-9]"'
echo "1..$n"
exit $bad
