/* SPDX-License-Identifier: GPL-3.0-or-later */
/* policy.c - which of the files of a goal are worth their bytes; see strat.h. */
#include <string.h>
#include "src/core/strat.h"

struct valued {
	inum_t ino;
	uint32_t place; /* in the order wished for */
	double gain;	/* modelled milliseconds a MiB */
};

/* What reading the file costs more than it had to, for each MiB that moving it writes. */
static double gain_of(struct planner *p, uint32_t *fragments, uint32_t *ideal)
{
	uint32_t bs = p->g->block_size;
	uint64_t blocks = extent_blocks(p->old.v, p->old.n);
	struct run whole = {.len = (uint32_t)blocks, .kind = OWNER_FILE};
	double excess;

	*fragments = extent_fragments(p->old.v, p->old.n);
	*ideal = blocks ? model_ideal(p->m, blocks) : 0;
	if (!blocks || *fragments <= *ideal)
		return 0;
	excess = metrics_read_ms(p->old.v, p->old.n, bs) - metrics_read_ms(&whole, 1, bs);
	return excess > 0 ? excess / ((double)blocks * bs / (1 << 20)) : 0;
}

static int by_gain(const void *a, const void *b)
{
	const struct valued *x = a, *y = b;

	if (x->gain != y->gain)
		return x->gain > y->gain ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static int by_place(const void *a, const void *b)
{
	const struct valued *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

/* Takes a file out of the goal; where it lies is then as good as fixed for `arrange`. */
static bool leave(struct planner *p, inum_t ino, enum skip_reason reason, double gain)
{
	uint32_t fragments, ideal;

	if (ino <= p->g->inodes)
		p->stay[ino / 8] |= (uint8_t)(1u << ino % 8);
	if (!planner_begin(p, ino))
		return false;
	gain_of(p, &fragments, &ideal);
	if (fragments <= ideal)
		return true;
	return vec_push(&p->out->skips,
			(struct skip){ino, reason, (uint64_t)(gain * 1000 + 0.5),
				      fragments, ideal}) ||
	       err_nomem(p->err);
}

static bool value_all(struct planner *p, const struct goal_request *g, struct valued *v)
{
	uint32_t fragments, ideal;

	for (size_t i = 0; i < g->ino_count; i++) {
		if (!planner_begin(p, g->inos[i]))
			return false;
		v[i] = (struct valued){g->inos[i], (uint32_t)i,
				       gain_of(p, &fragments, &ideal)};
	}
	if (g->ino_count)
		qsort(v, g->ino_count, sizeof(*v), by_gain);
	return true;
}

/* --- regions, for `arrange` --- */

/* A region is worth arranging if there is a hole in it, or a block of a file that is. */
#define REGION_BLOCKS 1024u

struct regions {
	struct planner *p;
	uint8_t *worth;	    /* a byte a region */
	const uint8_t *low; /* a bit an inode: gain below the floor */
};

static bool note_worth(void *arg, const struct run *r)
{
	struct regions *g = arg;
	bool low = r->kind != OWNER_FREE &&
		   (!r->ino || (g->low[r->ino / 8] >> r->ino % 8 & 1));

	for (blkno_t b = r->phys; !low && b < r->phys + r->len;
	     b += REGION_BLOCKS - b % REGION_BLOCKS)
		g->worth[b / REGION_BLOCKS] = 1;
	return true;
}

static bool lies_still(const struct regions *g)
{
	const struct run_list *runs = &g->p->old;

	for (size_t i = 0; i < runs->n; i++)
		for (blkno_t b = runs->v[i].phys; b < runs->v[i].phys + runs->v[i].len;
		     b += REGION_BLOCKS - b % REGION_BLOCKS)
			if (g->worth[b / REGION_BLOCKS])
				return false;
	return true;
}

/* Files below the floor that lie in regions where nothing is to be gained stay. */
static bool select_regions(struct planner *p, const struct goal_request *g,
			   const struct valued *v, struct inum_list *kept)
{
	struct regions r = {.p = p};
	uint8_t *low = calloc(1, p->g->inodes / 8 + 1);
	bool ok;

	r.worth = calloc(1, p->g->blocks / REGION_BLOCKS + 1);
	ok = (low && r.worth) || err_nomem(p->err);
	for (size_t i = 0; ok && i < g->ino_count; i++)
		if (v[i].gain < g->min_gain && v[i].ino <= p->g->inodes)
			low[v[i].ino / 8] |= (uint8_t)(1u << v[i].ino % 8);
	r.low = low;
	if (ok)
		layout_walk(p->now, p->g->first_block, p->g->blocks, note_worth, &r);
	for (size_t i = 0; ok && i < g->ino_count; i++) {
		ok = planner_begin(p, g->inos[i]);
		if (ok && (low[g->inos[i] / 8] >> g->inos[i] % 8 & 1) && lies_still(&r))
			ok = leave(p, g->inos[i], SKIP_GAIN, 0);
		else
			ok = ok && (vec_push(kept, g->inos[i]) || err_nomem(p->err));
	}
	free(r.worth);
	free(low);
	return ok;
}

bool policy_select(struct planner *p, const struct goal_request *g,
		   struct inum_list *kept)
{
	struct valued *v = malloc((g->ino_count + 1) * sizeof(*v));
	size_t n = 0, limit = g->limit ? g->limit : SIZE_MAX;
	bool ok = v && (p->stay = calloc(1, p->g->inodes / 8 + 1));

	if (!ok)
		err_nomem(p->err);
	ok = ok && value_all(p, g, v);
	if (ok && g->goal == GOAL_ARRANGE) {
		ok = select_regions(p, g, v, kept);
		free(v);
		return ok;
	}
	while (ok && n < g->ino_count && n < limit && v[n].gain > 0 &&
	       v[n].gain >= g->min_gain)
		n++;
	for (size_t i = n; ok && i < g->ino_count; i++)
		ok = leave(p, v[i].ino, v[i].gain < g->min_gain ? SKIP_GAIN : SKIP_BUDGET,
			   v[i].gain);
	if (ok && n)
		qsort(v, n, sizeof(*v), by_place);
	for (size_t i = 0; ok && i < n; i++)
		ok = vec_push(kept, v[i].ino) || err_nomem(p->err);
	free(v);
	return ok;
}
