/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_rollup.c - directories with what they hold: sums worked out by hand on a tree of
 * three levels, heat by age and by use, children, a loop of directories.
 *
 *   2 /        block 100
 *   12 /a      block 101
 *   13 /a/b    block 102
 *   14 /a/b/x  2 fragments: 200+4, 300+4
 *   15 /a/y    1 fragment: 400+8
 *   16 /z      3 fragments: 500, 510, 520
 *   20, 21     directories, each the other's parent: blocks 600, 601
 */
#include "tests/lib/test.h"
#include <math.h>
#include <string.h>
#include "core/rollup.h"

static struct geom geom;
static struct model *m;

static void inode(inum_t ino, enum inode_type type, inum_t parent)
{
	struct inode_info info = {.type = type, .size = 4096};

	assert_true(model_set_inode(m, ino, &info));
	model_set_parent(m, ino, parent);
}

static void run(inum_t ino, enum owner_kind kind, lblk_t lblk, blkno_t phys, uint32_t len)
{
	struct run r = {.phys = phys, .len = len, .lblk = lblk, .ino = ino, .kind = kind};

	assert_true(model_add_run(m, &r));
}

static int setup(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	geom_init(&geom);
	geom.block_size = 4096;
	geom.cluster_ratio = geom.flex_groups = 1;
	geom.blocks = geom.blocks_per_group = 8192;
	geom.groups = 1;
	geom.inodes = geom.inodes_per_group = 64;
	geom.first_inode = 11;
	m = model_new(&geom, &err);
	assert_non_null(m);
	inode(2, INODE_DIR, 2);
	inode(12, INODE_DIR, 2);
	inode(13, INODE_DIR, 12);
	inode(14, INODE_FILE, 13);
	inode(15, INODE_FILE, 12);
	inode(16, INODE_FILE, 2);
	inode(20, INODE_DIR, 21);
	inode(21, INODE_DIR, 20);
	run(2, OWNER_DIR, 0, 100, 1);
	run(12, OWNER_DIR, 0, 101, 1);
	run(13, OWNER_DIR, 0, 102, 1);
	run(14, OWNER_FILE, 0, 200, 4);
	run(14, OWNER_FILE, 4, 300, 4);
	run(15, OWNER_FILE, 0, 400, 8);
	run(16, OWNER_FILE, 0, 500, 1);
	run(16, OWNER_FILE, 1, 510, 1);
	run(16, OWNER_FILE, 2, 520, 1);
	run(20, OWNER_DIR, 0, 600, 1);
	run(21, OWNER_DIR, 0, 601, 1);
	assert_true(model_seal(m, NULL, 1, NULL, &err));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	model_free(m);
	geom_release(&geom);
	return 0;
}

static struct inode_times times_v[] = {
	{14, 1000 * 86400, 0, 0}, {15, 900 * 86400, 0, 0}, {16, 990 * 86400, 0, 0}};
static struct times_list times = {times_v, 3, 3};

static struct rollup_options options(void)
{
	return (struct rollup_options){.disk = disk_find("hdd"),
				       .times = &times,
				       .now = 1000 * 86400,
				       .half_life_days = 10};
}

static void holds(const struct rollup *r, inum_t ino, uint64_t files, uint64_t blocks,
		  uint64_t fragments, uint64_t excess)
{
	const struct rollup_row *row = rollup_dir(r, ino);

	assert_non_null(row);
	assert_int_equal(row->files, files);
	assert_int_equal(row->blocks, blocks);
	assert_int_equal(row->fragments, fragments);
	assert_int_equal(row->excess_fragments, excess);
}

static bool close_to(double a, double b)
{
	return fabs(a - b) < 1e-9 * (1 + fabs(b));
}

static void test_sums(void **state)
{
	struct rollup_options opt = options();
	struct rollup r = {0};
	struct run_list runs = {0};
	struct rollup_row x, z;

	(void)state;
	assert_true(rollup_compute(m, &opt, &r));
	assert_int_equal(r.n, 5);
	holds(&r, 13, 2, 9, 3, 1);
	holds(&r, 12, 4, 18, 5, 1);
	holds(&r, 2, 6, 22, 9, 3);
	holds(&r, 20, 1, 1, 1, 0);
	assert_null(rollup_dir(&r, 14));
	assert_true(rollup_file(m, &opt, 14, &runs, &x));
	assert_true(rollup_file(m, &opt, 16, &runs, &z));
	/* 14: one seek too many; it was used just now. 16: ten days ago, one half-life. */
	assert_true(x.excess_ms > 1 && z.excess_ms > 0);
	assert_true(close_to(x.heat, x.excess_ms));
	assert_true(close_to(z.heat, z.excess_ms / 2));
	assert_true(close_to(rollup_dir(&r, 13)->excess_ms, x.excess_ms));
	assert_true(close_to(rollup_dir(&r, 12)->heat, x.heat));
	assert_true(close_to(rollup_dir(&r, 2)->heat, x.heat + z.heat));
	assert_true(close_to(rollup_dir(&r, 2)->age_days, 0));
	assert_true(rollup_dir(&r, 20)->age_days < 0);
	vec_release(&runs);
	rollup_release(&r);
}

static void test_children(void **state)
{
	struct rollup_options opt = options();
	struct rollup r = {0}, c = {0};

	(void)state;
	assert_true(rollup_compute(m, &opt, &r));
	assert_true(rollup_children(m, &opt, &r, 12, &c));
	assert_int_equal(c.n, 2);
	assert_int_equal(c.v[0].ino, 13); /* with its tree */
	assert_int_equal(c.v[0].blocks, 9);
	assert_int_equal(c.v[1].ino, 15);
	assert_int_equal(c.v[1].blocks, 8);
	vec_clear(&c);
	assert_true(rollup_children(m, &opt, &r, 2, &c)); /* not itself */
	assert_int_equal(c.n, 2);
	rollup_release(&c);
	rollup_release(&r);
}

static void test_uses(void **state)
{
	struct rollup_use used[] = {{15, 4}, {16, 3}};
	struct rollup_options opt = options();
	struct rollup r = {0};

	(void)state;
	opt.used = used;
	opt.used_n = 2;
	assert_true(rollup_compute(m, &opt, &r));
	/* 15 is whole: nothing to gain, however often it is read; 14 is not used. */
	assert_true(close_to(rollup_dir(&r, 12)->heat, 0));
	assert_true(close_to(
		rollup_dir(&r, 2)->heat,
		3 * (rollup_dir(&r, 2)->excess_ms - rollup_dir(&r, 12)->excess_ms)));
	rollup_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sums, setup, teardown),
		cmocka_unit_test_setup_teardown(test_children, setup, teardown),
		cmocka_unit_test_setup_teardown(test_uses, setup, teardown),
	};

	return cmocka_run_group_tests_name("rollup", tests, NULL, NULL);
}
