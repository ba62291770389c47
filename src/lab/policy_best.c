/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * policy_best.c - best fit: the smallest hole that is large enough; of equal ones the
 * one nearest to the file's last block.
 *
 * Large holes are kept for large files; what is left of each hole is too small to be of
 * use.
 */
#include "src/lab/policy.h"

static bool choose(struct policy *p, const struct policy_want *w,
		   struct policy_answer *out, bool *taken)
{
	blkno_t goal = w->behind == BLKNO_NONE ? p->space->first : w->behind + 1;
	struct range hole;

	(void)taken;
	if (freemap_best(p->space->free, w->len, goal, &hole))
		return policy_answer(out, hole, w->len,
				     "smallest hole that holds %u blocks: it has %llu",
				     w->len, (unsigned long long)hole.len);
	return policy_part_of_largest(p, w, out);
}

const struct policy_kind policy_best = {
	.name = "best",
	.title = "best fit: the smallest hole that is large enough",
	.choose = choose,
};
