/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_model_seal.c - what the seal makes of contradictions, of clusters, and of sizes:
 * hostile claims against a plain array, large files, memory a file.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/extent.h"
#include "tests/lib/test.h"

#define BLOCKS 5000u
#define INODES 320u

static uint32_t seed;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static void make_geom(struct geom *g, uint32_t first, uint32_t group)
{
	struct err err = ERR_INIT;

	geom_init(g);
	g->block_size = 1024;
	g->blocks = BLOCKS;
	g->first_block = first;
	g->blocks_per_group = group;
	g->groups = (BLOCKS - first + group - 1) / group;
	g->inodes_per_group = INODES / 5;
	g->inodes = INODES;
	for (group_t i = 0; i < g->groups; i++) {
		struct fixed f = {geom_group_start(g, i), 3, i, OWNER_INODE_TABLE};

		assert_true(vec_push(&g->fixed, f));
	}
	assert_true(geom_seal(g, &err));
}

struct naive {
	inum_t ino;
	lblk_t lblk;
	enum owner_kind kind;
};

struct hostile {
	struct geom geom;
	struct naive block[BLOCKS];
	uint8_t used[BLOCKS / 8 + 1];
	uint64_t flaws; /* at least so many */
	blkno_t at;
};

/* The first claim of a block keeps it. */
static void claim(struct hostile *h, const struct run *r)
{
	bool shared = false;

	for (uint32_t k = 0; k < r->len; k++) {
		struct naive *n = &h->block[r->phys + k];

		if (n->kind != OWNER_FREE)
			shared = true;
		else
			*n = (struct naive){r->ino, r->lblk + k, r->kind};
	}
	h->flaws += shared;
}

static bool check_run(void *arg, const struct run *r)
{
	struct hostile *h = arg;

	assert_int_equal(r->phys, h->at);
	for (uint32_t k = 0; k < r->len; k++) {
		const struct naive *n = &h->block[r->phys + k];

		assert_int_equal(n->kind, r->kind);
		assert_int_equal(n->ino, r->ino);
		if (owner_is_data(r->kind))
			assert_int_equal(n->lblk, r->lblk + k);
	}
	h->at += r->len;
	return true;
}

/* Each owned block is found through its inode once. */
static void check_files(struct hostile *h, const struct model *m)
{
	uint32_t through_places = 0, through_files = 0;

	for (blkno_t b = 0; b < BLOCKS; b++)
		through_places += h->block[b].ino != 0;
	for (inum_t ino = 1; ino <= INODES; ino++) {
		struct run_list runs = {0};

		assert_true(model_runs(m, ino, &runs));
		for (size_t i = 0; i < runs.n; i++) {
			h->at = runs.v[i].phys;
			assert_int_equal(runs.v[i].ino, ino);
			check_run(h, &runs.v[i]);
			through_files += runs.v[i].len;
		}
		vec_release(&runs);
	}
	assert_int_equal(through_places, through_files);
}

static void claim_at_random(struct hostile *h, struct model *m, int claims)
{
	for (size_t i = 0; i < h->geom.fixed.n; i++) {
		const struct fixed *f = &h->geom.fixed.v[i];

		claim(h, &(struct run){.phys = f->start, .len = f->len, .kind = f->kind});
	}
	for (int i = 0; i < claims; i++) {
		struct run r = {.kind = OWNER_FILE, .lblk = rnd(7)};

		r.phys = h->geom.first_block + rnd(BLOCKS - h->geom.first_block);
		r.ino = 1 + rnd(INODES);
		r.len = 1 + rnd(rnd(4) ? 12 : 3000);
		if (r.len > BLOCKS - r.phys)
			r.len = (uint32_t)(BLOCKS - r.phys);
		assert_true(model_add_run(m, &r));
		claim(h, &r);
	}
}

static bool get_used(const struct hostile *h, blkno_t b)
{
	return h->used[(b - h->geom.first_block) / 8] >> (b - h->geom.first_block) % 8 &
	       1;
}

