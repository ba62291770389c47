/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_model.c - the model against a plain array with one entry a block: random volumes,
 * random replacements, and the same volume sealed afresh.
 */
#include <stdlib.h>
#include <string.h>
#include "core/extent.h"
#include "tests/lib/test.h"

#define BLOCKS 6000u
#define INODES 900u
#define FIXED  3u

struct naive {
	inum_t ino;
	lblk_t lblk;
	enum owner_kind kind;
	bool unwritten;
};

struct rig {
	struct geom geom;
	struct model *model;
	struct naive block[BLOCKS];
	lblk_t length[INODES + 1]; /* next logical block of each file */
	uint32_t seed;
};

static uint32_t rnd(struct rig *r, uint32_t n)
{
	r->seed = r->seed * 1664525u + 1013904223u;
	return (r->seed >> 8) % n;
}

static void make_geom(struct rig *r, uint32_t group)
{
	struct geom *g = &r->geom;
	struct err err = ERR_INIT;

	geom_init(g);
	g->block_size = 1024;
	g->blocks = BLOCKS;
	g->first_block = 1;
	g->blocks_per_group = group;
	g->groups = (BLOCKS - 1 + group - 1) / group;
	g->inodes_per_group = INODES / g->groups;
	g->inodes = g->inodes_per_group * g->groups;
	for (group_t i = 0; i < g->groups; i++) {
		struct fixed f = {geom_group_start(g, i), FIXED, i, OWNER_INODE_TABLE};

		assert_true(vec_push(&g->fixed, f));
		for (uint32_t k = 0; k < FIXED; k++)
			r->block[f.start + k] = (struct naive){0, i, f.kind, false};
	}
	assert_true(geom_seal(g, &err));
}

static bool is_used(const struct rig *r, blkno_t b)
{
	return r->block[b].kind != OWNER_FREE;
}

static bool has_lblk(const struct naive *n)
{
	return owner_is_data(n->kind);
}

/* Gives a stretch of free blocks to a file: data, or now and then a tree or attribute
 * block. A few files get most of it, so that some have hundreds of runs. */
static void give(struct rig *r)
{
	blkno_t at = 1 + rnd(r, BLOCKS - 60);
	inum_t ino = rnd(r, 4) ? 1 + rnd(r, r->geom.inodes) : 1 + rnd(r, 5) * 37;
	uint32_t what = rnd(r, 12), len = 0, most = 1 + rnd(r, what < 2 ? 3 : 50);
	struct naive first = {ino, 0, ino % 7 ? OWNER_FILE : OWNER_DIR, rnd(r, 9) == 0};

	if (what < 2)
		first = (struct naive){ino, 0, what ? OWNER_TREE : OWNER_XATTR, false};
	while (len < most && !is_used(r, at + len))
		len++;
	if (what >= 2) {
		first.lblk = r->length[ino] + rnd(r, 2);
		r->length[ino] = first.lblk + len;
	}
	for (uint32_t k = 0; k < len; k++) {
		r->block[at + k] = first;
		if (has_lblk(&first))
			r->block[at + k].lblk += k;
	}
}

static struct run run_of(const struct rig *r, blkno_t b)
{
	const struct naive *n = &r->block[b];

	return (struct run){.phys = b,
			    .len = 1,
			    .lblk = n->lblk,
			    .ino = n->ino,
			    .kind = n->kind,
			    .unwritten = n->unwritten};
}

/* A sealed model of what the naive array holds, told block by block from somewhere in the
 * middle round to there again. */
static struct model *seal_naive(struct rig *r, bool with_bitmap)
{
	struct flaw_list flaws = {0};
	struct err err = ERR_INIT;
	uint8_t used[BLOCKS / 8 + 1] = {0};
	struct model *m = model_new(&r->geom, &err);
	blkno_t from = rnd(r, BLOCKS);

	assert_non_null(m);
	for (blkno_t i = 0; i < BLOCKS; i++) {
		blkno_t b = (from + i) % BLOCKS;
		struct run one = run_of(r, b);

		if (b == 0 || !is_used(r, b))
			continue;
		used[(b - 1) / 8] |= (uint8_t)(1u << (b - 1) % 8);
		if (one.ino)
			assert_true(model_add_run(m, &one));
	}
	for (inum_t ino = 1; ino <= r->geom.inodes; ino++)
		assert_true(
			model_set_inode(m, ino, &(struct inode_info){INODE_FILE, 0, 1}));
	assert_true(model_seal(m, with_bitmap ? used : NULL, 2, &flaws, &err));
	assert_int_equal(flaws.count, 0);
	return m;
}

static void start(struct rig *r, uint32_t seed)
{
	memset(r, 0, sizeof(*r));
	r->seed = seed * 77777u;
	make_geom(r, seed % 2 ? 1024 : 1001);
	for (int turn = 0; turn < 500; turn++)
		give(r);
	r->model = seal_naive(r, seed % 3);
}

