/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_goal_maps.c - each goal on a small map, before and after as text.
 *
 * Two letters a block: the file and its logical block ("a0"); capital letters are files
 * that must not move; "##" is fixed metadata, ".." free.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/strategy.h"
#include "tests/lib/runplan.h"
#include "tests/lib/test.h"

#define FIRST_INO 12u

static inum_t ino_of(char c)
{
	return FIRST_INO + (inum_t)(tolower(c) - 'a');
}

static struct inode_info info_of(char c)
{
	return (struct inode_info){INODE_FILE, isupper(c) ? INODE_PINNED : 0, 4096};
}

static size_t map_len(const char *map)
{
	return (strlen(map) + 1) / 3;
}

static void make(struct randvol *v, const char *map)
{
	struct err err = ERR_INIT;
	size_t n = map_len(map);

	memset(v, 0, sizeof(*v));
	geom_init(&v->geom);
	v->geom.block_size = 4096;
	v->geom.blocks = n;
	v->geom.blocks_per_group = 32768;
	v->geom.groups = 1;
	v->geom.inodes = v->geom.inodes_per_group = 64;
	v->geom.flex_groups = 1;
	v->geom.cluster_ratio = 1;
	v->geom.first_inode = 11;
	for (size_t i = 0; i < n; i++)
		if (map[3 * i] == '#')
			assert_true(vec_push(&v->geom.fixed,
					     (struct fixed){i, 1, 0, OWNER_INODE_TABLE}));
	assert_true(geom_seal(&v->geom, &err));
	v->model = model_new(&v->geom, &err);
	v->used = calloc(n, 1);
	assert_non_null(v->model);
	for (size_t i = 0; i < n; i++) {
		char c = map[3 * i];
		struct run r = {.phys = i, .len = 1, .kind = OWNER_FILE};
		struct inode_info info = info_of(c);

		v->used[i] = c != '.';
		if (!isalpha(c))
			continue;
		r.ino = ino_of(c);
		r.lblk = (lblk_t)(map[3 * i + 1] - '0');
		assert_true(model_set_inode(v->model, r.ino, &info));
		assert_true(model_add_run(v->model, &r));
	}
	assert_true(model_seal(v->model, NULL, 1, NULL, &err));
}

static void draw(const struct randvol *v, const char *before, char *out)
{
	for (blkno_t b = 0; b < v->geom.blocks; b++) {
		struct run r;
		char *at = out + 3 * b;

		model_at(v->model, b, &r);
		memcpy(at, r.kind == OWNER_FREE ? ".. " : "## ", 3);
		if (r.ino) {
			at[0] = (char)('a' + (r.ino - FIRST_INO));
			if (strchr(before, toupper(at[0])))
				at[0] = (char)toupper(at[0]);
			at[1] = (char)('0' + r.lblk + (b - r.phys));
		}
	}
	out[3 * v->geom.blocks - 1] = '\0';
}

/* files: letters, in their order. */
static void goal(struct goal_request g, const char *files, const char *before,
		 const char *after, const char *skips)
{
	inum_t inos[26];
	char text[400], left[200] = "";
	struct err err = ERR_INIT;
	struct metrics is;
	struct randvol v;
	struct plan p;

	make(&v, before);
	for (; files[g.ino_count]; g.ino_count++)
		inos[g.ino_count] = ino_of(files[g.ino_count]);
	g.inos = inos;
	plan_init(&p);
	if (!strategy_plan(v.model, &g, NULL, &p, &err))
		fail_msg("%s", err.msg);
	assert_true(plan_check(&p, v.model, &err));
	run_plan(&v, &p);
	metrics_compute(v.model, &is);
	assert_memory_equal(&is, &p.after, sizeof(is));
	draw(&v, before, text);
	assert_string_equal(text, after);
	for (size_t i = 0; i < p.skips.n; i++)
		snprintf(left + strlen(left), sizeof(left) - strlen(left), "%s%c %d",
			 i ? ", " : "", (char)('a' + (p.skips.v[i].ino - FIRST_INO)),
			 p.skips.v[i].reason);
	assert_string_equal(left, skips);
	plan_release(&p);
	randvol_release(&v);
}

static void refused(struct goal_request g, const char *files, const char *before,
		    const char *why)
{
	inum_t inos[26];
	struct err err = ERR_INIT;
	struct randvol v;
	struct plan p;

	make(&v, before);
	for (; files[g.ino_count]; g.ino_count++)
		inos[g.ino_count] = ino_of(files[g.ino_count]);
	g.inos = inos;
	plan_init(&p);
	assert_false(strategy_plan(v.model, &g, NULL, &p, &err));
	assert_int_equal(err.class, ERR_REFUSED);
	if (!strstr(err.msg, why))
		fail_msg("%s", err.msg);
	assert_int_equal(p.moves.n, 0);
	plan_release(&p);
	randvol_release(&v);
}

#define GOAL(...) ((struct goal_request){__VA_ARGS__})

static void test_defrag(void **state)
{
	(void)state;
	goal(GOAL(.goal = GOAL_DEFRAG), "a",
	     "## a0 b0 a1 b1 a2 .. .. .. .. ..", /* b was not asked about */
	     "## .. b0 .. b1 .. a0 a1 a2 .. ..", "");
	/* Three blocks fit nowhere: b makes room. */
	goal(GOAL(.goal = GOAL_DEFRAG), "a", "## a0 a1 b0 a2 .. C0 ..",
	     "## a0 a1 a2 .. b0 C0 ..", "");
}

