/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * defrag_job.c - a file on its way into a window, piece by piece.
 *
 * Each step moves what has been cleared and what the batch takes. The mapping tree is
 * rebuilt at every step; with the last one it goes to its place in front of the data.
 */
#include "src/core/defrag.h"

bool item_update(struct defrag *d, struct item *it)
{
	struct planner *p = d->p;

	if (!planner_begin(p, it->ino))
		return false;
	it->fragments = extent_fragments(p->old.v, p->old.n);
	if (it->fragments <= it->ideal && it->state == ITEM_WAITING) {
		it->state = ITEM_DONE;
		d->finished++;
	}
	return true;
}

bool job_start(struct defrag *d, const struct job *j)
{
	d->items.v[j->item].state = ITEM_MOVING;
	return vec_push(&d->jobs, *j) || err_nomem(d->p->err);
}

bool job_secure(struct defrag *d, struct job *j, bool *ok)
{
	struct planner *p = d->p;
	uint32_t tree = planner_tree_most(p);
	struct range hole;

	*ok = true;
	for (int i = 0; i < 2 && tree && *ok; i++) {
		*ok = planner_hole(p, tree, &hole);
		if (!*ok)
			break;
		hole.len = tree;
		if (!planner_claim(p, hole, ok))
			return false;
		if (*ok)
			j->spare[i] = hole;
	}
	if (!*ok && j->spare[0].len && !planner_unclaim(p, j->spare[0]))
		return false;
	j->sure = *ok;
	return true;
}

static bool job_end(struct defrag *d, size_t i)
{
	struct job j = d->jobs.v[i];
	struct item *it = &d->items.v[j.item];

	d->jobs.v[i] = d->jobs.v[--d->jobs.n];
	it->state = ITEM_WAITING;
	for (int k = 0; k < 2; k++)
		if (j.spare[k].len && !planner_unclaim(d->p, j.spare[k]))
			return false;
	return planner_unclaim(d->p, j.window) && item_update(d, it);
}

/* Of the n blocks from block `from` on, as many as end with a run of the file; *runs is
 * how many runs they touch. All n if no run ends inside. */
static uint64_t cut_at_run(const struct planner *p, uint64_t from, uint64_t n,
			   uint32_t *runs)
{
	uint64_t at = 0, cut = 0;

	*runs = 0;
	for (size_t i = 0; i < p->old.n && owner_is_data(p->old.v[i].kind); i++) {
		at += p->old.v[i].len;
		if (at <= from)
			continue;
		++*runs;
		if (at - from <= n)
			cut = at - from;
		if (at - from >= n)
			break;
	}
	return cut ? cut : n;
}

/* False: an error. *moved: the job came forward. */
static bool job_step(struct defrag *d, struct job *j, bool *moved)
{
	struct planner *p = d->p;
	struct item *it = &d->items.v[j->item];
	uint64_t n = j->cleared - j->done, room = planner_batch_room(p);
	struct range to = {j->window.start + j->tree + j->done, 0}, tree = {0, 0};
	enum commit state;
	uint32_t runs;
	bool used;

	*moved = false;
	if (!n || p->batch < j->ready || !planner_may_move(p, it->ino))
		return true;
	if (!planner_begin(p, it->ino))
		return false;
	n = cut_at_run(p, j->first + j->done, n < room ? n : room, &runs);
	if (!n)
		return true;
	if (j->done + n == j->n)
		tree = (struct range){j->window.start, j->tree};
	else if (j->sure)
		tree = j->spare[j->turn];
	p->may_worsen = j->sure;
	if (!planner_add(p, j->first + j->done, n, to, REASON_JOIN))
		return false;
	state = planner_commit(p, tree, &used);
	if (state == COMMIT_DONE) {
		j->turn ^= 1;
		j->done += n;
		*moved = true;
	}
	return state != COMMIT_FAILED;
}

bool job_step_all(struct defrag *d)
{
	for (size_t i = 0; i < d->jobs.n;) {
		struct job *j = &d->jobs.v[i];
		uint64_t cleared = j->cleared;
		bool moved;

		if (!job_step(d, j, &moved))
			return false;
		if (j->done == j->n) {
			if (!job_end(d, i))
				return false;
			continue;
		}
		if (!room_clear(d, j))
			return false;
		j->idle = moved || j->cleared != cleared ? 0 : j->idle + 1;
		i++;
	}
	return true;
}

bool job_drop_idle(struct defrag *d, uint32_t idle, bool all)
{
	for (size_t i = 0; i < d->jobs.n;) {
		struct job *j = &d->jobs.v[i];

		if (!all && (j->sure || j->idle <= idle)) {
			i++;
			continue;
		}
		d->items.v[j->item].tries++;
		if (!job_end(d, i))
			return false;
	}
	return true;
}
