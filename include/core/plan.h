/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan.h - an ordered list of moves, priced and checked before anything is written.
 *
 * A plan is made on the model alone. Its moves come in batches; inside a batch the moves
 * of one inode stand together, and every destination is free when the batch *starts* (no
 * chains: what a batch frees may be used from the next one on). That is the rule that
 * makes a batch crash-safe.
 */
#ifndef CORE_PLAN_H
#define CORE_PLAN_H

#include "core/extent.h"
#include "core/metric.h"

enum move_reason {
	REASON_JOIN = 0, /* joins the fragments of its file */
	REASON_TREE,	 /* the mapping tree follows its data */
	REASON_PLACE,	 /* the operator asked for this place */
	REASON_SLIDE,	 /* closes a gap, keeping its order */
	REASON_ROOM,	 /* makes room for another file */
	REASON_STAGE,	 /* out of the way for now, moves again */
	REASON_UNDO,
	REASON_REDO,
	REASON_GROWTH, /* to where it has room to grow */
	REASON_COUNT,
};
const char *move_reason_text(enum move_reason reason);

/* A file that was asked for and is left as it is, wholly or in part. */
enum skip_reason {
	SKIP_PINNED = 0,  /* immutable, append-only, system */
	SKIP_NO_HOLE,	  /* figure: blocks of the hole it would need */
	SKIP_UNSUPPORTED, /* mapped in a way that cannot be moved; see text */
	SKIP_GAIN,	  /* figure: gain below the floor, thousandths of ms a MiB */
	SKIP_PLACE,	  /* figure: block of its place that could not be cleared */
	SKIP_GROWTH, /* figure: blocks of the hole it would need, its room included */
	SKIP_BUDGET, /* bytes, time or files are used up */
	SKIP_COUNT,
};
const char *skip_reason_text(enum skip_reason reason);
struct skip {
	inum_t ino;
	enum skip_reason reason;
	uint64_t figure;
	uint32_t fragments; /* that it keeps */
	uint32_t ideal;
};

/* Its figure in words ("needs 12 blocks", "12.3 ms a MiB"); empty if it has none. */
void skip_figure_text(const struct skip *s, char *buf, size_t size);

struct price {
	uint64_t bytes_read, bytes_written; /* data and map blocks */
	uint64_t batches, barriers;
	double run_ms; /* modelled: sequential copy at the model's rate, a seek a piece,
			  20 ms a barrier */
};

struct plan {
	char title[80]; /* "defrag /var/lib/db" */
	char note[200]; /* what else it means: "the volume could then be shrunk to ..." */
	VEC(struct move) moves;
	VEC(struct skip) skips;
	uint64_t files;		/* inodes that move */
	uint64_t data_blocks;	/* that move */
	uint64_t ideal_already; /* of those asked for */
	struct price price;
	struct metrics before, after;
};

void plan_init(struct plan *p);
void plan_release(struct plan *p);
/* Moves of the first batch at or after index i: [i, return value). */
size_t plan_batch_end(const struct plan *p, size_t i);
/* Computes price, files, data_blocks from the moves. */
void plan_price(struct plan *p, uint32_t block_size);
/* What the price takes for one move, and for a batch on top of its moves. */
double plan_move_ms(const struct move *m, uint32_t block_size);
double plan_batch_ms(void);
/* Replays the plan on copies of model and free map: every `from` as the model has it,
 * every destination free when its batch starts, nothing fixed or pinned touched, tree
 * sizes right. ERR_REFUSED names the first move that is not. Also recomputes p->before
 * and p->after. */
bool plan_check(struct plan *p, const struct model *m, struct err *err);
/* Drops all moves of one inode if no later move needs the room they free; ERR_REFUSED
 * otherwise. */
bool plan_drop_inode(struct plan *p, const struct model *m, inum_t ino, struct err *err);

/* The same for many (sorted): their moves are dropped, are all that is kept, or come first.
 * ERR_REFUSED, and the plan stays as it is, if its moves depend on each other so that this
 * cannot be. */
enum plan_edit { PLAN_DROP, PLAN_KEEP, PLAN_FIRST };
bool plan_edit(struct plan *p, const struct model *m, const inum_t *inos, size_t n,
	       enum plan_edit how, struct err *err);

#endif
