/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep.c - see sweep.h: the windows. */
#include <string.h>
#include "src/core/sweep.h"

/* A window to be emptied takes this share of the blocks that are free; the one before it is
 * being filled meanwhile. Measured on an aged 1.36 GB volume with 4.4 % free: a quarter
 * moves 1.67 times the data in 82 batches, an eighth 1.64 in 170, 70 % 1.80 in 57. */
#define WINDOW_SHARE(free) ((free) / 4)
/* A target goes in pieces of at most this share: a window can then end inside a file. */
#define PIECE_SHARE(free) ((free) / 8)
#define PIECE_MIN	  8u
/* So many batches without a move: something stands in the way for good. */
#define STILL_MAX 3u
/* With this share of the budget spent no window is opened any more: what lies in pieces by
 * then has to be joined again. */
#define BUDGET_SHARE 0.5

void sweep_init(struct sweep *s, struct planner *p, const struct strategy_options *opt)
{
	memset(s, 0, sizeof(*s));
	s->p = p;
	s->opt = opt;
	s->reason = REASON_PLACE;
}

void sweep_release(struct sweep *s)
{
	vec_release(&s->targets);
	vec_release(&s->movers);
	vec_release(&s->homes);
	vec_release(&s->kept);
	vec_release(&s->order);
	vec_release(&s->here);
}

bool sweep_keep_tree(struct sweep *s, inum_t ino, struct range at)
{
	return vec_push(&s->homes, (struct home){ino, at}) || err_nomem(s->p->err);
}

bool sweep_add(struct sweep *s, struct target t)
{
	return !t.n || vec_push(&s->targets, t) || err_nomem(s->p->err);
}

/* --- before the first window --- */

static bool cut_targets(struct sweep *s)
{
	uint64_t piece = PIECE_SHARE(freemap_blocks(s->p->free));
	size_t n = s->targets.n;

	if (piece > s->p->max_blocks / 2)
		piece = s->p->max_blocks / 2;
	if (piece < PIECE_MIN)
		piece = PIECE_MIN;
	for (size_t i = 0; i < n; i++) {
		struct target t = s->targets.v[i];

		if (t.tree || !t.ino)
			continue;
		while (t.n > piece) {
			struct target rest = t;

			rest.to += piece;
			rest.first += piece;
			rest.n -= (uint32_t)piece;
			t.n = (uint32_t)piece;
			s->targets.v[i] = t;
			if (!vec_push(&s->targets, t))
				return err_nomem(s->p->err);
			s->targets.v[i] = rest;
			t = rest;
		}
	}
	return true;
}

static int by_place(const void *a, const void *b)
{
	const struct target *x = a, *y = b;

	return x->to < y->to ? -1 : x->to > y->to;
}

static int by_ino(const void *a, const void *b)
{
	const struct mover *x = a, *y = b;

	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static bool list_movers(struct sweep *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->targets.n; i++)
		if (s->targets.v[i].ino &&
		    !vec_push(&s->movers, (struct mover){.ino = s->targets.v[i].ino}))
			return err_nomem(s->p->err);
	if (s->movers.n)
		qsort(s->movers.v, s->movers.n, sizeof(*s->movers.v), by_ino);
	for (size_t i = 0; i < s->movers.n; i++)
		if (i == 0 || s->movers.v[i].ino != s->movers.v[kept - 1].ino)
			s->movers.v[kept++] = s->movers.v[i];
	s->movers.n = kept;
	for (size_t i = 0; i < s->targets.n; i++) {
		const struct target *t = &s->targets.v[i];
		struct mover *m = t->ino ? sweep_mover(s, t->ino) : NULL;

		if (m && t->tree)
			m->tree = (struct range){t->to, t->n};
		else if (m)
			m->left++;
	}
	return true;
}

static bool claim_homes(struct sweep *s)
{
	for (size_t i = 0; i < s->homes.n; i++) {
		struct mover *m = sweep_mover(s, s->homes.v[i].ino);

		if (!m || m->tree.len)
			continue;
		m->tree = s->homes.v[i].at;
		if (!planner_claim(s->p, m->tree, &m->tree_claimed))
			return false;
		if (!m->tree_claimed)
			m->tree.len = 0;
	}
	return true;
}

static bool prepare(struct sweep *s)
{
	if (!cut_targets(s))
		return false;
	if (s->targets.n)
		qsort(s->targets.v, s->targets.n, sizeof(*s->targets.v), by_place);
	return list_movers(s) && claim_homes(s);
}

/* --- windows --- */

static bool is_set(const struct window *w)
{
	return w->to > w->from;
}

