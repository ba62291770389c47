/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_session_refuse.c - what a session does not do: batches that contradict the disk or
 * themselves, journals and volumes that do not belong together, changes by others. Refused
 * means that not one byte of the volume was written.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "journal/journal.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/sessrig.h"
#include "tests/lib/test.h"

#define ASIDE image_path("aside.img")

static void make(struct sessrig *r)
{
	sess_make(r, "ext4", 1024, 8 << 20, NULL);
}

static void assert_says(const struct err *err, enum err_class class, const char *words)
{
	assert_int_equal(err->class, class);
	if (!strstr(err->msg, words))
		fail_msg("\"%s\" does not say \"%s\"", err->msg, words);
}

/* The batch is refused, with these words, and the session stays usable. */
static void refused(struct sessrig *r, struct sess_moves *m, const char *words)
{
	struct batch_result result;
	struct err err = ERR_INIT;

	batch_result_init(&result);
	assert_false(session_batch(r->s, m->v, m->n, &result, &err));
	assert_says(&err, ERR_REFUSED, words);
	assert_int_equal(r->writes, 0);
	batch_result_release(&result);
}

static void end(struct sessrig *r, struct sess_moves *m)
{
	sess_close(r);
	sess_assert_untouched();
	vec_release(m);
}

/* --- batches --- */

static void test_stale_moves(void **state)
{
	struct sess_moves m = {0};
	struct sessrig r;

	(void)state;
	make(&r);
	sess_open(&r);
	sess_gather(&r, r.ino[SESS_SMALL], sess_free_run(&r, 40, 0), &m);
	m.v[3].from++;
	refused(&r, &m, "has changed since the plan was made");
	m.v[3].from--;
	assert_int_equal(m.v[m.n - 2].kind, MOVE_DATA); /* behind it: no tree any more */
	m.v[m.n - 2].lblk += 1000;
	refused(&r, &m, "has changed since the plan was made");
	end(&r, &m);
}

static void test_destinations(void **state)
{
	struct sess_moves m = {0};
	struct sessrig r;
	blkno_t to;

	(void)state;
	make(&r);
	sess_open(&r);
	sess_gather(&r, r.ino[SESS_SMALL], r.v->geom.fixed.v[0].start, &m);
	refused(&r, &m, "not free");
	vec_clear(&m);
	sess_gather(&r, r.ino[SESS_SMALL], 0, &m);
	to = m.v[0].from;
	vec_clear(&m);
	sess_gather(&r, r.ino[SESS_TINY], to, &m); /* where another file lies */
	refused(&r, &m, "not free");
	vec_clear(&m);
	sess_gather(&r, r.ino[SESS_TINY], r.v->geom.blocks - 1, &m);
	refused(&r, &m, "outside the volume");
	vec_clear(&m);
	to = sess_free_run(&r, 60, 0);
	sess_gather(&r, r.ino[SESS_SMALL], to, &m);
	sess_gather(&r, r.ino[SESS_TINY], to + 5, &m);
	refused(&r, &m, "two files");
	end(&r, &m);
}

/* A bitmap that calls an inode table free must not make it a destination. */
static void test_fixed_metadata_is_no_destination(void **state)
{
	struct sess_moves m = {0};
	struct sessrig r;
	uint8_t bits[1024];
	blkno_t table, map;

	(void)state;
	sess_make(&r, "ext2", 1024, 8 << 20, NULL);
	sess_open(&r);
	table = ext2fs_inode_table_loc(r.v->fs, 0) + 40;
	map = ext2fs_block_bitmap_loc(r.v->fs, 0);
	sess_close(&r);
	fsimage_read(SESS_IMAGE, map * 1024, bits, sizeof(bits));
	for (blkno_t b = table - 1; b < table + 7; b++) /* group 0 starts at block 1 */
		bits[b / 8] &= (uint8_t) ~(1 << b % 8);
	fsimage_write(SESS_IMAGE, map * 1024, bits, sizeof(bits));
	sess_open(&r);
	sess_gather(&r, r.ino[SESS_TINY], table, &m);
	refused(&r, &m, "inode table");
	sess_kill(&r);
	vec_release(&m);
}

