/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * strategy.h - planners: a goal, a model, out comes a plan. One strat_*.c a goal.
 */
#ifndef CORE_STRATEGY_H
#define CORE_STRATEGY_H

#include "core/plan.h"

/* A batch closes at whichever comes first. */
#define BATCH_MAX_BYTES	 (128u << 20)
#define BATCH_MAX_INODES 4096u

struct strategy_options {
	uint64_t batch_bytes;  /* 0 = BATCH_MAX_BYTES */
	uint32_t batch_inodes; /* 0 = BATCH_MAX_INODES */
	/* Called now and then; returns true to stop (ERR_STOPPED). May be NULL. */
	bool (*stop)(void *arg, uint64_t done, uint64_t total);
	void *stop_arg;
};

/* Each inode of `inos` in one run, or in the fewest that fixed metadata and the free map
 * allow; files already ideal are not touched. What stays is listed in out->skips. Inodes
 * that own no blocks or do not exist are passed over. Largest gain a block first where
 * room is plenty, largest file first where it is scarce. Files in the way move too, none
 * of them into more pieces. out must be initialised; it is filled, priced and has
 * before/after. */
bool strat_defrag(const struct model *m, const inum_t *inos, size_t n,
		  const struct strategy_options *opt, struct plan *out, struct err *err);

/* All used inodes below directory `dir` and dir itself, by the parents that the model
 * knows, in inode order. dir = 2: all but system inodes. False: out of memory. */
struct inum_list {
	inum_t *v;
	size_t n, cap;
};
bool model_tree(const struct model *m, inum_t dir, struct inum_list *out);

#endif
