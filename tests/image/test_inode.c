/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_inode.c - raw inodes and their maps: debugfs lists the same blocks at the same logical
 * places, the library computes the same checksums, and no map, however damaged, makes the
 * reader crash, hang or believe it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/num.h"
#include "fs/build.h"
#include "fs/dirs.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

#define MIB (1024ull * 1024)

/* --- against debugfs --- */

struct numbers {
	uint64_t *v;
	size_t n, cap;
};

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Answers to a script of debugfs, one request after the other. */
static FILE *ask_debugfs(const char *img, const char *script)
{
	char cmd[1200];
	FILE *p;

	snprintf(cmd, sizeof(cmd), "debugfs -f '%s' '%s' 2>/dev/null", script, img);
	p = popen(cmd, "r");
	assert_non_null(p);
	return p;
}

/* All blocks but the attribute block: debugfs "blocks" does not list that. */
static void blocks_of(const struct run_list *runs, struct numbers *out)
{
	out->n = 0;
	for (size_t i = 0; i < runs->n; i++)
		for (uint32_t k = 0; k < runs->v[i].len; k++)
			if (runs->v[i].kind != OWNER_XATTR)
				assert_true(vec_push(out, runs->v[i].phys + k));
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), by_value);
}

static bool map_of(struct volume *v, inum_t ino, struct run_list *runs)
{
	struct ext2_inode_large *raw = calloc(1, INODE_BUF(v));
	struct err err = ERR_INIT;
	bool live;

	runs->n = 0;
	if (!inode_read(v, ino, raw, &err) || !inode_map(v, ino, raw, runs, &err))
		fail_msg("%s", err.msg);
	/* of a short link debugfs takes the target for block numbers */
	live = raw->i_links_count != 0 && !(S_ISLNK(raw->i_mode) && raw->i_blocks == 0);
	free(raw);
	return live;
}

/* Every user inode of the volume: the same set of blocks. */
static size_t compare_blocks(const char *img, struct volume *v, const char *script)
{
	struct numbers ours = {0}, theirs = {0};
	struct run_list runs = {0};
	char *line = NULL;
	size_t cap = 0, compared = 0;
	inum_t ino = 0;
	FILE *f = fopen(script, "w");

	for (inum_t i = 2; i <= v->geom.inodes; i += i == 2 ? 9 : 1)
		if (map_of(v, i, &runs))
			fprintf(f, "blocks <%u>\n", i);
	fclose(f);
	f = ask_debugfs(img, script);
	while (getline(&line, &cap, f) > 0) {
		char *p = line;

		if (sscanf(line, "debugfs: blocks <%u>", &ino) == 1)
			continue;
		theirs.n = 0;
		for (uint64_t b; (b = strtoull(p, &p, 10)) != 0;)
			assert_true(vec_push(&theirs, b));
		map_of(v, ino, &runs);
		blocks_of(&runs, &ours);
		if (theirs.n)
			qsort(theirs.v, theirs.n, sizeof(*theirs.v), by_value);
		if (ours.n != theirs.n ||
		    (ours.n && memcmp(ours.v, theirs.v, ours.n * sizeof(*ours.v)) != 0))
			fail_msg("inode %u: %zu blocks, debugfs has %zu", ino, ours.n,
				 theirs.n);
		compared++;
	}
	pclose(f);
	free(line);
	vec_release(&ours);
	vec_release(&theirs);
	vec_release(&runs);
	return compared;
}

/* The physical block of a logical one, 0 in a hole. */
static blkno_t look_up(const struct run_list *runs, uint64_t lblk)
{
	for (size_t i = 0; i < runs->n; i++)
		if (owner_is_data(runs->v[i].kind) && runs->v[i].lblk <= lblk &&
		    lblk < (uint64_t)runs->v[i].lblk + runs->v[i].len)
			return runs->v[i].phys + lblk - runs->v[i].lblk;
	return 0;
}

/* Logical places, spread over each file and next to the edges of its runs. */
static void compare_places(const char *img, struct volume *v, inum_t ino,
			   const char *script)
{
	struct run_list runs = {0};
	unsigned long long phys;
	uint64_t lblk = 0, step;
	size_t compared = 0;
	char line[200];
	FILE *f = fopen(script, "w");

	map_of(v, ino, &runs);
	step = runs.n / 300 + 1;
	for (size_t i = 0; i < runs.n; i += step)
		if (owner_is_data(runs.v[i].kind))
			fprintf(f, "bmap <%u> %u\nbmap <%u> %u\n", ino, runs.v[i].lblk,
				ino, runs.v[i].lblk + runs.v[i].len);
	fclose(f);
	f = ask_debugfs(img, script);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "debugfs: bmap <%*u> %llu", &phys) == 1) {
			lblk = phys;
		} else if (sscanf(line, "%llu", &phys) == 1) {
			if (look_up(&runs, lblk) != phys)
				fail_msg("inode %u: logical %llu", ino,
					 (unsigned long long)lblk);
			compared++;
		}
	pclose(f);
	assert_true(compared > 1);
	vec_release(&runs);
}

