/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * freemap.h - the holes of a volume, to search and to plan with.
 *
 * A balanced tree by place that knows the longest hole below each node, and one by
 * (length, place): every search and change is O(log holes). Positions and lengths in
 * blocks. A planner works on its own freemap; nothing here touches the model.
 */
#ifndef CORE_FREEMAP_H
#define CORE_FREEMAP_H

#include "core/model.h"

struct freemap;

/* The holes of a sealed model. NULL: out of memory. */
struct freemap *freemap_new(const struct model *m);
struct freemap *freemap_new_empty(void);
struct freemap *freemap_copy(const struct freemap *f);
void freemap_free(struct freemap *f);

/* Takes [start, start+len) out; ERR_BUG if any of it is not free (nothing changes then).
 */
bool freemap_take(struct freemap *f, struct range r, struct err *err);
/* Gives it back, joining neighbours; ERR_BUG if any of it is free already. */
bool freemap_give(struct freemap *f, struct range r, struct err *err);

/* The first hole of at least len blocks whose usable part starts at or after `from`; out
 * is that part. */
bool freemap_first(const struct freemap *f, blkno_t from, blkno_t len, struct range *out);
/* The shortest hole of at least len blocks; among equals the one nearest to `goal`
 * of the few looked at. */
bool freemap_best(const struct freemap *f, blkno_t len, blkno_t goal, struct range *out);
/* The longest hole; false if there is none. */
bool freemap_largest(const struct freemap *f, struct range *out);
/* The next hole in order of falling length, after one that was handed out before (it need
 * not exist any more). False: there is none. */
bool freemap_shorter(const struct freemap *f, const struct range *than,
		     struct range *out);
/* The hole that holds b, or the next one after it. */
bool freemap_at_or_after(const struct freemap *f, blkno_t b, struct range *out);
bool freemap_is_free(const struct freemap *f, struct range r);

uint64_t freemap_blocks(const struct freemap *f);
uint64_t freemap_runs(const struct freemap *f);

#endif