static void give_up(struct sweep *s, struct target *t)
{
	struct mover *m = t->ino ? sweep_mover(s, t->ino) : NULL;

	t->done = t->blocked = true;
	s->done++;
	if (!m)
		return;
	m->lost = true;
	if (!t->tree)
		m->left--;
}

/* Takes the next targets into the window `clear`. */
static bool open_window(struct sweep *s)
{
	struct planner *p = s->p;
	uint64_t limit = WINDOW_SHARE(freemap_blocks(p->free) + freemap_blocks(p->later));
	struct window w = {.from = s->next, .to = s->next};
	const struct target *first = &s->targets.v[s->next], *t;
	uint64_t sum = 0;
	bool ok;

	if (limit > p->max_blocks)
		limit = p->max_blocks;
	for (; w.to < s->targets.n; w.to++) {
		t = &s->targets.v[w.to];
		if (!t->ino != !first->ino || (t->ino && sum && sum + t->n > limit))
			break;
		sum += t->n;
	}
	t = &s->targets.v[w.to - 1];
	w.at = (struct range){first->to, t->to + t->n - first->to};
	s->next = w.to;
	if (!planner_claim(p, w.at, &ok))
		return false;
	if (ok) {
		s->clear = w;
		return true;
	}
	for (size_t i = w.from; i < w.to; i++)
		give_up(s, &s->targets.v[i]);
	return true;
}

struct gather {
	struct sweep *s;
	const struct window *w;
	bool oom;
};

static bool note_inode(void *arg, const struct run *r)
{
	struct gather *g = arg;
	struct sweep *s = g->s;
	size_t k = sweep_target_after(s, r->phys);

	if (!r->ino || r->kind == OWNER_FREE)
		return true;
	while (k < g->w->to && s->targets.v[k].done)
		k++;
	if (k < g->w->to && s->targets.v[k].to < r->phys + r->len)
		g->oom = !vec_push(&s->here, r->ino);
	return !g->oom;
}

static int by_number(const void *a, const void *b)
{
	inum_t x = *(const inum_t *)a, y = *(const inum_t *)b;

	return x < y ? -1 : x > y;
}

/* The inodes that own a block where a target is, once each. */
static bool gather(struct sweep *s, const struct window *w)
{
	struct gather g = {s, w, false};
	size_t kept = 0;

	vec_clear(&s->here);
	layout_walk(s->p->now, w->at.start, w->at.len, note_inode, &g);
	if (g.oom)
		return err_nomem(s->p->err);
	if (s->here.n)
		qsort(s->here.v, s->here.n, sizeof(*s->here.v), by_number);
	for (size_t i = 0; i < s->here.n; i++)
		if (i == 0 || s->here.v[i] != s->here.v[kept - 1])
			s->here.v[kept++] = s->here.v[i];
	s->here.n = kept;
	return true;
}

static bool clear_window(struct sweep *s, struct window *w)
{
	bool all = true;

	if (!gather(s, w))
		return false;
	for (size_t i = 0; i < s->here.n; i++) {
		enum swept one = sweep_out(s, s->here.v[i], w);

		if (one == SWEPT_FAILED)
			return false;
		all = all && one != SWEPT_LATER && one != SWEPT_NEVER;
	}
	w->empty = all;
	w->ready = s->p->batch + 1;
	return true;
}

/* What nobody put anything into becomes free; a place for a tree whose file is not
 * complete yet stays claimed. */
static bool close_window(struct sweep *s, struct window *w)
{
	struct planner *p = s->p;
	bool keep = !s->targets.v[w->from].ino;

	if (keep) {
		if (!vec_push(&s->kept, w->at))
			return err_nomem(p->err);
	} else if (!planner_unclaim(p, w->at)) {
		return false;
	}
	for (size_t i = w->from; i < w->to; i++) {
		struct target *t = &s->targets.v[i];
		struct mover *m = t->ino && t->tree ? sweep_mover(s, t->ino) : NULL;

		s->done += !t->done;
		t->done = true;
		if (m && m->left && !m->lost &&
		    !planner_claim(p, m->tree, &m->tree_claimed))
			return false;
	}
	*w = (struct window){0};
	return true;
}

static bool is_blocked(struct sweep *s, const struct target *t);

/* The targets that something stays on are given up; the rest of the window is empty. */
static bool give_up_blocked(struct sweep *s, struct window *w)
{
	for (size_t i = w->from; i < w->to; i++)
		if (!s->targets.v[i].done &&
		    (w == &s->fill || is_blocked(s, &s->targets.v[i])))
			give_up(s, &s->targets.v[i]);
	w->empty = true;
	w->ready = s->p->batch + 1;
	return true;
}

struct blocked {
	const struct target *t;
	bool yes;
};

