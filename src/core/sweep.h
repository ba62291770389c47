/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep.h - a list of places, and what belongs there: make it so.
 *
 * Every goal that says *where* (pack, arrange, compact, move) and those that say where
 * nothing shall be (hole, evacuate) come down to this: targets, sorted by place. The sweep
 * goes through them in windows of a share of the free space: a window is claimed, what
 * does not belong there moves out, and in the next batch what does moves in, while the
 * window behind is being emptied. Windows decide the number of batches, not files.
 *
 *	sweep.c		windows: what is in turn, what is done, what cannot be had
 *	sweep_move.c	one inode in or out
 *	sweep_lay.c	files one behind the other -> targets
 *	sweep_piece.c	a range -> what lies there
 *	sweep_end.c	what is left over when the windows are through
 *
 * Files that have targets may lie in pieces on the way (they end as their targets say);
 * all others move out of the way whole, fragment by fragment, or the window is given up.
 */
#ifndef CORE_SWEEP_H
#define CORE_SWEEP_H

#include "src/core/planner.h"

struct target {
	blkno_t to;
	uint64_t first; /* of the file's mapped blocks */
	inum_t ino;	/* 0: is to be empty */
	uint32_t n;
	bool tree;    /* for the mapping tree, up to n blocks */
	bool done;    /* or given up */
	bool blocked; /* given up */
};

/* An inode that has targets. */
struct mover {
	inum_t ino;
	uint32_t left;	   /* data targets that are not done */
	struct range tree; /* where its tree ends up; len 0: anywhere */
	bool tree_claimed; /* a claim of its own */
	bool lost; /* a target was given up: what is left of it stays where it is */
};

/* Targets [from, to) of the list, the place of which is claimed as one. */
struct window {
	struct range at;
	size_t from, to;
	uint32_t ready; /* empty from this batch on, if `empty` */
	uint32_t idle;	/* batches without a step */
	bool empty;
};

/* A tree that is to come back. */
struct home {
	inum_t ino;
	struct range at;
};

struct sweep {
	struct planner *p;
	const struct strategy_options *opt;
	enum move_reason reason;    /* of what moves in */
	VEC(struct target) targets; /* by place */
	VEC(struct mover) movers;   /* by inode */
	struct window fill, clear;  /* to == from: none */
	size_t next;		    /* first target that is in no window yet */
	VEC(struct home) homes;
	VEC(struct range)
	kept;	    /* empty targets that have been emptied: claimed to the end */
	bool whole; /* list files that stay in more pieces than their ideal */
	/* Others may leave in pieces too, to be joined again by sweep_finish(). If that does
	 * not work out the plan ends before it. */
	bool split;
	bool out_ahead; /* what moves out of the way goes far behind the window if it can */

	/* Scratch. */
	VEC(size_t) order;
	struct inum_list here;
	uint64_t done; /* targets, for the progress */
};

void sweep_init(struct sweep *s, struct planner *p, const struct strategy_options *opt);
void sweep_release(struct sweep *s);
/* Targets may be added in any order; zero lengths are ignored. */
bool sweep_add(struct sweep *s, struct target t);
/* Carries them out as far as it can be done. */
bool sweep_run(struct sweep *s);

/* A tree that lies outside of all targets comes back to where it is now, when the file's
 * data is done. To be called before sweep_run(). */
bool sweep_keep_tree(struct sweep *s, inum_t ino, struct range at);
/* Once more for the places that were to be empty and are not; they are still claimed. */
bool sweep_again(struct sweep *s);
/* The rest, after sweep_run(): files that are in more pieces than before are joined, the
 * plan is cut where that did not help, and movers that are not where their targets say are
 * listed in out->skips. */
bool sweep_finish(struct sweep *s);

/* Sorts s->order, indices of targets: by inode, its data in order, its tree last. */
void sweep_sort_order(struct sweep *s);

/* --- sweep_piece.c --- */

/* A stretch of one file, or of what cannot move. */
struct piece {
	blkno_t phys;
	uint64_t first; /* of the file's mapped blocks */
	inum_t ino;
	uint32_t n;
	bool tree, wall;
};
struct piece_list {
	struct piece *v;
	size_t n, cap;
};
/* What lies in a range, by place. whole: what reaches over an end of it is a wall. */
bool sweep_pieces(struct planner *p, struct range in, bool whole, struct piece_list *out);

/* --- sweep_move.c --- */

struct mover *sweep_mover(const struct sweep *s, inum_t ino);
/* Index of the first target that ends behind b. */
size_t sweep_target_after(const struct sweep *s, blkno_t b);

/* Does a block of its own file that belongs elsewhere lie on the target? */
bool sweep_own_stray(struct sweep *s, const struct target *t);

enum swept {
	SWEPT_FAILED = 0, /* p->err */
	SWEPT_DONE,
	SWEPT_NONE,  /* nothing to do */
	SWEPT_LATER, /* not in this batch */
	SWEPT_NEVER, /* fixed, or there is no hole for it */
};
/* Moves what `ino` has in the window, and does not belong there, out of it. */
enum swept sweep_out(struct sweep *s, inum_t ino, const struct window *w);
/* Moves blocks of `ino` into its targets order[from, to), all of the window. */
enum swept sweep_in(struct sweep *s, size_t from, size_t to);
/* A last step for a tree that had to wait. */
enum swept sweep_tree(struct sweep *s, struct mover *m);

/* --- sweep_lay.c --- */

/* Lays the files one behind the other, trees in front of their data, into a range, around
 * what cannot move. A file that does not fit before an obstacle lets later ones go first.
 * *behind: the block behind the last. A file for which there is no place in one piece gets
 * as few as there are. What cannot move is listed in out->skips. */
bool sweep_lay(struct sweep *s, const inum_t *inos, size_t n, struct range into,
	       blkno_t *behind);

/* Must this run stay where it is, whatever is planned? */
bool sweep_is_wall(const struct planner *p, const struct run *r);

#endif
