/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_policy.c - each allocator on a map small enough to follow by hand.
 *
 * '#' used, '.' free; four files ask for 4, 2, 5 and 8 blocks, one after the other, and
 * show up as a, b, c, d. The holes: 3 blocks at 8, 8 at 13, 16 at 24, 5 at 42, 15 at 48.
 */
#include <string.h>
#include "lab/policy.h"
#include "tests/lib/test.h"

static const char start[] =
	"########...##........###................##.....#...............#";
#define BLOCKS 64u

struct rig {
	struct geom geom;
	struct space space;
	struct policy policy;
	char map[BLOCKS + 1];
};

static void rig_init(struct rig *r, const char *kind, group_t groups, uint32_t flex)
{
	struct err err = ERR_INIT;

	geom_init(&r->geom);
	r->geom.block_size = 1024;
	r->geom.blocks = BLOCKS;
	r->geom.groups = groups;
	r->geom.blocks_per_group = BLOCKS / groups;
	r->geom.inodes_per_group = 16;
	r->geom.flex_groups = flex;
	assert_true(space_init(&r->space, &r->geom, &err));
	strcpy(r->map, start);
	for (uint32_t i = 0; i < BLOCKS; i++)
		if (start[i] == '.')
			assert_true(space_give(&r->space, (struct range){i, 1}));
	policy_init(&r->policy, policy_find(kind, &err), &r->space, 1);
}

static void rig_release(struct rig *r)
{
	policy_release(&r->policy);
	space_release(&r->space);
	geom_release(&r->geom);
}

/* One request, all of it, in as many pieces as it takes; returns the pieces. */
static int ask(struct rig *r, char name, uint32_t len, bool closed, char *why)
{
	struct policy_want w = {.file = (uint32_t)name,
				.len = len,
				.behind = BLKNO_NONE,
				.size = closed ? len + 16 : len, /* no small file */
				.closed = closed};
	struct policy_answer got;
	int pieces = 0;

	for (; w.len; pieces++) {
		assert_true(policy_place(&r->policy, &w, &got));
		assert_true(got.got.len >= 1 && got.got.len <= w.len);
		assert_true(got.why[0] != '\0');
		if (why)
			strcpy(why, got.why);
		for (blkno_t i = 0; i < got.got.len; i++) {
			char *c = &r->map[got.got.start + i];

			assert_int_equal(*c, '.'); /* nobody else's */
			*c = name;
		}
		w.len -= (uint32_t)got.got.len;
		w.lblk += (lblk_t)got.got.len;
		w.behind = got.got.start + got.got.len - 1;
	}
	return pieces;
}

static void golden(const char *kind, bool closed, const char *want)
{
	static const uint32_t sizes[] = {4, 2, 5, 8};
	struct rig r;

	rig_init(&r, kind, 1, 1);
	for (int i = 0; i < 4; i++)
		ask(&r, (char)('a' + i), sizes[i], closed, NULL);
	policy_flush(&r.policy);
	assert_string_equal(r.map, want);
	assert_int_equal(freemap_blocks(r.space.free), 47 - 19);
	assert_int_equal(r.space.group.v[0].free_blocks, 47 - 19);
	rig_release(&r);
}

static void test_first(void **state)
{
	(void)state;
	golden("first", false,
	       "########bb.##aaaa....###cccccdddddddd...##.....#...............#");
}

static void test_next(void **state)
{
	(void)state;
	golden("next", false,
	       "########...##aaaabb..###cccccdddddddd...##.....#...............#");
}

static void test_best(void **state)
{
	(void)state;
	golden("best", false,
	       "########bb.##ccccc...###................##aaaa.#dddddddd.......#");
}

static void test_worst(void **state)
{
	(void)state;
	golden("worst", false,
	       "########...##........###aaaadddddddd....##.....#bbccccc........#");
}

static void test_buddy(void **state)
{
	(void)state;
	golden("buddy", false,
	       "########bb.##...aaaa.###ccccc...dddddddd##.....#...............#");
}

/* By lot, so only the rules: whole, in a hole that is large enough, the same again from
 * the same seed (and other places from another). */
static void test_random(void **state)
{
	struct rig a, b;
	int differ = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		rig_init(&a, "random", 1, 1);
		rig_init(&b, "random", 1, 1);
		a.policy.random = b.policy.random = seed;
		for (int i = 0; i < 3; i++) {
			assert_int_equal(ask(&a, (char)('a' + i), 4, false, NULL), 1);
			ask(&b, (char)('a' + i), 4, false, NULL);
		}
		assert_string_equal(a.map, b.map);
		rig_release(&b);
		rig_init(&b, "random", 1, 1);
		b.policy.random = seed + 1000;
		for (int i = 0; i < 3; i++)
			ask(&b, (char)('a' + i), 4, false, NULL);
		differ += strcmp(a.map, b.map) != 0;
		rig_release(&a);
		rig_release(&b);
	}
	assert_true(differ > 10);
}

