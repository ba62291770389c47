/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_scan_hostile.c - the scanner on volumes that were made to do harm: whatever the
 * bytes say, nothing crashes, reads for ever or takes all memory.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fs/build.h"
#include "fs/scan.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

#define IMG image_path("h.img")

/* All free inodes map the whole volume again and again: what that costs must have an end. */
static void test_claims_without_end(void **state)
{
	struct ext2_inode_large raw = {0};
	struct flaw_list flaws = {0};
	struct model_stats stats;
	struct volume *v;
	struct model *m;
	blkno_t table;
	bool bounded = false;

	(void)state;
	fsimage_make(IMG, 16 << 20,
		     "-t ext4 -b 1024 -g 256 -N 16384 -I 128 -O "
		     "^metadata_csum,^uninit_bg,^has_journal,^resize_inode,^flex_bg");
	raw.i_mode = LINUX_S_IFDIR | 0755;
	raw.i_links_count = 2;
	raw.i_flags = EXT4_EXTENTS_FL;
	raw.i_blocks = 99;
	raw.i_block[0] = 0x0004F30A;
	raw.i_block[1] = 4;
	for (unsigned i = 0; i < 4; i++) {
		raw.i_block[3 + i * 3] = i * 20000;
		raw.i_block[4 + i * 3] = 15000;
		raw.i_block[5 + i * 3] = 1000;
	}
	v = fsimage_open(IMG, false);
	for (group_t g = 1; g < volume_geom(v)->groups; g++) {
		table = ext2fs_inode_table_loc(v->fs, g);
		for (uint32_t i = 0; i < volume_geom(v)->inodes_per_group; i++)
			fsimage_write(IMG, table * 1024 + i * 128ull, &raw, 128);
	}
	volume_close(v);
	v = fsimage_open(IMG, false);
	m = fsimage_scan(v, &flaws);
	assert_true(flaws.count > 1000);
	for (size_t i = 0; i < flaws.list.n && !bounded; i++)
		bounded = strstr(flaws.list.v[i].text, "more blocks than are left");
	assert_true(bounded);
	model_stats(m, &stats);
	assert_true(stats.runs <= 16384);
	assert_true(v->bytes_read < 100 << 20);
	model_free(m);
	vec_release(&flaws.list);
	volume_close(v);
}

static bool count_runs(void *arg, const struct run *run)
{
	*(uint64_t *)arg += run->len;
	return true;
}

static bool scan_any(struct volume *v, struct flaw_list *flaws)
{
	struct err err = ERR_INIT;
	struct scan *scan = scan_new(v, 2, &err);
	enum scan_state s;
	uint64_t blocks = 0;

	while ((s = scan_step(scan, &err)) == SCAN_MORE)
		;
	if (s == SCAN_DONE) {
		struct model *m = scan_take(scan, flaws);

		model_walk(m, 0, UINT64_MAX, count_runs, &blocks);
		assert_int_equal(blocks,
				 volume_geom(v)->blocks - volume_geom(v)->first_block);
		model_free(m);
	}
	scan_free(scan);
	return s == SCAN_DONE;
}

/* Twelve random words: superblock, descriptors, bitmaps, inodes (the first 80 KiB), or
 * anywhere. */
static void damage(int fd, size_t n, uint64_t *random)
{
	for (int k = 0; k < 12; k++) {
		uint64_t word[2];
		size_t len;

		build_content((*random)++, 1, word, sizeof(word));
		len = 1 + word[1] % 9;
		assert_int_equal(
			pwrite(fd, word, len,
			       (off_t)(word[0] % (k % 3 ? 80u << 10 : n - sizeof(word)))),
			len);
	}
}

static void test_random_damage(void **state)
{
	static const char *const kinds[] = {
		"-t ext4 -O ^resize_inode",
		"-t ext4 -O ^metadata_csum,^resize_inode,inline_data",
		"-t ext2 -O ^resize_inode"};
	int flawed = 0, refused = 0, rounds = 0;
	uint64_t random = 99;

	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		size_t n = 8 << 20;
		uint8_t *base = malloc(n);
		int fd;

		fsimage_make(IMG, n, "-b 1024 -N 512 -d '%s' %s", image_path("tree"),
			     kinds[kind]);
		fsimage_read(IMG, 0, base, n);
		fd = open(IMG, O_RDWR);
		for (int round = 0; round < 90; round++, rounds++) {
			struct volume_options opt = {0};
			struct err err = ERR_INIT;
			struct flaw_list flaws = {0};
			struct volume *v;

			assert_int_equal(pwrite(fd, base, n, 0), n);
			damage(fd, n, &random);
			v = volume_open(IMG, &opt, &err);
			if (!v) {
				assert_true(err.msg[0] && err.class != ERR_BUG);
				refused++;
				continue;
			}
			scan_any(v, &flaws);
			flawed += flaws.count > 0;
			vec_release(&flaws.list);
			volume_close(v);
		}
		close(fd);
		free(base);
	}
	print_message("# %d of %d refused, %d with flaws\n", refused, rounds, flawed);
	assert_true(flawed > rounds / 3);
}

static int setup(void **state)
{
	(void)state;
	fsimage_tree(image_path("tree"));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_claims_without_end),
		cmocka_unit_test(test_random_damage),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
