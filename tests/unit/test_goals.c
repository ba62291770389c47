/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_goals.c - random goals on random volumes: carried out on the model by the rules of
 * a batch, exactly as predicted, and never worse for a file that was not asked about.
 */
#include <stdlib.h>
#include <string.h>
#include "core/strategy.h"
#include "tests/lib/runplan.h"
#include "tests/lib/test.h"

/* Free blocks of a range, its holes, and its longest one. */
struct room {
	uint64_t blocks, holes, longest;
};

static struct room room_of(const struct randvol *v, struct range r)
{
	struct room out = {0, 0, 0};
	uint64_t len = 0;

	for (blkno_t b = r.start; b < r.start + r.len; b++) {
		len = v->used[b] ? 0 : len + 1;
		out.holes += len == 1;
		out.blocks += len > 0;
		out.longest = len > out.longest ? len : out.longest;
	}
	return out;
}

static struct range random_range(struct randvol *v)
{
	blkno_t n = v->geom.blocks - v->geom.first_block;
	struct range r = {v->geom.first_block + randvol_random(v, (uint32_t)n), 1};

	r.len += randvol_random(v, (uint32_t)(v->geom.blocks - r.start));
	return r;
}

static void shuffle(struct randvol *v, struct inum_list *l)
{
	for (size_t i = l->n; i > 1; i--) {
		size_t k = randvol_random(v, (uint32_t)i);
		inum_t x = l->v[k];

		l->v[k] = l->v[i - 1];
		l->v[i - 1] = x;
	}
}

static void random_goal(struct randvol *v, enum goal goal, struct inum_list *inos,
			struct goal_request *g)
{
	*g = (struct goal_request){.goal = goal, .range = {0, 0}};
	if (goal == GOAL_ARRANGE)
		ask(v, 1, inos);
	else if (goal == GOAL_DEFRAG || goal == GOAL_PACK || goal == GOAL_GAP)
		ask(v, 6, inos);
	else
		g->range = random_range(v);
	if (goal == GOAL_HOLE) {
		g->blocks = 1 + randvol_random(v, 80);
		if (randvol_random(v, 2))
			g->range = (struct range){0, 0};
	}
	if (goal == GOAL_MOVE) {
		g->place = (enum goal_place)(1 + randvol_random(v, 3));
		g->dest = v->geom.first_block +
			  randvol_random(
				  v, (uint32_t)(v->geom.blocks - v->geom.first_block));
		g->swap = randvol_random(v, 2);
		g->range.len = 1 + g->range.len % 150;
		if (randvol_random(v, 2)) {
			g->range.len = 0;
			ask(v, 30, inos);
		} else if (g->place != PLACE_END) {
			g->place = PLACE_BLOCK;
		}
	}
	if (goal == GOAL_PACK && randvol_random(v, 3) == 0) {
		g->place = PLACE_FROM;
		g->dest =
			v->geom.first_block + randvol_random(v, v->geom.blocks_per_group);
	}
	shuffle(v, inos);
	g->percent = 1 + randvol_random(v, 100);
	g->inos = inos->v;
	g->ino_count = inos->n;
}

static bool is_asked(const struct goal_request *g, struct randvol *v, inum_t ino,
		     const uint8_t *in_range)
{
	(void)v;
	for (size_t i = 0; i < g->ino_count; i++)
		if (g->inos[i] == ino)
			return true;
	return in_range[ino];
}

struct noted {
	uint8_t *in_range;
};

static bool note(void *arg, const struct run *r)
{
	struct noted *n = arg;

	n->in_range[r->ino] = 1;
	return true;
}

static void check_files(struct randvol *v, const struct before *b,
			const struct goal_request *g, const uint8_t *in_range)
{
	struct run_list pinned = {0};
	struct file_info info;

	for (inum_t ino = model_next_inode(v->model, 0); ino;
	     ino = model_next_inode(v->model, ino)) {
		assert_true(model_file(v->model, ino, &info));
		if (g->goal != GOAL_MOVE || !is_asked(g, v, ino, in_range))
			assert_true(info.fragments <= b->fragments[ino]);
		if (info.inode.flags & INODE_PINNED)
			assert_true(model_runs(v->model, ino, &pinned));
	}
	assert_int_equal(pinned.n, b->pinned.n);
	for (size_t i = 0; i < pinned.n; i++)
		assert_int_equal(pinned.v[i].phys, b->pinned.v[i].phys);
	vec_release(&pinned);
}

/* gap: every file has its room behind it, or is listed. */
static void check_rooms(struct randvol *v, const struct goal_request *g,
			const struct plan *p, uint64_t *roomy)
{
	struct run_list runs = {0};

	for (size_t i = 0; i < g->ino_count; i++) {
		struct run hole, *last = NULL;
		struct inode_info info;
		uint64_t blocks = 0, room;
		bool listed = false;

		runs.n = 0;
		assert_true(model_runs(v->model, g->inos[i], &runs));
		for (size_t k = 0; k < runs.n && owner_is_data(runs.v[k].kind); k++) {
			last = &runs.v[k];
			blocks += last->len;
		}
		for (size_t k = 0; k < p->skips.n; k++)
			listed = listed || p->skips.v[k].ino == g->inos[i];
		if (!last || listed || !model_inode(v->model, g->inos[i], &info) ||
		    info.type != INODE_FILE || info.flags & (INODE_PINNED | INODE_SYSTEM))
			continue;
		room = (blocks * g->percent + 99) / 100;
		assert_true(last->phys + last->len < v->geom.blocks);
		model_at(v->model, last->phys + last->len, &hole);
		assert_int_equal(hole.kind, OWNER_FREE);
		assert_true(hole.phys + hole.len - (last->phys + last->len) >= room);
		++*roomy;
	}
	vec_release(&runs);
}

