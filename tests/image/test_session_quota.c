/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_session_quota.c - on a volume with quota files, moves leave i_blocks, and so the usage
 * that they record, as it is: a mapping tree keeps its number of blocks, though fewer would
 * do. Oracles: e2fsck -fn, which counts the usage itself, debugfs, cmp.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/sessrig.h"
#include "tests/lib/test.h"

static const char *const user_group[] = {"-O", "quota", NULL};
static const char *const project[] = {"-O", "quota,project", "-E",
				      "quotatype=prjquota:usrquota", NULL};

static int tree_blocks(const char *name)
{
	return atoi(image_ask("debugfs -R 'blocks %s' '%s' 2>/dev/null | wc -w", name,
			      SESS_IMAGE)) -
	       atoi(image_ask("debugfs -R 'dump_extents -l %s' '%s' 2>/dev/null | "
			      "awk 'NR > 1 {n += $(NF - ($NF == \"Uninit\"))} END {print "
			      "n + 0}'",
			      name, SESS_IMAGE));
}

static int units(const char *name)
{
	return atoi(image_ask("debugfs -R 'stat %s' '%s' 2>/dev/null | "
			      "sed -n 's/.*Blockcount: //p'",
			      name, SESS_IMAGE));
}

static void there_and_back(uint32_t block_size, const char *const *extra)
{
	struct sessrig r;
	int before, trees;

	sess_make(&r, "ext4", block_size, block_size * (8ull << 10), extra);
	before = units("f01");
	trees = tree_blocks("f01");
	assert_true(trees >= 1);
	sess_open(&r);
	for (int f = SESS_SMALL; f < SESS_TINY + 2; f++)
		sess_move(&r, r.ino[f]);
	sess_close(&r); /* e2fsck -fn: the usage is right */
	sess_assert_contents();
	assert_int_equal(units("f01"), before);
	assert_int_equal(tree_blocks("f01"), trees); /* 300 blocks in one run */
	sess_open(&r);
	sess_back(&r, "uurruuuuuu");
	sess_close(&r);
	sess_assert_as_before();
	sess_assert_contents();
}

static void test_there_and_back(void **state)
{
	(void)state;
	there_and_back(1024, user_group);
	there_and_back(1024, project);
	there_and_back(4096, user_group);
}

/* A plan that would make the tree smaller is refused. */
static void test_smaller_tree_is_refused(void **state)
{
	struct sess_moves m = {0};
	struct batch_result result;
	struct err err = ERR_INIT;
	struct sessrig r;

	(void)state;
	sess_make(&r, "ext4", 1024, 8 << 20, user_group);
	sess_open(&r);
	sess_gather(&r, r.ino[SESS_DEEP], sess_free_run(&r, 320, 0), &m);
	assert_int_equal(m.v[m.n - 1].kind, MOVE_TREE);
	m.v[m.n - 1].len = 0;
	batch_result_init(&result);
	assert_false(session_batch(r.s, m.v, m.n, &result, &err));
	assert_int_equal(err.class, ERR_REFUSED);
	assert_non_null(strstr(err.msg, "quota"));
	assert_int_equal(r.writes, 0);
	batch_result_release(&result);
	sess_close(&r);
	sess_assert_untouched();
	vec_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_smaller_tree_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
