/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * defrag_part.c - fewer fragments where one is out of reach.
 *
 * Two ways, the cheaper first: fragments go into the hole right behind their predecessor
 * (or right in front of their successor), or a sequence of fragments goes together into
 * one hole. Nothing else of the file moves, so the count can only fall.
 */
#include <string.h>
#include "src/core/defrag.h"

#define GROUPS_A_BATCH 8

/* A fragment of p->old: mapped blocks [first, first + n) of the file. */
struct part {
	blkno_t phys, end;
	uint64_t first, n;
	bool moved; /* or a neighbour of something that moved: left alone for now */
};

struct parts {
	struct part *v;
	size_t n, cap;
};

static bool list_parts(struct defrag *d, struct parts *out)
{
	const struct run_list *runs = &d->p->old;
	uint64_t first = 0;

	for (size_t i = 0; i < runs->n && owner_is_data(runs->v[i].kind); i++) {
		const struct run *r = &runs->v[i];

		if (extent_starts_fragment(runs->v, runs->n, i) &&
		    !vec_push(out, (struct part){.phys = r->phys, .first = first}))
			return err_nomem(d->p->err);
		out->v[out->n - 1].n += r->len;
		out->v[out->n - 1].end = r->phys + r->len;
		first += r->len;
	}
	return true;
}

static bool reachable(const struct planner *p, struct range to)
{
	return !(p->info.flags & INODE_INDIRECT) || to.start + to.len <= 1ull << 32;
}

/* Parts [a, b) go to `at` as one. */
static enum outcome send(struct defrag *d, struct parts *parts, size_t a, size_t b,
			 blkno_t at)
{
	struct planner *p = d->p;
	struct range to = {at,
			   parts->v[b - 1].first + parts->v[b - 1].n - parts->v[a].first};

	if (!reachable(p, to) || to.len > planner_batch_room(p))
		return OUT_NONE;
	if (!planner_take(p, to))
		return OUT_FAILED;
	for (size_t i = a; i < b; i++) {
		if (!planner_add(p, parts->v[i].first, parts->v[i].n,
				 (struct range){at, parts->v[i].n}, REASON_JOIN))
			return OUT_FAILED;
		at += parts->v[i].n;
		parts->v[i].moved = true;
	}
	return OUT_MOVED;
}

/* Behind part i, as many of the next ones as the hole there takes. */
static enum outcome follow(struct defrag *d, struct parts *parts, size_t i)
{
	struct range hole;
	uint64_t sum = 0;
	size_t b = i + 1;

	if (!freemap_at_or_after(d->p->free, parts->v[i].end, &hole) ||
	    hole.start != parts->v[i].end)
		return OUT_NONE;
	for (; b < parts->n && sum + parts->v[b].n <= hole.len; b++)
		sum += parts->v[b].n;
	if (b == i + 1)
		return OUT_NONE;
	parts->v[i].moved = true;
	return send(d, parts, i + 1, b, hole.start);
}

/* In front of part i, the one before it. */
static enum outcome precede(struct defrag *d, struct parts *parts, size_t i)
{
	uint64_t n = parts->v[i - 1].n;
	blkno_t at = parts->v[i].phys - n;

	if (parts->v[i].phys < n + d->p->g->first_block ||
	    !freemap_is_free(d->p->free, (struct range){at, n}))
		return OUT_NONE;
	parts->v[i].moved = true;
	return send(d, parts, i - 1, i, at);
}

static enum outcome join_neighbours(struct defrag *d, struct parts *parts)
{
	enum outcome all = OUT_NONE;

	for (size_t i = 0; i + 1 < parts->n; i++) {
		enum outcome out = OUT_NONE;

		if (parts->v[i].moved || parts->v[i + 1].moved)
			continue;
		out = follow(d, parts, i);
		if (out == OUT_NONE && !parts->v[i].moved)
			out = precede(d, parts, i + 1);
		if (out == OUT_FAILED)
			return out;
		if (out == OUT_MOVED)
			all = out;
	}
	return all;
}

/* The longest sequence of parts that `room` blocks take; false: none of two or more. */
static bool longest_sequence(const struct parts *parts, uint64_t room, size_t *from,
			     size_t *to)
{
	uint64_t sum = 0;
	size_t a = 0;

	*from = *to = 0;
	for (size_t b = 0; b < parts->n; b++) {
		if (parts->v[b].moved) {
			a = b + 1;
			sum = 0;
			continue;
		}
		sum += parts->v[b].n;
		while (sum > room)
			sum -= parts->v[a++].n;
		if (b + 1 - a > *to - *from) {
			*from = a;
			*to = b + 1;
		}
	}
	return *to - *from >= 2;
}

static enum outcome join_sequence(struct defrag *d, struct parts *parts)
{
	struct planner *p = d->p;
	struct range hole;
	uint64_t n, room = planner_batch_room(p);
	size_t a, b;

	if (!freemap_largest(p->free, &hole))
		return OUT_NONE;
	if (!longest_sequence(parts, hole.len < room ? hole.len : room, &a, &b))
		return OUT_NONE;
	n = parts->v[b - 1].first + parts->v[b - 1].n - parts->v[a].first;
	if (!planner_hole(p, n, &hole))
		return OUT_NONE;
	return send(d, parts, a, b, hole.start);
}

static int by_logical(const void *a, const void *b)
{
	const struct move *x = a, *y = b;

	return x->lblk < y->lblk ? -1 : x->lblk > y->lblk;
}

static enum outcome commit(struct defrag *d, struct item *it)
{
	struct planner *p = d->p;
	size_t data = p->set.n;
	enum commit state;
	bool used;

	qsort(p->set.v, data, sizeof(*p->set.v), by_logical);
	state = planner_commit(p, (struct range){0, 0}, &used);
	if (state == COMMIT_DONE)
		return item_update(d, it) ? OUT_MOVED : OUT_FAILED;
	for (size_t i = 0; state != COMMIT_FAILED && i < data; i++)
		if (!planner_untake(p, (struct range){p->set.v[i].to, p->set.v[i].len}))
			return OUT_FAILED;
	return state == COMMIT_FAILED ? OUT_FAILED : OUT_NONE;
}

enum outcome part_join(struct defrag *d, size_t item)
{
	struct item *it = &d->items.v[item];
	struct parts parts = {0};
	enum outcome out;

	if (!planner_begin(d->p, it->ino) || !list_parts(d, &parts)) {
		out = OUT_FAILED;
		goto out;
	}
	out = join_neighbours(d, &parts);
	for (int i = 0; out != OUT_FAILED && i < GROUPS_A_BATCH; i++) {
		enum outcome one = join_sequence(d, &parts);

		if (one == OUT_NONE)
			break;
		out = one;
	}
	if (out == OUT_MOVED)
		out = commit(d, it);
out:
	vec_release(&parts);
	return out;
}
