/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_model_file.c - attributes, parents, ideals, fragments and directory trees. */
#include <stdlib.h>
#include <string.h>
#include "core/strategy.h"
#include "tests/lib/test.h"

/* Five groups of 1024 blocks (the last 903), three of each fixed; 64 inodes a group. */
static struct model *open_model(struct geom *g)
{
	struct err err = ERR_INIT;
	struct model *m;

	geom_init(g);
	g->block_size = 1024;
	g->blocks = 5000;
	g->first_block = 1;
	g->blocks_per_group = 1024;
	g->groups = 5;
	g->inodes = 320;
	g->inodes_per_group = 64;
	for (group_t i = 0; i < g->groups; i++) {
		struct fixed f = {geom_group_start(g, i), 3, i, OWNER_INODE_TABLE};

		assert_true(vec_push(&g->fixed, f));
	}
	assert_true(geom_seal(g, &err));
	m = model_new(g, &err);
	assert_non_null(m);
	return m;
}

static void seal(struct model *m)
{
	struct err err = ERR_INIT;

	assert_true(model_seal(m, NULL, 1, NULL, &err));
}

static void drop(struct model *m, struct geom *g)
{
	model_free(m);
	geom_release(g);
}

static void set_inode(struct model *m, inum_t ino, enum inode_type type, unsigned flags,
		      inum_t parent)
{
	struct inode_info info = {type, flags, 1};

	assert_true(model_set_inode(m, ino, &info));
	model_set_parent(m, ino, parent);
}

static void test_attributes(void **state)
{
	struct geom g;
	struct file_info info;
	struct inode_info inode;
	struct model_stats stats;
	struct model *m = open_model(&g);

	(void)state;
	set_inode(m, 17, INODE_DIR, INODE_PINNED | INODE_INLINE, 2);
	model_set_parent(m, 17, 3); /* the first parent stays */
	model_set_parent(m, 18, 3); /* not in use */
	model_set_parent(m, 0, 3);
	model_set_parent(m, 321, 3);
	set_inode(m, 320, INODE_OTHER, 0, 17);
	seal(m);
	assert_true(model_file(m, 17, &info));
	assert_int_equal(info.inode.type, INODE_DIR);
	assert_int_equal(info.inode.flags, INODE_PINNED | INODE_INLINE);
	assert_int_equal(info.parent, 2);
	assert_int_equal(info.fragments, 0);
	assert_int_equal(info.first, BLKNO_NONE);
	assert_false(model_file(m, 18, &info));
	assert_false(model_file(m, 0, &info));
	assert_false(model_file(m, 321, &info));
	assert_true(model_inode(m, 320, &inode));
	assert_int_equal(inode.type, INODE_OTHER);
	assert_int_equal(model_parent(m, 320), 17);
	assert_int_equal(model_next_inode(m, 0), 17);
	assert_int_equal(model_next_inode(m, 17), 320);
	assert_int_equal(model_next_inode(m, 320), 0);
	model_stats(m, &stats);
	assert_int_equal(stats.inodes, 2);
	assert_int_equal(stats.used_blocks, 15);
	assert_int_equal(stats.free_blocks, 4999 - 15);
	drop(m, &g);
}

static void test_sizes(void **state)
{
	const uint64_t sizes[] = {
		0,	 1,	     1048575,	       1048576,	   1048577,
		5000000, 1ull << 32, (1ull << 44) - 1, 1ull << 44, 123456789012345};
	struct geom g;
	struct model *m = open_model(&g);
	struct inode_info info;

	(void)state;
	for (inum_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		info = (struct inode_info){INODE_FILE, 0, sizes[i]};
		assert_true(model_set_inode(m, 70 + i, &info));
	}
	seal(m);
	for (inum_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_true(model_inode(m, 70 + i, &info));
		assert_true(info.size >= sizes[i]);
		assert_true(info.size - sizes[i] <= sizes[i] >> 19);
		if (sizes[i] < 1 << 20)
			assert_int_equal(info.size, sizes[i]);
	}
	drop(m, &g);
}

static void test_ideal(void **state)
{
	struct geom g;
	struct model *m = open_model(&g);
	struct run obstacle[] = {
		{.phys = 500, .len = 1, .ino = 7, .kind = OWNER_XATTR}, /* may move */
		{.phys = 1500, .len = 10, .ino = 8, .kind = OWNER_JOURNAL},
		{.phys = 2500, .len = 1, .ino = 20, .kind = OWNER_XATTR_SHARED},
		{.phys = 3500, .len = 100, .ino = 20, .kind = OWNER_FILE},
	};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_true(model_add_run(m, &obstacle[i]));
	seal(m);
	/* 1021 twice, 900; 1025+3..1499 = 472, 1510..2048 = 539; 2052..2499 = 448,
	 * 2501..3072 = 572 */
	assert_int_equal(model_ideal(m, 0), 0);
	assert_int_equal(model_ideal(m, 1), 1);
	assert_int_equal(model_ideal(m, 1021), 1);
	assert_int_equal(model_ideal(m, 1022), 2);
	assert_int_equal(model_ideal(m, 2 * 1021), 2);
	assert_int_equal(model_ideal(m, 2 * 1021 + 900), 3);
	assert_int_equal(model_ideal(m, 2 * 1021 + 900 + 572), 4);
	assert_int_equal(model_ideal(m, 2 * 1021 + 900 + 572 + 539 + 472 + 448), 7);
	drop(m, &g);
}

