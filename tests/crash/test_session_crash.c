/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_session_crash.c - power cuts and kills at every point of a session, of an undo,
 * and of recovery itself; and the proof that this test can fail: without barrier A, or
 * without the journal's sync, it does.
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
		try_volume(&volumes[i], (uint64_t)i + 1, wanted(170, 4200));
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

/* --- the test can fail --- */

/* Takes operations out of the log as a program without them would have written it.
 * Returns how many. */
static int drop_barriers(struct crash_log *log, int file, int every)
{
	size_t out = 0;
	int seen = 0, dropped = 0;

	for (size_t i = 0; i < log->n; i++) {
		if (log->v[i].barrier && log->v[i].file == file &&
		    seen++ % every == every - 1) {
			dropped++;
			continue;
		}
		log->v[out++] = log->v[i];
	}
	log->n = out;
	return dropped;
}

static int count_bad(const struct crash_rig *r, const struct crash_log *log, int states)
{
	int bad = 0;

	for (int i = 0; i < states; i++) {
		size_t k = (size_t)(((uint64_t)i * (log->n + 1)) / (uint64_t)states);

		crash_build(r, log, k, CRASH_RANDOM, (uint64_t)i);
		bad += crash_check(r, false) != NULL;
	}
	return bad;
}

static int bad_without(int file, int every)
{
	struct crash_rig r;
	struct crash_log log;
	int bad;

	crash_make(&r, &volumes[0], 77);
	crash_reset(&r);
	crash_record(&log);
	assert_true(crash_life(-1, 0));
	crash_stop_recording();
	assert_true(drop_barriers(&log, file, every) > 2);
	bad = count_bad(&r, &log, 60);
	crash_log_release(&log);
	crash_release(&r);
	return bad;
}

/* Volume barriers: the mark of the superblock, then A and B in turns: every second one is
 * an A. */
static void test_without_barrier_a_it_fails(void **state)
{
	(void)state;
	assert_true(bad_without(0, 2) > 0);
}

static void test_without_journal_sync_it_fails(void **state)
{
	(void)state;
	assert_true(bad_without(1, 1) > 0);
}

/* --- faults --- */

static void every_call_fails(const struct crash_volume *v, int fail_with)
{
	struct crash_rig r;
	int k = 0;

	crash_make(&r, v, 5);
	for (;; k += wanted(3, 1)) {
		const char *bad;
		bool whole;

		crash_reset(&r);
		whole = crash_life(k, fail_with);
		bad = crash_check(&r, false);
		if (bad)
			fail_msg("call %d failing with %d: %s", k, fail_with, bad);
		if (whole)
			break; /* it made fewer calls */
	}
	assert_true(k > 60);
	crash_release(&r);
}

static void test_io_errors(void **state)
{
	(void)state;
	every_call_fails(&volumes[0], 5 /* EIO */);
	every_call_fails(&volumes[1], 5);
}

/* After a barrier that failed everything reads as if it had not. Recovery runs on that, and then
 * the power goes: what was never durable must not be missed. Returns how many were tried. */
static int every_barrier_fails(const struct crash_volume *v)
{
	struct crash_rig r;
	bool whole = false;
	int tried = 0;

	crash_make(&r, v, 9);
	for (int k = 0; !whole; k++) {
		struct crash_log log;
		bool barrier;

		crash_reset(&r);
		crash_record(&log);
		whole = crash_life(k, 5 /* EIO */);
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
	every_call_fails(&volumes[4], 28 /* ENOSPC */);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_barrier_a_it_fails),
		cmocka_unit_test(test_without_journal_sync_it_fails),
		cmocka_unit_test(test_every_kind_of_volume),
		cmocka_unit_test(test_whole_image),
		cmocka_unit_test(test_io_errors),
		cmocka_unit_test(test_no_space),
		cmocka_unit_test(test_failed_barriers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