static void hostile_volume(uint32_t with_seed, uint32_t group, bool bitmap)
{
	static struct hostile h;
	struct flaw_list flaws = {.limit = 10};
	struct err err = ERR_INIT;
	struct model *m;

	memset(&h, 0, sizeof(h));
	seed = with_seed;
	for (size_t i = 0; bitmap && i < sizeof(h.used); i++)
		h.used[i] = (uint8_t)(rnd(3) ? rnd(256) : rnd(2) * 255);
	make_geom(&h.geom, with_seed % 2, group);
	m = model_new(&h.geom, &err);
	claim_at_random(&h, m, (int)(20 + rnd(300)));
	assert_true(model_seal(m, bitmap ? h.used : NULL, 2, &flaws, &err));
	for (blkno_t b = h.geom.first_block; bitmap && b < BLOCKS; b++)
		if (h.block[b].kind == OWNER_FREE && get_used(&h, b))
			h.block[b].kind = OWNER_UNKNOWN;
	assert_true(flaws.count >= h.flaws);
	assert_int_equal(flaws.list.n, flaws.count < 10 ? flaws.count : 10);
	h.at = h.geom.first_block;
	model_walk(m, 0, BLOCKS, check_run, &h);
	assert_int_equal(h.at, BLOCKS);
	check_files(&h, m);
	vec_release(&flaws.list);
	model_free(m);
	geom_release(&h.geom);
}

static void test_hostile_claims(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= 30; i++)
		hostile_volume(i, i % 3 ? 1024 : 700 + i, i % 4);
}

static void set_used(uint8_t *used, const struct geom *g, blkno_t from, blkno_t len)
{
	for (blkno_t b = from - g->first_block; b < from - g->first_block + len; b++)
		used[b / 8] |= (uint8_t)(1u << b % 8);
}

/* A file laid round an inode table gets the ends; the flaw names both. */
static void test_metadata_comes_first(void **state)
{
	struct geom g;
	struct err err = ERR_INIT;
	struct flaw_list flaws = {0};
	struct run r = {.phys = 1000, .len = 100, .ino = 12, .kind = OWNER_FILE}, at;
	struct run same = {.phys = 1040, .len = 2, .ino = 13, .kind = OWNER_DIR};
	struct model *m;

	(void)state;
	make_geom(&g, 0, 1024);
	m = model_new(&g, &err);
	assert_true(model_add_run(m, &r) && model_add_run(m, &same));
	assert_true(model_seal(m, NULL, 1, &flaws, &err));
	model_at(m, 1025, &at);
	assert_int_equal(at.kind, OWNER_INODE_TABLE);
	assert_int_equal(at.len, 3);
	model_at(m, 1027, &at);
	assert_int_equal(at.ino, 12);
	assert_int_equal(at.lblk, 27);
	assert_int_equal(flaws.count, 2);
	assert_string_equal(flaws.list.v[0].text,
			    "block 1024 has two owners: inode "
			    "table of group 1 and file of inode 12");
	assert_int_equal(flaws.list.v[0].block, 1024);
	assert_string_equal(flaws.list.v[1].text, "block 1040 has two owners: file of "
						  "inode 12 and directory of inode 13");
	assert_int_equal(flaws.list.v[1].ino, 13);
	vec_release(&flaws.list);
	model_free(m);
	geom_release(&g);
}

/* No flaw where the bitmap agrees, and one a block where a single bit is turned over. */
static void test_each_bit_counts(void **state)
{
	struct geom g;
	struct run r = {.phys = 2100, .len = 333, .ino = 12, .kind = OWNER_FILE}, at;

	(void)state;
	make_geom(&g, 1, 1024);
	for (blkno_t flip = 0; flip < BLOCKS;
	     flip += flip && flip < BLOCKS - 140 ? 61 : 1) {
		uint8_t used[BLOCKS / 8 + 1] = {0};
		struct flaw_list flaws = {0};
		struct err err = ERR_INIT;
		struct model *m = model_new(&g, &err);
		bool owned = false;

		for (size_t i = 0; i < g.fixed.n; i++)
			set_used(used, &g, g.fixed.v[i].start, 3);
		set_used(used, &g, r.phys, r.len);
		used[BLOCKS / 8] |= 0x80; /* padding behind the volume */
		if (flip) {
			owned = used[(flip - 1) / 8] >> (flip - 1) % 8 & 1;
			used[(flip - 1) / 8] ^= (uint8_t)(1u << (flip - 1) % 8);
		}
		assert_true(model_add_run(m, &r));
		assert_true(model_seal(m, used, 1, &flaws, &err));
		assert_int_equal(flaws.count, flip != 0);
		if (flip) {
			assert_int_equal(flaws.list.v[0].block, flip);
			model_at(m, flip, &at);
			assert_int_equal(at.kind == OWNER_UNKNOWN, !owned);
		}
		vec_release(&flaws.list);
		model_free(m);
	}
	geom_release(&g);
}

