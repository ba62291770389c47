/* SPDX-License-Identifier: GPL-3.0-or-later */
/* map_seek.c - from hole to hole, file to file, fragment to fragment. */
#include <stdlib.h>
#include "core/extent.h"
#include "ui/map_frame.h"

struct seek {
	bool hole; /* free space wanted, else a file other than `not` */
	inum_t not ;
	blkno_t found;
};

static bool seek_match(const struct seek *s, const struct run *r)
{
	return s->hole ? r->kind == OWNER_FREE : r->ino != 0 && r->ino != s->not ;
}

static bool seek_run(void *arg, const struct run *r)
{
	struct seek *s = arg;

	if (!seek_match(s, r))
		return true;
	s->found = r->phys;
	return false;
}

/* The next run in block order that matches, from the end of the one at b on. */
static blkno_t seek_next(const struct app *a, struct seek *s, blkno_t b)
{
	const struct geom *g = model_geom(a->model);
	struct run r;
	blkno_t from;

	model_at(a->model, b, &r);
	from = r.phys + r.len;
	s->found = BLKNO_NONE;
	s->not = r.ino;
	if (from < g->blocks)
		model_walk(a->model, from, g->blocks - from, seek_run, s);
	return s->found == BLKNO_NONE ? b : s->found;
}

/* The start of the run at b if it matches and b lies behind its start, else of the one
 * before that matches. */
static blkno_t seek_prev(const struct app *a, struct seek *s, blkno_t b)
{
	blkno_t first = model_geom(a->model)->first_block, at = b;
	struct run r;

	model_at(a->model, b, &r);
	s->not = r.ino;
	if (s->hole && r.kind == OWNER_FREE && r.phys < b)
		return r.phys;
	while (r.phys > first) {
		at = r.phys - 1;
		model_at(a->model, at, &r);
		if (seek_match(s, &r))
			return r.phys;
	}
	return b;
}

bool map_key_seek(struct app *a, int key, int count, const struct view *v)
{
	struct seek s = {.hole = key == '[' || key == ']'};
	bool back = key == '[' || key == 'H';
	struct map_frame f;
	blkno_t b;

	if (!back && key != ']' && key != 'L')
		return false;
	if (!a->model || !map_frame_init(&f, a, v))
		return true;
	b = map_frame_cursor(&f, a);
	for (int i = 0; i < (count < 1 ? 1 : count); i++) {
		blkno_t to = back ? seek_prev(a, &s, b) : seek_next(a, &s, b);

		if (to == b)
			break;
		b = to;
	}
	map_cursor_set(a, v, b);
	return true;
}

inum_t map_file_under(const struct app *a)
{
	struct run r;
	const struct geom *g;

	if (!a->model)
		return 0;
	g = model_geom(a->model);
	if (a->map.cursor < g->first_block || a->map.cursor >= g->blocks)
		return 0;
	model_at(a->model, a->map.cursor, &r);
	return r.ino;
}

struct starts {
	blkno_t *v;
	size_t n, cap;
};

/* First blocks of a file's fragments, in logical order. */
static bool fragment_starts(const struct model *m, inum_t ino, struct starts *out)
{
	struct run_list runs = {NULL, 0, 0};
	bool ok = model_runs(m, ino, &runs);

	for (size_t i = 0; ok && i < runs.n && owner_is_data(runs.v[i].kind); i++)
		if (extent_starts_fragment(runs.v, runs.n, i))
			ok = vec_push(out, runs.v[i].phys);
	free(runs.v);
	return ok;
}

/* w, b: along the fragments of the file under the cursor, else of the selected one. */
bool map_key_fragment(struct app *a, int key, int count, const struct view *v)
{
	struct starts starts = {NULL, 0, 0};
	inum_t ino = map_file_under(a);
	int64_t n = count < 1 ? 1 : count, at = -1, to;
	struct fragment here;

	if (key != 'w' && key != 'b')
		return false;
	if (ino == 0)
		ino = a->selected;
	if (ino == 0 || !a->model || !fragment_starts(a->model, ino, &starts) ||
	    starts.n == 0)
		goto out;
	if (ino == map_file_under(a) && model_fragment_at(a->model, a->map.cursor, &here))
		at = here.index;
	to = key == 'w' ? at + n : at - n;
	/* Inside a fragment, back means first to its start. */
	if (key == 'b' && at >= 0 && a->map.cursor != here.phys)
		to++;
	if (to < 0)
		to = 0;
	if (to >= (int64_t)starts.n)
		to = (int64_t)starts.n - 1;
	map_cursor_set(a, v, starts.v[to]);
out:
	free(starts.v);
	return true;
}
