/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_open.c - which volumes are opened, what is said of them, and what is refused: every
 * refusal names its reason and its remedy and leaves the image byte for byte as it was.
 * Oracle of what is said: dumpe2fs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/num.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

#define MIB (1024ull * 1024)
#define FIELD(name)                              \
	offsetof(struct ext2_super_block, name), \
		sizeof(((struct ext2_super_block *)0)->name)
#define ALL UINT64_MAX

static struct volume *try_open(const char *path, bool write, uint64_t offset,
			       struct err *err)
{
	struct volume_options opt = {.write = write, .offset = offset};

	*err = (struct err)ERR_INIT;
	return volume_open(path, &opt, err);
}

static void expect_words(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("\"%s\" lacks \"%s\"", text, words);
}

/* For writing: refused with these words. To look at: allowed, with the same words as a
 * reason. Neither changes a byte. */
static void expect_view_only(const char *img, const char *what, const char *remedy)
{
	char copy[512], reasons[4000] = "";
	struct volume *v;
	struct err err;

	snprintf(copy, sizeof(copy), "%s.copy", img);
	assert_int_equal(image_run("cp --sparse=always '%s' '%s'", img, copy), 0);
	v = try_open(img, true, 0, &err);
	if (v)
		fail_msg("\"%s\": opened for writing", what);
	assert_int_equal(err.class, ERR_REFUSED);
	expect_words(err.msg, "cannot write to");
	expect_words(err.msg, img);
	expect_words(err.msg, what);
	expect_words(err.msg, remedy);

	v = try_open(img, false, 0, &err);
	if (!v)
		fail_msg("\"%s\": %s", what, err.msg);
	assert_false(volume_info(v)->write);
	for (size_t i = 0; i < volume_info(v)->reasons.n; i++)
		strncat(reasons, volume_info(v)->reasons.v[i].what, 100);
	expect_words(reasons, what);
	volume_close(v);
	assert_true(image_same(img, copy));
	unlink(copy);
}

static void expect_refused(const char *img, bool write, const char *words)
{
	struct err err;
	struct volume *v = try_open(img, write, 0, &err);

	if (v)
		fail_msg("opened, should say \"%s\"", words);
	assert_int_not_equal(err.class, ERR_NONE);
	expect_words(err.msg, words);
}

/* --- states and features that forbid writing --- */

static const struct {
	size_t field, size;
	uint64_t clear, set;
	const char *what, *remedy;
} states[] = {
	{FIELD(s_state), 1, 0, "it is not marked clean", "e2fsck -fp "},
	{FIELD(s_state), 0, 2, "errors are recorded", "e2fsck -fp "},
	{FIELD(s_state), 0, 4, "was cut short", "e2fsck -fp "},
	{FIELD(s_error_count), 0, 1, "errors are recorded", "e2fsck -fp "},
	{FIELD(s_last_orphan), 0, 12, "deleted files wait", "e2fsck -fp "},
	{FIELD(s_creator_os), ALL, 1, "another system", ""},
	{FIELD(s_feature_incompat), 0, 0x4, "needs recovery",
	 "e2fsck -p -E journal_only "},
	{FIELD(s_feature_incompat), 0, 0x100, "multiple-mount", "e2fsck -f "},
	{FIELD(s_feature_compat), 0, 0x2, "AFS", ""},
	{FIELD(s_feature_compat), 0, 0x100, "snapshots", ""},
	{FIELD(s_feature_compat), 0, 0x8000, "does not know (0x8000)", ""},
	{FIELD(s_feature_ro_compat), 0, 0x80, "snapshots", ""},
	{FIELD(s_feature_ro_compat), 0, 0x800, "replica", ""},
	{FIELD(s_feature_ro_compat), 0, 0x1000, "read-only", "tune2fs -O ^read-only "},
	{FIELD(s_feature_ro_compat), 0, 0x4000, "share their blocks", ""},
	{FIELD(s_feature_ro_compat), 0, 0x10000, "deleted files wait", "e2fsck -fp "},
	{FIELD(s_feature_ro_compat), 0, 0x800000, "does not know (0x800000)", ""},
};

