/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * blockers.c - what a shrink would run into; see space.h.
 *
 * A volume of k groups and a bit needs: the metadata of those groups (which flex_bg may
 * have put anywhere below), everything that inodes own, and what is fixed where it is.
 */
#include "core/space.h"

bool blockers_can_move(enum owner_kind kind, bool pinned)
{
	return !pinned &&
	       (kind == OWNER_FILE || kind == OWNER_DIR || kind == OWNER_SYMLINK ||
		kind == OWNER_EA_INODE || kind == OWNER_TREE);
}

/* Metadata that is there for one group and goes with it. */
static bool goes_with_group(enum owner_kind kind)
{
	return kind >= OWNER_SUPER && kind <= OWNER_INODE_TABLE;
}

struct search {
	const struct model *m;
	struct blockers *out;
	group_t groups; /* that must stay: an inode in use lies in the last of them */
	blkno_t tail;	/* second walk: movable blocks from here on are counted */
	inum_t ino;	/* whose `pinned` is known */
	bool pinned;
};

static bool is_pinned(struct search *s, inum_t ino)
{
	struct inode_info info;

	if (ino != s->ino || !ino) {
		s->ino = ino;
		s->pinned = !model_inode(s->m, ino, &info) ||
			    (info.flags & (INODE_PINNED | INODE_SYSTEM));
	}
	return s->pinned;
}

static bool note(void *arg, const struct run *r)
{
	struct search *s = arg;
	struct blockers *b = s->out;
	blkno_t last = r->phys + r->len - 1;

	if (r->kind == OWNER_FREE)
		return true;
	/* Metadata of a group that stays may lie in a later one. */
	if (goes_with_group(r->kind) && !r->ino && r->lblk >= s->groups)
		return true;
	if (blockers_can_move(r->kind, is_pinned(s, r->ino))) {
		b->last_movable = last;
		b->last_movable_ino = r->ino;
	} else {
		b->last_fixed = last;
		b->last_fixed_ino = r->ino;
		b->last_fixed_kind = r->kind;
	}
	b->used_data += goes_with_group(r->kind) ? 0 : r->len;
	return true;
}

static bool count_tail(void *arg, const struct run *r)
{
	struct search *s = arg;

	if (r->kind != OWNER_FREE && blockers_can_move(r->kind, is_pinned(s, r->ino)))
		s->out->movable_tail += r->len;
	return true;
}

uint64_t blockers_overhead(const struct geom *g, group_t groups)
{
	uint64_t blocks = 0;

	for (size_t i = 0; i < g->fixed.n; i++)
		if (g->fixed.v[i].group < groups && goes_with_group(g->fixed.v[i].kind))
			blocks += g->fixed.v[i].len;
	return blocks;
}

static bool holds(const struct geom *g, group_t groups, uint64_t data)
{
	blkno_t end = groups < g->groups ? geom_group_start(g, groups) : g->blocks;

	return end - g->first_block >= blockers_overhead(g, groups) + data;
}

/* The smallest volume of at least `groups` groups that holds `data` blocks besides its
 * metadata. A group brings more room than it takes, so the first that is enough can be
 * found by bisection. */
static blkno_t smallest(const struct geom *g, group_t groups, uint64_t data)
{
	group_t lo = groups, hi = g->groups;
	blkno_t end, start;

	while (lo < hi) {
		group_t mid = lo + (hi - lo) / 2;

		if (holds(g, mid, data))
			hi = mid;
		else
			lo = mid + 1;
	}
	start = geom_group_start(g, lo - 1); /* the last one need not be whole */
	end = g->first_block + blockers_overhead(g, lo) + data;
	end = end > start ? end : start + 1;
	return end < g->blocks ? end : g->blocks;
}

static blkno_t larger(blkno_t a, blkno_t b)
{
	return a > b ? a : b;
}

void blockers_compute(const struct model *m, struct blockers *out)
{
	const struct geom *g = model_geom(m);
	struct search s = {.m = m, .out = out};
	uint64_t inodes = 0;
	blkno_t floor;
	group_t need;

	*out = (struct blockers){.last_movable = BLKNO_NONE, .last_fixed = BLKNO_NONE};
	for (inum_t ino = 0; (ino = model_next_inode(m, ino));) {
		out->last_inode = ino;
		inodes += ino >= g->first_inode;
	}
	s.groups = out->last_inode ? geom_group_of_inode(g, out->last_inode) + 1 : 1;
	model_walk(m, g->first_block, g->blocks - g->first_block, note, &s);
	floor = out->last_fixed == BLKNO_NONE ? 0 : out->last_fixed + 1;
	out->now = larger(geom_group_start(g, s.groups - 1) + 1, floor);
	if (out->last_movable != BLKNO_NONE)
		out->now = larger(out->now, out->last_movable + 1);
	out->packed = larger(smallest(g, s.groups, out->used_data), floor);
	need = (group_t)((inodes + g->first_inode - 1 + g->inodes_per_group - 1) /
			 g->inodes_per_group);
	out->renumbered = smallest(g, need ? need : 1, out->used_data);
	if (out->packed < g->blocks)
		model_walk(m, out->packed, g->blocks - out->packed, count_tail, &s);
}
