/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * strat_compact.c - used blocks of a range slid together, in their order.
 *
 * What cannot move parts the range into stretches; in each, what lies there moves to the
 * front, so that one hole is left behind it. What lay next to each other still does: no
 * file gets more fragments. A tree outside of the range comes back to its place.
 */
#include "src/core/strat.h"
#include "src/core/sweep.h"

/* Blocks that the tree of the file wants; its first place in the range takes them all. */
static uint32_t tree_size(struct planner *p, inum_t ino)
{
	return planner_begin(p, ino) ? planner_tree_now(p) : 0;
}

struct compact {
	struct sweep s;
	struct range in;
	uint8_t *tree; /* a bit an inode: its tree has a place */
};

static bool slide_tree(struct compact *c, const struct piece *x, blkno_t *at)
{
	struct target t = {*at, 0, x->ino, tree_size(c->s.p, x->ino), true, false, false};
	uint8_t bit = (uint8_t)(1u << x->ino % 8);

	if ((c->tree[x->ino / 8] & bit) || t.n > x->n + (x->phys - *at))
		return true; /* has one, or finds one elsewhere */
	c->tree[x->ino / 8] |= bit;
	*at += t.n;
	return sweep_add(&c->s, t);
}

static bool slide(struct compact *c, const struct piece_list *l)
{
	blkno_t at = c->in.start;

	for (size_t i = 0; i < l->n; i++) {
		const struct piece *x = &l->v[i];

		if (x->wall) {
			at = x->phys + x->n;
		} else if (x->tree) {
			if (!slide_tree(c, x, &at))
				return false;
		} else {
			if (!sweep_add(&c->s, (struct target){at, x->first, x->ino, x->n,
							      false, false, false}))
				return false;
			at += x->n;
		}
	}
	return true;
}

/* The tree of a file in the range, where it lies outside. */
static bool keep_tree(struct compact *c, inum_t ino)
{
	struct planner *p = c->s.p;

	if (!planner_begin(p, ino))
		return false;
	for (size_t k = 0; k < p->old.n; k++) {
		const struct run *r = &p->old.v[k];

		if (r->kind != OWNER_TREE ||
		    (r->phys < c->in.start + c->in.len && r->phys + r->len > c->in.start))
			continue;
		return sweep_keep_tree(&c->s, ino, (struct range){r->phys, r->len});
	}
	return true;
}

static bool keep_trees(struct compact *c)
{
	inum_t last = 0;

	for (size_t i = 0; i < c->s.targets.n; i++) {
		inum_t ino = c->s.targets.v[i].ino;

		if (ino != last && !(c->tree[ino / 8] >> ino % 8 & 1) &&
		    !keep_tree(c, ino))
			return false;
		last = ino;
	}
	return true;
}

/* With next to nothing free, what could not be done may leave more holes than it closed:
 * then rather nothing at all. */
static bool is_better(struct planner *p, uint64_t holes)
{
	if (freemap_runs(p->free) <= holes)
		return true;
	err_set(p->err, ERR_REFUSED,
		"so little is free that compacting this would leave %llu holes for %llu; "
		"compact a smaller range",
		(unsigned long long)freemap_runs(p->free), (unsigned long long)holes);
	return false;
}

bool strat_compact_plan(struct planner *p, const struct goal_request *g,
			const struct strategy_options *opt)
{
	struct compact c = {.in = g->range, .tree = calloc(1, p->g->inodes / 8 + 1)};
	uint64_t holes = freemap_runs(p->free);
	struct piece_list pieces = {0};
	bool ok = c.tree || err_nomem(p->err);

	sweep_init(&c.s, p, opt);
	c.s.reason = REASON_SLIDE;
	ok = ok && sweep_pieces(p, g->range, true, &pieces) && slide(&c, &pieces) &&
	     keep_trees(&c) && sweep_run(&c.s) && sweep_finish(&c.s) &&
	     is_better(p, holes);
	vec_release(&pieces);
	free(c.tree);
	sweep_release(&c.s);
	return ok;
}
