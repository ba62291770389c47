/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_fuzz.c - hostile images: small volumes with random damage in their metadata, some with
 * checksums put right again. Each is looked at, planned on and, if it is accepted, defragmented
 * and undone, in a process of its own: it must end by itself within 20 seconds and 2 GB. What
 * is refused is byte for byte as it was; what e2fsck called clean before is clean afterwards.
 * 500 images, 10,000 with LONG=1; build with BUILD=asan for the sanitizers (make fuzz).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/metric.h"
#include "core/strategy.h"
#include "fs/build.h"
#include "fs/dirs.h"
#include "fs/scan.h"
#include "fs/session.h"
#include "tests/lib/crash.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

#define IMG	image_path("fuzz.img")
#define BEFORE	image_path("before.img")
#define JOURNAL image_path("fuzz.undo")

enum verdict { REFUSED = 40, ACCEPTED = 41 };
#define SECONDS	  20
#define MEGABYTES 2048

static const char *const no_csum[] = {"-O", "^metadata_csum,uninit_bg", NULL};
static const char *const bare[] = {"-O", "^metadata_csum,^uninit_bg,^has_journal", NULL};
static const char *const groups[] = {"-g", "1024", "-O", "^flex_bg,^resize_inode", NULL};

static const struct crash_volume built[] = {
	{"ext4", 1024, 2 << 20, NULL, 30},    {"ext2", 1024, 2 << 20, NULL, 30},
	{"ext4", 1024, 2 << 20, no_csum, 90}, {"ext4", 1024, 3 << 20, bare, 400},
	{"ext4", 1024, 3 << 20, groups, 30},
};
static const char *const listed[] = {
	"-t ext4 -O ^resize_inode,inline_data,^has_journal",
	"-t ext4 -O ^metadata_csum,^resize_inode,^has_journal",
	"-t ext3 -O ^resize_inode",
};
#define BUILT  ((int)(sizeof(built) / sizeof(built[0])))
#define LISTED ((int)(sizeof(listed) / sizeof(listed[0])))

static int wanted(int small, int large)
{
	const char *l = getenv("LONG");

	return l && *l ? large : small;
}

/* --- damage --- */

static uint64_t state_of_dice;

static uint32_t dice(uint32_t n)
{
	uint64_t word;

	build_content(state_of_dice++, 21, &word, sizeof(word));
	return (uint32_t)(word % n);
}

/* Metadata lies in front: superblock, descriptors, bitmaps, tables; then anywhere. */
static size_t place(size_t n)
{
	switch (dice(6)) {
	case 0:
		return 1024 + dice(1024);
	case 1:
		return 2048 + dice(2048);
	case 2:
	case 3:
		return dice(300 << 10);
	default:
		return dice((uint32_t)n);
	}
}

static void damage_once(uint8_t *p, size_t n)
{
	size_t at = place(n - 512), other = place(n - 512);

	switch (dice(6)) {
	case 0:
		p[at] ^= (uint8_t)(1 << dice(8));
		break;
	case 1:
		p[at] = (uint8_t)(dice(2) ? 0 : 255);
		break;
	case 2:
		for (int i = 0; i < 4; i++)
			p[at / 4 * 4 + (size_t)i] = (uint8_t)dice(256);
		break;
	case 3:
		memset(p + at / 512 * 512, dice(2) ? 0 : 255, 512);
		break;
	case 4: /* claims that something else has too */
		memmove(p + at / 256 * 256, p + other / 256 * 256, 256);
		break;
	default:
		memmove(p + at / 4 * 4, p + other / 4 * 4, 4);
	}
}

static void store(const char *path, const uint8_t *p, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, p, n, 0), n);
	assert_int_equal(ftruncate(fd, (off_t)n), 0);
	close(fd);
}

/* --- in the child --- */

static struct model *scan(struct volume *v, struct flaw_list *flaws)
{
	struct err err = ERR_INIT;
	struct scan *s = scan_new(v, 1, &err);
	enum scan_state state = SCAN_FAILED;
	struct model *m = NULL;

	while (s && (state = scan_step(s, &err)) == SCAN_MORE)
		;
	if (state == SCAN_DONE)
		m = scan_take(s, flaws);
	scan_free(s);
	return m;
}

static void ignore_path(void *arg, size_t i, const char *path, size_t len)
{
	(void)arg, (void)i, (void)path, (void)len;
}

static void plan_all(struct model *m, struct plan *plan)
{
	struct strategy_options opt = {.batch_inodes = 4, .batch_bytes = 200 << 10};
	struct inum_list all = {0};

	plan_init(plan);
	if (model_tree(m, 2, &all))
		(void)strat_defrag(m, all.v, all.n, &opt, plan, NULL);
	vec_release(&all);
}

static void look(void)
{
	struct volume_options opt = {0};
	struct err err = ERR_INIT;
	struct volume *v = volume_open(IMG, &opt, &err);
	struct flaw_list flaws = {0};
	struct inum_list all = {0};
	struct metrics metrics;
	struct plan plan;
	struct model *m = v ? scan(v, &flaws) : NULL;

	if (m) {
		metrics_compute(m, &metrics);
		for (inum_t i = model_next_inode(m, 0); i; i = model_next_inode(m, i))
			if (!vec_push(&all, i))
				_exit(99);
		(void)dir_paths(v, m, all.v, all.n, ignore_path, NULL, NULL);
		plan_all(m, &plan);
		plan_release(&plan);
		model_free(m);
	}
	vec_release(&all);
	vec_release(&flaws.list);
	volume_close(v);
}

