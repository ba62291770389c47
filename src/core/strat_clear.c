/* SPDX-License-Identifier: GPL-3.0-or-later */
/* strat_clear.c - `hole` and `evacuate`: a range that is to be empty afterwards. */
#include "src/core/strat.h"
#include "src/core/sweep.h"
#include "src/core/window_find.h"

/* One target a stretch that can be emptied; what is fixed is listed by list_stays(). */
static bool add_targets(struct sweep *s, const struct piece_list *l, struct range in)
{
	blkno_t at = in.start, end = in.start + in.len;

	for (size_t i = 0; i <= l->n; i++) {
		const struct piece *x = i < l->n ? &l->v[i] : NULL;
		blkno_t stop = x ? x->phys : end;

		if (x && !x->wall)
			continue;
		while (at < stop) {
			blkno_t n = stop - at < UINT32_MAX ? stop - at : UINT32_MAX;

			if (!sweep_add(s, (struct target){.to = at, .n = (uint32_t)n}))
				return false;
			at += n;
		}
		at = x ? x->phys + x->n : end;
	}
	return true;
}

/* What is still there: each inode once, with the blocks of its first piece. */
static bool list_stays(struct planner *p, struct range in)
{
	uint8_t *seen = calloc(1, p->g->inodes / 8 + 1);
	struct piece_list left = {0};
	bool ok = (seen || err_nomem(p->err)) && sweep_pieces(p, in, false, &left);

	for (size_t i = 0; ok && i < left.n; i++) {
		const struct piece *x = &left.v[i];
		struct skip skip = {x->ino, x->wall ? SKIP_PINNED : SKIP_NO_HOLE, x->n, 0,
				    0};

		if (!x->ino || (seen[x->ino / 8] >> x->ino % 8 & 1))
			continue;
		seen[x->ino / 8] |= (uint8_t)(1u << x->ino % 8);
		ok = planner_begin(p, x->ino);
		skip.fragments = extent_fragments(p->old.v, p->old.n);
		skip.ideal = model_ideal(p->m, extent_blocks(p->old.v, p->old.n));
		ok = ok && (vec_push(&p->out->skips, skip) || err_nomem(p->err));
	}
	vec_release(&left);
	free(seen);
	return ok;
}

static bool clear(struct planner *p, struct range in, const struct strategy_options *opt)
{
	struct piece_list pieces = {0};
	struct sweep s;
	bool ok;

	sweep_init(&s, p, opt);
	ok = sweep_pieces(p, in, false, &pieces) && add_targets(&s, &pieces, in) &&
	     sweep_run(&s) && sweep_finish(&s) && list_stays(p, in);
	vec_release(&pieces);
	sweep_release(&s);
	return ok;
}

bool strat_evacuate_plan(struct planner *p, const struct goal_request *g,
			 const struct strategy_options *opt)
{
	return clear(p, g->range, opt);
}

bool strat_hole_plan(struct planner *p, const struct goal_request *g,
		     const struct strategy_options *opt)
{
	struct range in = {p->g->first_block, p->g->blocks - p->g->first_block};
	struct found_window w;

	if (g->range.len)
		in = g->range;
	if (!g->blocks || g->blocks > freemap_blocks(p->free)) {
		err_set(p->err, ERR_REFUSED, "only %llu blocks are free on the volume",
			(unsigned long long)freemap_blocks(p->free));
		return false;
	}
	if (!window_find(p, g->blocks, in, NULL, &w))
		return false;
	if (w.cost == UINT64_MAX) {
		err_set(p->err, ERR_REFUSED,
			"no hole of %llu blocks can be made there, %llu is the most; "
			"what cannot move or fits nowhere stands in between",
			(unsigned long long)g->blocks, (unsigned long long)w.longest);
		return false;
	}
	return clear(p, w.at, opt);
}
