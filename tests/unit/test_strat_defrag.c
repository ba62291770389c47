/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_strat_defrag.c - plans on random volumes: carried out on the model by the rules of
 * a batch, never worse for anybody, and exactly as predicted.
 */
#include <stdlib.h>
#include <string.h>
#include "core/strategy.h"
#include "tests/lib/runplan.h"
#include "tests/lib/test.h"

/* Exactly the moves that must be are in a batch of this size. */
static void check_batches(const struct plan *p, const struct strategy_options *o,
			  uint32_t bs)
{
	uint32_t number = 0;

	for (size_t i = 0, end; i < p->moves.n; i = end, number++) {
		uint64_t blocks = 0;
		uint32_t inodes = 0;

		end = plan_batch_end(p, i);
		assert_int_equal(p->moves.v[i].batch, number);
		for (size_t k = i; k < end; k++) {
			inodes += k == i || p->moves.v[k].ino != p->moves.v[k - 1].ino;
			blocks += p->moves.v[k].kind == MOVE_DATA ? p->moves.v[k].len : 0;
		}
		assert_true(blocks * bs <= o->batch_bytes);
		assert_true(inodes <= o->batch_inodes);
	}
}

static void check_files(struct randvol *v, const struct before *b, const struct plan *p,
			const struct inum_list *asked)
{
	uint32_t *skipped = calloc(v->geom.inodes + 1, sizeof(*skipped));
	struct run_list pinned = {0};
	struct file_info info;

	assert_non_null(skipped);
	for (size_t i = 0; i < p->skips.n; i++) {
		assert_int_equal(skipped[p->skips.v[i].ino], 0);
		skipped[p->skips.v[i].ino] = p->skips.v[i].fragments;
		assert_true(p->skips.v[i].fragments > p->skips.v[i].ideal);
	}
	for (inum_t ino = model_next_inode(v->model, 0); ino;
	     ino = model_next_inode(v->model, ino)) {
		assert_true(model_file(v->model, ino, &info));
		assert_true(info.fragments <= b->fragments[ino]);
		if (skipped[ino])
			assert_int_equal(skipped[ino], info.fragments);
		if (info.inode.flags & INODE_PINNED)
			assert_true(model_runs(v->model, ino, &pinned));
	}
	for (size_t i = 0; i < asked->n; i++) {
		assert_true(model_file(v->model, asked->v[i], &info));
		assert_int_equal(info.fragments > info.ideal, skipped[asked->v[i]] > 0);
	}
	assert_int_equal(pinned.n, b->pinned.n);
	for (size_t i = 0; i < pinned.n; i++)
		assert_int_equal(pinned.v[i].phys, b->pinned.v[i].phys);
	vec_release(&pinned);
	free(skipped);
}

/* Share of the removable fragments of movable files that is gone. */
static double one_volume(const struct randvol_shape *shape, uint32_t one_in,
			 struct strategy_options *opt)
{
	struct inum_list asked = {0};
	struct metrics after, predicted;
	struct err err = ERR_INIT;
	struct before before;
	struct randvol v;
	struct plan p;
	uint64_t kept = 0, removable;

	randvol_make(&v, shape);
	note_before(&v, &before);
	ask(&v, one_in, &asked);
	plan_init(&p);
	if (!strat_defrag(v.model, asked.v, asked.n, opt, &p, &err))
		fail_msg("seed %u: %s", shape->seed, err.msg);
	predicted = p.after;
	if (!plan_check(&p, v.model, &err))
		fail_msg("seed %u: %s", shape->seed, err.msg);
	assert_memory_equal(&predicted, &p.after, sizeof(predicted));
	check_batches(&p, opt, v.geom.block_size);
	run_plan(&v, &p);
	metrics_compute(v.model, &after);
	assert_memory_equal(&predicted, &after, sizeof(after));
	check_files(&v, &before, &p, &asked);
	for (size_t i = 0; i < p.skips.n; i++)
		if (p.skips.v[i].reason == SKIP_PINNED)
			kept += p.skips.v[i].fragments - p.skips.v[i].ideal;
	removable = p.before.fragments - p.before.ideal - kept;
	plan_release(&p);
	vec_release(&asked);
	release_before(&before);
	randvol_release(&v);
	return (double)(p.before.fragments - p.after.fragments) / (double)removable;
}

static void test_random_volumes(void **state)
{
	struct strategy_options opt = {.batch_bytes = 1u << 20, .batch_inodes = 100};
	double full = 0, roomy = 0;
	int fulls = 0, roomies = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= 40; seed++) {
		struct randvol_shape s = {seed, 4 + seed % 9, 1000 + 37 * seed, 0, 0, 0};
		double gone;

		s.percent_free = (const uint32_t[]){2, 5, 10, 40}[seed % 4];
		s.max_file = 20u << (seed % 5);
		s.max_piece = 4 + seed % 23;
		gone = one_volume(&s, 1, &opt);
		if (s.percent_free == 40) {
			roomy += gone;
			roomies++;
		} else if (s.percent_free >= 5) {
			full += gone;
			fulls++;
		}
	}
	print_message("removable fragments gone: %.1f %% with 40 %% free, %.1f %% with 5 "
		      "and 10 %%\n",
		      100 * roomy / roomies, 100 * full / fulls);
	assert_true(roomy / roomies > 0.97);
	assert_true(full / fulls > 0.80);
}

