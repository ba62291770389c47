/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_files.c - the file list: which files, every order against a plain sort, the cursor
 * that stays on its file; with LONG=1 how long a million files take.
 */
#include "tests/lib/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "ui/files.h"

static uint32_t seed;

static uint32_t any(uint32_t limit)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % limit;
}

static void make_geom(struct geom *g, group_t groups, uint32_t per_group, uint32_t inodes)
{
	geom_init(g);
	g->block_size = 4096;
	g->cluster_ratio = 1;
	g->blocks = (blkno_t)groups * per_group;
	g->blocks_per_group = per_group;
	g->groups = groups;
	g->inodes_per_group = inodes;
	g->inodes = groups * inodes;
	g->inode_size = 256;
	g->flex_groups = 1;
	g->first_inode = 11;
}

/* A file of up to `pieces` runs somewhere in [*at, ...), with gaps. */
static void add_file(struct model *m, inum_t ino, enum inode_type type, blkno_t *at,
		     uint32_t pieces)
{
	struct inode_info info = {.type = type};
	struct run r = {.ino = ino};
	uint32_t n = pieces ? 1 + any(pieces) : 0;

	r.kind = type == INODE_DIR ? OWNER_DIR : OWNER_FILE;
	for (uint32_t i = 0; i < n; i++) {
		r.phys = *at;
		r.len = 1 + any(5);
		assert_true(model_add_run(m, &r));
		r.lblk += r.len;
		*at += r.len + any(2);
	}
	info.size = (uint64_t)r.lblk * 4096 + any(4096);
	assert_true(model_set_inode(m, ino, &info));
}

/* Files, directories, devices, empty files; inode 3 is a system file. */
static struct model *make_model(struct geom *g)
{
	struct inode_info device = {.type = INODE_OTHER};
	struct inode_info system = {.type = INODE_FILE, .flags = INODE_SYSTEM};
	struct run r = {.phys = 1, .len = 2, .ino = 3, .kind = OWNER_SYSTEM};
	struct err err = ERR_INIT;
	struct model *m;
	blkno_t at = 10;

	seed = 7;
	make_geom(g, 4, 8192, 512);
	m = model_new(g, &err);
	assert_non_null(m);
	assert_true(model_add_run(m, &r));
	assert_true(model_set_inode(m, 3, &system));
	for (inum_t ino = 11; ino < 1000; ino++) {
		if (ino % 17 == 0)
			assert_true(model_set_inode(m, ino, &device));
		else
			add_file(m, ino, ino % 13 ? INODE_FILE : INODE_DIR, &at,
				 ino % 19 ? 9 : 0);
	}
	assert_true(at < g->blocks);
	assert_true(model_seal(m, NULL, 1, NULL, &err));
	return m;
}

static int64_t figure(const struct model *m, inum_t ino, enum files_sort sort)
{
	struct file_info f;

	assert_true(model_file(m, ino, &f));
	switch (sort) {
	case SORT_FRAGMENTS:
		return -((int64_t)f.fragments << 32) - (int64_t)f.blocks;
	case SORT_SIZE:
		return -(int64_t)f.inode.size;
	case SORT_FIRST:
		return (int64_t)f.first;
	case SORT_BLOCKS:
		return -(int64_t)f.blocks;
	case SORT_SCORE:
		return f.blocks > 1 ? (int64_t)(1e6 * (double)(f.blocks - f.fragments) /
						(double)(f.blocks - 1))
				    : 1000000;
	default:
		return ino;
	}
}

static void check_order(const struct app *a)
{
	const struct files *f = a->files;

	for (size_t i = 1; i < f->list.n; i++) {
		inum_t x = f->list.v[i - 1], y = f->list.v[i];
		int64_t p = figure(a->model, x, f->sort),
			q = figure(a->model, y, f->sort);

		if (f->reverse ? p < q : p > q)
			fail_msg("%s%s: inode %u before %u", files_sort_name(f->sort),
				 f->reverse ? "-" : "", x, y);
		if (p == q)
			assert_true(x < y);
	}
}

