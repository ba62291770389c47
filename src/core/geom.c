/* SPDX-License-Identifier: GPL-3.0-or-later */
/* geom.c - see geom.h. */
#include <string.h>
#include "core/geom.h"

void geom_init(struct geom *g)
{
	memset(g, 0, sizeof(*g));
	g->cluster_ratio = 1;
	g->flex_groups = 1;
}

void geom_release(struct geom *g)
{
	vec_release(&g->fixed);
}

static int by_start(const void *a, const void *b)
{
	const struct fixed *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

bool geom_seal(struct geom *g, struct err *err)
{
	if (g->fixed.n)
		qsort(g->fixed.v, g->fixed.n, sizeof(*g->fixed.v), by_start);
	for (size_t i = 0; i < g->fixed.n; i++) {
		const struct fixed *f = &g->fixed.v[i];

		if (f->start < g->first_block || f->start >= g->blocks ||
		    f->len > g->blocks - f->start) {
			err_set(err, ERR_CORRUPT,
				"%s of group %u lies outside the volume",
				owner_name(f->kind), f->group);
			return false;
		}
		if (i && f[-1].start + f[-1].len > f->start) {
			err_set(err, ERR_CORRUPT,
				"%s of group %u and %s of group %u overlap at "
				"block %llu",
				owner_name(f[-1].kind), f[-1].group, owner_name(f->kind),
				f->group, (unsigned long long)f->start);
			return false;
		}
	}
	return true;
}

group_t geom_group_of(const struct geom *g, blkno_t b)
{
	return (group_t)((b - g->first_block) / g->blocks_per_group);
}

blkno_t geom_group_start(const struct geom *g, group_t group)
{
	return g->first_block + (blkno_t)group * g->blocks_per_group;
}

uint32_t geom_group_len(const struct geom *g, group_t group)
{
	blkno_t left = g->blocks - geom_group_start(g, group);

	return left < g->blocks_per_group ? (uint32_t)left : g->blocks_per_group;
}

group_t geom_group_of_inode(const struct geom *g, inum_t ino)
{
	return (ino - 1) / g->inodes_per_group;
}

size_t geom_fixed_after(const struct geom *g, blkno_t b)
{
	size_t lo = 0, hi = g->fixed.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (g->fixed.v[mid].start + g->fixed.v[mid].len > b)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* EXT4_FLEX_SIZE_DIR_ALLOC_SCHEME: smaller flex groups keep no group for directories. */
#define FLEX_KEEPS_GROUP 4

blkno_t geom_data_goal(const struct geom *g, inum_t ino, bool is_dir)
{
	group_t group = geom_group_of_inode(g, ino);

	if (g->flex_groups >= FLEX_KEEPS_GROUP) {
		group -= group % g->flex_groups;
		if (!is_dir && group + 1 < g->groups)
			group++;
	}
	if (group >= g->groups)
		group = 0;
	return geom_group_start(g, group);
}
