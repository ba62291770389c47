/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_geom.c - groups, fixed stretches, goals; and the table of owners. */
#include <ctype.h>
#include <string.h>
#include "core/geom.h"
#include "tests/lib/test.h"

static void open_geom(struct geom *g)
{
	geom_init(g);
	g->block_size = 1024;
	g->blocks = 5 * 8192 + 100;
	g->first_block = 1;
	g->blocks_per_group = 8192;
	g->groups = 6;
	g->inodes_per_group = 2000;
	g->inodes = 12000;
}

static void add(struct geom *g, blkno_t start, uint32_t len, enum owner_kind kind)
{
	struct fixed f = {start, len, 0, kind};

	assert_true(vec_push(&g->fixed, f));
}

static void test_groups(void **state)
{
	struct geom g;

	(void)state;
	open_geom(&g);
	assert_int_equal(geom_group_of(&g, 1), 0);
	assert_int_equal(geom_group_of(&g, 8192), 0);
	assert_int_equal(geom_group_of(&g, 8193), 1);
	assert_int_equal(geom_group_of(&g, g.blocks - 1), 5);
	assert_int_equal(geom_group_start(&g, 5), 5 * 8192 + 1);
	assert_int_equal(geom_group_len(&g, 4), 8192);
	assert_int_equal(geom_group_len(&g, 5), 99);
	assert_int_equal(geom_group_of_inode(&g, 1), 0);
	assert_int_equal(geom_group_of_inode(&g, 2000), 0);
	assert_int_equal(geom_group_of_inode(&g, 2001), 1);
	assert_int_equal(geom_group_of_inode(&g, 12000), 5);
	geom_release(&g);
}

static void test_fixed(void **state)
{
	struct geom g;
	struct err err = ERR_INIT;

	(void)state;
	open_geom(&g);
	assert_int_equal(geom_fixed_after(&g, 1), 0);
	add(&g, 500, 10, OWNER_INODE_TABLE);
	add(&g, 1, 1, OWNER_SUPER);
	add(&g, 510, 1, OWNER_BLOCK_BITMAP);
	assert_true(geom_seal(&g, &err));
	assert_int_equal(g.fixed.v[0].kind, OWNER_SUPER);
	assert_int_equal(g.fixed.v[1].kind, OWNER_INODE_TABLE);
	assert_int_equal(geom_fixed_after(&g, 1), 0);
	assert_int_equal(geom_fixed_after(&g, 2), 1);
	assert_int_equal(geom_fixed_after(&g, 509), 1);
	assert_int_equal(geom_fixed_after(&g, 510), 2);
	assert_int_equal(geom_fixed_after(&g, 511), 3);
	geom_release(&g);
}

static void refuse(blkno_t start, uint32_t len, const char *says)
{
	struct geom g;
	struct err err = ERR_INIT;

	open_geom(&g);
	add(&g, start, len, OWNER_INODE_TABLE);
	add(&g, 500, 10, OWNER_BLOCK_BITMAP);
	assert_false(geom_seal(&g, &err));
	assert_int_equal(err.class, ERR_CORRUPT);
	assert_non_null(strstr(err.msg, says));
	geom_release(&g);
}

static void test_refusals(void **state)
{
	(void)state;
	refuse(0, 1, "outside");
	refuse(5 * 8192 + 100, 1, "outside");
	refuse(5 * 8192 + 99, 2, "outside");
	refuse(UINT64_MAX - 1, 4, "outside");
	refuse(509, 1, "overlap at block 509");
	refuse(500, 10, "overlap");
	refuse(400, 300, "overlap at block 500");
}

static void test_goals(void **state)
{
	struct geom g;

	(void)state;
	open_geom(&g);
	/* without flex groups: where the inode is */
	assert_int_equal(geom_data_goal(&g, 4001, false), geom_group_start(&g, 2));
	assert_int_equal(geom_data_goal(&g, 4001, true), geom_group_start(&g, 2));
	/* two groups are too few to keep one for directories */
	g.flex_groups = 2;
	assert_int_equal(geom_data_goal(&g, 6001, false), geom_group_start(&g, 3));
	g.flex_groups = 4;
	assert_int_equal(geom_data_goal(&g, 6001, false), geom_group_start(&g, 1));
	assert_int_equal(geom_data_goal(&g, 6001, true), geom_group_start(&g, 0));
	assert_int_equal(geom_data_goal(&g, 12000, false), geom_group_start(&g, 5));
	/* a last flex group of one */
	g.groups = 5;
	assert_int_equal(geom_data_goal(&g, 9999, false), geom_group_start(&g, 4));
	geom_release(&g);
}

/* Words are keys in JSON: lower case, each once. */
static void test_owners(void **state)
{
	(void)state;
	for (enum owner_kind a = 0; a < OWNER_KINDS; a++) {
		assert_non_null(owner_name(a));
		assert_non_null(owner_word(a));
		for (const char *c = owner_word(a); *c; c++)
			assert_true(islower((unsigned char)*c) || *c == '_');
		for (enum owner_kind b = 0; b < a; b++) {
			assert_string_not_equal(owner_word(a), owner_word(b));
			assert_string_not_equal(owner_name(a), owner_name(b));
		}
	}
	assert_string_equal(owner_name(OWNER_KINDS), "?");
	assert_false(owner_is_fixed(OWNER_KINDS));
	assert_false(owner_is_fixed(OWNER_FREE));
	assert_true(owner_is_fixed(OWNER_UNKNOWN));
	assert_true(owner_is_fixed(OWNER_RESIZE) && !owner_is_data(OWNER_RESIZE));
	assert_true(owner_is_fixed(OWNER_JOURNAL) && owner_is_data(OWNER_JOURNAL));
	assert_true(!owner_is_fixed(OWNER_FILE) && owner_is_data(OWNER_FILE));
	assert_true(!owner_is_fixed(OWNER_TREE) && !owner_is_data(OWNER_TREE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups),	 cmocka_unit_test(test_fixed),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_goals),
		cmocka_unit_test(test_owners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
