/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_extent.c - run arithmetic with figures worked out by hand. */
#include <string.h>
#include "base/vec.h"
#include "core/extent.h"
#include "tests/lib/test.h"

#define RUN(l, p, n)                                                                \
	{                                                                           \
		.lblk = (l), .phys = (p), .len = (n), .ino = 12, .kind = OWNER_FILE \
	}
#define TREE(p, n)                                                     \
	{                                                              \
		.phys = (p), .len = (n), .ino = 12, .kind = OWNER_TREE \
	}
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_fragments(void **state)
{
	struct run holes[] = {RUN(0, 100, 5), RUN(50, 105, 5)};
	struct run back[] = {RUN(0, 100, 5), RUN(5, 90, 5)};
	struct run tree[] = {RUN(0, 100, 5), RUN(5, 107, 5), TREE(105, 1), TREE(106, 1)};
	struct run gap[] = {RUN(0, 100, 5), RUN(5, 107, 5), TREE(105, 1)};

	(void)state;
	assert_int_equal(extent_fragments(holes, 2), 1);
	assert_int_equal(extent_fragments(back, 2), 2);
	assert_int_equal(extent_fragments(tree, 4), 1);
	assert_int_equal(extent_fragments(gap, 3), 2);
	assert_int_equal(extent_jump_distance(back, 2), 15);
	assert_int_equal(extent_blocks(tree, 4), 10);
}

static void test_records_and_nodes(void **state)
{
	struct run big[] = {RUN(0, 1000, 32769), RUN(32769, 40000, 100)};
	struct run dry[] = {
		{.phys = 9, .len = 32768, .kind = OWNER_FILE, .unwritten = true}};

	(void)state;
	assert_int_equal(extent_records(big, 2), 3);
	assert_int_equal(extent_records(dry, 1), 2);
	assert_int_equal(extent_tree_blocks(4, 4096), 0);
	assert_int_equal(extent_tree_blocks(5, 4096), 1);
	assert_int_equal(extent_tree_blocks(4 * 340, 4096), 4);
	assert_int_equal(extent_tree_blocks(4 * 340 + 1, 4096),
			 6); /* 5 leaves and an index */
	assert_int_equal(extent_tree_blocks(84, 1024), 1);
	assert_int_equal(extent_tree_blocks(85, 1024), 2);
}

static void test_indirect_blocks(void **state)
{
	struct run direct[] = {RUN(0, 100, 12)};
	struct run one[] = {RUN(0, 100, 13)};
	struct run all[] = {RUN(0, 100, 12 + 256 + 256 * 256 + 1)};
	struct run sparse[] = {RUN(12 + 256, 100, 1), RUN(12 + 256 + 300, 200, 1)};

	(void)state;
	assert_int_equal(extent_indirect_blocks(direct, 1, 1024), 0);
	assert_int_equal(extent_indirect_blocks(one, 1, 1024), 1);
	/* 1 + (1 + 256) + (1 triple + 1 double + 1) */
	assert_int_equal(extent_indirect_blocks(all, 1, 1024), 261);
	assert_int_equal(extent_indirect_blocks(sparse, 2, 1024), 3);
}

static void test_merge(void **state)
{
	struct run r[] = {RUN(0, 100, 5), RUN(5, 105, 5), RUN(11, 110, 2),
			  RUN(13, 300, 1)};

	(void)state;
	assert_int_equal(extent_merge(r, 4), 3);
	assert_int_equal(r[0].len, 10);
}

static void test_apply(void **state)
{
	struct run before[] = {RUN(0, 100, 10), RUN(10, 200, 10), RUN(30, 300, 5),
			       TREE(50, 1)};
	struct run_list in = {before, COUNT(before), COUNT(before)}, out = {0};
	struct move moves[] = {
		{.ino = 12, .lblk = 5, .len = 5, .from = 105, .to = 500},
		{.ino = 12, .lblk = 10, .len = 10, .from = 200, .to = 505},
		{.ino = 12, .lblk = 32, .len = 2, .from = 302, .to = 515},
		{.ino = 12, .kind = MOVE_TREE, .len = 2, .to = 600, .from = BLKNO_NONE},
	};
	struct err err = ERR_INIT;

	(void)state;
	assert_true(extent_apply(&in, moves, COUNT(moves), &out, &err));
	assert_int_equal(out.n, 6);
	assert_int_equal(out.v[0].len, 5);
	assert_int_equal(out.v[1].phys, 500);
	assert_int_equal(out.v[1].len, 15);
	assert_int_equal(out.v[2].phys, 300);
	assert_int_equal(out.v[3].phys, 515);
	assert_int_equal(out.v[4].phys, 304);
	assert_int_equal(out.v[5].kind, OWNER_TREE);
	assert_int_equal(out.v[5].phys, 600);
	assert_int_equal(out.v[5].len, 2);
	moves[3].len = 0; /* no tree is needed any more */
	vec_clear(&out);
	assert_true(extent_apply(&in, moves, COUNT(moves), &out, &err));
	assert_int_equal(out.n, 5);
	vec_release(&out);
}

static void test_apply_refuses(void **state)
{
	struct run before[] = {RUN(0, 100, 10), RUN(20, 200, 10)};
	struct run_list in = {before, 2, 2}, out = {0};
	struct move bad[] = {
		{.ino = 12, .lblk = 5, .len = 5, .from = 106, .to = 500}, /* not there */
		{.ino = 12,
		 .lblk = 8,
		 .len = 5,
		 .from = 108,
		 .to = 500}, /* runs into a hole */
		{.ino = 12, .lblk = 12, .len = 1, .from = 112, .to = 500}, /* in a hole */
		{.ino = 12,
		 .lblk = 25,
		 .len = 50,
		 .from = 205,
		 .to = 500}, /* past the end */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct err err = ERR_INIT;

		assert_false(extent_apply(&in, &bad[i], 1, &out, &err));
		assert_int_equal(err.class, ERR_REFUSED);
		assert_int_equal(out.n, 0);
	}
	vec_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fragments),
		cmocka_unit_test(test_records_and_nodes),
		cmocka_unit_test(test_indirect_blocks),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_apply),
		cmocka_unit_test(test_apply_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