/* Two sets for one inode would each be made from the disk as it is: the second would bring
 * back what the first has given away. */
static void test_inode_twice(void **state)
{
	struct sess_moves m = {0};
	struct sessrig r;
	struct move second;
	blkno_t to;

	(void)state;
	make(&r);
	sess_open(&r);
	to = sess_free_run(&r, 60, 0);
	sess_gather(&r, r.ino[SESS_TINY], to, &m);
	sess_gather(&r, r.ino[SESS_TINY + 1], to + 2, &m);
	assert_int_equal(m.n, 4);
	second = m.v[1];
	m.v[1] = m.v[2];
	m.v[2] = m.v[3];
	m.v[3] = second;
	refused(&r, &m, "stand together");
	end(&r, &m);
}

static void test_moves_out_of_order(void **state)
{
	struct sess_moves m = {0};
	struct sessrig r;
	struct move tree;

	(void)state;
	sess_make(&r, "ext2", 1024, 8 << 20, NULL);
	sess_open(&r);
	sess_gather(&r, r.ino[SESS_DEEP], sess_free_run(&r, 310, 0), &m);
	tree = m.v[m.n - 1];
	assert_int_equal(tree.kind, MOVE_TREE);
	memmove(m.v + 1, m.v, (m.n - 1) * sizeof(*m.v));
	m.v[0] = tree; /* a tree first would hide the data behind it */
	refused(&r, &m, "out of order");
	m.v[0] = m.v[2];
	refused(&r, &m, "out of order");
	end(&r, &m);
}

/* The tree must be exactly as long as the new map needs. */
static void test_tree_of_another_size(void **state)
{
	struct sess_moves m = {0};
	struct sessrig r;

	(void)state;
	sess_make(&r, "ext2", 1024, 8 << 20, NULL);
	sess_open(&r);
	sess_gather(&r, r.ino[SESS_FAR], sess_free_run(&r, 20, 0), &m);
	assert_int_equal(m.v[m.n - 1].len, 3); /* triple, double, single */
	m.v[m.n - 1].len = 2;
	refused(&r, &m, "more blocks for its map");
	m.v[m.n - 1].len = 4;
	m.v[m.n - 1].to += 10;
	refused(&r, &m, "fewer blocks for its map");
	m.n--;
	refused(&r, &m, "not part of the plan");
	end(&r, &m);
}

static void test_pinned_and_unused_inodes(void **state)
{
	struct sess_moves m = {0};
	struct sessrig r;

	(void)state;
	make(&r);
	assert_int_equal(
		image_run("debugfs -w -R 'set_inode_field f00 flags 0x80010' '%s'",
			  SESS_IMAGE),
		0);
	sess_remember();
	sess_open(&r);
	sess_gather(&r, r.ino[SESS_SMALL], sess_free_run(&r, 40, 0), &m);
	refused(&r, &m, "immutable");
	for (size_t i = 0; i < m.n; i++)
		m.v[i].ino = 8; /* the journal of the volume */
	refused(&r, &m, "cannot be moved");
	for (size_t i = 0; i < m.n; i++)
		m.v[i].ino = r.ino[SESS_FILES - 1] + 50;
	refused(&r, &m, "not in use");
	end(&r, &m);
}

/* --- journals --- */

static void test_journal_on_the_volume(void **state)
{
	struct session_options opt = {0};
	struct err err = ERR_INIT;
	struct sessrig r;
	struct volume *v;

	(void)state;
	make(&r);
	v = fsimage_open(SESS_IMAGE, true);
	opt.journal = SESS_IMAGE;
	assert_null(session_open(v, &opt, NULL, &err));
	assert_says(&err, ERR_REFUSED, "on the volume itself");
	volume_close(v);
	sess_assert_untouched();
}

static void test_journal_of_another_volume(void **state)
{
	struct err err = ERR_INIT;
	struct sessrig r;

	(void)state;
	make(&r);
	sess_open(&r);
	sess_move(&r, r.ino[SESS_SMALL]);
	sess_close(&r);
	assert_int_equal(image_run("cp '%s' '%s' && tune2fs -U random '%s'", SESS_JOURNAL,
				   image_path("other.undo"), SESS_IMAGE),
			 0);
	sess_remember();
	assert_false(sess_try_open(&r, &err));
	assert_says(&err, ERR_REFUSED, "belongs to another volume");
	sess_assert_untouched();
	assert_true(image_same(image_path("other.undo"), SESS_JOURNAL));
}

