/* SPDX-License-Identifier: GPL-3.0-or-later */
/* planner_space.c - the states of blocks that planner.h tells of. */
#include "src/core/planner.h"

/* What an inode with an indirect map can point at. */
#define INDIRECT_END (1ull << 32)

/* A hole this much longer than asked for is no fit: then the distance decides. */
#define FIT_SLACK(len) ((len) / 8 + 8)

static bool fits_map(const struct planner *p, const struct range *hole, blkno_t len)
{
	return !(p->info.flags & INODE_INDIRECT) || hole->start + len <= INDIRECT_END;
}

bool planner_hole(const struct planner *p, blkno_t len, struct range *out)
{
	blkno_t goal = geom_data_goal(p->g, p->ino, p->info.type == INODE_DIR), away;
	struct range near;

	if (!freemap_best(p->free, len, goal, out))
		return false;
	if (out->len - len > FIT_SLACK(len) && freemap_first(p->free, goal, len, &near) &&
	    fits_map(p, &near, len)) {
		away = (blkno_t)p->g->blocks_per_group * p->g->flex_groups;
		if (near.start - goal < away)
			*out = near;
	}
	if (fits_map(p, out, len))
		return true;
	return freemap_first(p->free, p->g->first_block, len, out) &&
	       fits_map(p, out, len);
}

bool planner_take(struct planner *p, struct range r)
{
	return freemap_take(p->free, r, p->err);
}

bool planner_untake(struct planner *p, struct range r)
{
	return freemap_give(p->free, r, p->err);
}

/* --- claims --- */

/* Index of the first claim that ends after b. */
static size_t claim_after(const struct planner *p, blkno_t b)
{
	size_t lo = 0, hi = p->claims.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->claims.v[mid].start + p->claims.v[mid].len > b)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

bool planner_release_later(struct planner *p, struct range r)
{
	blkno_t end = r.start + r.len;

	for (size_t i = claim_after(p, r.start); r.start < end; i++) {
		blkno_t stop = end, next = end;

		if (i < p->claims.n && p->claims.v[i].start < end) {
			stop = p->claims.v[i].start;
			next = stop + p->claims.v[i].len;
		}
		if (stop > r.start &&
		    !freemap_give(p->later, (struct range){r.start, stop - r.start},
				  p->err))
			return false;
		r.start = next;
	}
	return true;
}

/* The part of r at its start that lies in one hole of f; 0 if its first block does not.
 */
static blkno_t part_in(const struct freemap *f, struct range r)
{
	struct range hole;

	if (!freemap_at_or_after(f, r.start, &hole) || hole.start > r.start)
		return 0;
	return hole.start + hole.len - r.start < r.len ? hole.start + hole.len - r.start
						       : r.len;
}

bool planner_is_open(const struct planner *p, struct range r)
{
	while (r.len) {
		blkno_t part = part_in(p->free, r);

		if (!part)
			part = part_in(p->later, r);
		if (!part)
			return false;
		r.start += part;
		r.len -= part;
	}
	return true;
}

struct claiming {
	struct planner *p;
	bool take, ok, failed;
};

static bool claim_hole(void *arg, const struct run *r)
{
	struct claiming *c = arg;
	struct range left = {r->phys, r->len};

	if (r->kind != OWNER_FREE)
		return true;
	if (!c->take) {
		c->ok = planner_is_open(c->p, left);
		return c->ok;
	}
	while (left.len) {
		struct freemap *f = c->p->free;
		blkno_t part = part_in(f, left);

		if (!part) {
			f = c->p->later;
			part = part_in(f, left);
		}
		if (!part ||
		    !freemap_take(f, (struct range){left.start, part}, c->p->err)) {
			c->failed = true;
			return false;
		}
		left.start += part;
		left.len -= part;
	}
	return true;
}

bool planner_claim(struct planner *p, struct range r, bool *ok)
{
	struct claiming c = {p, false, true, false};
	size_t at = claim_after(p, r.start);

	*ok = false;
	if (at < p->claims.n && p->claims.v[at].start < r.start + r.len)
		return true;
	layout_walk(p->now, r.start, r.len, claim_hole, &c);
	if (!c.ok)
		return true;
	c.take = true;
	layout_walk(p->now, r.start, r.len, claim_hole, &c);
	if (c.failed)
		return false;
	if (!vec_push(&p->claims, r))
		return err_nomem(p->err);
	for (size_t i = p->claims.n - 1; i > at; i--)
		p->claims.v[i] = p->claims.v[i - 1];
	p->claims.v[at] = r;
	*ok = true;
	return true;
}

/* Blocks of an ended claim that were freed in this batch must wait like all others, and
 * it is not known which they are: all of them wait. */
static bool open_hole(void *arg, const struct run *r)
{
	struct claiming *c = arg;

	if (r->kind == OWNER_FREE &&
	    !freemap_give(c->p->later, (struct range){r->phys, r->len}, c->p->err))
		c->failed = true;
	return !c->failed;
}

bool planner_unclaim(struct planner *p, struct range r)
{
	struct claiming c = {p, false, true, false};
	size_t at = claim_after(p, r.start);

	for (size_t i = at + 1; i < p->claims.n; i++)
		p->claims.v[i - 1] = p->claims.v[i];
	p->claims.n--;
	layout_walk(p->now, r.start, r.len, open_hole, &c);
	return !c.failed;
}

bool planner_close(struct planner *p)
{
	struct range r = {p->g->first_block, 0};

	while (freemap_at_or_after(p->later, r.start + r.len, &r))
		if (!freemap_take(p->later, r, p->err) ||
		    !freemap_give(p->free, r, p->err))
			return false;
	p->spent_ms += p->batch_inodes ? plan_batch_ms() : 0;
	if (!p->worse && planner_spent(p) <= 1)
		p->good = p->out->moves.n;
	p->batch++;
	p->batch_inodes = 0;
	p->batch_blocks = 0;
	return true;
}
