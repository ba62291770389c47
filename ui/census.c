/* SPDX-License-Identifier: GPL-3.0-or-later */
/* census.c - see census.h. */
#include "ui/census.h"
#include <stdio.h>
#include <string.h>
#include "core/model.h"
#include "ui/map_paint.h"

#define RUNS_MAX 4000000u /* some 30 ms */

static bool count(void *arg, const struct run *r)
{
	struct census *c = arg;

	c->blocks[map_class_of(r)] += r->len;
	c->total += r->len;
	return true;
}

bool census_take(struct census *c, const struct model *m)
{
	const struct geom *g = model_geom(m);
	struct model_stats stats;

	if (c->model == m)
		return true;
	model_stats(m, &stats);
	if (stats.runs > RUNS_MAX)
		return false;
	memset(c, 0, sizeof(*c));
	c->model = m;
	model_walk(m, g->first_block, g->blocks - g->first_block, count, c);
	return true;
}

void census_forget(struct census *c)
{
	c->model = NULL;
}

void census_percent(const struct census *c, int style, char out[8])
{
	uint64_t part = c->blocks[style], percent;

	out[0] = '\0';
	if (part == 0 || c->total == 0)
		return;
	percent = (uint64_t)(100.0 * (double)part / (double)c->total + 0.5);
	if (percent == 0)
		snprintf(out, 8, "<1%%");
	else
		snprintf(out, 8, "%u%%", (unsigned)(percent % 1000));
}