static void test_states(void **state)
{
	const char *img = image_path("s.img");

	(void)state;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		fsimage_make(img, 8 * MIB, "-t ext4");
		fsimage_poke_super(img, states[i].field, states[i].size, states[i].clear,
				   states[i].set);
		expect_view_only(img, states[i].what, states[i].remedy);
	}
}

static uint64_t place_of_block(const char *img, const char *request)
{
	return strtoull(image_ask("debugfs -R '%s' '%s' 2>/dev/null", request, img), NULL,
			10);
}

static void test_journal(void **state)
{
	static const struct {
		size_t word;
		const char *what, *remedy;
	} rows[] = {
		{0, "journal cannot be read", "e2fsck -f "},
		{7, "needs recovery", "e2fsck -p "},
		{8, "journal records an error", "e2fsck -fp "},
	};
	const char *img = image_path("j.img");
	uint8_t one[4] = {0, 0, 0, 1};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		fsimage_make(img, 8 * MIB, "-t ext4 -b 1024");
		fsimage_write(img,
			      place_of_block(img, "bmap <8> 0") * 1024 + rows[i].word * 4,
			      one, 4);
		expect_view_only(img, rows[i].what, rows[i].remedy);
	}
}

static void test_checksums(void **state)
{
	const char *img = image_path("c.img");
	uint8_t byte;

	(void)state;
	fsimage_make(img, 8 * MIB, "-t ext4");
	fsimage_read(img, 1024 + offsetof(struct ext2_super_block, s_volume_name), &byte,
		     1);
	byte ^= 1;
	fsimage_write(img, 1024 + offsetof(struct ext2_super_block, s_volume_name), &byte,
		      1);
	expect_view_only(img, "checksum of superblock", "e2fsck -f ");

	fsimage_make(img, 8 * MIB, "-t ext4 -b 1024 -g 1024");
	fsimage_read(img, 2 * 1024 + 64 * 3 + 13, &byte, 1);
	byte ^= 1; /* free blocks of group 3 */
	fsimage_write(img, 2 * 1024 + 64 * 3 + 13, &byte, 1);
	expect_view_only(img, "checksum of superblock or group descriptors",
			 "e2fsck -f ");
}

static void test_bigalloc_and_length(void **state)
{
	const char *img = image_path("b.img");

	(void)state;
	fsimage_make(img, 32 * MIB, "-t ext4 -O bigalloc");
	expect_view_only(img, "clusters", "");
	/* the end is missing, but nothing that a look needs */
	fsimage_make(img, 32 * MIB, "-t ext4");
	assert_int_equal(truncate(img, 31 * MIB), 0);
	expect_view_only(img, "longer than the file", "e2fsck -f ");
	assert_int_equal(truncate(img, 64 * 1024), 0);
	expect_refused(img, false,
		       "cut off: the volume has 32768 blocks, the file holds 64");
}

/* --- not even a look --- */