static void test_only_some(void **state)
{
	struct strategy_options opt = {.batch_bytes = 400u << 10, .batch_inodes = 12};

	(void)state;
	for (uint32_t seed = 50; seed < 70; seed++) {
		struct randvol_shape s = {seed, 5, 900, 3 + seed % 9, 150, 8};

		assert_true(one_volume(&s, 4, &opt) > 0);
	}
}

/* A file larger than a batch goes piece by piece. */
static void test_small_batches(void **state)
{
	struct strategy_options opt = {.batch_bytes = 64u << 10, .batch_inodes = 3};

	(void)state;
	for (uint32_t seed = 80; seed < 100; seed++) {
		struct randvol_shape s = {seed, 5, 1200, seed % 2 ? 8 : 45, 400, 30};

		assert_true(one_volume(&s, 1, &opt) > 0.2);
	}
}

/* Quota counts tree blocks: whatever moves, each file has as many as before. */
static void test_trees_keep_their_size(void **state)
{
	struct strategy_options opt = {.batch_bytes = 4u << 20};
	uint64_t moved = 0, padded = 0, before = 0, after = 0;

	(void)state;
	for (uint32_t seed = 100; seed < 120; seed++) {
		struct randvol_shape s = {seed, 5, 1200, seed % 3 * 15 + 6, 900, 6};
		struct inum_list asked = {0};
		struct err err = ERR_INIT;
		struct randvol v;
		struct plan p;

		randvol_make(&v, &s);
		v.geom.keep_trees = true;
		ask(&v, 1, &asked);
		plan_init(&p);
		assert_true(strat_defrag(v.model, asked.v, asked.n, &opt, &p, &err));
		if (!plan_check(&p, v.model, &err))
			fail_msg("seed %u: %s", seed, err.msg);
		for (size_t i = 0; i < p.moves.n; i++) {
			struct file_info info;

			if (p.moves.v[i].kind != MOVE_TREE)
				continue;
			assert_true(model_file(v.model, p.moves.v[i].ino, &info));
			moved++;
			padded += !(info.inode.flags & INODE_INDIRECT);
			/* a file may have two places for its tree, one behind the other */
			assert_true(p.moves.v[i].len <= info.map_blocks);
		}
		before += p.before.fragments;
		after += p.after.fragments;
		plan_release(&p);
		vec_release(&asked);
		randvol_release(&v);
	}
	assert_true(moved > 100);
	assert_true(padded > 50);
	assert_true(after < before / 2);
}

/* What is finished is left alone: a second plan has nothing to move. */
static void test_twice(void **state)
{
	struct randvol_shape shape = {31, 6, 1500, 50, 60, 6};
	struct inum_list asked = {0};
	struct err err = ERR_INIT;
	struct randvol v;
	struct plan p;

	(void)state;
	randvol_make(&v, &shape);
	ask(&v, 1, &asked);
	plan_init(&p);
	assert_true(strat_defrag(v.model, asked.v, asked.n, NULL, &p, &err));
	assert_true(p.moves.n > 100);
	for (size_t i = 0; i < p.skips.n; i++)
		assert_int_equal(p.skips.v[i].reason, SKIP_PINNED);
	run_plan(&v, &p);
	assert_true(strat_defrag(v.model, asked.v, asked.n, NULL, &p, &err));
	assert_int_equal(p.moves.n, 0);
	assert_int_equal(p.price.bytes_written, 0);
	assert_int_equal(p.ideal_already + p.skips.n, p.before.best);
	plan_release(&p);
	vec_release(&asked);
	randvol_release(&v);
}

static bool stop_at_once(void *arg, uint64_t done, uint64_t total)
{
	*(uint64_t *)arg = total;
	return done <= total;
}

static void test_stop(void **state)
{
	struct randvol_shape shape = {3, 4, 1000, 20, 60, 6};
	uint64_t total = 0;
	struct strategy_options opt = {.stop = stop_at_once, .stop_arg = &total};
	struct inum_list asked = {0};
	struct err err = ERR_INIT;
	struct randvol v;
	struct plan p;

	(void)state;
	randvol_make(&v, &shape);
	ask(&v, 1, &asked);
	plan_init(&p);
	assert_false(strat_defrag(v.model, asked.v, asked.n, &opt, &p, &err));
	assert_int_equal(err.class, ERR_STOPPED);
	assert_int_equal(p.moves.n, 0);
	assert_true(total > 0);
	plan_release(&p);
	vec_release(&asked);
	randvol_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_volumes),
		cmocka_unit_test(test_only_some),
		cmocka_unit_test(test_small_batches),
		cmocka_unit_test(test_trees_keep_their_size),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
