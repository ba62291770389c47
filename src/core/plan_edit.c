/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_edit.c - a plan changed by hand: every change is checked as a whole before it
 * counts. */
#include <string.h>
#include "core/plan.h"

static bool is_in(const inum_t *inos, size_t n, inum_t ino)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (inos[mid] < ino)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && inos[lo] == ino;
}

/* Appends the moves that are of these files (or are not), batches numbered from `batch`
 * on; returns the next number. */
static uint32_t take(const struct plan *from, struct plan *to, const inum_t *inos,
		     size_t n, bool of_these, uint32_t batch)
{
	uint32_t last = 0;
	size_t taken = 0;

	for (size_t i = 0; i < from->moves.n; i++) {
		struct move m = from->moves.v[i];

		if (is_in(inos, n, m.ino) != of_these)
			continue;
		batch += taken++ && m.batch != last;
		last = m.batch;
		m.batch = batch;
		to->moves.v[to->moves.n++] = m;
	}
	return taken ? batch + 1 : batch;
}

bool plan_edit(struct plan *p, const struct model *m, const inum_t *inos, size_t n,
	       enum plan_edit how, struct err *err)
{
	struct plan next = *p;
	struct err why = ERR_INIT;
	uint32_t batch = 0;

	next.moves.v = malloc((p->moves.n + 1) * sizeof(*next.moves.v));
	if (!next.moves.v)
		return err_nomem(err);
	next.moves.n = 0;
	next.moves.cap = p->moves.n + 1;
	if (how != PLAN_DROP)
		batch = take(p, &next, inos, n, true, batch);
	if (how != PLAN_KEEP)
		take(p, &next, inos, n, false, batch);
	plan_price(&next, model_geom(m)->block_size);
	if (!plan_check(&next, m, &why)) {
		free(next.moves.v);
		err_set(err, why.class,
			"the moves depend on each other, the plan stays as it is: %.160s",
			why.msg);
		return false;
	}
	free(p->moves.v);
	*p = next;
	return true;
}
