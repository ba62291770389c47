/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_session_verify.c - a device that writes something else than it was given: with verify
 * the session ends before an inode refers to it, and nothing is lost; without, it is not
 * noticed, which shows that the device of this test really lies.
 */
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/sessrig.h"
#include "tests/lib/test.h"

static uint64_t lie_at; /* byte of the volume that is written wrong, 0: none */

static int lying_write(int fd, const void *buf, size_t n, uint64_t at)
{
	uint8_t *copy;
	int rc;

	if (lie_at < at || lie_at >= at + n)
		return file_write(fd, buf, n, at);
	copy = malloc(n);
	assert_non_null(copy);
	memcpy(copy, buf, n);
	copy[lie_at - at] ^= 1;
	rc = file_write(fd, copy, n, at);
	free(copy);
	return rc;
}

/* Moves a file; the byte `lie` of what goes to its new place is changed on the way. */
static bool move(struct sessrig *r, enum sess_file file, bool verify, uint64_t lie,
		 struct batch_result *result, struct err *err)
{
	struct session_options opt = {.journal = SESS_JOURNAL, .verify = verify};
	struct sess_moves m = {0};
	blkno_t to;
	bool ok;

	sess_open(r);
	session_free(r->s);
	r->s = session_open(r->v, &opt, NULL, err);
	if (!r->s)
		fail_msg("%s", err->msg);
	to = sess_free_run(r, 310, 0);
	sess_gather(r, r->ino[file], to, &m);
	lie_at = lie ? to * r->block_size + lie : 0;
	io_calls.write = lying_write;
	batch_result_init(result);
	ok = session_batch(r->s, m.v, m.n, result, err);
	batch_result_release(result);
	vec_release(&m);
	return ok;
}

static void expect_found(const char *type, uint32_t block_size, enum sess_file file,
			 uint64_t lie)
{
	struct recover_report report;
	struct batch_result result;
	struct err err = ERR_INIT;
	struct sessrig r;

	sess_make(&r, type, block_size, block_size * (8ull << 10), NULL);
	assert_false(move(&r, file, true, lie, &result, &err));
	assert_int_equal(err.class, ERR_IO);
	if (!strstr(err.msg, "does not read back"))
		fail_msg("%s", err.msg);
	sess_kill(&r);
	if (!recover_volume(SESS_IMAGE, 0, SESS_JOURNAL, &report, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(report.inodes_new, 0);
	assert_true(image_is_clean(SESS_IMAGE));
	sess_assert_contents();
	sess_assert_as_before();
}

static void test_a_lie_is_found(void **state)
{
	(void)state;
	expect_found("ext4", 1024, SESS_SMALL, 1);
	expect_found("ext4", 4096, SESS_SMALL, 29 * 4096 + 4000);
	expect_found("ext2", 1024, SESS_DEEP, 5); /* in its tree, which goes in front */
}

static void test_without_it_is_not(void **state)
{
	struct batch_result result;
	struct err err = ERR_INIT;
	struct sessrig r;

	(void)state;
	sess_make(&r, "ext4", 1024, 8 << 20, NULL);
	assert_true(move(&r, SESS_SMALL, false, 1, &result, &err));
	assert_int_equal(result.bytes_verified, 0);
	assert_true(session_close(r.s, &err));
	r.s = NULL;
	sess_kill(&r);
	assert_int_not_equal(image_run("tests/lib/manifest '%s' | cmp -s - '%s'",
				       SESS_IMAGE, image_path("s.list")),
			     0);
}

static void test_the_truth_passes(void **state)
{
	struct batch_result result;
	struct err err = ERR_INIT;
	struct sessrig r;

	(void)state;
	sess_make(&r, "ext2", 1024, 8 << 20, NULL);
	if (!move(&r, SESS_DEEP, true, 0, &result, &err))
		fail_msg("%s", err.msg);
	assert_true(result.bytes_verified > 300 * 1024); /* data and tree */
	sess_close(&r);
	sess_assert_contents();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_lie_is_found),
		cmocka_unit_test(test_without_it_is_not),
		cmocka_unit_test(test_the_truth_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
