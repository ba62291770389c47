# SPDX-License-Identifier: GPL-3.0-or-later
# test_clone.sh - clone, image, restore, compare. Oracles: cmp, e2fsck, e2image -r, qemu-img where it is installed,
# and python reading the allocation bitmap's word for what is in use (dumpe2fs).
set -u
n=0 bad=0
check() { # check NAME COMMAND...
	local name=$1; shift
	n=$((n + 1))
	if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; bad=1; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
c() { "$CDEFRAG" "$@" </dev/null; }
cd "$TMPDIR" || exit 1
refused() { # refused TEXT ARGS...: exit code 1
	local text=$1; shift
	c "$@" >out 2>&1; [ $? -eq 1 ] && grep -q -- "$text" out || { sed 's/^/# /' out; return 1; }
}
# What dumpe2fs calls in use is the same in the copy; what is free is zeros.
holds_used() { # SOURCE COPY
	dumpe2fs "$1" 2>/dev/null >dump
	python3 - "$1" "$2" <<-'END'
	import re,sys
	t=open('dump').read()
	bs=int(re.search(r'Block size:\s*(\d+)',t).group(1)); n=int(re.search(r'Block count:\s*(\d+)',t).group(1))
	free=bytearray(n)
	for l in re.findall(r'^  Free blocks: (.*)$',t,re.M):
	    for r in filter(None,l.strip().split(', ')):
	        a,b=(r.split('-')+[r])[:2]
	        free[int(a):int(b)+1]=b'\1'*(int(b)-int(a)+1)
	a,b=open(sys.argv[1],'rb').read(),open(sys.argv[2],'rb').read()
	assert len(a)==len(b)==n*bs,(len(a),len(b))
	assert sum(free)>100
	for i in range(n):
	    x,y=a[i*bs:(i+1)*bs],b[i*bs:(i+1)*bs]
	    assert (not any(y)) if free[i] else x==y, (i,free[i])
	END
}

c --make-demo demo.img --seed 3 >/dev/null
# Free blocks that hold something: it must not be copied.
python3 - <<'END'
import os,re,subprocess
t=subprocess.run(['dumpe2fs','demo.img'],capture_output=True,text=True).stdout
f=open('demo.img','r+b')
for l in re.findall(r'^  Free blocks: (.*)$',t,re.M):
    for r in filter(None,l.strip().split(', ')):
        a,b=(r.split('-')+[r])[:2]
        f.seek(int(a)*1024); f.write(b'secret! '*128*(int(b)-int(a)+1))
END
mkdir tree; for i in $(seq 40); do head -c $((i * 3000)) /dev/urandom >tree/f$i; done
mkdir tree/long; for i in $(seq 300); do : >"tree/long/a name of some length $i"; done; ln -s somewhere/else tree/short
ln -s "$(printf 'x%.0s' $(seq 80))/private" tree/longlink
truncate -s 21037056 odd.img # 5,136 blocks of 4 KiB: no whole number of clusters
mke2fs -q -t ext4 -b 4096 -d tree odd.img
truncate -s 9999360 ext2.img # 9,765 blocks of 1 KiB: no whole number of pages
mke2fs -q -t ext2 -b 1024 -d tree ext2.img 9765 >/dev/null 2>&1; truncate -s 9999360 ext2.img
for v in demo odd ext2; do
	cp $v.img $v.before
	c --json -c "clone $v.raw" $v.img >$v.json
	check "$v: a clone holds what is in use and nothing else" holds_used $v.img $v.raw
	check "$v: it is clean" e2fsck -fn $v.raw
	c --json -c "image $v.qcow2" $v.img >$v.json2
	check "$v: e2image -r reads the image" bash -c "e2image -r $v.qcow2 $v.e2raw >/dev/null 2>&1"
	check "$v: and makes the clone of it" holds_used $v.img $v.e2raw
	if command -v qemu-img >/dev/null; then
		check "$v: qemu-img check" bash -c "qemu-img check $v.qcow2 | grep -q 'No errors were found'"
		check "$v: qemu-img convert makes the clone of it" bash -c "qemu-img convert -O raw $v.qcow2 $v.qraw && cmp $v.qraw $v.raw"
		qemu-img convert -f raw -O qcow2 $v.raw $v.foreign.qcow2
		check "$v: an image that qemu-img made" bash -c "'$CDEFRAG' -c 'restore $v.foreign.qcow2 $v.foreign' && cmp $v.foreign $v.raw"
	else
		for what in check convert foreign; do skip "$v: qemu-img $what" 'no qemu-img'; done
	fi
	check "$v: the same through a pipe" bash -c "'$CDEFRAG' -c 'image -' $v.img 2>report | cat >$v.pipe && cmp $v.pipe $v.qcow2 && grep -q 'REAL s' report"
	for from in raw qcow2; do
		check "$v: restore from $from" bash -c "'$CDEFRAG' -c 'restore $v.$from $v.back.$from' && cmp $v.back.$from $v.raw"
		check "$v: compare with $from" bash -c "'$CDEFRAG' --json -c 'compare $v.$from' $v.img >cmp.json && grep -q '\"blocks_differ\":0,\"blocks_missing\":0' cmp.json"
	done
	check "$v: the source was not touched" cmp $v.img $v.before
done
check 'what it says' python3 - <<'END'
import json,os
o=json.load(open('demo.json')); q=json.load(open('demo.json2'))
assert o['job']=='clone' and o['volume_bytes']==64<<20 and o['used_bytes']==q['used_bytes']
assert o['used_bytes']<=o['bytes_read']<64<<20 and o['bytes_written']>=o['used_bytes'] and q['bytes_written']==os.path.getsize('demo.qcow2')
assert o['reads']>=o['jumps']>0 and o['used_runs']>50 and o['real_ms']>=0 and {'user_ms','sys_ms','cpu_percent','mb_per_second','ideal_ms'}<=set(o)
assert os.stat('demo.raw').st_blocks*512<64<<20
END
check 'a clone is for its owner only' bash -c '[ "$(stat -c %a demo.raw)" = 600 ]'
printf 'x' | dd of=demo.raw bs=1 seek=$((1024 * 20000 + 7)) conv=notrunc 2>/dev/null
check 'compare finds one byte' refused '1 blocks differ and 0 are not in it; the first is block 20000' -c 'compare demo.raw' demo.img

# Never over what is there.
cp demo.raw keep
check 'a file that exists' refused 'demo.raw exists; to write over it: clone! demo.raw' -c 'clone demo.raw' demo.img
check 'is as it was' cmp demo.raw keep
check 'an image over the source' refused 'is the source itself' -c 'image! demo.img' demo.img
ln demo.img hard.img; ln -s demo.img soft.img
check 'by a hard link' refused 'is the source itself' -c 'clone! hard.img' demo.img
check 'by a symbolic link' refused 'is the source itself' -c 'clone! soft.img' demo.img
check 'restore over the open volume' refused 'is the source itself' -c 'restore! odd.raw demo.img' demo.img
check 'restore over its own file' refused 'is the source itself' -c 'restore! odd.raw odd.raw'
check 'a folder' refused 'is a folder' -c 'clone! tree' demo.img
check 'no such folder' refused 'cannot make' -c 'clone nix/x.raw' demo.img
check 'clone into a pipe' bash -c "mkfifo fifo; '$CDEFRAG' -c 'clone fifo' demo.img 2>&1 </dev/null | grep -q 'only image can go through a pipe'"
printf 'short' >short.txt
check 'neither volume nor image' refused 'neither a volume nor an image' -c 'restore short.txt x.raw'
seq 1 5000 >text.txt; printf 'precious' >dest.txt
check 'a text is not restored' refused 'neither a volume nor an image' -c 'restore! text.txt dest.txt'
check 'nor over anything' test "$(cat dest.txt)" = precious
check 'nor compared' refused 'neither a volume nor an image' -c 'compare text.txt' demo.img
check 'no volume' bash -c "! '$CDEFRAG' -c 'clone x.raw' 2>out </dev/null && grep -q 'no volume is open' out"
check '! writes over it' c -c 'clone! demo.raw' demo.img
check 'and it is right again' holds_used demo.img demo.raw
check 'none of this touched the source' cmp demo.img demo.before
head -c 100000 demo.qcow2 >cut.qcow2
check 'an image that was cut off' refused 'cannot read cut.qcow2' -c 'restore cut.qcow2 cut.raw'
check 'leaves nothing behind' bash -c '! ls cut.raw* 2>/dev/null'
check 'a full disk leaves nothing behind' bash -c "ulimit -f 10000; trap '' XFSZ; ! '$CDEFRAG' -c 'clone full.raw' demo.img 2>out </dev/null && grep -q 'cannot write to' out && ! ls full.raw* 2>/dev/null"

# Stopped: nothing is left that could be taken for a copy.
stopped() {
	mkfifo slow
	"$CDEFRAG" -c 'image slow' demo.img 2>out </dev/null & local pid=$!
	exec 9<slow; sleep 0.3; kill -TERM $pid; sleep 0.2; exec 9<&-; wait $pid; local rc=$?
	[ $rc -eq 3 ] || [ $rc -eq 1 ] || { echo "# exit $rc"; return 1; }
}
check 'a signal ends it' stopped

# For bug reports.
check 'metadata only' bash -c "'$CDEFRAG' -c 'image --metadata m.qcow2' odd.img && e2image -r m.qcow2 m.raw >/dev/null 2>&1 && e2fsck -fn m.raw >/dev/null"
check 'has the names' bash -c "debugfs -R 'ls -l /long' m.raw 2>/dev/null | grep -q 'a name of some length 299'"
check 'and no contents' bash -c "debugfs -R 'dump /f40 got' m.raw 2>/dev/null; [ \$(stat -c %s got) = 120000 ] && cmp -s got <(head -c 120000 /dev/zero)"
check 'scrambled' c -c 'clone --scramble s.raw' odd.img
check 'has no name and no target' bash -c "! strings -n 4 s.raw | grep -qE 'a name of some|longlink|private|somewhere|secret'"
check 'keeps lengths, sizes and places' bash -c "diff <(debugfs -R 'ls -l <12>' odd.img 2>/dev/null | awk '{print \$1,\$2,\$6,length(\$0)}') <(debugfs -R 'ls -l <12>' s.raw 2>/dev/null | awk '{print \$1,\$2,\$6,length(\$0)}')"
sum_errors() { e2fsck -fn s.raw >out 2>&1; ! grep -iE 'checksum|bad magic' out || { sed 's/^/# /' out; return 1; }; }
check 'and its checksums are right' sum_errors
check 'the map of it is the same' bash -c "cmp <('$CDEFRAG' --ascii -c 'map --width 60' s.raw) <('$CDEFRAG' --ascii -c 'map --width 60' odd.img)"

# A device, where we may make one.
if [ "$(id -u)" = 0 ] && truncate -s 64M dev.img && dev=$(losetup -f --show dev.img 2>/dev/null); then
	tr '\0' 'z' </dev/zero | dd of="$dev" bs=1M count=64 iflag=fullblock 2>/dev/null
	check 'a device asks for !' refused 'all on it would be lost' -c "clone $dev" demo.img
	check 'restore to a device' c -c "restore! demo.qcow2 $dev"
	sync; check 'which then holds the volume' holds_used demo.img dev.img
	check 'clone to a device' c -c "clone! $dev" odd.img
	check 'from a device to its own backing file' refused 'is the source itself' -c 'clone! dev.img' "$dev"
	check 'nor over a file that a loop device stands on' refused 'attached to it' -c 'clone! dev.img' demo.img
	cp demo.img big.raw; truncate -s 65M big.raw
	check 'a device that is too small' refused 'holds 67108864 bytes, the volume 68157440' -c "restore! big.raw $dev"
	losetup -d "$dev"
else
	skip 'devices' 'needs root and loop devices'
fi
echo "1..$n"
exit $bad