static void go_back(struct session *s)
{
	struct err err = ERR_INIT;

	while (!err_isset(&err)) {
		struct batch_result result;

		batch_result_init(&result);
		(void)session_undo_batch(s, &result, &err);
		batch_result_release(&result);
	}
}

static void go_forth(struct session *s, const struct plan *plan)
{
	struct err err = ERR_INIT;

	for (size_t i = 0, end; i < plan->moves.n && !err_isset(&err); i = end) {
		struct batch_result result;

		end = plan_batch_end(plan, i);
		batch_result_init(&result);
		(void)session_batch(s, plan->moves.v + i, end - i, &result, &err);
		batch_result_release(&result);
	}
}

/* As the program does it: what contradicts itself is not written. */
static enum verdict change(void)
{
	struct volume_options opt = {.write = true};
	struct session_options sopt = {.journal = JOURNAL};
	struct volume *v = volume_open(IMG, &opt, NULL);
	struct flaw_list flaws = {0};
	struct session *s = NULL;
	struct plan plan;
	struct model *m = v ? scan(v, &flaws) : NULL;
	bool fit = m && !flaws.count && volume_info(v)->write;

	if (fit) {
		plan_all(m, &plan);
		s = session_open(v, &sopt, NULL, NULL);
		if (s) {
			go_forth(s, &plan);
			if (dice(2))
				go_back(s);
			(void)session_close(s, NULL);
		}
		plan_release(&plan);
	}
	model_free(m);
	vec_release(&flaws.list);
	volume_close(v);
	return fit ? ACCEPTED : REFUSED;
}

/* --- in the parent --- */

static struct {
	int tried, accepted, clean;
	long peak_kb;
} total;

static enum verdict attack(const char *what)
{
	struct rusage used;
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		alarm(SECONDS);
		look();
		_exit(change());
	}
	assert_true(pid > 0);
	assert_int_equal(wait4(pid, &status, 0, &used), pid);
	if (WIFSIGNALED(status))
		fail_msg("%s: ended by signal %d", what, WTERMSIG(status));
	if (WEXITSTATUS(status) != REFUSED && WEXITSTATUS(status) != ACCEPTED)
		fail_msg("%s: exit code %d", what, WEXITSTATUS(status));
	if (used.ru_maxrss > MEGABYTES * 1024L)
		fail_msg("%s: took %ld MB", what, used.ru_maxrss / 1024);
	if (used.ru_maxrss > total.peak_kb)
		total.peak_kb = used.ru_maxrss;
	return (enum verdict)WEXITSTATUS(status);
}

static bool is_clean(const char *path)
{
	char cmd[600];

	snprintf(cmd, sizeof(cmd), "timeout 20 e2fsck -fn '%s' >/dev/null 2>&1", path);
	return system(cmd) == 0;
}

static void try_one(const uint8_t *base, size_t n, const char *what)
{
	uint8_t *p = malloc(n), *after = malloc(n);
	uint32_t hits = 1 + dice(6);

	memcpy(p, base, n);
	for (uint32_t i = 0; i < hits; i++)
		damage_once(p, n);
	store(IMG, p, n);
	if (dice(3) == 0 && p[1024 + 56] == 0x53 && p[1024 + 57] == 0xEF) {
		fsimage_poke_super(IMG, 4, 4, 0, 0); /* its checksum is right again */
		fsimage_read(IMG, 0, p, n);
	}
	unlink(JOURNAL);
	total.tried++;
	if (attack(what) == REFUSED) {
		fsimage_read(IMG, 0, after, n);
		if (memcmp(p, after, n))
			fail_msg("%s: refused, and changed all the same", what);
	} else {
		total.accepted++;
		store(BEFORE, p, n);
		if (is_clean(BEFORE)) {
			total.clean++;
			if (!is_clean(IMG))
				fail_msg("%s: was clean, and is not any more", what);
		}
	}
	free(p);
	free(after);
}

static void try_many(const uint8_t *base, size_t n, int kind, int rounds)
{
	char what[80];

	for (int i = 0; i < rounds; i++) {
		state_of_dice = (uint64_t)(kind * 1000000 + i) * 100;
		snprintf(what, sizeof(what), "kind %d, round %d", kind, i);
		try_one(base, n, what);
	}
}

static void test_hostile_images(void **state)
{
	int rounds = wanted(500, 10000) / (BUILT + LISTED) + 1;

	(void)state;
	for (int i = 0; i < BUILT; i++) {
		struct crash_rig r;

		crash_make(&r, &built[i], 700 + (uint64_t)i);
		try_many(r.base, r.bytes, i, rounds);
		crash_release(&r);
	}
	fsimage_tree(image_path("tree"));
	for (int i = 0; i < LISTED; i++) {
		size_t n = 6 << 20;
		uint8_t *base = malloc(n);

		fsimage_make(IMG, n, "-b 1024 -N 512 -d '%s' %s", image_path("tree"),
			     listed[i]);
		fsimage_read(IMG, 0, base, n);
		try_many(base, n, BUILT + i, rounds);
		free(base);
	}
	print_message("# %d images, %d accepted, %d of these clean; peak %ld MB\n",
		      total.tried, total.accepted, total.clean, total.peak_kb / 1024);
	assert_true(total.tried >= wanted(500, 10000));
	assert_true(total.accepted > 20 && total.accepted < total.tried);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile_images),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