static const struct {
	size_t field, size;
	uint64_t value;
	const char *words;
} hopeless[] = {
	{FIELD(s_magic), 0x1234, "--offset"},
	{FIELD(s_log_block_size), 7, "block size makes no sense"},
	{FIELD(s_log_block_size), 0xFFFFFFFF, "block size makes no sense"},
	{FIELD(s_inode_size), 100, "makes no sense"},
	{FIELD(s_inode_size), 8192, "makes no sense"},
	{FIELD(s_blocks_per_group), 0, "makes no sense"},
	{FIELD(s_blocks_per_group), 65536, "makes no sense"},
	{FIELD(s_blocks_per_group), 0xFFFFFFF8, "makes no sense"},
	{FIELD(s_clusters_per_group), 12, "cannot make sense"},
	{FIELD(s_log_cluster_size), 31, "cannot make sense"},
	{FIELD(s_inodes_per_group), 0, "makes no sense"},
	{FIELD(s_inodes_per_group), 0xFFFFFFFF, "makes no sense"},
	{FIELD(s_first_data_block), 77, "makes no sense"},
	{FIELD(s_first_ino), 3, "makes no sense"},
	{FIELD(s_first_ino), 0xFFFFFFFF, "makes no sense"},
	{FIELD(s_desc_size), 7, "makes no sense"},
	{FIELD(s_desc_size), 0x8000, "makes no sense"},
	{FIELD(s_reserved_gdt_blocks), 0xFFFF, "makes no sense"},
	{FIELD(s_blocks_count), 0, "makes no sense"},
	{FIELD(s_blocks_count_hi), 0xFFFFFFFF, "makes no sense"},
	{FIELD(s_inodes_count), 0xFFFFFFF0, "makes no sense"},
	{FIELD(s_rev_level), 77, "cannot make sense"},
	{FIELD(s_feature_incompat), 0x2C3, "compressed"},
	{FIELD(s_feature_incompat), 0x2CA, "journal of another volume"},
	{FIELD(s_feature_incompat), 0x12C2, "directory entries hold data"},
	{FIELD(s_feature_incompat), 0x802002C2, "does not know (0x80200000)"},
};

static void test_hopeless(void **state)
{
	const char *img = image_path("h.img"), *good = image_path("good.img");

	(void)state;
	fsimage_make(good, 8 * MIB, "-t ext4 -b 4096");
	for (size_t i = 0; i < sizeof(hopeless) / sizeof(hopeless[0]); i++)
		for (int write = 0; write < 2; write++) {
			assert_int_equal(image_run("cp '%s' '%s'", good, img), 0);
			fsimage_poke_super(img, hopeless[i].field, hopeless[i].size, ALL,
					   hopeless[i].value);
			expect_refused(img, write, hopeless[i].words);
		}
}

/* Counts that agree with each other, and would cost hundreds of gigabytes. */
static void test_lies_about_size(void **state)
{
	const char *img = image_path("l.img");
	uint64_t start = num_now_ms();

	(void)state;
	fsimage_make(img, 8 * MIB, "-t ext4 -b 1024 -O ^has_journal");
	fsimage_poke_super(img, FIELD(s_blocks_per_group), ALL, 8);
	fsimage_poke_super(img, FIELD(s_clusters_per_group), ALL, 8);
	fsimage_poke_super(img, FIELD(s_inodes_per_group), ALL, 8);
	fsimage_poke_super(img, FIELD(s_blocks_count), ALL, 0x10000001);
	fsimage_poke_super(img, FIELD(s_inodes_count), ALL, 0x10000000);
	expect_refused(img, false, "far too short");
	assert_int_equal(truncate(img, 1ll << 40), 0);
	expect_refused(img, false, "more groups than");
	fsimage_poke_super(img, FIELD(s_blocks_count), ALL, 0x1000001);
	fsimage_poke_super(img, FIELD(s_inodes_count), ALL, 0x1000000);
	expect_refused(img, false, "lies outside the volume");
	assert_true(num_now_ms() - start < 5000);
}

static void test_bad_descriptors(void **state)
{
	const char *img = image_path("d.img");
	uint32_t block[2] = {0, 0};

	(void)state;
	fsimage_make(img, 8 * MIB, "-t ext4 -b 1024 -g 1024 -O ^64bit");
	block[0] = 0xFFFFFF;
	fsimage_write(img, 2048 + 32 * 2 + 8, block, 4);
	expect_refused(img, false, "inode table of group 2 lies outside");
	block[0] = 0;
	fsimage_write(img, 2048 + 32 * 2 + 8, block, 4);
	expect_refused(img, false, "inode table of group 2 lies outside");
	fsimage_read(img, 2048 + 32 * 3 + 8, block, 4);
	fsimage_write(img, 2048 + 32 * 2 + 8, block, 4);
	expect_refused(img, false, "overlap");
}