static const char *const kinds[] = {
	"-t ext2 -b 1024",
	"-t ext2 -b 4096",
	"-t ext3 -b 1024 -I 128",
	"-t ext4 -b 1024",
	"-t ext4 -b 4096",
	"-t ext4 -b 1024 -I 128",
	"-t ext4 -b 2048 -O inline_data",
	"-t ext4 -b 1024 -O ^64bit,^metadata_csum",
	"-t ext4 -b 1024 -g 1024 -O ^resize_inode,meta_bg",
	"-t ext4 -b 1024 -O bigalloc",
	"-t ext4 -b 1024 -O metadata_csum_seed,orphan_file",
};

static void test_populated(void **state)
{
	const char *img = image_path("p.img"), *dir = image_path("tree"),
		   *script = image_path("script");

	(void)state;
	fsimage_tree(dir);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct err err = ERR_INIT;
		struct volume *v;

		fsimage_make(img, 24 * MIB, "%s -d '%s'", kinds[i], dir);
		v = fsimage_open(img, false);
		assert_true(compare_blocks(img, v, script) > 400);
		compare_places(img, v, dir_lookup(v, "/holes", &err), script);
		compare_places(img, v, dir_lookup(v, "/a/b/copy", &err), script);
		compare_places(img, v, v->fs->super->s_journal_inum ? 8 : 2, script);
		volume_close(v);
	}
}

/* A file whose blocks never touch: every mapping record stands alone; with a long hole, so
 * that all three indirections of a 1 KiB volume are met. */
static inum_t build_scattered(const char *img, const char *type, uint32_t n,
			      uint32_t hole_at, const char *const *extra)
{
	struct build_options opt = {.type = type,
				    .bytes = 96 * MIB,
				    .block_size = 1024,
				    .seed = 1,
				    .time = 1700000000,
				    .label = "",
				    .extra = extra};
	uint32_t hole = hole_at ? 70000 : 0, total = n + hole, at = 12000;
	uint32_t *blocks = calloc(total, sizeof(*blocks));
	struct build_node node = {.parent = BUILD_ROOT,
				  .name = "scattered",
				  .blocks = blocks,
				  .block_count = total,
				  .size = (uint64_t)total * 1024,
				  .content_seed = 3};
	struct err err = ERR_INIT;
	struct build *b;
	inum_t ino;

	unlink(img);
	b = build_new(img, &opt, &err);
	if (!b)
		fail_msg("%s", err.msg);
	for (uint32_t i = 0; i < n; i++) {
		while (build_is_used(b, at))
			at++;
		blocks[i < hole_at || !hole_at ? i : i + hole] = at;
		build_reserve(b, at);
		at += 2;
	}
	ino = build_file(b, &node, &err);
	if (!ino || !build_finish(b, &err))
		fail_msg("%s", err.msg);
	free(blocks);
	return ino;
}

static void test_deep_trees(void **state)
{
	const char *img = image_path("t.img"), *script = image_path("script");
	static const char *const plain[] = {"-O", "^metadata_csum", NULL};

	(void)state;
	for (int i = 0; i < 4; i++) {
		const char *type = i < 2 ? "ext2" : "ext4";
		inum_t ino = build_scattered(img, type, 32000, i % 2 ? 20000 : 0,
					     i == 3 ? plain : NULL);
		struct run_list runs = {0};
		struct volume *v = fsimage_open(img, false);
		size_t data = 0, tree = 0;

		assert_int_equal(compare_blocks(img, v, script), 3);
		compare_places(img, v, ino, script);
		map_of(v, ino, &runs);
		for (size_t k = 0; k < runs.n; k++) {
			data += runs.v[k].kind == OWNER_FILE;
			tree += runs.v[k].kind == OWNER_TREE;
			if (k && runs.v[k].kind == OWNER_FILE)
				assert_true(runs.v[k - 1].lblk < runs.v[k].lblk);
			if (k && runs.v[k].kind == OWNER_TREE)
				assert_true(runs.v[k - 1].kind == OWNER_FILE ||
					    runs.v[k - 1].phys < runs.v[k].phys);
		}
		assert_int_equal(data, 32000);
		assert_true(tree > 120);
		vec_release(&runs);
		volume_close(v);
	}
}

