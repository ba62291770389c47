/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_scan.c - the scanner on volumes without a fault: every block owned as debugfs says,
 * counts as dumpe2fs says, the same from any number of readers. test_scan_flaws.c and
 * test_scan_hostile.c: the others.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/str.h"
#include "fs/dirs.h"
#include "fs/scan.h"
#include "lab/demo.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

#define IMG image_path("s.img")

/* Feature sets: arguments for mke2fs, and the size in KiB. */
static const struct {
	const char *args;
	unsigned kib;
} kinds[] = {
	{"-t ext2 -b 1024", 8192},
	{"-t ext3 -b 4096", 32768},
	{"-t ext4 -b 1024", 16384},
	{"-t ext4 -b 4096", 65536},
	{"-t ext4 -b 4096 -O inline_data", 32768},
	{"-t ext4 -b 1024 -I 128 -O ^metadata_csum,uninit_bg", 16384},
	{"-t ext4 -b 1024 -O meta_bg,^resize_inode -g 1024", 16384},
	{"-t ext4 -b 4096 -O bigalloc -C 65536", 65536},
	{"-t ext4 -b 2048 -O sparse_super2,orphan_file,metadata_csum_seed,quota", 32768},
	{"-t ext4 -b 1024 -g 2048 -O ^flex_bg,mmp", 9001},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* So many pieces with holes between them that its tree has several levels. */
static void make_sieve(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	for (int i = 0; i < 500; i++)
		assert_int_equal(pwrite(fd, path, strlen(path), (off_t)i * 8192),
				 strlen(path));
	close(fd);
}

/* Folders, links, a large and many small files, holes, a long name. */
static void make_tree(void)
{
	assert_int_equal(image_run("cd \"$TMPDIR\" && rm -rf tree && mkdir -p tree/a/b "
				   "tree/many && cd tree && "
				   "head -c 700000 /dev/urandom >a/large && "
				   "for i in $(seq 1 150); do head -c $((i * 53)) "
				   "/dev/urandom >many/file$i; done && "
				   "ln -s short a/fast && ln -s $(printf 'x%%.0s' $(seq "
				   "1 90)) a/slow && ln a/large a/b/again && "
				   "truncate -s 300000 a/hole && printf end >>a/hole && "
				   "mkfifo a/pipe"),
			 0);
	make_sieve(image_path("tree/a/sieve"));
}

struct rig {
	struct volume *v;
	struct model *m;
	struct flaw_list flaws;
	uint64_t fragmented; /* blocks, as the first map has them */
};

/* Each block is in one class of one cell; and in the end nothing is unknown, but what only
 * fills up clusters. */
static void check_overview(struct rig *r, const struct overview *over)
{
	const struct geom *g = volume_geom(r->v);
	uint64_t sum[OVER_CLASSES] = {0}, blocks = 0;

	for (uint32_t c = 0; c < over->cells; c++)
		for (int k = 0; k < OVER_CLASSES; k++)
			sum[k] += over->count[c][k];
	for (int k = 0; k < OVER_CLASSES; k++)
		blocks += sum[k];
	assert_int_equal(blocks, g->blocks - g->first_block);
	assert_int_equal(sum[OVER_FREE], volume_info(r->v)->free_blocks);
	assert_true(sum[OVER_UNKNOWN] == 0 || g->cluster_ratio > 1);
	assert_true(sum[OVER_META] && sum[OVER_DIR] && sum[OVER_FILE]);
	r->fragmented = sum[OVER_FRAGMENTED];
}

static void start(struct rig *r, int readers)
{
	struct volume_options opt = {0};
	struct err err = ERR_INIT;
	enum scan_state state;
	struct scan *s;

	memset(r, 0, sizeof(*r));
	r->v = volume_open(IMG, &opt, &err);
	if (!r->v)
		fail_msg("%s", err.msg);
	s = scan_new(r->v, readers, &err);
	while ((state = scan_step(s, &err)) == SCAN_MORE)
		;
	if (state != SCAN_DONE)
		fail_msg("%s", err.msg);
	check_overview(r, scan_overview(s));
	r->m = scan_take(s, &r->flaws);
	if (r->flaws.count)
		fail_msg("%s", r->flaws.list.v[0].text);
	scan_free(s);
}

static void stop(struct rig *r)
{
	model_free(r->m);
	vec_release(&r->flaws.list);
	volume_close(r->v);
}

static bool ask_owner(void *arg, const struct run *run)
{
	if (run->ino && run->phys % 3 == 0)
		str_addf(arg, " %llu", (unsigned long long)run->phys);
	return ((struct str *)arg)->len < 1500;
}

/* Owners of a few hundred blocks, as debugfs tells them. */
static void check_owners(struct rig *r)
{
	struct str cmd = STR_INIT;
	unsigned block;
	inum_t ino;
	int checked = 0;
	FILE *p;

	str_add(&cmd, "debugfs -R 'icheck");
	model_walk(r->m, 0, UINT64_MAX, ask_owner, &cmd);
	str_addf(&cmd, "' '%s' 2>/dev/null", IMG);
	p = popen(cmd.buf, "r");
	assert_non_null(p);
	while (fgets(cmd.buf, (int)cmd.cap, p)) {
		struct run run;

		if (sscanf(cmd.buf, "%u %u", &block, &ino) != 2)
			continue;
		model_at(r->m, block, &run);
		if (run.kind == OWNER_XATTR_SHARED || run.kind == OWNER_GDT_RESERVED)
			continue; /* debugfs names inode 7 for reserved descriptors */
		assert_int_equal(run.ino, ino);
		checked++;
	}
	pclose(p);
	str_release(&cmd);
	assert_true(checked > 10);
}

static bool no_unknown(void *arg, const struct run *run)
{
	(void)arg;
	assert_int_not_equal(run->kind, OWNER_UNKNOWN);
	return true;
}

/* Every inode with a name has a path that leads back to it. */
static void check_names(struct rig *r)
{
	int checked = 0;

	for (inum_t ino = model_next_inode(r->m, 10); ino;
	     ino = model_next_inode(r->m, ino)) {
		struct str path = STR_INIT;
		struct err err = ERR_INIT;
		struct file_info info;
		struct run run;

		assert_true(model_file(r->m, ino, &info));
		if (!info.parent) { /* known to the superblock or an attribute only */
			model_at(r->m, info.first, &run);
			assert_true(info.inode.flags & INODE_SYSTEM ||
				    run.kind == OWNER_EA_INODE);
			continue;
		}
		assert_true(dir_path(r->v, r->m, ino, &path, &err));
		assert_int_equal(dir_lookup(r->v, path.buf, &err), ino);
		str_release(&path);
		checked++;
	}
	assert_true(checked > 150);
}

struct pair {
	const struct model *other;
	uint64_t runs;
};

static bool same_in_other(void *arg, const struct run *a)
{
	struct pair *p = arg;
	struct run b;

	model_at(p->other, a->phys, &b);
	assert_int_equal(a->phys, b.phys);
	assert_int_equal(a->len, b.len);
	assert_int_equal(a->ino, b.ino);
	assert_int_equal(a->lblk, b.lblk);
	assert_int_equal(a->kind, b.kind);
	assert_int_equal(a->odd, b.odd);
	p->runs++;
	return true;
}

static bool count_attributes(void *arg, const struct run *run)
{
	inum_t *n = arg;

	if (run->kind == OWNER_XATTR || run->kind == OWNER_XATTR_SHARED)
		*n += 1;
	if (run->kind == OWNER_EA_INODE)
		*n += 1000 * run->len;
	return true;
}

static bool count_tree_blocks(void *arg, const struct run *run)
{
	if (run->kind == OWNER_TREE)
		*(uint64_t *)arg += run->len;
	return true;
}

static void check_volume(void)
{
	struct rig one, many;
	struct model_stats stats;
	struct pair pair = {0};
	uint64_t tree = 0;

	start(&one, 1);
	model_stats(one.m, &stats);
	assert_int_equal(
		stats.free_blocks,
		atoll(image_ask(
			"dumpe2fs -h '%s' 2>/dev/null | sed -n 's/^Free blocks: *//p'",
			IMG)));
	model_walk(one.m, 0, UINT64_MAX, no_unknown, NULL);
	model_walk(one.m, 0, UINT64_MAX, count_tree_blocks, &tree);
	assert_true(tree > 0);
	check_owners(&one);
	check_names(&one);
	start(&many, 5);
	pair.other = many.m;
	model_walk(one.m, 0, UINT64_MAX, same_in_other, &pair);
	assert_true(pair.runs > 100);
	stop(&many);
	stop(&one);
}

static void test_every_kind(void **state)
{
	(void)state;
	make_tree();
	for (size_t i = 0; i < KINDS; i++) {
		unlink(IMG);
		assert_int_equal(image_run("mke2fs -q -F %s -d \"$TMPDIR/tree\" '%s' %uk "
					   "2>/dev/null",
					   kinds[i].args, IMG, kinds[i].kib),
				 0);
		check_volume();
	}
}

static void test_fragmented_volumes(void **state)
{
	static const char *const types[] = {"ext2", "ext3", "ext4"};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct demo_options opt = {.type = types[i], .seed = 3};
		struct rig r;
		struct err err = ERR_INIT;

		assert_true(demo_make(IMG, &opt, true, &err));
		check_volume();
		start(&r, 2);
		assert_true(r.fragmented > 1000);
		stop(&r);
	}
}

