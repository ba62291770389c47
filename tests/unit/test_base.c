/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_base.c - errors, strings, numbers, checksums and the queue. */
#include "tests/lib/test.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include "base/crc32c.h"
#include "base/err.h"
#include "base/num.h"
#include "base/queue.h"
#include "base/str.h"
#include "base/vec.h"

static void test_first_error_wins(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	err_set_errno(&e, ERR_IO, EIO, "block %d", 7);
	err_set(&e, ERR_BUG, "later");
	assert_int_equal(e.class, ERR_IO);
	assert_int_equal(e.code, EIO);
	assert_string_equal(e.msg, "block 7: Input/output error");
	err_clear(&e);
	err_set_errno(&e, ERR_IO, ENOSPC, "journal");
	assert_int_equal(e.class, ERR_NOSPACE);
	assert_int_equal(err_exit_code(ERR_RECOVER), 4);
	err_set(NULL, ERR_IO, "nobody listens");
}

static void test_safe_names(void **state)
{
	static const char raw[] = "a\x1b[2J\n\xff\xc2\x9b z\xc3\xa9\\";
	struct str s = STR_INIT;

	(void)state;
	str_add_safe(&s, raw, sizeof(raw) - 1);
	assert_string_equal(s.buf, "a\\x1B[2J\\x0A\\xFF\\xC2\\x9B z\xc3\xa9\\\\");
	assert_true(str_is_utf8(s.buf, s.len));
	str_clear(
		&s); /* U+202E would show the rest backwards; U+2025 is a mark like others */
	str_add_safe(&s, "\xe2\x80\xaetxt.exe\xe2\x80\xa5\xe2\x81\xa6", 16);
	assert_string_equal(s.buf, "\\xE2\\x80\\xAEtxt.exe\xe2\x80\xa5\\xE2\\x81\\xA6");
	str_clear(&s);
	str_add_percent(&s, "50%\xff\xc3\xa9", 6);
	assert_string_equal(s.buf, "50%25%FF\xc3\xa9");
	assert_false(str_is_utf8("\xed\xa0\x80", 3)); /* surrogate */
	assert_false(str_is_utf8("\xc0\xaf", 2));     /* overlong */
	str_release(&s);
}

static void test_str_grows(void **state)
{
	struct str s = STR_INIT;
	char *text;

	(void)state;
	for (int i = 0; i < 1000; i++)
		str_addf(&s, "%d,", i);
	assert_int_equal(s.len, 3890);
	assert_int_equal(strlen(s.buf), s.len);
	text = str_detach(&s);
	assert_string_equal(s.buf, "");
	assert_int_equal(strncmp(text, "0,1,2,", 6), 0);
	free(text);
}

static void test_numbers(void **state)
{
	char buf[NUM_TEXT_MAX];
	uint64_t n = 5;

	(void)state;
	assert_true(num_parse_bytes("4GiB", &n) && n == 4ull << 30);
	assert_true(num_parse_bytes("128k", &n) && n == 128 << 10);
	assert_true(num_parse_bytes("7", &n) && n == 7);
	assert_false(num_parse_bytes("99999999999T", &n));
	assert_false(num_parse_bytes("4Gx", &n));
	assert_false(num_parse_u64("-1", &n));
	assert_false(num_parse_u64("", &n));
	assert_int_equal(n, 7);
	assert_true(num_parse_u64("0x10", &n) && n == 16);
	assert_string_equal(num_format_bytes(900 * 1024, buf), "900K");
	assert_string_equal(num_format_bytes(1395864371, buf), "1.3G");
	assert_string_equal(num_format_count(1234567, buf), "1 234 567");
	assert_string_equal(num_format_count(123, buf), "123");
	assert_string_equal(num_format_seconds(3723, buf), "1:02:03");
}

/* Check values: RFC 3720 B.4 (which inverts before and after). */
static void test_crc_known(void **state)
{
	unsigned char zeros[32] = {0}, ones[32];

	(void)state;
	memset(ones, 0xFF, sizeof(ones));
	assert_int_equal(~crc32c(~0u, zeros, 32), 0x8A9136AA);
	assert_int_equal(~crc32c(~0u, ones, 32), 0x62A8AB43);
	assert_int_equal(~crc32c_soft(~0u, "123456789", 9), 0xE3069283);
}

static void test_crc_hard_equals_soft(void **state)
{
	unsigned char bytes[300];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 37 + 11);
	for (size_t from = 0; from < 9; from++)
		for (size_t n = 0; from + n <= sizeof(bytes); n++)
			assert_int_equal(crc32c(0x1234, bytes + from, n),
					 crc32c_soft(0x1234, bytes + from, n));
}

static void *produce(void *arg)
{
	static int items[1000];

	for (int i = 0; i < 1000; i++)
		if (!queue_put(arg, &items[i]))
			return NULL;
	queue_close(arg);
	return items;
}

static void test_queue_between_threads(void **state)
{
	struct queue *q = queue_new(4, NULL, true);
	struct pollfd p = {queue_fd(q), POLLIN, 0};
	pthread_t thread;
	int n = 0;
	int *first = NULL, *item;
	void *items;

	(void)state;
	assert_null(queue_take(q, 1));
	assert_int_equal(poll(&p, 1, 0), 0);
	pthread_create(&thread, NULL, produce, q);
	assert_int_equal(poll(&p, 1, 5000), 1);
	while ((item = queue_take(q, -1))) {
		if (!first)
			first = item;
		assert_ptr_equal(item, first + n);
		n++;
	}
	pthread_join(thread, &items);
	assert_int_equal(n, 1000);
	assert_int_equal(poll(&p, 1, 0), 0);
	assert_false(queue_try_put(q, items));
	queue_free(q);
}

static int dropped;
static void count_drop(void *item)
{
	(void)item;
	dropped++;
}

static void test_queue_drops_what_is_left(void **state)
{
	struct queue *q = queue_new(2, count_drop, false);

	(void)state;
	assert_true(queue_try_put(q, &dropped));
	assert_true(queue_try_put(q, &dropped));
	assert_false(queue_try_put(q, &dropped));
	queue_free(q);
	assert_int_equal(dropped, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_error_wins),
		cmocka_unit_test(test_safe_names),
		cmocka_unit_test(test_str_grows),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_crc_known),
		cmocka_unit_test(test_crc_hard_equals_soft),
		cmocka_unit_test(test_queue_between_threads),
		cmocka_unit_test(test_queue_drops_what_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