static void test_no_volume(void **state)
{
	(void)state;
	expect_refused(image_path("missing"), false, "No such file");
	expect_refused(image_path("."), false, "neither a file nor a block device");
	expect_refused("/dev/null", false, "neither a file nor a block device");
	assert_int_equal(image_run("mkfifo '%s'", image_path("pipe")), 0);
	expect_refused(image_path("pipe"), true, "neither a file nor a block device");
	assert_int_equal(image_run(": > '%s'", image_path("empty")), 0);
	expect_refused(image_path("empty"), false, "too small");
	assert_int_equal(
		image_run("head -c 100000 /dev/zero > '%s'", image_path("zeros")), 0);
	expect_refused(image_path("zeros"), true, "no ext2, ext3 or ext4 volume here");
}

/* --- what is accepted, and what is said of it --- */

static const char *const kinds[] = {
	"-t ext2 -b 1024",
	"-t ext2 -b 4096 -r 0",
	"-t ext3 -b 2048 -I 128",
	"-t ext4 -b 1024",
	"-t ext4 -b 4096",
	"-t ext4 -b 4096 -I 1024",
	"-t ext4 -b 1024 -g 1024 -O ^resize_inode,meta_bg",
	"-t ext4 -b 1024 -O ^resize_inode,sparse_super2",
	"-t ext4 -b 1024 -g 2048 -O ^flex_bg",
	"-t ext4 -O ^64bit,^metadata_csum,uninit_bg",
	"-t ext4 -O ^sparse_super,^resize_inode,^metadata_csum",
	"-t ext4 -O inline_data,ea_inode,large_dir,casefold,encrypt,verity,stable_inodes",
	"-t ext4 -O orphan_file,metadata_csum_seed,fast_commit -J fast_commit_size=256",
	"-t ext4 -L a_label_of_16_chr -U 01234567-89ab-cdef-0123-456789abcdef",
};

/* Value of a line "Name:   value" of dumpe2fs -h. */
static const char *told(const char *img, const char *name)
{
	return image_ask("dumpe2fs -h '%s' 2>/dev/null | sed -n 's/^%s: *//p'", img,
			 name);
}

static void test_info(void **state)
{
	const char *img = image_path("i.img");

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct volume_info *info;
		struct volume *v;

		fsimage_make(img, 32 * MIB, "%s", kinds[i]);
		v = fsimage_open(img, true);
		info = volume_info(v);
		assert_true(info->write && info->clean);
		assert_int_equal(info->reasons.n, 0);
		assert_string_equal(info->state, "clean");
		if (strcmp(told(img, "Filesystem features"), "(none)") != 0)
			assert_string_equal(info->features,
					    told(img, "Filesystem features"));
		assert_string_equal(info->uuid_text, told(img, "Filesystem UUID"));
		if (info->label[0])
			assert_string_equal(info->label,
					    told(img, "Filesystem volume name"));
		assert_int_equal(info->blocks, atoi(told(img, "Block count")));
		assert_int_equal(info->free_blocks, atoi(told(img, "Free blocks")));
		assert_int_equal(info->inodes, atoi(told(img, "Inode count")));
		assert_int_equal(info->inodes_free, atoi(told(img, "Free inodes")));
		assert_int_equal(info->block_size, atoi(told(img, "Block size")));
		assert_memory_equal(info->type, kinds[i] + 3, 4);
		volume_close(v);
	}
}

struct stretch {
	blkno_t start, end;
	group_t group;
	enum owner_kind kind;
};

static bool parse_stretch(const char *line, const char *word, struct stretch *s)
{
	const char *p = strstr(line, word);
	unsigned long long a, b;
	int n;

	if (!p)
		return false;
	n = sscanf(p + strlen(word), "%llu-%llu", &a, &b);
	s->start = a;
	s->end = n == 2 ? b : a;
	return n >= 1;
}

static void expect_fixed(const struct geom *g, const struct stretch *s)
{
	size_t i = geom_fixed_after(g, s->start);

	assert_true(i < g->fixed.n);
	assert_int_equal(g->fixed.v[i].start, s->start);
	assert_int_equal(g->fixed.v[i].start + g->fixed.v[i].len - 1, s->end);
	assert_int_equal(g->fixed.v[i].group, s->group);
	assert_int_equal(g->fixed.v[i].kind, s->kind);
}