/* While one program works, a second one must leave journal and volume alone. */
static void test_journal_in_use(void **state)
{
	struct recover_report report;
	struct err err = ERR_INIT;
	struct history h;
	struct sessrig r;

	(void)state;
	make(&r);
	sess_open(&r);
	sess_move(&r, r.ino[SESS_SMALL]);
	assert_int_equal(image_run("printf half-a-record >> '%s' && cp '%s' '%s'",
				   SESS_JOURNAL, SESS_JOURNAL, image_path("used.undo")),
			 0);
	assert_false(recover_volume(SESS_IMAGE, 0, SESS_JOURNAL, &report, &err));
	assert_int_equal(err.class, ERR_REFUSED);
	assert_true(image_same(SESS_JOURNAL, image_path("used.undo")));
	err_clear(&err);
	history_init(&h); /* looking is harmless */
	assert_true(history_read(SESS_JOURNAL, NULL, &h, &err));
	assert_true(h.open);
	history_release(&h);
	sess_move(&r, r.ino[SESS_HOLES]);
	sess_close(&r);
	sess_assert_contents();
}

static uint64_t asked[2];
static int asks, refuse_at;

static int no_room(int fd, uint64_t at, uint64_t n)
{
	(void)fd, (void)at;
	asked[asks % 2] = n;
	return asks++ == refuse_at ? ENOSPC : 0;
}

/* A full disk below the journal is found before anything happens: `at` 0 is asked in round
 * figures, 1 for what the batch really needs. */
static void no_room_for_the_journal(int at)
{
	struct journal_calls plain = journal_calls;
	struct sess_moves m = {0};
	struct batch_result result;
	struct err err = ERR_INIT;
	struct sessrig r;
	uint32_t before;

	make(&r);
	sess_open(&r);
	sess_move(&r, r.ino[SESS_TINY]);
	asks = 0;
	refuse_at = at;
	sess_gather(&r, r.ino[SESS_SMALL], sess_free_run(&r, 40, 0), &m);
	before = r.writes;
	batch_result_init(&result);
	journal_calls.reserve = no_room;
	assert_false(session_batch(r.s, m.v, m.n, &result, &err));
	journal_calls = plain;
	assert_says(&err, ERR_NOSPACE, "no room for the undo journal");
	assert_int_equal(r.writes, before);
	assert_int_equal(asks, at + 1);
	assert_true(at == 0 ||
		    asked[1] > 2 * 30 * 20); /* a copy of a piece takes 20 bytes */
	batch_result_release(&result);
	sess_close(&r);
	sess_assert_contents();
	sess_open(&r);
	sess_back(&r, "u");
	sess_close(&r);
	sess_assert_as_before();
	vec_release(&m);
}

static void test_no_room_for_the_journal(void **state)
{
	(void)state;
	no_room_for_the_journal(0);
	no_room_for_the_journal(1);
}

/* --- changes by others --- */

static void run_and_close(struct sessrig *r)
{
	make(r);
	sess_open(r);
	sess_move(r, r->ino[SESS_SMALL]);
	sess_close(r);
}

/* Not even the superblock tells of this one. */
static void test_inode_changed(void **state)
{
	struct batch_result result;
	struct err err = ERR_INIT;
	struct sessrig r;

	(void)state;
	run_and_close(&r);
	assert_int_equal(image_run("debugfs -w -R 'set_inode_field f00 mtime 1234' '%s'",
				   SESS_IMAGE),
			 0);
	sess_remember();
	sess_open(&r);
	batch_result_init(&result);
	assert_false(session_undo_batch(r.s, &result, &err));
	assert_says(&err, ERR_REFUSED, "size, times or flags were changed");
	assert_int_equal(r.writes, 0);
	sess_close(&r);
	sess_assert_untouched();
}

static const char *const told[] = {"label was changed", "checked by e2fsck",
				   "mounted since", "written to since"};

