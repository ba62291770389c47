/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * strategy.h - planners: a goal, a model, out comes a plan.
 *
 * A goal is one strat_*.c and one row of the table in strategy.c. It sees nothing but the
 * model, writes nothing, and fills a plan that has been checked against the rules of a
 * batch as it was made.
 *
 * What every plan keeps to: no file that was not asked about ends in more fragments than
 * it has; with any goal but GOAL_MOVE none at all does. Files that stand in the way of
 * others move whole, fragment by fragment, into holes. Files that were asked about may lie
 * in more pieces between two batches, never after the last.
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

enum goal {
	GOAL_DEFRAG = 0, /* each of inos in one run, or in the fewest that can be had */
	GOAL_PACK, /* inos one behind the other, from `dest` on or where it is cheapest */
	GOAL_ARRANGE, /* the whole volume in the order of inos, free space behind */
	GOAL_COMPACT, /* range: used blocks slid together, in their order */
	GOAL_HOLE, /* `blocks` free blocks in one run, inside range if it is not empty */
	GOAL_EVACUATE, /* range: empty of all that can move */
	GOAL_MOVE,     /* range, or inos if it is empty, to `dest`, exactly there */
	GOAL_GAP,      /* as GOAL_DEFRAG, with `percent` of each file free behind it */
	GOAL_COUNT,
};
const char *goal_name(enum goal goal); /* its command: "defrag" */

/* In which order files are laid; the caller of the planner sorts. */
enum goal_order {
	GOAL_ORDER_GIVEN = 0,
	GOAL_ORDER_READDIR, /* as a walk through the tree meets them */
	GOAL_ORDER_NAME,
	GOAL_ORDER_INODE,
	GOAL_ORDER_SIZE,
	GOAL_ORDER_MTIME,
	GOAL_ORDER_ATIME,
	GOAL_ORDER_COUNT,
};

/* Where GOAL_MOVE and GOAL_PACK go. */
enum goal_place {
	PLACE_BEST = 0, /* pack: where least is in the way */
	PLACE_BLOCK,	/* dest, exactly; what is fixed there refuses it */
	PLACE_FROM,	/* dest, or as soon behind it as fixed blocks allow */
	PLACE_END,	/* the end of the volume */
};

struct goal_request {
	enum goal goal;
	const inum_t *inos; /* in the order wished for; borrowed */
	size_t ino_count;
	struct range range;
	enum goal_place place;
	blkno_t dest;
	uint64_t blocks;
	uint32_t percent; /* gap: of the file's blocks, at least one block */
	bool swap;	  /* move: what is at dest goes to where the range was */
	enum goal_order order;

	/* Policies; 0 = none. Gain: modelled milliseconds saved for a MiB of the file. */
	double min_gain;
	uint64_t budget_bytes; /* written at most */
	double budget_ms;      /* as the price models them */
	uint32_t limit;	       /* files, the best gain first */
};

/* Makes a plan for the goal. out must be initialised, its title is kept; it is filled,
 * priced, has before/after and lists what stays in out->skips. On failure it is as it
 * was. ERR_STOPPED, ERR_NOMEM; ERR_REFUSED: the goal cannot be had, the text says which
 * block stands in the way. */
bool strategy_plan(const struct model *m, const struct goal_request *g,
		   const struct strategy_options *opt, struct plan *out, struct err *err);

/* GOAL_DEFRAG of these inodes: files already ideal are not touched; inodes that own no
 * blocks or do not exist are passed over. Largest gain a block first where room is plenty,
 * largest file first where it is scarce. */
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