/* Every place that dumpe2fs prints is a stretch of ours, and we have no others. */
static void compare_geometry(const char *img, const struct geom *g)
{
	static const struct {
		const char *word;
		enum owner_kind kind;
	} words[] = {
		{"rimary superblock at ", OWNER_SUPER},
		{"ackup superblock at ", OWNER_SUPER},
		{"Group descriptors at ", OWNER_GDT},
		{"Group descriptor at ", OWNER_GDT},
		{"Reserved GDT blocks at ", OWNER_GDT_RESERVED},
		{"Block bitmap at ", OWNER_BLOCK_BITMAP},
		{"Inode bitmap at ", OWNER_INODE_BITMAP},
		{"Inode table at ", OWNER_INODE_TABLE},
	};
	char cmd[600], line[1000];
	size_t count = 0;
	group_t group = 0;
	FILE *p;

	snprintf(cmd, sizeof(cmd), "dumpe2fs '%s' 2>/dev/null", img);
	p = popen(cmd, "r");
	assert_non_null(p);
	while (fgets(line, sizeof(line), p)) {
		sscanf(line, "Group %u:", &group);
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			struct stretch s = {.group = group, .kind = words[i].kind};

			if (parse_stretch(line, words[i].word, &s)) {
				expect_fixed(g, &s);
				count++;
			}
		}
	}
	pclose(p);
	assert_int_equal(count, g->fixed.n);
}

static void test_geometry(void **state)
{
	const char *img = image_path("g.img");

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct volume *v;

		fsimage_make(img, 60 * MIB, "%s", kinds[i]);
		v = fsimage_open(img, false);
		compare_geometry(img, volume_geom(v));
		volume_close(v);
	}
}

/* 32768 groups, as 4 TiB have them. */
static void test_many_groups(void **state)
{
	const char *img = image_path("m.img");
	struct volume *v;
	uint64_t start;

	(void)state;
	fsimage_make(img, 32768 * 256 * 1024ull,
		     "-t ext4 -b 1024 -g 256 -N 262144 -O ^has_journal");
	start = num_now_ms();
	v = fsimage_open(img, true);
	assert_int_equal(volume_geom(v)->groups, 32768);
	print_message("# 32768 groups: %llu ms\n",
		      (unsigned long long)(num_now_ms() - start));
	assert_true(num_now_ms() - start < 1000);
	volume_close(v);
}

static void test_offset(void **state)
{
	const char *img = image_path("o.img");
	struct volume *v;
	struct err err;
	uint8_t uuid[16];

	(void)state;
	fsimage_make(img, 20 * MIB, "-t ext4 -b 1024 -E offset=%d", 63 * 512);
	expect_refused(img, false, "--offset");
	v = try_open(img, true, 63 * 512, &err);
	if (!v)
		fail_msg("%s", err.msg);
	model_free(fsimage_scan(v, NULL));
	assert_true(volume_peek_uuid(img, 63 * 512, uuid, &err));
	assert_memory_equal(uuid, volume_info(v)->uuid, 16);
	volume_close(v);
	assert_null(try_open(img, true, UINT64_MAX, &err));
	assert_null(try_open(img, true, INT64_MAX, &err));
	assert_null(try_open(img, true, 21 * MIB, &err));
	expect_words(err.msg, "too small");
}

/* --- I/O --- */

