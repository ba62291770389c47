/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_forecast.c - what is foretold of a plan is, block by block, what carrying it out makes. */
#include <stdlib.h>
#include <string.h>
#include "core/forecast.h"
#include "core/strategy.h"
#include "tests/lib/randvol.h"
#include "tests/lib/test.h"

/* What is known of each block, in an order of its own. */
struct seen {
	inum_t ino;
	lblk_t lblk;
	uint8_t kind;
	bool fragmented, odd;
};

struct canvas {
	const struct geom *geom;
	struct seen *blocks;
	blkno_t next;
};

static bool note(void *arg, const struct run *r)
{
	struct canvas *c = arg;

	assert_int_equal(r->phys, c->next);
	assert_true(r->len > 0);
	for (uint32_t i = 0; i < r->len; i++)
		c->blocks[r->phys + i] = (struct seen){
			r->ino, owner_is_data(r->kind) ? r->lblk + i : r->lblk,
			(uint8_t)r->kind, r->fragmented, r->odd};
	c->next += r->len;
	return true;
}

static struct seen *paint_model(const struct model *m)
{
	const struct geom *g = model_geom(m);
	struct canvas c = {g, calloc(g->blocks, sizeof(struct seen)), g->first_block};

	assert_non_null(c.blocks);
	model_walk(m, g->first_block, g->blocks, note, &c);
	assert_int_equal(c.next, g->blocks);
	return c.blocks;
}

/* In pieces of any length: what is clipped must fit together. */
static struct seen *paint_forecast(const struct randvol *v, const struct forecast *f,
				   uint32_t piece)
{
	const struct geom *g = &v->geom;
	struct canvas c = {g, calloc(g->blocks, sizeof(struct seen)), g->first_block};

	assert_non_null(c.blocks);
	while (c.next < g->blocks) {
		blkno_t end = c.next + piece < g->blocks ? c.next + piece : g->blocks;

		forecast_walk(f, c.next, end - c.next, note, &c);
		assert_int_equal(c.next, end);
	}
	return c.blocks;
}

static void check_at(const struct randvol *v, const struct forecast *f,
		     const struct seen *want)
{
	for (blkno_t b = v->geom.first_block; b < v->geom.blocks; b++) {
		struct run r;

		forecast_at(f, b, &r);
		assert_true(r.phys <= b && b - r.phys < r.len);
		assert_int_equal(r.ino, want[b].ino);
		assert_int_equal(r.kind, want[b].kind);
		for (blkno_t x = r.phys; x < r.phys + r.len; x++)
			assert_int_equal(want[x].kind, r.kind);
	}
}

static void same(const struct geom *g, const struct seen *got, const struct seen *want)
{
	for (blkno_t b = g->first_block; b < g->blocks; b++) {
		assert_int_equal(got[b].kind, want[b].kind);
		assert_int_equal(got[b].ino, want[b].ino);
		assert_int_equal(got[b].lblk, want[b].lblk);
		assert_int_equal(got[b].fragmented, want[b].fragmented);
		assert_int_equal(got[b].odd, want[b].odd);
	}
}

static void compare(const struct randvol *v, const struct forecast *f,
		    const struct seen *want)
{
	static const uint32_t pieces[] = {1, 7, 100, UINT32_MAX};

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct seen *got = paint_forecast(v, f, pieces[i]);

		same(&v->geom, got, want);
		free(got);
	}
	check_at(v, f, want);
}

/* Carries moves [i, to) out. */
static void carry_out(struct randvol *v, const struct plan *p, size_t i, size_t to)
{
	struct run_list old = {0}, fresh = {0};

	for (size_t end; i < to; i = end) {
		const struct move *m = &p->moves.v[i];

		for (end = i + 1; end < p->moves.n && p->moves.v[end].ino == m->ino &&
				  p->moves.v[end].batch == m->batch;)
			end++;
		old.n = fresh.n = 0;
		assert_true(model_runs(v->model, m->ino, &old));
		assert_true(extent_apply(&old, m, end - i, &fresh, NULL));
		assert_true(model_replace(v->model, m->ino, &fresh, NULL));
	}
	vec_release(&old);
	vec_release(&fresh);
}