static inum_t inode_of(const char *path)
{
	inum_t ino = (inum_t)strtoul(
		image_ask("debugfs -R 'stat %s' '%s' 2>/dev/null | sed -n 's/^Inode: "
			  "\\([0-9]*\\).*/\\1/p'",
			  path, IMG),
		NULL, 10);

	assert_true(ino > 0);
	return ino;
}

/* --- attributes --- */

/* Values that fill a block for each of 40 files; one so large that it gets an inode; and a
 * block that two files share. */
static void test_attributes(void **state)
{
	struct rig r;
	struct run run;
	blkno_t block;

	(void)state;
	unlink(IMG);
	assert_int_equal(
		image_run("mke2fs -q -F -t ext4 -b 1024 -O ea_inode,^metadata_csum -d "
			  "\"$TMPDIR/tree\" '%s' 16384k",
			  IMG),
		0);
	assert_int_equal(
		image_run(
			"cd \"$TMPDIR\" && head -c 700 /dev/urandom >v && head -c 9000 "
			"/dev/urandom >big && { for i in $(seq 2 40); do echo ea_set -f "
			"v /many/file$i user.v; done; echo ea_set -f big /many/file1 "
			"user.big; } >cmd && debugfs -w -f cmd '%s' >out 2>&1",
			IMG),
		0);
	block = strtoull(
		image_ask("debugfs -R 'stat /many/file40' '%s' 2>/dev/null | sed "
			  "-n 's/.*File ACL: \\([0-9]*\\).*/\\1/p'",
			  IMG),
		NULL, 10);
	assert_true(block > 0);
	assert_int_equal(
		image_run(
			"debugfs -w -R 'sif /many/file50 file_acl %llu' '%s' "
			"&& debugfs -w -R 'sif /many/file50 blocks 8' '%s' && "
			"debugfs -w -R 'sif /many/file1 blocks 4' '%s' && " /* which debugfs forgot */
			"printf '\\002' | dd of='%s' bs=1 seek=%llu "
			"conv=notrunc",
			(unsigned long long)block, IMG, IMG, IMG, IMG,
			(unsigned long long)block * 1024 + 4),
		0);
	assert_true(image_is_clean(IMG));
	check_volume();
	start(&r, 3);
	model_at(r.m, block, &run);
	assert_int_equal(run.kind, OWNER_XATTR_SHARED);
	run.ino = 0;
	model_walk(r.m, 0, UINT64_MAX, count_attributes, &run.ino);
	assert_int_equal(run.ino, 39 + 1000); /* blocks, and that of the value */
	stop(&r);
}

