/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_check.c - a plan is replayed, batch by batch, on a copy of the layout and of the
 * holes, by the rules alone: no planner's bookkeeping is believed.
 *
 * In a batch: all destinations are taken from the holes as they were when it started;
 * what its moves leave goes to `freed`, which becomes holes only when the batch is over.
 */
#include <string.h>
#include "core/plan.h"
#include "src/core/layout.h"

struct check {
	struct plan *plan;
	const struct model *m;
	const struct geom *g;
	struct layout *now;
	struct freemap *holes;
	VEC(struct range) freed;
	struct run_list old, fresh;
	struct err *err;
};

static bool refuse(struct check *c, size_t i, const char *why)
{
	const struct move *m = &c->plan->moves.v[i];

	err_set(c->err, ERR_REFUSED,
		"move %zu (batch %u, inode %u, block %u, %u blocks to %llu): %s", i + 1,
		m->batch, m->ino, m->lblk, m->len, (unsigned long long)m->to, why);
	return false;
}

static bool is_movable(enum owner_kind kind)
{
	return kind == OWNER_FILE || kind == OWNER_DIR || kind == OWNER_SYMLINK ||
	       kind == OWNER_EA_INODE;
}

/* Order inside the moves [i, end) of one inode, and what may never be touched. */
static bool check_form(struct check *c, size_t i, size_t end,
		       const struct inode_info *ino)
{
	for (size_t k = i; k < end; k++) {
		const struct move *m = &c->plan->moves.v[k];
		bool last = k + 1 == end;

		if (ino->flags & (INODE_PINNED | INODE_SYSTEM))
			return refuse(c, k, "the inode is pinned");
		if (m->kind == MOVE_DATA ? m->len == 0 : !last)
			return refuse(c, k, "the moves of the inode are out of order");
		if (k > i && m->kind == MOVE_DATA &&
		    m->lblk < (uint64_t)m[-1].lblk + m[-1].len)
			return refuse(c, k, "it overlaps the move before");
		if ((ino->flags & INODE_INDIRECT) && m->len &&
		    m->to + m->len > (1ull << 32))
			return refuse(c, k, "an indirect map cannot reach that far");
	}
	return true;
}

/* The moves end with exactly the tree that the new layout needs, or there is none before
 * and after. */
static bool check_tree(struct check *c, size_t last, const struct inode_info *ino)
{
	const struct move *m = &c->plan->moves.v[last];
	uint32_t need, had = 0;

	for (size_t i = 0; i < c->old.n; i++)
		had += c->old.v[i].kind == OWNER_TREE ? c->old.v[i].len : 0;
	need = extent_tree_planned(c->fresh.v, c->fresh.n, c->g->block_size,
				   ino->flags & INODE_INDIRECT, c->g->keep_trees, had);
	if (m->kind == MOVE_TREE && m->len != need)
		return refuse(c, last, "its mapping tree has another size");
	if (m->kind != MOVE_TREE && (need || had))
		return refuse(c, last, "its mapping tree must move along");
	return true;
}

static bool free_later(struct check *c, blkno_t start, blkno_t len)
{
	return vec_push(&c->freed, (struct range){start, len}) || err_nomem(c->err);
}

/* Notes what moves [i, end) leave: the sources, and the old tree if there is a new one.
 */
static bool note_freed(struct check *c, size_t i, size_t end)
{
	for (; i < end; i++) {
		const struct move *m = &c->plan->moves.v[i];

		if (m->kind == MOVE_DATA && !free_later(c, m->from, m->len))
			return false;
		for (size_t k = 0; m->kind == MOVE_TREE && k < c->old.n; k++)
			if (c->old.v[k].kind == OWNER_TREE &&
			    !free_later(c, c->old.v[k].phys, c->old.v[k].len))
				return false;
	}
	return true;
}

static bool check_destinations(struct check *c, size_t i, size_t end)
{
	for (; i < end; i++) {
		const struct move *m = &c->plan->moves.v[i];

		if (!m->len)
			continue;
		if (!freemap_is_free(c->holes, (struct range){m->to, m->len}))
			return refuse(
				c, i,
				"its destination is not free when the batch starts");
		if (!freemap_take(c->holes, (struct range){m->to, m->len}, c->err))
			return false;
	}
	return true;
}

