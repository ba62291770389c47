/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_nomem.c - every allocation of a session fails, once or from then on: opening, moving,
 * ending. It says so, or it succeeds; nothing is lost, and what was cut short recovers. This
 * program has its own malloc in front of the C library's, so it is skipped under sanitizers,
 * which do the same. LONG=1: every allocation, else a sample.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/strategy.h"
#include "fs/scan.h"
#include "fs/session.h"
#include "tests/lib/crash.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
int main(void)
{
	printf("1..1\nok 1 # SKIP the sanitizer has the allocator\n");
	return 0;
}
#else

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
void *malloc(size_t n);
void *calloc(size_t n, size_t size);
void *realloc(void *p, size_t n);

static bool armed, for_good;
static long allocations, fail_at = -1;

/* Several threads allocate; which of them is hit does not matter. */
static bool denied(void)
{
	long i;

	if (!__atomic_load_n(&armed, __ATOMIC_RELAXED))
		return false;
	i = __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
	return fail_at >= 0 && (i == fail_at || (for_good && i > fail_at));
}

void *malloc(size_t n)
{
	return denied() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return denied() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return denied() ? NULL : __libc_realloc(p, n);
}

/* --- */

static const char *const no_csum[] = {"-O", "^metadata_csum,uninit_bg", NULL};
static const struct crash_volume volumes[] = {
	{"ext4", 1024, 3 << 20, NULL, 400},
	{"ext3", 1024, 5 << 20, no_csum, 100},
};

static int wanted(int small, int large)
{
	const char *l = getenv("LONG");

	return l && *l ? large : small;
}

/* Made while memory is plenty. */
static void make_plan(struct plan *plan)
{
	struct strategy_options opt = {.batch_inodes = 6, .batch_bytes = 400 << 10};
	struct volume *v = fsimage_open(image_path("crash.img"), false);
	struct model *m = fsimage_scan(v, NULL);
	struct inum_list all = {0};
	struct err err = ERR_INIT;

	plan_init(plan);
	assert_true(model_tree(m, 2, &all));
	assert_true(strat_defrag(m, all.v, all.n, &opt, plan, &err));
	vec_release(&all);
	model_free(m);
	volume_close(v);
}

static bool run_batches(struct session *s, const struct plan *plan, struct err *err)
{
	bool ok = true;

	for (size_t i = 0, end; ok && i < plan->moves.n; i = end) {
		struct batch_result result;

		end = plan_batch_end(plan, i);
		batch_result_init(&result);
		ok = session_batch(s, plan->moves.v + i, end - i, &result, err);
		batch_result_release(&result);
	}
	return ok;
}

/* True: all went well. Else err says why. */
static bool live(const struct plan *plan, struct err *err)
{
	struct session_options opt = {.journal = image_path("crash.undo")};
	struct volume_options vopt = {.write = true};
	struct volume *v;
	struct session *s;
	bool ok;

	__atomic_store_n(&armed, true, __ATOMIC_RELAXED);
	v = volume_open(image_path("crash.img"), &vopt, err);
	s = v ? session_open(v, &opt, NULL, err) : NULL;
	ok = s && session_action(s, "short of memory", err) && run_batches(s, plan, err);
	if (ok)
		ok = session_close(s, err);
	else
		session_free(s);
	volume_close(v);
	__atomic_store_n(&armed, false, __ATOMIC_RELAXED);
	return ok;
}

static void try_one(const struct crash_rig *r, const struct plan *plan, long k)
{
	struct err err = ERR_INIT;
	const char *bad;

	crash_reset(r);
	allocations = 0;
	fail_at = k;
	if (!live(plan, &err) && (!err_isset(&err) || !err.msg[0]))
		fail_msg("allocation %ld: failed without a word", k);
	fail_at = -1;
	bad = crash_check(r, false);
	if (bad)
		fail_msg("allocation %ld (%s): %s", k, err.msg, bad);
}

static void test_every_allocation(void **state)
{
	int tried = 0;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct err err = ERR_INIT;
		struct crash_rig r;
		struct plan plan;
		long n, step;

		crash_make(&r, &volumes[i], 1000 + i);
		crash_reset(&r);
		make_plan(&plan);
		allocations = 0;
		if (!live(&plan, &err))
			fail_msg("%s", err.msg);
		n = allocations;
		step = wanted((int)(n / 40), 1);
		step = step ? step : 1;
		for (long k = 0; k < n; k += step, tried++) {
			for_good = tried % 2;
			try_one(&r, &plan, k);
		}
		print_message("# %ld allocations\n", n);
		assert_true(n > 200);
		plan_release(&plan);
		crash_release(&r);
	}
	assert_true(tried > 70);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
