/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_session_inuse.c - an image file cannot be held against the kernel: it is attached to
 * a loop device, or mounted, while a session is on it. From then on not one byte of it is
 * written, and afterwards it recovers. Needs root; skipped elsewhere.
 */
#include <string.h>
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/sessrig.h"
#include "tests/lib/test.h"

static char loop[64]; /* attached now, or "" */

static bool attach(void)
{
	snprintf(loop, sizeof(loop), "%s",
		 image_ask("losetup -f --show '%s' 2>/dev/null", SESS_IMAGE));
	return loop[0];
}

static int detach(void **state)
{
	(void)state;
	if (loop[0])
		image_run("umount %s 2>/dev/null; losetup -d %s", loop, loop);
	loop[0] = '\0';
	return 0;
}

static void make(struct sessrig *r)
{
	sess_make(r, "ext4", 1024, 8 << 20, NULL);
	if (!attach())
		skip();
	detach(NULL);
	sess_open(r);
}

static void assert_says(const struct err *err, enum err_class class, const char *words)
{
	assert_int_equal(err->class, class);
	if (!strstr(err->msg, words))
		fail_msg("\"%s\" does not say \"%s\"", err->msg, words);
}

/* One more file; true: it was moved. */
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

static void recover(uint32_t new_inodes)
{
	struct recover_report report;
	struct err err = ERR_INIT;

	if (!recover_volume(SESS_IMAGE, 0, SESS_JOURNAL, &report, &err))
		fail_msg("%s", err.msg);
	assert_true(report.needed);
	assert_int_equal(report.inodes_new, new_inodes);
	assert_int_equal(image_run("e2fsck -fn '%s'", SESS_IMAGE), 0);
	sess_assert_contents();
}

static void test_before_the_first_batch(void **state)
{
	struct err err = ERR_INIT;
	struct sessrig r;

	(void)state;
	make(&r);
	assert_true(attach());
	assert_false(move_one(&r, &err));
	assert_says(&err, ERR_REFUSED, loop);
	assert_int_equal(r.writes, 0);
	detach(NULL);
	err_clear(&err);
	assert_true(move_one(&r, &err)); /* nothing had begun: it may go on */
	sess_close(&r);
	sess_assert_contents();
}

static void test_between_batches(void **state)
{
	struct err err = ERR_INIT;
	struct sessrig r;
	uint32_t before;

	(void)state;
	make(&r);
	sess_move(&r, r.ino[SESS_SMALL]);
	before = r.writes;
	assert_true(attach());
	assert_false(move_one(&r, &err));
	assert_says(&err, ERR_RECOVER, "is attached to it");
	assert_says(&err, ERR_RECOVER, "it recovers by itself");
	detach(NULL);
	err_clear(&err);
	assert_false(move_one(&r, &err)); /* it stays dead */
	assert_int_equal(r.writes, before);
	sess_kill(&r);
	recover(1);
}

/* The kernel may have written by then: no superblock of ours over its own. */
static void test_before_the_end(void **state)
{
	struct err err = ERR_INIT;
	const char *dir;
	struct sessrig r;
	uint32_t before;

	(void)state;
	make(&r);
	sess_move(&r, r.ino[SESS_SMALL]);
	before = r.writes;
	dir = image_path("mnt");
	if (!attach() || image_run("mkdir -p '%s' && mount %s '%s'", dir, loop, dir))
		skip();
	assert_false(session_close(r.s, &err));
	r.s = NULL;
	assert_says(&err, ERR_RECOVER, "is attached to it");
	assert_int_equal(r.writes, before);
	assert_int_equal(image_run("touch '%s/new' && umount '%s'", dir, dir), 0);
	detach(NULL);
	sess_kill(&r);
	/* its journal was replayed, its superblock is of the kernel: only e2fsck is left */
	assert_in_set(image_run("e2fsck -fp '%s'", SESS_IMAGE), ((uintmax_t[]){0, 1}), 2);
	assert_int_equal(image_run("e2fsck -fn '%s'", SESS_IMAGE), 0);
}

/* While it is copied: the inodes are not switched any more. */
static void attach_once(void *arg, enum batch_phase phase, uint64_t done, uint64_t total)
{
	(void)arg, (void)done, (void)total;
	if (phase == BATCH_COPY && !loop[0])
		attach();
}

static void test_while_copying(void **state)
{
	struct err err = ERR_INIT;
	struct sessrig r;

	(void)state;
	make(&r);
	sess_move(&r, r.ino[SESS_SMALL]);
	session_on_progress(r.s, attach_once, NULL);
	assert_false(move_one(&r, &err));
	assert_true(loop[0]);
	assert_says(&err, ERR_RECOVER, "is attached to it");
	detach(NULL);
	sess_kill(&r);
	recover(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_before_the_first_batch, detach),
		cmocka_unit_test_teardown(test_between_batches, detach),
		cmocka_unit_test_teardown(test_before_the_end, detach),
		cmocka_unit_test_teardown(test_while_copying, detach),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