static void stop(struct rig *r)
{
	model_free(r->model);
	geom_release(&r->geom);
}

struct walk {
	struct rig *r;
	blkno_t at;
};

static bool check_run(void *arg, const struct run *run)
{
	struct walk *w = arg;

	assert_int_equal(run->phys, w->at);
	assert_true(run->len > 0);
	for (uint32_t k = 0; k < run->len; k++) {
		struct naive *n = &w->r->block[run->phys + k];

		assert_int_equal(n->kind, run->kind);
		assert_int_equal(n->ino, run->ino);
		assert_int_equal(n->unwritten, run->unwritten);
		assert_int_equal(n->lblk, has_lblk(n) ? run->lblk + k : run->lblk);
	}
	w->at += run->len;
	return true;
}

static void check_places(struct rig *r)
{
	struct walk w = {r, 1};
	struct run run;

	model_walk(r->model, 0, BLOCKS * 2, check_run, &w);
	assert_int_equal(w.at, BLOCKS);
	for (int i = 0; i < 50; i++) {
		blkno_t len = 1 + rnd(r, 2000);

		w.at = 1 + rnd(r, BLOCKS - 2000);
		model_walk(r->model, w.at, len, check_run, &(struct walk){r, w.at});
	}
	for (blkno_t b = 1; b < BLOCKS; b++) {
		model_at(r->model, b, &run);
		assert_true(run.phys <= b && b < run.phys + run.len);
		assert_int_equal(run.kind, r->block[b].kind);
		assert_int_equal(run.ino, r->block[b].ino);
		if (run.kind != OWNER_FREE)
			continue;
		assert_true(run.phys + run.len == BLOCKS ||
			    is_used(r, run.phys + run.len));
		assert_true(is_used(r, run.phys - 1));
	}
}

/* Fragments counted block by block: the file's own tree blocks do not break one. */
static uint32_t naive_fragments(const struct rig *r, const struct run_list *runs)
{
	uint32_t count = 0;
	blkno_t next = BLKNO_NONE;

	for (size_t i = 0; i < runs->n && owner_is_data(runs->v[i].kind); i++)
		for (uint32_t k = 0; k < runs->v[i].len; k++) {
			blkno_t b = runs->v[i].phys + k;

			while (next != b && next < BLOCKS &&
			       r->block[next].kind == OWNER_TREE &&
			       r->block[next].ino == runs->v[i].ino)
				next++;
			count += next != b;
			assert_int_equal(runs->v[i].odd, (count - 1) % 2);
			next = b + 1;
		}
	return count;
}

static void check_file(struct rig *r, inum_t ino, const uint32_t *owned)
{
	struct run_list runs = {0};
	struct file_info info = {.fragments = 0};
	uint32_t blocks = 0, fragments;

	assert_true(model_runs(r->model, ino, &runs));
	fragments = naive_fragments(r, &runs);
	for (size_t i = 0; i < runs.n; i++) {
		const struct run *a = &runs.v[i], *before = a - 1;
		bool data = owner_is_data(a->kind);

		check_run(&(struct walk){r, a->phys}, a);
		assert_int_equal(a->ino, ino);
		if (i && data)
			assert_true(before->lblk + before->len <= a->lblk);
		else if (i && !owner_is_data(before->kind))
			assert_true(before->phys < a->phys);
		assert_true(!data || i == 0 || owner_is_data(before->kind));
		assert_int_equal(a->fragmented, data && fragments > 1);
		blocks += a->len;
	}
	assert_int_equal(blocks, owned[ino]);
	assert_true(model_file(r->model, ino, &info));
	assert_int_equal(info.fragments, fragments);
	free(runs.v);
}

/* Every block, every hole, every file's list and flags as the naive array has them. */
static void check_all(struct rig *r)
{
	uint32_t owned[INODES + 1] = {0}, used = 0;
	struct model_stats stats;

	for (blkno_t b = 1; b < BLOCKS; b++) {
		used += is_used(r, b);
		if (is_used(r, b) && r->block[b].ino)
			owned[r->block[b].ino]++;
	}
	check_places(r);
	for (inum_t ino = 1; ino <= r->geom.inodes; ino++)
		check_file(r, ino, owned);
	model_stats(r->model, &stats);
	assert_int_equal(stats.used_blocks, used);
	assert_int_equal(stats.free_blocks, BLOCKS - 1 - used);
}

static bool push_run(void *arg, const struct run *r)
{
	return vec_push((struct run_list *)arg, *r);
}

/* Model after events = model after a fresh scan. */
static void check_fresh(struct rig *r)
{
	struct model *fresh = seal_naive(r, true);
	struct run_list a = {0}, b = {0};

	model_walk(r->model, 1, BLOCKS, push_run, &a);
	model_walk(fresh, 1, BLOCKS, push_run, &b);
	for (inum_t ino = 1; ino <= r->geom.inodes; ino++)
		assert_true(model_runs(r->model, ino, &a) && model_runs(fresh, ino, &b));
	assert_int_equal(a.n, b.n);
	for (size_t i = 0; i < a.n; i++) {
		const struct run *x = &a.v[i], *y = &b.v[i];

		assert_true(x->phys == y->phys && x->len == y->len &&
			    x->lblk == y->lblk && x->ino == y->ino &&
			    x->kind == y->kind && x->unwritten == y->unwritten &&
			    x->fragmented == y->fragmented && x->odd == y->odd);
	}
	vec_release(&a);
	vec_release(&b);
	model_free(fresh);
}