/* --- what they are --- */

static void expect_kind(struct volume *v, inum_t ino, enum owner_kind kind,
			enum inode_type type, unsigned flags)
{
	struct ext2_inode_large *raw = calloc(1, INODE_BUF(v));
	struct inode_info info;
	struct err err = ERR_INIT;

	assert_true(inode_read(v, ino, raw, &err));
	inode_info_of(v, ino, raw, &info);
	assert_int_equal(inode_owner_kind(v, ino, raw), kind);
	assert_int_equal(info.type, type);
	assert_int_equal(info.flags, flags);
	free(raw);
}

static void test_what_they_are(void **state)
{
	const char *img = image_path("w.img"), *dir = image_path("tree"),
		   *script = image_path("s");
	struct err err = ERR_INIT;
	struct run_list runs = {0};
	struct volume *v;
	inum_t ino;

	(void)state;
	fsimage_tree(dir);
	fsimage_make(img, 24 * MIB,
		     "-t ext4 -b 1024 -O inline_data,orphan_file,quota -d '%s'", dir);
	assert_int_equal(
		image_run("printf 'mknod pipe p\nmknod disk b 8 1\nsif small flags "
			  "0x80010\n"
			  "sif large flags 0x80020\n' > '%s' && "
			  "debugfs -w -f '%s' '%s'",
			  script, script, img),
		0);
	assert_int_equal(image_run("head -c 600 /dev/zero | tr '\\0' v > '%s' && "
				   "debugfs -w -R 'ea_set -f %s empty user.x' '%s'",
				   script, script, img),
			 0);
	v = fsimage_open(img, false);
	expect_kind(v, 2, OWNER_DIR, INODE_DIR, 0);
	expect_kind(v, 8, OWNER_JOURNAL, INODE_FILE, INODE_PINNED | INODE_SYSTEM);
	expect_kind(v, 7, OWNER_RESIZE, INODE_FILE,
		    INODE_PINNED | INODE_SYSTEM | INODE_INDIRECT);
	expect_kind(v, 3, OWNER_QUOTA, INODE_FILE, INODE_PINNED | INODE_SYSTEM);
	expect_kind(v, v->fs->super->s_orphan_file_inum, OWNER_ORPHAN, INODE_FILE,
		    INODE_PINNED | INODE_SYSTEM);
	expect_kind(v, dir_lookup(v, "/small", &err), OWNER_FILE, INODE_FILE,
		    INODE_PINNED);
	expect_kind(v, dir_lookup(v, "/large", &err), OWNER_FILE, INODE_FILE,
		    INODE_PINNED);
	expect_kind(v, dir_lookup(v, "/holes", &err), OWNER_FILE, INODE_FILE, 0);
	expect_kind(v, dir_lookup(v, "/long", &err), OWNER_SYMLINK, INODE_SYMLINK, 0);
	expect_kind(v, dir_lookup(v, "/short", &err), OWNER_SYMLINK, INODE_SYMLINK, 0);
	expect_kind(v, dir_lookup(v, "/a/b/c/d/e/deep", &err), OWNER_FILE, INODE_FILE,
		    INODE_INLINE);
	expect_kind(v, dir_lookup(v, "/pipe", &err), OWNER_FILE, INODE_OTHER, 0);
	/* i_block is payload there: no map */
	map_of(v, dir_lookup(v, "/disk", &err), &runs);
	assert_int_equal(runs.n, 0);
	map_of(v, dir_lookup(v, "/short", &err), &runs);
	assert_int_equal(runs.n, 0);
	map_of(v, dir_lookup(v, "/long", &err), &runs);
	assert_int_equal(runs.n, 1);
	/* an attribute block comes last */
	ino = dir_lookup(v, "/empty", &err);
	map_of(v, ino, &runs);
	assert_int_equal(runs.n, 1);
	assert_int_equal(runs.v[0].kind, OWNER_XATTR);
	assert_int_equal(runs.v[0].phys,
			 strtoull(image_ask("debugfs -R 'stat empty' '%s' 2>/dev/null | "
					    "sed -n 's/.*File ACL: *//p'",
					    img),
				  NULL, 10));
	vec_release(&runs);
	volume_close(v);
}

