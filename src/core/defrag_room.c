/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * defrag_room.c - making a place where there is none: the cheapest window is claimed, and
 * what stands in it moves out, each fragment whole into a hole of its own, so that no
 * file ends in more pieces than before.
 *
 * Candidates are the neighbourhoods of the largest holes and of the file's own largest
 * fragments (which may then stay where they are): a handful of places instead of a pass
 * over the volume per file.
 */
#include <string.h>
#include "src/core/defrag.h"

#define LARGE_HOLES   16 /* looked around in, per file */
#define OWN_FRAGMENTS 4	 /* kept in place as a try, per file */
#define WINDOWS	      (LARGE_HOLES + OWN_FRAGMENTS)
#define ATTEMPTS      3
/* Eviction that does not empty the window in one batch must bring at least this. */
#define STEP_BLOCKS 64u
/* Others' bytes that may move for a fragment removed. */
#define ROOM_BYTES (16ull << 20)
/* A run in the way costs this many blocks on top of its own. */
#define RUN_COST 2u

struct window {
	blkno_t start;
	uint64_t cost;
};

struct look {
	struct defrag *d;
	inum_t self;
	blkno_t longest; /* hole that could take a run in the way */
	bool failed;
};

/* --- what lies around a place --- */

static bool can_move(enum owner_kind kind)
{
	return kind == OWNER_FILE || kind == OWNER_DIR || kind == OWNER_SYMLINK ||
	       kind == OWNER_TREE;
}

static bool is_wall(const struct look *l, const struct run *r)
{
	const struct planner *p = l->d->p;
	struct inode_info info;

	if (r->kind == OWNER_FREE)
		return !planner_is_open(p, (struct range){r->phys, r->len});
	return !can_move(r->kind) || r->len > l->longest ||
	       !planner_may_move(p, r->ino) || !model_inode(p->m, r->ino, &info) ||
	       (info.flags & (INODE_PINNED | INODE_SYSTEM)) || info.type == INODE_OTHER;
}

/* Is the block in its final place already, being the file's own? */
static bool in_place(const struct defrag *d, blkno_t b)
{
	size_t lo = 0, hi = d->keep.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (d->keep.v[mid].start + d->keep.v[mid].len > b)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo < d->keep.n && d->keep.v[lo].start <= b;
}

static bool collect(void *arg, const struct run *r)
{
	struct look *l = arg;
	struct segment s = {.start = r->phys, .len = r->len};

	if (r->kind != OWNER_FREE)
		s.ino = r->ino ? r->ino : UINT32_MAX;
	s.keep = s.ino == l->self && in_place(l->d, r->phys);
	s.wall = !s.keep && is_wall(l, r);
	s.cost = s.ino && !s.keep ? r->len + RUN_COST : 0;
	l->failed = !vec_push(&l->d->segs, s);
	return !l->failed;
}

/* Fills d->segs with what lies in [start, end). */
static bool look_at(struct defrag *d, inum_t self, blkno_t start, blkno_t end)
{
	struct look l = {d, self, 0, false};
	struct range largest;

	if (freemap_largest(d->p->free, &largest))
		l.longest = largest.len;
	vec_clear(&d->segs);
	layout_walk(d->p->now, start, end - start, collect, &l);
	return !l.failed || err_nomem(d->p->err);
}

/* The blocks of p->old that are in place when block 0 of the file is at `data`. */
static bool note_kept(struct defrag *d, blkno_t data)
{
	const struct run_list *runs = &d->p->old;

	vec_clear(&d->keep);
	for (size_t i = 0; i < runs->n && owner_is_data(runs->v[i].kind); i++) {
		if (runs->v[i].phys == data &&
		    !vec_push(&d->keep, (struct range){data, runs->v[i].len}))
			return err_nomem(d->p->err);
		data += runs->v[i].len;
	}
	return true;
}

/* --- choosing --- */

/* The cheapest window of `len` blocks that begins with a segment, or that ends with one
 * and begins inside a hole. */
