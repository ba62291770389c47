/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout.c - see layout.h: a hash of touched inodes, a pool of their runs, and a sorted
 * list of pieces per block group.
 */
#include <string.h>
#include "core/extent.h"
#include "src/core/layout.h"

struct touched {
	inum_t ino;
	uint32_t mark;
	uint32_t origin; /* fragments in the model */
	uint32_t n, cap; /* runs, and room for them in the pool */
	size_t first;
};

/* A stretch of one owner inside a block group. */
struct piece {
	blkno_t start;
	uint32_t len;
	inum_t ino;
};
/* The kind needs no room of its own: it is the top byte of `start`. */
#define PIECE_KIND_SHIFT 56
#define PIECE_START(p)	 ((p)->start & ((1ull << PIECE_KIND_SHIFT) - 1))
#define PIECE_KIND(p)	 ((enum owner_kind)((p)->start >> PIECE_KIND_SHIFT))

struct pieces {
	struct piece *v;
	size_t n, cap;
};

struct layout {
	const struct model *m;
	const struct geom *g;
	VEC(struct touched) touched;
	uint32_t *hash; /* index in touched + 1 */
	size_t hash_size;
	VEC(struct run) pool;
	struct pieces *group;
};

struct layout *layout_new(const struct model *m)
{
	struct layout *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->m = m;
	l->g = model_geom(m);
	l->hash_size = 1024;
	l->hash = calloc(l->hash_size, sizeof(*l->hash));
	l->group = calloc(l->g->groups, sizeof(*l->group));
	if (l->hash && l->group)
		return l;
	layout_free(l);
	return NULL;
}

void layout_free(struct layout *l)
{
	if (!l)
		return;
	for (group_t i = 0; l->group && i < l->g->groups; i++)
		free(l->group[i].v);
	vec_release(&l->touched);
	vec_release(&l->pool);
	free(l->hash);
	free(l->group);
	free(l);
}

/* --- the hash --- */

static size_t hash_at(const struct layout *l, inum_t ino)
{
	size_t i = (size_t)(ino * 2654435761u) & (l->hash_size - 1);

	while (l->hash[i] && l->touched.v[l->hash[i] - 1].ino != ino)
		i = (i + 1) & (l->hash_size - 1);
	return i;
}

static struct touched *find(const struct layout *l, inum_t ino)
{
	uint32_t at = l->hash[hash_at(l, ino)];

	return at ? &l->touched.v[at - 1] : NULL;
}

static bool hash_grow(struct layout *l)
{
	uint32_t *old = l->hash;
	uint32_t *grown;

	if (l->touched.n * 2 < l->hash_size)
		return true;
	grown = calloc(l->hash_size * 2, sizeof(*grown));
	if (!grown)
		return false;
	l->hash = grown;
	l->hash_size *= 2;
	for (uint32_t i = 0; i < l->touched.n; i++)
		l->hash[hash_at(l, l->touched.v[i].ino)] = i + 1;
	free(old);
	return true;
}

static struct touched *find_or_add(struct layout *l, inum_t ino)
{
	struct touched *t = find(l, ino), fresh = {.ino = ino};
	struct run_list runs = {0};
	bool ok;

	if (t)
		return t;
	ok = model_runs(l->m, ino, &runs);
	fresh.origin = extent_fragments(runs.v, runs.n);
	vec_release(&runs);
	if (!ok || !hash_grow(l) || !vec_push(&l->touched, fresh))
		return NULL;
	l->hash[hash_at(l, ino)] = (uint32_t)l->touched.n;
	return &l->touched.v[l->touched.n - 1];
}

inum_t layout_touched(const struct layout *l, size_t i)
{
	return i < l->touched.n ? l->touched.v[i].ino : 0;
}

uint32_t layout_origin(const struct layout *l, inum_t ino)
{
	const struct touched *t = find(l, ino);

	return t ? t->origin : UINT32_MAX;
}

uint32_t layout_mark(const struct layout *l, inum_t ino)
{
	const struct touched *t = find(l, ino);

	return t ? t->mark : 0;
}

void layout_set_mark(struct layout *l, inum_t ino, uint32_t mark)
{
	struct touched *t = find(l, ino);

	if (t)
		t->mark = mark;
}

/* --- pieces by place --- */

