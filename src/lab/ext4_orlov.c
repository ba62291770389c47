/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ext4_orlov.c - where a new directory's inode goes (find_group_orlov).
 *
 * A directory right below the root is the start of something of its own: it is put far
 * from the others, into the flex group with the fewest directories among those that have
 * at least the average of free inodes and blocks. Others stay near their parent as long
 * as that group is not crowded. Files follow their directory, so this decides where
 * everything lies.
 */
#include "src/lab/ext4.h"

struct totals {
	uint64_t inodes, blocks, dirs;
};

static struct totals flex_totals(const struct space *s, group_t flex)
{
	struct totals t = {0, 0, 0};

	for (group_t g = flex * s->flex; g < (flex + 1) * s->flex && g < s->groups; g++) {
		t.inodes += s->group.v[g].free_inodes;
		t.blocks += s->group.v[g].free_blocks;
		t.dirs += s->group.v[g].dirs;
	}
	return t;
}

/* The first group of the flex group with a free inode. */
static group_t first_with_inode(const struct space *s, group_t flex)
{
	for (group_t g = flex * s->flex; g < (flex + 1) * s->flex && g < s->groups; g++)
		if (s->group.v[g].free_inodes)
			return g;
	return flex * s->flex;
}

/* What each flex group has on average. */
static struct totals average(const struct space *s, group_t flexes)
{
	struct totals sum = {0, 0, 0};

	for (group_t f = 0; f < flexes; f++) {
		struct totals t = flex_totals(s, f);

		sum.inodes += t.inodes;
		sum.blocks += t.blocks;
		sum.dirs += t.dirs;
	}
	return (struct totals){sum.inodes / flexes, sum.blocks / flexes,
			       sum.dirs / flexes};
}

static group_t spread(struct policy *p, group_t flexes, struct totals avg)
{
	group_t start = (group_t)lab_random_below(&p->random, flexes), best = start;
	uint64_t fewest = UINT64_MAX;

	for (group_t i = 0; i < flexes; i++) {
		group_t f = (start + i) % flexes;
		struct totals t = flex_totals(p->space, f);

		if (!t.inodes || t.inodes < avg.inodes || t.blocks < avg.blocks ||
		    t.dirs >= fewest)
			continue;
		fewest = t.dirs;
		best = f;
	}
	return best;
}

static group_t stay_near(const struct space *s, group_t start, group_t flexes,
			 struct totals avg)
{
	uint64_t inodes = (uint64_t)s->inodes_per_group * s->flex;
	uint64_t blocks = (uint64_t)s->per_group * s->flex;
	uint64_t most_dirs = avg.dirs + inodes / 16;

	for (group_t i = 0; i < flexes; i++) {
		group_t f = (start + i) % flexes;
		struct totals t = flex_totals(s, f);

		if (t.inodes && t.dirs < most_dirs &&
		    t.inodes + inodes / 4 > avg.inodes &&
		    t.blocks + blocks / 4 > avg.blocks)
			return f;
	}
	return start;
}

group_t ext4_orlov(struct policy *p, group_t parent, bool top)
{
	const struct space *s = p->space;
	group_t flexes = (s->groups + s->flex - 1) / s->flex;
	struct totals avg = average(s, flexes);
	group_t f = top ? spread(p, flexes, avg)
			: stay_near(s, parent / s->flex, flexes, avg);

	return first_with_inode(s, f);
}
