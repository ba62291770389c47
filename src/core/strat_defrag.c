/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * strat_defrag.c - every file asked for in one run, or in the fewest that can be had.
 *
 * Round by round, one batch each: jobs under way go on; then each waiting file gets a
 * hole that takes it whole, or a window is cleared for it. When that leads nowhere any
 * more, what is left is joined in part, which opens new holes, and so on until a round
 * changes nothing.
 *
 * Where room is plenty, the largest gain a block goes first. Where it is scarce, the
 * largest file does: while the others are still in small pieces their pieces fit
 * anywhere, and later a large window can no longer be cleared.
 */
#include <string.h>
#include "src/core/defrag.h"
#include "src/core/strat.h"

#define WINDOW_TRIES 8u
#define IDLE_BATCHES 3u
#define TICK_ITEMS   256u
/* So many files in a row without a place: the batch is closed, for what it frees. */
#define IN_VAIN_MAX 2048u

enum mode { MODE_ROOM = 0, MODE_PART, MODE_END };

/* --- the queue --- */

static bool add_skip(struct defrag *d, struct skip s)
{
	return vec_push(&d->p->out->skips, s) || err_nomem(d->p->err);
}

static bool add_item(struct defrag *d, inum_t ino)
{
	struct planner *p = d->p;
	struct item it = {.ino = ino};
	uint64_t blocks;

	if (!planner_begin(p, ino))
		return false;
	blocks = extent_blocks(p->old.v, p->old.n);
	if (!blocks)
		return true;
	it.blocks = (uint32_t)blocks;
	it.fragments = extent_fragments(p->old.v, p->old.n);
	it.ideal = model_ideal(p->m, blocks);
	if (it.fragments <= it.ideal) {
		p->out->ideal_already++;
		return true;
	}
	if (p->info.flags & (INODE_PINNED | INODE_SYSTEM))
		return add_skip(
			d, (struct skip){ino, SKIP_PINNED, 0, it.fragments, it.ideal});
	if (p->g->cluster_ratio > 1 || p->info.type == INODE_OTHER)
		return add_skip(d, (struct skip){ino, SKIP_UNSUPPORTED, 0, it.fragments,
						 it.ideal});
	return vec_push(&d->items, it) || err_nomem(p->err);
}

static int by_number(const void *a, const void *b)
{
	inum_t x = *(const inum_t *)a, y = *(const inum_t *)b;

	return x < y ? -1 : x > y;
}

/* Fragments saved a block, largest first; then by inode. */
static int by_gain(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	uint64_t gx = (uint64_t)(x->fragments - x->ideal) * y->blocks,
		 gy = (uint64_t)(y->fragments - y->ideal) * x->blocks;

	if (gx != gy)
		return gx > gy ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static int by_size(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->blocks != y->blocks)
		return x->blocks > y->blocks ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static void sort_items(struct defrag *d)
{
	struct range largest = {0, 0};
	uint64_t need = 0, biggest = 0;
	bool scarce;

	for (size_t i = 0; i < d->items.n; i++) {
		need += d->items.v[i].blocks;
		if (d->items.v[i].blocks > biggest)
			biggest = d->items.v[i].blocks;
	}
	freemap_largest(d->p->free, &largest);
	/* Under a budget the best gain comes first, whatever the room. */
	scarce = !(d->p->max_written || d->p->max_ms > 0) &&
		 (biggest > largest.len || need > freemap_blocks(d->p->free) / 2);
	if (d->items.n)
		qsort(d->items.v, d->items.n, sizeof(*d->items.v),
		      scarce ? by_size : by_gain);
}

static bool collect(struct defrag *d, const inum_t *inos, size_t n)
{
	inum_t *sorted = malloc((n + 1) * sizeof(*sorted));
	bool ok = sorted != NULL || err_nomem(d->p->err);

	if (ok && n) {
		memcpy(sorted, inos, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), by_number);
	}
	for (size_t i = 0; ok && i < n; i++)
		if (i == 0 || sorted[i] != sorted[i - 1])
			ok = add_item(d, sorted[i]);
	free(sorted);
	if (ok)
		sort_items(d);
	return ok;
}

