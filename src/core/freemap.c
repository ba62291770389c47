/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * freemap.c - the holes of a volume in two treaps over one array of nodes.
 *
 * Links are 32-bit indices and 0 is nil, so a hole costs 40 bytes. A node's priority is a
 * hash of its index: nothing to store, and the same map is built on every run. The tree
 * by place carries the longest hole below each node in `max`; the tree by size has no
 * use for it.
 */
#include <string.h>
#include "core/freemap.h"

enum tree { PLACE = 0, SIZE = 1 };
enum side { LEFT = 0, RIGHT = 1 };

struct node {
	blkno_t start, len;
	blkno_t max;
	uint32_t kid[2][2];
};

struct freemap {
	struct node *v; /* v[0] is nil */
	size_t n, cap;
	uint32_t spare; /* unused nodes, chained by kid[PLACE][LEFT] */
	uint32_t root[2];
	uint64_t blocks, runs;
};

/* Position in the tree by place is start alone, in the tree by size (len, start). */
struct key {
	blkno_t start, len;
};

static uint32_t priority(uint32_t i)
{
	i ^= i >> 16;
	i *= 0x7feb352du;
	i ^= i >> 15;
	i *= 0x846ca68bu;
	return i ^ i >> 16;
}

static bool node_before(const struct node *a, enum tree t, struct key k)
{
	if (t == SIZE && a->len != k.len)
		return a->len < k.len;
	return a->start < k.start;
}

static void pull_max(struct freemap *f, uint32_t i)
{
	struct node *x = &f->v[i];
	blkno_t l = f->v[x->kid[PLACE][LEFT]].max, r = f->v[x->kid[PLACE][RIGHT]].max;
	blkno_t below = l > r ? l : r;

	x->max = x->len > below ? x->len : below;
}

static void pull(struct freemap *f, enum tree t, uint32_t i)
{
	if (t == PLACE)
		pull_max(f, i);
}

/* Cuts the tree below `i` into the nodes before k and the others. */
static void split(struct freemap *f, enum tree t, uint32_t i, struct key k,
		  uint32_t part[2])
{
	uint32_t sub[2];

	if (!i) {
		part[LEFT] = part[RIGHT] = 0;
		return;
	}
	if (node_before(&f->v[i], t, k)) {
		split(f, t, f->v[i].kid[t][RIGHT], k, sub);
		f->v[i].kid[t][RIGHT] = sub[LEFT];
		part[LEFT] = i;
		part[RIGHT] = sub[RIGHT];
	} else {
		split(f, t, f->v[i].kid[t][LEFT], k, sub);
		f->v[i].kid[t][LEFT] = sub[RIGHT];
		part[LEFT] = sub[LEFT];
		part[RIGHT] = i;
	}
	pull(f, t, i);
}

/* Joins two trees, all of l before all of r. */
static uint32_t join(struct freemap *f, enum tree t, uint32_t l, uint32_t r)
{
	if (!l || !r)
		return l ? l : r;
	if (priority(l) > priority(r)) {
		f->v[l].kid[t][RIGHT] = join(f, t, f->v[l].kid[t][RIGHT], r);
		pull(f, t, l);
		return l;
	}
	f->v[r].kid[t][LEFT] = join(f, t, l, f->v[r].kid[t][LEFT]);
	pull(f, t, r);
	return r;
}

static uint32_t insert(struct freemap *f, enum tree t, uint32_t at, uint32_t i)
{
	struct key k = {f->v[i].start, f->v[i].len};
	uint32_t part[2];
	enum side s;

	if (!at || priority(i) > priority(at)) {
		split(f, t, at, k, part);
		f->v[i].kid[t][LEFT] = part[LEFT];
		f->v[i].kid[t][RIGHT] = part[RIGHT];
		pull(f, t, i);
		return i;
	}
	s = node_before(&f->v[at], t, k) ? RIGHT : LEFT;
	f->v[at].kid[t][s] = insert(f, t, f->v[at].kid[t][s], i);
	pull(f, t, at);
	return at;
}

/* Takes node i, known to be inside, out of the tree below `at`. */
static uint32_t erase(struct freemap *f, enum tree t, uint32_t at, uint32_t i)
{
	struct key k = {f->v[i].start, f->v[i].len};
	enum side s;

	if (at == i)
		return join(f, t, f->v[i].kid[t][LEFT], f->v[i].kid[t][RIGHT]);
	s = node_before(&f->v[at], t, k) ? RIGHT : LEFT;
	f->v[at].kid[t][s] = erase(f, t, f->v[at].kid[t][s], i);
	pull(f, t, at);
	return at;
}

/* The last node before k, and the first that is not. */
static void neighbours(const struct freemap *f, enum tree t, struct key k,
		       uint32_t found[2])
{
	uint32_t i = f->root[t];

	found[LEFT] = found[RIGHT] = 0;
	while (i) {
		bool before = node_before(&f->v[i], t, k);

		found[before ? LEFT : RIGHT] = i;
		i = f->v[i].kid[t][before ? RIGHT : LEFT];
	}
}

/* --- nodes --- */

