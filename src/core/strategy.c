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
	[GOAL_GAP] = {"gap", strat_gap_plan},
};

const char *goal_name(enum goal goal)
{
	return goal < GOAL_COUNT ? strategies[goal].name : "plan";
}

/* Batches that are small against the budget: it is kept to the batch. */
static void set_budget(struct planner *p, const struct goal_request *g)
{
	uint64_t blocks = g->budget_bytes / p->g->block_size;

	p->max_ms = g->budget_ms;
	if (g->budget_ms > 0 && g->budget_ms / 1000 < p->max_inodes)
		p->max_inodes = (uint32_t)(g->budget_ms / 1000) + 1;
	if (!g->budget_bytes)
		return;
	p->max_written = blocks ? blocks : 1;
	if (blocks / 8 < p->max_blocks)
		p->max_blocks = blocks / 8 ? blocks / 8 : 1;
}

static bool plan_selected(struct planner *p, const struct goal_request *g,
			  const struct strategy_options *opt)
{
	struct goal_request selected = *g;
	struct inum_list kept = {0};
	bool ok = true;

	set_budget(p, g);
	if (g->min_gain > 0 || g->limit) {
		ok = policy_select(p, g, &kept);
		selected.inos = kept.v;
		selected.ino_count = kept.n;
	}
	/* Only what arranges the whole volume has to go around those that stay. */
	if (g->goal != GOAL_ARRANGE) {
		free(p->stay);
		p->stay = NULL;
	}
	ok = ok && strategies[g->goal].plan(p, &selected, opt);
	vec_release(&kept);
	return ok;
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
	ok = planner_init(&p, m, opt, &plan, err) && plan_selected(&p, g, opt) &&
	     planner_finish(&p);
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
