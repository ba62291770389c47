/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predict.c - a second model: all that stays, and what moves at its new place. */
#include <stdlib.h>
#include "core/predict.h"
#include "src/core/layout.h"

struct maker {
	const struct model *m;
	struct model *out;
	uint8_t *moved; /* one bit an inode */
	bool ok;
};

static bool has_moved(const struct maker *k, inum_t ino)
{
	return k->moved[ino / 8] >> ino % 8 & 1;
}

/* Inodes first: a run of the model always has one. */
static bool copy_inodes(struct maker *k)
{
	struct inode_info info;

	for (inum_t ino = 0; (ino = model_next_inode(k->m, ino));) {
		if (!model_inode(k->m, ino, &info) ||
		    !model_set_inode(k->out, ino, &info))
			return false;
		model_set_parent(k->out, ino, model_parent(k->m, ino));
	}
	return true;
}

static bool copy_run(void *arg, const struct run *r)
{
	struct maker *k = arg;

	if (r->kind == OWNER_FREE ||
	    (!r->ino && r->kind != OWNER_UNKNOWN && r->kind != OWNER_CLUSTER_PAD))
		return true; /* the geometry's own are there already */
	if (!r->ino || !has_moved(k, r->ino))
		k->ok = model_add_run(k->out, r);
	return k->ok;
}

static bool apply(struct layout *now, const struct plan *p, struct err *err)
{
	struct run_list old = {0}, fresh = {0};
	bool ok = true;

	for (size_t i = 0, end; ok && i < p->moves.n; i = end) {
		const struct move *m = &p->moves.v[i];

		for (end = i + 1; end < p->moves.n && p->moves.v[end].ino == m->ino &&
				  p->moves.v[end].batch == m->batch;)
			end++;
		old.n = fresh.n = 0;
		ok = layout_runs(now, m->ino, &old) || err_nomem(err);
		ok = ok && extent_apply(&old, m, end - i, &fresh, err);
		ok = ok && (layout_set(now, m->ino, &fresh) || err_nomem(err));
	}
	vec_release(&old);
	vec_release(&fresh);
	return ok;
}

static bool add_moved(struct maker *k, const struct layout *now)
{
	struct run_list runs = {0};
	bool ok = true;
	inum_t ino;

	for (size_t i = 0; ok && (ino = layout_touched(now, i)) != 0; i++) {
		runs.n = 0;
		ok = layout_runs(now, ino, &runs);
		for (size_t r = 0; ok && r < runs.n; r++) {
			runs.v[r].ino = ino;
			ok = model_add_run(k->out, &runs.v[r]);
		}
	}
	vec_release(&runs);
	return ok;
}

struct model *model_predict(const struct model *m, const struct plan *p, struct err *err)
{
	const struct geom *g = model_geom(m);
	struct layout *now = layout_new(m);
	struct maker k = {m, model_new(g, err), calloc(1, g->inodes / 8 + 1), true};
	bool ok = (now && k.out && k.moved) || err_nomem(err);
	inum_t ino;

	ok = ok && apply(now, p, err);
	for (size_t i = 0; ok && (ino = layout_touched(now, i)) != 0; i++)
		k.moved[ino / 8] |= (uint8_t)(1u << ino % 8);
	if (ok) {
		ok = copy_inodes(&k);
		if (ok)
			model_walk(m, g->first_block, g->blocks - g->first_block,
				   copy_run, &k);
		ok = (ok && k.ok && add_moved(&k, now)) || err_nomem(err);
	}
	ok = ok && model_seal(k.out, NULL, 1, NULL, err);
	layout_free(now);
	free(k.moved);
	if (ok)
		return k.out;
	model_free(k.out);
	return NULL;
}
