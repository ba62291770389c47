/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_reports.c - the figures of reports on a volume made by hand, worked out by hand.
 *
 * Two groups of 100 blocks of 4 KiB, 16 inodes each:
 *   0..9      metadata of group 0      100..105  metadata of group 1
 *   10        ino 2, the root
 *   20..24    ino 12, logical 0        30..34    its logical 5
 *   40..43    ino 13, below directory 2
 *   50..51    ino 14                   52 its tree block   53..55 the rest of it
 *             ino 15 owns nothing
 *   150..159  ino 20, immutable        190..193  ino 21
 * Free: 11..19 (9), 25..29 (5), 35..39 (5), 44..49 (6), 56..99 (44), 106..149 (44),
 * 160..189 (30), 194..199 (6): 149 blocks in 8 runs.
 */
#include <math.h>
#include <string.h>
#include "core/checker.h"
#include "core/heat.h"
#include "core/place.h"
#include "core/predict.h"
#include "core/space.h"
#include "tests/lib/test.h"

static struct geom geom;
static struct model *model;

static void add(inum_t ino, blkno_t phys, uint32_t len, lblk_t lblk, enum owner_kind kind)
{
	struct run r = {.phys = phys, .len = len, .lblk = lblk, .ino = ino, .kind = kind};

	assert_true(model_add_run(model, &r));
}

static void inode(inum_t ino, enum inode_type type, unsigned flags)
{
	struct inode_info info = {.type = type, .flags = flags, .size = 4096};

	assert_true(model_set_inode(model, ino, &info));
	model_set_parent(model, ino, 2);
}

static int setup(void **state)
{
	static const struct fixed fixed[] = {
		{0, 1, 0, OWNER_SUPER},		 {1, 1, 0, OWNER_GDT},
		{2, 1, 0, OWNER_BLOCK_BITMAP},	 {3, 1, 0, OWNER_INODE_BITMAP},
		{4, 6, 0, OWNER_INODE_TABLE},	 {100, 1, 1, OWNER_BLOCK_BITMAP},
		{101, 1, 1, OWNER_INODE_BITMAP}, {102, 4, 1, OWNER_INODE_TABLE},
	};
	struct err err = ERR_INIT;

	(void)state;
	geom_init(&geom);
	geom.block_size = 4096;
	geom.inode_size = 1024; /* four in a block */
	geom.cluster_ratio = geom.flex_groups = 1;
	geom.blocks = 200;
	geom.blocks_per_group = 100;
	geom.groups = 2;
	geom.inodes = 32;
	geom.inodes_per_group = 16;
	geom.first_inode = 11;
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		assert_true(vec_push(&geom.fixed, fixed[i]));
	assert_true(geom_seal(&geom, &err));
	model = model_new(&geom, &err);
	assert_non_null(model);
	inode(2, INODE_DIR, 0);
	for (inum_t ino = 12; ino <= 15; ino++)
		inode(ino, INODE_FILE, 0);
	inode(20, INODE_FILE, INODE_PINNED);
	inode(21, INODE_FILE, 0);
	add(2, 10, 1, 0, OWNER_DIR);
	add(12, 20, 5, 0, OWNER_FILE);
	add(12, 30, 5, 5, OWNER_FILE);
	add(13, 40, 4, 0, OWNER_FILE);
	add(14, 50, 2, 0, OWNER_FILE);
	add(14, 52, 1, 0, OWNER_TREE);
	add(14, 53, 3, 2, OWNER_FILE);
	add(20, 150, 10, 0, OWNER_FILE);
	add(21, 190, 4, 0, OWNER_FILE);
	assert_true(model_seal(model, NULL, 1, NULL, &err));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	model_free(model);
	geom_release(&geom);
	return 0;
}

static void assert_near(double got, double want)
{
	if (fabs(got - want) > 1e-5)
		fail_msg("%.7f is not %.7f", got, want);
}