static blkno_t next_free(struct rig *r, blkno_t at, uint32_t scatter)
{
	while (is_used(r, at) || (scatter && rnd(r, scatter) == 0))
		at = at + 1 == BLOCKS ? 1 : at + 1;
	return at;
}

/* Moves some runs of a random file into free blocks, in pieces of random length. */
static void replace_one(struct rig *r)
{
	struct run_list old = {0}, new = {0};
	struct err err = ERR_INIT;
	inum_t ino = rnd(r, 3) ? 1 + rnd(r, r->geom.inodes) : 1 + rnd(r, 5) * 37;
	uint32_t scatter = rnd(r, 3) ? 0 : 2 + rnd(r, 30);
	blkno_t at = 1 + rnd(r, BLOCKS - 1);

	assert_true(model_runs(r->model, ino, &old));
	for (size_t i = 0; i < old.n; i++) {
		bool stays = rnd(r, 5) == 0;

		for (uint32_t k = 0; k < old.v[i].len; k++) {
			struct run one = run_of(r, old.v[i].phys + k);

			if (!stays) {
				one.phys = at = next_free(r, at, scatter);
				r->block[at] = r->block[old.v[i].phys + k];
			}
			assert_true(vec_push(&new, one));
		}
		/* its old blocks stay taken until all is placed */
		old.v[i].odd = stays;
	}
	for (size_t i = 0; i < old.n; i++)
		if (!old.v[i].odd)
			memset(&r->block[old.v[i].phys], 0,
			       old.v[i].len * sizeof(r->block[0]));
	if (!model_replace(r->model, ino, &new, &err))
		fail_msg("%s", err.msg);
	free(old.v);
	free(new.v);
}

static void test_equals_naive(void **state)
{
	static struct rig r;

	(void)state;
	for (uint32_t seed = 1; seed <= 12; seed++) {
		start(&r, seed);
		check_all(&r);
		for (int turn = 0; turn < 80; turn++)
			replace_one(&r);
		check_all(&r);
		check_fresh(&r);
		stop(&r);
	}
}

/* A file without blocks gets some, and gives all of them away again. */
static void test_from_nothing_to_nothing(void **state)
{
	static struct rig r;
	struct err err = ERR_INIT;
	struct run_list runs = {0}, none = {0};
	inum_t ino = 1;
	blkno_t at = 1;

	(void)state;
	start(&r, 4);
	while (model_runs(r.model, ino, &runs) && runs.n) {
		runs.n = 0;
		ino++;
	}
	for (lblk_t k = 0; k < 40; k++) {
		at = next_free(&r, at, 2);
		r.block[at] = (struct naive){ino, k, OWNER_FILE, false};
		assert_true(vec_push(&runs, run_of(&r, at)));
	}
	assert_true(model_replace(r.model, ino, &runs, &err));
	check_all(&r);
	assert_true(model_replace(r.model, ino, &none, &err));
	for (size_t i = 0; i < runs.n; i++)
		memset(&r.block[runs.v[i].phys], 0, sizeof(r.block[0]));
	check_all(&r);
	vec_release(&runs);
	stop(&r);
}

static void refuse(struct rig *r, inum_t ino, struct run *runs, size_t n)
{
	struct err err = ERR_INIT;
	struct run_list list = {runs, n, n};

	assert_false(model_replace(r->model, ino, &list, &err));
	assert_int_equal(err.class, ERR_BUG);
}

static void test_replace_refuses(void **state)
{
	static struct rig r;
	blkno_t free_block;

	(void)state;
	start(&r, 9);
	free_block = next_free(&r, 1, 0);
	{
		struct run good = {
			.phys = free_block, .len = 1, .kind = OWNER_FILE, .ino = 5};
		struct run taken = good, outside = good, other = good, empty = good;
		struct run twice[] = {good, good};

		taken.phys = r.geom.fixed.v[1].start;
		outside.phys = BLOCKS - 1;
		outside.len = 2;
		other.ino = 6;
		empty.len = 0;
		twice[1].lblk = 1;
		refuse(&r, 5, &taken, 1);
		refuse(&r, 5, &outside, 1);
		refuse(&r, 5, &other, 1);
		refuse(&r, 5, &empty, 1);
		refuse(&r, 5, twice, 2);
		refuse(&r, r.geom.inodes + 1, &good, 1);
	}
	check_all(&r);
	stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equals_naive),
		cmocka_unit_test(test_from_nothing_to_nothing),
		cmocka_unit_test(test_replace_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