/* Used blocks of a cluster that has an owner are its rest; of others, unknown. */
static void check_clusters(const struct model *m, const struct geom *g,
			   const uint8_t *used)
{
	for (blkno_t c = g->first_block; c < BLOCKS; c += g->cluster_ratio) {
		blkno_t end =
			c + g->cluster_ratio < BLOCKS ? c + g->cluster_ratio : BLOCKS;
		bool owned = false;
		struct run at;

		for (blkno_t b = c; b < end; b++) {
			model_at(m, b, &at);
			owned = owned || at.ino || at.kind == OWNER_INODE_TABLE;
		}
		for (blkno_t b = c; b < end; b++) {
			blkno_t bit = b - g->first_block;

			model_at(m, b, &at);
			if (at.ino || at.kind == OWNER_INODE_TABLE)
				continue;
			assert_int_equal(at.kind, !(used[bit / 8] >> bit % 8 & 1)
							  ? OWNER_FREE
						  : owned ? OWNER_CLUSTER_PAD
							  : OWNER_UNKNOWN);
		}
	}
}

static void test_clusters(void **state)
{
	(void)state;
	for (seed = 1; seed < 40; seed++) {
		uint8_t used[BLOCKS / 8 + 1] = {0};
		struct geom g;
		struct flaw_list flaws = {0};
		struct err err = ERR_INIT;
		struct model *m;
		blkno_t at = 10;

		make_geom(&g, seed % 2, 1024);
		g.cluster_ratio = seed % 3 ? 16 : 4;
		m = model_new(&g, &err);
		for (size_t i = 0; i < g.fixed.n; i++)
			set_used(used, &g, g.fixed.v[i].start, 3);
		for (; at < BLOCKS - 60; at += rnd(70)) {
			struct run r = {.phys = at,
					.len = 1 + rnd(40),
					.ino = 1 + rnd(INODES),
					.kind = OWNER_FILE};

			if (at / 1024 != (at + 45) / 1024 || rnd(3) == 0) {
				at += 45;
				continue;
			}
			assert_true(model_add_run(m, &r));
			set_used(used, &g, at, r.len);
			at += r.len;
		}
		for (int i = 0; i < 60; i++) /* and whatever else is set */
			set_used(used, &g, g.first_block + rnd(BLOCKS - 80), rnd(70));
		set_used(used, &g, BLOCKS - 2, 2);
		assert_true(model_seal(m, used, 1, &flaws, &err));
		check_clusters(m, &g, used);
		vec_release(&flaws.list);
		model_free(m);
		geom_release(&g);
	}
}

static void large_geom(struct geom *g, blkno_t blocks)
{
	geom_init(g);
	g->block_size = 4096;
	g->blocks = blocks;
	g->blocks_per_group = 32768;
	g->groups = (group_t)((blocks + 32767) / 32768);
	g->inodes_per_group = 8192;
	g->inodes = 8192 * (g->groups < 400 ? g->groups : 400);
}

