/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_strat_defrag.c - plans on random volumes: carried out on the model by the rules of
 * a batch, never worse for anybody, and exactly as predicted.
 */
#include <stdlib.h>
#include <string.h>
#include "core/strategy.h"
#include "tests/lib/randvol.h"
#include "tests/lib/test.h"

struct before {
	uint32_t *fragments; /* by inode */
	struct run_list pinned;
};

static void note_before(struct randvol *v, struct before *b)
{
	struct file_info info;

	memset(b, 0, sizeof(*b));
	b->fragments = calloc(v->geom.inodes + 1, sizeof(*b->fragments));
	assert_non_null(b->fragments);
	for (inum_t ino = model_next_inode(v->model, 0); ino;
	     ino = model_next_inode(v->model, ino)) {
		assert_true(model_file(v->model, ino, &info));
		b->fragments[ino] = info.fragments;
		if (info.inode.flags & INODE_PINNED)
			assert_true(model_runs(v->model, ino, &b->pinned));
	}
}

static void release_before(struct before *b)
{
	free(b->fragments);
	vec_release(&b->pinned);
}

static void mark(struct randvol *v, blkno_t at, uint32_t len, bool used)
{
	for (uint32_t i = 0; i < len; i++) {
		assert_int_equal(v->used[at + i], !used);
		v->used[at + i] = used;
	}
}

/* One inode in one batch: the real run list, the real model. */
static void run_inode(struct randvol *v, const struct move *m, size_t n)
{
	struct run_list old = {0}, fresh = {0};
	struct err err = ERR_INIT;

	assert_true(model_runs(v->model, m->ino, &old));
	if (!extent_apply(&old, m, n, &fresh, &err))
		fail_msg("%s", err.msg);
	if (!model_replace(v->model, m->ino, &fresh, &err))
		fail_msg("%s", err.msg);
	vec_release(&old);
	vec_release(&fresh);
}

/* Old tree blocks that a batch leaves; known before it runs. */
static void leave_tree(struct randvol *v, inum_t ino, struct run_list *left)
{
	struct run_list runs = {0};

	assert_true(model_runs(v->model, ino, &runs));
	for (size_t i = 0; i < runs.n; i++)
		if (runs.v[i].kind == OWNER_TREE)
			assert_true(vec_push(left, runs.v[i]));
	vec_release(&runs);
}

/* Destinations are free when the batch starts; what it leaves is free only after it. The
 * array v->used knows nothing of the planner. */
static void run_batch(struct randvol *v, const struct plan *p, size_t i, size_t end)
{
	struct run_list left = {0};
	const struct move *m = p->moves.v;

	for (size_t k = i; k < end; k++) {
		mark(v, m[k].to, m[k].len, true);
		if (m[k].kind == MOVE_TREE)
			leave_tree(v, m[k].ino, &left);
	}
	for (size_t k = i, next; k < end; k = next) {
		for (next = k + 1; next < end && m[next].ino == m[k].ino;)
			next++;
		run_inode(v, m + k, next - k);
		for (size_t other = next; other < end; other++)
			assert_int_not_equal(m[other].ino, m[k].ino);
	}
	for (size_t k = i; k < end; k++)
		if (m[k].kind == MOVE_DATA)
			mark(v, m[k].from, m[k].len, false);
	for (size_t k = 0; k < left.n; k++)
		mark(v, left.v[k].phys, left.v[k].len, false);
	vec_release(&left);
}

static void run_plan(struct randvol *v, const struct plan *p)
{
	for (size_t i = 0, end; i < p->moves.n; i = end) {
		end = plan_batch_end(p, i);
		run_batch(v, p, i, end);
	}
}

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

/* Every inode, or one in `one_in`. */
static void ask(struct randvol *v, uint32_t one_in, struct inum_list *out)
{
	for (inum_t ino = model_next_inode(v->model, 0); ino;
	     ino = model_next_inode(v->model, ino))
		if (randvol_random(v, one_in) == 0)
			assert_true(vec_push(out, ino));
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
