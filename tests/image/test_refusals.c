/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_refusals.c - volumes as mke2fs and debugfs make them, not patched bytes: each is refused
 * for writing, stays as it is, can be looked at - and the remedy that the refusal names, run
 * as it stands, makes it open for writing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

#define MIB (1024ull * 1024)

static struct volume *try_open(const char *path, bool write, struct err *err)
{
	struct volume_options opt = {.write = write};

	*err = (struct err)ERR_INIT;
	return volume_open(path, &opt, err);
}

/* request: lines for debugfs; NULL: as mke2fs leaves it. */
static const struct {
	const char *mke2fs, *request, *what;
	bool remedy;
} rows[] = {
	{"-t ext4", "set_super_value state 0", "not marked clean", true},
	{"-t ext2", "set_super_value state 0", "not marked clean", true},
	{"-t ext3", "set_super_value state 3", "errors are recorded", true},
	{"-t ext4", "set_super_value error_count 3", "errors are recorded", true},
	{"-t ext4", "set_super_value last_orphan 12", "deleted files wait", true},
	{"-t ext4", "jo\njw -b 2000 /dev/null\njc", "needs recovery", true},
	{"-t ext3", "jo\njw -b 2000 /dev/null\njc", "needs recovery", true},
	{"-t ext4", "feature needs_recovery", "needs recovery", true},
	{"-t ext4", "feature read-only", "read-only", true},
	{"-t ext4 -O bigalloc", NULL, "clusters", false},
	{"-t ext4", "feature FEATURE_C31", "does not know", false},
	{"-t ext4", "feature FEATURE_R30", "does not know", false},
	{"-t ext4", "feature shared_blocks", "share their blocks", false},
};

/* What stands behind "with: " of a refusal, or NULL. */
static const char *remedy_of(const struct err *err)
{
	const char *p = strstr(err->msg, "with: ");

	return p ? p + 6 : NULL;
}

/* A volume may have several reasons, each with its remedy: as often as it takes. Returns
 * how many it took. */
static int follow_remedies(const char *img)
{
	for (int n = 0; n < 4; n++) {
		struct err err;
		struct volume *v = try_open(img, true, &err);
		const char *command;

		if (v) {
			volume_close(v);
			return n;
		}
		command = remedy_of(&err);
		if (!command)
			fail_msg("no command in: %s", err.msg);
		/* e2fsck: 1 says that it has corrected something */
		assert_true(image_run("(%s) </dev/null >/dev/null 2>&1 || [ $? = 1 ]",
				      command) == 0);
	}
	fail_msg("the remedies do not help: %s", img);
	return 0;
}

static void expect_refusal(const char *img, const char *what)
{
	const char *copy = image_path("copy.img");
	bool told = false;
	struct volume *v;
	struct err err;

	assert_int_equal(image_run("cp --sparse=always '%s' '%s'", img, copy), 0);
	v = try_open(img, true, &err);
	if (v)
		fail_msg("\"%s\": opened for writing", what);
	assert_int_equal(err.class, ERR_REFUSED);
	if (!strstr(err.msg, what))
		fail_msg("\"%s\" lacks \"%s\"", err.msg, what);
	v = try_open(img, false, &err);
	if (!v)
		fail_msg("%s", err.msg);
	for (size_t i = 0; i < volume_info(v)->reasons.n; i++)
		told = told || strstr(volume_info(v)->reasons.v[i].what, what);
	assert_true(told);
	model_free(fsimage_scan(v, NULL));
	volume_close(v);
	assert_true(image_same(img, copy));
}

static void test_remedies_help(void **state)
{
	char img[512];

	(void)state;
	snprintf(img, sizeof(img), "%s", image_path("r.img"));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fsimage_make(img, 16 * MIB, "%s", rows[i].mke2fs);
		if (rows[i].request)
			assert_int_equal(image_run("printf '%s\n' | debugfs -w -f - '%s'",
						   rows[i].request, img),
					 0);
		expect_refusal(img, rows[i].what);
		if (rows[i].remedy) {
			assert_true(follow_remedies(img) > 0);
			assert_true(image_is_clean(img));
		}
	}
}