static bool note_blocked(void *arg, const struct run *r)
{
	struct blocked *b = arg;

	b->yes = r->kind != OWNER_FREE && (!b->t->ino || r->ino != b->t->ino);
	return !b->yes;
}

static bool is_blocked(struct sweep *s, const struct target *t)
{
	struct blocked b = {t, false};

	layout_walk(s->p->now, t->to, t->n, note_blocked, &b);
	return b.yes || (t->ino && sweep_own_stray(s, t));
}

/* --- filling --- */

/* For by_file(): qsort has no argument for it. A planner runs on one thread at a time, but
 * another engine may have a thread of its own. */
static _Thread_local const struct target *sorting;

static int by_file(const void *a, const void *b)
{
	const struct target *x = &sorting[*(const size_t *)a],
			    *y = &sorting[*(const size_t *)b];

	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	if (x->tree != y->tree)
		return x->tree ? 1 : -1;
	return x->first < y->first ? -1 : x->first > y->first;
}

void sweep_sort_order(struct sweep *s)
{
	sorting = s->targets.v;
	if (s->order.n)
		qsort(s->order.v, s->order.n, sizeof(*s->order.v), by_file);
}

static bool fill_window(struct sweep *s, struct window *w)
{
	vec_clear(&s->order);
	for (size_t i = w->from; i < w->to; i++)
		if (!s->targets.v[i].done && s->targets.v[i].ino &&
		    !vec_push(&s->order, i))
			return err_nomem(s->p->err);
	sweep_sort_order(s);
	for (size_t i = 0, end; i < s->order.n; i = end) {
		inum_t ino = s->targets.v[s->order.v[i]].ino;

		for (end = i + 1;
		     end < s->order.n && s->targets.v[s->order.v[end]].ino == ino;)
			end++;
		if (sweep_in(s, i, end) == SWEPT_FAILED)
			return false;
	}
	return true;
}

/* Only trees whose files are not complete may still be open. */
static bool is_filled(const struct sweep *s, const struct window *w)
{
	for (size_t i = w->from; i < w->to; i++)
		if (s->targets.v[i].ino && !s->targets.v[i].done && !s->targets.v[i].tree)
			return false;
	return true;
}

/* --- the loop --- */

static bool stopped(struct sweep *s)
{
	const struct strategy_options *o = s->opt;

	if (!o || !o->stop || !o->stop(o->stop_arg, s->done, s->targets.n))
		return false;
	err_set(s->p->err, ERR_STOPPED, "planning was stopped");
	return true;
}

static bool turn(struct sweep *s)
{
	if (is_set(&s->fill) && s->p->batch >= s->fill.ready) {
		if (!fill_window(s, &s->fill))
			return false;
		if (is_filled(s, &s->fill) && !close_window(s, &s->fill))
			return false;
	}
	if (!is_set(&s->clear) && s->next < s->targets.n && !open_window(s))
		return false;
	if (is_set(&s->clear) && !s->clear.empty && !clear_window(s, &s->clear))
		return false;
	if (is_set(&s->clear) && s->clear.empty && !is_set(&s->fill)) {
		s->fill = s->clear;
		s->clear = (struct window){0};
	}
	return true;
}

static bool run_windows(struct sweep *s)
{
	struct planner *p = s->p;
	uint32_t still = 0;

	while (is_set(&s->fill) || is_set(&s->clear) || s->next < s->targets.n) {
		size_t before = p->out->moves.n;

		if (planner_spent(p) > BUDGET_SHARE)
			s->next = s->targets.n;
		if (stopped(s) || !turn(s))
			return false;
		still = p->out->moves.n > before ? 0 : still + 1;
		if (still > STILL_MAX) {
			struct window *w = is_set(&s->fill) ? &s->fill : &s->clear;

			if (is_set(w) && !give_up_blocked(s, w))
				return false;
			still = 0;
		}
		if (!planner_close(p))
			return false;
	}
	return true;
}

bool sweep_again(struct sweep *s)
{
	struct planner *p = s->p;
	uint32_t still = 0;

	while (still <= STILL_MAX) {
		size_t before = p->out->moves.n;

		for (size_t i = 0, end; i < s->targets.n; i = end) {
			struct window w = {.from = i, .to = i + 1};
			const struct target *t = &s->targets.v[i];

			end = i + 1;
			s->targets.v[i].done = !t->blocked;
			w.at = (struct range){t->to, t->n};
			if (t->blocked && !clear_window(s, &w))
				return false;
		}
		if (stopped(s))
			return false;
		still = p->out->moves.n > before ? 0 : still + 1;
		if (!planner_close(p))
			return false;
	}
	return true;
}

bool sweep_run(struct sweep *s)
{
	return prepare(s) && run_windows(s);
}