/* --- directories in their inodes --- */

/* What the kernel does with an entry that no longer fits into i_block, and mke2fs does not:
 * it goes into the attribute system.data. */
static void add_inline_rest(inum_t dir, inum_t ino, const char *name)
{
	struct volume *v = fsimage_open(IMG, false);
	uint8_t raw[256], *at = raw + EXT2_GOOD_OLD_INODE_SIZE, *value;
	struct ext2_inode_large *inode = (void *)raw;
	struct ext2_ext_attr_entry entry = {.e_name_len = 4, .e_name_index = 7};
	struct ext2_dir_entry_2 d = {
		.inode = ino, .rec_len = 20, .name_len = (uint8_t)strlen(name)};
	uint32_t magic = EXT2_EXT_ATTR_MAGIC;
	blkno_t block;
	size_t offset;

	assert_int_equal(volume_geom(v)->inode_size, sizeof(raw));
	inode_locate(v, dir, &block, &offset);
	offset += block * volume_geom(v)->block_size;
	volume_close(v);
	fsimage_read(IMG, offset, raw, sizeof(raw));
	at += inode->i_extra_isize;
	memset(at, 0, (size_t)(raw + sizeof(raw) - at));
	value = raw + sizeof(raw) - 20;
	entry.e_value_offs = (uint16_t)(value - at - 4);
	entry.e_value_size = 20;
	memcpy(at, &magic, 4);
	memcpy(at + 4, &entry, sizeof(entry));
	memcpy(at + 4 + sizeof(entry), "data", 4);
	d.file_type = EXT2_FT_REG_FILE;
	memcpy(value, &d, 8);
	memcpy(value + 8, name, strlen(name));
	inode->i_size = 60 + 20;
	fsimage_write(IMG, offset, raw, sizeof(raw));
}

