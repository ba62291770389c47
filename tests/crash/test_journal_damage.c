/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_journal_damage.c - crash states whose journal has lost its end, or bits of it, as no
 * crash would: an old copy put back, a disk that lies. Undo may be lost with it; no file may.
 * After recovery and undo, whatever they say, every inode holds what it held, and every block
 * that it owns is marked.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fs/build.h"
#include "tests/lib/crash.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

#define IMAGE	image_path("crash.img")
#define JOURNAL image_path("crash.undo")
#define KEPT	image_path("kept.img")

static const char *const small_groups[] = {"-g", "2048", "-O", "^flex_bg,^resize_inode",
					   NULL};

static const struct crash_volume volumes[] = {
	{"ext4", 1024, 4 << 20, NULL, 40},
	{"ext2", 1024, 4 << 20, NULL, 60},
	{"ext4", 1024, 8 << 20, small_groups, 60},
};
#define VOLUMES ((int)(sizeof(volumes) / sizeof(volumes[0])))

static int wanted(int small, int large)
{
	const char *l = getenv("LONG");

	return l && *l ? large : small;
}

static uint32_t dice(uint64_t seed, uint32_t n)
{
	uint64_t word;

	build_content(seed, 17, &word, sizeof(word));
	return n ? (uint32_t)(word % n) : 0;
}

/* --- the journal as bytes --- */

struct bytes {
	uint8_t *v;
	size_t n;
};

static struct bytes load(void)
{
	struct bytes b = {0};
	int fd = open(JOURNAL, O_RDONLY);

	if (fd < 0)
		return b;
	b.n = (size_t)lseek(fd, 0, SEEK_END);
	b.v = malloc(b.n + 1);
	assert_int_equal(pread(fd, b.v, b.n, 0), b.n);
	close(fd);
	return b;
}

static void store(const struct bytes *b, size_t n)
{
	int fd = open(JOURNAL, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, b->v, n, 0), n);
	close(fd);
}

/* Ends of records as journal.h describes them; returns how many. */
static size_t find_ends(const struct bytes *b, size_t *ends, size_t max)
{
	size_t n = 0, at = 72;

	while (n < max && at + 32 <= b->n) {
		uint32_t len;

		memcpy(&len, b->v + at + 4, 4);
		ends[n++] = at;
		at += 32 + ((len + 7u) & ~7u);
	}
	return n;
}

/* --- judging --- */

static int refused, recovered;

/* Recovery, then undo, may both refuse; the files are as they were after each. */
static void must_lose_nothing(const struct crash_rig *r, const char *what)
{
	const char *no = crash_recover(), *bad = crash_check_raw(r);

	if (bad)
		fail_msg("%s: after recovery (%s): %s", what, no ? "refused" : "done",
			 bad);
	*(no ? &refused : &recovered) += 1;
	(void)crash_undo();
	bad = crash_check_raw(r);
	if (bad)
		fail_msg("%s: after undo: %s", what, bad);
	image_run("rm -f '%s'.[0-9]*", JOURNAL);
}

static void live(struct crash_rig *r, struct crash_log *log, int kind, uint64_t seed)
{
	crash_make(r, &volumes[kind], seed);
	crash_reset(r);
	crash_record(log);
	assert_true(crash_life(-1, 0));
	crash_stop_recording();
}

static void test_truncated(void **state)
{
	(void)state;
	for (int kind = 0; kind < VOLUMES; kind++) {
		int points = wanted(25, 120), cuts = wanted(4, 12);
		struct crash_log log;
		struct crash_rig r;

		live(&r, &log, kind, 300 + (uint64_t)kind);
		for (int i = 0; i < points * cuts; i++) {
			uint64_t seed = (uint64_t)(kind * 100000 + i);
			size_t k = (size_t)(i / cuts + 1) * log.n / (size_t)points;
			size_t ends[512], n, to;
			struct bytes b;
			char what[80];

			crash_build(&r, &log, k, i % 3 ? CRASH_KILL : CRASH_LOSE, seed);
			b = load();
			n = b.v ? find_ends(&b, ends, 512) : 0;
			/* mostly one of the last few records, sometimes anywhere */
			to = !n	     ? 0
			     : i % 5 ? ends[n - 1 - dice(seed, n < 5 ? (uint32_t)n : 5)]
				     : dice(seed, (uint32_t)b.n);
			snprintf(what, sizeof(what), "volume %d, point %zu, cut at %zu",
				 kind, k, to);
			if (b.v)
				store(&b, to);
			must_lose_nothing(&r, what);
			free(b.v);
		}
		crash_log_release(&log);
		crash_release(&r);
	}
	print_message("# truncated: %d refused, %d recovered\n", refused, recovered);
	assert_true(refused > 0 && recovered > 0);
}

static void test_flipped(void **state)
{
	(void)state;
	refused = recovered = 0;
	for (int kind = 0; kind < VOLUMES; kind++) {
		struct crash_log log;
		struct crash_rig r;

		live(&r, &log, kind, 400 + (uint64_t)kind);
		for (int i = 0; i < wanted(100, 1000); i++) {
			uint64_t seed = (uint64_t)(kind * 100000 + i);
			size_t k = 1 + dice(seed, (uint32_t)log.n);
			struct bytes b;
			char what[80];
			uint32_t at;

			crash_build(&r, &log, k, CRASH_KILL, seed);
			b = load();
			if (!b.v)
				continue;
			at = dice(seed + 7, (uint32_t)b.n);
			b.v[at] ^= (uint8_t)(1 << dice(seed + 9, 8));
			store(&b, b.n);
			free(b.v);
			snprintf(what, sizeof(what), "volume %d, point %zu, byte %u",
				 kind, k, at);
			image_run("cp '%s' '%s'", IMAGE, KEPT);
			if (crash_recover() && strstr(crash_recover(), "damaged") &&
			    !image_same(IMAGE, KEPT))
				fail_msg("%s: damaged, but the volume was changed", what);
			must_lose_nothing(&r, what);
		}
		crash_log_release(&log);
		crash_release(&r);
	}
	print_message("# flipped: %d refused, %d recovered\n", refused, recovered);
	assert_true(refused > wanted(100, 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_flipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
