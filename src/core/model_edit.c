/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model_edit.c - changing a sealed model: one file's runs for others.
 *
 * Everything that may fail happens first (checks, memory); then spans are filtered and
 * merged in one pass each, so that a file in 100,000 pieces costs no more than the spans
 * it touches.
 */
#include <string.h>
#include "src/core/model_priv.h"

struct owner_check {
	inum_t ino;
	bool ok;
};

static bool check_owner(void *arg, const struct run *r)
{
	struct owner_check *c = arg;

	c->ok = r->kind == OWNER_FREE || r->ino == c->ino;
	return c->ok;
}

static bool cannot_own(struct err *err, inum_t ino, const struct run *r, const char *why)
{
	err_set(err, ERR_BUG, "inode %u cannot own blocks %llu+%u: %s", ino,
		(unsigned long long)r->phys, r->len, why);
	return false;
}

static bool check_inside(const struct model *m, inum_t ino, const struct run_list *runs,
			 struct err *err)
{
	const struct geom *g = m->geom;

	for (size_t i = 0; i < runs->n; i++) {
		const struct run *r = &runs->v[i];

		if (r->ino != ino || r->kind == OWNER_FREE || r->kind >= OWNER_KINDS)
			return cannot_own(err, ino, r, "not a run of its own");
		if (!r->len || r->phys < g->first_block || r->phys >= g->blocks ||
		    r->len > g->blocks - r->phys)
			return cannot_own(err, ino, r, "outside the volume");
	}
	return true;
}

/* New runs by place: apart from each other, on free blocks or on the file's own. */
static bool check_free(const struct model *m, inum_t ino, const struct run_list *by_phys,
		       struct err *err)
{
	for (size_t i = 0; i < by_phys->n; i++) {
		const struct run *r = &by_phys->v[i];
		struct owner_check c = {ino, true};

		if (i && r[-1].phys + r[-1].len > r->phys)
			return cannot_own(err, ino, r, "twice");
		model_walk(m, r->phys, r->len, check_owner, &c);
		if (!c.ok)
			return cannot_own(err, ino, r, "not free");
	}
	return true;
}

/* Cuts runs at span edges, so that each piece lies in one span. False: out of memory. */
static bool split_at_spans(const struct model *m, const struct run_list *in,
			   struct run_list *out)
{
	for (size_t i = 0; i < in->n; i++) {
		struct run r = in->v[i];

		while (r.len) {
			uint32_t span = model_span_of(m, r.phys);
			blkno_t edge = model_span_start(m, span) + m->span_blocks;
			struct run piece = r;

			if (piece.len > edge - piece.phys)
				piece.len = (uint32_t)(edge - piece.phys);
			if (!vec_push(out, piece))
				return false;
			r.phys += piece.len;
			r.len -= piece.len;
			if (owner_is_data(r.kind))
				r.lblk += piece.len;
		}
	}
	return true;
}

/* Makes room in every span that gains runs. */
static bool reserve_spans(struct model *m, const struct run_list *by_phys)
{
	for (size_t i = 0, end; i < by_phys->n; i = end) {
		uint32_t span = model_span_of(m, by_phys->v[i].phys);

		for (end = i + 1;
		     end < by_phys->n && model_span_of(m, by_phys->v[end].phys) == span;)
			end++;
		if (!span_reserve(&m->span[span], m->span[span].n + (uint32_t)(end - i)))
			return false;
	}
	return true;
}

/* Takes the file's runs out, of which [first, last] are the lowest and the highest in this
 * span. */
static void drop_from_span(struct model *m, inum_t ino, blkno_t first, blkno_t last)
{
	struct span *s = &m->span[model_span_of(m, first)];
	uint32_t out = (uint32_t)(model_find(m, first) - s->v);
	uint32_t end = (uint32_t)(model_find(m, last) - s->v) + 1;

	for (uint32_t i = out; i < end; i++)
		if (s->v[i].ino != ino)
			s->v[out++] = s->v[i];
	memmove(s->v + out, s->v + end, (s->n - end) * sizeof(*s->v));
	s->n -= end - out;
	model_note_span(m, model_span_of(m, first));
}

