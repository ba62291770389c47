/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_session.c - batches on real volumes: files of every shape are moved, undone and done
 * again; what a session writes and what it leaves alone. Oracles: e2fsck -fn, debugfs, cmp.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/sessrig.h"
#include "tests/lib/test.h"

static const char *const small_groups[] = {"-g", "2048", "-O", "^flex_bg,^resize_inode",
					   NULL};
static const char *const no_csum[] = {"-O", "^metadata_csum,uninit_bg", NULL};
static const char *const large_inodes[] = {"-I", "512", "-O", "64bit,metadata_csum_seed",
					   NULL};

static const struct {
	const char *type;
	uint32_t block_size;
	uint64_t bytes;
	const char *const *extra;
} kinds[] = {
	{"ext2", 1024, 8 << 20, NULL},	  {"ext3", 1024, 12 << 20, NULL},
	{"ext4", 1024, 8 << 20, NULL},	  {"ext4", 1024, 8 << 20, small_groups},
	{"ext4", 1024, 8 << 20, no_csum}, {"ext4", 2048, 12 << 20, large_inodes},
	{"ext4", 4096, 16 << 20, NULL},
};

/* One batch a file; everything, undone, comes back byte for byte: superblock, descriptors,
 * bitmaps (also of groups that had none), inodes, trees. Done again and undone in a later
 * session. */
static void test_there_and_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct sessrig r;

		sess_make(&r, kinds[i].type, kinds[i].block_size, kinds[i].bytes,
			  kinds[i].extra);
		sess_open(&r);
		for (int f = SESS_SMALL; f < SESS_TINY + 2; f++)
			sess_move(&r, r.ino[f]);
		sess_close(&r);
		sess_assert_contents();
		sess_open(&r);
		sess_back(&r, "uuuuuu");
		sess_close(&r);
		sess_assert_as_before();
		sess_assert_contents();
		sess_open(&r);
		sess_back(&r,
			  "rrrrru"); /* and one batch forward where others were undone */
		sess_move(&r, r.ino[SESS_TINY + 5]);
		sess_close(&r);
		sess_assert_contents();
		sess_open(&r);
		sess_back(&r, "uuuuu");
		sess_close(&r);
		sess_assert_as_before();
	}
}

/* Sources that nobody has taken need no copying back; those that were taken do. */
static void test_undo_copies_what_it_must(void **state)
{
	struct sess_moves m = {0}, small = {0};
	struct batch_result result;
	struct err err = ERR_INIT;
	struct sessrig r;

	(void)state;
	sess_make(&r, "ext4", 1024, 8 << 20, NULL);
	sess_open(&r);
	sess_gather(&r, r.ino[SESS_SMALL], 0, &small);
	sess_move(&r, r.ino[SESS_SMALL]);
	assert_int_equal(sess_back(&r, "u"), 0);
	sess_back(&r, "r");
	sess_gather(&r, r.ino[SESS_TINY + 3], 0, &m);
	for (size_t i = 0; i < m.n; i++) /* into blocks that the first batch has left */
		m.v[i].to = small.v[3 * i].from;
	batch_result_init(&result);
	if (!session_batch(r.s, m.v, m.n, &result, &err))
		fail_msg("%s", err.msg);
	batch_result_release(&result);
	sess_close(&r);
	sess_assert_contents();
	sess_open(&r);
	assert_int_equal(sess_back(&r, "u"), 0);
	assert_int_equal(sess_back(&r, "u"), 2); /* its two blocks were written over */
	sess_close(&r);
	sess_assert_as_before();
	vec_release(&m);
	vec_release(&small);
}

static void test_two_superblock_writes(void **state)
{
	struct sessrig r;

	(void)state;
	sess_make(&r, "ext4", 1024, 8 << 20, NULL);
	sess_open(&r);
	assert_int_equal(r.writes, 0); /* nothing before the first batch */
	for (int f = 0; f < 8; f++)
		sess_move(&r, r.ino[SESS_TINY + f]);
	assert_int_equal(r.super_writes, 1);
	sess_back(&r, "uu");
	sess_close(&r);
	assert_int_equal(r.super_writes, 2);
	sess_remember();
	sess_open(&r);
	sess_close(&r); /* idle */
	assert_int_equal(r.writes, 0);
	sess_assert_untouched();
}

