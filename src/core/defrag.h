/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * defrag.h - what the parts of strat_defrag share.
 *
 *	strat_defrag.c	the queue of files, rounds, what is skipped
 *	defrag_job.c	a file on its way into a place of its own, over several batches
 *	defrag_room.c	windows: making such a place where there is none
 *	defrag_part.c	fewer fragments where one is out of reach
 */
#ifndef CORE_DEFRAG_H
#define CORE_DEFRAG_H

#include "src/core/planner.h"

enum item_state { ITEM_WAITING = 0, ITEM_MOVING, ITEM_DONE };

struct item {
	inum_t ino;
	uint32_t blocks;
	uint32_t fragments; /* now */
	uint32_t ideal;
	uint8_t state; /* enum item_state */
	uint8_t tries; /* windows that came to nothing */
};

/* The mapped blocks [first, first + n) of a file on their way into window, behind the
 * `tree` blocks kept for its mapping tree. Blocks [0, done) of the n are there; the
 * window is empty up to block `cleared` of the n, to be used from batch `ready` on. The
 * window is a claim of the planner. */
struct job {
	size_t item;
	struct range window;
	uint32_t tree;
	uint64_t first, n, done, cleared;
	uint32_t ready;
	uint32_t idle; /* batches without a step */

	/* Nothing can stop it: all is cleared, and there is room for the tree of each
	 * step (by turns, as a tree is never rebuilt in place). Only then may a step
	 * leave the file in more pieces for a while. */
	bool sure;
	uint8_t turn;
	struct range spare[2];
};

/* A stretch with one owner, as a window sees it. */
struct segment {
	blkno_t start;
	uint32_t len;
	inum_t ino; /* 0: free */
	uint32_t cost;
	bool wall; /* must stay where it is */
	bool keep; /* the file's own, in its final place */
};

struct defrag {
	struct planner *p;
	VEC(struct item) items;
	VEC(struct job) jobs;
	const struct strategy_options *opt;
	uint64_t finished; /* items done, for the progress */

	/* Scratch of defrag_room.c and defrag_part.c. */
	VEC(struct segment) segs;
	VEC(struct range) keep; /* blocks of the file that are in place already */
	uint64_t work;		/* segments looked at so far */
};

enum outcome {
	OUT_FAILED = 0, /* p.err is set */
	OUT_MOVED,
	OUT_NONE, /* nothing to be done for it now */
	OUT_FULL, /* it fits, but not into this batch any more */
};

/* A job over a window that is claimed already. */
bool job_start(struct defrag *d, const struct job *j);
/* Claims j->spare for the file in p.old; *ok: there is room, the job is sure. */
bool job_secure(struct defrag *d, struct job *j, bool *ok);
/* One step of every job, as far as the batch takes them. */
bool job_step_all(struct defrag *d);
/* Gives up jobs that have stood still for more than `idle` batches; the sure ones only
 * with `all`. */
bool job_drop_idle(struct defrag *d, uint32_t idle, bool all);

/* Takes up the item's predicted fragments; done when they are few enough. */
bool item_update(struct defrag *d, struct item *it);

enum outcome room_make(struct defrag *d, size_t item);
bool room_clear(struct defrag *d, struct job *j);
enum outcome part_join(struct defrag *d, size_t item);

#endif
