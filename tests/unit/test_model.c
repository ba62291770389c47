/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_model.c - the model against a plain array with one entry a block, on random
 * volumes, through random replacements; and against hostile claims.
 */
#include <stdlib.h>
#include <string.h>
#include "core/extent.h"
#include "tests/lib/test.h"

#define BLOCKS 5000u
#define GROUP  1024u
#define INODES 320u

struct naive {
	inum_t ino;
	lblk_t lblk;
	enum owner_kind kind;
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

static void make_geom(struct geom *g)
{
	struct err err = ERR_INIT;

	geom_init(g);
	g->block_size = 1024;
	g->blocks = BLOCKS;
	g->first_block = 1;
	g->blocks_per_group = GROUP;
	g->groups = (BLOCKS - 1 + GROUP - 1) / GROUP;
	g->inodes = INODES;
	g->inodes_per_group = INODES / g->groups;
	for (group_t i = 0; i < g->groups; i++) {
		struct fixed f = {geom_group_start(g, i), 3, i, OWNER_INODE_TABLE};

		assert_true(vec_push(&g->fixed, f));
	}
	assert_true(geom_seal(g, &err));
}

/* Gives free stretches to random files, and notes it in the naive array. */
static void fill(struct rig *r)
{
	for (size_t i = 0; i < r->geom.fixed.n; i++)
		for (uint32_t k = 0; k < 3; k++)
			r->block[r->geom.fixed.v[i].start + k].kind = OWNER_INODE_TABLE;
	for (int turn = 0; turn < 400; turn++) {
		blkno_t at = 1 + rnd(r, BLOCKS - 60);
		struct run run = {
			.phys = at, .kind = OWNER_FILE, .ino = 1 + rnd(r, INODES)};

		while (run.len < 50 && r->block[at + run.len].kind == OWNER_FREE)
			run.len++;
		if (!run.len)
			continue;
		run.lblk = r->length[run.ino] + rnd(r, 2);
		r->length[run.ino] = run.lblk + run.len;
		for (uint32_t k = 0; k < run.len; k++)
			r->block[at + k] =
				(struct naive){run.ino, run.lblk + k, OWNER_FILE};
		assert_true(model_add_run(r->model, &run));
		assert_true(model_set_inode(
			r->model, run.ino, &(struct inode_info){INODE_FILE, 0, run.len}));
	}
}

static bool used_bit(struct rig *r, blkno_t b)
{
	return r->block[b].kind != OWNER_FREE;
}

static void start(struct rig *r, uint32_t seed)
{
	struct flaw_list flaws = {0};
	struct err err = ERR_INIT;
	uint8_t used[BLOCKS / 8 + 1] = {0};

	memset(r, 0, sizeof(*r));
	r->seed = seed;
	make_geom(&r->geom);
	r->model = model_new(&r->geom, &err);
	assert_non_null(r->model);
	fill(r);
	for (blkno_t b = 1; b < BLOCKS; b++)
		used[(b - 1) / 8] |= (uint8_t)(used_bit(r, b) << (b - 1) % 8);
	assert_true(model_seal(r->model, used, 2, &flaws, &err));
	assert_int_equal(flaws.count, 0);
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
	for (uint32_t k = 0; k < run->len; k++) {
		struct naive *n = &w->r->block[run->phys + k];

		assert_int_equal(n->kind, run->kind);
		assert_int_equal(n->ino, run->ino);
		if (run->kind == OWNER_FILE)
			assert_int_equal(n->lblk, run->lblk + k);
	}
	w->at += run->len;
	return true;
}

/* Every block, every hole, every file's list and flags as the naive array has them. */
static void check_all(struct rig *r)
{
	struct walk w = {r, 1};
	struct run run;

	model_walk(r->model, 0, BLOCKS * 2, check_run, &w);
	assert_int_equal(w.at, BLOCKS);
	for (blkno_t b = 1; b < BLOCKS; b += run.len - (b - run.phys)) {
		model_at(r->model, b, &run);
		assert_true(run.phys <= b && b < run.phys + run.len);
		assert_int_equal(run.kind, r->block[b].kind);
		if (run.kind == OWNER_FREE)
			assert_true(run.phys + run.len == BLOCKS ||
				    used_bit(r, run.phys + run.len));
	}
	for (inum_t ino = 1; ino <= INODES; ino++) {
		struct run_list runs = {0};
		uint64_t blocks = 0, naive = 0;

		assert_true(model_runs(r->model, ino, &runs));
		for (size_t i = 0; i < runs.n; i++) {
			if (i)
				assert_true(runs.v[i].lblk >=
					    runs.v[i - 1].lblk + runs.v[i - 1].len);
			assert_int_equal(runs.v[i].fragmented,
					 extent_fragments(runs.v, runs.n) > 1);
			blocks += runs.v[i].len;
		}
		for (blkno_t b = 1; b < BLOCKS; b++)
			naive += r->block[b].ino == ino;
		assert_int_equal(blocks, naive);
		free(runs.v);
	}
}

/* Moves a random file into free blocks, in pieces of random length. */
static void replace_one(struct rig *r)
{
	struct run_list old = {0}, new = {0};
	struct err err = ERR_INIT;
	inum_t ino = 1 + rnd(r, INODES);
	blkno_t at = 1 + rnd(r, BLOCKS - 1);

	assert_true(model_runs(r->model, ino, &old));
	for (size_t i = 0; i < old.n; i++)
		for (uint32_t k = 0; k < old.v[i].len; k++) {
			struct run one = old.v[i];

			while (used_bit(r, at) || rnd(r, 8) == 0)
				at = at + 1 == BLOCKS ? 1 : at + 1;
			one.lblk += k;
			one.phys = at;
			one.len = 1;
			r->block[at] = (struct naive){ino, one.lblk, OWNER_FILE};
			assert_true(vec_push(&new, one));
		}
	for (size_t i = 0; i < old.n; i++)
		memset(&r->block[old.v[i].phys], 0, old.v[i].len * sizeof(r->block[0]));
	new.n = extent_merge(new.v, new.n);
	if (!model_replace(r->model, ino, &new, &err))
		fail_msg("%s", err.msg);
	free(old.v);
	free(new.v);
}

static void test_equals_naive(void **state)
{
	static struct rig r;

	(void)state;
	for (uint32_t seed = 1; seed <= 6; seed++) {
		start(&r, seed);
		check_all(&r);
		for (int turn = 0; turn < 60; turn++)
			replace_one(&r);
		check_all(&r);
		stop(&r);
	}
}

static void test_replace_refuses_taken_blocks(void **state)
{
	static struct rig r;
	struct err err = ERR_INIT;
	struct run run = {.len = 1, .kind = OWNER_FILE, .ino = 1};
	struct run_list runs = {&run, 1, 1};

	(void)state;
	start(&r, 9);
	run.phys = r.geom.fixed.v[1].start;
	assert_false(model_replace(r.model, 1, &runs, &err));
	assert_int_equal(err.class, ERR_BUG);
	check_all(&r);
	stop(&r);
}

/* Claims that overlap each other, metadata and free blocks: all flaws, and an index that
 * still holds. */
static void test_hostile_claims(void **state)
{
	struct geom g;
	struct err err = ERR_INIT;
	struct flaw_list flaws = {.limit = 100};
	uint8_t used[BLOCKS / 8 + 1];
	struct model *m;
	uint32_t seed = 3;

	(void)state;
	memset(used, 0x5A, sizeof(used));
	make_geom(&g);
	m = model_new(&g, &err);
	for (int i = 0; i < 500; i++) {
		struct run r = {.kind = OWNER_FILE, .lblk = seed % 7};

		seed = seed * 1664525u + 1013904223u;
		r.phys = 1 + (seed >> 8) % (BLOCKS - 1);
		r.ino = 1 + (seed >> 4) % INODES;
		r.len = 1 + (seed >> 12) % 3000;
		if (r.len > BLOCKS - r.phys)
			r.len = (uint32_t)(BLOCKS - r.phys);
		assert_true(model_add_run(m, &r));
		assert_true(model_set_inode(m, r.ino,
					    &(struct inode_info){INODE_FILE, 0, 1}));
	}
	assert_true(model_seal(m, used, 2, &flaws, &err));
	assert_true(flaws.count > 500);
	assert_int_equal(flaws.list.n, 100);
	assert_non_null(strstr(flaws.list.v[0].text, "block"));
	for (blkno_t b = 1, next; b < BLOCKS; b = next) {
		struct run r;

		model_at(m, b, &r);
		assert_int_equal(r.phys, b);
		next = r.phys + r.len;
	}
	vec_release(&flaws.list);
	model_free(m);
	geom_release(&g);
}

static void test_unowned_and_padding(void **state)
{
	struct geom g;
	struct err err = ERR_INIT;
	struct flaw_list flaws = {0};
	uint8_t used[BLOCKS / 8 + 1] = {0};
	struct run r = {.phys = 33, .len = 5, .ino = 12, .kind = OWNER_FILE}, at;
	struct model *m;

	(void)state;
	make_geom(&g);
	g.cluster_ratio = 16;
	m = model_new(&g, &err);
	assert_true(model_add_run(m, &r));
	for (size_t i = 0; i < g.fixed.n; i++)
		for (blkno_t b = g.fixed.v[i].start; b < g.fixed.v[i].start + 3; b++)
			used[(b - 1) / 8] |= (uint8_t)(1 << (b - 1) % 8);
	for (blkno_t b = 33; b < 33 + 32; b++) /* its cluster, and one that nobody owns */
		used[(b - 1) / 8] |= (uint8_t)(1 << (b - 1) % 8);
	assert_true(model_seal(m, used, 1, &flaws, &err));
	assert_int_equal(flaws.count, 1);
	assert_int_equal(flaws.list.v[0].block, 49);
	model_at(m, 40, &at);
	assert_int_equal(at.kind, OWNER_CLUSTER_PAD);
	model_at(m, 50, &at);
	assert_int_equal(at.kind, OWNER_UNKNOWN);
	vec_release(&flaws.list);
	model_free(m);
	geom_release(&g);
}

static void test_attributes_and_ideal(void **state)
{
	struct geom g;
	struct err err = ERR_INIT;
	struct file_info info;
	struct model_stats stats;
	struct model *m;

	(void)state;
	make_geom(&g);
	m = model_new(&g, &err);
	assert_true(model_set_inode(
		m, 17, &(struct inode_info){INODE_DIR, INODE_PINNED, 5000000}));
	model_set_parent(m, 17, 2);
	model_set_parent(m, 17, 3);
	model_set_parent(m, 18, 3);
	assert_true(model_seal(m, NULL, 1, NULL, &err));
	assert_true(model_file(m, 17, &info));
	assert_int_equal(info.inode.type, INODE_DIR);
	assert_int_equal(info.inode.flags, INODE_PINNED);
	assert_true(info.inode.size >= 5000000 && info.inode.size < 5000010);
	assert_int_equal(info.parent, 2);
	assert_false(model_file(m, 18, &info));
	assert_int_equal(model_next_inode(m, 0), 17);
	assert_int_equal(model_next_inode(m, 17), 0);
	/* five groups of 1024 (the last 903) blocks, three fixed in front of each */
	assert_int_equal(model_ideal(m, 0), 0);
	assert_int_equal(model_ideal(m, 1021), 1);
	assert_int_equal(model_ideal(m, 1022), 2);
	assert_int_equal(model_ideal(m, 4 * 1021 + 1), 5);
	model_stats(m, &stats);
	assert_int_equal(stats.inodes, 1);
	assert_int_equal(stats.used_blocks, 15);
	model_free(m);
	geom_release(&g);
}

static void test_fragment_at(void **state)
{
	struct geom g;
	struct err err = ERR_INIT;
	struct fragment f;
	struct model *m;
	struct run runs[] = {
		{.phys = 100, .len = 10, .lblk = 0, .ino = 12, .kind = OWNER_FILE},
		{.phys = 110,
		 .len = 1,
		 .ino = 12,
		 .kind = OWNER_TREE}, /* in between: no new fragment */
		{.phys = 111, .len = 5, .lblk = 20, .ino = 12, .kind = OWNER_FILE},
		{.phys = 300,
		 .len = 7,
		 .lblk = 30,
		 .ino = 12,
		 .kind = OWNER_FILE,
		 .unwritten = true},
		{.phys = 200, .len = 2, .lblk = 40, .ino = 12, .kind = OWNER_FILE},
	};

	(void)state;
	make_geom(&g);
	m = model_new(&g, &err);
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		assert_true(model_add_run(m, &runs[i]));
	assert_true(model_set_inode(m, 12, &(struct inode_info){INODE_FILE, 0, 1}));
	assert_true(model_seal(m, NULL, 1, NULL, &err));
	assert_true(model_fragment_at(m, 113, &f));
	assert_int_equal(f.index, 0);
	assert_int_equal(f.count, 3);
	assert_int_equal(f.phys, 100);
	assert_int_equal(f.len, 15);
	assert_int_equal(f.next, 300);
	assert_true(model_fragment_at(m, 303, &f));
	assert_int_equal(f.index, 1);
	assert_int_equal(f.lblk, 30);
	assert_int_equal(f.next, 200);
	assert_true(model_fragment_at(m, 201, &f));
	assert_int_equal(f.next, BLKNO_NONE);
	assert_false(model_fragment_at(m, 110, &f));
	assert_false(model_fragment_at(m, 50, &f));
	model_free(m);
	geom_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equals_naive),
		cmocka_unit_test(test_replace_refuses_taken_blocks),
		cmocka_unit_test(test_hostile_claims),
		cmocka_unit_test(test_unowned_and_padding),
		cmocka_unit_test(test_attributes_and_ideal),
		cmocka_unit_test(test_fragment_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
