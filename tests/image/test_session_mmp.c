/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_session_mmp.c - multiple-mount protection: a session takes it as a checker does, and
 * leaves the block as it found it; another host that comes in between is found in time; a
 * lock left by a crash is ours to open, one of another host is not. The waiting is replaced.
 * Oracles: dumpe2fs's reader of the block, e2fsck -fn, cmp.
 */
#include <stdio.h>
#include <string.h>
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/sessrig.h"
#include "tests/lib/test.h"

static const char *const mmp[] = {"-O", "mmp", NULL};
static unsigned waits, waited;
static bool intrude;
static uint64_t place;

static void write_as_other(uint32_t seq)
{
	struct volume *v = fsimage_open(SESS_IMAGE, false);
	union {
		struct mmp_struct m;
		uint8_t bytes[1024];
	} u;

	fsimage_read(SESS_IMAGE, place, u.bytes, sizeof(u.bytes));
	u.m.mmp_seq = seq;
	memset(u.m.mmp_nodename, 0, sizeof(u.m.mmp_nodename));
	memcpy(u.m.mmp_nodename, "elsewhere", 9);
	ext2fs_mmp_csum_set(v->fs, &u.m);
	fsimage_write(SESS_IMAGE, place, u.bytes, sizeof(u.bytes));
	volume_close(v);
}

static void no_waiting(unsigned seconds)
{
	waits++;
	waited += seconds;
	if (intrude)
		write_as_other(77);
}

static int begin(void **state)
{
	(void)state;
	mmp_calls.wait = no_waiting;
	waits = waited = 0;
	intrude = false;
	return 0;
}

static void make(struct sessrig *r, uint32_t block_size)
{
	sess_make(r, "ext4", block_size, block_size * (8ull << 10), mmp);
	sess_open(r);
	place = (uint64_t)r->v->fs->super->s_mmp_block * block_size;
}

static uint32_t sequence(void)
{
	uint32_t seq;

	fsimage_read(SESS_IMAGE, place + 4, &seq, 4);
	return seq;
}

static bool move_one(struct sessrig *r, struct err *err)
{
	struct sess_moves m = {0};
	struct batch_result result;
	bool ok;

	sess_gather(r, r->ino[SESS_TINY + 1], sess_free_run(r, 2, 0), &m);
	batch_result_init(&result);
	ok = session_batch(r->s, m.v, m.n, &result, err);
	batch_result_release(&result);
	vec_release(&m);
	return ok;
}

static void test_taken_and_given_back(void **state)
{
	struct sessrig r;

	(void)state;
	for (uint32_t size = 1024; size <= 4096; size *= 4) {
		make(&r, size);
		waits = waited = 0;
		assert_int_equal(sequence(), 0xFF4D4D50u);
		sess_move(&r, r.ino[SESS_SMALL]);
		sess_move(&r, r.ino[SESS_TINY]);
		assert_int_equal(sequence(), 0xE24D4D50u); /* a kernel refuses that */
		assert_int_equal(waits, 1);
		assert_int_equal(waited, 11);
		assert_int_equal(
			image_run("dumpe2fs '%s' 2>&1 | grep -q 'Checksum:.*invalid'",
				  SESS_IMAGE),
			1);
		sess_close(&r);
		assert_int_equal(sequence(), 0xFF4D4D50u);
		sess_assert_contents();
		sess_open(&r);
		sess_back(&r, "uu");
		sess_close(&r);
		sess_assert_as_before();
	}
}

static void test_another_host_before(void **state)
{
	struct err err = ERR_INIT;
	struct sessrig r;

	(void)state;
	make(&r, 1024);
	write_as_other(77);
	assert_false(move_one(&r, &err));
	assert_non_null(strstr(err.msg, "another host (elsewhere)"));
	assert_int_equal(r.writes, 0);
	sess_kill(&r);
	err_clear(&err);
	assert_false(sess_try_open(&r, &err)); /* it may be mounted there */
	assert_non_null(strstr(err.msg, "mounted by another host"));
	assert_non_null(strstr(err.msg, "clear_mmp"));
	assert_int_equal(image_run("%s", strstr(err.msg, "tune2fs")), 0);
	write_as_other(0xE24D4D50u);
	err_clear(&err);
	assert_false(sess_try_open(&r, &err));
	assert_non_null(strstr(err.msg, "a checker works on it"));
	assert_int_equal(image_run("%s", strstr(err.msg, "tune2fs")), 0);
	err_clear(&err);
	/* what it has done meanwhile is another matter: its journal is set aside, or not */
	assert_int_equal(image_run("rm -f '%s'", SESS_JOURNAL), 0);
	sess_open(&r);
	sess_close(&r);
}

static void test_another_host_while_waiting(void **state)
{
	struct err err = ERR_INIT;
	struct sessrig r;

	(void)state;
	make(&r, 1024);
	intrude = true;
	assert_false(move_one(&r, &err));
	assert_int_equal(err.class, ERR_RECOVER);
	assert_non_null(strstr(err.msg, "another host (elsewhere)"));
	assert_int_equal(r.super_writes, 0);
	assert_int_equal(r.writes, 1); /* our number, which it has written over */
	assert_int_equal(sequence(), 77);
	sess_kill(&r);
}

static void test_another_host_between_batches(void **state)
{
	struct err err = ERR_INIT;
	struct sessrig r;
	uint32_t before;

	(void)state;
	make(&r, 1024);
	sess_move(&r, r.ino[SESS_SMALL]);
	before = r.writes;
	write_as_other(78);
	assert_false(move_one(&r, &err));
	assert_int_equal(r.writes, before);
	assert_false(session_close(r.s, &err));
	r.s = NULL;
	assert_int_equal(r.writes, before);
	sess_kill(&r);
}

static void test_left_by_a_crash(void **state)
{
	struct recover_report report;
	struct err err = ERR_INIT;
	struct sessrig r;

	(void)state;
	make(&r, 1024);
	sess_move(&r, r.ino[SESS_SMALL]);
	sess_kill(&r);
	assert_int_equal(sequence(), 0xE24D4D50u);
	if (!recover_volume(SESS_IMAGE, 0, SESS_JOURNAL, &report, &err))
		fail_msg("%s", err.msg);
	assert_true(report.needed);
	assert_int_equal(sequence(), 0xFF4D4D50u);
	assert_true(image_is_clean(SESS_IMAGE));
	sess_assert_contents();
	sess_open(&r);
	sess_back(&r, "u");
	sess_close(&r);
	sess_assert_as_before();
	/* the same, but another host has taken it by now */
	sess_open(&r);
	sess_move(&r, r.ino[SESS_SMALL]);
	sess_kill(&r);
	write_as_other(0xE24D4D50u);
	assert_int_equal(image_run("cp '%s' '%s'", SESS_IMAGE, image_path("copy.img")),
			 0);
	assert_false(recover_volume(SESS_IMAGE, 0, SESS_JOURNAL, &report, &err));
	assert_non_null(strstr(err.msg, "clear_mmp"));
	assert_true(image_same(SESS_IMAGE, image_path("copy.img")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_taken_and_given_back, begin),
		cmocka_unit_test_setup(test_another_host_before, begin),
		cmocka_unit_test_setup(test_another_host_while_waiting, begin),
		cmocka_unit_test_setup(test_another_host_between_batches, begin),
		cmocka_unit_test_setup(test_left_by_a_crash, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
