/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_bitmap.c - which blocks are free, on every kind of volume: dumpe2fs prints the same
 * ranges.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

#define MIB (1024ull * 1024)

static bool bit(const uint8_t *map, uint64_t i)
{
	return map[i / 8] >> i % 8 & 1;
}

/* "  Free blocks: 3-9, 17" of every group, as a map of what is used. */
static uint8_t *ask_dumpe2fs(const char *img, const struct geom *g)
{
	uint64_t n = g->blocks - g->first_block;
	uint8_t *used = malloc(n / 8 + 2);
	static char line[1 << 20];
	char cmd[600];
	FILE *p;

	memset(used, 0xFF, n / 8 + 2);
	snprintf(cmd, sizeof(cmd), "dumpe2fs '%s' 2>/dev/null", img);
	p = popen(cmd, "r");
	assert_non_null(p);
	while (fgets(line, sizeof(line), p)) {
		static const char word[] = "  Free blocks: ";
		char *at = line + sizeof(word) - 1;

		if (strncmp(line, word, sizeof(word) - 1) != 0)
			continue;
		while (*at >= '0' && *at <= '9') {
			uint64_t a = strtoull(at, &at, 10), b = a;

			if (*at == '-')
				b = strtoull(at + 1, &at, 10);
			b += g->cluster_ratio - 1;
			for (; a <= b && a < g->blocks; a++)
				used[(a - g->first_block) / 8] &=
					(uint8_t) ~(1 << (a - g->first_block) % 8);
			at += strspn(at, ", ");
		}
	}
	pclose(p);
	return used;
}

static const char *const kinds[] = {
	"-t ext2 -b 1024",
	"-t ext2 -b 4096",
	"-t ext3 -b 2048 -I 128",
	"-t ext4 -b 1024",
	"-t ext4 -b 4096",
	"-t ext4 -b 1024 -g 1024",
	"-t ext4 -b 1024 -g 1024 -O ^resize_inode,meta_bg",
	"-t ext4 -b 1024 -g 2040 -O ^resize_inode,sparse_super2",
	"-t ext4 -b 1024 -g 2048 -O ^flex_bg",
	"-t ext4 -b 1024 -O ^64bit,^metadata_csum,uninit_bg",
	"-t ext4 -b 1024 -O ^metadata_csum,^uninit_bg",
	"-t ext4 -b 1024 -O bigalloc",
	"-t ext4 -b 4096 -O bigalloc -C 16384 -g 8192",
	"-t ext4 -b 1024 -O bigalloc -C 8192 -G 4",
};

/* Uneven sizes: the last group is short, its last byte is not full. */
static void test_against_dumpe2fs(void **state)
{
	const char *img = image_path("b.img"), *dir = image_path("tree");

	(void)state;
	fsimage_tree(dir);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct flaw_list flaws = {0};
		struct err err = ERR_INIT;
		uint8_t *ours, *theirs;
		const struct geom *g;
		struct volume *v;

		fsimage_make(img, 50 * MIB + 13 * 4096, "%s -d '%s'", kinds[i], dir);
		v = fsimage_open(img, false);
		g = volume_geom(v);
		ours = volume_read_bitmap(v, &flaws, &err);
		assert_non_null(ours);
		assert_int_equal(flaws.count, 0);
		theirs = ask_dumpe2fs(img, g);
		for (uint64_t b = 0; b < g->blocks - g->first_block; b++)
			if (bit(ours, b) != bit(theirs, b))
				fail_msg("%s: block %llu", kinds[i],
					 (unsigned long long)(b + g->first_block));
		free(ours);
		free(theirs);
		volume_close(v);
	}
}

/* One group at a time gives the same, and says which groups were never written. */
static void test_group_by_group(void **state)
{
	const char *img = image_path("g.img");
	struct flaw_list flaws = {0};
	struct err err = ERR_INIT;
	uint8_t map[1024], *all;
	group_t uninit_groups = 0;
	bool last;
	struct volume *v;

	(void)state;
	fsimage_make(img, 50 * MIB + 501 * 1024, "-t ext4 -b 1024 -g 1024 -O ^flex_bg");
	/* mke2fs always writes the last one; here it is to be computed too */
	assert_int_equal(
		image_run("printf 'set_bg 50 flags 7\nset_bg 50 checksum calc\n' | "
			  "debugfs -w -f - '%s'",
			  img),
		0);
	v = fsimage_open(img, false);
	assert_int_equal(volume_info(v)->reasons.n, 0);
	all = volume_read_bitmap(v, &flaws, &err);
	for (group_t g = 0; g < v->geom.groups; g++) {
		uint32_t len = geom_group_len(&v->geom, g);
		bool uninit;

		assert_true(bitmap_read_group(v, g, map, true, &uninit, &err));
		uninit_groups += uninit;
		for (uint32_t i = 0; i < len; i++)
			assert_int_equal(bit(map, i), bit(all, (uint64_t)g * 1024 + i));
		for (uint32_t i = len; i < 8192; i++) /* what is no block is not free */
			assert_true(bit(map, i));
	}
	assert_int_equal(
		uninit_groups,
		atoi(image_ask("dumpe2fs '%s' 2>/dev/null | grep -c BLOCK_UNINIT", img)));
	assert_true(uninit_groups > 10);
	assert_int_equal(geom_group_len(&v->geom, 50), 499);
	assert_true(bitmap_read_group(v, 50, map, true, &last, &err) && last);
	free(all);
	volume_close(v);
}

/* A wrong checksum is told, and only believed if asked to. */
static void test_checksum(void **state)
{
	const char *img = image_path("c.img");
	struct flaw_list flaws = {0};
	struct err err = ERR_INIT;
	uint8_t map[1024], byte;
	struct volume *v;
	uint64_t at;

	(void)state;
	fsimage_make(img, 8 * MIB, "-t ext4 -b 1024");
	v = fsimage_open(img, false);
	at = ext2fs_block_bitmap_loc(v->fs, 0) * 1024 + 700;
	fsimage_read(img, at, &byte, 1);
	byte ^= 0x10;
	fsimage_write(img, at, &byte, 1);
	free(volume_read_bitmap(v, &flaws, &err));
	assert_int_equal(flaws.count, 1);
	assert_non_null(strstr(flaws.list.v[0].text, "block bitmap of group 0"));
	assert_false(bitmap_read_group(v, 0, map, true, NULL, &err));
	assert_int_equal(err.class, ERR_CORRUPT);
	err_clear(&err);
	assert_true(bitmap_read_group(v, 0, map, false, NULL, &err));
	assert_int_equal(map[700], byte);
	vec_release(&flaws.list);
	volume_close(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_dumpe2fs),
		cmocka_unit_test(test_group_by_group),
		cmocka_unit_test(test_checksum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
