/* SPDX-License-Identifier: GPL-3.0-or-later */
/* strat_pack.c - files one behind the other, in their order, where it costs least to clear
 * a place for them, or where they were wished. */
#include "src/core/strat.h"
#include "src/core/sweep.h"
#include "src/core/window_find.h"

/* Blocks of all that can move, with their trees; marks them in `own`. */
static bool measure(struct planner *p, const struct goal_request *g, uint8_t *own,
		    uint64_t *blocks)
{
	*blocks = 0;
	for (size_t i = 0; i < g->ino_count; i++) {
		inum_t ino = g->inos[i];

		if (!planner_begin(p, ino))
			return false;
		if (ino > p->g->inodes || !p->old.n || sweep_is_wall(p, &p->old.v[0]))
			continue;
		own[ino / 8] |= (uint8_t)(1u << ino % 8);
		*blocks += extent_blocks(p->old.v, p->old.n) + planner_tree_joined(p);
	}
	return true;
}

static bool choose(struct planner *p, const struct goal_request *g, const uint8_t *own,
		   uint64_t blocks, struct range *out)
{
	struct range all = {p->g->first_block, p->g->blocks - p->g->first_block};
	struct found_window w;

	if (g->place == PLACE_FROM || g->place == PLACE_BLOCK) {
		*out = (struct range){g->dest, p->g->blocks - g->dest};
		return true;
	}
	if (!window_find(p, blocks, all, own, &w))
		return false;
	*out = w.at;
	if (w.cost != UINT64_MAX)
		return true;
	/* More than lies between two obstacles: around them, from where the kernel would begin
	 * with the first file, or from the start if there is too little behind. */
	out->start = geom_data_goal(p->g, g->inos[0], false);
	if (p->g->blocks - out->start < blocks + blocks / 8)
		out->start = p->g->first_block;
	out->len = p->g->blocks - out->start;
	return true;
}

bool strat_pack_plan(struct planner *p, const struct goal_request *g,
		     const struct strategy_options *opt)
{
	uint8_t *own = calloc(1, p->g->inodes / 8 + 1);
	struct range into = {0, 0};
	uint64_t blocks = 0;
	struct sweep s;
	blkno_t behind;
	bool ok;

	sweep_init(&s, p, opt);
	s.whole = true;
	ok = (own || err_nomem(p->err)) && measure(p, g, own, &blocks);
	if (ok && blocks)
		ok = choose(p, g, own, blocks, &into) &&
		     sweep_lay(&s, g->inos, g->ino_count, into, &behind) &&
		     sweep_run(&s) && sweep_finish(&s);
	free(own);
	sweep_release(&s);
	return ok;
}
