/* SPDX-License-Identifier: GPL-3.0-or-later */
/* groups.c - see groups.h. */
#include "ui/groups.h"
#include <stdlib.h>
#include <string.h>

struct groups {
	struct group_stat *stat; /* blocks 0: not known */
	group_t n;
};

struct groups *groups_new(void)
{
	return calloc(1, sizeof(struct groups));
}

void groups_free(struct groups *g)
{
	if (g)
		free(g->stat);
	free(g);
}

void groups_forget(struct groups *g)
{
	free(g->stat);
	g->stat = NULL;
	g->n = 0;
}

const struct group_stat *groups_get(struct groups *g, const struct model *m,
				    group_t group)
{
	if (!g->stat) {
		g->n = model_geom(m)->groups;
		g->stat = calloc(g->n, sizeof(*g->stat));
	}
	if (!g->stat || group >= g->n ||
	    (g->stat[group].blocks == 0 && !group_stat(m, group, &g->stat[group])))
		return NULL;
	return &g->stat[group];
}

static void forget_range(struct groups *g, const struct model *m, const struct run *r)
{
	group_t first = geom_group_of(model_geom(m), r->phys);
	group_t last = geom_group_of(model_geom(m), r->phys + r->len - 1);

	for (group_t i = first; i <= last; i++)
		g->stat[i].blocks = 0;
}

void groups_touch(struct groups *g, const struct model *m, const struct move *moves,
		  size_t n)
{
	struct run_list runs = {NULL, 0, 0};

	for (size_t i = 0; g->stat && i < n; i++) {
		if (i > 0 && moves[i].ino == moves[i - 1].ino)
			continue;
		runs.n = 0;
		if (!model_runs(m, moves[i].ino, &runs)) {
			groups_forget(g);
			break;
		}
		for (size_t k = 0; k < runs.n; k++)
			forget_range(g, m, &runs.v[k]);
	}
	free(runs.v);
}