static int unwritten_blocks(const char *name)
{
	return atoi(image_ask("debugfs -R 'dump_extents -l %s' '%s' 2>/dev/null | "
			      "awk '/Uninit/ {n += $(NF - 1)} END {print n + 0}'",
			      name, SESS_IMAGE));
}

/* Unwritten, preallocated past the end, i_blocks in file system blocks: all kept. */
static void test_odd_maps(void **state)
{
	int past_end, inside, units;
	struct sessrig r;

	(void)state;
	sess_make(&r, "ext4", 1024, 8 << 20, NULL);
	units = atoi(image_ask("debugfs -R 'stat f01' '%s' 2>/dev/null | "
			       "sed -n 's/.*Blockcount: //p'",
			       SESS_IMAGE));
	assert_int_equal(
		image_run("debugfs -w -R 'fallocate f00 25 90' '%s' && "
			  "debugfs -w -R 'fallocate f02 0 200' '%s' && "
			  "debugfs -w -R 'set_inode_field f01 flags 0xc0000' '%s' && "
			  "debugfs -w -R 'set_inode_field f01 blocks %d' '%s'",
			  SESS_IMAGE, SESS_IMAGE, SESS_IMAGE, units / 2, SESS_IMAGE),
		0);
	sess_remember();
	past_end = unwritten_blocks("f00");
	inside = unwritten_blocks("f02");
	assert_int_equal(past_end, 61);
	assert_true(inside > 20);
	sess_open(&r);
	sess_move(&r, r.ino[SESS_SMALL]);
	sess_move(&r, r.ino[SESS_HOLES]);
	sess_move(&r, r.ino[SESS_DEEP]);
	sess_close(&r);
	sess_assert_contents();
	assert_int_equal(unwritten_blocks("f00"), past_end);
	assert_int_equal(unwritten_blocks("f02"), inside);
	sess_open(&r);
	sess_back(&r, "uuu");
	sess_close(&r);
	sess_assert_as_before();
}

/* Of an inode a move changes its map, its block count and its checksum, nothing else. */
static void test_attributes_are_kept(void **state)
{
	static const char ask[] =
		"debugfs -R 'stat f%02d' '%s' 2>/dev/null | grep -v "
		"'EXTENTS\\|ETB\\|BLOCKS\\|TOTAL\\|^(\\|checksum\\|Blockcount' | "
		"sha256sum";
	char before[SESS_FILES][80];
	struct sessrig r;

	(void)state;
	sess_make(&r, "ext4", 1024, 8 << 20, NULL);
	for (int f = 0; f < 6; f++)
		snprintf(before[f], sizeof(before[f]), "%s",
			 image_ask(ask, f, SESS_IMAGE));
	sess_open(&r);
	for (int f = 0; f < 6; f++)
		sess_move(&r, r.ino[f]);
	sess_close(&r);
	for (int f = 0; f < 6; f++)
		assert_string_equal(image_ask(ask, f, SESS_IMAGE), before[f]);
}

