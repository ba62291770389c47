/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * policy_buddy.c - the buddy system (Knowlton, 1965): free space is seen as aligned
 * chunks of 2^n blocks; a request is rounded up to such a size and gets the smallest
 * chunk that will do, cut in halves until it fits.
 *
 * Unlike in memory, what rounding up wastes is given back at once: a file owns only the
 * blocks it asked for.
 */
#include "src/lab/policy.h"

/* The largest aligned power of two that begins at block `at` and ends within `len`. */
static blkno_t chunk_at(blkno_t at, blkno_t len)
{
	blkno_t size = at ? at & -at : (blkno_t)1 << 62;

	while (size > len)
		size >>= 1;
	return size;
}

/* The smallest chunk of at least `need` blocks in one hole; len 0: none. */
static struct range best_chunk(const struct space *s, struct range hole, blkno_t need)
{
	struct range best = {0, 0};
	blkno_t at = hole.start - s->first, end = at + hole.len;

	while (at < end) {
		blkno_t size = chunk_at(at, end - at);

		if (size >= need && (!best.len || size < best.len))
			best = (struct range){s->first + at, size};
		at += size;
	}
	return best;
}

static bool choose(struct policy *p, const struct policy_want *w,
		   struct policy_answer *out, bool *taken)
{
	struct range hole, chunk, best = {0, 0};
	blkno_t need = 1, at = p->space->first;

	(void)taken;
	while (need < w->len)
		need <<= 1;
	while (best.len != need && freemap_first(p->space->free, at, need, &hole)) {
		chunk = best_chunk(p->space, hole, need);
		if (chunk.len && (!best.len || chunk.len < best.len))
			best = chunk;
		at = hole.start + hole.len;
	}
	if (!best.len)
		return policy_part_of_largest(p, w, out);
	return policy_answer(
		out, best, w->len,
		"%u blocks round up to a chunk of %llu: the smallest free one "
		"has %llu",
		w->len, (unsigned long long)need, (unsigned long long)best.len);
}

const struct policy_kind policy_buddy = {
	.name = "buddy",
	.title = "buddy system: the smallest aligned chunk of 2^n blocks that will do",
	.choose = choose,
};
