/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_session_traps.c - traps of the format and of the kernel that no other test steps into:
 * a checksum seed that is no longer that of the UUID, an image mounted where we cannot see it,
 * attribute blocks of one and of several files, an image whose end is cut off meanwhile.
 */
#include <string.h>
#include <unistd.h>
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/sessrig.h"
#include "tests/lib/test.h"

static const char *const csum_seed[] = {"-O", "metadata_csum_seed", NULL};

/* All checksums hang on s_checksum_seed, not on the UUID that it has now. */
static void test_new_uuid(void **state)
{
	struct sessrig r;

	(void)state;
	sess_make(&r, "ext4", 1024, 8 << 20, csum_seed);
	assert_int_equal(image_run("tune2fs -U 01234567-89ab-cdef-0123-456789abcdef '%s'",
				   SESS_IMAGE),
			 0);
	sess_remember();
	sess_open(&r);
	sess_move(&r, r.ino[SESS_DEEP]);
	sess_move(&r, r.ino[SESS_SMALL]);
	sess_close(&r); /* e2fsck -fn */
	sess_assert_contents();
	sess_open(&r);
	sess_back(&r, "uu");
	sess_close(&r);
	sess_assert_as_before();
}

/* Mounted in a mount namespace of its own: no table of ours shows it, the loop device does. */
static void test_mounted_elsewhere(void **state)
{
	struct sessrig r;
	struct err err = ERR_INIT;

	(void)state;
	sess_make(&r, "ext4", 1024, 8 << 20, NULL);
	if (geteuid() != 0 ||
	    image_run(
		    "mkdir -p '%s'; rm -f '%s'; unshare -m sh -c 'mount -o loop %s %s "
		    "&& touch %s && for i in 1 2 3 4 5 6 7 8 9; do sleep 1; [ -e %s ] && "
		    "break; done; umount %s' >/dev/null 2>&1 & "
		    "for i in $(seq 40); do [ -e '%s' ] && exit 0; sleep 0.1; done; exit "
		    "1",
		    image_path("far"), image_path("is"), SESS_IMAGE, image_path("far"),
		    image_path("is"), image_path("enough"), image_path("far"),
		    image_path("is")))
		skip();
	assert_false(sess_try_open(&r, &err));
	assert_int_equal(err.class, ERR_REFUSED);
	assert_int_equal(image_run("touch '%s'; for i in $(seq 60); do losetup -j '%s' | "
				   "grep -q . || exit 0; sleep 0.1; done; exit 1",
				   image_path("enough"), SESS_IMAGE),
			 0);
}

/* Small enough for a block, too large for the inode. */
#define LONG_VALUE "$(printf 'v%%.0s' $(seq 600))"

/* A file moves with its attribute block where it is: own or shared, not a byte of it changes.
 */
static void test_attribute_blocks(void **state)
{
	static const char *const small_inodes[] = {"-I", "128", NULL};
	struct sessrig r;

	(void)state;
	sess_make(&r, "ext4", 1024, 8 << 20, small_inodes);
	assert_int_equal(image_run("v=" LONG_VALUE "; for f in f00 f01 f02; do "
				   "debugfs -w -R \"ea_set $f user.own $f$v\" '%s'; done",
				   SESS_IMAGE),
			 0);
	assert_true(image_is_clean(SESS_IMAGE));
	sess_remember();
	sess_open(&r);
	sess_move(&r, r.ino[SESS_SMALL]);
	sess_move(&r, r.ino[SESS_DEEP]);
	sess_close(&r);
	sess_assert_contents();
	for (int i = 0; i < 3; i++)
		assert_int_equal(
			image_run("debugfs -R 'ea_get f0%d user.own' '%s' | grep "
				  "-q f0%dvvv",
				  i, SESS_IMAGE, i),
			0);
	sess_open(&r);
	sess_back(&r, "uu");
	sess_close(&r);
	sess_assert_as_before();
}

/* The device shrinks under a session: it stops, and what is left of it was not made worse. */
static void test_cut_off_meanwhile(void **state)
{
	struct batch_result result;
	struct sess_moves m = {0};
	struct err err = ERR_INIT;
	struct sessrig r;
	bool ok;

	(void)state;
	sess_make(&r, "ext4", 1024, 8 << 20, NULL);
	sess_open(&r);
	sess_move(&r, r.ino[SESS_SMALL]);
	sess_gather(&r, r.ino[SESS_DEEP], sess_free_run(&r, 310, 4000), &m);
	assert_int_equal(truncate(SESS_IMAGE, 1 << 20), 0);
	batch_result_init(&result);
	ok = session_batch(r.s, m.v, m.n, &result, &err);
	assert_false(ok);
	assert_true(err.class == ERR_IO || err.class == ERR_REFUSED);
	assert_true(err.msg[0]);
	batch_result_release(&result);
	sess_kill(&r);
	vec_release(&m);
	err_clear(&err);
	assert_null(
		volume_open(SESS_IMAGE, &(struct volume_options){.write = true}, &err));
	assert_int_equal(err.class, ERR_REFUSED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_new_uuid),
		cmocka_unit_test(test_mounted_elsewhere),
		cmocka_unit_test(test_attribute_blocks),
		cmocka_unit_test(test_cut_off_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