/* Moves [i, end): all of one inode in one batch. */
static bool replay_inode(struct check *c, size_t i, size_t end)
{
	const struct move *m = &c->plan->moves.v[i];
	struct inode_info ino;
	struct err why = ERR_INIT;

	if (!model_inode(c->m, m->ino, &ino))
		return refuse(c, i, "there is no such inode");
	if (layout_mark(c->now, m->ino) == m->batch + 1)
		return refuse(c, i, "the inode has moved in this batch already");
	if (!check_form(c, i, end, &ino))
		return false;
	c->old.n = c->fresh.n = 0;
	if (!layout_runs(c->now, m->ino, &c->old))
		return err_nomem(c->err);
	if (!c->old.n || !is_movable(c->old.v[0].kind))
		return refuse(c, i, "its blocks cannot be moved");
	if (!extent_apply(&c->old, m, end - i, &c->fresh, &why))
		return why.class == ERR_NOMEM ? err_nomem(c->err) : refuse(c, i, why.msg);
	if (!check_tree(c, end - 1, &ino) || !check_destinations(c, i, end) ||
	    !note_freed(c, i, end))
		return false;
	if (!layout_set(c->now, m->ino, &c->fresh))
		return err_nomem(c->err);
	layout_set_mark(c->now, m->ino, m->batch + 1);
	return true;
}

static bool replay_batch(struct check *c, size_t i, size_t end)
{
	while (i < end) {
		size_t next = i + 1;

		while (next < end &&
		       c->plan->moves.v[next].ino == c->plan->moves.v[i].ino)
			next++;
		if (!replay_inode(c, i, next))
			return false;
		i = next;
	}
	for (size_t k = 0; k < c->freed.n; k++)
		if (!freemap_give(c->holes, c->freed.v[k], c->err))
			return false;
	vec_clear(&c->freed);
	return true;
}

static bool replay(struct check *c)
{
	size_t n = c->plan->moves.n;

	for (size_t i = 0; i < n;) {
		size_t end = plan_batch_end(c->plan, i);

		if (i && c->plan->moves.v[i].batch < c->plan->moves.v[i - 1].batch)
			return refuse(c, i, "batch numbers must not fall");
		if (!replay_batch(c, i, end))
			return false;
		i = end;
	}
	return true;
}

bool plan_predict(const struct model *m, const struct layout *now,
		  const struct freemap *holes, struct metrics *t)
{
	uint32_t bs = model_geom(m)->block_size;
	struct run_list runs = {0};
	bool ok = true;
	inum_t ino;

	for (size_t i = 0; ok && (ino = layout_touched(now, i)) != 0; i++) {
		uint32_t ideal;
		size_t old;

		runs.n = 0;
		ok = model_runs(m, ino, &runs);
		old = runs.n;
		ok = ok && layout_runs(now, ino, &runs);
		if (!ok)
			break;
		ideal = model_ideal(m, extent_blocks(runs.v, old));
		metrics_count_file(t, runs.v, old, ideal, bs, -1);
		metrics_count_file(t, runs.v + old, runs.n - old, ideal, bs, 1);
	}
	metrics_set_free(t, holes);
	vec_release(&runs);
	return ok;
}

bool plan_replay(struct plan *p, const struct model *m, struct layout **now,
		 struct freemap **holes, struct err *err)
{
	struct check c = {.plan = p, .m = m, .g = model_geom(m), .err = err};
	bool ok;

	c.now = layout_new(m);
	c.holes = freemap_new(m);
	ok = (c.now && c.holes) || err_nomem(err);
	ok = ok && replay(&c);
	if (!ok) {
		layout_free(c.now);
		freemap_free(c.holes);
		c.now = NULL;
		c.holes = NULL;
	}
	*now = c.now;
	*holes = c.holes;
	vec_release(&c.freed);
	vec_release(&c.old);
	vec_release(&c.fresh);
	return ok;
}

bool plan_check(struct plan *p, const struct model *m, struct err *err)
{
	struct metrics before, after;
	struct freemap *holes;
	struct layout *now;
	bool ok;

	if (!plan_replay(p, m, &now, &holes, err))
		return false;
	metrics_compute(m, &before);
	after = before;
	ok = plan_predict(m, now, holes, &after) || err_nomem(err);
	layout_free(now);
	freemap_free(holes);
	if (!ok)
		return false;
	p->before = before;
	p->after = after;
	return true;
}