static void test_fragment_at(void **state)
{
	struct geom g;
	struct fragment f;
	struct file_info info;
	struct model *m = open_model(&g);
	struct run runs[] = {
		{.phys = 100, .len = 10, .lblk = 0, .ino = 12, .kind = OWNER_FILE},
		/* in between: no new fragment */
		{.phys = 110, .len = 1, .ino = 12, .kind = OWNER_TREE},
		{.phys = 111, .len = 5, .lblk = 20, .ino = 12, .kind = OWNER_FILE},
		{.phys = 300, .len = 7, .lblk = 30, .ino = 12, .kind = OWNER_FILE},
		{.phys = 200, .len = 2, .lblk = 40, .ino = 12, .kind = OWNER_FILE},
		{.phys = 50, .len = 1, .ino = 12, .kind = OWNER_XATTR},
	};

	(void)state;
	runs[3].unwritten = true;
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		assert_true(model_add_run(m, &runs[i]));
	set_inode(m, 12, INODE_FILE, 0, 2);
	seal(m);
	assert_true(model_file(m, 12, &info));
	assert_int_equal(info.blocks, 24);
	assert_int_equal(info.map_blocks, 1);
	assert_int_equal(info.fragments, 3);
	assert_int_equal(info.ideal, 1);
	assert_int_equal(info.first, 100);
	assert_true(model_fragment_at(m, 113, &f));
	assert_int_equal(f.index, 0);
	assert_int_equal(f.count, 3);
	assert_int_equal(f.phys, 100);
	assert_int_equal(f.len, 15);
	assert_int_equal(f.next, 300);
	assert_true(model_fragment_at(m, 303, &f));
	assert_int_equal(f.index, 1);
	assert_int_equal(f.lblk, 30);
	assert_int_equal(f.len, 7);
	assert_int_equal(f.next, 200);
	assert_true(model_fragment_at(m, 201, &f));
	assert_int_equal(f.index, 2);
	assert_int_equal(f.next, BLKNO_NONE);
	assert_false(model_fragment_at(m, 110, &f)); /* tree */
	assert_false(model_fragment_at(m, 50, &f));  /* attributes */
	assert_false(model_fragment_at(m, 1025, &f));
	assert_false(model_fragment_at(m, 60, &f)); /* free */
	drop(m, &g);
}

static void check_tree(const struct model *m, inum_t dir, const inum_t *want, size_t n)
{
	struct inum_list got = {0};

	assert_true(model_tree(m, dir, &got));
	assert_int_equal(got.n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(got.v[i], want[i]);
	vec_release(&got);
}

static void test_tree(void **state)
{
	const inum_t all[] = {2, 12, 13, 100, 101, 102, 200, 201, 202, 300};
	const inum_t below_12[] = {12, 101, 102, 300}, below_100[] = {100, 200},
		     loop[] = {201, 202};
	struct geom g;
	struct model *m = open_model(&g);

	(void)state;
	set_inode(m, 2, INODE_DIR, INODE_SYSTEM, 2);
	set_inode(m, 8, INODE_FILE, INODE_SYSTEM, 0);
	set_inode(m, 12, INODE_DIR, 0, 2);
	set_inode(m, 13, INODE_FILE, 0, 2);
	set_inode(m, 101, INODE_DIR, 0, 12);
	set_inode(m, 102, INODE_FILE, 0, 101);
	set_inode(m, 300, INODE_FILE, 0, 12);
	set_inode(m, 100, INODE_DIR, 0, 0);    /* nobody names it */
	set_inode(m, 200, INODE_FILE, 0, 100); /* but it names this one */
	set_inode(m, 201, INODE_DIR, 0, 202);  /* damage: a loop */
	set_inode(m, 202, INODE_DIR, 0, 201);
	seal(m);
	check_tree(m, 2, all, 10);
	check_tree(m, 12, below_12, 4);
	check_tree(m, 100, below_100, 2);
	check_tree(m, 201, loop, 2);
	check_tree(m, 13, &all[2], 1);
	check_tree(m, 299, NULL, 0);
	check_tree(m, 5000, NULL, 0);
	drop(m, &g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attributes), cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_ideal),	   cmocka_unit_test(test_fragment_at),
		cmocka_unit_test(test_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