/* IBM's own two examples of fileplace. */
static void test_fileplace(void **state)
{
	struct run three[] = {
		{.phys = 1000, .len = 800, .ino = 12, .kind = OWNER_FILE},
		{.phys = 1840, .len = 60, .lblk = 800, .ino = 12, .kind = OWNER_FILE},
		{.phys = 1948, .len = 8, .lblk = 860, .ino = 12, .kind = OWNER_FILE}};
	struct run two[] = {
		{.phys = 1000, .len = 868 - 8, .ino = 12, .kind = OWNER_FILE},
		{.phys = 1861, .len = 8, .lblk = 860, .ino = 12, .kind = OWNER_FILE}};
	struct place_file f;

	(void)state;
	assert_true(place_of_file(three, 3, &f));
	assert_int_equal(f.blocks, 868);
	assert_int_equal(f.span, 956);
	assert_near(round(place_file_efficiency(&f) * 10), 908);
	assert_near(round(place_file_sequentiality(&f) * 10), 998);
	assert_true(place_of_file(two, 2, &f));
	assert_int_equal(f.span, 869);
	assert_near(round(place_file_efficiency(&f) * 10), 999);
	assert_near(round(place_file_sequentiality(&f) * 10), 999);
}

/* A journal is no user's file. */
static void test_not_place(void **state)
{
	struct run r = {.phys = 10, .len = 5, .ino = 8, .kind = OWNER_JOURNAL};
	struct place_file f;

	(void)state;
	assert_false(place_of_file(&r, 1, &f));
	assert_false(place_of_file(NULL, 0, &f));
}

static void test_place(void **state)
{
	struct place p, none = {0};

	(void)state;
	assert_true(place_total(model, NULL, 0, &p));
	assert_int_equal(p.inodes, 7);
	assert_int_equal(p.best, 6); /* 15 owns nothing */
	assert_int_equal(p.worst, 1 + 10 + 4 + 5 + 10 + 4);
	assert_int_equal(p.fragments,
			 7);	       /* 12 has two; 14's own tree parts nothing ... */
	assert_int_equal(p.strict, 8); /* ... or does */
	/* 12: 10 blocks over 20..34; 14: 5 over 50..55; the other four are whole */
	assert_near(place_efficiency(&p, PLACE_ARITHMETIC),
		    (100 * 10 / 15. + 100 * 5 / 6. + 400) / 6);
	assert_near(place_efficiency(&p, PLACE_GEOMETRIC), 90.66811); /* (5/9)^(1/6) */
	/* 12: (10 - 2 + 1) / 10; 14: (5 - 2 + 1) / 5 */
	assert_near(place_sequentiality(&p, PLACE_ARITHMETIC), 95);
	assert_near(place_sequentiality(&p, PLACE_GEOMETRIC), 94.67212); /* .72^(1/6) */
	assert_near(place_overall(&p), 100.0 * (34 - 7) / (34 - 6));
	assert_near(place_e4defrag(&p), 8 * 100.0 * 1 / 34);
	assert_near(place_overall(&none), 100);
	assert_near(place_efficiency(&none, PLACE_GEOMETRIC), 100);
}

/* The AIX totals before the run; and a score beyond r = 10. */
static void test_aix_totals(void **state)
{
	struct place p = {.best = 35493, .worst = 294795, .fragments = 39713};

	(void)state;
	assert_near(place_overall(&p), 98.372554);
	p = (struct place){.best = 1, .worst = 2178560, .fragments = 122935};
	assert_near(place_e4defrag(&p), 8 * 100.0 * 122934 / 2178560);
	p = (struct place){.best = 10, .worst = 100, .fragments = 60};
	assert_near(place_e4defrag(&p), 80 + 50 / 5.);
}

static void test_place_tables(void **state)
{
	static const inum_t some[] = {12, 14, 21};
	struct place_table t;

	(void)state;
	assert_true(place_tabulate(model, NULL, 0, PLACE_BY_GROUP, &t));
	assert_int_equal(t.rows.n, 2);
	assert_int_equal(t.rows.v[0].key, 0);
	assert_int_equal(t.rows.v[0].place.fragments, 5);
	assert_int_equal(t.rows.v[0].place.best, 4);
	assert_int_equal(t.rows.v[1].place.fragments, 2);
	place_table_release(&t);
	assert_true(place_tabulate(model, some, 3, PLACE_BY_DIRECTORY, &t));
	assert_int_equal(t.rows.n, 1);
	assert_int_equal(t.rows.v[0].key, 2);
	assert_int_equal(t.total.best, 3);
	assert_int_equal(t.rows.v[0].place.worst, 19);
	place_table_release(&t);
}