static void test_no_such_inode(void **state)
{
	const char *img = image_path("n.img");
	struct err err = ERR_INIT;
	struct ext2_inode_large *raw;
	struct volume *v;

	(void)state;
	fsimage_make(img, 8 * MIB, "-t ext4");
	v = fsimage_open(img, false);
	raw = calloc(1, INODE_BUF(v));
	assert_false(inode_read(v, 0, raw, &err));
	assert_int_equal(err.class, ERR_USAGE);
	err_clear(&err);
	assert_false(inode_read(v, v->geom.inodes + 1, raw, &err));
	assert_int_equal(err.class, ERR_USAGE);
	err_clear(&err);
	assert_true(inode_read(v, v->geom.inodes, raw, &err));
	free(raw);
	volume_close(v);
}

/* --- checksums --- */

/* Of all inodes in use ours and the library's agree, before and after a flipped bit. */
static void test_inode_checksums(void **state)
{
	static const char *const sizes[] = {"-I 128", "-I 256", "-I 1024",
					    "-I 256 -O metadata_csum_seed"};
	const char *img = image_path("k.img"), *dir = image_path("tree");

	(void)state;
	fsimage_tree(dir);
	for (size_t i = 0; i < 4; i++) {
		struct ext2_inode_large *raw;
		struct err err = ERR_INIT;
		struct volume *v;
		size_t checked = 0;

		fsimage_make(img, 24 * MIB, "-t ext4 -b 1024 %s -d '%s'", sizes[i], dir);
		if (i == 3)
			assert_int_equal(image_run("tune2fs -U random '%s'", img), 0);
		v = fsimage_open(img, false);
		v->fs->flags &= ~EXT2_FLAG_IGNORE_CSUM_ERRORS;
		raw = calloc(1, INODE_BUF(v));
		for (inum_t ino = 11; ino <= v->geom.inodes; ino++) {
			uint8_t *byte = (uint8_t *)raw + ino % v->geom.inode_size;

			assert_true(inode_read(v, ino, raw, &err));
			if (!raw->i_links_count)
				continue;
			assert_true(inode_csum_ok(v, ino, raw));
			assert_true(ext2fs_inode_csum_verify(v->fs, ino, raw));
			assert_false(inode_csum_ok(v, ino + 1, raw));
			*byte ^= 0x20;
			assert_int_equal(inode_csum_ok(v, ino, raw),
					 ext2fs_inode_csum_verify(v->fs, ino, raw));
			assert_false(inode_csum_ok(v, ino, raw));
			checked++;
		}
		assert_true(checked > 400);
		free(raw);
		volume_close(v);
	}
}

static void test_node_checksums(void **state)
{
	const char *img = image_path("t.img");
	inum_t ino = build_scattered(img, "ext4", 3000, 0, NULL);
	struct volume *v = fsimage_open(img, false);
	struct ext2_inode_large *raw = calloc(1, INODE_BUF(v));
	struct run_list runs = {0};
	struct err err = ERR_INIT;
	size_t nodes = 0;
	uint8_t buf[1024];

	(void)state;
	v->fs->flags &= ~EXT2_FLAG_IGNORE_CSUM_ERRORS;
	assert_true(inode_read(v, ino, raw, &err));
	map_of(v, ino, &runs);
	for (size_t i = 0; i < runs.n; i++) {
		if (runs.v[i].kind != OWNER_TREE)
			continue;
		assert_true(io_read(v, runs.v[i].phys, 1, buf, &err));
		assert_true(inode_node_csum_ok(v, ino, raw, buf));
		assert_true(ext2fs_extent_block_csum_verify(v->fs, ino, (void *)buf));
		buf[12 + i % 1000] ^= 4;
		assert_false(inode_node_csum_ok(v, ino, raw, buf));
		buf[12 + i % 1000] ^= 4;
		buf[5] =
			0xFF; /* eh_max: where the checksum would lie is outside the block */
		assert_false(inode_node_csum_ok(v, ino, raw, buf));
		nodes++;
	}
	assert_true(nodes > 30);
	/* a bad node on the disk is an error of the map, a bad inode one of the read */
	assert_true(io_read(v, runs.v[runs.n - 1].phys, 1, buf, &err));
	buf[100] ^= 1;
	fsimage_write(img, runs.v[runs.n - 1].phys * 1024, buf, 1024);
	assert_false(inode_map(v, ino, raw, &runs, &err));
	assert_int_equal(err.class, ERR_CORRUPT);
	assert_non_null(strstr(err.msg, "e2fsck"));
	vec_release(&runs);
	free(raw);
	volume_close(v);
}

