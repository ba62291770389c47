/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_piece.c - what lies in a range, in stretches that can only move as one. */
#include "src/core/sweep.h"

struct gather {
	struct planner *p;
	struct inum_list inos;
	struct piece_list *out;
	bool oom;
};

static bool note(void *arg, const struct run *r)
{
	struct gather *g = arg;
	struct piece wall = {.phys = r->phys, .n = r->len, .wall = true};

	if (r->kind == OWNER_FREE)
		return true;
	wall.ino = r->ino;
	if (sweep_is_wall(g->p, r))
		g->oom = !vec_push(g->out, wall);
	else
		g->oom = !vec_push(&g->inos, r->ino);
	return !g->oom;
}

static int by_number(const void *a, const void *b)
{
	inum_t x = *(const inum_t *)a, y = *(const inum_t *)b;

	return x < y ? -1 : x > y;
}

static int by_place(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->phys < y->phys ? -1 : x->phys > y->phys;
}

/* The part of a run inside the range. With `whole`, a run that reaches over an end of it
 * is a wall: its parts would come apart. */
static bool add_part(struct piece_list *out, const struct run *r, uint64_t first,
		     struct range in, bool whole)
{
	blkno_t lo = r->phys > in.start ? r->phys : in.start;
	blkno_t hi = r->phys + r->len, end = in.start + in.len;
	struct piece p = {.ino = r->ino, .tree = !owner_is_data(r->kind)};

	hi = hi < end ? hi : end;
	if (lo >= hi)
		return true;
	p.phys = lo;
	p.n = (uint32_t)(hi - lo);
	p.first = p.tree ? 0 : first + (lo - r->phys);
	p.wall = whole && p.n < r->len;
	return vec_push(out, p);
}

/* Data runs that continue each other on the volume and in the file are one. */
static bool add_inode(struct planner *p, inum_t ino, struct range in, bool whole,
		      struct piece_list *out)
{
	uint64_t first = 0;

	if (!planner_begin(p, ino))
		return false;
	for (size_t i = 0, end; i < p->old.n; i = end) {
		struct run r = p->old.v[i];
		bool data = owner_is_data(r.kind);

		for (end = i + 1; end < p->old.n; end++) {
			const struct run *next = &p->old.v[end];

			if (next->phys != r.phys + r.len ||
			    owner_is_data(next->kind) != data)
				break;
			r.len += next->len;
		}
		if (!add_part(out, &r, first, in, whole))
			return err_nomem(p->err);
		first += data ? r.len : 0;
	}
	return true;
}

bool sweep_pieces(struct planner *p, struct range in, bool whole, struct piece_list *out)
{
	struct gather g = {.p = p, .out = out};
	bool ok;

	layout_walk(p->now, in.start, in.len, note, &g);
	ok = !g.oom || err_nomem(p->err);
	if (g.inos.n)
		qsort(g.inos.v, g.inos.n, sizeof(*g.inos.v), by_number);
	for (size_t i = 0; ok && i < g.inos.n; i++)
		if (i == 0 || g.inos.v[i] != g.inos.v[i - 1])
			ok = add_inode(p, g.inos.v[i], in, whole, out);
	if (ok && out->n)
		qsort(out->v, out->n, sizeof(*out->v), by_place);
	vec_release(&g.inos);
	return ok;
}