struct tally {
	int plans, moved, refused;
	uint64_t fragments, ideal, blocks, data, batches;
	uint64_t hole_asked, hole_got;
	uint64_t holes_before, holes_after; /* compact: in the range */
	uint64_t stays, cleared;	    /* evacuate: blocks */
	uint64_t roomy;			    /* gap: files */
};

static void one_goal(uint32_t seed, enum goal goal, uint32_t percent, struct tally *t)
{
	struct randvol_shape shape = {seed,    4 + seed % 5,	  900 + 31 * (seed % 40),
				      percent, 20u << (seed % 5), 4 + seed % 23};
	struct strategy_options opt = {.batch_bytes = 1u << 20, .batch_inodes = 100};
	struct metrics after, predicted;
	struct inum_list inos = {0};
	struct err err = ERR_INIT;
	struct goal_request g;
	struct room was, is;
	struct before before;
	struct randvol v;
	struct noted noted;
	struct plan p;

	randvol_make(&v, &shape);
	note_before(&v, &before);
	random_goal(&v, goal, &inos, &g);
	noted.in_range = calloc(v.geom.inodes + 1, 1);
	assert_non_null(noted.in_range);
	if (g.range.len)
		model_walk(v.model, g.range.start, g.range.len, note, &noted);
	if (g.swap)
		model_walk(v.model, g.dest, g.range.len, note, &noted);
	was = room_of(&v, g.range);
	plan_init(&p);
	t->plans++;
	if (!strategy_plan(v.model, &g, &opt, &p, &err)) {
		if (err.class != ERR_REFUSED)
			fail_msg("seed %u: %s", seed, err.msg);
		assert_true(goal != GOAL_ARRANGE && goal != GOAL_EVACUATE);
		t->refused++;
		goto out;
	}
	predicted = p.after;
	if (!plan_check(&p, v.model, &err))
		fail_msg("seed %u, %s: %s", seed, goal_name(goal), err.msg);
	assert_memory_equal(&predicted, &p.after, sizeof(predicted));
	run_plan(&v, &p);
	metrics_compute(v.model, &after);
	assert_memory_equal(&predicted, &after, sizeof(after));
	check_files(&v, &before, &g, noted.in_range);
	t->moved += p.moves.n > 0;
	t->fragments += after.fragments;
	t->ideal += after.ideal;
	t->blocks += p.data_blocks;
	t->data += after.worst;
	t->batches += p.price.batches;
	if (goal == GOAL_GAP)
		check_rooms(&v, &g, &p, &t->roomy);
	is = room_of(&v, g.range);
	if (goal == GOAL_COMPACT || goal == GOAL_EVACUATE) {
		assert_true(is.longest >= was.longest);
		assert_true(is.blocks >= was.blocks || goal == GOAL_COMPACT);
		t->holes_before += was.holes;
		t->holes_after += is.holes;
		t->cleared += is.blocks - was.blocks;
		t->stays += g.range.len - is.blocks;
	}
	if (goal == GOAL_COMPACT)
		assert_true(p.after.free_runs <= p.before.free_runs);
	if (goal == GOAL_HOLE) {
		t->hole_asked++;
		t->hole_got +=
			room_of(&v, (struct range){v.geom.first_block,
						   v.geom.blocks - v.geom.first_block})
				.longest >= g.blocks;
	}
out:
	plan_release(&p);
	free(noted.in_range);
	vec_release(&inos);
	release_before(&before);
	randvol_release(&v);
}

static void all_goals(enum goal goal, uint32_t n, struct tally *t)
{
	memset(t, 0, sizeof(*t));
	for (uint32_t seed = 1; seed <= n; seed++)
		one_goal(seed * 7 + (uint32_t)goal, goal,
			 (const uint32_t[]){2, 6, 15, 45}[seed % 4], t);
	print_message("%-8s %d plans, %d refused, %d with moves: %.2f of the data moved, "
		      "fragments %.3f of the ideal, %.1f batches\n",
		      goal_name(goal), t->plans, t->refused, t->moved,
		      (double)t->blocks / (double)(t->data ? t->data : 1),
		      (double)t->fragments / (double)(t->ideal ? t->ideal : 1),
		      (double)t->batches / t->plans);
}

static void test_arrange(void **state)
{
	struct tally t;

	(void)state;
	all_goals(GOAL_ARRANGE, 24, &t);
	assert_int_equal(t.refused, 0);
	/* A twelfth of the files is pinned, in pieces: they leave few long stretches. */
	assert_true((double)t.fragments < 1.6 * (double)t.ideal);
}