/* --- a file into a hole --- */

/* Too much for one batch: the hole is kept, and filled batch by batch. */
static enum outcome start_filling(struct defrag *d, size_t item, struct range place,
				  uint32_t tree)
{
	struct job j = {.item = item, .window = place, .tree = tree};
	bool ok;

	j.n = j.cleared = place.len - tree;
	j.ready = d->p->batch;
	if (!planner_claim(d->p, place, &ok) || !job_secure(d, &j, &ok))
		return OUT_FAILED;
	if (!ok)
		return planner_unclaim(d->p, place) ? OUT_NONE : OUT_FAILED;
	return job_start(d, &j) ? OUT_MOVED : OUT_FAILED;
}

static enum outcome fill_hole(struct defrag *d, struct item *it, struct range place,
			      uint32_t tree)
{
	struct planner *p = d->p;
	struct range data = {place.start + tree, it->blocks}, front = {place.start, tree};
	enum commit state;
	bool used;

	if (!planner_take(p, place) || !planner_add(p, 0, it->blocks, data, REASON_JOIN))
		return OUT_FAILED;
	state = planner_commit(p, front, &used);
	if (state == COMMIT_FAILED)
		return OUT_FAILED;
	if (state != COMMIT_DONE)
		return planner_untake(p, place) ? OUT_NONE : OUT_FAILED;
	if (used) { /* from the front; what is left over goes back */
		uint32_t len = p->set.v[p->set.n - 1].len;

		front = (struct range){front.start + len, tree - len};
	}
	if (front.len && !planner_untake(p, front))
		return OUT_FAILED;
	return item_update(d, it) ? OUT_MOVED : OUT_FAILED;
}

static enum outcome take_hole(struct defrag *d, size_t item)
{
	struct planner *p = d->p;
	struct item *it = &d->items.v[item];
	struct range hole;
	uint64_t whole;
	uint32_t tree;

	if (!freemap_largest(p->free, &hole) || hole.len < it->blocks)
		return OUT_NONE;
	if (!planner_begin(p, it->ino))
		return OUT_FAILED;
	tree = planner_tree_joined(p);
	whole = (uint64_t)it->blocks + tree;
	if (!planner_hole(p, whole, &hole))
		return OUT_NONE;
	hole.len = whole;
	if (whole > p->max_blocks)
		return start_filling(d, item, hole, tree);
	if (whole > planner_batch_room(p))
		return OUT_FULL;
	return fill_hole(d, it, hole, tree);
}

/* --- rounds --- */

static bool stopped(struct defrag *d)
{
	const struct strategy_options *o = d->opt;

	if (!o || !o->stop || !o->stop(o->stop_arg, d->finished, d->items.n))
		return false;
	err_set(d->p->err, ERR_STOPPED, "planning was stopped");
	return true;
}

static enum outcome serve(struct defrag *d, size_t item, enum mode mode)
{
	struct item *it = &d->items.v[item];
	enum outcome out;

	if (it->state != ITEM_WAITING || !planner_may_move(d->p, it->ino))
		return OUT_NONE;
	out = take_hole(d, item);
	if (out == OUT_NONE && mode == MODE_ROOM && it->tries < WINDOW_TRIES)
		out = room_make(d, item);
	if (out == OUT_NONE && mode == MODE_PART)
		out = part_join(d, item);
	return out;
}

/* Serves the files from *cursor on until the batch is full or all had their turn. */
static bool fill_batch(struct defrag *d, size_t *cursor, enum mode mode)
{
	struct planner *p = d->p;
	uint32_t in_vain = 0;

	for (size_t k = 0; k < d->items.n; k++) {
		size_t i = *cursor;
		enum outcome out;

		if (p->batch_inodes >= p->max_inodes || !planner_batch_room(p) ||
		    (in_vain > IN_VAIN_MAX && p->batch_inodes))
			return true;
		if (k % TICK_ITEMS == 0 && stopped(d))
			return false;
		out = serve(d, i, mode);
		if (out == OUT_FAILED)
			return false;
		if (out == OUT_FULL)
			return true;
		in_vain = out == OUT_MOVED ? 0 : in_vain + 1;
		*cursor = i + 1 < d->items.n ? i + 1 : 0;
	}
	return true;
}

