/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_end.c - see sweep.h: what is left over when the windows are through. */
#include "src/core/strat.h"
#include "src/core/sweep.h"

/* Trees that could not go to their places with the last of the data. */
static bool last_trees(struct sweep *s)
{
	struct planner *p = s->p;

	for (size_t i = 0; i < s->movers.n; i++) {
		struct mover *m = &s->movers.v[i];

		if (!m->tree_claimed || m->left || m->lost)
			continue;
		if (p->batch_inodes >= p->max_inodes && !planner_close(p))
			return false;
		if (sweep_tree(s, m) == SWEPT_FAILED)
			return false;
	}
	for (size_t i = 0; i < s->movers.n; i++)
		if (s->movers.v[i].tree_claimed &&
		    !planner_unclaim(p, s->movers.v[i].tree))
			return false;
	return planner_close(p);
}

static bool end_claims(struct sweep *s)
{
	for (size_t i = 0; i < s->kept.n; i++)
		if (!planner_unclaim(s->p, s->kept.v[i]))
			return false;
	return planner_settle(s->p);
}

/* First block of a target of the mover that does not hold what it should; BLKNO_NONE. */
static blkno_t first_missing(struct sweep *s, size_t from, size_t to)
{
	const struct run_list *runs = &s->p->old;
	uint64_t first = 0;
	size_t k = from;

	for (size_t i = 0; i < runs->n && owner_is_data(runs->v[i].kind); i++) {
		const struct run *r = &runs->v[i];

		for (; k < to; k++) { /* targets of a file in its order */
			const struct target *t = &s->targets.v[s->order.v[k]];
			uint64_t lo = t->first > first ? t->first : first;

			if (t->tree || t->first >= first + r->len)
				break;
			if (r->phys + (lo - first) != t->to + (lo - t->first))
				return t->to + (lo - t->first);
			if (t->first + t->n > first + r->len)
				break;
		}
		first += r->len;
	}
	return BLKNO_NONE;
}

static bool list_one(struct sweep *s, inum_t ino, blkno_t missing)
{
	struct planner *p = s->p;
	uint64_t blocks = extent_blocks(p->old.v, p->old.n);
	struct skip skip = {ino, SKIP_PLACE, missing,
			    extent_fragments(p->old.v, p->old.n),
			    model_ideal(p->m, blocks)};

	if (planner_spent(p) > 0)
		skip.reason = SKIP_BUDGET;
	if (missing == BLKNO_NONE) {
		if (skip.fragments <= skip.ideal || !s->whole)
			return true;
		skip.reason = SKIP_NO_HOLE;
		skip.figure = blocks + planner_tree_joined(p);
	}
	return vec_push(&p->out->skips, skip) || err_nomem(p->err);
}

static bool list_left(struct sweep *s)
{
	vec_clear(&s->order);
	for (size_t i = 0; i < s->targets.n; i++)
		if (s->targets.v[i].ino && !vec_push(&s->order, i))
			return err_nomem(s->p->err);
	sweep_sort_order(s);
	for (size_t i = 0, end; i < s->order.n; i = end) {
		inum_t ino = s->targets.v[s->order.v[i]].ino;

		for (end = i + 1;
		     end < s->order.n && s->targets.v[s->order.v[end]].ino == ino;)
			end++;
		if (!planner_begin(s->p, ino) ||
		    !list_one(s, ino, first_missing(s, i, end)))
			return false;
	}
	return true;
}

/* Opens the places again that had to be given up, for a second try with `split`. */
static bool try_split(struct sweep *s)
{
	bool left = false;

	for (size_t i = 0; i < s->targets.n; i++)
		left = left || (!s->targets.v[i].ino && s->targets.v[i].blocked);
	if (!left || s->split)
		return true;
	s->split = true;
	return sweep_again(s) && strat_repair(s->p, s->opt);
}

bool sweep_finish(struct sweep *s)
{
	return last_trees(s) && strat_repair(s->p, s->opt) && try_split(s) &&
	       end_claims(s) && list_left(s);
}
