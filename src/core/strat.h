/* SPDX-License-Identifier: GPL-3.0-or-later */
/* strat.h - the goals, as strategy.c calls them: they fill p->out through the planner.
 * False: p->err says why. */
#ifndef CORE_STRAT_H
#define CORE_STRAT_H

#include "src/core/planner.h"

typedef bool (*strat_fn)(struct planner *p, const struct goal_request *g,
			 const struct strategy_options *opt);

bool strat_defrag_plan(struct planner *p, const struct goal_request *g,
		       const struct strategy_options *opt);

/* The same with another end than planner_settle(), which it must call. */
bool strat_defrag_until(struct planner *p, const struct goal_request *g,
			const struct strategy_options *opt,
			bool (*settle)(struct planner *p, void *arg), void *arg);

bool strat_gap_plan(struct planner *p, const struct goal_request *g,
		    const struct strategy_options *opt);

/* Joins what is in more pieces than in the model, until it is no worse. */
bool strat_repair(struct planner *p, const struct strategy_options *opt);

/* The files of the goal that its policies leave, in their order: gain at or above the
 * floor, the best `limit` of them; for GOAL_ARRANGE all but those that lie in regions where
 * nothing is to be gained. The others are marked in p->stay, and listed if there was
 * something to gain. */
bool policy_select(struct planner *p, const struct goal_request *g,
		   struct inum_list *kept);

bool strat_arrange_plan(struct planner *p, const struct goal_request *g,
			const struct strategy_options *opt);
bool strat_pack_plan(struct planner *p, const struct goal_request *g,
		     const struct strategy_options *opt);
bool strat_compact_plan(struct planner *p, const struct goal_request *g,
			const struct strategy_options *opt);
bool strat_hole_plan(struct planner *p, const struct goal_request *g,
		     const struct strategy_options *opt);
bool strat_evacuate_plan(struct planner *p, const struct goal_request *g,
			 const struct strategy_options *opt);
bool strat_move_plan(struct planner *p, const struct goal_request *g,
		     const struct strategy_options *opt);

#endif
