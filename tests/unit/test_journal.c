/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_journal.c - the undo journal as a file: what was written is read, every cut and every changed byte is either
 * harmless or noticed, failures are final.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"
#include "base/str.h"
#include "journal/journal.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

#define PATH image_path("folder/of/its/own/t.undo")
#define COPY image_path("copy.undo")

static const struct journal_ident ident = {
	.uuid = {1, 2, 3}, .block_size = 4096, .blocks = 99, .label = "unit"};

static struct journal *create(void)
{
	struct err err = ERR_INIT;
	struct journal *j;

	unlink(PATH);
	j = journal_create(PATH, &ident, &err);
	if (!j)
		fail_msg("%s", err.msg);
	return j;
}

static void append(struct journal *j, int i, bool sync)
{
	char payload[400];
	struct err err = ERR_INIT;
	size_t n = (size_t)(i * 37 % 391);

	memset(payload, 'a' + i % 26, sizeof(payload));
	if (!journal_append(j, (enum journal_type)(1 + i % 7), payload, n, &err) ||
	    (sync && !journal_sync(j, &err)))
		fail_msg("%s", err.msg);
}

/* Records 0 to n - 1 as append() wrote them? */
static void check(const struct journal *j, size_t n)
{
	assert_int_equal(journal_count(j), n);
	for (size_t i = 0; i < n; i++) {
		struct err err = ERR_INIT;
		size_t bytes;
		char *payload = journal_read(j, i, &bytes, &err);

		assert_non_null(payload);
		assert_int_equal(journal_type_of(j, i), 1 + i % 7);
		assert_int_equal(bytes, i * 37 % 391);
		for (size_t k = 0; k < bytes; k++)
			assert_int_equal(payload[k], 'a' + (int)(i % 26));
		free(payload);
	}
}

static uint8_t *slurp(const char *path, size_t *n)
{
	int fd = open(path, O_RDONLY);
	uint8_t *bytes;

	assert_true(fd >= 0);
	*n = (size_t)lseek(fd, 0, SEEK_END);
	bytes = malloc(*n);
	assert_int_equal(file_read(fd, bytes, *n, 0), 0);
	close(fd);
	return bytes;
}

static void spill(const char *path, const uint8_t *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(file_write(fd, bytes, n, 0), 0);
	close(fd);
}

