/* SPDX-License-Identifier: GPL-3.0-or-later */
/* strategy.c - see strategy.h: the table of goals, and what is the same for all. */
#include <string.h>
#include "src/core/strat.h"

static const struct {
	const char *name;
	strat_fn plan;
} strategies[GOAL_COUNT] = {
	[GOAL_DEFRAG] = {"defrag", strat_defrag_plan},
	[GOAL_PACK] = {"pack", strat_pack_plan},
	[GOAL_ARRANGE] = {"arrange", strat_arrange_plan},
	[GOAL_COMPACT] = {"compact", strat_compact_plan},
	[GOAL_HOLE] = {"hole", strat_hole_plan},
	[GOAL_EVACUATE] = {"evacuate", strat_evacuate_plan},
	[GOAL_MOVE] = {"move", strat_move_plan},
};

const char *goal_name(enum goal goal)
{
	return goal < GOAL_COUNT ? strategies[goal].name : "plan";
}

bool strategy_plan(const struct model *m, const struct goal_request *g,
		   const struct strategy_options *opt, struct plan *out, struct err *err)
{
	struct planner p;
	struct plan plan;
	bool ok;

	if (g->goal >= GOAL_COUNT || !strategies[g->goal].plan) {
		err_set(err, ERR_USAGE, "there is no such goal");
		return false;
	}
	plan_init(&plan);
	memcpy(plan.title, out->title, sizeof(plan.title));
	ok = planner_init(&p, m, opt, &plan, err) &&
	     strategies[g->goal].plan(&p, g, opt) && planner_finish(&p);
	planner_release(&p);
	if (!ok) {
		plan_release(&plan);
		return false;
	}
	plan_release(out);
	*out = plan;
	return true;
}

bool strat_defrag(const struct model *m, const inum_t *inos, size_t n,
		  const struct strategy_options *opt, struct plan *out, struct err *err)
{
	struct goal_request g = {.goal = GOAL_DEFRAG, .inos = inos, .ino_count = n};

	return strategy_plan(m, &g, opt, out, err);
}
