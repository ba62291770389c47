/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_fuzz_journal.c - garbage in the undo journal: bits, fields, whole records, with and
 * without the checksums put right again. Reading, verifying, exporting, recovery and undo must
 * end by themselves, in a process of their own. Without right checksums nothing of it may reach
 * the volume: it holds what it held (tests/crash/test_journal_damage looks closer).
 * 400 journals, 8,000 with LONG=1; see make fuzz.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/crc32c.h"
#include "fs/build.h"
#include "fs/session.h"
#include "journal/journal.h"
#include "tests/lib/crash.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

#define IMG	image_path("crash.img")
#define JOURNAL image_path("crash.undo")
#define EXPORT	image_path("export.json")
#define SECONDS 20
enum { STOPPED = 40, WENT_ON }; /* exit codes */
static int gone_on;

#define HEADER 72u
#define RECORD 32u

static const char *const groups[] = {"-g", "1024", "-O", "^flex_bg,^resize_inode", NULL};
static const struct crash_volume volumes[] = {
	{"ext4", 1024, 2 << 20, NULL, 30},
	{"ext2", 1024, 2 << 20, NULL, 60},
	{"ext4", 1024, 3 << 20, groups, 400},
};
#define VOLUMES ((int)(sizeof(volumes) / sizeof(volumes[0])))

static int wanted(int small, int large)
{
	const char *l = getenv("LONG");

	return l && *l ? large : small;
}

static uint64_t state_of_dice;

static uint32_t dice(uint32_t n)
{
	uint64_t word;

	build_content(state_of_dice++, 23, &word, sizeof(word));
	return n ? (uint32_t)(word % n) : 0;
}

struct bytes {
	uint8_t *v;
	size_t n;
};

static uint32_t le32(const uint8_t *p)
{
	uint32_t x;

	memcpy(&x, p, 4);
	return x;
}

static size_t record_size(const struct bytes *b, size_t at)
{
	uint64_t whole = RECORD + (((uint64_t)le32(b->v + at + 4) + 7) & ~7ull);

	return whole <= b->n - at ? (size_t)whole : 0;
}

/* --- damage --- */

static size_t some_record(const struct bytes *b)
{
	size_t at = HEADER, hops = dice(40), size;

	while (hops-- && at + RECORD <= b->n && (size = record_size(b, at)) &&
	       at + size + RECORD <= b->n)
		at += size;
	return at;
}

static void damage_once(struct bytes *b)
{
	size_t at = some_record(b), size = at + RECORD <= b->n ? record_size(b, at) : 0;
	size_t in = at + RECORD + dice(size > RECORD ? (uint32_t)(size - RECORD) : 1);

	if (in + 8 > b->n)
		return;
	switch (dice(7)) {
	case 0:
		b->v[in] ^= (uint8_t)(1 << dice(8));
		break;
	case 1: /* a count, a length, a place */
		memset(b->v + in, dice(2) ? 255 : 0, 4);
		break;
	case 2:
		b->v[at + 8] = (uint8_t)dice(10); /* another type */
		break;
	case 3: /* another length, inside the record */
		b->v[at + 4] = (uint8_t)(b->v[at + 4] - dice(8));
		break;
	case 4: /* an early field of the payload */
		b->v[at + RECORD + dice(60) % (b->n - at - RECORD)] = (uint8_t)dice(256);
		break;
	case 5: /* the same record twice */
		if (size && at + 2 * size <= b->n)
			memmove(b->v + at + size, b->v + at, size);
		break;
	default:
		b->n = at + dice((uint32_t)(b->n - at));
	}
}

/* Chain, numbers and checksums right again as far as the lengths make sense. */
static void reseal(struct bytes *b)
{
	uint32_t last = b->n >= HEADER ? le32(b->v + 68) : 0, number = 0, crc;
	size_t size;

	for (size_t at = HEADER; at + RECORD <= b->n && (size = record_size(b, at));
	     at += size) {
		uint8_t *p = b->v + at;

		number++;
		memcpy(p + 12, &number, 4);
		memcpy(p + 24, &last, 4);
		crc = crc32c(~0u, p, 28);
		crc = crc32c(crc, p + RECORD, size - RECORD);
		memcpy(p + 28, &crc, 4);
		last = crc;
	}
}

/* --- in the child --- */

static void look(void)
{
	struct volume_options opt = {0};
	struct volume *v = volume_open(IMG, &opt, NULL);
	struct history_verdict verdict;
	struct history_files files = {0};
	struct history h;

	history_init(&h);
	(void)history_read(JOURNAL, v, &h, NULL);
	history_release(&h);
	if (v) {
		(void)history_verify(JOURNAL, v, &verdict, NULL);
		(void)history_files(JOURNAL, v, 1, &files, NULL);
		unlink(EXPORT);
		(void)history_export(JOURNAL, v, EXPORT, NULL);
	}
	vec_release(&files);
	volume_close(v);
}

static void attack(const char *what)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		bool went_on;

		alarm(SECONDS);
		look();
		went_on = !crash_recover() && !crash_undo();
		_exit(went_on ? WENT_ON : STOPPED);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == WENT_ON)
		gone_on++;
	else if (!WIFEXITED(status) || WEXITSTATUS(status) != STOPPED)
		fail_msg("%s: ended with %s %d", what,
			 WIFEXITED(status) ? "exit code" : "signal",
			 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

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

static void store(const struct bytes *b)
{
	int fd = open(JOURNAL, O_WRONLY | O_TRUNC);

	assert_int_equal(pwrite(fd, b->v, b->n, 0), b->n);
	close(fd);
}

static void try_one(const struct crash_rig *r, const struct crash_log *log,
		    const char *what)
{
	bool right = dice(3) > 0;
	uint32_t hits = 1 + dice(4);
	struct bytes b;

	crash_build(r, log, 1 + dice((uint32_t)log->n), CRASH_KILL, 0);
	b = load();
	if (!b.v)
		return;
	for (uint32_t i = 0; i < hits; i++)
		damage_once(&b);
	if (right)
		reseal(&b);
	store(&b);
	free(b.v);
	attack(what);
	if (!right && crash_check_raw(r))
		fail_msg("%s: %s", what, crash_check_raw(r));
	image_run("rm -f '%s'.[0-9]*", JOURNAL);
}

static void test_garbage_journals(void **state)
{
	int tried = 0;

	(void)state;
	for (int kind = 0; kind < VOLUMES; kind++) {
		struct crash_log log;
		struct crash_rig r;
		char what[80];

		crash_make(&r, &volumes[kind], 800 + (uint64_t)kind);
		crash_reset(&r);
		crash_keep_free(kind == 1);
		crash_record(&log);
		assert_true(crash_life(-1, 0));
		crash_stop_recording();
		for (int i = 0; i < wanted(400, 8000) / VOLUMES + 1; i++, tried++) {
			state_of_dice = (uint64_t)(kind * 1000000 + i) * 100;
			snprintf(what, sizeof(what), "volume %d, round %d", kind, i);
			try_one(&r, &log, what);
		}
		crash_keep_free(false);
		crash_log_release(&log);
		crash_release(&r);
	}
	print_message("# %d journals, %d passed for good\n", tried, gone_on);
	assert_true(gone_on > tried / 10 && gone_on < tried * 9 / 10);
	assert_true(tried >= wanted(400, 8000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_garbage_journals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
