/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * planner.h - what all strategies build a plan with: the batch being filled, the holes it
 * may use, and the layout as it will be.
 *
 * A block is in exactly one of these states:
 *	used	some inode owns it in `now`
 *	free	a destination of this batch may be taken from it
 *	later	freed by a move of this batch: free from the next one on
 *	claimed	kept back for one file (a job's window); nobody else gets it
 * planner_close() turns `later` into `free`. Blocks freed inside a claim stay claimed.
 *
 * Functions that return false have met with an error (p->err is set) and the planning is
 * over; "it does not work" is a result of its own.
 */
#ifndef CORE_PLANNER_H
#define CORE_PLANNER_H

#include "core/strategy.h"
#include "src/core/layout.h"

struct planner {
	const struct model *m;
	const struct geom *g;
	struct layout *now;
	struct freemap *free, *later;
	VEC(struct range) claims; /* by place */
	struct plan *out;
	struct err *err;

	/* Inodes (not excused ones) that are in more fragments now than in the model, and
	 * the moves at the end of the last batch that left none: a plan may end there. */
	uint64_t worse;
	size_t good;
	const uint8_t *excused; /* one bit an inode, or NULL */
	uint8_t *stay;		/* one bit an inode: left where it is; NULL, or owned */
	/* The budget, 0 = none, and what is spent of it. */
	uint64_t max_written, written; /* blocks */
	double max_ms, spent_ms;

	uint32_t batch; /* number of the batch being filled, from 0 */
	uint64_t batch_blocks, max_blocks;
	uint32_t batch_inodes, max_inodes;

	/* The inode being worked on: planner_begin() to planner_commit(). */
	inum_t ino;
	struct inode_info info;
	struct run_list old, fresh;
	VEC(struct move) set;
	uint64_t set_blocks; /* of data, in the set */
	bool may_worsen;     /* a step of a way that ends better than it began */
};

bool planner_init(struct planner *p, const struct model *m,
		  const struct strategy_options *opt, struct plan *out, struct err *err);
void planner_release(struct planner *p);

/* --- one inode --- */

/* May this inode still move in this batch? */
bool planner_may_move(const struct planner *p, inum_t ino);
/* Loads p->info and p->old, empties the set. */
bool planner_begin(struct planner *p, inum_t ino);
/* Adds moves for the n mapped blocks from the first-th on (counted without holes) to
 * `to`; pieces that are there already are left out. */
bool planner_add(struct planner *p, uint64_t first, uint64_t n, struct range to,
		 enum move_reason reason);

enum commit {
	COMMIT_FAILED = 0, /* an error: p->err */
	COMMIT_DONE,
	COMMIT_NO_ROOM, /* for the mapping tree */
	COMMIT_WORSE,	/* more fragments than before, or a tree of another size where
			   that must not be; nothing was changed */
};
/* Puts the set into the plan. The destinations must be out of `free` already. tree: a
 * stretch kept for the mapping tree, whose front is used if it is long enough; else a
 * place is looked for, and the stretch stays the caller's (*tree_used says which). */
enum commit planner_commit(struct planner *p, struct range tree, bool *tree_used);
/* Tree blocks that p->old would need as one run per stretch of logical blocks. */
uint32_t planner_tree_joined(struct planner *p);
/* That it needs as it lies. */
uint32_t planner_tree_now(struct planner *p);
/* The most that it can need with one cut more than now. */
uint32_t planner_tree_most(const struct planner *p);

/* --- space --- */

/* A hole for len blocks that this inode may use: the tightest, unless one near its goal
 * wastes nothing more. */
bool planner_hole(const struct planner *p, blkno_t len, struct range *out);
bool planner_take(struct planner *p, struct range r);
/* Gives back what was taken and not used. */
bool planner_untake(struct planner *p, struct range r);
/* Blocks that a move of this batch leaves: claimed ones stay so, the others wait. */
bool planner_release_later(struct planner *p, struct range r);
/* Takes r out of free and later, if every block of it is in one of them or used; *ok. */
bool planner_claim(struct planner *p, struct range r, bool *ok);
/* Ends a claim: what nobody uses becomes free. */
bool planner_unclaim(struct planner *p, struct range r);
/* Is every block of r, which nobody uses, free or free later? */
bool planner_is_open(const struct planner *p, struct range r);

/* Ends the batch: `later` becomes free. */
bool planner_close(struct planner *p);
/* Blocks that the batch still takes, on top of the set. */
uint64_t planner_batch_room(const struct planner *p);

/* The share of the budget that is spent; 0 without one. Above 1 the plan is cut. */
double planner_spent(const struct planner *p);
/* Takes back all behind p->good; free space and layout are then those of the end of the
 * plan. Ends the batch; there must be no claims any more. */
bool planner_settle(struct planner *p);
/* Numbers the batches without gaps; price, before and after. */
bool planner_finish(struct planner *p);

#endif
