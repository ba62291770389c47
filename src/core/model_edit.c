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

static int by_place(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return x->phys < y->phys ? -1 : x->phys > y->phys;
}

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

/* New runs by place: inside the volume, apart from each other, on free blocks or on the
 * file's own. */
static bool check_new(const struct model *m, inum_t ino, const struct run_list *by_phys,
		      struct err *err)
{
	const struct geom *g = m->geom;

	for (size_t i = 0; i < by_phys->n; i++) {
		const struct run *r = &by_phys->v[i];
		struct owner_check c = {ino, true};

		if (r->len && r->phys >= g->first_block && r->phys < g->blocks &&
		    r->len <= g->blocks - r->phys && r->ino == ino &&
		    (i == 0 || r[-1].phys + r[-1].len <= r->phys)) {
			model_walk(m, r->phys, r->len, check_owner, &c);
			if (c.ok)
				continue;
		}
		err_set(err, ERR_BUG, "inode %u cannot own blocks %llu+%u: not free", ino,
			(unsigned long long)r->phys, r->len);
		return false;
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

static bool reserve_refs(struct chunk *c, uint32_t need)
{
	uint64_t *ref;

	if (need <= c->ref_cap)
		return true;
	ref = realloc(c->ref, (need + need / 16 + 8) * sizeof(*ref));
	if (!ref)
		return false;
	c->ref = ref;
	c->ref_cap = need + need / 16 + 8;
	return true;
}

static void drop_from_span(struct span *s, inum_t ino)
{
	uint32_t out = 0;

	for (uint32_t i = 0; i < s->n; i++)
		if (s->v[i].ino != ino)
			s->v[out++] = s->v[i];
	s->n = out;
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
	while (to > from) {
		const struct run *r = &by_phys->v[to - 1];
		uint32_t off = (uint32_t)(r->phys - base);

		if (have && PACK_OFF(&s->v[have - 1]) > off) {
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
	uint32_t last = UINT32_MAX;

	for (size_t i = 0; i < old->n; i++) {
		uint32_t span = model_span_of(m, old->v[i].phys);

		if (span != last)
			drop_from_span(&m->span[span], ino);
		last = span;
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
	uint32_t first, end;
	struct chunk *c = model_refs(m, ino, &first, &end);
	uint64_t bits = (uint64_t)((ino - 1) % m->geom->inodes_per_group)
			<< REF_BLOCK_BITS;
	uint32_t n = (uint32_t)in_order->n;

	if (c->refs > end)
		memmove(c->ref + first + n, c->ref + end,
			(c->refs - end) * sizeof(*c->ref));
	for (uint32_t i = 0; i < n; i++)
		c->ref[first + i] = bits | in_order->v[i].phys;
	c->refs = c->refs - (end - first) + n;
}

bool model_replace(struct model *m, inum_t ino, const struct run_list *runs,
		   struct err *err)
{
	struct run_list old = {0}, pieces = {0}, by_phys = {0};
	uint32_t first = 0, end = 0;
	struct chunk *c = model_refs(m, ino, &first, &end);
	bool ok = false;

	if (!c) {
		err_set(err, ERR_BUG, "there is no inode %u", ino);
		return false;
	}
	if (!model_runs(m, ino, &old) || !split_at_spans(m, runs, &pieces) ||
	    !vec_reserve(&by_phys, pieces.n)) {
		err_nomem(err);
		goto out;
	}
	if (pieces.n) {
		qsort(pieces.v, pieces.n, sizeof(*pieces.v), model_run_order);
		model_mark_fragments(m, pieces.v, pieces.n);
		memcpy(by_phys.v, pieces.v, pieces.n * sizeof(*pieces.v));
		by_phys.n = pieces.n;
		qsort(by_phys.v, by_phys.n, sizeof(*by_phys.v), by_place);
	}
	if (!check_new(m, ino, &by_phys, err))
		goto out;
	if (!reserve_spans(m, &by_phys) ||
	    !reserve_refs(c, c->refs - (end - first) + (uint32_t)pieces.n)) {
		err_nomem(err);
		goto out;
	}
	if (old.n)
		qsort(old.v, old.n, sizeof(*old.v), by_place);
	replace_in_spans(m, ino, &old, &by_phys);
	replace_refs(m, ino, &pieces);
	ok = true;
out:
	vec_release(&old);
	vec_release(&pieces);
	vec_release(&by_phys);
	return ok;
}