/* --- damage --- */

static struct ext2_inode_large *new_raw(struct volume *v, uint32_t flags)
{
	struct ext2_inode_large *raw = calloc(1, INODE_BUF(v));

	raw->i_mode = S_IFREG | 0644;
	raw->i_links_count = 1;
	raw->i_flags = flags;
	return raw;
}

static void set_extent(struct ext2_inode_large *raw, unsigned depth, unsigned i,
		       uint32_t lblk, uint32_t len, uint32_t phys)
{
	struct ext3_extent_header *h = (void *)raw->i_block;
	struct ext3_extent *e = (struct ext3_extent *)(h + 1) + i;
	struct ext3_extent_idx *x = (struct ext3_extent_idx *)(h + 1) + i;

	h->eh_magic = EXT3_EXT_MAGIC;
	h->eh_max = 4;
	h->eh_depth = (uint16_t)depth;
	h->eh_entries = (uint16_t)(i + 1);
	if (depth)
		*x = (struct ext3_extent_idx){.ei_block = lblk, .ei_leaf = phys};
	else
		*e = (struct ext3_extent){
			.ee_block = lblk, .ee_len = (uint16_t)len, .ee_start = phys};
}

/* The map of this inode is an error with these words; nothing is handed out. */
static void expect_bad(struct volume *v, struct ext2_inode_large *raw, const char *words)
{
	struct run_list runs = {0};
	struct err err = ERR_INIT;

	if (inode_map(v, 12, raw, &runs, &err))
		fail_msg("accepted, should say \"%s\"", words);
	assert_int_equal(err.class, ERR_CORRUPT);
	if (!strstr(err.msg, words))
		fail_msg("\"%s\" lacks \"%s\"", err.msg, words);
	assert_int_equal(runs.n, 0);
	vec_release(&runs);
	free(raw);
}

static void test_bad_extents(void **state)
{
	const char *img = image_path("x.img");
	struct ext2_inode_large *raw;
	struct volume *v;

	(void)state;
	fsimage_make(img, 8 * MIB, "-t ext4 -b 1024 -O ^metadata_csum");
	v = fsimage_open(img, false);
	expect_bad(v, new_raw(v, EXT4_EXTENTS_FL), "is not one");
	raw = new_raw(v, EXT4_EXTENTS_FL);
	set_extent(raw, 0, 0, 0, 4, 8190);
	expect_bad(v, raw, "outside the volume");
	raw = new_raw(v, EXT4_EXTENTS_FL);
	set_extent(raw, 0, 0, 0, 4, 0);
	expect_bad(v, raw, "outside the volume");
	raw = new_raw(v, EXT4_EXTENTS_FL);
	set_extent(raw, 0, 0, 0, 4, 3000);
	set_extent(raw, 0, 1, 3, 4, 4000);
	expect_bad(v, raw, "out of order");
	raw = new_raw(v, EXT4_EXTENTS_FL);
	set_extent(raw, 0, 0, 0xFFFFFFFE, 4, 3000);
	expect_bad(v, raw, "out of order");
	raw = new_raw(v, EXT4_EXTENTS_FL);
	set_extent(raw, 0, 0, 0, 0, 3000);
	expect_bad(v, raw, "is empty");
	raw = new_raw(v, EXT4_EXTENTS_FL);
	set_extent(raw, 0, 3, 0, 4, 3000);
	((struct ext3_extent_header *)raw->i_block)->eh_max = 5;
	((struct ext3_extent_header *)raw->i_block)->eh_entries = 5;
	expect_bad(v, raw, "more than fits");
	raw = new_raw(v, EXT4_EXTENTS_FL);
	set_extent(raw, 6, 0, 0, 4, 3000);
	expect_bad(v, raw, "depth");
	raw = new_raw(v, EXT4_EXTENTS_FL);
	set_extent(raw, 1, 0, 0, 4, 9000);
	expect_bad(v, raw, "outside the volume");
	raw = new_raw(v, EXT4_EXTENTS_FL);
	set_extent(raw, 1, 0, 0, 4, 3000);
	((struct ext3_extent_header *)raw->i_block)->eh_entries = 0;
	expect_bad(v, raw, "empty");
	volume_close(v);
}

