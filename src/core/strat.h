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

/* Joins what is in more pieces than in the model, until it is no worse. */
bool strat_repair(struct planner *p, const struct strategy_options *opt);

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
