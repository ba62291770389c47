/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * policy_random.c - random fit: from a block drawn by lot, the first hole that is large
 * enough. What the others are measured against.
 */
#include "src/lab/policy.h"

static bool choose(struct policy *p, const struct policy_want *w,
		   struct policy_answer *out, bool *taken)
{
	const struct space *s = p->space;
	blkno_t lot = s->first + lab_random_below(&p->random, s->blocks - s->first);
	struct range hole;

	(void)taken;
	if (freemap_first(s->free, lot, w->len, &hole) ||
	    freemap_first(s->free, s->first, w->len, &hole))
		return policy_answer(
			out, hole, w->len,
			"the lot fell on block %llu: first hole of %u blocks from there",
			(unsigned long long)lot, w->len);
	return policy_part_of_largest(p, w, out);
}

const struct policy_kind policy_random = {
	.name = "random",
	.title = "random fit: any hole that is large enough",
	.choose = choose,
};
