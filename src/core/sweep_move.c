/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_move.c - see sweep.h: one inode out of a window, or into it. */
#include "src/core/sweep.h"

struct mover *sweep_mover(const struct sweep *s, inum_t ino)
{
	size_t lo = 0, hi = s->movers.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->movers.v[mid].ino < ino)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->movers.n && s->movers.v[lo].ino == ino ? &s->movers.v[lo] : NULL;
}

size_t sweep_target_after(const struct sweep *s, blkno_t b)
{
	size_t lo = 0, hi = s->targets.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->targets.v[mid].to + s->targets.v[mid].n > b)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

bool sweep_is_wall(const struct planner *p, const struct run *r)
{
	struct inode_info info;

	if (r->kind == OWNER_FREE)
		return false;
	if (p->g->cluster_ratio > 1 ||
	    (r->kind != OWNER_FILE && r->kind != OWNER_DIR && r->kind != OWNER_SYMLINK &&
	     r->kind != OWNER_EA_INODE && r->kind != OWNER_TREE))
		return true;
	if (p->stay && (p->stay[r->ino / 8] >> r->ino % 8 & 1))
		return true;
	return !model_inode(p->m, r->ino, &info) || info.type == INODE_OTHER ||
	       (info.flags & (INODE_PINNED | INODE_SYSTEM));
}

/* --- out --- */

/* What ino has in a window and must leave: collected, then committed at once. */
struct leaving {
	struct sweep *s;
	const struct window *w;
	struct mover *m; /* NULL: it was not asked about; only whole fragments move */
	bool later, never;
};

static bool find_hole(struct sweep *s, blkno_t len, struct range *out)
{
	const struct planner *p = s->p;
	blkno_t end = s->clear.at.start + s->clear.at.len;

	/* As far behind as can be: what is put there is met last, and most of it has gone to
	 * its place by then. */
	for (int i = 7; s->out_ahead && i >= 0; i--)
		if (freemap_first(p->free, end + (p->g->blocks - end) / 8 * (blkno_t)i,
				  len, out) &&
		    (!(p->info.flags & INODE_INDIRECT) || out->start + len <= 1ull << 32))
			return true;
	return planner_hole(p, len, out);
}

/* Blocks [first, first + n) into holes: one, or for files that have targets as few as
 * there are. False: an error. */
static bool put_away(struct leaving *l, uint64_t first, uint64_t n)
{
	struct planner *p = l->s->p;

	while (n) {
		uint64_t room = planner_batch_room(p), len = n;
		struct range hole;

		if (len > room && !l->m && !l->s->split) {
			l->later = p->batch_blocks || p->set.n;
			l->never = l->never || !l->later;
			return true;
		}
		len = len > room ? room : len;
		if (!len) {
			l->later = true;
			return true;
		}
		if (!find_hole(l->s, len, &hole)) {
			if ((!l->m && !l->s->split) || !freemap_largest(p->free, &hole) ||
			    (p->info.flags & INODE_INDIRECT &&
			     hole.start + hole.len > 1ull << 32)) {
				l->never = true;
				return true;
			}
			len = hole.len < len ? hole.len : len;
		}
		hole.len = len;
		if (!planner_take(p, hole) ||
		    !planner_add(p, first, len, hole, l->m ? REASON_STAGE : REASON_ROOM))
			return false;
		first += len;
		n -= len;
	}
	return true;
}

/* A run of a file that has targets: the parts that lie on targets and are not in place. */
static bool leave_parts(struct leaving *l, const struct run *r, uint64_t first)
{
	const struct sweep *s = l->s;
	blkno_t end = r->phys + r->len;

	for (size_t k = sweep_target_after(s, r->phys); k < l->w->to; k++) {
		const struct target *t = &s->targets.v[k];
		blkno_t lo = t->to > r->phys ? t->to : r->phys, hi = t->to + t->n;

		if (t->to >= end)
			break;
		hi = hi < end ? hi : end;
		if (k < l->w->from || t->done ||
		    (t->ino == s->p->ino && !t->tree &&
		     t->first + (lo - t->to) == first + (lo - r->phys)))
			continue;
		if (!put_away(l, first + (lo - r->phys), hi - lo))
			return false;
	}
	return true;
}

