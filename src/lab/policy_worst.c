/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * policy_worst.c - worst fit: always the largest hole, so that what is left of it is
 * still of use.
 *
 * It leaves no slivers, but soon no large hole either.
 */
#include "src/lab/policy.h"

static bool choose(struct policy *p, const struct policy_want *w,
		   struct policy_answer *out, bool *taken)
{
	struct range hole;

	(void)taken;
	if (!freemap_largest(p->space->free, &hole))
		return false;
	if (hole.len < w->len)
		return policy_part_of_largest(p, w, out);
	return policy_answer(
		out, hole, w->len, "largest hole: %llu blocks, %llu stay free behind it",
		(unsigned long long)hole.len, (unsigned long long)(hole.len - w->len));
}

const struct policy_kind policy_worst = {
	.name = "worst",
	.title = "worst fit: the largest hole",
	.choose = choose,
};
