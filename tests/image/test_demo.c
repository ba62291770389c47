/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_demo.c - the demo volume: clean, the same from the same seed, and visibly
 * fragmented. */
#include <stdlib.h>
#include <unistd.h>
#include "fs/volume.h"
#include "lab/demo.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

static void make(const char *path, const char *type, uint32_t block_size, uint64_t seed)
{
	struct demo_options opt = {.type = type, .block_size = block_size, .seed = seed};
	struct err err = ERR_INIT;

	if (!demo_make(path, &opt, true, &err))
		fail_msg("%s", err.msg);
}

static void test_every_type_is_clean(void **state)
{
	static const char *const types[] = {"ext2", "ext3", "ext4"};

	(void)state;
	for (int i = 0; i < 3; i++)
		for (uint32_t bs = 1024; bs <= 4096; bs *= 4) {
			make(image_path("a.img"), types[i], bs, (uint64_t)i);
			assert_true(image_is_clean(image_path("a.img")));
		}
}

static void test_same_seed_same_bytes(void **state)
{
	(void)state;
	make(image_path("a.img"), "ext4", 1024, 7);
	make(image_path("b.img"), "ext4", 1024, 7);
	assert_true(image_same(image_path("a.img"), image_path("b.img")));
	make(image_path("b.img"), "ext4", 1024, 8);
	assert_int_equal(system("cmp -s \"$TMPDIR/a.img\" \"$TMPDIR/b.img\"") == 0, 0);
}

/* They would share an undo journal, which is named by the UUID, and refuse each other's. */
static void test_another_size_another_volume(void **state)
{
	struct demo_options opt = {.seed = 7, .bytes = 80 << 20};
	uint8_t a[16], b[16];
	struct err err = ERR_INIT;

	(void)state;
	make(image_path("a.img"), "ext4", 1024, 7);
	if (!demo_make(image_path("b.img"), &opt, true, &err) ||
	    !volume_peek_uuid(image_path("a.img"), 0, a, &err) ||
	    !volume_peek_uuid(image_path("b.img"), 0, b, &err))
		fail_msg("%s", err.msg);
	assert_memory_not_equal(a, b, 16);
}

/* e2fsck's own words: "demo: 738/16384 files (31.3% non-contiguous), ..." */
static void test_visibly_fragmented(void **state)
{
	double percent;

	(void)state;
	make(image_path("a.img"), "ext4", 1024, 1);
	percent = atof(image_ask(
		"e2fsck -fn '%s' 2>/dev/null | sed -n 's/.*(\\(.*\\)%% non.*/\\1/p'",
		image_path("a.img")));
	assert_true(percent > 20 && percent < 60);
	assert_true(atoi(image_ask("debugfs -R 'stat /var/spool/mail' '%s' 2>/dev/null | "
				   "grep -o '([0-9-]*):' | wc -l",
				   image_path("a.img"))) > 10);
}

static void test_refusals(void **state)
{
	struct demo_options opt = {.bytes = 1 << 20};
	struct err err = ERR_INIT;

	(void)state;
	assert_false(demo_make(image_path("no.img"), &opt, false, &err));
	assert_int_equal(err.class, ERR_USAGE);
	err_clear(&err);
	opt.bytes = 0;
	assert_int_equal(image_run("echo keep > '%s'", image_path("no.img")), 0);
	assert_false(demo_make(image_path("no.img"), &opt, false, &err));
	assert_int_equal(err.class, ERR_REFUSED);
	assert_string_equal(image_ask("cat '%s'", image_path("no.img")), "keep");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_type_is_clean),
		cmocka_unit_test(test_same_seed_same_bytes),
		cmocka_unit_test(test_another_size_another_volume),
		cmocka_unit_test(test_visibly_fragmented),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