/* Trees in which few blocks would make a walk of years. */
static void test_endless_trees(void **state)
{
	const char *img = image_path("e.img");
	struct ext2_inode_large *raw;
	uint32_t block[256];
	uint64_t start = num_now_ms();
	struct volume *v;

	(void)state;
	fsimage_make(img, 8 * MIB, "-t ext4 -b 1024 -O ^metadata_csum");
	/* 3000: an indirect block whose pointers all lead to itself */
	for (int i = 0; i < 256; i++)
		block[i] = 3000;
	fsimage_write(img, 3000 * 1024, block, sizeof(block));
	/* 3001..3004: index blocks, each with 84 entries for the next */
	for (uint32_t d = 1; d <= 4; d++) {
		struct ext3_extent_header h = {EXT3_EXT_MAGIC, 84, 84, (uint16_t)d, 0};
		struct ext3_extent_idx x[84];

		for (uint32_t i = 0; i < 84; i++)
			x[i] = (struct ext3_extent_idx){.ei_block = i * 1000,
							.ei_leaf = 3000 + d - 1};
		memcpy(block, &h, sizeof(h));
		memcpy(block + 3, x, sizeof(x));
		fsimage_write(img, (3000 + d) * 1024, block, 1020);
	}
	v = fsimage_open(img, false);
	raw = new_raw(v, 0);
	raw->i_block[EXT2_TIND_BLOCK] = 3000;
	expect_bad(v, raw, "comes twice");
	raw = new_raw(v, EXT4_EXTENTS_FL);
	set_extent(raw, 5, 0, 0, 0, 3004);
	expect_bad(v, raw, "");
	/* an empty leaf instead: legal, but then the order gives it away */
	block[0] = EXT3_EXT_MAGIC;
	block[1] = 84;
	block[2] = 0;
	fsimage_write(img, 3000 * 1024, block, 12);
	raw = new_raw(v, EXT4_EXTENTS_FL);
	set_extent(raw, 5, 0, 0, 0, 3004);
	expect_bad(v, raw, "out of order");
	assert_true(num_now_ms() - start < 2000);
	volume_close(v);
}

/* Random bytes in inode tables, nodes and indirect blocks: any answer, no crash, in time. */
static void test_random_damage(void **state)
{
	const char *img = image_path("f.img");
	struct err err = ERR_INIT;
	uint32_t rnd = 1;

	(void)state;
	for (int kind = 0; kind < 2; kind++) {
		static const char *const plain[] = {"-O", "^metadata_csum", NULL};
		inum_t ino =
			build_scattered(img, kind ? "ext4" : "ext2", 5000, 3000, plain);
		struct volume *v = fsimage_open(img, false);
		struct ext2_inode_large *raw = calloc(1, INODE_BUF(v));
		struct run_list runs = {0};
		size_t good = 0, bad = 0;

		map_of(v, ino, &runs);
		assert_true(inode_read(v, ino, raw, &err));
		for (int round = 0; round < 3000; round++) {
			struct run_list got = {0};
			struct err e = ERR_INIT;
			uint8_t keep, byte;
			uint64_t at;

			rnd = rnd * 1664525 + 1013904223;
			at = runs.v[runs.n - 1 - (rnd >> 8) % 20].phys * 1024 +
			     (rnd >> 16) % 64;
			if (round % 3 == 0) {
				((uint8_t *)raw->i_block)[(rnd >> 9) % 60] ^=
					(uint8_t)(1 << rnd % 8);
				(inode_map(v, ino, raw, &got, &e) ? good++ : bad++);
				((uint8_t *)raw->i_block)[(rnd >> 9) % 60] ^=
					(uint8_t)(1 << rnd % 8);
			} else {
				fsimage_read(img, at, &keep, 1);
				byte = (uint8_t)(keep ^ (rnd >> 24));
				fsimage_write(img, at, &byte, 1);
				(inode_map(v, ino, raw, &got, &e) ? good++ : bad++);
				fsimage_write(img, at, &keep, 1);
			}
			for (size_t i = 0; i < got.n; i++)
				assert_true(got.v[i].phys + got.v[i].len <=
					    v->geom.blocks);
			vec_release(&got);
		}
		assert_true(good > 100 && bad > 100);
		vec_release(&runs);
		free(raw);
		volume_close(v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_populated),
		cmocka_unit_test(test_deep_trees),
		cmocka_unit_test(test_what_they_are),
		cmocka_unit_test(test_no_such_inode),
		cmocka_unit_test(test_inode_checksums),
		cmocka_unit_test(test_node_checksums),
		cmocka_unit_test(test_bad_extents),
		cmocka_unit_test(test_endless_trees),
		cmocka_unit_test(test_random_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