static void test_space(void **state)
{
	struct space s;

	(void)state;
	space_compute(model, 8, 30, &s);
	assert_int_equal(s.free_blocks, 149);
	assert_int_equal(s.runs, 8);
	assert_int_equal(s.shortest, 5);
	assert_int_equal(s.longest, 44);
	assert_int_equal(s.class[2].runs, 4); /* 5, 5, 6, 6 */
	assert_int_equal(s.class[2].blocks, 22);
	assert_int_equal(s.class[3].runs, 1); /* 9 */
	assert_int_equal(s.class[4].blocks, 30);
	assert_int_equal(s.class[5].runs, 2); /* 44, 44 */
	assert_int_equal(s.class[1].runs + s.class[6].runs, 0);
	assert_int_equal(s.at_least_blocks, 44 + 44 + 30);
	assert_int_equal(s.chunks, 25);
	/* 56..95 holds five, 112..143 four, 160..183 three */
	assert_int_equal(s.chunks_free, 12);
	space_compute(model, 64, 1, &s);
	assert_int_equal(s.chunks, 4); /* the last has 8 blocks, 192..199: two are used */
	assert_int_equal(s.chunks_free, 0);
	assert_int_equal(s.at_least_blocks, 149);
}

static void test_blockers(void **state)
{
	struct blockers b;

	(void)state;
	blockers_compute(model, &b);
	assert_int_equal(b.last_inode, 21); /* in group 1, which must stay */
	assert_int_equal(b.last_movable, 193);
	assert_int_equal(b.last_movable_ino, 21);
	assert_int_equal(b.last_fixed, 159);
	assert_int_equal(b.last_fixed_ino, 20);
	assert_int_equal(b.now, 194);
	assert_int_equal(b.packed, 160); /* the immutable file */
	assert_int_equal(b.movable_tail, 4);
	assert_int_equal(b.used_data, 35); /* and a tree block */
	/* 6 inodes and the 10 reserved fit one table of 16; 10 + 35 blocks */
	assert_int_equal(b.renumbered, 45);
	assert_int_equal(blockers_overhead(&geom, 1), 10);
	assert_int_equal(blockers_overhead(&geom, 2), 16);
}

static void test_walk(void **state)
{
	static const inum_t order[] = {2, 12, 13, 14, 20, 21};
	struct disk_walk w = {.disk = disk_find("hdd"), .block_size = 4096};

	(void)state;
	assert_true(disk_read_order(&w, model, order, 6));
	assert_int_equal(w.blocks, 34);
	assert_int_equal(w.reads, 8);
	/* gaps of 9, 5, 5, 6, 1 and 30 are read over; to 10 and from 56 to 150 it jumps */
	assert_int_equal(w.read_over, 56);
	assert_int_equal(w.jumps, 2);
	assert_int_equal(w.distance, 94);
	assert_near(w.ms, 2 * 12.67 + (34 + 56) * 4096 / 150e3);
	assert_near(disk_ideal_ms(&w), 12.67 + 34 * 4096 / 150e3);
	/* inside the stretches 0+4+4+3+1+2+9+3 pairs of 33 touch */
	assert_near(disk_dynamic_score(&w), 26 / 33.);
	w = (struct disk_walk){.disk = disk_find("nvme"), .block_size = 4096};
	disk_read(&w, 10, 1);
	disk_read(&w, 11, 1);	   /* goes on */
	disk_read(&w, 12 + 16, 1); /* 64 KiB ahead: read over */
	disk_read(&w, 29 + 17, 1);
	disk_read(&w, 5, 1); /* back */
	assert_int_equal(w.jumps, 3);
	assert_int_equal(w.distance, 17 + 42);
	assert_near(w.ms, 3 * 0.02 + (5 + 16) * 4096 / 3000e3);
	assert_null(disk_find("tape"));
}

/* Group 0 has inodes up to 15: four of six blocks of its table; group 1 up to 21, the
 * fifth: two of four. */