static bool touches(const struct leaving *l, const struct run *r)
{
	const struct sweep *s = l->s;

	for (size_t k = sweep_target_after(s, r->phys); k < l->w->to; k++) {
		if (s->targets.v[k].to >= r->phys + r->len)
			return false;
		if (k >= l->w->from && !s->targets.v[k].done)
			return true;
	}
	return false;
}

static bool leave_fragments(struct leaving *l)
{
	const struct run_list *runs = &l->s->p->old;
	uint64_t first = 0;

	for (size_t i = 0, end; i < runs->n && owner_is_data(runs->v[i].kind); i = end) {
		bool there = false;
		uint64_t n = 0;

		for (end = i; end < runs->n && owner_is_data(runs->v[end].kind); end++) {
			if (end > i && extent_starts_fragment(runs->v, runs->n, end))
				break;
			n += runs->v[end].len;
			there = there || touches(l, &runs->v[end]);
		}
		if (there && !put_away(l, first, n))
			return false;
		first += n;
	}
	return true;
}

static bool leave_all(struct leaving *l)
{
	const struct run_list *runs = &l->s->p->old;
	uint64_t first = 0;

	if (!l->m)
		return leave_fragments(l);
	for (size_t i = 0; i < runs->n && owner_is_data(runs->v[i].kind); i++) {
		if (!leave_parts(l, &runs->v[i], first))
			return false;
		first += runs->v[i].len;
	}
	return true;
}

static bool is_inside(const struct run *r, struct range at)
{
	return r->phys >= at.start && r->phys + r->len <= at.start + at.len;
}

static bool tree_at_home(const struct planner *p, const struct mover *m)
{
	for (size_t i = 0; i < p->old.n; i++)
		if (p->old.v[i].kind == OWNER_TREE && !is_inside(&p->old.v[i], m->tree))
			return false;
	return true;
}

static bool has_tree(const struct planner *p)
{
	for (size_t i = p->old.n; i-- > 0 && !owner_is_data(p->old.v[i].kind);)
		if (p->old.v[i].kind == OWNER_TREE)
			return true;
	return false;
}

/* Is its tree in the way? At home it is only when nothing else of the file moves. */
static bool tree_leaves(const struct leaving *l)
{
	const struct planner *p = l->s->p;

	if (l->m && !l->m->left && l->m->tree.len && tree_at_home(p, l->m))
		return false;
	for (size_t i = p->old.n; i-- > 0 && !owner_is_data(p->old.v[i].kind);)
		if (p->old.v[i].kind == OWNER_TREE && touches(l, &p->old.v[i]))
			return true;
	return false;
}

static enum swept commit_out(struct leaving *l)
{
	struct planner *p = l->s->p;
	size_t data = p->set.n;
	enum commit state;
	bool used;

	p->may_worsen = l->m || l->s->split;
	state = planner_commit(p, (struct range){0, 0}, &used);
	if (state == COMMIT_FAILED)
		return SWEPT_FAILED;
	if (state == COMMIT_DONE)
		return l->never ? SWEPT_NEVER : l->later ? SWEPT_LATER : SWEPT_DONE;
	for (size_t i = 0; i < data; i++)
		if (!planner_untake(p, (struct range){p->set.v[i].to, p->set.v[i].len}))
			return SWEPT_FAILED;
	return SWEPT_LATER;
}

enum swept sweep_out(struct sweep *s, inum_t ino, const struct window *w)
{
	struct leaving l = {.s = s, .w = w, .m = sweep_mover(s, ino)};
	struct planner *p = s->p;

	if (l.m && l.m->lost)
		l.m = NULL;
	if (!planner_may_move(p, ino))
		return SWEPT_LATER;
	if (!planner_begin(p, ino))
		return SWEPT_FAILED;
	if (!p->old.n || sweep_is_wall(p, &p->old.v[0]))
		return SWEPT_NEVER;
	if (!leave_all(&l))
		return SWEPT_FAILED;
	if (p->set.n || (!l.never && tree_leaves(&l)))
		return commit_out(&l);
	return l.never ? SWEPT_NEVER : l.later ? SWEPT_LATER : SWEPT_NONE;
}

/* --- in --- */

/* The place kept for the tree, if its own old one does not lie there. */
static struct range tree_place(const struct planner *p, const struct mover *m)
{
	struct range none = {0, 0};

