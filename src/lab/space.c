/* SPDX-License-Identifier: GPL-3.0-or-later */
/* space.c - see space.h. */
#include <string.h>
#include "lab/space.h"

bool space_init(struct space *s, const struct geom *g, struct err *err)
{
	memset(s, 0, sizeof(*s));
	s->first = g->first_block;
	s->blocks = g->blocks;
	s->block_size = g->block_size;
	s->per_group = g->blocks_per_group;
	s->flex = g->flex_groups ? g->flex_groups : 1;
	s->groups = g->groups;
	s->inodes_per_group = g->inodes_per_group;
	s->free = freemap_new_empty();
	if (!s->free || !vec_reserve(&s->group, g->groups)) {
		space_release(s);
		return err_nomem(err);
	}
	for (group_t i = 0; i < g->groups; i++)
		s->group.v[i] = (struct space_group){0, g->inodes_per_group, 0, 0};
	s->group.n = g->groups;
	if (g->groups && g->first_inode > 1 && g->first_inode <= g->inodes_per_group)
		s->group.v[0].free_inodes -= g->first_inode - 1;
	return true;
}

void space_release(struct space *s)
{
	freemap_free(s->free);
	s->free = NULL;
	vec_release(&s->group);
}

bool space_copy(struct space *out, const struct space *s)
{
	*out = *s;
	memset(&out->group, 0, sizeof(out->group));
	out->free = freemap_copy(s->free);
	if (!out->free || !vec_reserve(&out->group, s->group.n)) {
		space_release(out);
		return false;
	}
	memcpy(out->group.v, s->group.v, s->group.n * sizeof(*s->group.v));
	out->group.n = s->group.n;
	return true;
}

group_t space_group_of(const struct space *s, blkno_t b)
{
	return (group_t)((b - s->first) / s->per_group);
}

struct range space_group_range(const struct space *s, group_t g)
{
	blkno_t start = s->first + (blkno_t)g * s->per_group;
	blkno_t left = s->blocks - start;

	return (struct range){start, left < s->per_group ? left : s->per_group};
}

/* Adds (sign +1) or takes away the blocks of r, group by group. */
static void count(struct space *s, struct range r, int sign)
{
	while (r.len) {
		group_t g = space_group_of(s, r.start);
		struct range whole = space_group_range(s, g);
		blkno_t n = whole.start + whole.len - r.start;

		if (n > r.len)
			n = r.len;
		s->group.v[g].free_blocks += sign > 0 ? (uint32_t)n : -(uint32_t)n;
		s->group.v[g].changes++;
		r.start += n;
		r.len -= n;
	}
}

bool space_take(struct space *s, struct range r)
{
	if (!freemap_take(s->free, r, NULL))
		return false;
	count(s, r, -1);
	return true;
}

bool space_give(struct space *s, struct range r)
{
	if (!freemap_give(s->free, r, NULL))
		return false;
	count(s, r, +1);
	return true;
}

uint64_t lab_random(uint64_t *state)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15ull;

	/* splitmix64 (Steele, Lea and Flood, 2014) */
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
	z = (z ^ z >> 27) * 0x94D049BB133111EBull;
	return z ^ z >> 31;
}

uint64_t lab_random_below(uint64_t *state, uint64_t n)
{
	return lab_random(state) % n;
}