static void test_journal_is_compact(void **state)
{
	struct sess_moves m = {0};
	struct batch_result result;
	struct err err = ERR_INIT;
	struct sessrig r;
	struct stat st;
	blkno_t to;

	(void)state;
	sess_make(&r, "ext4", 1024, 8 << 20, NULL);
	sess_open(&r);
	to = sess_free_run(&r, 2 * SESS_TINIES, 0);
	for (int f = 0; f < SESS_TINIES; f++)
		to += sess_gather(&r, r.ino[SESS_TINY + f], to, &m);
	batch_result_init(&result);
	if (!session_batch(r.s, m.v, m.n, &result, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(result.barriers, 3);
	assert_int_equal(result.moves.n, m.n);
	batch_result_release(&result);
	sess_close(&r);
	assert_int_equal(stat(SESS_JOURNAL, &st), 0);
	/* once a session: two superblock images, one more at the end, frames */
	assert_true((uint64_t)st.st_size - 3 * 1024 - 400 < 300 * SESS_TINIES);
	vec_release(&m);
}

/* One move on a large volume touches the groups of that move alone. */
static void test_large_volume(void **state)
{
	static const char *const lazy[] = {
		"-O", "^has_journal", "-E", "lazy_itable_init=1", "-N", "65536", NULL};
	struct sessrig r;

	(void)state;
	sess_make(&r, "ext4", 4096, 64ull << 30, lazy);
	sess_open(&r);
	sess_move(&r, r.ino[SESS_SMALL]);
	sess_close(&r);
	assert_true(r.bytes_written < 30 * 4096 + (1 << 20));
	assert_true(r.bytes_written < 200 << 10);
}

static void test_actions_in_the_history(void **state)
{
	struct err err = ERR_INIT;
	struct history h;
	struct sessrig r;

	(void)state;
	sess_make(&r, "ext3", 1024, 12 << 20, NULL);
	sess_open(&r);
	assert_true(session_action(r.s, "first", &err));
	sess_move(&r, r.ino[SESS_TINY]);
	sess_move(&r, r.ino[SESS_TINY + 1]);
	assert_true(session_action(r.s, "second", &err));
	sess_move(&r, r.ino[SESS_FAR]);
	sess_back(&r, "uu");
	sess_close(&r);
	history_init(&h);
	assert_true(history_read(SESS_JOURNAL, NULL, &h, &err));
	assert_int_equal(h.actions.n, 2);
	assert_string_equal(h.actions.v[0].name, "first");
	assert_int_equal(h.actions.v[0].batches, 2);
	assert_int_equal(h.actions.v[0].undone, 1);
	assert_int_equal(h.actions.v[0].blocks, 4);
	assert_int_equal(h.actions.v[1].undone, 1);
	assert_false(h.open);
	history_release(&h);
	sess_open(&r); /* a new action ends what could have been done again */
	assert_true(session_action(r.s, "third", &err));
	sess_move(&r, r.ino[SESS_TINY + 2]);
	sess_close(&r);
	history_init(&h);
	assert_true(history_read(SESS_JOURNAL, NULL, &h, &err));
	assert_int_equal(h.actions.n, 2);
	assert_string_equal(h.actions.v[1].name, "third");
	history_release(&h);
	sess_open(&r);
	sess_back(&r, "uu");
	sess_close(&r);
	sess_assert_as_before();
}

/* A journal beyond its limit makes room for a new one; both together undo all. */
static void test_long_journal(void **state)
{
	struct session_options opt = {.journal_limit = 2000};
	char *new = strdup(image_path("new.undo"));
	struct str note = STR_INIT;
	struct err err = ERR_INIT;
	struct sessrig r;

	(void)state;
	sess_make(&r, "ext4", 1024, 8 << 20, NULL);
	sess_open(&r);
	sess_move(&r, r.ino[SESS_SMALL]);
	sess_close(&r);
	r.v = fsimage_open(SESS_IMAGE, true);
	opt.journal = SESS_JOURNAL;
	r.s = session_open(r.v, &opt, &note, &err);
	if (!r.s)
		fail_msg("%s", err.msg);
	assert_non_null(strstr(note.buf, "has grown beyond"));
	str_release(&note);
	sess_move(&r, r.ino[SESS_DEEP]);
	sess_close(&r);
	assert_int_equal(image_run("mv '%s' '%s' && mv '%s.1' '%s'", SESS_JOURNAL, new,
				   SESS_JOURNAL, SESS_JOURNAL),
			 0);
	r.v = fsimage_open(SESS_IMAGE, true);
	opt.journal_limit = 0;
	opt.journal = new;
	r.s = session_open(r.v, &opt, NULL, &err); /* what came last goes first */
	assert_non_null(r.s);
	sess_back(&r, "u");
	sess_close(&r);
	sess_open(&r);
	sess_back(&r, "u");
	sess_close(&r);
	sess_assert_as_before();
	free(new);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_undo_copies_what_it_must),
		cmocka_unit_test(test_two_superblock_writes),
		cmocka_unit_test(test_odd_maps),
		cmocka_unit_test(test_attributes_are_kept),
		cmocka_unit_test(test_journal_is_compact),
		cmocka_unit_test(test_long_journal),
		cmocka_unit_test(test_large_volume),
		cmocka_unit_test(test_actions_in_the_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