static void test_library_cannot_write(void **state)
{
	const char *img = image_path("w.img"), *copy = image_path("w.copy");
	struct volume *v;
	char block[4096];

	(void)state;
	fsimage_make(img, 8 * MIB, "-t ext4 -b 1024");
	assert_int_equal(image_run("cp '%s' '%s'", img, copy), 0);
	v = fsimage_open(img, true);
	memset(block, 0x5A, sizeof(block));
	assert_int_not_equal(io_channel_write_blk64(v->fs->io, 5, 1, block), 0);
	assert_int_not_equal(io_channel_write_blk(v->fs->io, 5, 1, block), 0);
	assert_int_not_equal(io_channel_write_byte(v->fs->io, 5, 1, block), 0);
	assert_int_not_equal(io_channel_zeroout(v->fs->io, 5, 1), 0);
	assert_int_not_equal(io_channel_discard(v->fs->io, 5, 1), 0);
	v->fs->flags |= EXT2_FLAG_RW | EXT2_FLAG_DIRTY;
	ext2fs_mark_super_dirty(v->fs);
	assert_int_not_equal(ext2fs_flush2(v->fs, 0), 0);
	assert_true(image_same(img, copy));
	/* a negative count is bytes */
	assert_int_equal(io_channel_read_blk64(v->fs->io, 1, -100, block), 0);
	assert_int_equal((uint8_t)block[56], 0x53);
	assert_int_equal((uint8_t)block[100], 0x5A);
	assert_int_not_equal(io_channel_read_blk64(v->fs->io, UINT64_MAX / 2, 1, block),
			     0);
	assert_int_not_equal(io_channel_read_blk64(v->fs->io, 8 * 1024, 1, block), 0);
	volume_close(v);
}

/* What is written past the library is what it reads: nothing is cached. */
static void test_nothing_is_cached(void **state)
{
	const char *img = image_path("n.img");
	char before[1024], after[1024], fresh[8192];
	struct err err = ERR_INIT;
	struct volume *v;

	(void)state;
	fsimage_make(img, 8 * MIB, "-t ext4 -b 1024");
	v = fsimage_open(img, true);
	assert_int_equal(io_channel_read_blk64(v->fs->io, 5000, 1, before), 0);
	memset(fresh, 0x77, sizeof(fresh));
	assert_true(io_write(v, 4996, 8, fresh, &err));
	assert_int_equal(io_channel_read_blk64(v->fs->io, 5000, 1, after), 0);
	assert_memory_equal(after, fresh, 1024);
	assert_memory_not_equal(before, after, 1024);
	volume_close(v);
}

static void test_direct_reads(void **state)
{
	const char *img = image_path("r.img");
	uint8_t *direct = aligned_alloc(4096, 65536), *plain = malloc(65536);
	struct err err = ERR_INIT;
	struct volume *v;

	(void)state;
	fsimage_make(img, 17 * MIB, "-t ext4 -b 1024 -E offset=%d", 63 * 512);
	assert_int_equal(
		image_run(
			"head -c 16M /dev/urandom | dd of='%s' bs=1M seek=1 conv=notrunc "
			"status=none",
			img),
		0);
	assert_int_equal(truncate(img, 63 * 512 + 16 * MIB - 300), 0);
	v = try_open(img, false, 63 * 512, &err);
	assert_non_null(v);
	for (blkno_t b = 1; b < 16 * 1024; b += 977)
		for (size_t n = 1; n <= 64 && b + n < 16 * 1024; n *= 3) {
			assert_true(io_read_direct(v, b, n, direct, &err));
			assert_true(io_read(v, b, n, plain, &err));
			assert_memory_equal(direct, plain, n * 1024);
		}
	/* the last block is cut off: an error, not rubbish */
	assert_false(io_read_direct(v, 16 * 1024 - 1, 1, direct, &err));
	assert_int_equal(err.class, ERR_IO);
	expect_words(err.msg, "block 16383");
	err_clear(&err);
	assert_false(io_read(v, 16 * 1024, 1, plain, &err));
	assert_int_equal(err.class, ERR_CORRUPT);
	volume_close(v);
	free(direct);
	free(plain);
}

/* --- in use --- */

