/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_order.c - the files of a goal in the order that was wished for. */
#include <stdlib.h>
#include <string.h>
#include "src/engine/engine_priv.h"

struct keyed {
	int64_t key;
	inum_t ino;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static int64_t key_of(const struct model *m, const struct times_list *times, inum_t ino,
		      enum goal_order order)
{
	const struct inode_times *t = times_find(times, ino);
	struct inode_info info;

	switch (order) {
	case GOAL_ORDER_SIZE:
		return model_inode(m, ino, &info) ? (int64_t)info.size : 0;
	case GOAL_ORDER_MTIME:
		return t ? t->mtime : 0;
	case GOAL_ORDER_ATIME:
		return t ? t->atime : 0;
	default:
		return 0; /* by number alone */
	}
}

static bool sort_by_key(struct engine *e, const struct model *m, struct goal_request *g,
			struct inum_list *out, struct err *err)
{
	struct keyed *v = malloc((g->ino_count + 1) * sizeof(*v));
	struct times_list times = {0};
	bool ok = v || err_nomem(err);

	if (ok && (g->order == GOAL_ORDER_MTIME || g->order == GOAL_ORDER_ATIME))
		ok = engine_need_volume(e, err) &&
		     survey_times(e->volume, m, &times, err);
	for (size_t i = 0; ok && i < g->ino_count; i++)
		v[i] = (struct keyed){key_of(m, &times, g->inos[i], g->order),
				      g->inos[i]};
	if (ok && g->ino_count)
		qsort(v, g->ino_count, sizeof(*v), by_key);
	for (size_t i = 0; ok && i < g->ino_count; i++)
		ok = vec_push(out, v[i].ino) || err_nomem(err);
	vec_release(&times);
	free(v);
	return ok;
}

/* The wanted ones of `walk` in its order, each once; then those that it does not name. */
static bool keep_wanted(const struct model *m, const struct goal_request *g,
			const struct inum_list *walk, struct inum_list *out,
			struct err *err)
{
	inum_t inodes = model_geom(m)->inodes;
	uint8_t *want = calloc(1, inodes / 8 + 1);
	bool ok = want || err_nomem(err);

	for (size_t i = 0; ok && i < g->ino_count; i++)
		if (g->inos[i] <= inodes)
			want[g->inos[i] / 8] |= (uint8_t)(1u << g->inos[i] % 8);
	for (size_t k = 0; ok && k < walk->n + g->ino_count; k++) {
		inum_t ino = k < walk->n ? walk->v[k] : g->inos[k - walk->n];

		if (ino > inodes || !(want[ino / 8] >> ino % 8 & 1))
			continue;
		want[ino / 8] &= (uint8_t) ~(1u << ino % 8);
		ok = vec_push(out, ino) || err_nomem(err);
	}
	free(want);
	return ok;
}

static bool sort_by_walk(struct engine *e, const struct model *m, struct goal_request *g,
			 struct inum_list *out, struct err *err)
{
	enum survey_order order =
		g->order == GOAL_ORDER_NAME ? ORDER_NAME : ORDER_READDIR;
	struct inum_list walk = {0};
	bool ok = engine_need_volume(e, err) &&
		  survey_tree(e->volume, m, 2, order, &walk, err) &&
		  keep_wanted(m, g, &walk, out, err);

	vec_release(&walk);
	return ok;
}

bool order_files(struct engine *e, const struct model *m, struct goal_request *g,
		 struct inum_list *sorted, struct err *err)
{
	bool walk = g->order == GOAL_ORDER_READDIR || g->order == GOAL_ORDER_NAME;

	if (g->order == GOAL_ORDER_GIVEN || !g->ino_count)
		return true;
	if (!(walk ? sort_by_walk(e, m, g, sorted, err)
		   : sort_by_key(e, m, g, sorted, err)))
		return false;
	g->inos = sorted->v;
	g->ino_count = sorted->n;
	return true;
}