/* Makes sure that `more` nodes can be had without memory; false: there is none. */
static bool nodes_reserve(struct freemap *f, size_t more)
{
	return f->n + more < UINT32_MAX && vec_reserve(f, f->n + more);
}

static uint32_t node_take(struct freemap *f, blkno_t start, blkno_t len)
{
	uint32_t i = f->spare;

	if (i)
		f->spare = f->v[i].kid[PLACE][LEFT];
	else
		i = (uint32_t)f->n++;
	f->v[i] = (struct node){.start = start, .len = len, .max = len};
	return i;
}

static void hole_add(struct freemap *f, blkno_t start, blkno_t len)
{
	uint32_t i;

	if (!len)
		return;
	i = node_take(f, start, len);
	f->root[PLACE] = insert(f, PLACE, f->root[PLACE], i);
	f->root[SIZE] = insert(f, SIZE, f->root[SIZE], i);
	f->blocks += len;
	f->runs++;
}

static void hole_remove(struct freemap *f, uint32_t i)
{
	f->root[PLACE] = erase(f, PLACE, f->root[PLACE], i);
	f->root[SIZE] = erase(f, SIZE, f->root[SIZE], i);
	f->blocks -= f->v[i].len;
	f->runs--;
	f->v[i].kid[PLACE][LEFT] = f->spare;
	f->spare = i;
}

/* --- building --- */

struct freemap *freemap_new_empty(void)
{
	struct freemap *f = calloc(1, sizeof(*f));

	if (f && !vec_push(f, (struct node){0})) {
		free(f);
		return NULL;
	}
	return f;
}

/* A treap from nodes already in order, by keeping the path to its last node. */
static uint32_t build_sorted(struct freemap *f, enum tree t, const uint32_t *order,
			     uint32_t *path)
{
	size_t depth = 0;

	for (size_t k = 0; k + 1 < f->n; k++) {
		uint32_t i = order[k], below = 0;

		while (depth && priority(path[depth - 1]) < priority(i)) {
			below = path[--depth];
			pull(f, t, below);
		}
		f->v[i].kid[t][LEFT] = below;
		f->v[i].kid[t][RIGHT] = 0;
		if (depth)
			f->v[path[depth - 1]].kid[t][RIGHT] = i;
		path[depth++] = i;
	}
	for (size_t k = depth; k-- > 0;)
		pull(f, t, path[k]);
	return depth ? path[0] : 0;
}

