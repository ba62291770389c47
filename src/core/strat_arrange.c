/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * strat_arrange.c - the whole volume in the order given, from its first block on; free
 * space behind.
 *
 * What is in the way goes behind the window, to where the sweep has not been yet, so that
 * few blocks are moved out twice.
 */
#include "src/core/strat.h"
#include "src/core/sweep.h"

bool strat_arrange_plan(struct planner *p, const struct goal_request *g,
			const struct strategy_options *opt)
{
	struct range all = {p->g->first_block, p->g->blocks - p->g->first_block};
	struct sweep s;
	blkno_t behind;
	bool ok;

	sweep_init(&s, p, opt);
	s.whole = true;
	s.out_ahead = true;
	ok = sweep_lay(&s, g->inos, g->ino_count, all, &behind) && sweep_run(&s) &&
	     sweep_finish(&s);
	sweep_release(&s);
	return ok;
}
