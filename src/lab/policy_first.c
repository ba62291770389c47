/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * policy_first.c - first fit: look through the holes from the start of the volume and
 * take the first that is large enough.
 *
 * Small leftovers gather at the front, where every search begins; large holes survive at
 * the end.
 */
#include "src/lab/policy.h"

static bool choose(struct policy *p, const struct policy_want *w,
		   struct policy_answer *out, bool *taken)
{
	struct range hole;

	(void)taken;
	if (freemap_first(p->space->free, p->space->first, w->len, &hole))
		return policy_answer(out, hole, w->len,
				     "first hole of %u blocks from the start", w->len);
	return policy_part_of_largest(p, w, out);
}

const struct policy_kind policy_first = {
	.name = "first",
	.title = "first fit: the first hole that is large enough",
	.choose = choose,
};