/* Open small files share a stretch; the largest hole there is becomes it. */
static void test_ext4_small_files_share(void **state)
{
	(void)state;
	golden("ext4", false,
	       "########...##........###aaaabbccccc.....##.....#dddddddd.......#");
}

/* Larger files that are closed get just their size: an aligned chunk if that is a power of
 * two. */
static void test_ext4_known_size(void **state)
{
	(void)state;
	golden("ext4", true,
	       "########bb.##...aaaa.###dddddddd........##ccccc#...............#");
}

/* A file that is written piece by piece, another in between: what was set aside keeps it
 * in one piece; next fit does not. */
static void test_ext4_sets_aside(void **state)
{
	struct policy_want w = {.file = 1, .behind = BLKNO_NONE, .len = 20, .size = 20};
	struct policy_answer got;
	blkno_t at[2], later[2];
	struct geom geom;
	struct space s;
	struct policy p;

	(void)state;
	geom_init(&geom);
	geom.block_size = 1024;
	geom.blocks = 8192;
	geom.groups = 1;
	geom.blocks_per_group = 8192;
	geom.inodes_per_group = 16;
	for (int kind = 0; kind < 2; kind++) {
		assert_true(space_init(&s, &geom, NULL));
		assert_true(space_give(&s, (struct range){100, 8000}));
		policy_init(&p, kind ? &policy_next : &policy_ext4_nodelay, &s, 1);
		for (int i = 0; i < 2; i++) {
			w.file = (uint32_t)i;
			assert_true(policy_place(&p, &w, &got));
			at[i] = got.got.start;
		}
		for (int i = 0; i < 2; i++) {
			struct policy_want more = w;

			more.file = (uint32_t)i;
			more.lblk = 20;
			more.len = 10;
			more.size = 30;
			more.behind = at[i] + 19;
			assert_true(policy_place(&p, &more, &got));
			later[i] = got.got.start;
		}
		assert_int_equal(later[0] == at[0] + 20, kind == 0);
		assert_int_equal(later[1] == at[1] + 20, kind == 0);
		policy_close(&p, 0);
		policy_close(&p, 1);
		assert_int_equal(freemap_blocks(s.free), 8000 - 60);
		policy_release(&p);
		space_release(&s);
	}
	geom_release(&geom);
}

/* Directories right below the root spread over the flex groups, others stay. */
static void test_ext4_orlov(void **state)
{
	int used[4] = {0}, stayed = 0;
	struct rig r;

	(void)state;
	rig_init(&r, "ext4", 4, 1);
	for (group_t g = 0; g < 4; g++) { /* equally much room in each */
		r.space.group.v[g].free_blocks = 10;
		r.space.group.v[g].free_inodes = 16;
	}
	for (int i = 0; i < 8; i++) {
		group_t g = policy_dir_group(&r.policy, 0, true);

		used[g]++;
		r.space.group.v[g].dirs++;
	}
	for (int g = 0; g < 4; g++)
		assert_int_equal(used[g], 2);
	for (int i = 0; i < 3; i++)
		stayed += policy_dir_group(&r.policy, 2, false) == 2;
	assert_int_equal(stayed, 3);
	r.space.group.v[2].dirs = 16; /* crowded: the next one */
	assert_int_equal(policy_dir_group(&r.policy, 2, false), 3);
	rig_release(&r);
}

/* Whatever the policy, everything free can be had, and it says when nothing is left. */
static void test_to_the_last_block(void **state)
{
	(void)state;
	for (size_t i = 0; policy_kinds[i]; i++) {
		struct policy_want w = {
			.file = 1, .len = 1, .behind = BLKNO_NONE, .size = 1};
		struct policy_answer got;
		struct rig r;

		rig_init(&r, policy_kinds[i]->name, 1, 1);
		ask(&r, 'x', 47, false, NULL);
		assert_null(strchr(r.map, '.'));
		assert_false(policy_place(&r.policy, &w, &got));
		rig_release(&r);
	}
}

static void test_reasons(void **state)
{
	char why[POLICY_WHY];
	struct rig r;
	struct err err = ERR_INIT;

	(void)state;
	rig_init(&r, "next", 1, 1);
	ask(&r, 'a', 12, false, why);
	assert_string_equal(why, "first hole of 12 blocks at or after the goal, block 0");
	rig_release(&r);
	assert_null(policy_find("fist", &err));
	assert_int_equal(err.class, ERR_USAGE);
	assert_non_null(strstr(err.msg, "first, next, best, worst, buddy, random, ext4"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first),
		cmocka_unit_test(test_next),
		cmocka_unit_test(test_best),
		cmocka_unit_test(test_worst),
		cmocka_unit_test(test_buddy),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_ext4_small_files_share),
		cmocka_unit_test(test_ext4_known_size),
		cmocka_unit_test(test_ext4_sets_aside),
		cmocka_unit_test(test_ext4_orlov),
		cmocka_unit_test(test_to_the_last_block),
		cmocka_unit_test(test_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