/* 32 MB a million extents and 8 MB a million inodes are the limit; this is what it is. */
static void test_memory_a_file(void **state)
{
	const uint32_t groups = 400, files = 5500; /* more than one batch of the seal */
	struct geom g;
	struct err err = ERR_INIT;
	struct model_stats stats;
	struct run_list runs = {0};
	struct model *m;

	(void)state;
	large_geom(&g, groups * 32768ull);
	m = model_new(&g, &err);
	for (uint32_t i = 0; i < groups * files; i++) {
		inum_t ino = i / files * 8192 + i % files + 1;
		struct run r = {.phys = i / files * 32768ull + i % files * 5,
				.len = 1 + i % 5,
				.ino = ino,
				.kind = OWNER_FILE};

		assert_true(model_add_run(m, &r));
		assert_true(
			model_set_inode(m, ino, &(struct inode_info){INODE_FILE, 0, 1}));
	}
	assert_true(model_seal(m, NULL, 2, NULL, &err));
	model_stats(m, &stats);
	assert_int_equal(stats.inodes, groups * files);
	assert_int_equal(stats.runs, groups * files);
	assert_true(stats.memory_bytes < stats.runs * 29);
	for (uint32_t i = 0; i < groups * files; i += 97) {
		runs.n = 0;
		assert_true(model_runs(m, i / files * 8192 + i % files + 1, &runs));
		assert_int_equal(runs.n, 1);
		assert_int_equal(runs.v[0].phys, i / files * 32768ull + i % files * 5);
		assert_int_equal(runs.v[0].len, 1 + i % 5);
	}
	vec_release(&runs);
	model_free(m);
	geom_release(&g);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Every second block, backwards, and a tree block after each hundred. */
static void scatter(struct run_list *out, blkno_t base, uint32_t pieces)
{
	out->n = 0;
	for (uint32_t i = 0; i < pieces; i++) {
		struct run r = {.phys = base + 2ull * (pieces - i),
				.len = 1,
				.lblk = i,
				.ino = 12,
				.kind = OWNER_FILE};

		assert_true(vec_push(out, r));
	}
	for (uint32_t i = 0; i < pieces; i += 100) {
		struct run r = {.phys = base + 2ull * i + 1,
				.len = 1,
				.ino = 12,
				.kind = OWNER_TREE};

		assert_true(vec_push(out, r));
	}
}

/* A quadratic step would take minutes here; the limit is far from what it takes. */
static void test_file_in_120000_pieces(void **state)
{
	const uint32_t pieces = 120000;
	struct geom g;
	struct err err = ERR_INIT;
	struct run_list runs = {0}, got = {0};
	struct fragment fragment;
	struct file_info info;
	double start = cpu_seconds();
	struct model *m;

	(void)state;
	large_geom(&g, 20 * 32768);
	m = model_new(&g, &err);
	scatter(&runs, 1, pieces);
	for (size_t i = 0; i < runs.n; i++)
		assert_true(model_add_run(m, &runs.v[i]));
	assert_true(model_set_inode(m, 12, &(struct inode_info){INODE_FILE, 0, 1}));
	assert_true(model_seal(m, NULL, 2, NULL, &err));
	for (blkno_t base = 1; base < 400000; base += 100000) {
		scatter(&runs, base, pieces);
		assert_true(model_replace(m, 12, &runs, &err));
		assert_true(model_file(m, 12, &info));
		assert_int_equal(info.fragments, pieces);
		assert_int_equal(info.map_blocks, pieces / 100);
		assert_true(model_fragment_at(m, base + 2, &fragment));
		assert_int_equal(fragment.index, pieces - 1);
		assert_int_equal(fragment.count, pieces);
		got.n = 0;
		assert_true(model_runs(m, 12, &got));
		assert_int_equal(got.n, runs.n);
		for (size_t i = 0; i < got.n; i++)
			assert_int_equal(got.v[i].phys, runs.v[i].phys);
	}
	assert_true(cpu_seconds() - start < 8);
	vec_release(&runs);
	vec_release(&got);
	model_free(m);
	geom_release(&g);
}

/* Block numbers of more than 32 bits. */
static void test_wide_volume(void **state)
{
	const blkno_t far = (1ull << 33) + 12345;
	struct geom g;
	struct err err = ERR_INIT;
	struct run r = {.len = 10, .ino = 12, .kind = OWNER_FILE}, at;
	struct run_list runs = {0};
	struct model *m;

	(void)state;
	large_geom(&g, (1ull << 33) + 40000);
	m = model_new(&g, &err);
	assert_non_null(m);
	for (lblk_t i = 0; i < 3; i++) {
		r.phys = i == 1 ? 77 : far + 100 * i;
		r.lblk = 10 * i;
		assert_true(model_add_run(m, &r));
	}
	assert_true(model_seal(m, NULL, 2, NULL, &err));
	assert_true(model_runs(m, 12, &runs));
	assert_int_equal(runs.n, 3);
	assert_true(runs.v[0].phys == far && runs.v[1].phys == 77 &&
		    runs.v[2].phys == far + 200);
	runs.v[1].phys = far + 10;
	assert_true(model_replace(m, 12, &runs, &err));
	runs.n = 0;
	assert_true(model_runs(m, 12, &runs));
	assert_int_equal(runs.n, 2); /* joined */
	assert_true(runs.v[0].phys == far && runs.v[0].len == 20);
	model_at(m, far - 1, &at);
	assert_int_equal(at.kind, OWNER_FREE);
	assert_int_equal(at.len, UINT32_MAX);
	vec_release(&runs);
	model_free(m);
	geom_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile_claims),
		cmocka_unit_test(test_metadata_comes_first),
		cmocka_unit_test(test_each_bit_counts),
		cmocka_unit_test(test_clusters),
		cmocka_unit_test(test_memory_a_file),
		cmocka_unit_test(test_file_in_120000_pieces),
		cmocka_unit_test(test_wide_volume),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