static size_t count_expected(const struct model *m, bool fragmented)
{
	size_t n = 0;

	for (inum_t ino = model_next_inode(m, 0); ino; ino = model_next_inode(m, ino)) {
		struct file_info f;

		model_file(m, ino, &f);
		n += f.blocks > 0 && f.inode.type != INODE_OTHER &&
		     !(f.inode.flags & INODE_SYSTEM) &&
		     (!fragmented || f.fragments > f.ideal);
	}
	return n;
}

static void init(struct app *a, struct geom *g)
{
	struct err err = ERR_INIT;

	assert_true(app_init(a, 0, &err));
	a->model = make_model(g);
}

static void release(struct app *a, struct geom *g)
{
	app_release(a);
	geom_release(g);
}

static void test_orders(void **state)
{
	struct err err = ERR_INIT;
	struct geom g;
	struct app a;

	(void)state;
	init(&a, &g);
	for (int sort = 0; sort < SORT_NAME; sort++)
		for (int reverse = 0; reverse < 2; reverse++) {
			assert_true(files_set_sort(a.files, &a, (enum files_sort)sort,
						   reverse, &err));
			assert_int_equal(a.files->list.n, count_expected(a.model, false));
			assert_int_equal(a.files->total, a.files->list.n);
			check_order(&a);
		}
	release(&a, &g);
}

static void test_members(void **state)
{
	struct err err = ERR_INIT;
	struct geom g;
	struct app a;
	size_t all;

	(void)state;
	init(&a, &g);
	assert_true(files_refresh(a.files, &a, &err));
	all = a.files->list.n;
	a.files->only_fragmented = true;
	assert_true(files_refresh(a.files, &a, &err));
	assert_int_equal(a.files->list.n, count_expected(a.model, true));
	assert_true(a.files->list.n > 0 && a.files->list.n < all);
	for (size_t i = 0; i < a.files->list.n; i++)
		assert_int_not_equal(a.files->list.v[i], 3);
	release(&a, &g);
}

static void test_cursor_stays(void **state)
{
	struct err err = ERR_INIT;
	struct geom g;
	struct app a;
	inum_t ino;

	(void)state;
	init(&a, &g);
	assert_true(files_set_sort(a.files, &a, SORT_SIZE, false, &err));
	a.files->cursor = 40;
	ino = a.files->list.v[40];
	assert_true(files_set_sort(a.files, &a, SORT_FIRST, true, &err));
	assert_int_equal(a.files->list.v[a.files->cursor], ino);
	a.files->cursor = 0;
	assert_true(files_set_sort(a.files, &a, SORT_INODE, false, &err));
	assert_int_equal(a.files->cursor, 0);
	files_goto(a.files, a.files->list.v[3]);
	assert_int_equal(a.files->cursor, 3);
	files_goto(a.files, 999999); /* not there: the cursor stays */
	assert_int_equal(a.files->cursor, 3);
	release(&a, &g);
}

static void test_million(void **state)
{
	struct err err = ERR_INIT;
	struct geom g;
	struct app a;
	blkno_t at = 10;
	uint64_t start, ms;

	(void)state;
	seed = 1;
	make_geom(&g, 128, 32768 * 2, 8192);
	assert_true(app_init(&a, 0, &err));
	a.model = model_new(&g, &err);
	for (inum_t ino = 11; ino < 1000000; ino++)
		add_file(a.model, ino, INODE_FILE, &at, 1);
	assert_true(at < g.blocks);
	assert_true(model_seal(a.model, NULL, 1, NULL, &err));
	for (int sort = 0; sort < SORT_NAME; sort++) {
		start = num_now_ms();
		assert_true(
			files_set_sort(a.files, &a, (enum files_sort)sort, false, &err));
		ms = num_now_ms() - start;
		print_message("%zu files by %s: %llu ms\n", a.files->list.n,
			      files_sort_name((enum files_sort)sort),
			      (unsigned long long)ms);
		assert_true(ms < 3000); /* the wanted 300, and room for slow machines */
	}
	release(&a, &g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_cursor_stays),
	};
	const struct CMUnitTest long_tests[] = {cmocka_unit_test(test_million)};
	const char *wanted = getenv("LONG");
	int failed = cmocka_run_group_tests_name("files", tests, NULL, NULL);

	if (wanted && *wanted)
		failed +=
			cmocka_run_group_tests_name("many files", long_tests, NULL, NULL);
	return failed;
}
