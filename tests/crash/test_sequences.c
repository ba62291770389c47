/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_sequences.c - what a day at the console may bring, in any order: everything
 * defragmented, two batches and an end, two batches and a kill, one batch taken back, all
 * taken back, one done again, all of it done again. After each step the volume (recovered if the step was a
 * kill) holds what it held; in the end everything is undone, byte for byte. All sequences of
 * up to two steps and some longer ones; LONG=1: of up to three, and a thousand longer ones.
 *
 * And from the log of a life: nothing is written to the volume before the journal entry that
 * speaks of it is durable.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fs/build.h"
#include "tests/lib/crash.h"
#include "tests/lib/test.h"

static const char *const small_groups[] = {"-g", "2048", "-O", "^flex_bg,^resize_inode",
					   NULL};
static const struct crash_volume volumes[] = {
	{"ext4", 1024, 2 << 20, NULL, 30},
	{"ext3", 1024, 8 << 20, small_groups, 300},
};
#define VOLUMES 2
#define STEPS	"dekuUrR"
#define LONGEST 7

static int wanted(int small, int large)
{
	const char *l = getenv("LONG");

	return l && *l ? large : small;
}

static uint32_t dice(uint64_t seed, uint32_t n)
{
	uint64_t word;

	build_content(seed, 31, &word, sizeof(word));
	return (uint32_t)(word % n);
}

static int tried, steps_done;

static void play(const struct crash_rig *r, const char *steps)
{
	crash_reset(r);
	for (const char *s = steps; *s; s++) {
		const char *bad = crash_step(*s);

		bad = bad ? bad : crash_check_raw(r);
		if (!bad && *s != 'k')
			bad = crash_check_clean(r);
		if (bad)
			fail_msg("%s, step %d: %s", steps, (int)(s - steps) + 1, bad);
		steps_done++;
	}
	if (crash_check(r, ++tried % 10 == 0))
		fail_msg("%s, all undone: %s", steps, crash_check(r, false));
}

static void play_all(const struct crash_rig *r, int length)
{
	const int n = (int)strlen(STEPS);
	int count = 1;

	for (int i = 0; i < length; i++)
		count *= n;
	for (int i = 0; i < count; i++) {
		char steps[LONGEST + 1] = "";
		int rest = i;

		for (int k = 0; k < length; k++, rest /= n)
			steps[k] = STEPS[rest % n];
		play(r, steps);
	}
}

static void play_some(const struct crash_rig *r, int count, uint64_t seed)
{
	for (int i = 0; i < count; i++) {
		char steps[LONGEST + 1] = "";

		for (int k = 0; k < LONGEST; k++)
			steps[k] = STEPS[dice(seed + (uint64_t)(i * 100 + k),
					      (uint32_t)strlen(STEPS))];
		play(r, steps);
	}
}

static void test_sequences(void **state)
{
	(void)state;
	for (int i = 0; i < VOLUMES; i++) {
		struct crash_rig r;

		crash_make(&r, &volumes[i], 900 + (uint64_t)i);
		for (int length = 1; length <= wanted(2, 3); length++)
			play_all(&r, length);
		play_some(&r, wanted(15, 500), (uint64_t)i * 1000000);
		crash_release(&r);
	}
	print_message("# %d sequences, %d steps\n", tried, steps_done);
	assert_true(tried > 100);
}

/* --- order --- */

/* Types of records, as journal.h numbers them. */
static bool must_be_durable(const struct crash_op *op)
{
	uint32_t type;

	if (op->n < 32)
		return false;
	memcpy(&type, op->data + 8, 4);
	return type == 1 || type == 3 || type == 6 || type == 8; /* SESSION, INTENT,
								    CLOSING, KEPT */
}

static void test_journal_first(void **state)
{
	(void)state;
	for (int full = 0; full < 2; full++) {
		int records = 0, writes = 0;
		bool waiting = false;
		struct crash_log log;
		struct crash_rig r;

		crash_keep_free(full);
		crash_make(&r, &volumes[full], 990);
		crash_reset(&r);
		crash_record(&log);
		assert_true(crash_life(-1, 0));
		crash_stop_recording();
		for (size_t i = 0; i < log.n; i++) {
			const struct crash_op *op = &log.v[i];

			if (op->file == 1 && op->barrier) {
				waiting = false;
			} else if (op->file == 1) {
				records += must_be_durable(op);
				waiting = waiting || must_be_durable(op);
			} else if (!op->barrier) {
				writes++;
				if (waiting)
					fail_msg("write %zu goes ahead of its record", i);
			}
		}
		print_message("# %d records before %d writes\n", records, writes);
		assert_true(records > 8 && writes > 40);
		crash_log_release(&log);
		crash_release(&r);
	}
	crash_keep_free(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_journal_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
