/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_plan.c - the check finds every broken rule; price, batches, dropping. */
#include <stdlib.h>
#include <string.h>
#include "core/strategy.h"
#include "tests/lib/test.h"

/*
 * Blocks of 1 KiB, two groups of 100:
 *	12 file	10-13 at 20, 30-33 at 40		two fragments
 *	13 file	5 pieces of 1 block, tree at 50		extents in a node
 *	14 file	pinned, at 70
 *	15 file	indirect, 13 blocks: 12 at 110, 1 at 130, map at 140
 *	16 xattr block only, at 150
 */
struct rig {
	struct geom geom;
	struct model *model;
	struct plan plan;
	struct err err;
};

static void add(struct rig *r, struct run run)
{
	assert_true(model_add_run(r->model, &run));
}

static void add_file(struct rig *r, inum_t ino, unsigned flags)
{
	struct inode_info info = {INODE_FILE, flags, 1};

	assert_true(model_set_inode(r->model, ino, &info));
}

static int set_up(void **state)
{
	struct rig *r = calloc(1, sizeof(*r));
	struct flaw_list flaws = {0};

	assert_non_null(r);
	geom_init(&r->geom);
	r->geom.block_size = 1024;
	r->geom.first_block = 1;
	r->geom.blocks = 201;
	r->geom.blocks_per_group = 100;
	r->geom.groups = 2;
	r->geom.inodes_per_group = 16;
	r->geom.inodes = 32;
	assert_true(vec_push(&r->geom.fixed, (struct fixed){1, 9, 0, OWNER_INODE_TABLE}));
	assert_true(geom_seal(&r->geom, NULL));
	r->model = model_new(&r->geom, NULL);
	assert_non_null(r->model);
	add_file(r, 12, 0);
	add(r, (struct run){20, 4, 10, 12, OWNER_FILE, 0, 0, 0});
	add(r, (struct run){40, 4, 30, 12, OWNER_FILE, 0, 0, 0});
	add_file(r, 13, 0);
	for (uint32_t i = 0; i < 5; i++)
		add(r, (struct run){60 + 2 * i, 1, i, 13, OWNER_FILE, 0, 0, 0});
	add(r, (struct run){50, 1, 0, 13, OWNER_TREE, 0, 0, 0});
	add_file(r, 14, INODE_PINNED);
	add(r, (struct run){71, 2, 0, 14, OWNER_FILE, 0, 0, 0});
	add_file(r, 15, INODE_INDIRECT);
	add(r, (struct run){110, 12, 0, 15, OWNER_FILE, 0, 0, 0});
	add(r, (struct run){130, 1, 12, 15, OWNER_FILE, 0, 0, 0});
	add(r, (struct run){140, 1, 0, 15, OWNER_TREE, 0, 0, 0});
	add_file(r, 16, 0);
	add(r, (struct run){150, 1, 0, 16, OWNER_XATTR, 0, 0, 0});
	assert_true(model_seal(r->model, NULL, 1, &flaws, NULL));
	assert_int_equal(flaws.count, 0);
	plan_init(&r->plan);
	*state = r;
	return 0;
}

static int tear_down(void **state)
{
	struct rig *r = *state;

	plan_release(&r->plan);
	model_free(r->model);
	geom_release(&r->geom);
	free(r);
	return 0;
}

static void data(struct rig *r, uint32_t batch, inum_t ino, lblk_t lblk, uint32_t len,
		 blkno_t from, blkno_t to)
{
	struct move m = {.ino = ino, .len = len, .lblk = lblk, .batch = batch};

	m.from = from;
	m.to = to;
	assert_true(vec_push(&r->plan.moves, m));
}

static void tree(struct rig *r, uint32_t batch, inum_t ino, uint32_t len, blkno_t to)
{
	data(r, batch, ino, 0, len, BLKNO_NONE, to);
	r->plan.moves.v[r->plan.moves.n - 1].kind = MOVE_TREE;
}