/* A child holds the volume open for writing until the pipe is closed. */
static void test_second_instance(void **state)
{
	const char *img = image_path("u.img");
	char who[60], c = 0;
	int up[2], down[2];
	struct volume *v;
	struct err err;
	pid_t pid;

	(void)state;
	fsimage_make(img, 8 * MIB, "-t ext4");
	assert_int_equal(pipe(up) | pipe(down), 0);
	pid = fork();
	if (pid == 0) {
		v = try_open(img, true, 0, &err);
		close(down[1]);
		(void)!write(up[1], v ? "y" : "n", 1);
		(void)!read(down[0], &c, 1);
		_exit(0);
	}
	assert_int_equal(read(up[0], &c, 1), 1);
	assert_int_equal(c, 'y');
	snprintf(who, sizeof(who), "another cdefrag (process %d)", (int)pid);
	expect_view_only(img, who, "wait until it has finished");
	close(down[1]);
	waitpid(pid, NULL, 0);
	volume_close(fsimage_open(img, true));
	close(up[0]);
	close(up[1]);
	close(down[0]);
}

static char loop[64]; /* attached now, or "" */

/* False if this may not be done here. */
static bool attach(const char *img)
{
	snprintf(loop, sizeof(loop), "%s",
		 image_ask("losetup -f --show '%s' 2>/dev/null", img));
	return loop[0];
}

/* Also after a test that failed: the marks of a device outlive what is attached to it. */
static int detach(void **state)
{
	(void)state;
	if (loop[0])
		image_run("umount %s 2>/dev/null; blockdev --setrw %s; losetup -d %s",
			  loop, loop, loop);
	loop[0] = '\0';
	return 0;
}

static void test_behind_a_loop_device(void **state)
{
	const char *img = image_path("loop.img"), *other = image_path("renamed.img");

	(void)state;
	fsimage_make(img, 8 * MIB, "-t ext4");
	if (!attach(img))
		skip();
	/* its path is no longer the one that the kernel shows */
	assert_int_equal(rename(img, other), 0);
	expect_view_only(other, "is attached to it", loop);
	detach(NULL);
	volume_close(fsimage_open(other, true));
}

static void test_mounted(void **state)
{
	const char *img = image_path("mnt.img"), *dir = image_path("mnt");
	struct volume *v;
	struct err err;

	(void)state;
	fsimage_make(img, 8 * MIB, "-t ext4");
	if (!attach(img) || image_run("mkdir '%s' && mount %s '%s'", dir, loop, dir))
		skip();
	expect_refused(loop, true, "it is mounted on");
	expect_refused(img, true, "is attached to it");
	v = try_open(loop, false, 0, &err);
	assert_non_null(v);
	expect_words(volume_info(v)->reasons.v[0].what, dir);
	volume_close(v);
	assert_int_equal(image_run("umount '%s'", dir), 0);
	/* held, so that it cannot be mounted; read-only devices are not written */
	v = fsimage_open(loop, true);
	assert_int_not_equal(system("mount $(losetup -nO NAME -j \"$TMPDIR/mnt.img\") "
				    "\"$TMPDIR/mnt\" 2>/dev/null"),
			     0);
	volume_close(v);
	assert_int_equal(image_run("blockdev --setro %s", loop), 0);
	v = try_open(loop, false, 0, &err);
	expect_words(volume_info(v)->reasons.v[0].what, "read-only");
	volume_close(v);
	assert_null(try_open(loop, true, 0, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_journal),
		cmocka_unit_test(test_checksums),
		cmocka_unit_test(test_bigalloc_and_length),
		cmocka_unit_test(test_hopeless),
		cmocka_unit_test(test_lies_about_size),
		cmocka_unit_test(test_bad_descriptors),
		cmocka_unit_test(test_no_volume),
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_geometry),
		cmocka_unit_test(test_many_groups),
		cmocka_unit_test(test_offset),
		cmocka_unit_test(test_library_cannot_write),
		cmocka_unit_test(test_nothing_is_cached),
		cmocka_unit_test(test_direct_reads),
		cmocka_unit_test(test_second_instance),
		cmocka_unit_test_teardown(test_behind_a_loop_device, detach),
		cmocka_unit_test_teardown(test_mounted, detach),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
