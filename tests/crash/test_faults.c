/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_faults.c - every call that a session makes fails once: reads, writes and barriers of
 * the volume, writes and syncs of the journal; no room for the journal. Nothing may be lost:
 * afterwards the state is a good one (crash.h). LONG=1: every call, else every third write and
 * every seventh read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/crash.h"
#include "tests/lib/test.h"

static const char *const old_inodes[] = {"-I", "128", NULL};
static const char *const small_groups[] = {"-g", "2048", "-O", "^flex_bg,^resize_inode",
					   NULL};

static const struct crash_volume volumes[] = {
	{"ext4", 1024, 4 << 20, NULL, 40},
	{"ext2", 1024, 4 << 20, NULL, 60},
	{"ext4", 4096, 12 << 20, NULL, 30},
	{"ext4", 1024, 4 << 20, old_inodes, 400},
	{"ext4", 1024, 8 << 20, small_groups, 120},
};

static int wanted(int small, int large)
{
	const char *l = getenv("LONG");

	return l && *l ? large : small;
}

/* Returns how many were tried. */
static int every_call_fails(const struct crash_volume *v, int fail_with, int step)
{
	struct crash_rig r;
	int k = 0, tried = 0;

	crash_make(&r, v, 5);
	for (;; k += step, tried++) {
		const char *bad;
		bool whole;

		crash_reset(&r);
		whole = crash_life(k, fail_with);
		bad = crash_check(&r, false);
		if (bad)
			fail_msg("call %d failing with %d: %s", k, fail_with, bad);
		if (!crash_call_failed()) {
			assert_true(whole);
			break; /* it made fewer calls */
		}
	}
	print_message("# a life of %d to %d calls\n", k - step, k);
	assert_true(k > 100); /* a life of this size makes more */
	crash_release(&r);
	return tried;
}

static void test_io_errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(volumes) / sizeof(volumes[0]); i++)
		every_call_fails(&volumes[i], 5 /* EIO */, wanted(i < 2 ? 3 : 17, 1));
}

/* After a barrier that failed everything reads as if it had not. Recovery runs on that, and then
 * the power goes: what was never durable must not be missed. Returns how many were tried. */
static int every_barrier_fails(const struct crash_volume *v)
{
	struct crash_rig r;
	bool more = true;
	int tried = 0;

	crash_make(&r, v, 9);
	for (int k = 0; more; k++) {
		struct crash_log log;
		bool barrier;

		crash_reset(&r);
		crash_record(&log);
		crash_life(k, 5 /* EIO */);
		more = crash_call_failed();
		barrier = crash_failed_barrier(&log);
		if (barrier && crash_recover())
			fail_msg("call %d: %s", k, crash_recover());
		crash_stop_recording();
		for (int i = 0; barrier && i < wanted(2, 12); i++) {
			const char *bad;

			crash_build(&r, &log, log.n, i ? CRASH_RANDOM : CRASH_LOSE,
				    (uint64_t)(k * 100 + i));
			bad = crash_check(&r, i == 0 && k % 8 == 0);
			if (bad)
				fail_msg("barrier %d failed, state %d: %s", k, i, bad);
			tried++;
		}
		crash_log_release(&log);
	}
	crash_release(&r);
	return tried;
}

static void test_failed_barriers(void **state)
{
	(void)state;
	assert_true(every_barrier_fails(&volumes[0]) >= wanted(40, 240));
	assert_true(every_barrier_fails(&volumes[1]) >= wanted(40, 240));
}

static void test_no_space(void **state)
{
	(void)state;
	every_call_fails(&volumes[2], 28 /* ENOSPC */, wanted(3, 1));
}

/* A bad sector, anywhere: in a table, a bitmap, a tree, the data. */
static void test_unreadable(void **state)
{
	int tried = 0;

	(void)state;
	crash_fail_reads(true);
	for (size_t i = 3; i < sizeof(volumes) / sizeof(volumes[0]); i++)
		tried += every_call_fails(&volumes[i], 5, wanted(7, 1));
	crash_fail_reads(false);
	print_message("# %d calls failed, reads among them\n", tried);
	assert_true(tried > 120);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_io_errors),
		cmocka_unit_test(test_no_space),
		cmocka_unit_test(test_failed_barriers),
		cmocka_unit_test(test_unreadable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
