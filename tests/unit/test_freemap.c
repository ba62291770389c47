/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_freemap.c - every answer of the free map against a plain array of blocks. */
#include <stdlib.h>
#include <string.h>
#include "core/freemap.h"
#include "tests/lib/randvol.h"
#include "tests/lib/test.h"

#define BLOCKS 3000u

struct naive {
	uint8_t free[BLOCKS + 1]; /* the last one is never free */
	uint32_t seed;
};

static uint32_t rnd(struct naive *a, uint32_t n)
{
	a->seed = a->seed * 1664525u + 1013904223u;
	return (a->seed >> 8) % n;
}

/* The hole that starts at b, which is free and follows a used block. */
static blkno_t hole_len(const struct naive *a, blkno_t b)
{
	blkno_t n = 0;

	while (a->free[b + n])
		n++;
	return n;
}

static bool next_hole(const struct naive *a, blkno_t from, struct range *out)
{
	while (from < BLOCKS && !a->free[from])
		from++;
	*out = (struct range){from, hole_len(a, from)};
	return from < BLOCKS;
}

static void check_counts(const struct naive *a, const struct freemap *f)
{
	struct range h = {0, 0}, got;
	uint64_t blocks = 0, runs = 0;
	blkno_t longest = 0;

	while (next_hole(a, h.start + h.len, &h)) {
		blocks += h.len;
		runs++;
		longest = h.len > longest ? h.len : longest;
	}
	assert_int_equal(freemap_blocks(f), blocks);
	assert_int_equal(freemap_runs(f), runs);
	assert_int_equal(freemap_largest(f, &got), runs > 0);
	if (runs)
		assert_int_equal(got.len, longest);
}

static void check_first(struct naive *a, const struct freemap *f)
{
	blkno_t from = rnd(a, BLOCKS), len = 1 + rnd(a, 20);
	struct range got, want = {from, 0};
	bool found = false;

	while (!found && next_hole(a, want.start + want.len, &want))
		found = want.len >= len;
	assert_int_equal(freemap_first(f, from, len, &got), found);
	if (found) {
		assert_int_equal(got.start, want.start);
		assert_int_equal(got.len, want.len);
	}
}

static void check_best(struct naive *a, const struct freemap *f)
{
	blkno_t len = 1 + rnd(a, 20), goal = rnd(a, BLOCKS), best = 0, near = 0;
	struct range h = {0, 0}, got;

	while (next_hole(a, h.start + h.len, &h)) {
		blkno_t away = h.start > goal ? h.start - goal : goal - h.start;

		if (h.len < len || (best && h.len > best))
			continue;
		if (h.len != best || away < near)
			near = away;
		best = h.len;
	}
	assert_int_equal(freemap_best(f, len, goal, &got), best > 0);
	if (best) {
		assert_int_equal(got.len, best);
		assert_int_equal(got.start > goal ? got.start - goal : goal - got.start,
				 near);
	}
}

static void check_places(struct naive *a, const struct freemap *f)
{
	blkno_t b = rnd(a, BLOCKS), len = 1 + rnd(a, 10);
	struct range got, want;
	bool free = b + len <= BLOCKS, found;

	for (blkno_t i = 0; free && i < len; i++)
		free = a->free[b + i];
	assert_int_equal(freemap_is_free(f, (struct range){b, len}), free);
	found = next_hole(a, b, &want);
	while (found && want.start && a->free[want.start - 1]) {
		want.start--;
		want.len++;
	}
	assert_int_equal(freemap_at_or_after(f, b, &got), found);
	if (found)
		assert_memory_equal(&got, &want, sizeof(got));
}

/* From the longest down: every hole once. */
static void check_falling(const struct freemap *f)
{
	struct range h = {0, BLKNO_NONE}, last = h;
	uint64_t runs = 0, blocks = 0;

	for (; freemap_shorter(f, &last, &h); last = h) {
		assert_true(h.len <= last.len);
		runs++;
		blocks += h.len;
	}
	assert_int_equal(runs, freemap_runs(f));
	assert_int_equal(blocks, freemap_blocks(f));
}

/* Takes or gives a random stretch, wholly possible or not. */
static void change(struct naive *a, struct freemap *f)
{
	bool take = rnd(a, 2), possible;
	blkno_t b = rnd(a, BLOCKS - 40), len = 1 + rnd(a, 30);
	struct err err = ERR_INIT;

	if (a->free[b] == take) /* often enough what is there, to its end */
		for (len = 1; len < 30 && a->free[b + len] == take && rnd(a, 9);)
			len++;
	possible = true;
	for (blkno_t i = 0; i < len; i++)
		possible = possible && a->free[b + i] == take;
	assert_int_equal(
		(take ? freemap_take : freemap_give)(f, (struct range){b, len}, &err),
		possible);
	assert_int_equal(err.class, possible ? ERR_NONE : ERR_BUG);
	if (possible)
		memset(a->free + b, !take, len);
}

static void test_against_array(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 6; seed++) {
		struct naive *a = calloc(1, sizeof(*a));
		struct freemap *f = freemap_new_empty();

		assert_non_null(a);
		assert_non_null(f);
		a->seed = seed;
		for (int i = 0; i < 4000; i++) {
			change(a, f);
			check_first(a, f);
			check_best(a, f);
			check_places(a, f);
			if (i % 50 == 0) {
				check_counts(a, f);
				check_falling(f);
			}
		}
		freemap_free(f);
		free(a);
	}
}

static void test_from_model(void **state)
{
	struct randvol_shape shape = {7, 5, 1000, 30, 60, 9};
	struct randvol v;
	struct freemap *f, *copy;
	struct range h;
	struct err err = ERR_INIT;
	uint64_t free_blocks = 0;

	(void)state;
	randvol_make(&v, &shape);
	f = freemap_new(v.model);
	assert_non_null(f);
	for (blkno_t b = v.geom.first_block; b < v.geom.blocks; b++) {
		free_blocks += !v.used[b];
		assert_int_equal(freemap_is_free(f, (struct range){b, 1}), !v.used[b]);
	}
	assert_int_equal(freemap_blocks(f), free_blocks);
	check_falling(f);
	copy = freemap_copy(f);
	assert_non_null(copy);
	assert_true(freemap_largest(copy, &h));
	assert_true(freemap_take(copy, h, &err));
	assert_int_equal(freemap_blocks(f), free_blocks);
	assert_int_equal(freemap_blocks(copy), free_blocks - h.len);
	freemap_free(copy);
	freemap_free(f);
	randvol_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_array),
		cmocka_unit_test(test_from_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