/* Merges pieces [from, to), all of one span, into it from the back. */
static void merge_into_span(struct model *m, const struct run_list *by_phys, size_t from,
			    size_t to)
{
	uint32_t span = model_span_of(m, by_phys->v[from].phys);
	blkno_t base = model_span_start(m, span);
	struct span *s = &m->span[span];
	uint32_t have = s->n, at = s->n + (uint32_t)(to - from);

	s->n = at;
	model_note_span(m, span);
	while (to > from) {
		const struct run *r = &by_phys->v[to - 1];
		uint32_t off = (uint32_t)(r->phys - base);

		if (have && pack_off(&s->v[have - 1]) > off) {
			s->v[--at] = s->v[--have];
		} else {
			s->v[--at] = model_pack(off, r);
			to--;
		}
	}
}

static void replace_in_spans(struct model *m, inum_t ino, const struct run_list *old,
			     const struct run_list *by_phys)
{
	for (size_t i = 0, end; i < old->n; i = end) {
		uint32_t span = model_span_of(m, old->v[i].phys);

		for (end = i + 1;
		     end < old->n && model_span_of(m, old->v[end].phys) == span;)
			end++;
		drop_from_span(m, ino, old->v[i].phys, old->v[end - 1].phys);
	}
	for (size_t i = 0, end; i < by_phys->n; i = end) {
		uint32_t span = model_span_of(m, by_phys->v[i].phys);

		for (end = i + 1;
		     end < by_phys->n && model_span_of(m, by_phys->v[end].phys) == span;)
			end++;
		merge_into_span(m, by_phys, i, end);
	}
}

static void replace_refs(struct model *m, inum_t ino, const struct run_list *in_order)
{
	struct refs *refs = &m->chunk[(ino - 1) / m->per].refs;
	uint32_t at = (ino - 1) % m->per, first, end;

	refs_resize(refs, m->per, at, (uint32_t)in_order->n);
	refs_range(refs, at, &first, &end);
	for (uint32_t i = first; i < end; i++)
		refs_set(refs, i, in_order->v[i - first].phys);
}

/* The pieces that the runs fall into, in order and marked, and the same by place. */
static bool prepare(const struct model *m, const struct run_list *runs,
		    struct run_list *pieces, struct run_list *by_phys)
{
	struct run_list whole = {0};
	bool ok = vec_reserve(&whole, runs->n);

	if (ok && runs->n) { /* joined as the seal joins them */
		memcpy(whole.v, runs->v, runs->n * sizeof(*whole.v));
		qsort(whole.v, runs->n, sizeof(*whole.v), model_run_order);
		whole.n = extent_merge(whole.v, runs->n);
	}
	ok = ok && split_at_spans(m, &whole, pieces) && vec_reserve(by_phys, pieces->n);
	vec_release(&whole);
	if (!ok || pieces->n == 0)
		return ok;
	model_mark_fragments(m, pieces->v, pieces->n);
	memcpy(by_phys->v, pieces->v, pieces->n * sizeof(*pieces->v));
	by_phys->n = pieces->n;
	qsort(by_phys->v, by_phys->n, sizeof(*by_phys->v), model_run_by_place);
	return true;
}

bool model_replace(struct model *m, inum_t ino, const struct run_list *runs,
		   struct err *err)
{
	struct run_list old = {0}, pieces = {0}, by_phys = {0};
	struct refs *refs;
	bool ok = false;

	if (ino == 0 || ino > m->geom->inodes) {
		err_set(err, ERR_BUG, "there is no inode %u", ino);
		return false;
	}
	refs = &m->chunk[(ino - 1) / m->per].refs;
	if (!check_inside(m, ino, runs, err))
		return false;
	if (!model_runs(m, ino, &old) || !prepare(m, runs, &pieces, &by_phys)) {
		err_nomem(err);
		goto out;
	}
	if (!check_free(m, ino, &by_phys, err))
		goto out;
	if (!reserve_spans(m, &by_phys) ||
	    !refs_reserve(refs, m->per, refs->n - (uint32_t)old.n + (uint32_t)pieces.n,
			  m->wide)) {
		err_nomem(err);
		goto out;
	}
	if (old.n)
		qsort(old.v, old.n, sizeof(*old.v), model_run_by_place);
	replace_in_spans(m, ino, &old, &by_phys);
	replace_refs(m, ino, &pieces);
	ok = true;
out:
	vec_release(&old);
	vec_release(&pieces);
	vec_release(&by_phys);
	return ok;
}