static void slide(const struct defrag *d, uint64_t len, struct window *best)
{
	const struct segment *v = d->segs.v;
	uint64_t cost = 0, span = 0;
	size_t a = 0;

	for (size_t b = 0; b < d->segs.n; b++) {
		cost += v[b].cost;
		span += v[b].len;
		if (v[b].wall) {
			a = b + 1;
			cost = span = 0;
			continue;
		}
		while (span - v[a].len >= len) {
			cost -= v[a].cost;
			span -= v[a].len;
			a++;
		}
		if (span < len || cost >= best->cost)
			continue;
		if (a > 0 || !v[a].ino) { /* the first may have been cut */
			best->cost = cost;
			best->start = v[a].ino ? v[a].start : v[b].start + v[b].len - len;
			if (v[a].ino || best->start < v[a].start)
				best->start = v[a].start;
		}
	}
}

static int by_cost(const void *a, const void *b)
{
	const struct window *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static void keep_window(struct window *w, size_t *n, struct window found)
{
	if (found.cost == UINT64_MAX)
		return;
	for (size_t i = 0; i < *n; i++)
		if (w[i].start == found.start)
			return;
	w[(*n)++] = found;
}

/* Around the largest holes. */
static bool find_by_holes(struct defrag *d, inum_t ino, uint64_t len, struct window *w,
			  size_t *n)
{
	struct range hole = {0, BLKNO_NONE};

	vec_clear(&d->keep);
	for (int i = 0; i < LARGE_HOLES && freemap_shorter(d->p->free, &hole, &hole);
	     i++) {
		blkno_t start = hole.start > len ? hole.start - len : 0;
		struct window best = {0, UINT64_MAX};

		if (!look_at(d, ino, start, hole.start + hole.len + len))
			return false;
		slide(d, len, &best);
		keep_window(w, n, best);
	}
	return true;
}

/* The longest runs of p->old: index of the run, and mapped blocks before it. */
struct anchor {
	blkno_t phys;
	uint64_t before;
	uint32_t len;
};

static size_t find_anchors(const struct run_list *runs, struct anchor out[OWN_FRAGMENTS])
{
	uint64_t before = 0;
	size_t n = 0;

	for (size_t i = 0; i < runs->n && owner_is_data(runs->v[i].kind); i++) {
		struct anchor a = {runs->v[i].phys, before, runs->v[i].len};
		size_t at = n < OWN_FRAGMENTS ? n++ : OWN_FRAGMENTS;

		before += a.len;
		if (at == OWN_FRAGMENTS && out[--at].len >= a.len)
			continue;
		for (; at && out[at - 1].len < a.len; at--)
			out[at] = out[at - 1];
		out[at] = a;
	}
	return n;
}

/* With one of its own runs kept where it is. */
static bool find_by_anchors(struct defrag *d, inum_t ino, uint64_t len, struct window *w,
			    size_t *n)
{
	struct anchor anchor[OWN_FRAGMENTS];
	size_t anchors = find_anchors(&d->p->old, anchor);
	uint64_t tree = len - extent_blocks(d->p->old.v, d->p->old.n);

	for (size_t i = 0; i < anchors; i++) {
		uint64_t back = anchor[i].before + tree;
		struct window found = {anchor[i].phys - back, 0};
		bool wall = false;

		if (anchor[i].phys < back + d->p->g->first_block ||
		    found.start + len > d->p->g->blocks)
			continue;
		if (!note_kept(d, found.start + tree) ||
		    !look_at(d, ino, found.start, found.start + len))
			return false;
		for (size_t k = 0; k < d->segs.n; k++) {
			wall = wall || d->segs.v[k].wall;
			found.cost += d->segs.v[k].cost;
		}
		if (!wall)
			keep_window(w, n, found);
	}
	return true;
}

/* --- clearing --- */

/* Moves one fragment of p->old, blocks [first, first + n), out of the way. */
static enum outcome move_out(struct defrag *d, uint64_t first, uint64_t n,
			     enum move_reason reason)
{
	struct planner *p = d->p;
	struct range hole;

	if (n > planner_batch_room(p) || !planner_hole(p, n, &hole))
		return OUT_NONE;
	hole.len = n;
	if (!planner_take(p, hole) || !planner_add(p, first, n, hole, reason))
		return OUT_FAILED;
	return OUT_MOVED;
}

/* Adds moves for all fragments of p->old that touch the window and are not kept. */
static enum outcome move_fragments(struct defrag *d, struct range w,
				   enum move_reason reason)
{
	const struct run_list *runs = &d->p->old;
	enum outcome out = OUT_NONE;
	uint64_t first = 0;

	for (size_t i = 0, end; i < runs->n && owner_is_data(runs->v[i].kind); i = end) {
		bool touches = false;
		uint64_t n = 0;

		for (end = i; end < runs->n && owner_is_data(runs->v[end].kind); end++) {
			const struct run *r = &runs->v[end];

			if (end > i && extent_starts_fragment(runs->v, runs->n, end))
				break;
			n += r->len;
			touches = touches ||
				  (r->phys < w.start + w.len &&
				   r->phys + r->len > w.start && !in_place(d, r->phys));
		}
		if (touches) {
			enum outcome one = move_out(d, first, n, reason);

			if (one == OUT_FAILED)
				return one;
			if (one == OUT_MOVED)
				out = one;
		}
		first += n;
	}
	return out;
}

static bool tree_in(const struct run_list *runs, struct range w)
{
	for (size_t i = runs->n; i-- > 0 && !owner_is_data(runs->v[i].kind);)
		if (runs->v[i].kind == OWNER_TREE && runs->v[i].phys < w.start + w.len &&
		    runs->v[i].phys + runs->v[i].len > w.start)
			return true;
	return false;
}

static bool untake_set(struct planner *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!planner_untake(p, (struct range){p->set.v[i].to, p->set.v[i].len}))
			return false;
	return true;
}