static void test_checker(void **state)
{
	const double block = 4096 / 150e3, jump = 12.67;
	struct checker c;

	(void)state;
	assert_true(checker_compute(model, disk_find("hdd"), &c));
	assert_int_equal(c.phase[CHECKER_TABLES].blocks, 6); /* 4..7, 102..103 */
	assert_int_equal(c.phase[CHECKER_TABLES].jumps, 2);
	assert_int_equal(c.phase[CHECKER_TABLES].distance, 102 - 8);
	assert_near(c.phase[CHECKER_TABLES].ms, 2 * jump + 6 * block);
	assert_near(c.packed_ms[CHECKER_TABLES], jump + 6 * block);
	assert_int_equal(c.table_blocks, 10);
	assert_near(c.untrimmed_ms, 2 * jump + 10 * block);
	assert_int_equal(c.groups_skipped, 0);
	assert_int_equal(c.phase[CHECKER_MAPS].blocks, 1); /* 52 */
	assert_near(c.phase[CHECKER_MAPS].ms, jump + block);
	assert_int_equal(c.phase[CHECKER_DIRS].blocks, 1);    /* 10 */
	assert_int_equal(c.phase[CHECKER_BITMAPS].blocks, 4); /* 2..3, 100..101 */
	assert_int_equal(c.phase[CHECKER_BITMAPS].distance, 96);
	assert_near(c.phase[CHECKER_BITMAPS].ms - c.packed_ms[CHECKER_BITMAPS], jump);
}

#define DAY 86400

static void test_heat(void **state)
{
	struct inode_times v[] = {{12, 1000 * DAY, 970 * DAY, 0}, {14, 0, 0, 1030 * DAY}};
	struct times_list times = {v, 2, 2};
	struct heat_options opt = {disk_find("hdd"), 1030 * DAY, 30};
	struct heat_list files = {0}, dirs = {0};
	double gap = 4096 / 150e3; /* ms to read over one block */

	(void)state;
	assert_int_equal(times_last_use(&times, 12), 1000 * DAY); /* the later one */
	assert_int_equal(times_last_use(&times, 14), 1030 * DAY); /* nothing but ctime */
	assert_int_equal(times_last_use(&times, 13), 0);
	assert_true(heat_compute(model, NULL, 0, &times, &opt, &files, &dirs));
	assert_int_equal(files.n, 2);
	/* 12 reads over 5 blocks, 30 days = one half-life ago; 14 over its tree, today */
	assert_int_equal(files.v[0].ino, 12);
	assert_near(files.v[0].excess_ms, 5 * gap);
	assert_near(files.v[0].age_days, 30);
	assert_near(files.v[0].heat, 2.5 * gap);
	assert_int_equal(files.v[1].ino, 14);
	assert_near(files.v[1].heat, gap);
	assert_int_equal(dirs.n, 1);
	assert_int_equal(dirs.v[0].ino, 2);
	assert_int_equal(dirs.v[0].files, 2);
	assert_near(dirs.v[0].heat, 3.5 * gap);
	assert_near(dirs.v[0].age_days, 0);
	vec_release(&files);
	vec_release(&dirs);
}

/* 30..34 go to 25..29: file 12 is whole, everything else as it was. */
static void test_predict(void **state)
{
	struct move m = {.ino = 12, .len = 5, .lblk = 5, .from = 30, .to = 25};
	struct err err = ERR_INIT;
	struct model *after;
	struct plan plan;
	struct place p;
	struct space s;
	struct run r;

	(void)state;
	plan_init(&plan);
	assert_true(vec_push(&plan.moves, m));
	after = model_predict(model, &plan, &err);
	assert_non_null(after);
	assert_true(place_total(after, NULL, 0, &p));
	assert_int_equal(p.fragments, 6);
	assert_int_equal(p.worst, 34);
	assert_near(place_overall(&p), 100);
	space_compute(after, 8, 1, &s);
	assert_int_equal(s.free_blocks, 149);
	assert_int_equal(s.runs, 7); /* 30..39 is one */
	model_at(after, 27, &r);
	assert_int_equal(r.ino, 12);
	model_at(after, 103, &r);
	assert_int_equal(r.kind, OWNER_INODE_TABLE);
	assert_int_equal(model_parent(after, 21), 2);
	model_free(after);
	plan.moves.v[0].from = 31; /* not where it lies */
	assert_null(model_predict(model, &plan, &err));
	assert_int_equal(err.class, ERR_REFUSED);
	plan_release(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fileplace),    cmocka_unit_test(test_not_place),
		cmocka_unit_test(test_place),	     cmocka_unit_test(test_aix_totals),
		cmocka_unit_test(test_place_tables), cmocka_unit_test(test_space),
		cmocka_unit_test(test_blockers),     cmocka_unit_test(test_walk),
		cmocka_unit_test(test_checker),	     cmocka_unit_test(test_heat),
		cmocka_unit_test(test_predict),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
