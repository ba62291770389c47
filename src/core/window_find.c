/* SPDX-License-Identifier: GPL-3.0-or-later */
/* window_find.c - see window_find.h: one walk, and a window that slides over it. */
#include "src/core/window_find.h"
#include "src/core/sweep.h"

/* A run in the way costs this many blocks on top of its own. */
#define RUN_COST 2u

struct segment {
	blkno_t start;
	uint32_t len, cost;
	bool wall;
};

struct search {
	struct planner *p;
	const uint8_t *own;
	blkno_t longest; /* hole that could take a run in the way */
	VEC(struct segment) v;
	bool oom;
};

static bool is_own(const struct search *s, inum_t ino)
{
	return s->own && ino && (s->own[ino / 8] >> ino % 8 & 1);
}

static bool note(void *arg, const struct run *r)
{
	struct search *s = arg;
	struct segment x = {r->phys, r->len, 0, false};

	if (r->kind != OWNER_FREE) {
		bool own = is_own(s, r->ino);

		x.wall = sweep_is_wall(s->p, r) || (!own && r->len > s->longest);
		x.cost = own ? 0 : r->len + RUN_COST;
	}
	s->oom = !vec_push(&s->v, x);
	return !s->oom;
}

/* The cheapest window that begins or ends with a segment. */
static void slide(const struct search *s, blkno_t len, struct found_window *out)
{
	const struct segment *v = s->v.v;
	uint64_t cost = 0, span = 0;
	size_t a = 0;

	for (size_t b = 0; b < s->v.n; b++) {
		blkno_t at;

		cost += v[b].cost;
		span += v[b].len;
		if (v[b].wall) {
			a = b + 1;
			cost = span = 0;
			continue;
		}
		out->longest = span > out->longest ? span : out->longest;
		while (span - v[a].len >= len) {
			cost -= v[a].cost;
			span -= v[a].len;
			a++;
		}
		if (span < len || cost >= out->cost)
			continue;
		/* From its first segment on, or, where that is a hole, up to its last. */
		at = v[a].cost ? v[a].start : v[b].start + v[b].len - len;
		if (!v[b].cost && v[a].cost == 0)
			at = v[a].start;
		*out = (struct found_window){{at, len}, cost, out->longest};
	}
}

bool window_find(struct planner *p, blkno_t len, struct range in, const uint8_t *own,
		 struct found_window *out)
{
	struct search s = {.p = p, .own = own};
	struct range largest;

	if (freemap_largest(p->free, &largest))
		s.longest = largest.len;
	*out = (struct found_window){.cost = UINT64_MAX};
	layout_walk(p->now, in.start, in.len, note, &s);
	if (!s.oom)
		slide(&s, len, out);
	vec_release(&s.v);
	return !s.oom || err_nomem(p->err);
}