static int by_size(const void *a, const void *b, void *arg)
{
	const struct node *v = arg, *x = &v[*(const uint32_t *)a],
			  *y = &v[*(const uint32_t *)b];

	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static bool build_trees(struct freemap *f)
{
	uint32_t *order = malloc(2 * f->n * sizeof(*order));

	if (!order)
		return false;
	for (size_t k = 1; k < f->n; k++)
		order[k - 1] = (uint32_t)k;
	f->root[PLACE] = build_sorted(f, PLACE, order, order + f->n);
	qsort_r(order, f->n - 1, sizeof(*order), by_size, f->v);
	f->root[SIZE] = build_sorted(f, SIZE, order, order + f->n);
	free(order);
	return true;
}

struct filling {
	struct freemap *f;
	bool failed;
};

/* Collects holes in order of place; a hole longer than a run can say comes in parts. */
static bool add_hole(void *arg, const struct run *r)
{
	struct filling *fill = arg;
	struct freemap *f = fill->f;
	struct node *last = &f->v[f->n - 1];

	if (r->kind != OWNER_FREE)
		return true;
	f->blocks += r->len;
	if (f->n > 1 && last->start + last->len == r->phys) {
		last->len += r->len;
		last->max = last->len;
		return true;
	}
	if (!nodes_reserve(f, 1)) {
		fill->failed = true;
		return false;
	}
	f->v[f->n++] = (struct node){.start = r->phys, .len = r->len, .max = r->len};
	f->runs++;
	return true;
}

struct freemap *freemap_new(const struct model *m)
{
	const struct geom *g = model_geom(m);
	struct filling fill = {freemap_new_empty(), false};

	if (!fill.f)
		return NULL;
	model_walk(m, g->first_block, g->blocks - g->first_block, add_hole, &fill);
	if (fill.failed || !build_trees(fill.f)) {
		freemap_free(fill.f);
		return NULL;
	}
	return fill.f;
}

struct freemap *freemap_copy(const struct freemap *f)
{
	struct freemap *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	*c = *f;
	c->cap = f->n;
	c->v = malloc(f->n * sizeof(*c->v));
	if (!c->v) {
		free(c);
		return NULL;
	}
	memcpy(c->v, f->v, f->n * sizeof(*c->v));
	return c;
}

void freemap_free(struct freemap *f)
{
	if (!f)
		return;
	free(f->v);
	free(f);
}

/* --- changing --- */

/* The hole that holds b, or nil. */
static uint32_t hole_of(const struct freemap *f, blkno_t b)
{
	uint32_t found[2];
	const struct node *x;

	neighbours(f, PLACE, (struct key){b + 1, 0}, found);
	x = &f->v[found[LEFT]];
	return found[LEFT] && b - x->start < x->len ? found[LEFT] : 0;
}

bool freemap_take(struct freemap *f, struct range r, struct err *err)
{
	uint32_t i = hole_of(f, r.start);
	blkno_t start = f->v[i].start, end = start + f->v[i].len;

	if (!r.len)
		return true;
	if (!i || r.len > end - r.start) {
		err_set(err, ERR_BUG, "blocks %llu to %llu are not free",
			(unsigned long long)r.start,
			(unsigned long long)(r.start + r.len - 1));
		return false;
	}
	if (!nodes_reserve(f, 2))
		return err_nomem(err);
	hole_remove(f, i);
	hole_add(f, start, r.start - start);
	hole_add(f, r.start + r.len, end - r.start - r.len);
	return true;
}

bool freemap_give(struct freemap *f, struct range r, struct err *err)
{
	blkno_t end = r.start + r.len;
	uint32_t near[2];

	if (!r.len)
		return true;
	neighbours(f, PLACE, (struct key){r.start, 0}, near);
	if ((near[LEFT] && f->v[near[LEFT]].start + f->v[near[LEFT]].len > r.start) ||
	    (near[RIGHT] && f->v[near[RIGHT]].start < end)) {
		err_set(err, ERR_BUG, "some of the blocks %llu to %llu are free already",
			(unsigned long long)r.start, (unsigned long long)(end - 1));
		return false;
	}
	if (!nodes_reserve(f, 1))
		return err_nomem(err);
	if (near[LEFT] && f->v[near[LEFT]].start + f->v[near[LEFT]].len == r.start) {
		r.start = f->v[near[LEFT]].start;
		hole_remove(f, near[LEFT]);
	}
	if (near[RIGHT] && f->v[near[RIGHT]].start == end) {
		end += f->v[near[RIGHT]].len;
		hole_remove(f, near[RIGHT]);
	}
	hole_add(f, r.start, end - r.start);
	return true;
}

/* --- searching --- */

static bool hand_out(const struct freemap *f, uint32_t i, struct range *out)
{
	if (i)
		*out = (struct range){f->v[i].start, f->v[i].len};
	return i != 0;
}

/* The first hole that starts after `from` and is long enough, below i. */
static uint32_t first_below(const struct freemap *f, uint32_t i, blkno_t from,
			    blkno_t len)
{
	while (i && f->v[i].max >= len) {
		const struct node *x = &f->v[i];
		uint32_t left;

		if (x->start > from) {
			left = first_below(f, x->kid[PLACE][LEFT], from, len);
			if (left || x->len >= len)
				return left ? left : i;
		}
		i = x->kid[PLACE][RIGHT];
	}
	return 0;
}

bool freemap_first(const struct freemap *f, blkno_t from, blkno_t len, struct range *out)
{
	uint32_t i = hole_of(f, from);
	blkno_t end = f->v[i].start + f->v[i].len;

	if (i && end - from >= len) {
		*out = (struct range){from, end - from};
		return true;
	}
	return hand_out(f, first_below(f, f->root[PLACE], from, len), out);
}

static blkno_t distance(const struct node *x, blkno_t goal)
{
	return x->start > goal ? x->start - goal : goal - x->start;
}

bool freemap_best(const struct freemap *f, blkno_t len, blkno_t goal, struct range *out)
{
	uint32_t found[2];
	const struct node *l, *r;
	blkno_t fit;

	neighbours(f, SIZE, (struct key){0, len}, found);
	if (!found[RIGHT])
		return false;
	fit = f->v[found[RIGHT]].len;
	neighbours(f, SIZE, (struct key){goal, fit}, found);
	l = &f->v[found[LEFT]];
	r = &f->v[found[RIGHT]];
	if (!found[RIGHT] || r->len != fit ||
	    (found[LEFT] && l->len == fit && distance(l, goal) < distance(r, goal)))
		return hand_out(f, found[LEFT], out);
	return hand_out(f, found[RIGHT], out);
}

bool freemap_largest(const struct freemap *f, struct range *out)
{
	return freemap_shorter(f, &(struct range){0, BLKNO_NONE}, out);
}

bool freemap_shorter(const struct freemap *f, const struct range *than, struct range *out)
{
	uint32_t found[2];

	neighbours(f, SIZE, (struct key){than->start, than->len}, found);
	return hand_out(f, found[LEFT], out);
}

bool freemap_at_or_after(const struct freemap *f, blkno_t b, struct range *out)
{
	uint32_t i = hole_of(f, b), found[2];

	if (i)
		return hand_out(f, i, out);
	neighbours(f, PLACE, (struct key){b, 0}, found);
	return hand_out(f, found[RIGHT], out);
}

bool freemap_is_free(const struct freemap *f, struct range r)
{
	uint32_t i = hole_of(f, r.start);

	return i && r.len <= f->v[i].start + f->v[i].len - r.start;
}

uint64_t freemap_blocks(const struct freemap *f)
{
	return f->blocks;
}

uint64_t freemap_runs(const struct freemap *f)
{
	return f->runs;
}
