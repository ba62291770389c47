/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * strat_gap.c - as defrag, with room behind each file for it to grow.
 *
 * A file that lies well and has free blocks behind it keeps both. Any other goes, whole,
 * to a hole that takes it and its room. Room that was given to a file is claimed, so that
 * nothing else of this plan is put there. What found no such hole is defragmented as
 * far as it goes, and listed.
 */
#include <string.h>
#include "src/core/strat.h"

#define PASSES_MAX 8u /* each may use what the one before has left */

struct growing {
	inum_t ino;
	uint32_t blocks, fragments, ideal;
	uint64_t room; /* blocks it shall have behind it */
	bool done;
};

struct gap {
	struct planner *p;
	VEC(struct growing) files;
	VEC(struct range) rooms; /* claimed */
};

/* The most pieces to be joined first. */
static int by_excess(const void *a, const void *b)
{
	const struct growing *x = a, *y = b;
	uint32_t ex = x->fragments - x->ideal, ey = y->fragments - y->ideal;

	if (ex != ey)
		return ex > ey ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static bool collect(struct gap *s, const struct goal_request *g)
{
	struct planner *p = s->p;

	for (size_t i = 0; i < g->ino_count; i++) {
		struct growing f = {.ino = g->inos[i]};

		if (!planner_begin(p, f.ino))
			return false;
		f.blocks = (uint32_t)extent_blocks(p->old.v, p->old.n);
		f.fragments = extent_fragments(p->old.v, p->old.n);
		f.ideal = model_ideal(p->m, f.blocks);
		f.room = ((uint64_t)f.blocks * g->percent + 99) / 100;
		if (!f.blocks || p->info.type != INODE_FILE || p->g->cluster_ratio > 1 ||
		    p->info.flags & (INODE_PINNED | INODE_SYSTEM))
			continue; /* defrag says why, if it is in pieces */
		if (f.fragments < f.ideal)
			f.ideal = f.fragments;
		if (!vec_push(&s->files, f))
			return err_nomem(p->err);
	}
	if (s->files.n)
		qsort(s->files.v, s->files.n, sizeof(*s->files.v), by_excess);
	return true;
}

/* Keeps blocks free for the file. */
static bool give_room(struct gap *s, struct growing *f, struct range room)
{
	bool ok = true;

	if (!room.len || planner_claim(s->p, room, &ok)) {
		f->done = ok;
		return !ok || !room.len || vec_push(&s->rooms, room) ||
		       err_nomem(s->p->err);
	}
	return false;
}

/* Where the room of the file in p->old would be: right behind its last block. */
static struct range room_behind(const struct planner *p, const struct growing *f)
{
	const struct run_list *runs = &p->old;
	size_t last = 0;

	for (size_t i = 0; i < runs->n && owner_is_data(runs->v[i].kind); i++)
		last = i;
	return (struct range){runs->v[last].phys + runs->v[last].len, f->room};
}

/* Does it lie well, with room behind it? Then all stays. */
static bool stays(struct gap *s, struct growing *f)
{
	struct range room = room_behind(s->p, f);

	if (f->fragments > f->ideal)
		return true;
	return !freemap_is_free(s->p->free, room) || give_room(s, f, room);
}

/* To a hole with room. *moved: it went there. */
static bool goes(struct gap *s, struct growing *f, bool *moved)
{
	struct planner *p = s->p;
	uint32_t tree = planner_tree_joined(p);
	blkno_t whole = (blkno_t)tree + f->blocks;
	struct range hole, front, data;
	enum commit state;
	bool used;

	if (whole > planner_batch_room(p) || !planner_hole(p, whole + f->room, &hole))
		return true;
	front = (struct range){hole.start, tree};
	data = (struct range){hole.start + tree, f->blocks};
	hole.len = whole;
	if (!planner_take(p, hole) || !planner_add(p, 0, f->blocks, data, REASON_GROWTH))
		return false;
	state = planner_commit(p, front, &used);
	if (state == COMMIT_FAILED)
		return false;
	if (state != COMMIT_DONE)
		return planner_untake(p, hole);
	if (used) {
		uint32_t len = p->set.v[p->set.n - 1].len;

		front = (struct range){front.start + len, tree - len};
	}
	*moved = true;
	return (!front.len || planner_untake(p, front)) &&
	       give_room(s, f, (struct range){hole.start + whole, f->room});
}

static bool serve(struct gap *s, struct growing *f, bool *moved)
{
	struct planner *p = s->p;

	if (!planner_may_move(p, f->ino))
		return true;
	if ((p->batch_inodes >= p->max_inodes ||
	     (p->batch_inodes && f->blocks + p->g->block_size > planner_batch_room(p))) &&
	    !planner_close(p))
		return false;
	if (!planner_begin(p, f->ino) || !stays(s, f))
		return false;
	return f->done || goes(s, f, moved);
}

static bool stopped(struct gap *s, const struct strategy_options *o, size_t at)
{
	if (!o || !o->stop || at % 256 || !o->stop(o->stop_arg, at, s->files.n))
		return false;
	err_set(s->p->err, ERR_STOPPED, "planning was stopped");
	return true;
}

static bool place_all(struct gap *s, const struct strategy_options *opt)
{
	bool moved = true;

	for (unsigned pass = 0; moved && pass < PASSES_MAX; pass++) {
		moved = false;
		for (size_t i = 0; i < s->files.n && planner_spent(s->p) < 1; i++)
			if (stopped(s, opt, i) ||
			    (!s->files.v[i].done && !serve(s, &s->files.v[i], &moved)))
				return false;
		if (!planner_close(s->p))
			return false;
	}
	return true;
}

/* The end: rooms become free space again, which they are. */
static bool settle(struct planner *p, void *gap)
{
	struct gap *s = gap;

	for (size_t i = 0; i < s->rooms.n; i++)
		if (!planner_unclaim(p, s->rooms.v[i]))
			return false;
	s->rooms.n = 0;
	return planner_settle(p);
}

/* Files in one piece that have no room in the end; defrag lists the others. */
static bool list_cramped(struct gap *s)
{
	struct planner *p = s->p;

	for (size_t i = 0; i < s->files.n; i++) {
		struct growing *f = &s->files.v[i];
		struct skip skip = {.ino = f->ino, .reason = SKIP_GROWTH};

		if (!planner_begin(p, f->ino))
			return false;
		if (freemap_is_free(p->free, room_behind(p, f)))
			continue;
		skip.fragments = extent_fragments(p->old.v, p->old.n);
		skip.ideal = f->ideal;
		skip.figure = f->blocks + f->room + planner_tree_joined(p);
		if (skip.fragments <= f->ideal && !vec_push(&p->out->skips, skip))
			return err_nomem(p->err);
	}
	return true;
}

bool strat_gap_plan(struct planner *p, const struct goal_request *g,
		    const struct strategy_options *opt)
{
	struct gap s = {.p = p};
	bool ok;

	ok = collect(&s, g) && place_all(&s, opt) &&
	     strat_defrag_until(p, g, opt, settle, &s) && list_cramped(&s);
	vec_release(&s.files);
	vec_release(&s.rooms);
	return ok;
}
