/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast.c - a plan is replayed on a layout; what its files then own is kept, sorted by
 * place. A walk goes through the model and replaces what belongs to these files, and what
 * is free, by what of these runs lies there.
 */
#include <string.h>
#include "core/forecast.h"
#include "src/core/layout.h"
#include "src/core/model_priv.h"

struct forecast {
	const struct model *m;
	struct run_list runs; /* by place */
	uint8_t *moves;	      /* bit i: inode i is in the plan */
};

static bool is_moved(const struct forecast *f, inum_t ino)
{
	return f->moves[ino / 8] >> (ino % 8) & 1;
}

/* --- making it --- */

/* Moves [i, end): all of one inode in one batch. */
static bool replay_inode(struct layout *now, const struct move *moves, size_t n,
			 struct run_list *old, struct run_list *fresh, struct err *err)
{
	old->n = fresh->n = 0;
	if (!layout_runs(now, moves->ino, old))
		return err_nomem(err);
	return extent_apply(old, moves, n, fresh, err) &&
	       (layout_set(now, moves->ino, fresh) || err_nomem(err));
}

static bool replay(struct layout *now, const struct plan *p, struct err *err)
{
	struct run_list old = {0}, fresh = {0};
	bool ok = true;

	for (size_t i = 0, end; ok && i < p->moves.n; i = end) {
		const struct move *m = &p->moves.v[i];

		for (end = i + 1; end < p->moves.n && p->moves.v[end].ino == m->ino &&
				  p->moves.v[end].batch == m->batch;)
			end++;
		ok = replay_inode(now, m, end - i, &old, &fresh, err);
	}
	vec_release(&old);
	vec_release(&fresh);
	return ok;
}

static bool collect(struct forecast *f, const struct layout *now)
{
	inum_t ino;

	for (size_t i = 0; (ino = layout_touched(now, i)) != 0; i++) {
		size_t first = f->runs.n;

		if (!layout_runs(now, ino, &f->runs))
			return false;
		model_mark_fragments(f->m, f->runs.v + first, f->runs.n - first);
		f->moves[ino / 8] |= (uint8_t)(1u << (ino % 8));
	}
	if (f->runs.n)
		qsort(f->runs.v, f->runs.n, sizeof(*f->runs.v), model_run_by_place);
	return true;
}

struct forecast *forecast_new(const struct model *m, const struct plan *p,
			      struct err *err)
{
	struct forecast *f = calloc(1, sizeof(*f));
	struct layout *now = layout_new(m);
	bool ok;

	if (f) {
		f->m = m;
		f->moves = calloc((size_t)model_geom(m)->inodes / 8 + 1, 1);
	}
	ok = (f && now && f->moves) || err_nomem(err);
	ok = ok && replay(now, p, err) && (collect(f, now) || err_nomem(err));
	layout_free(now);
	if (ok)
		return f;
	forecast_free(f);
	return NULL;
}

void forecast_free(struct forecast *f)
{
	if (!f)
		return;
	vec_release(&f->runs);
	free(f->moves);
	free(f);
}

/* --- asking --- */

/* Index of the first run that ends after b. */
static size_t run_after(const struct run_list *l, blkno_t b)
{
	size_t lo = 0, hi = l->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->v[mid].phys + l->v[mid].len > b)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

struct walk {
	const struct forecast *f;
	size_t next; /* in f->runs */
	bool (*fn)(void *arg, const struct run *r);
	void *arg;
};

/* The part of r inside [start, end). */
static struct run part(struct run r, blkno_t start, blkno_t end)
{
	if (r.phys < start) {
		uint32_t cut = (uint32_t)(start - r.phys);

		r.phys = start;
		r.len -= cut;
		r.lblk += owner_is_data(r.kind) ? cut : 0;
	}
	if (r.phys + r.len > end)
		r.len = (uint32_t)(end - r.phys);
	return r;
}

static bool on_run(void *arg, const struct run *r)
{
	struct walk *w = arg;
	const struct run_list *l = &w->f->runs;
	blkno_t at = r->phys, end = r->phys + r->len;

	if (r->kind != OWNER_FREE && !(r->ino && is_moved(w->f, r->ino)))
		return w->fn(w->arg, r);
	while (at < end) {
		struct run piece = {.phys = at, .len = (uint32_t)(end - at)};

		while (w->next < l->n && l->v[w->next].phys + l->v[w->next].len <= at)
			w->next++;
		if (w->next < l->n && l->v[w->next].phys <= at)
			piece = part(l->v[w->next], at, end);
		else if (w->next < l->n && l->v[w->next].phys < end)
			piece.len = (uint32_t)(l->v[w->next].phys - at);
		if (!w->fn(w->arg, &piece))
			return false;
		at += piece.len;
	}
	return true;
}

void forecast_walk(const struct forecast *f, blkno_t start, blkno_t len,
		   bool (*fn)(void *arg, const struct run *r), void *arg)
{
	struct walk w = {f, run_after(&f->runs, start), fn, arg};

	model_walk(f->m, start, len, on_run, &w);
}

void forecast_at(const struct forecast *f, blkno_t b, struct run *out)
{
	size_t i = run_after(&f->runs, b);
	blkno_t start, end;

	if (i < f->runs.n && f->runs.v[i].phys <= b) {
		*out = f->runs.v[i];
		return;
	}
	model_at(f->m, b, out);
	if (out->kind != OWNER_FREE && !(out->ino && is_moved(f, out->ino)))
		return;
	/* Free then: from the end of the run before to the start of the next, inside of what
	 * the model has here. */
	start = out->phys;
	end = out->phys + out->len;
	if (i > 0 && f->runs.v[i - 1].phys + f->runs.v[i - 1].len > start)
		start = f->runs.v[i - 1].phys + f->runs.v[i - 1].len;
	if (i < f->runs.n && f->runs.v[i].phys < end)
		end = f->runs.v[i].phys;
	*out = (struct run){.phys = start, .len = (uint32_t)(end - start)};
}