/* Index of the first piece of the group that ends after b. */
static size_t piece_after(const struct pieces *p, blkno_t b)
{
	size_t lo = 0, hi = p->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (PIECE_START(&p->v[mid]) + p->v[mid].len > b)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static bool place_piece(struct layout *l, const struct run *r)
{
	struct pieces *p = &l->group[geom_group_of(l->g, r->phys)];
	size_t i = piece_after(p, r->phys);

	if (!vec_reserve(p, p->n + 1))
		return false;
	memmove(p->v + i + 1, p->v + i, (p->n - i) * sizeof(*p->v));
	p->v[i] = (struct piece){r->phys | (uint64_t)r->kind << PIECE_KIND_SHIFT, r->len,
				 r->ino};
	p->n++;
	return true;
}

static bool remove_piece(struct layout *l, const struct run *r)
{
	struct pieces *p = &l->group[geom_group_of(l->g, r->phys)];
	size_t i = piece_after(p, r->phys);

	p->n--;
	memmove(p->v + i, p->v + i + 1, (p->n - i) * sizeof(*p->v));
	return true;
}

/* Does it for each part of r that lies in one group. */
static bool each_part(struct layout *l, struct run r,
		      bool (*fn)(struct layout *, const struct run *))
{
	while (r.len) {
		group_t group = geom_group_of(l->g, r.phys);
		blkno_t end = geom_group_start(l->g, group) + geom_group_len(l->g, group);
		struct run part = r;

		if (part.len > end - part.phys)
			part.len = (uint32_t)(end - part.phys);
		if (!fn(l, &part))
			return false;
		r.phys += part.len;
		r.len -= part.len;
	}
	return true;
}

/* --- runs by inode --- */

bool layout_runs(const struct layout *l, inum_t ino, struct run_list *out)
{
	const struct touched *t = find(l, ino);

	if (!t)
		return model_runs(l->m, ino, out);
	if (!vec_reserve(out, out->n + t->n))
		return false;
	if (t->n)
		memcpy(out->v + out->n, l->pool.v + t->first, t->n * sizeof(*out->v));
	out->n += t->n;
	return true;
}

bool layout_set(struct layout *l, inum_t ino, const struct run_list *runs)
{
	struct touched *t = find_or_add(l, ino);

	if (!t)
		return false;
	for (uint32_t i = 0; i < t->n; i++)
		each_part(l, l->pool.v[t->first + i], remove_piece);
	if (runs->n > t->cap) {
		if (!vec_reserve(&l->pool, l->pool.n + runs->n))
			return false;
		t->first = l->pool.n;
		t->cap = (uint32_t)runs->n;
		l->pool.n += runs->n;
	}
	t->n = (uint32_t)runs->n;
	for (size_t i = 0; i < runs->n; i++) {
		l->pool.v[t->first + i] = runs->v[i];
		if (!each_part(l, runs->v[i], place_piece))
			return false;
	}
	return true;
}

/* --- walking --- */

struct walk {
	const struct layout *l;
	blkno_t at, end;
	group_t group; /* next piece: group[group].v[index] */
	size_t index;
	bool (*fn)(void *arg, const struct run *r);
	void *arg;
	bool go_on;
};

/* Hands out the hole before r and r itself, clipped. */
static void emit(struct walk *w, struct run r)
{
	while (w->go_on && w->at < r.phys) {
		struct run hole = {.phys = w->at, .kind = OWNER_FREE};

		hole.len = r.phys - w->at < UINT32_MAX ? (uint32_t)(r.phys - w->at)
						       : UINT32_MAX;
		w->at += hole.len;
		w->go_on = w->fn(w->arg, &hole);
	}
	if (!w->go_on || !r.len || r.phys + r.len <= w->at)
		return;
	r.len -= (uint32_t)(w->at - r.phys);
	r.phys = w->at;
	if (r.len > w->end - r.phys)
		r.len = (uint32_t)(w->end - r.phys);
	w->at = r.phys + r.len;
	w->go_on = w->fn(w->arg, &r);
}

/* All pieces that start before `before`. */
static void emit_pieces(struct walk *w, blkno_t before)
{
	const struct layout *l = w->l;

	while (w->go_on && w->group < l->g->groups) {
		const struct pieces *p = &l->group[w->group];
		const struct piece *x = p->v + w->index;

		if (w->index == p->n) {
			w->group++;
			w->index = 0;
			if (w->group < l->g->groups &&
			    geom_group_start(l->g, w->group) >= before)
				return;
			continue;
		}
		if (PIECE_START(x) >= before)
			return;
		w->index++;
		emit(w, (struct run){.phys = PIECE_START(x),
				     .len = x->len,
				     .ino = x->ino,
				     .kind = PIECE_KIND(x)});
	}
}

static bool on_model_run(void *arg, const struct run *r)
{
	struct walk *w = arg;

	if (r->kind == OWNER_FREE || (r->ino && find(w->l, r->ino)))
		return w->go_on;
	emit_pieces(w, r->phys);
	emit(w, *r);
	return w->go_on;
}

void layout_walk(const struct layout *l, blkno_t start, blkno_t len,
		 bool (*fn)(void *arg, const struct run *r), void *arg)
{
	struct walk w = {.l = l, .at = start, .end = start + len, .go_on = true};

	if (w.at < l->g->first_block)
		w.at = l->g->first_block;
	if (w.end > l->g->blocks || w.end < start)
		w.end = l->g->blocks;
	if (w.at >= w.end)
		return;
	w.fn = fn;
	w.arg = arg;
	w.group = geom_group_of(l->g, w.at);
	w.index = piece_after(&l->group[w.group], w.at);
	model_walk(l->m, w.at, w.end - w.at, on_model_run, &w);
	emit_pieces(&w, w.end);
	emit(&w, (struct run){.phys = w.end});
}
