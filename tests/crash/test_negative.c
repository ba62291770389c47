/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_negative.c - the crash tests can fail: the log of a life is changed into what a program
 * without one of the rules of src/fs/batch.c would have written, and the judge must find bad
 * states among those that follow from it.
 *
 *   I1 without barrier A between copies and switch
 *   I3 bitmaps and descriptors written after the switch
 *   I4 without barrier B: sources are given away while a reference to them may be durable
 *   I5 without the journal's sync
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "tests/lib/crash.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

static const struct crash_volume volumes[] = {
	{"ext4", 1024, 4 << 20, NULL, 40},
};

/* Where bitmaps and descriptors lie on the volume that crash_make() made. */
static struct {
	struct range v[64];
	size_t n;
	uint32_t block_size;
} marks;

static void find_marks(void)
{
	struct volume *v = fsimage_open(image_path("crash.img"), false);
	const struct geom *g = &v->geom;

	marks.n = 0;
	marks.block_size = g->block_size;
	for (size_t i = 0; i < g->fixed.n && marks.n < 64; i++)
		if (g->fixed.v[i].kind == OWNER_BLOCK_BITMAP ||
		    g->fixed.v[i].kind == OWNER_GDT)
			marks.v[marks.n++] =
				(struct range){g->fixed.v[i].start, g->fixed.v[i].len};
	volume_close(v);
}

/* Takes operations out of the log as a program without them would have written it.
 * Returns how many. */
static int drop_barriers(struct crash_log *log, int file, int every, int which)
{
	size_t out = 0;
	int seen = 0, dropped = 0;

	for (size_t i = 0; i < log->n; i++) {
		if (log->v[i].barrier && log->v[i].file == file &&
		    seen++ % every == which && (file || seen > 1)) {
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
		bad += crash_check_raw(r) || crash_check(r, false);
	}
	return bad;
}

/* A life on this volume, its log changed by `spoil`, then crash states of it; returns how
 * many are bad. */
typedef int (*spoil_fn)(struct crash_log *log);
static int bad_states(int volume, spoil_fn spoil, int states)
{
	struct crash_rig r;
	struct crash_log log;
	int bad;

	crash_make(&r, &volumes[volume], 77);
	crash_reset(&r);
	crash_record(&log);
	assert_true(crash_life(-1, 0));
	crash_stop_recording();
	find_marks();
	assert_true(spoil(&log) > 2);
	bad = count_bad(&r, &log, states);
	crash_log_release(&log);
	crash_release(&r);
	return bad;
}

/* --- what a program without the rule would have written --- */

/* Barriers of the volume: the mark of the superblock, then A and B in turns. */
static int no_barrier_a(struct crash_log *log)
{
	return drop_barriers(log, 0, 2, 1);
}

static int no_barrier_b(struct crash_log *log)
{
	return drop_barriers(log, 0, 2, 0);
}

static int no_journal_sync(struct crash_log *log)
{
	return drop_barriers(log, 1, 1, 0);
}

static bool is_mark(const struct crash_op *op)
{
	if (op->barrier || op->file)
		return false;
	for (size_t i = 0; i < marks.n; i++)
		if (op->at / marks.block_size >= marks.v[i].start &&
		    op->at / marks.block_size < marks.v[i].start + marks.v[i].len)
			return true;
	return false;
}

/* Bitmaps and descriptors go behind the second barrier from where they were written: the
 * inodes are switched before their blocks are marked. */
static int late_marks(struct crash_log *log)
{
	struct crash_log out = {0};
	VEC(struct crash_op) held[2] = {VEC_INIT, VEC_INIT};
	int moved = 0;

	for (size_t i = 0; i < log->n; i++) {
		struct crash_op op = log->v[i];

		if (is_mark(&op)) {
			assert_true(vec_push(&held[0], op));
			moved++;
			continue;
		}
		assert_true(vec_push(&out, op));
		if (!op.barrier || op.file)
			continue;
		for (size_t k = 0; k < held[1].n; k++)
			assert_true(vec_push(&out, held[1].v[k]));
		vec_clear(&held[1]);
		for (size_t k = 0; k < held[0].n; k++)
			assert_true(vec_push(&held[1], held[0].v[k]));
		vec_clear(&held[0]);
	}
	vec_release(&held[0]);
	vec_release(&held[1]);
	free(log->v);
	*log = out;
	return moved;
}

/* --- each is caught --- */

#define MUST_BE_CAUGHT(name, volume, spoil)                        \
	static void name(void **state)                             \
	{                                                          \
		int bad = bad_states(volume, spoil, 60);           \
                                                                   \
		(void)state;                                       \
		print_message("# %d of 60 states are bad\n", bad); \
		assert_true(bad > 0);                              \
	}
MUST_BE_CAUGHT(test_without_barrier_a, 0, no_barrier_a)
MUST_BE_CAUGHT(test_without_barrier_b, 0, no_barrier_b)
MUST_BE_CAUGHT(test_without_journal_sync, 0, no_journal_sync)
MUST_BE_CAUGHT(test_marks_after_the_switch, 0, late_marks)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_barrier_a),
		cmocka_unit_test(test_without_barrier_b),
		cmocka_unit_test(test_without_journal_sync),
		cmocka_unit_test(test_marks_after_the_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
