/* SPDX-License-Identifier: GPL-3.0-or-later */
/* planner.c - see planner.h: the batch being filled. Space is in planner_space.c. */
#include <string.h>
#include "src/core/planner.h"

bool planner_init(struct planner *p, const struct model *m,
		  const struct strategy_options *opt, struct plan *out, struct err *err)
{
	uint64_t bytes = opt && opt->batch_bytes ? opt->batch_bytes : BATCH_MAX_BYTES;

	memset(p, 0, sizeof(*p));
	p->m = m;
	p->g = model_geom(m);
	p->out = out;
	p->err = err;
	p->max_blocks = bytes / p->g->block_size ? bytes / p->g->block_size : 1;
	p->max_inodes = opt && opt->batch_inodes ? opt->batch_inodes : BATCH_MAX_INODES;
	p->now = layout_new(m);
	p->free = freemap_new(m);
	p->later = freemap_new_empty();
	if (!p->now || !p->free || !p->later)
		return err_nomem(err);
	return true;
}

void planner_release(struct planner *p)
{
	layout_free(p->now);
	freemap_free(p->free);
	freemap_free(p->later);
	free(p->stay);
	vec_release(&p->claims);
	vec_release(&p->old);
	vec_release(&p->fresh);
	vec_release(&p->set);
}

/* --- one inode --- */

bool planner_may_move(const struct planner *p, inum_t ino)
{
	return p->batch_inodes < p->max_inodes &&
	       layout_mark(p->now, ino) != p->batch + 1;
}

bool planner_begin(struct planner *p, inum_t ino)
{
	p->ino = ino;
	p->old.n = p->set.n = p->set_blocks = 0;
	p->may_worsen = false;
	if (!model_inode(p->m, ino, &p->info))
		p->info = (struct inode_info){.flags = INODE_SYSTEM};
	return layout_runs(p->now, ino, &p->old) || err_nomem(p->err);
}

bool planner_add(struct planner *p, uint64_t first, uint64_t n, struct range to,
		 enum move_reason reason)
{
	uint64_t at = 0, end = first + n;

	for (size_t i = 0; i < p->old.n && at < end; i++) {
		const struct run *r = &p->old.v[i];
		uint64_t skip = at < first ? first - at : 0, len;
		struct move m = {.ino = p->ino, .kind = MOVE_DATA, .batch = p->batch};

		if (!owner_is_data(r->kind))
			break;
		at += r->len;
		if (skip >= r->len)
			continue;
		len = r->len - skip;
		if (at > end)
			len -= at - end;
		m.reason = (uint8_t)reason;
		m.len = (uint32_t)len;
		m.lblk = r->lblk + (lblk_t)skip;
		m.from = r->phys + skip;
		m.to = to.start;
		to.start += len;
		if (m.from == m.to)
			continue;
		p->set_blocks += len;
		if (!vec_push(&p->set, m))
			return err_nomem(p->err);
	}
	return true;
}

static uint32_t tree_has(const struct run_list *runs)
{
	uint32_t had = 0;

	for (size_t i = 0; i < runs->n; i++)
		had += runs->v[i].kind == OWNER_TREE ? runs->v[i].len : 0;
	return had;
}

/* UINT32_MAX: there is no tree for it that may be made (extent_tree_planned). */
static uint32_t tree_blocks(const struct planner *p, const struct run_list *runs)
{
	return extent_tree_planned(runs->v, runs->n, p->g->block_size,
				   p->info.flags & INODE_INDIRECT, p->g->keep_trees,
				   tree_has(&p->old));
}

uint32_t planner_tree_joined(struct planner *p)
{
	blkno_t at = 0;

	p->fresh.n = 0;
	for (size_t i = 0; i < p->old.n && owner_is_data(p->old.v[i].kind); i++) {
		struct run r = p->old.v[i];

		r.phys = at;
		at += r.len;
		if (!vec_push(&p->fresh, r))
			return 0; /* the commit will miss the memory as well */
	}
	if (p->g->keep_trees)
		return tree_has(&p->old);
	return tree_blocks(p, &p->fresh);
}

uint32_t planner_tree_now(struct planner *p)
{
	return tree_blocks(p, &p->old);
}

uint32_t planner_tree_most(const struct planner *p)
{
	if (p->g->keep_trees)
		return tree_has(&p->old);
	if (p->info.flags & INODE_INDIRECT)
		return tree_blocks(p, &p->old);
	return extent_tree_blocks(extent_records(p->old.v, p->old.n) + 2,
				  p->g->block_size);
}

/* Adds the MOVE_TREE that the new layout in p->fresh needs, if it needs one. */
static enum commit add_tree(struct planner *p, struct range tree, bool *used)
{
	struct move m = {.ino = p->ino, .kind = MOVE_TREE, .reason = REASON_TREE};
	uint32_t had = tree_has(&p->old);
	struct range hole;

