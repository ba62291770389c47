/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep_lay.c - files one behind the other, as targets of a sweep.
 *
 * What cannot move parts the place into stretches. In each the files follow one another in
 * their order; one that does not fit any more waits for the next stretch and lets later
 * ones go first, but no more than a few, so that the order is kept but for the ends.
 */
#include <string.h>
#include "src/core/sweep.h"

#define WAITING_MAX 64u

struct waiting {
	inum_t ino;
	uint32_t blocks, tree;
};

struct lay {
	struct sweep *s;
	VEC(struct range) open; /* what is left of the stretches, by place */
	VEC(struct waiting) waiting;
	size_t at;	 /* in `open` */
	blkno_t longest; /* of the stretches still to come, this one too */
	blkno_t behind;
};

/* --- stretches --- */

struct walls {
	struct lay *l;
	blkno_t end; /* of what is open so far */
	bool oom;
};

static bool note_stretch(void *arg, const struct run *r)
{
	struct walls *w = arg;
	struct lay *l = w->l;
	struct range *last = l->open.n ? &l->open.v[l->open.n - 1] : NULL;

	if (sweep_is_wall(l->s->p, r))
		return true;
	if (last && last->start + last->len == r->phys)
		last->len += r->len;
	else
		w->oom = !vec_push(&l->open, (struct range){r->phys, r->len});
	return !w->oom;
}

static bool find_stretches(struct lay *l, struct range into)
{
	struct walls w = {.l = l};

	layout_walk(l->s->p->now, into.start, into.len, note_stretch, &w);
	return !w.oom || err_nomem(l->s->p->err);
}

static blkno_t longest_from(const struct lay *l, size_t i)
{
	blkno_t longest = 0;

	for (; i < l->open.n; i++)
		if (l->open.v[i].len > longest)
			longest = l->open.v[i].len;
	return longest;
}

/* --- files --- */

/* Puts n blocks at the front of an open stretch. */
static bool put(struct lay *l, size_t at, const struct target *t)
{
	struct range *r = &l->open.v[at];
	struct target placed = *t;

	placed.to = r->start;
	r->start += t->n;
	r->len -= t->n;
	if (r->start > l->behind)
		l->behind = r->start;
	return sweep_add(l->s, placed);
}

static bool put_whole(struct lay *l, size_t at, const struct waiting *f)
{
	struct target tree = {.ino = f->ino, .n = f->tree, .tree = true};
	struct target data = {.ino = f->ino, .n = f->blocks};

	return (!f->tree || put(l, at, &tree)) && put(l, at, &data);
}

/* In as few pieces as are left: into the longest stretches from `at` on. */
static bool put_in_pieces(struct lay *l, const struct waiting *f, size_t at)
{
	struct target t = {.ino = f->ino};
	uint32_t left = f->blocks;

	while (left) {
		size_t best = at;

		for (size_t i = at; i < l->open.n; i++)
			if (l->open.v[i].len > l->open.v[best].len)
				best = i;
		if (!l->open.v[best].len)
			return true; /* no room at all: it stays where it is */
		t.n = left < l->open.v[best].len ? left : (uint32_t)l->open.v[best].len;
		if (!put(l, best, &t))
			return false;
		t.first += t.n;
		left -= t.n;
	}
	return true;
}

/* False: an error. *ok: it has got its place, or waits for one. */
static bool place(struct lay *l, const struct waiting *f, bool *ok)
{
	blkno_t need = (blkno_t)f->blocks + f->tree;

	*ok = true;
	if (l->at < l->open.n && l->open.v[l->at].len >= need)
		return put_whole(l, l->at, f);
	*ok = false;
	return true;
}

/* Those that waited, as far as they fit into stretch l->at now. */
static bool serve_waiting(struct lay *l)
{
	size_t kept = 0;
	bool ok;

	for (size_t i = 0; i < l->waiting.n; i++) {
		if (!place(l, &l->waiting.v[i], &ok))
			return false;
		if (!ok)
			l->waiting.v[kept++] = l->waiting.v[i];
	}
	l->waiting.n = kept;
	return true;
}

static bool next_stretch(struct lay *l)
{
	l->at++;
	l->longest = longest_from(l, l->at);
	return serve_waiting(l);
}

static bool add_file(struct lay *l, const struct waiting *f)
{
	blkno_t need = (blkno_t)f->blocks + f->tree;
	bool ok;

	if (!place(l, f, &ok))
		return false;
	if (ok)
		return true;
	if (need > l->longest) /* waiting will not help it */
		return put_in_pieces(l, f, l->at < l->open.n ? l->at : 0);
	if (!vec_push(&l->waiting, *f))
		return err_nomem(l->s->p->err);
	while (l->waiting.n > WAITING_MAX && l->at < l->open.n)
		if (!next_stretch(l))
			return false;
	return true;
}

/* Can it move? What cannot is listed if it gains nothing by that. */
static bool take(struct lay *l, inum_t ino, struct waiting *f, bool *ok)
{
	struct planner *p = l->s->p;
	uint64_t blocks;

	*ok = false;
	if (!planner_begin(p, ino))
		return false;
	blocks = extent_blocks(p->old.v, p->old.n);
	if (!blocks)
		return true;
	*f = (struct waiting){ino, (uint32_t)blocks, planner_tree_joined(p)};
	*ok = !sweep_is_wall(p, &p->old.v[0]);
	if (*ok)
		return true;
	return vec_push(&p->out->skips,
			(struct skip){ino, SKIP_PINNED, 0,
				      extent_fragments(p->old.v, p->old.n),
				      model_ideal(p->m, blocks)}) ||
	       err_nomem(p->err);
}

static bool lay_all(struct lay *l, const inum_t *inos, size_t n)
{
	l->longest = longest_from(l, 0);
	for (size_t i = 0; i < n; i++) {
		struct waiting f;
		bool ok;

		if (!take(l, inos[i], &f, &ok) || (ok && !add_file(l, &f)))
			return false;
	}
	while (l->waiting.n && l->at + 1 < l->open.n)
		if (!next_stretch(l))
			return false;
	for (size_t i = 0; i < l->waiting.n; i++)
		if (!put_in_pieces(l, &l->waiting.v[i], 0))
			return false;
	return true;
}

bool sweep_lay(struct sweep *s, const inum_t *inos, size_t n, struct range into,
	       blkno_t *behind)
{
	struct lay l = {.s = s, .behind = into.start};
	bool ok = find_stretches(&l, into) && lay_all(&l, inos, n);

	*behind = l.behind;
	vec_release(&l.open);
	vec_release(&l.waiting);
	return ok;
}