/* Moves what `ino` has in the window out of it. */
static enum outcome evict(struct defrag *d, inum_t ino, inum_t self, struct range w)
{
	struct planner *p = d->p;
	enum outcome out;
	enum commit state;
	size_t data;
	bool used;

	if (!planner_may_move(p, ino))
		return OUT_NONE;
	if (!planner_begin(p, ino))
		return OUT_FAILED;
	out = move_fragments(d, w, ino == self ? REASON_STAGE : REASON_ROOM);
	if (out == OUT_FAILED || (out == OUT_NONE && !tree_in(&p->old, w)))
		return out;
	data = p->set.n;
	state = planner_commit(p, (struct range){0, 0}, &used);
	if (state == COMMIT_FAILED)
		return OUT_FAILED;
	if (state == COMMIT_DONE)
		return OUT_MOVED;
	return untake_set(p, data) ? OUT_NONE : OUT_FAILED;
}

/* How many blocks at the start of the window are empty or kept, up to w.len. */
static bool empty_part(struct defrag *d, inum_t self, struct range w, uint64_t *len)
{
	if (!look_at(d, self, w.start, w.start + w.len))
		return false;
	*len = 0;
	for (size_t i = 0; i < d->segs.n; i++) {
		if (d->segs.v[i].ino && !d->segs.v[i].keep)
			return true;
		*len += d->segs.v[i].len;
	}
	return true;
}

/* Evicts from front to back until something cannot go, or `budget` blocks went. */
static bool evict_front(struct defrag *d, inum_t self, struct range w, uint64_t budget)
{
	uint64_t went = 0;

	if (!look_at(d, self, w.start, w.start + w.len))
		return false;
	for (size_t i = 0; i < d->segs.n && went < budget; i++) {
		struct segment s = d->segs.v[i];
		struct range rest = {s.start, w.start + w.len - s.start};
		enum outcome out;

		if (!s.ino || s.keep)
			continue;
		went += s.len;
		if (layout_mark(d->p->now, s.ino) == d->p->batch + 1)
			continue; /* with an earlier one of the same file, or waits */
		out = evict(d, s.ino, self, rest);
		if (out == OUT_FAILED)
			return false;
		if (out == OUT_NONE)
			return true;
	}
	return true;
}