static void test_pack(void **state)
{
	struct tally t;

	(void)state;
	all_goals(GOAL_PACK, 24, &t);
	assert_true(t.moved > 8);
}

static void test_gap(void **state)
{
	struct tally t;

	(void)state;
	all_goals(GOAL_GAP, 24, &t);
	print_message("         files with room to grow: %llu\n",
		      (unsigned long long)t.roomy);
	assert_true(t.moved > 8 && t.roomy > 200);
}

static void test_compact(void **state)
{
	struct tally t;

	(void)state;
	all_goals(GOAL_COMPACT, 24, &t);
	print_message("         holes in the range: %llu before, %llu after\n",
		      (unsigned long long)t.holes_before,
		      (unsigned long long)t.holes_after);
	assert_true(t.holes_after * 3 < t.holes_before);
}

static void test_hole(void **state)
{
	struct tally t;

	(void)state;
	all_goals(GOAL_HOLE, 24, &t);
	print_message("         holes asked for: %llu, made: %llu\n",
		      (unsigned long long)t.hole_asked, (unsigned long long)t.hole_got);
	assert_true(t.hole_got * 10 >= t.hole_asked * 9);
}

static void test_evacuate(void **state)
{
	struct tally t;

	(void)state;
	all_goals(GOAL_EVACUATE, 24, &t);
	print_message("         blocks cleared: %llu, stay: %llu\n",
		      (unsigned long long)t.cleared, (unsigned long long)t.stays);
	assert_true(t.cleared > 0);
}

static void test_move(void **state)
{
	struct tally t;

	(void)state;
	all_goals(GOAL_MOVE, 60, &t);
	assert_true(t.moved > 15);
}

/* --- policies --- */

struct outcome {
	uint64_t written, moved_files, skipped[SKIP_COUNT], fragments;
	double ms, most_skipped;
};

static struct outcome with_policy(struct goal_request g)
{
	struct randvol_shape shape = {77, 6, 1500, 30, 120, 6};
	struct strategy_options opt = {0};
	struct inum_list inos = {0};
	struct err err = ERR_INIT;
	struct outcome out = {0};
	struct randvol v;
	struct plan p;

	randvol_make(&v, &shape);
	ask(&v, 1, &inos);
	g.inos = inos.v;
	g.ino_count = inos.n;
	plan_init(&p);
	if (!strategy_plan(v.model, &g, &opt, &p, &err))
		fail_msg("%s", err.msg);
	assert_true(plan_check(&p, v.model, &err));
	out.written = p.price.bytes_written;
	out.ms = p.price.run_ms;
	out.moved_files = p.files;
	out.fragments = p.after.fragments;
	for (size_t i = 0; i < p.skips.n; i++) {
		const struct skip *s = &p.skips.v[i];

		out.skipped[s->reason]++;
		if (s->reason == SKIP_GAIN && (double)s->figure / 1000 > out.most_skipped)
			out.most_skipped = (double)s->figure / 1000;
	}
	plan_release(&p);
	vec_release(&inos);
	randvol_release(&v);
	return out;
}

static void test_budget(void **state)
{
	struct outcome all = with_policy((struct goal_request){.goal = GOAL_DEFRAG}),
		       some;

	(void)state;
	for (int i = 2; i <= 8; i *= 2) {
		some = with_policy((struct goal_request){
			.goal = GOAL_DEFRAG, .budget_bytes = all.written / (uint64_t)i});
		assert_in_range(some.written, all.written / (uint64_t)i / 2,
				all.written / (uint64_t)i);
		assert_true(some.skipped[SKIP_BUDGET] > 0);
		assert_true(some.fragments > all.fragments);
		some = with_policy((struct goal_request){.goal = GOAL_DEFRAG,
							 .budget_ms = all.ms / i});
		assert_true(some.ms > 0 && some.ms <= all.ms / i);
	}
	some = with_policy((struct goal_request){.goal = GOAL_ARRANGE,
						 .budget_bytes = all.written / 2});
	assert_true(some.written <= all.written / 2);
}

static void test_gain_floor(void **state)
{
	struct outcome all = with_policy((struct goal_request){.goal = GOAL_DEFRAG}),
		       some;

	(void)state;
	some = with_policy((struct goal_request){.goal = GOAL_DEFRAG, .min_gain = 1500});
	assert_true(some.skipped[SKIP_GAIN] > 0);
	assert_true(some.most_skipped < 1500);
	assert_true(some.fragments > all.fragments);
	some = with_policy((struct goal_request){.goal = GOAL_DEFRAG, .limit = 20});
	assert_true(some.skipped[SKIP_BUDGET] > 0);
	assert_true(some.moved_files < all.moved_files / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arrange),	   cmocka_unit_test(test_pack),
		cmocka_unit_test(test_gap),	   cmocka_unit_test(test_compact),
		cmocka_unit_test(test_hole),	   cmocka_unit_test(test_evacuate),
		cmocka_unit_test(test_move),	   cmocka_unit_test(test_budget),
		cmocka_unit_test(test_gain_floor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