	*used = false;
	m.len = tree_blocks(p, &p->fresh);
	if (m.len == UINT32_MAX)
		return COMMIT_WORSE;
	m.batch = p->batch;
	m.from = BLKNO_NONE;
	if (!m.len && !had)
		return COMMIT_DONE;
	if (m.len && m.len <= tree.len) {
		*used = true;
		m.to = tree.start;
	} else if (m.len) {
		if (!planner_hole(p, m.len, &hole))
			return COMMIT_NO_ROOM;
		m.to = hole.start;
		if (!planner_take(p, (struct range){m.to, m.len}))
			return COMMIT_FAILED;
	}
	if (vec_push(&p->set, m))
		return COMMIT_DONE;
	err_nomem(p->err);
	return COMMIT_FAILED;
}

/* What the set leaves: its sources, and the old tree if it brings a new one. */
static bool release_sources(struct planner *p)
{
	bool tree = p->set.v[p->set.n - 1].kind == MOVE_TREE;

	for (size_t i = 0; i < p->set.n; i++)
		if (p->set.v[i].kind == MOVE_DATA &&
		    !planner_release_later(
			    p, (struct range){p->set.v[i].from, p->set.v[i].len}))
			return false;
	for (size_t i = 0; tree && i < p->old.n; i++)
		if (p->old.v[i].kind == OWNER_TREE &&
		    !planner_release_later(
			    p, (struct range){p->old.v[i].phys, p->old.v[i].len}))
			return false;
	return true;
}

static bool is_worse(const struct planner *p, const struct run_list *runs)
{
	if (p->excused && (p->excused[p->ino / 8] >> p->ino % 8 & 1))
		return false;
	return extent_fragments(runs->v, runs->n) > layout_origin(p->now, p->ino);
}

static bool set_runs(struct planner *p)
{
	p->worse -= is_worse(p, &p->old);
	if (!layout_set(p->now, p->ino, &p->fresh))
		return false;
	p->worse += is_worse(p, &p->fresh);
	return true;
}

static bool write_set(struct planner *p)
{
	if (!release_sources(p))
		return false;
	for (size_t i = 0; i < p->set.n; i++) {
		if (!vec_push(&p->out->moves, p->set.v[i]))
			return err_nomem(p->err);
		p->batch_blocks += p->set.v[i].len;
		p->written += p->set.v[i].len;
		p->spent_ms += plan_move_ms(&p->set.v[i], p->g->block_size);
	}
	if (!set_runs(p))
		return err_nomem(p->err);
	layout_set_mark(p->now, p->ino, p->batch + 1);
	p->batch_inodes++;
	return true;
}

static bool apply_set(struct planner *p)
{
	p->fresh.n = 0;
	return extent_apply(&p->old, p->set.v, p->set.n, &p->fresh, p->err);
}

enum commit planner_commit(struct planner *p, struct range tree, bool *tree_used)
{
	uint32_t before = extent_fragments(p->old.v, p->old.n), after;
	size_t data = p->set.n;
	enum commit state;

	p->set_blocks = 0; /* the batch has them, or nobody */
	if (!apply_set(p))
		return COMMIT_FAILED;
	state = add_tree(p, tree, tree_used);
	if (state != COMMIT_DONE || !p->set.n)
		return state;
	if (!apply_set(p))
		return COMMIT_FAILED;
	after = extent_fragments(p->fresh.v, p->fresh.n);
	if (after > before && !p->may_worsen) {
		const struct move *last = &p->set.v[p->set.n - 1];

		if (p->set.n > data && !*tree_used &&
		    !planner_untake(p, (struct range){last->to, last->len}))
			return COMMIT_FAILED;
		*tree_used = false;
		return COMMIT_WORSE;
	}
	p->set.v[0].gain = after < before ? before - after : 0;
	return write_set(p) ? COMMIT_DONE : COMMIT_FAILED;
}

/* --- the whole --- */

uint64_t planner_batch_room(const struct planner *p)
{
	uint64_t taken = p->batch_blocks + p->set_blocks;

	return taken < p->max_blocks ? p->max_blocks - taken : 0;
}

/* Rounds in which nothing moved left gaps. */
static void number_batches(struct plan *plan)
{
	uint32_t number = 0, last = 0;

	for (size_t i = 0; i < plan->moves.n; i++) {
		if (i && plan->moves.v[i].batch != last)
			number++;
		last = plan->moves.v[i].batch;
		plan->moves.v[i].batch = number;
	}
}

double planner_spent(const struct planner *p)
{
	double bytes = 0, ms = 0;

	if (p->max_written)
		bytes = (double)p->written / (double)p->max_written;
	if (p->max_ms > 0)
		ms = p->spent_ms / p->max_ms;
	return bytes > ms ? bytes : ms;
}

bool planner_settle(struct planner *p)
{
	if (!planner_close(p))
		return false;
	if (p->good == p->out->moves.n)
		return true;
	p->out->moves.n = p->good;
	layout_free(p->now);
	freemap_free(p->free);
	p->now = NULL;
	p->free = NULL;
	p->worse = 0;
	return plan_replay(p->out, p->m, &p->now, &p->free, p->err);
}

bool planner_finish(struct planner *p)
{
	number_batches(p->out);
	metrics_compute(p->m, &p->out->before);
	p->out->after = p->out->before;
	plan_price(p->out, p->g->block_size);
	return plan_predict(p->m, p->now, p->free, &p->out->after) || err_nomem(p->err);
}
