/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_model_holes.c - long holes: thousands of empty block groups in a row, against a plain
 * array, through replacements that fill and empty groups; and that a look costs nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/extent.h"
#include "tests/lib/test.h"

#define GROUP 8u

struct rig {
	struct geom geom;
	struct model *model;
	uint8_t *owner; /* a byte a block: 0 or the inode */
};

static void rig_make(struct rig *r, group_t groups)
{
	struct geom *g = &r->geom;

	geom_init(g);
	g->block_size = 4096;
	g->blocks = (blkno_t)groups * GROUP;
	g->blocks_per_group = GROUP;
	g->groups = groups;
	g->inodes_per_group = 1;
	g->inodes = groups;
	assert_true(geom_seal(g, NULL));
	r->model = model_new(g, NULL);
	r->owner = calloc(g->blocks, 1);
	assert_true(r->model && r->owner);
}

static void rig_release(struct rig *r)
{
	model_free(r->model);
	geom_release(&r->geom);
	free(r->owner);
}

static void add(struct rig *r, inum_t ino, blkno_t b, uint32_t len)
{
	struct run run = {.phys = b, .len = len, .ino = ino, .kind = OWNER_FILE};
	struct inode_info info = {INODE_FILE, 0, 4096};

	assert_true(model_set_inode(r->model, ino, &info));
	assert_true(model_add_run(r->model, &run));
	memset(r->owner + b, (int)ino, len);
}

static void seal(struct rig *r)
{
	struct flaw_list flaws = {0};

	assert_true(model_seal(r->model, NULL, 1, &flaws, NULL));
	assert_int_equal(flaws.count, 0);
}

/* The hole, or the owner, at b: as the array says it. */
static void check_at(const struct rig *r, blkno_t b)
{
	blkno_t start = b, end = b;
	struct run run;

	model_at(r->model, b, &run);
	assert_int_equal(run.ino, r->owner[b]);
	if (r->owner[b])
		return;
	while (start > 0 && !r->owner[start - 1])
		start--;
	while (end < r->geom.blocks && !r->owner[end])
		end++;
	assert_int_equal(run.phys, start);
	assert_int_equal(run.len, end - start);
}

static bool add_up(void *arg, const struct run *r)
{
	*(uint64_t *)arg += r->kind == OWNER_FREE ? 0 : r->len;
	return true;
}

static void check_all(const struct rig *r, uint32_t step)
{
	uint64_t walked = 0, used = 0;

	for (blkno_t b = 0; b < r->geom.blocks; b += 1 + b % step)
		check_at(r, b);
	model_walk(r->model, 0, r->geom.blocks, add_up, &walked);
	for (blkno_t b = 0; b < r->geom.blocks; b++)
		used += r->owner[b] != 0;
	assert_int_equal(walked, used);
}

static uint32_t seed = 1;

static uint32_t any(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/* Groups fill and empty at every edge of the words of a bitmap. */
static void test_moving_about(void **state)
{
	static const group_t sizes[] = {1, 63, 64, 65, 129, 4095, 4096, 4097, 9000};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct rig r;
		uint32_t step = sizes[i] > 4000 ? 4001 : 97;

		rig_make(&r, sizes[i]);
		add(&r, 1, r.geom.blocks - 1, 1);
		seal(&r);
		check_all(&r, step);
		for (int k = 0; k < 60; k++) {
			blkno_t to = k == 0 ? 0 : any((uint32_t)r.geom.blocks);
			struct run run = {
				.phys = to, .len = 1, .ino = 1, .kind = OWNER_FILE};
			struct run_list list = {&run, k % 7 != 3, 1};

			assert_true(model_replace(r.model, 1, &list, NULL));
			memset(r.owner, 0, r.geom.blocks);
			r.owner[to] = list.n > 0;
			check_all(&r, step);
		}
		rig_release(&r);
	}
}

static void test_empty(void **state)
{
	struct rig r;
	struct run run;

	(void)state;
	rig_make(&r, 5000);
	seal(&r);
	model_at(r.model, 20000, &run);
	assert_int_equal(run.phys, 0);
	assert_int_equal(run.len, 40000);
	rig_release(&r);
}

/* A million empty groups between: a look that went through them would not end in time. */
static void test_cost(void **state)
{
	struct rig r;
	struct run run;

	(void)state;
	alarm(60);
	rig_make(&r, 1u << 20);
	add(&r, 1, 0, 1);
	add(&r, 2, r.geom.blocks - 1, 1);
	seal(&r);
	for (int i = 0; i < 200000; i++) {
		model_at(r.model, 1 + any(8000000), &run);
		assert_int_equal(run.phys, 1);
	}
	for (int i = 0; i < 20000; i++) {
		uint64_t used = 0;

		model_walk(r.model, 1 + any(1000), 8000000, add_up, &used);
		assert_int_equal(used, 0);
	}
	alarm(0);
	rig_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moving_about),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
