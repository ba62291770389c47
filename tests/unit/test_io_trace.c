/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_io_trace.c - a trace of real I/O, with figures worked out by hand. */
#include <string.h>
#include "core/io_trace.h"
#include "tests/lib/test.h"

/* Out of order, as threads write it. The head: 0-4096, 4096-8192 (goes on), 0-4096 (a seek
 * back of 8192), then 100 further on. */
static const char text[] = IO_TRACE_HEAD "\n# a comment\n"
					 "2.000000 W 0 4096 500000\n"
					 "0.000000 R 0 4096 1000000\n"
					 "0.500000 R 4096 4096 1000000\n"
					 "3.000000 B 0 0 1000000\n"
					 "3.500000 W 4196 100 0\n";

static bool parse(const char *t, struct io_trace *out, struct err *err)
{
	char copy[600];
	FILE *f;
	bool ok;

	strcpy(copy, t);
	f = fmemopen(copy, strlen(t), "r");
	assert_non_null(f);
	ok = io_trace_read(out, f, err);
	fclose(f);
	return ok;
}

static void test_figures(void **state)
{
	struct err err = ERR_INIT;
	struct io_figures f;
	struct io_trace t;

	(void)state;
	assert_true(parse(text, &t, &err));
	assert_int_equal(t.calls.n, 5);
	assert_true(t.calls.v[0].begun < 1e-9 && t.calls.v[1].kind == IO_READ);
	io_trace_figures(&t, &f);
	assert_true(f.seconds > 3.999 && f.seconds < 4.001);
	assert_true(f.busy > 2.999 && f.busy < 3.001); /* 0-1.5, 2-2.5, 3-4 */
	assert_int_equal(f.count[IO_READ], 2);
	assert_int_equal(f.count[IO_WRITE], 2);
	assert_int_equal(f.count[IO_BARRIER], 1);
	assert_int_equal(f.bytes[IO_READ], 8192);
	assert_int_equal(f.bytes[IO_WRITE], 4196);
	assert_int_equal(f.seeks, 2);
	assert_int_equal(f.distance, 8192 + 100);
	assert_int_equal(f.end, 8192);
	io_trace_release(&t);
}

static void test_slices(void **state)
{
	struct err err = ERR_INIT;
	struct io_slice s[4];
	struct io_trace t;

	(void)state;
	assert_true(parse(text, &t, &err));
	io_trace_slices(&t, 4, s, 4);
	assert_int_equal(s[0].bytes[IO_READ], 8192);
	assert_int_equal(s[0].seeks, 0);
	assert_int_equal(s[1].bytes[IO_READ] + s[1].bytes[IO_WRITE], 0);
	assert_int_equal(s[2].bytes[IO_WRITE], 4096);
	assert_int_equal(s[2].seeks, 1);
	assert_int_equal(s[3].bytes[IO_WRITE], 100);
	assert_int_equal(s[3].seeks, 1);
	io_trace_release(&t);
}

static void test_bad_lines(void **state)
{
	static const char *const bad[] = {
		"not a trace\n",
		IO_TRACE_HEAD "\n0.1 R 0\n",
		IO_TRACE_HEAD "\n0.1 X 0 1 1\n",
		IO_TRACE_HEAD "\n-1 R 0 1 1\n",
		IO_TRACE_HEAD "\nnan R 0 1 1\n",
		IO_TRACE_HEAD "\n0.1 R 18446744073709551615 2 1\n",
		IO_TRACE_HEAD "\n0.1 R 0 1 1 more\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = ERR_INIT;
		struct io_trace t;

		assert_false(parse(bad[i], &t, &err));
		assert_int_equal(err.class, ERR_USAGE);
		assert_int_equal(t.calls.n, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_bad_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