/* Each reason is told, and each has a command. */
static void test_several_reasons(void **state)
{
	char img[512];
	struct volume *v;

	(void)state;
	snprintf(img, sizeof(img), "%s", image_path("m.img"));
	fsimage_make(img, 16 * MIB, "-t ext4");
	assert_int_equal(image_run("printf 'feature read-only\nset_super_value state "
				   "0\n' | debugfs -w -f - '%s'",
				   img),
			 0);
	expect_refusal(img, "not marked clean");
	v = fsimage_open(img, false);
	assert_int_equal(volume_info(v)->reasons.n, 2);
	volume_close(v);
	assert_int_equal(follow_remedies(img), 2);
}

static void test_journal_device(void **state)
{
	const char *img = image_path("jdev.img"), *copy = image_path("jdev.copy");
	struct err err;

	(void)state;
	fsimage_make(img, 8 * MIB, "-O journal_dev -b 4096");
	assert_int_equal(image_run("cp '%s' '%s'", img, copy), 0);
	for (int write = 0; write < 2; write++) {
		assert_null(try_open(img, write, &err));
		assert_int_equal(err.class, ERR_REFUSED);
		assert_non_null(strstr(err.msg, "journal of another volume"));
		assert_non_null(strstr(err.msg, "open the volume that it belongs to"));
	}
	assert_true(image_same(img, copy));
}

/* Also those larger than a page, which no kernel mounts here. */
static void test_block_sizes(void **state)
{
	char img[512];

	(void)state;
	snprintf(img, sizeof(img), "%s", image_path("b.img"));
	for (uint32_t size = 1024; size <= 65536; size *= 2) {
		struct model_stats stats;
		struct volume *v;
		struct model *m;

		fsimage_make(img, 64 * MIB, "-t ext4 -b %u -O ^has_journal", size);
		v = fsimage_open(img, true);
		assert_int_equal(volume_info(v)->block_size, size);
		assert_int_equal(volume_info(v)->blocks, 64 * MIB / size);
		m = fsimage_scan(v, NULL);
		model_stats(m, &stats);
		assert_int_equal(stats.free_blocks, volume_info(v)->free_blocks);
		assert_true(volume_info(v)->write);
		model_free(m);
		volume_close(v);
	}
}

/* The remedy cannot know of a partition inside an image; the refusal holds there too. */
static void test_inside_an_image(void **state)
{
	struct volume_options opt = {.write = true, .offset = 1 * MIB};
	const char *img = image_path("o.img"), *copy = image_path("o.copy");
	struct err err = ERR_INIT;
	uint8_t zero[2] = {0};
	struct volume *v;

	(void)state;
	fsimage_make(img, 20 * MIB, "-t ext2 -b 1024 -E offset=%llu", 1 * MIB);
	v = volume_open(img, &opt, &err);
	if (!v)
		fail_msg("%s", err.msg);
	volume_close(v);
	fsimage_write(img, 1 * MIB + 1024 + offsetof(struct ext2_super_block, s_state),
		      zero, 2);
	assert_int_equal(image_run("cp '%s' '%s'", img, copy), 0);
	assert_null(volume_open(img, &opt, &err));
	assert_int_equal(err.class, ERR_REFUSED);
	assert_non_null(strstr(err.msg, "not marked clean"));
	opt.write = false;
	v = volume_open(img, &opt, &err);
	assert_non_null(v);
	assert_int_equal(volume_info(v)->reasons.n, 1);
	volume_close(v);
	assert_true(image_same(img, copy));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_remedies_help),
		cmocka_unit_test(test_several_reasons),
		cmocka_unit_test(test_journal_device),
		cmocka_unit_test(test_block_sizes),
		cmocka_unit_test(test_inside_an_image),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