static void test_gap(void **state)
{
	(void)state;
	/* Half of two blocks is one: a goes where it has it, b keeps what it has. */
	goal(GOAL(.goal = GOAL_GAP, .percent = 50), "ab",
	     "## a0 c0 a1 b0 b1 .. .. c1 .. .. .. c2",
	     "## .. c0 .. b0 b1 .. .. c1 a0 a1 .. c2", "");
	/* b lies well but is closed in; there is room for one of them only. */
	goal(GOAL(.goal = GOAL_GAP, .percent = 50), "ab",
	     "## a0 c0 a1 b0 b1 D0 .. .. .. E0 ..", "## .. c0 .. b0 b1 D0 a0 a1 .. E0 ..",
	     "b 5");
	/* No room to grow: joined all the same. */
	goal(GOAL(.goal = GOAL_GAP, .percent = 300), "a", "## a0 c0 a1 D0 .. .. E0",
	     "## .. c0 .. D0 a0 a1 E0", "a 5");
}

static void test_pack(void **state)
{
	(void)state;
	goal(GOAL(.goal = GOAL_PACK), "cab", "## a0 d0 b0 d1 c0 c1 .. .. .. .. ..",
	     "## .. d0 .. d1 .. .. c0 c1 a0 b0 ..", "");
	goal(GOAL(.goal = GOAL_PACK, .place = PLACE_FROM, .dest = 1), "ba",
	     "## a0 d0 b0 d1 .. .. .. .. .. .. ..", "## b0 a0 .. d1 .. d0 .. .. .. .. ..",
	     "");
}

static void test_arrange(void **state)
{
	(void)state;
	goal(GOAL(.goal = GOAL_ARRANGE), "abcde",
	     "## c1 .. a1 b0 ## .. a0 D0 c0 .. .. e0",
	     "## a0 a1 b0 e0 ## c0 c1 D0 .. .. .. ..", "d 0");
}

static void test_compact(void **state)
{
	(void)state;
	goal(GOAL(.goal = GOAL_COMPACT, .range = {2, 9}), "",
	     "## a0 .. b0 .. a1 ## .. c0 c1 .. a2", "## a0 b0 a1 .. .. ## c0 c1 .. .. a2",
	     "");
}

static void test_hole(void **state)
{
	(void)state;
	/* Two blocks of c are cheaper to move than three of a. */
	goal(GOAL(.goal = GOAL_HOLE, .blocks = 4), "",
	     "## a0 a1 a2 .. B0 .. c0 c1 .. D0 .. .. E0",
	     "## a0 a1 a2 .. B0 .. .. .. .. D0 c0 c1 E0", "");
	goal(GOAL(.goal = GOAL_HOLE, .blocks = 4, .range = {1, 4}), "",
	     "## a0 a1 a2 .. B0 .. c0 c1 .. D0 .. .. .. E0",
	     "## .. .. .. .. B0 .. c0 c1 .. D0 a0 a1 a2 E0", "");
	refused(GOAL(.goal = GOAL_HOLE, .blocks = 5), "", "## a0 .. B0 .. .. C0 .. .. ..",
		"3 is the most");
}

static void test_evacuate(void **state)
{
	(void)state;
	goal(GOAL(.goal = GOAL_EVACUATE, .range = {5, 6}), "",
	     "## .. .. .. .. .. .. C0 b1 b2 a2 .. a0 a1 b0",
	     "## b1 b2 .. .. .. .. C0 .. .. .. a2 a0 a1 b0", "c 0");
	/* The room takes a, whole, and a block of b; what stays is listed. */
	goal(GOAL(.goal = GOAL_EVACUATE, .range = {5, 6}), "",
	     "## .. .. .. a0 a1 b0 C0 b1 b2 a2", "## a0 a1 a2 b0 .. .. C0 b1 b2 ..",
	     "c 0, b 1");
}

static void test_move(void **state)
{
	(void)state;
	goal(GOAL(.goal = GOAL_MOVE, .place = PLACE_BLOCK, .dest = 5), "a",
	     "## a0 b0 a1 .. c0 .. .. ..", "## .. b0 .. c0 a0 a1 .. ..", "");
	goal(GOAL(.goal = GOAL_MOVE, .place = PLACE_END), "a",
	     "## a0 b0 a1 .. c0 .. .. ##", "## .. b0 .. .. c0 a0 a1 ##", "");
	goal(GOAL(.goal = GOAL_MOVE, .place = PLACE_BLOCK, .dest = 6, .range = {1, 3},
		  .swap = true),
	     "", "## a0 b0 a1 .. .. c0 c1 d0 ..", "## c0 c1 d0 .. .. a0 b0 a1 ..", "");
	refused(GOAL(.goal = GOAL_MOVE, .place = PLACE_BLOCK, .dest = 4), "a",
		"## a0 b0 a1 .. C0 .. .. ..", "block 5 ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defrag),	 cmocka_unit_test(test_gap),
		cmocka_unit_test(test_pack),	 cmocka_unit_test(test_arrange),
		cmocka_unit_test(test_compact),	 cmocka_unit_test(test_hole),
		cmocka_unit_test(test_evacuate), cmocka_unit_test(test_move),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