bool room_clear(struct defrag *d, struct job *j)
{
	inum_t self = d->items.v[j->item].ino;
	uint64_t off = j->cleared ? j->tree + j->cleared : 0, empty, budget;
	struct range w = {j->window.start + off, j->window.len - off};

	if (j->cleared == j->n)
		return true;
	budget = freemap_blocks(d->p->free) / 3 + STEP_BLOCKS;
	if (w.len > 2 * budget)
		w.len = 2 * budget;
	if (!planner_begin(d->p, self) || !note_kept(d, j->window.start + j->tree) ||
	    !evict_front(d, self, w, budget))
		return false;
	if (!planner_begin(d->p, self) || !note_kept(d, j->window.start + j->tree) ||
	    !empty_part(d, self, w, &empty))
		return false;
	if (off + empty > j->tree + j->cleared) {
		j->cleared = off + empty - j->tree;
		j->ready = d->p->batch + 1;
	}
	return true;
}

/* --- deciding --- */

/* Would all that stands in the window find a hole? Tries it and gives all back. Returns
 * the blocks from the start that could be emptied. */
static bool rehearse(struct defrag *d, struct range w, uint64_t *len)
{
	struct planner *p = d->p;
	struct range hole;
	bool ok = true;
	size_t taken = 0;

	p->set.n = 0;
	*len = 0;
	for (size_t i = 0; i < d->segs.n; i++) {
		struct segment s = d->segs.v[i];

		if (s.ino && !s.keep) {
			struct move m = {.len = s.len};

			if (!freemap_best(p->free, s.len, s.start, &hole))
				break;
			m.to = hole.start;
			if (!planner_take(p, (struct range){m.to, m.len}) ||
			    !vec_push(&p->set, m))
				return false;
			taken++;
		}
		*len = s.start + s.len - w.start;
	}
	for (size_t i = 0; ok && i < taken; i++)
		ok = planner_untake(p, (struct range){p->set.v[i].to, p->set.v[i].len});
	p->set.n = 0;
	if (*len > w.len)
		*len = w.len;
	return ok;
}

/* Claims the window and starts a job if enough of it can be emptied. */
static enum outcome try_window(struct defrag *d, size_t item, struct window at,
			       uint32_t tree)
{
	struct planner *p = d->p;
	struct item *it = &d->items.v[item];
	struct job j = {.item = item, .tree = tree, .n = it->blocks};
	uint64_t empty;
	bool ok;

	j.window = (struct range){at.start, (blkno_t)it->blocks + tree};
	if (!planner_begin(p, it->ino) || !note_kept(d, at.start + tree) ||
	    !look_at(d, it->ino, at.start, at.start + j.window.len) ||
	    !planner_claim(p, j.window, &ok))
		return OUT_FAILED;
	if (!ok)
		return OUT_NONE;
	if (!rehearse(d, j.window, &empty))
		return OUT_FAILED;
	if (empty < j.window.len &&
	    (empty < j.window.len / 8 || empty < STEP_BLOCKS + tree))
		return planner_unclaim(p, j.window) ? OUT_NONE : OUT_FAILED;
	if (!room_clear(d, &j))
		return OUT_FAILED;
	if (!j.cleared)
		return planner_unclaim(p, j.window) ? OUT_NONE : OUT_FAILED;
	return job_start(d, &j) ? OUT_MOVED : OUT_FAILED;
}

enum outcome room_make(struct defrag *d, size_t item)
{
	struct planner *p = d->p;
	struct item *it = &d->items.v[item];
	struct window w[WINDOWS];
	enum outcome out = OUT_NONE;
	size_t n = 0;
	uint32_t tree;
	uint64_t len, worth;

	if (!planner_begin(p, it->ino))
		return OUT_FAILED;
	tree = planner_tree_joined(p);
	len = (uint64_t)it->blocks + tree;
	worth = (it->fragments - it->ideal) * (ROOM_BYTES / p->g->block_size);
	if (!find_by_anchors(d, it->ino, len, w, &n) ||
	    !find_by_holes(d, it->ino, len, w, &n))
		return OUT_FAILED;
	qsort(w, n, sizeof(*w), by_cost);
	for (size_t i = 0; i < n && i < ATTEMPTS && w[i].cost <= worth; i++) {
		if ((p->info.flags & INODE_INDIRECT) && w[i].start + len > 1ull << 32)
			continue;
		out = try_window(d, item, w[i], tree);
		if (out != OUT_NONE)
			return out;
	}
	if (!p->batch_inodes) /* with all the room there is */
		it->tries++;
	return OUT_NONE;
}