/* What comes after a round in which nothing moved. */
static enum mode next_mode(enum mode mode, bool part_moved)
{
	if (mode == MODE_PART)
		return part_moved ? MODE_ROOM : MODE_END;
	return mode + 1;
}

static bool run_rounds(struct defrag *d)
{
	struct planner *p = d->p;
	enum mode mode = MODE_ROOM;
	bool part_moved = false;
	uint32_t still = 0;
	size_t cursor = 0;

	while (mode != MODE_END && d->finished < d->items.n && planner_spent(p) < 1) {
		bool quiet;

		if (!job_step_all(d) || !fill_batch(d, &cursor, mode))
			return false;
		quiet = !p->batch_inodes;
		part_moved = part_moved || (mode == MODE_PART && !quiet);
		still = quiet ? still + 1 : 0;
		if (!job_drop_idle(d, quiet ? 0 : IDLE_BATCHES, still > IDLE_BATCHES))
			return false;
		if (quiet && !d->jobs.n && !freemap_blocks(p->later)) {
			mode = next_mode(mode, part_moved);
			part_moved = false;
			cursor = 0;
		}
		if (!planner_close(p))
			return false;
	}
	return job_drop_idle(d, 0, true);
}

static bool list_skipped(struct defrag *d)
{
	for (size_t i = 0; i < d->items.n; i++) {
		struct item *it = &d->items.v[i];
		enum skip_reason why;

		if (!item_update(d, it))
			return false;
		if (it->fragments <= it->ideal)
			continue;
		why = planner_spent(d->p) >= 1 ? SKIP_BUDGET : SKIP_NO_HOLE;
		if (!add_skip(d, (struct skip){it->ino, why,
					       it->blocks + planner_tree_joined(d->p),
					       it->fragments, it->ideal}))
			return false;
	}
	return true;
}

static bool start(struct defrag *d, struct planner *p, const struct strategy_options *opt)
{
	memset(d, 0, sizeof(*d));
	d->p = p;
	d->opt = opt;
	return true;
}

static void end(struct defrag *d)
{
	vec_release(&d->items);
	vec_release(&d->jobs);
	vec_release(&d->segs);
	vec_release(&d->keep);
}

/* Items for the files that are in more pieces than in the model. */
static bool collect_worse(struct defrag *d)
{
	struct planner *p = d->p;
	inum_t ino;

	for (size_t i = 0; (ino = layout_touched(p->now, i)) != 0; i++) {
		struct item it = {.ino = ino, .ideal = layout_origin(p->now, ino)};

		if (!planner_begin(p, ino))
			return false;
		it.blocks = (uint32_t)extent_blocks(p->old.v, p->old.n);
		it.fragments = extent_fragments(p->old.v, p->old.n);
		if (it.fragments > it.ideal && !vec_push(&d->items, it))
			return err_nomem(p->err);
	}
	sort_items(d);
	return true;
}

bool strat_repair(struct planner *p, const struct strategy_options *opt)
{
	struct defrag d;
	bool ok;

	if (!p->worse)
		return true;
	ok = start(&d, p, opt) && collect_worse(&d) && run_rounds(&d);
	end(&d);
	return ok;
}

bool strat_defrag_until(struct planner *p, const struct goal_request *g,
			const struct strategy_options *opt,
			bool (*settle)(struct planner *p, void *arg), void *arg)
{
	struct defrag d;
	bool ok;

	ok = start(&d, p, opt) && collect(&d, g->inos, g->ino_count) && run_rounds(&d) &&
	     settle(p, arg) && list_skipped(&d);
	end(&d);
	return ok;
}

static bool just_settle(struct planner *p, void *arg)
{
	(void)arg;
	return planner_settle(p);
}

bool strat_defrag_plan(struct planner *p, const struct goal_request *g,
		       const struct strategy_options *opt)
{
	return strat_defrag_until(p, g, opt, just_settle, NULL);
}
