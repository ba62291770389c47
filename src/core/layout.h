/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout.h - where everything will lie: a model with some inodes' runs replaced.
 *
 * The model itself stays as it is. An inode that was given new runs is `touched`: what
 * the model says of it no longer counts, all its runs are here, by inode and by place.
 */
#ifndef CORE_LAYOUT_H
#define CORE_LAYOUT_H

#include "core/plan.h"

struct layout;

struct layout *layout_new(const struct model *m); /* NULL: out of memory */
void layout_free(struct layout *l);

/* Appends the runs of an inode, in the order of model_runs. False: out of memory. */
bool layout_runs(const struct layout *l, inum_t ino, struct run_list *out);
/* Replaces all of them. False: out of memory; the layout is then useless. */
bool layout_set(struct layout *l, inum_t ino, const struct run_list *runs);

/* As model_walk; pieces of touched inodes come without lblk and unwritten, cut at group
 * boundaries. */
void layout_walk(const struct layout *l, blkno_t start, blkno_t len,
		 bool (*fn)(void *arg, const struct run *r), void *arg);

/* A number for the planner's own use, 0 until set; only touched inodes have one. */
uint32_t layout_mark(const struct layout *l, inum_t ino);
void layout_set_mark(struct layout *l, inum_t ino, uint32_t mark);

/* Fragments that the inode had in the model, UINT32_MAX until it is touched. */
uint32_t layout_origin(const struct layout *l, inum_t ino);

/* The touched inodes, in the order they were touched first; 0 behind the last. */
inum_t layout_touched(const struct layout *l, size_t i);

/* The layout and the holes behind the plan, replayed by the rules (plan_check.c);
 * ERR_REFUSED names the first move that breaks one. Freed by the caller, NULL on failure. */
bool plan_replay(struct plan *p, const struct model *m, struct layout **now,
		 struct freemap **holes, struct err *err);

/* t holds the figures of the model: changes them into those of the layout with these
 * holes (plan_check.c). False: out of memory. */
bool plan_predict(const struct model *m, const struct layout *now,
		  const struct freemap *holes, struct metrics *t);

#endif
