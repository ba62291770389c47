/* SPDX-License-Identifier: GPL-3.0-or-later */
/* space.c - free space by size; see space.h. */
#include "core/space.h"

struct counter {
	struct space *s;
	blkno_t start, end; /* of the hole so far: a long one comes in parts */
};

static unsigned class_of(uint64_t blocks)
{
	unsigned c = 63u - (unsigned)__builtin_clzll(blocks);

	return c < SPACE_CLASSES ? c : SPACE_CLASSES - 1;
}

/* Whole chunks inside the hole; the chunk at the end of the volume is whole when short. */
static uint64_t chunks_in(const struct counter *c, blkno_t volume_end)
{
	uint64_t size = c->s->chunk_blocks;
	uint64_t first = (c->start + size - 1) / size;
	uint64_t last = c->end == volume_end ? (c->end + size - 1) / size : c->end / size;

	return last > first ? last - first : 0;
}

static void close_hole(struct counter *c, blkno_t volume_end)
{
	uint64_t len = c->end - c->start;
	struct space *s = c->s;

	if (!len)
		return;
	s->runs++;
	s->free_blocks += len;
	s->class[class_of(len)].runs++;
	s->class[class_of(len)].blocks += len;
	s->longest = len > s->longest ? len : s->longest;
	s->shortest = !s->shortest || len < s->shortest ? len : s->shortest;
	s->at_least_blocks += len >= s->at_least ? len : 0;
	s->chunks_free += chunks_in(c, volume_end);
}

static bool note(void *arg, const struct run *r)
{
	struct counter *c = arg;

	if (r->kind != OWNER_FREE)
		return true;
	if (r->phys != c->end) {
		close_hole(c, BLKNO_NONE);
		c->start = r->phys;
	}
	c->end = r->phys + r->len;
	return true;
}

void space_compute(const struct model *m, uint64_t chunk_blocks, uint64_t at_least,
		   struct space *out)
{
	const struct geom *g = model_geom(m);
	struct counter c = {.s = out};

	*out = (struct space){.chunk_blocks = chunk_blocks, .at_least = at_least};
	out->chunks = (g->blocks + chunk_blocks - 1) / chunk_blocks;
	model_walk(m, g->first_block, g->blocks - g->first_block, note, &c);
	close_hole(&c, g->blocks);
}
