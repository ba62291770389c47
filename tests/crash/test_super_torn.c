/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_super_torn.c - the one write that e2fsck -p cannot mend: the superblock. Each time
 * that a session, or an undo, writes it, its two sectors are left old, new, zero or garbage
 * in every combination. Recovery must put it back from the journal, or, where nothing on the
 * disk proves whose it was, refuse and write nothing.
 */
#include <stdio.h>
#include <string.h>
#include "fs/session.h"
#include "tests/lib/crash.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

#define IMAGE	image_path("crash.img")
#define JOURNAL image_path("crash.undo")
#define KEPT	image_path("kept.img")

static const char *const small_groups[] = {"-g", "2048", "-O", "^flex_bg,^resize_inode",
					   NULL};
static const char *const no_csum[] = {"-O", "^metadata_csum,uninit_bg", NULL};
static const char *const small_blocks[] = {"-g", "2048", NULL};
static const char *const csum_seed[] = {"-O", "metadata_csum_seed,64bit", NULL};

static const struct crash_volume volumes[] = {
	{"ext4", 1024, 4 << 20, NULL, 30},	   /* one group: no backup superblock */
	{"ext2", 1024, 4 << 20, NULL, 30},	   /* nor a checksum */
	{"ext4", 1024, 8 << 20, small_groups, 30}, /* backups */
	{"ext4", 1024, 6 << 20, no_csum, 30},
	{"ext4", 4096, 12 << 20, csum_seed, 20},
	{"ext3", 2048, 12 << 20, small_blocks, 20}, /* backups, no checksum */
};

enum sector { SECTOR_OLD, SECTOR_NEW, SECTOR_ZERO, SECTOR_GARBAGE };
#define SECTORS 4

static void put_sector(size_t half, enum sector what, const uint8_t *old,
		       const uint8_t *new)
{
	uint8_t bytes[512];

	memset(bytes, 0, sizeof(bytes));
	for (size_t i = 0; what == SECTOR_GARBAGE && i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 151 + 77);
	fsimage_write(IMAGE, 1024 + half * 512,
		      what == SECTOR_OLD   ? old + half * 512
		      : what == SECTOR_NEW ? new + half * 512
					   : bytes,
		      512);
}

static bool is_lost(enum sector s)
{
	return s == SECTOR_ZERO || s == SECTOR_GARBAGE;
}

/* Recovered and exact, or refused and untouched; returns whether it was recovered. */
static bool recovered(const struct crash_rig *r, const char *where, bool may_refuse,
		      bool fsck)
{
	const char *bad;

	if (may_refuse)
		image_run("cp '%s' '%s'", IMAGE, KEPT);
	bad = crash_recover();
	if (bad) {
		if (!may_refuse || !strstr(bad, "nothing else proves") ||
		    !image_same(IMAGE, KEPT))
			fail_msg("%s: %s", where, bad);
		return false;
	}
	bad = crash_check(r, fsck);
	if (bad)
		fail_msg("%s: %s", where, bad);
	return true;
}

/* Both sectors in every combination at operation k of the log. Returns how many. */
static int tear_at(const struct crash_rig *r, const struct crash_log *log, size_t k,
		   bool has_proof)
{
	const uint8_t *new = log->v[k].data;
	uint8_t old[1024];
	char where[80];

	crash_build(r, log, k, CRASH_LOSE, 0);
	fsimage_read(IMAGE, 1024, old, sizeof(old));
	for (int i = 0; i < SECTORS * SECTORS; i++) {
		enum sector first = (enum sector)(i % SECTORS),
			    second = (enum sector)(i / SECTORS);

		crash_build(r, log, k, i % 2 ? CRASH_LOSE : CRASH_KILL, 0);
		put_sector(0, first, old, new);
		put_sector(1, second, old, new);
		snprintf(where, sizeof(where), "write %zu, sectors %d and %d", k, first,
			 second);
		recovered(r, where, !has_proof && is_lost(first), i % 5 == 0);
	}
	return SECTORS * SECTORS;
}

static void test_every_superblock_write(void **state)
{
	int states = 0, writes = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(volumes) / sizeof(volumes[0]); i++) {
		bool has_proof = i != 1 && i != 3;
		struct crash_log log;
		struct crash_rig r;

		crash_make(&r, &volumes[i], 40 + i);
		crash_reset(&r);
		crash_record(&log);
		assert_true(crash_life(-1, 0));
		crash_stop_recording();
		for (size_t k = 0; k < log.n; k++)
			if (log.v[k].file == 0 && log.v[k].at == 1024 &&
			    log.v[k].n == 1024) {
				states += tear_at(&r, &log, k, has_proof);
				writes++;
			}
		crash_log_release(&log);
		crash_release(&r);
	}
	print_message("# %d torn superblocks of %d writes\n", states, writes);
	assert_int_equal(writes, 4 * (int)(sizeof(volumes) / sizeof(volumes[0])));
}

/* A session of this volume was cut short; what lies in its place now is not it. */
static void test_what_is_no_ones(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct recover_report report;
		struct err err = ERR_INIT;
		struct crash_log log;
		struct crash_rig r;
		bool ok;

		crash_make(&r, &volumes[i], 60 + i);
		crash_reset(&r);
		crash_record(&log);
		assert_true(crash_life(-1, 0));
		crash_stop_recording();
		crash_build(&r, &log, log.n / 4, CRASH_KILL, 0);
		image_run("truncate -s 0 '%s' && truncate -s %zu '%s'", IMAGE, r.bytes,
			  IMAGE);
		image_run("cp '%s' '%s'", IMAGE, KEPT);
		ok = recover_volume(IMAGE, 0, JOURNAL, &report, &err);
		assert_false(ok);
		assert_int_equal(err.class, ERR_REFUSED);
		assert_true(image_same(IMAGE, KEPT));
		crash_log_release(&log);
		crash_release(&r);
	}
}

/* Another program's superblock is left to it, torn session or not. */
static void test_anothers_superblock(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct recover_report report;
		struct err err = ERR_INIT;
		struct crash_log log;
		struct crash_rig r;

		crash_make(&r, &volumes[i], 70 + i);
		crash_reset(&r);
		crash_record(&log);
		assert_true(crash_life(-1, 0));
		crash_stop_recording();
		crash_build(&r, &log, log.n / 4, CRASH_KILL, 0);
		assert_int_equal(image_run("tune2fs -L other '%s'", IMAGE), 0);
		image_run("cp '%s' '%s'", IMAGE, KEPT);
		if (!recover_volume(IMAGE, 0, JOURNAL, &report, &err))
			fail_msg("%s", err.msg);
		assert_non_null(strstr(report.text, "label was changed"));
		assert_true(image_same(IMAGE, KEPT));
		assert_int_equal(image_run("rm '%s.1'", JOURNAL), 0);
		crash_log_release(&log);
		crash_release(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_superblock_write),
		cmocka_unit_test(test_what_is_no_ones),
		cmocka_unit_test(test_anothers_superblock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