	for (size_t i = 0; m->tree.len && i < p->old.n; i++)
		if (p->old.v[i].kind == OWNER_TREE &&
		    p->old.v[i].phys < m->tree.start + m->tree.len &&
		    p->old.v[i].phys + p->old.v[i].len > m->tree.start)
			return none;
	return m->tree;
}

/* The targets order[from, to) are reached, as far as `whole` of them are. */
static bool reached(struct sweep *s, struct mover *m, size_t from, size_t whole,
		    bool last)
{
	for (size_t k = from; k < whole; k++) {
		struct target *t = &s->targets.v[s->order.v[k]];

		if (t->tree)
			continue;
		t->done = true;
		s->done++;
		m->left--;
	}
	if (!last || !m->tree_claimed || !tree_at_home(s->p, m))
		return true;
	m->tree_claimed = false;
	return planner_unclaim(s->p, m->tree);
}

enum swept sweep_in(struct sweep *s, size_t from, size_t to)
{
	const struct target *v = s->targets.v;
	struct planner *p = s->p;
	inum_t ino = v[s->order.v[from]].ino;
	struct mover *m = sweep_mover(s, ino);
	uint32_t whole = 0;
	size_t k = from;
	bool last, used;

	if (m->lost) {
		for (; k < to; k++)
			if (!v[s->order.v[k]].done) {
				s->targets.v[s->order.v[k]].done = true;
				m->left -= !v[s->order.v[k]].tree;
			}
		return SWEPT_NEVER;
	}
	if (!planner_may_move(p, ino))
		return SWEPT_LATER;
	if (!planner_begin(p, ino))
		return SWEPT_FAILED;
	for (; k < to && !v[s->order.v[k]].tree; k++) {
		const struct target *t = &v[s->order.v[k]];
		struct range place = {t->to, t->n};

		if (t->n > planner_batch_room(p))
			break;
		if (!planner_add(p, t->first, t->n, place, s->reason))
			return SWEPT_FAILED;
		whole++;
	}
	/* The tree goes home with the last of the data, if its place is in this window or
	 * was in an earlier one. */
	last = whole == m->left && (m->tree_claimed || v[s->order.v[to - 1]].tree);
	p->may_worsen = true;
	if (p->set.n || (last && m->tree.len && has_tree(p) && !tree_at_home(p, m))) {
		enum commit state = planner_commit(
			p, last ? tree_place(p, m) : (struct range){0, 0}, &used);

		if (state == COMMIT_FAILED)
			return SWEPT_FAILED;
		if (state != COMMIT_DONE)
			return SWEPT_LATER;
		if (!planner_begin(p, ino))
			return SWEPT_FAILED;
	}
	if (!reached(s, m, from, from + whole, last))
		return SWEPT_FAILED;
	return k < to && !v[s->order.v[k]].tree ? SWEPT_LATER : SWEPT_DONE;
}

bool sweep_own_stray(struct sweep *s, const struct target *t)
{
	struct planner *p = s->p;
	const struct mover *m = sweep_mover(s, t->ino);
	uint64_t first = 0;

	if (!planner_begin(p, t->ino))
		return true;
	for (size_t i = 0; i < p->old.n; i++) {
		const struct run *r = &p->old.v[i];
		bool there = r->phys < t->to + t->n && r->phys + r->len > t->to;
		bool data = owner_is_data(r->kind);

		/* In place: block `first` of the file lies where the target has it. */
		if (there && data && (t->tree || r->phys + t->first != t->to + first))
			return true;
		if (there && !data && !(t->tree && !m->left))
			return true;
		first += data ? r->len : 0;
	}
	return false;
}

enum swept sweep_tree(struct sweep *s, struct mover *m)
{
	struct planner *p = s->p;
	enum commit state;
	bool used;

	if (!planner_may_move(p, m->ino) && !planner_close(p))
		return SWEPT_FAILED;
	if (!planner_begin(p, m->ino))
		return SWEPT_FAILED;
	if (!has_tree(p) || tree_at_home(p, m) || !tree_place(p, m).len)
		return SWEPT_NONE;
	p->may_worsen = false;
	state = planner_commit(p, m->tree, &used);
	return state == COMMIT_FAILED ? SWEPT_FAILED
	       : state == COMMIT_DONE ? SWEPT_DONE
				      : SWEPT_NEVER;
}