static void expect(struct rig *r, const char *why)
{
	struct metrics before = r->plan.before;

	err_clear(&r->err);
	assert_false(plan_check(&r->plan, r->model, &r->err));
	assert_int_equal(r->err.class, ERR_REFUSED);
	if (!strstr(r->err.msg, why))
		fail_msg("'%s' does not say '%s'", r->err.msg, why);
	assert_memory_equal(&before, &r->plan.before, sizeof(before));
	vec_clear(&r->plan.moves);
}

static void accept(struct rig *r)
{
	err_clear(&r->err);
	if (!plan_check(&r->plan, r->model, &r->err))
		fail_msg("%s", r->err.msg);
}

static void test_good(void **state)
{
	struct rig *r = *state;

	data(r, 0, 12, 10, 4, 20, 80);
	data(r, 0, 12, 30, 4, 40, 84);
	tree(r, 0, 15, 1, 24);
	/* five pieces joined: no tree any more; 20 and 40 are free again */
	data(r, 1, 13, 0, 1, 60, 40);
	data(r, 1, 13, 1, 1, 62, 41);
	data(r, 1, 13, 2, 1, 64, 42);
	data(r, 1, 13, 3, 1, 66, 43);
	data(r, 1, 13, 4, 1, 68, 44);
	tree(r, 1, 13, 0, 0);
	data(r, 3, 12, 10, 4, 80, 20);
	accept(r);
	assert_int_equal(r->plan.before.fragments, 2 + 5 + 1 + 2);
	assert_int_equal(r->plan.after.fragments, 2 + 1 + 1 + 2);
	assert_int_equal(r->plan.after.free_blocks, r->plan.before.free_blocks + 1);
	assert_int_equal(r->plan.after.best, 4);
}

static void test_destinations(void **state)
{
	struct rig *r = *state;

	data(r, 0, 12, 10, 4, 20, 58); /* runs into 60 */
	expect(r, "not free");
	data(r, 0, 12, 10, 4, 20, 5);
	expect(r, "not free");
	data(r, 0, 12, 10, 4, 20, 198); /* over the end */
	expect(r, "not free");
	data(r, 0, 12, 10, 4, 20, 80);
	data(r, 0, 12, 30, 4, 40, 20); /* freed in the same batch */
	expect(r, "not free");
	data(r, 0, 12, 10, 4, 20, 80);
	tree(r, 0, 15, 1, 83); /* taken twice */
	expect(r, "not free");
	data(r, 0, 12, 10, 4, 20, 80);
	tree(r, 1, 15, 1, 20); /* from the next batch on it is free */
	accept(r);
}

static void test_sources(void **state)
{
	struct rig *r = *state;

	data(r, 0, 12, 10, 4, 21, 80);
	expect(r, "changed");
	data(r, 0, 12, 13, 2, 23, 80); /* over the end of the run */
	expect(r, "changed");
	data(r, 0, 14, 0, 2, 71, 80);
	expect(r, "pinned");
	data(r, 0, 17, 0, 2, 71, 80);
	expect(r, "no such inode");
	data(r, 0, 16, 0, 1, 150, 80);
	expect(r, "cannot be moved");
	data(r, 1, 12, 10, 4, 20, 80);
	data(r, 2, 12, 10, 4, 20, 90); /* has left */
	expect(r, "changed");
}

static void test_order(void **state)
{
	struct rig *r = *state;

	data(r, 0, 12, 30, 4, 40, 80);
	data(r, 0, 12, 10, 4, 20, 84);
	expect(r, "overlaps");
	data(r, 0, 12, 10, 4, 20, 80);
	data(r, 0, 12, 12, 2, 22, 90);
	expect(r, "overlaps");
	tree(r, 0, 15, 1, 24);
	data(r, 0, 15, 12, 1, 130, 80);
	expect(r, "out of order");
	data(r, 0, 12, 10, 4, 20, 80);
	tree(r, 0, 15, 1, 24);
	data(r, 0, 12, 30, 4, 40, 84); /* a second time in the batch */
	expect(r, "already");
	data(r, 2, 12, 10, 4, 20, 80);
	tree(r, 1, 15, 1, 24);
	expect(r, "must not fall");
	data(r, 0, 12, 10, 0, 20, 80);
	expect(r, "out of order");
}

