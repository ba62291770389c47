/* SPDX-License-Identifier: GPL-3.0-or-later */
/* after.c - see after.h. A plan that was changed in place is known by its figures. */
#include "ui/after.h"
#include <string.h>
#include "ui/map_cell.h"

static bool is_fresh(const struct app *a)
{
	const struct plan *p = a->plan;

	return a->after.plan == p && a->after.moves == p->moves.n &&
	       a->after.blocks == p->data_blocks && a->after.batches == p->price.batches;
}

const struct forecast *after_get(struct app *a)
{
	struct err err = ERR_INIT;

	if (!a->plan || !a->model)
		return NULL;
	if (is_fresh(a))
		return a->after.forecast;
	after_drop(a);
	a->after.plan = a->plan;
	a->after.moves = a->plan->moves.n;
	a->after.blocks = a->plan->data_blocks;
	a->after.batches = a->plan->price.batches;
	a->after.forecast = forecast_new(a->model, a->plan, &err);
	if (!a->after.forecast)
		app_log(a, true, "the plan cannot be shown: %s", err.msg);
	return a->after.forecast;
}

void after_drop(struct app *a)
{
	if (a->after.forecast)
		map_cache_invalidate(a->map_cache);
	forecast_free(a->after.forecast);
	memset(&a->after, 0, sizeof(a->after));
}