static void change_volume(int how)
{
	int rc = 0;

	if (how == 0)
		rc = image_run("tune2fs -L other '%s'", SESS_IMAGE);
	else if (how == 1)
		rc = image_run("e2fsck -fy '%s'", SESS_IMAGE);
	else if (how == 2)
		rc = image_run("tune2fs -C 7 '%s'", SESS_IMAGE);
	else
		fsimage_poke_super(SESS_IMAGE, offsetof(struct ext2_super_block, s_wtime),
				   4, ~0ull, 1800000000);
	assert_int_equal(rc, 0);
}

static void test_superblock_changed(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct session_options opt = {0};
		struct err err = ERR_INIT;
		struct str note = STR_INIT;
		struct session *s;
		struct history h;
		struct sessrig r;
		struct volume *v;

		run_and_close(&r);
		change_volume(i);
		v = fsimage_open(SESS_IMAGE, true);
		history_init(&h);
		assert_true(history_read(SESS_JOURNAL, v, &h, &err));
		assert_false(h.fits);
		if (!strstr(h.why, told[i]))
			fail_msg("\"%s\" does not say \"%s\"", h.why, told[i]);
		history_release(&h);
		opt.journal = SESS_JOURNAL;
		s = session_open(v, &opt, &note, &err);
		assert_non_null(s);
		assert_non_null(strstr(note.buf, told[i]));
		assert_int_equal(unlink(image_path("s.undo.1")),
				 0); /* set aside, not lost */
		session_free(s);
		volume_close(v);
		str_release(&note);
	}
}

/* A copy made before the session bears the same UUID: the journal belongs to the other one,
 * which was cut short and needs it. */
static void test_copy_of_the_volume(void **state)
{
	struct recover_report report;
	struct err err = ERR_INIT;
	struct sessrig r;

	(void)state;
	make(&r);
	assert_int_equal(image_run("cp '%s' '%s'", SESS_IMAGE, image_path("copy.img")),
			 0);
	sess_open(&r);
	sess_move(&r, r.ino[SESS_SMALL]);
	sess_kill(&r);
	assert_false(
		recover_volume(image_path("copy.img"), 0, SESS_JOURNAL, &report, &err));
	assert_says(&err, ERR_REFUSED, "another copy");
	err_clear(&err);
	if (!recover_volume(SESS_IMAGE, 0, SESS_JOURNAL, &report, &err))
		fail_msg("%s", err.msg);
	assert_true(report.needed);
	assert_int_equal(report.inodes_new, 1);
	assert_true(image_is_clean(SESS_IMAGE));
	sess_assert_contents();
}

/* Another file under the name by now: moving blocks of the one without a name would help
 * nobody, and the journal would tell of a volume that is gone. */
static void test_another_file_of_that_name(void **state)
{
	struct sess_moves m = {0};
	struct sessrig r;

	(void)state;
	make(&r);
	sess_open(&r);
	sess_gather(&r, r.ino[SESS_SMALL], sess_free_run(&r, 40, 0), &m);
	assert_int_equal(rename(SESS_IMAGE, ASIDE), 0);
	refused(&r, &m, "removed since it was opened");
	assert_int_equal(image_run("cp '%s' '%s'", ASIDE, SESS_IMAGE), 0);
	refused(&r, &m, "another file has its name; open it again");
	assert_int_equal(rename(ASIDE, SESS_IMAGE), 0);
	end(&r, &m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stale_moves),
		cmocka_unit_test(test_destinations),
		cmocka_unit_test(test_fixed_metadata_is_no_destination),
		cmocka_unit_test(test_inode_twice),
		cmocka_unit_test(test_moves_out_of_order),
		cmocka_unit_test(test_tree_of_another_size),
		cmocka_unit_test(test_pinned_and_unused_inodes),
		cmocka_unit_test(test_journal_on_the_volume),
		cmocka_unit_test(test_journal_of_another_volume),
		cmocka_unit_test(test_journal_in_use),
		cmocka_unit_test(test_no_room_for_the_journal),
		cmocka_unit_test(test_inode_changed),
		cmocka_unit_test(test_superblock_changed),
		cmocka_unit_test(test_copy_of_the_volume),
		cmocka_unit_test(test_another_file_of_that_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