static void test_trees(void **state)
{
	struct rig *r = *state;

	data(r, 0, 13, 0, 1, 60, 80); /* five extents still, and no new node */
	expect(r, "must move along");
	data(r, 0, 13, 0, 1, 60, 80);
	tree(r, 0, 13, 0, 0);
	expect(r, "another size");
	data(r, 0, 13, 0, 1, 60,
	     63); /* in front of 64, but blocks 1 and 2 are at 62, 64 */
	tree(r, 0, 13, 1, 80);
	accept(r);
	vec_clear(&r->plan.moves);
	data(r, 0, 15, 12, 1, 130, 122);
	tree(r, 0, 15, 2, 80);
	expect(r, "another size");
	data(r, 0, 12, 10, 4, 20, 80);
	tree(r, 0, 12, 1, 90); /* needs none, has none */
	expect(r, "another size");
}

static void test_indirect_reach(void **state)
{
	struct rig *r = *state;

	data(r, 0, 15, 12, 1, 130, (1ull << 32) - 1);
	tree(r, 0, 15, 1, 1ull << 32);
	expect(r, "cannot reach");
}

static void test_price(void **state)
{
	struct rig *r = *state;

	data(r, 0, 12, 10, 4, 20, 80);
	data(r, 0, 12, 30, 4, 40, 84);
	tree(r, 0, 15, 1, 24);
	data(r, 4, 12, 10, 4, 80, 20);
	plan_price(&r->plan, 1024);
	assert_int_equal(r->plan.files, 2);
	assert_int_equal(r->plan.data_blocks, 12);
	assert_int_equal(r->plan.price.bytes_read, 12 * 1024);
	assert_int_equal(r->plan.price.bytes_written, 13 * 1024);
	assert_int_equal(r->plan.price.batches, 2);
	assert_int_equal(r->plan.price.barriers, 6);
	assert_true(r->plan.price.run_ms > 4 * 12 + 6 * 20);
	assert_int_equal(plan_batch_end(&r->plan, 0), 3);
	assert_int_equal(plan_batch_end(&r->plan, 3), 4);
	assert_int_equal(plan_batch_end(&r->plan, 4), 4);
}

static void test_drop(void **state)
{
	struct rig *r = *state;

	data(r, 0, 12, 10, 4, 20, 80);
	data(r, 0, 12, 30, 4, 40, 84);
	tree(r, 1, 15, 1, 20); /* needs the room of 12 */
	accept(r);
	err_clear(&r->err);
	assert_false(plan_drop_inode(&r->plan, r->model, 12, &r->err));
	assert_int_equal(r->err.class, ERR_REFUSED);
	assert_int_equal(r->plan.moves.n, 3);
	err_clear(&r->err);
	assert_true(plan_drop_inode(&r->plan, r->model, 15, &r->err));
	assert_int_equal(r->plan.moves.n, 2);
	assert_int_equal(r->plan.files, 1);
	assert_int_equal(r->plan.after.fragments, r->plan.before.fragments - 1);
	assert_true(plan_drop_inode(&r->plan, r->model, 12, &r->err));
	assert_int_equal(r->plan.moves.n, 0);
	assert_int_equal(r->plan.price.bytes_written, 0);
}

static void test_words(void **state)
{
	(void)state;
	for (int i = 0; i < REASON_COUNT; i++)
		for (int k = 0; k < i; k++)
			assert_string_not_equal(move_reason_text(i), move_reason_text(k));
	for (int i = 0; i < SKIP_COUNT; i++)
		for (int k = 0; k < i; k++)
			assert_string_not_equal(skip_reason_text(i), skip_reason_text(k));
	assert_string_equal(move_reason_text(REASON_COUNT), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_good, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_destinations, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_sources, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_trees, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_indirect_reach, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_price, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_drop, set_up, tear_down),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
