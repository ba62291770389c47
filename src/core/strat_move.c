/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * strat_move.c - this, exactly there: a range of blocks with what lies in it, or files in
 * one piece from a block on. The one goal that may leave what it was asked about in more
 * pieces than before.
 */
#include "src/core/strat.h"
#include "src/core/sweep.h"

struct mv {
	struct sweep s;
	struct piece_list pieces;
	uint8_t *asked;
};

/* The first thing that cannot move in a range: refuses, and names it. */
static bool refuse_wall(struct planner *p, const struct piece *w)
{
	struct run r;

	model_at(p->m, w->phys, &r);
	err_set(p->err, ERR_REFUSED,
		"block %llu (%s%s) cannot move and stands in the way; name a place "
		"without it",
		(unsigned long long)w->phys, owner_name(r.kind),
		r.ino ? " of a file" : "");
	return false;
}

static bool find_wall(struct mv *m, struct range in, const struct piece **wall)
{
	*wall = NULL;
	m->pieces.n = 0;
	if (!sweep_pieces(m->s.p, in, false, &m->pieces))
		return false;
	for (size_t i = 0; i < m->pieces.n && !*wall; i++)
		if (m->pieces.v[i].wall)
			*wall = &m->pieces.v[i];
	return true;
}

static void ask(struct mv *m, inum_t ino)
{
	m->asked[ino / 8] |= (uint8_t)(1u << ino % 8);
}

/* Everything in `from` keeps its distance and goes to `to`. Fixed blocks stay, if nothing
 * else of the range is then in their way. */
static bool shift(struct mv *m, struct range from, blkno_t to)
{
	struct planner *p = m->s.p;
	const struct piece *wall;

	if (!find_wall(m, (struct range){to, from.len}, &wall))
		return false;
	if (wall)
		return refuse_wall(p, wall);
	if (!find_wall(m, from, &wall))
		return false;
	for (size_t i = 0; i < m->pieces.n; i++) {
		const struct piece *x = &m->pieces.v[i];
		struct target t = {x->phys - from.start + to,
				   x->first,
				   x->ino,
				   x->n,
				   x->tree,
				   false,
				   false};

		if (x->wall)
			continue;
		ask(m, x->ino);
		if (!sweep_add(&m->s, t))
			return false;
	}
	return true;
}

static bool move_range(struct mv *m, const struct goal_request *g)
{
	struct planner *p = m->s.p;
	blkno_t to = g->dest;

	if (g->place == PLACE_END)
		to = p->g->blocks - g->range.len;
	if (to < p->g->first_block || to + g->range.len > p->g->blocks) {
		err_set(p->err, ERR_REFUSED,
			"%llu blocks from block %llu on reach over the end of the volume",
			(unsigned long long)g->range.len, (unsigned long long)to);
		return false;
	}
	if (!shift(m, g->range, to))
		return false;
	if (!g->swap)
		return true;
	if (to < g->range.start + g->range.len && g->range.start < to + g->range.len) {
		err_set(p->err, ERR_REFUSED,
			"the two ranges overlap: they cannot be swapped");
		return false;
	}
	return shift(m, (struct range){to, g->range.len}, g->range.start);
}

/* --- files --- */

static bool measure(struct mv *m, const struct goal_request *g, uint64_t *blocks)
{
	struct planner *p = m->s.p;

	*blocks = 0;
	for (size_t i = 0; i < g->ino_count; i++) {
		if (g->inos[i] > p->g->inodes || !planner_begin(p, g->inos[i]))
			return false;
		if (!p->old.n || sweep_is_wall(p, &p->old.v[0]))
			continue;
		ask(m, g->inos[i]);
		*blocks += extent_blocks(p->old.v, p->old.n) + planner_tree_joined(p);
	}
	return true;
}

/* The last place from which on so many blocks lie before the end, fixed ones not
 * counted. */
static bool find_end(struct mv *m, uint64_t blocks, blkno_t *start)
{
	const struct geom *g = m->s.p->g;
	uint64_t fixed = 0, before;

	do {
		const struct piece *wall;

		if (blocks + fixed > g->blocks - g->first_block) {
			err_set(m->s.p->err, ERR_REFUSED, "there is no room for that");
			return false;
		}
		*start = g->blocks - blocks - fixed;
		before = fixed;
		fixed = 0;
		if (!find_wall(m, (struct range){*start, g->blocks - *start}, &wall))
			return false;
		for (size_t i = 0; i < m->pieces.n; i++)
			fixed += m->pieces.v[i].wall ? m->pieces.v[i].n : 0;
	} while (fixed != before);
	return true;
}

static bool move_files(struct mv *m, const struct goal_request *g)
{
	struct planner *p = m->s.p;
	const struct piece *wall;
	struct range into = {g->dest, 0};
	uint64_t blocks;
	blkno_t behind;

	if (!measure(m, g, &blocks) ||
	    (g->place == PLACE_END && !find_end(m, blocks, &into.start)))
		return false;
	into.len = p->g->blocks - into.start;
	if (g->place == PLACE_BLOCK) {
		if (blocks > into.len) {
			err_set(p->err, ERR_REFUSED,
				"%llu blocks from block %llu on reach over the end of "
				"the "
				"volume",
				(unsigned long long)blocks,
				(unsigned long long)into.start);
			return false;
		}
		into.len = blocks;
		if (!find_wall(m, into, &wall))
			return false;
		if (wall)
			return refuse_wall(p, wall);
	}
	return sweep_lay(&m->s, g->inos, g->ino_count, into, &behind);
}

bool strat_move_plan(struct planner *p, const struct goal_request *g,
		     const struct strategy_options *opt)
{
	struct mv m = {.asked = calloc(1, p->g->inodes / 8 + 1)};
	bool ok = m.asked || err_nomem(p->err);

	sweep_init(&m.s, p, opt);
	if (ok)
		ok = g->range.len ? move_range(&m, g) : move_files(&m, g);
	m.s.whole = !g->range.len;
	p->excused = m.asked;
	ok = ok && sweep_run(&m.s) && sweep_finish(&m.s);
	p->excused = NULL;
	vec_release(&m.pieces);
	free(m.asked);
	sweep_release(&m.s);
	return ok;
}