/* Plans of this goal; false: it cannot be had on this volume. */
static bool make_plan(const struct randvol *v, enum goal goal, struct plan *out)
{
	struct strategy_options o = {.batch_inodes = 3};
	struct goal_request g = {.goal = goal, .range = {v->geom.first_block, 0}};
	struct inum_list inos = {0};
	bool ok;

	assert_true(model_tree(v->model, 2, &inos));
	if (goal == GOAL_DEFRAG || goal == GOAL_ARRANGE || goal == GOAL_PACK) {
		g.inos = inos.v;
		g.ino_count = goal == GOAL_PACK && inos.n > 4 ? 4 : inos.n;
	}
	if (goal == GOAL_COMPACT || goal == GOAL_EVACUATE)
		g.range.len = goal == GOAL_COMPACT ? v->geom.blocks - v->geom.first_block
						   : v->geom.blocks_per_group / 2;
	ok = strategy_plan(v->model, &g, &o, out, NULL);
	vec_release(&inos);
	return ok && out->moves.n > 0;
}

/* False: there was nothing to do. */
static bool one_volume(const struct randvol_shape *shape, enum goal goal)
{
	struct seen *early, *want;
	struct forecast *f;
	struct randvol v;
	struct plan plan;
	size_t half;

	randvol_make(&v, shape);
	plan_init(&plan);
	if (!make_plan(&v, goal, &plan)) {
		plan_release(&plan);
		randvol_release(&v);
		return false;
	}
	f = forecast_new(v.model, &plan, NULL);
	assert_non_null(f);
	early = paint_forecast(&v, f, 1000);
	half = plan_batch_end(&plan, plan.moves.n / 2);
	carry_out(&v, &plan, 0, half);
	/* Half of it done: the forecast is of the end all the same. */
	want = paint_forecast(&v, f, 1000);
	same(&v.geom, early, want);
	free(want);
	carry_out(&v, &plan, half, plan.moves.n);
	want = paint_model(v.model);
	same(&v.geom, early, want);
	compare(&v, f, want);
	free(early);
	free(want);
	forecast_free(f);
	plan_release(&plan);
	randvol_release(&v);
	return true;
}

static void test_random_volumes(void **state)
{
	static const enum goal goals[] = {GOAL_DEFRAG, GOAL_COMPACT, GOAL_ARRANGE,
					  GOAL_PACK, GOAL_EVACUATE};
	int done[5] = {0};

	(void)state;
	for (uint32_t seed = 1; seed <= 30; seed++) {
		struct randvol_shape s = {seed, 2 + seed % 5, 500 + 37 * seed, 0, 0, 0};

		s.percent_free = (const uint32_t[]){4, 10, 40}[seed % 3];
		s.max_file = 20u << (seed % 4);
		s.max_piece = 4 + seed % 13;
		done[seed % 5] += one_volume(&s, goals[seed % 5]);
	}
	for (int i = 0; i < 5; i++)
		assert_true(done[i] > 0);
}

/* A plan for another volume is refused, not believed. */
static void test_stranger(void **state)
{
	struct randvol_shape s = {3, 3, 500, 30, 60, 9};
	struct move move = {.ino = 12, .len = 5, .from = 3, .to = 700};
	struct err err = ERR_INIT;
	struct randvol v;
	struct plan plan;

	(void)state;
	randvol_make(&v, &s);
	plan_init(&plan);
	assert_true(vec_push(&plan.moves, move));
	assert_null(forecast_new(v.model, &plan, &err));
	assert_int_equal(err.class, ERR_REFUSED);
	plan_release(&plan);
	randvol_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_volumes),
		cmocka_unit_test(test_stranger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
