/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_session_crash.c - power cuts and kills at every point of a session, of an undo,
 * and of recovery itself. That it can fail, test_negative.c shows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/crash.h"
#include "tests/lib/test.h"

static const char *const small_groups[] = {"-g", "2048", "-O", "^flex_bg,^resize_inode",
					   NULL};
static const char *const old_inodes[] = {"-I", "128", NULL};
static const char *const no_csum[] = {"-O", "^metadata_csum,uninit_bg", NULL};
static const char *const meta_bg[] = {"-O", "meta_bg,^resize_inode", "-g", "1024", NULL};
static const char *const big_inodes[] = {"-I", "1024", NULL};
static const char *const orphan[] = {"-O", "metadata_csum_seed,orphan_file,ea_inode",
				     NULL};

static const char *const quota[] = {"-O", "quota,project,^resize_inode", NULL};

static const char *const mmp[] = {"-O", "mmp,^resize_inode", NULL};

static const struct crash_volume volumes[] = {
	{"ext4", 1024, 4 << 20, NULL, 40},
	{"ext2", 1024, 4 << 20, NULL, 60},
	{"ext3", 1024, 6 << 20, NULL, 40},
	{"ext4", 1024, 8 << 20, small_groups, 120},
	{"ext4", 4096, 12 << 20, NULL, 30},
	{"ext4", 1024, 4 << 20, old_inodes, 90},
	{"ext4", 1024, 6 << 20, no_csum, 40},
	{"ext4", 1024, 6 << 20, meta_bg, 40},
	{"ext4", 2048, 8 << 20, big_inodes, 30},
	{"ext4", 1024, 6 << 20, orphan, 400},
	{"ext4", 1024, 6 << 20, quota, 120},
	{"ext4", 1024, 6 << 20, mmp, 40},
};
#define VOLUMES ((int)(sizeof(volumes) / sizeof(volumes[0])))

static int states_tried;

static int wanted(int small, int large)
{
	const char *l = getenv("LONG");

	return l && *l ? large : small;
}

static void must_be_good(const struct crash_rig *r, size_t k, int mode, uint64_t seed)
{
	const char *bad = crash_check(r, ++states_tried % 10 == 0);

	if (bad)
		fail_msg("point %zu, mode %d, seed %llu: %s", k, mode,
			 (unsigned long long)seed, bad);
}

/* Crashes recovery itself: the state now in the files is where it starts. */
static void crash_the_recovery(const struct crash_rig *r, uint64_t seed)
{
	struct crash_rig from = *r;
	struct crash_log log;

	from.base = NULL;
	from.journal = NULL;
	crash_take(&from);
	crash_record(&log);
	if (crash_recover())
		fail_msg("%s", crash_recover());
	crash_stop_recording();
	for (int i = 0; i < 4 && log.n; i++) {
		size_t k = 1 + (size_t)((seed * 7 + (uint64_t)i * 13) % log.n);
		enum crash_mode mode = i % 2 ? CRASH_RANDOM : CRASH_LOSE;
		const char *bad;

		crash_build(&from, &log, k, mode, seed + (uint64_t)i);
		bad = crash_check_raw(r);
		bad = bad ? bad : crash_check(r, false);
		states_tried++;
		if (bad)
			fail_msg("recovery cut at %zu, mode %d: %s", k, mode, bad);
	}
	crash_log_release(&log);
	free(from.base);
	free(from.journal);
}

static void try_volume(const struct crash_volume *v, uint64_t seed, int states)
{
	struct crash_rig r;
	struct crash_log log;

	crash_make(&r, v, seed);
	crash_reset(&r);
	crash_record(&log);
	assert_true(crash_life(-1, 0));
	crash_stop_recording();
	assert_true(log.n > 30);
	for (int i = 0; i < states; i++) {
		size_t k = (size_t)(((uint64_t)i * (log.n + 1)) / (uint64_t)states);
		enum crash_mode mode = i % 5 == 0   ? CRASH_KILL
				       : i % 5 == 1 ? CRASH_LOSE
						    : CRASH_RANDOM;

		crash_build(&r, &log, k, mode, seed * 100000 + (uint64_t)i);
		if (crash_check_raw(&r))
			fail_msg("point %zu, mode %d, seed %llu: %s", k, mode,
				 (unsigned long long)(seed * 100000 + (uint64_t)i),
				 crash_check_raw(&r));
		if (i % 12 == 7)
			crash_the_recovery(&r, (uint64_t)i);
		else
			must_be_good(&r, k, mode, seed * 100000 + (uint64_t)i);
	}
	crash_log_release(&log);
	crash_release(&r);
}

static void test_every_kind_of_volume(void **state)
{
	(void)state;
	for (int i = 0; i < VOLUMES; i++)
		try_volume(&volumes[i], (uint64_t)i + 1, wanted(145, 3600));
	print_message("# %d crash states\n", states_tried);
	assert_true(states_tried >= wanted(2000, 50000));
}

/* --- undo of the whole image --- */

/* As above, and the free blocks too come back: four kinds of volume. */
static void test_whole_image(void **state)
{
	static const int kinds[] = {0, 1, 3, 9};

	(void)state;
	crash_keep_free(true);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		try_volume(&volumes[kinds[i]], 50 + i, wanted(60, 1500));
	crash_keep_free(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_kind_of_volume),
		cmocka_unit_test(test_whole_image),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
