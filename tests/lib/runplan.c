/* SPDX-License-Identifier: GPL-3.0-or-later */
/* runplan.c - see runplan.h. */
#include <stdlib.h>
#include <string.h>
#include "tests/lib/runplan.h"
#include "tests/lib/test.h"

void note_before(struct randvol *v, struct before *b)
{
	struct file_info info;

	memset(b, 0, sizeof(*b));
	b->fragments = calloc(v->geom.inodes + 1, sizeof(*b->fragments));
	assert_non_null(b->fragments);
	for (inum_t ino = model_next_inode(v->model, 0); ino;
	     ino = model_next_inode(v->model, ino)) {
		assert_true(model_file(v->model, ino, &info));
		b->fragments[ino] = info.fragments;
		if (info.inode.flags & INODE_PINNED)
			assert_true(model_runs(v->model, ino, &b->pinned));
	}
}

void release_before(struct before *b)
{
	free(b->fragments);
	vec_release(&b->pinned);
}

static void mark(struct randvol *v, blkno_t at, uint32_t len, bool used)
{
	for (uint32_t i = 0; i < len; i++) {
		assert_int_equal(v->used[at + i], !used);
		v->used[at + i] = used;
	}
}

/* One inode in one batch: the real run list, the real model. */
static void run_inode(struct randvol *v, const struct move *m, size_t n)
{
	struct run_list old = {0}, fresh = {0};
	struct err err = ERR_INIT;

	assert_true(model_runs(v->model, m->ino, &old));
	if (!extent_apply(&old, m, n, &fresh, &err))
		fail_msg("%s", err.msg);
	if (!model_replace(v->model, m->ino, &fresh, &err))
		fail_msg("%s", err.msg);
	vec_release(&old);
	vec_release(&fresh);
}

/* Old tree blocks that a batch leaves; known before it runs. */
static void leave_tree(struct randvol *v, inum_t ino, struct run_list *left)
{
	struct run_list runs = {0};

	assert_true(model_runs(v->model, ino, &runs));
	for (size_t i = 0; i < runs.n; i++)
		if (runs.v[i].kind == OWNER_TREE)
			assert_true(vec_push(left, runs.v[i]));
	vec_release(&runs);
}

/* Destinations are free when the batch starts; what it leaves is free only after it. The
 * array v->used knows nothing of the planner. */
static void run_batch(struct randvol *v, const struct plan *p, size_t i, size_t end)
{
	struct run_list left = {0};
	const struct move *m = p->moves.v;

	for (size_t k = i; k < end; k++) {
		mark(v, m[k].to, m[k].len, true);
		if (m[k].kind == MOVE_TREE)
			leave_tree(v, m[k].ino, &left);
	}
	for (size_t k = i, next; k < end; k = next) {
		for (next = k + 1; next < end && m[next].ino == m[k].ino;)
			next++;
		run_inode(v, m + k, next - k);
		for (size_t other = next; other < end; other++)
			assert_int_not_equal(m[other].ino, m[k].ino);
	}
	for (size_t k = i; k < end; k++)
		if (m[k].kind == MOVE_DATA)
			mark(v, m[k].from, m[k].len, false);
	for (size_t k = 0; k < left.n; k++)
		mark(v, left.v[k].phys, left.v[k].len, false);
	vec_release(&left);
}

void run_plan(struct randvol *v, const struct plan *p)
{
	for (size_t i = 0, end; i < p->moves.n; i = end) {
		end = plan_batch_end(p, i);
		run_batch(v, p, i, end);
	}
}

/* Every inode, or one in `one_in`. */
void ask(struct randvol *v, uint32_t one_in, struct inum_list *out)
{
	for (inum_t ino = model_next_inode(v->model, 0); ino;
	     ino = model_next_inode(v->model, ino))
		if (randvol_random(v, one_in) == 0)
			assert_true(vec_push(out, ino));
}