static void test_inline_directories(void **state)
{
	inum_t dir, ino[3];
	struct rig r;

	(void)state;
	assert_int_equal(
		image_run(
			"cd \"$TMPDIR\" && rm -rf in s.img && mkdir -p in/dir in/out && "
			"echo 1 >in/dir/one && echo 2 >in/dir/two && echo 3 "
			">in/out/three && head -c 9000 /dev/urandom >in/big && mke2fs -q "
			"-F -t ext4 -I 256 -O inline_data,^metadata_csum -d in '%s' "
			"16384k",
			IMG),
		0);
	dir = inode_of("/dir");
	ino[0] = inode_of("/dir/one");
	ino[1] = inode_of("/dir/two");
	ino[2] = inode_of("/out/three");
	assert_int_equal(image_run("debugfs -w -R 'unlink /out/three' '%s'", IMG), 0);
	add_inline_rest(dir, ino[2], "three");
	assert_true(image_is_clean(IMG));
	start(&r, 2);
	for (int i = 0; i < 3; i++)
		assert_int_equal(model_parent(r.m, ino[i]), dir);
	assert_int_equal(model_parent(r.m, dir), EXT2_ROOT_INO);
	stop(&r);
}

/* --- files that wait to be freed --- */

/* Removes the name of a file, as the kernel does while somebody has it open. */
static void make_orphan(const char *file, inum_t *ino)
{
	*ino = inode_of(file);
	assert_int_equal(image_run("debugfs -w -R 'unlink %s' '%s' && debugfs -w -R 'sif "
				   "<%u> links_count 0' '%s'",
				   file, IMG, *ino, IMG),
			 0);
}

static void check_orphans(const inum_t *ino, int n)
{
	struct file_info info;
	struct rig r;

	start(&r, 2);
	for (int i = 0; i < n; i++) {
		assert_true(model_file(r.m, ino[i], &info));
		assert_true(info.blocks > 0);
		assert_int_equal(info.parent, 0);
	}
	stop(&r);
}

static void test_orphans(void **state)
{
	inum_t ino[2];
	uint64_t block;

	(void)state;
	for (int way = 0; way < 2; way++) {
		unlink(IMG);
		assert_int_equal(
			image_run("mke2fs -q -F -t ext4 -b 1024 -O "
				  "^metadata_csum,orphan_file -d \"$TMPDIR/tree\" "
				  "'%s' 16384k",
				  IMG),
			0);
		make_orphan("/many/file100", &ino[0]);
		make_orphan("/many/file140", &ino[1]);
		if (way == 0) { /* a list: from the superblock through i_dtime */
			assert_int_equal(
				image_run("debugfs -w -R 'ssv last_orphan %u' '%s' && "
					  "debugfs -w -R 'sif <%u> dtime @%u' '%s' && "
					  "debugfs -w -R 'sif <%u> dtime @0' '%s'",
					  ino[1], IMG, ino[1], ino[0], IMG, ino[0], IMG),
				0);
			check_orphans(ino, 2);
			continue;
		} /* else: in the orphan file */
		assert_int_equal(
			image_run("debugfs -w -R 'feature orphan_present' '%s'", IMG), 0);
		block = strtoull(
			image_ask("debugfs -R \"blocks <$(dumpe2fs -h '%s' 2>/dev/null | "
				  "sed -n 's/^Orphan file inode: *//p')>\" '%s' "
				  "2>/dev/null",
				  IMG, IMG),
			NULL, 10);
		assert_true(block > 0);
		for (int i = 0; i < 2; i++)
			fsimage_write(IMG, block * 1024 + i * 40u, &ino[i], 4);
		check_orphans(ino, 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_kind),
		cmocka_unit_test(test_fragmented_volumes),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_inline_directories),
		cmocka_unit_test(test_orphans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
