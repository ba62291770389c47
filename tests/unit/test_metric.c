/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_metric.c - the figures by their definitions, on hand-made maps and known examples.
 */
#include <math.h>
#include <string.h>
#include "core/metric.h"
#include "tests/lib/randvol.h"
#include "tests/lib/test.h"

#define SEEK	   12.67
#define MS(blocks) ((blocks)*4096 / 150e3)

static struct run data(blkno_t phys, uint32_t len, lblk_t lblk)
{
	return (struct run){
		.phys = phys, .len = len, .lblk = lblk, .ino = 12, .kind = OWNER_FILE};
}

static void assert_near(double got, double want)
{
	if (fabs(got - want) > 1e-4)
		fail_msg("%.6f is not %.6f", got, want);
}

static void test_read_time(void **state)
{
	struct run r[] = {data(1000, 10, 0), data(1010, 5, 10), data(1015 + 64, 5, 15),
			  data(500, 1, 20)};

	(void)state;
	assert_near(metrics_read_ms(r, 0, 4096), 0);
	assert_near(metrics_read_ms(r, 1, 4096), SEEK + MS(10));
	assert_near(metrics_read_ms(r, 2, 4096), SEEK + MS(15)); /* no jump between */
	/* 64 blocks of 4 KiB = 256 KiB ahead are read over, one more is a seek */
	assert_near(metrics_read_ms(r, 3, 4096), SEEK + MS(15 + 64 + 5));
	r[2].phys++;
	assert_near(metrics_read_ms(r, 3, 4096), 2 * SEEK + MS(20));
	/* backwards is a seek however near */
	assert_near(metrics_read_ms(r, 4, 4096), 3 * SEEK + MS(21));
}

static void test_layout_score(void **state)
{
	struct metrics t = {0};
	struct run one[] = {data(5, 1, 0)}, two[] = {data(100, 4, 0), data(200, 6, 4)};

	(void)state;
	assert_near(metrics_layout_score(&t), 1.0);
	metrics_count_file(&t, one, 1, 1, 4096, 1);
	assert_near(metrics_layout_score(&t), 1.0); /* left out */
	metrics_count_file(&t, two, 2, 1, 4096, 1);
	assert_int_equal(t.pairs, 9);
	assert_int_equal(t.pairs_close, 8);
	assert_near(metrics_layout_score(&t), 8.0 / 9);
	assert_int_equal(t.best, 2);
	assert_int_equal(t.worst, 11);
	assert_int_equal(t.fragments, 3);
	assert_int_equal(t.files_fragmented, 1);
	assert_near(metrics_percent_fragmented(&t), 50);
	assert_near(metrics_overall(&t), 100.0 * (11 - 3) / (11 - 2));
}

/* The totals of an AIX volume before and after a run, and what the linear form says. */
static void test_overall(void **state)
{
	struct metrics t = {.best = 35493, .worst = 294795, .fragments = 39713};

	(void)state;
	assert_near(metrics_overall(&t), 98.3726);
	t.fragments = 35507;
	assert_near(metrics_overall(&t), 99.9946);
	t = (struct metrics){.best = 3, .worst = 3, .fragments = 3};
	assert_near(metrics_overall(&t), 100);
	assert_near(metrics_percent_fragmented(&(struct metrics){0}), 0);
}

/* A tree block of its own between two runs makes no fragment; an xattr block does. */
static void test_own_tree(void **state)
{
	struct run r[] = {data(100, 4, 0), data(105, 4, 4), data(104, 1, 0)};
	struct metrics t = {0};

	(void)state;
	r[2].kind = OWNER_TREE;
	metrics_count_file(&t, r, 3, 1, 4096, 1);
	assert_int_equal(t.fragments, 1);
	assert_int_equal(t.pairs_close, 6);
	r[2].kind = OWNER_XATTR;
	metrics_count_file(&t, r, 3, 1, 4096, 1);
	assert_int_equal(t.fragments, 3);
}

/* Taking files out and putting them back in any order leaves the same sums, to the bit.
 */
static void test_exact_sums(void **state)
{
	struct randvol_shape shape = {11, 8, 2000, 10, 90, 6};
	struct metrics t, was;
	struct run_list runs = {0};
	struct randvol v;
	uint32_t bs;

	(void)state;
	randvol_make(&v, &shape);
	bs = v.geom.block_size;
	metrics_compute(v.model, &t);
	was = t;
	for (int sign = -1; sign <= 1; sign += 2)
		for (inum_t ino = model_next_inode(v.model, 0); ino;
		     ino = model_next_inode(v.model, ino)) {
			runs.n = 0;
			assert_true(model_runs(v.model, ino, &runs));
			metrics_count_file(&t, runs.v, runs.n, 1, bs, sign);
			if (sign < 0)
				continue;
			metrics_count_file(&t, runs.v, runs.n, 2, bs, -1);
			metrics_count_file(&t, runs.v, runs.n, 2, bs, 1);
		}
	assert_memory_equal(&t, &was, sizeof(t));
	assert_true(t.files + t.directories == t.inodes_used);
	assert_true(t.fragments > t.ideal && t.ideal >= t.best);
	vec_release(&runs);
	randvol_release(&v);
}

static void test_free_space(void **state)
{
	struct randvol_shape shape = {5, 6, 1500, 20, 50, 8};
	uint64_t blocks = 0, runs = 0, here = 0, longest = 0;
	struct freemap *f;
	struct metrics t, by_map = {0};
	struct randvol v;

	(void)state;
	randvol_make(&v, &shape);
	for (blkno_t b = v.geom.first_block; b < v.geom.blocks; b++) {
		here = v.used[b] ? 0 : here + 1;
		blocks += !v.used[b];
		runs += here == 1;
		longest = here > longest ? here : longest;
	}
	metrics_compute(v.model, &t);
	assert_int_equal(t.free_blocks, blocks);
	assert_int_equal(t.free_runs, runs);
	assert_int_equal(t.largest_hole_blocks, longest);
	f = freemap_new(v.model);
	assert_non_null(f);
	metrics_set_free(&by_map, f);
	assert_int_equal(by_map.free_blocks, blocks);
	assert_int_equal(by_map.free_runs, runs);
	assert_int_equal(by_map.largest_hole_blocks, longest);
	freemap_free(f);
	randvol_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_time),  cmocka_unit_test(test_layout_score),
		cmocka_unit_test(test_overall),	   cmocka_unit_test(test_own_tree),
		cmocka_unit_test(test_exact_sums), cmocka_unit_test(test_free_space),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