static void test_append_keeps(void **state)
{
	struct journal *j = create();
	struct err err = ERR_INIT;
	uint8_t *before, *after;
	size_t n, more;
	struct stat st;

	(void)state;
	for (int i = 0; i < 20; i++)
		append(j, i, i % 3 == 0);
	check(j, 20);
	journal_close(j);
	assert_int_equal(stat(PATH, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	before = slurp(PATH, &n);

	assert_null(journal_create(PATH, &ident, &err)); /* never over an old one */
	err_clear(&err);
	j = journal_open(PATH, true, &err);
	assert_non_null(j);
	check(j, 20);
	assert_memory_equal(journal_ident(j)->uuid, ident.uuid, 16);
	assert_int_equal(journal_ident(j)->blocks, 99);
	for (int i = 20; i < 30; i++)
		append(j, i, true);
	journal_close(j);
	after = slurp(PATH, &more);
	assert_true(more > n);
	assert_memory_equal(before, after, n);
	free(before);
	free(after);
}

/* A file cut at any length gives the records that are whole, or an error. */
static void test_every_length(void **state)
{
	struct journal *j = create();
	uint8_t *bytes;
	size_t n, last = 0;

	(void)state;
	for (int i = 0; i < 9; i++)
		append(j, i, false); /* none waited for: any end may be missing */
	journal_close(j);
	bytes = slurp(PATH, &n);
	for (size_t cut = 0; cut <= n; cut++) {
		struct err err = ERR_INIT;

		spill(COPY, bytes, cut);
		j = journal_open(COPY, true, &err);
		assert_int_equal(j != NULL, cut >= 72);
		if (!j)
			continue;
		assert_true(journal_count(j) >= last);
		last = journal_count(j);
		check(j, last);
		append(j, (int)last, true); /* and it goes on from there */
		journal_close(j);
		j = journal_open(COPY, false, &err);
		check(j, last + 1);
		journal_close(j);
	}
	assert_int_equal(last, 9);
	free(bytes);
}

/* A changed byte: never a record that was not written; never one missing that a later one knows durable. */
static void test_every_byte(void **state)
{
	struct journal *j = create();
	uint8_t *bytes;
	size_t n;
	int noticed = 0, cut = 0;

	(void)state;
	for (int i = 0; i < 12; i++)
		append(j, i, true);
	journal_close(j);
	bytes = slurp(PATH, &n);
	for (size_t at = 0; at < n; at++) {
		struct err err = ERR_INIT;

		bytes[at] ^= (uint8_t)(1 << at % 8);
		spill(COPY, bytes, n);
		bytes[at] ^= (uint8_t)(1 << at % 8);
		j = journal_open(COPY, false, &err);
		if (!j) {
			assert_true(err.class == ERR_CORRUPT || err.class == ERR_REFUSED);
			noticed++;
			continue;
		}
		/* only the last record, which nothing behind it vouches for; or padding */
		assert_true(journal_count(j) >= 11);
		check(j, journal_count(j));
		cut += journal_count(j) == 11;
		journal_close(j);
	}
	assert_true(noticed > (int)n / 2);
	assert_true(cut > 0);
	free(bytes);
}

/* Is COPY, which was refused, still what it was? */
static void assert_left_alone(const uint8_t *bytes, size_t n)
{
	size_t now_n;
	uint8_t *now = slurp(COPY, &now_n);

	assert_int_equal(now_n, n);
	assert_memory_equal(now, bytes, n);
	free(now);
}

static void test_damage_in_the_middle(void **state)
{
	struct journal *j = create();
	struct err err = ERR_INIT;
	uint8_t *bytes;
	size_t n;

	(void)state;
	for (int i = 0; i < 6; i++)
		append(j, i, true);
	journal_close(j);
	bytes = slurp(PATH, &n);
	memset(bytes + 200, 0, 60);
	spill(COPY, bytes, n);
	assert_null(journal_open(COPY, true, &err));
	assert_int_equal(err.class, ERR_CORRUPT);
	assert_non_null(strstr(err.msg, "move it away"));
	assert_left_alone(bytes, n);
	free(bytes);
}

/* Anybody's file may be named by mistake; it must be there afterwards. */
static void test_not_a_journal(void **state)
{
	static const char text[] = "something else entirely, and long enough to be looked at as "
				   "if it were one, which it is not";
	const uint8_t *bytes = (const uint8_t *)text;
	size_t lengths[] = {1, 71, 72, sizeof(text)};
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		spill(COPY, bytes, lengths[i]);
		err_clear(&err);
		assert_null(journal_open(COPY, true, &err));
		assert_int_equal(err.class, ERR_REFUSED);
		assert_non_null(strstr(err.msg, "-z"));
		assert_left_alone(bytes, lengths[i]);
	}
	err_clear(&err);
	assert_null(journal_open(image_path("none"), false, &err));
	assert_int_equal(err.class, ERR_IO);
}

/* A pipe, a folder, a device: refused at once, whoever asks. */
static void test_not_a_file(void **state)
{
	const char *pipe = image_path("pipe");
	const char *paths[] = {pipe, "/dev/null", "."};

	(void)state;
	unlink(pipe);
	assert_int_equal(mkfifo(pipe, 0600), 0);
	alarm(20); /* waiting for the pipe's other end must not hold up all tests */
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		for (int write = 0; write < 2; write++) {
			struct err err = ERR_INIT;

			assert_null(journal_open(paths[i], write, &err));
			assert_true(err_isset(&err));
		}
	alarm(0);
	unlink(pipe);
}

static void test_set_aside(void **state)
{
	struct err err = ERR_INIT;
	struct str to = STR_INIT;

	(void)state;
	for (int i = 1; i <= 2; i++) {
		char suffix[16];

		journal_close(create());
		str_clear(&to);
		assert_true(journal_set_aside(PATH, &to, &err));
		snprintf(suffix, sizeof(suffix), ".%d", i);
		assert_string_equal(to.buf + strlen(PATH), suffix);
		assert_int_not_equal(access(PATH, F_OK), 0);
		assert_int_equal(access(to.buf, F_OK), 0);
	}
	str_release(&to);
}

/* --- failures --- */

static int left;

static int failing_write(int fd, const void *buf, size_t n, uint64_t at)
{
	return left-- > 0 ? file_write(fd, buf, n, at) : EIO;
}

static int failing_sync(int fd)
{
	return left-- > 0 ? file_sync(fd) : EIO;
}

static void test_failures_are_final(void **state)
{
	struct journal_calls plain = journal_calls;
	struct err err = ERR_INIT;
	struct journal *j = create();

	(void)state;
	append(j, 0, true);
	journal_calls.write = failing_write;
	left = 0;
	assert_false(journal_append(j, JOURNAL_DONE, "x", 1, &err));
	assert_int_equal(err.class, ERR_IO);
	journal_calls = plain;
	err_clear(&err);
	assert_false(journal_append(j, JOURNAL_DONE, "x", 1, &err));
	err_clear(&err);
	assert_false(journal_sync(j, &err));
	journal_close(j);
	err_clear(&err);
	j = journal_open(PATH, true, &err);
	check(j, 1);

	append(j, 1, true);
	journal_calls.sync = failing_sync;
	left = 0;
	append(j, 2, false);
	assert_false(journal_sync(j, &err));
	journal_calls = plain;
	err_clear(&err);
	assert_false(journal_sync(j, &err)); /* trying again proves nothing */
	journal_close(j);
}

/* Lack of room is no such failure: what did not fit is gone, and there may be room later. */
static int short_of_room(int fd, const void *buf, size_t n, uint64_t at)
{
	assert_int_equal(file_write(fd, buf, n / 2, at), 0);
	return ENOSPC;
}

static int no_room(int fd, uint64_t at, uint64_t n)
{
	(void)fd, (void)at, (void)n;
	return ENOSPC;
}

static void test_no_room_is_not_final(void **state)
{
	struct journal_calls plain = journal_calls;
	struct err err = ERR_INIT;
	struct journal *j = create();
	struct stat st;

	(void)state;
	append(j, 0, true);
	append(j, 1, true);
	journal_calls.write = short_of_room;
	assert_false(journal_append(j, JOURNAL_DONE, "0123456789", 10, &err));
	assert_int_equal(err.class, ERR_NOSPACE);
	assert_int_equal(stat(PATH, &st), 0);
	assert_int_equal(st.st_size, journal_bytes(j));
	journal_calls = plain;
	journal_calls.reserve = no_room;
	err_clear(&err);
	assert_false(journal_reserve(j, 1, &err));
	assert_int_equal(err.class, ERR_NOSPACE);
	journal_calls = plain;
	append(j, 2, true);
	check(j, 3);
	journal_close(j);
	err_clear(&err);
	j = journal_open(PATH, false, &err);
	check(j, 3);
	journal_close(j);
}

/* --- who else --- */

static void test_in_use(void **state)
{
	struct journal *j = create(), *other;
	struct err err = ERR_INIT;
	struct stat before, after;
	int fd;

	(void)state;
	append(j, 0, true);
	fd = open(PATH, O_WRONLY | O_APPEND);
	assert_int_equal(write(fd, "half a record", 13), 13); /* caught in the middle of one */
	close(fd);
	assert_int_equal(stat(PATH, &before), 0);
	assert_null(journal_open(PATH, true, &err));
	assert_int_equal(err.class, ERR_REFUSED);
	assert_non_null(strstr(err.msg, "in use"));
	assert_int_equal(stat(PATH, &after), 0);
	assert_int_equal(before.st_size, after.st_size);
	err_clear(&err);
	other = journal_open(PATH, false, &err); /* looking is harmless */
	check(other, 1);
	journal_close(other);
	append(j, 1, true);
	journal_close(j);
	j = journal_open(PATH, true, &err);
	check(j, 2);
	journal_close(j);
}

/* A program that was killed between the two names of a new file leaves the second one; it must
 * not be written over when the next journal is made. */
static void test_leftover_name(void **state)
{
	char leftover[600];
	struct journal *j = create();
	struct str to = STR_INIT;
	struct err err = ERR_INIT;

	(void)state;
	append(j, 0, true);
	journal_close(j);
	snprintf(leftover, sizeof(leftover), "%s.%ld.new", PATH, (long)getpid());
	assert_int_equal(link(PATH, leftover), 0);
	assert_true(journal_set_aside(PATH, &to, &err));
	journal_close(create());
	j = journal_open(to.buf, false, &err);
	assert_non_null(j);
	check(j, 1);
	journal_close(j);
	assert_int_not_equal(access(leftover, F_OK), 0);
	unlink(to.buf);
	str_release(&to);
}

static uint64_t first_at, renewed;
static int order; /* 1: written, 2: and synced */

static int noting_write(int fd, const void *buf, size_t n, uint64_t at)
{
	if (!order) {
		first_at = at;
		renewed = n;
		order = 1;
	} else {
		assert_int_equal(order, 2); /* nothing new before the old is durable */
	}
	return file_write(fd, buf, n, at);
}

static int noting_sync(int fd)
{
	if (order == 1)
		order = 2;
	return file_sync(fd);
}

static void test_end_is_renewed(void **state)
{
	struct journal_calls plain = journal_calls;
	struct journal *j = create();
	struct err err = ERR_INIT;
	uint64_t durable;

	(void)state;
	append(j, 0, true);
	durable = journal_bytes(j);
	append(j, 1, false); /* nobody says that these two got there */
	append(j, 2, false);
	journal_close(j);
	j = journal_open(PATH, true, &err);
	journal_calls.write = noting_write;
	journal_calls.sync = noting_sync;
	order = 0;
	append(j, 3, true);
	journal_calls = plain;
	assert_int_equal(order, 2);
	assert_int_equal(first_at, durable);
	assert_int_equal(renewed, 2 * 32 + 40 + 80); /* payloads of 37 and 74, padded */
	journal_close(j);
	j = journal_open(PATH, false, &err);
	check(j, 4);
	journal_close(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_append_keeps),
		cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_every_byte),
		cmocka_unit_test(test_damage_in_the_middle),
		cmocka_unit_test(test_not_a_journal),
		cmocka_unit_test(test_not_a_file),
		cmocka_unit_test(test_set_aside),
		cmocka_unit_test(test_failures_are_final),
		cmocka_unit_test(test_no_room_is_not_final),
		cmocka_unit_test(test_in_use),
		cmocka_unit_test(test_leftover_name),
		cmocka_unit_test(test_end_is_renewed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
