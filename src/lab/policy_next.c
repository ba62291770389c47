/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * policy_next.c - next fit: as first fit, but each search goes on where the last one
 * ended, and begins anew at the end of the volume.
 *
 * Searches are short and the volume fills evenly, but large holes are cut up everywhere.
 */
#include "src/lab/policy.h"

static bool choose(struct policy *p, const struct policy_want *w,
		   struct policy_answer *out, bool *taken)
{
	blkno_t goal = p->rover;
	struct range hole;
	bool found = freemap_first(p->space->free, goal, w->len, &hole);

	(void)taken;
	if (!found)
		found = freemap_first(p->space->free, p->space->first, w->len, &hole);
	if (found)
		policy_answer(out, hole, w->len,
			      "first hole of %u blocks at or after the goal, block %llu",
			      w->len, (unsigned long long)goal);
	else if (!policy_part_of_largest(p, w, out))
		return false;
	p->rover = out->got.start + out->got.len;
	return true;
}

const struct policy_kind policy_next = {
	.name = "next",
	.title = "next fit: the first hole that is large enough after the last one taken",
	.choose = choose,
};
