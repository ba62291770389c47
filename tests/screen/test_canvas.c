/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_canvas.c - clipping, columns of text, wide and dangerous characters. */
#include "tests/lib/test.h"
#include <string.h>
#include "ui/canvas.h"

static const struct style plain = {COLOR_DEFAULT, COLOR_DEFAULT, 0};

/* A row as text: '_' for the right half of a wide character, 'W' for its left. */
static const char *row_text(const struct canvas *c, int row)
{
	static char text[64];

	for (int i = 0; i < c->cols; i++) {
		wchar_t ch = c->cells[row * c->cols + i].ch;

		text[i] = ch == 0 ? '_' : ch > 0x7E ? 'W' : (char)ch;
	}
	text[c->cols] = '\0';
	return text;
}

static void test_clipping(void **state)
{
	struct canvas c;
	struct view all, part, none;

	(void)state;
	assert_true(canvas_init(&c, 3, 6));
	all = canvas_view(&c);
	part = view_part(&all, 1, 2, 50, 3);
	assert_int_equal(part.rows, 2);
	view_fill(&part, L'x', plain);
	view_put(&part, -1, 0, L'!', plain);
	view_put(&part, 0, 3, L'!', plain);
	view_text(&part, 1, -2, plain, "abcdefgh");
	assert_string_equal(row_text(&c, 0), "      ");
	assert_string_equal(row_text(&c, 1), "  xxx ");
	assert_string_equal(row_text(&c, 2), "  cde ");
	none = view_part(&part, 9, -4, 5, 2);
	assert_int_equal(none.rows * none.cols, 0);
	view_fill(&none, L'!', plain);
	part = view_part(&all, -1, -1, 2, 2);
	assert_int_equal(part.rows, 1);
	assert_int_equal(part.cols, 1);
	canvas_release(&c);
}

static void test_text_widths(void **state)
{
	struct canvas c;
	struct view v;

	(void)state;
	assert_true(canvas_init(&c, 1, 10));
	v = canvas_view(&c);
	assert_int_equal(text_width("a\u6f22e\u0301"), 4);
	assert_int_equal(view_text(&v, 0, 0, plain, "a\u6f22e\u0301."), 5);
	assert_string_equal(row_text(&c, 0), "aW_e.     ");
	/* Overwriting one half clears the other. */
	view_put(&v, 0, 2, L'z', plain);
	assert_string_equal(row_text(&c, 0), "a ze.     ");
	view_put(&v, 0, 0, L'\u6f22', plain);
	view_put(&v, 0, 0, L'q', plain);
	assert_string_equal(row_text(&c, 0), "q ze.     ");
	/* A wide character does not fit into the last column. */
	view_put(&v, 0, 9, L'\u6f22', plain);
	assert_string_equal(row_text(&c, 0), "q ze.     ");
	assert_int_equal(view_text(&v, 0, 9, plain, "\u6f22"), 9);
	canvas_release(&c);
}

static void test_dangerous_bytes(void **state)
{
	struct canvas c;
	struct view v;

	(void)state;
	assert_true(canvas_init(&c, 1, 12));
	v = canvas_view(&c);
	view_text(&v, 0, 0, plain, "\x1b[2J\n\xff\xc2\x9b\xe2\x80\xaex\xe2\x82");
	assert_string_equal(row_text(&c, 0), "?[2J???x??  ");
	view_put(&v, 0, 0, 0x9b, plain);
	view_put(&v, 0, 1, 7, plain);
	view_put(&v, 0, 2, 0, plain);
	assert_string_equal(row_text(&c, 0), "???J???x??  ");
	canvas_release(&c);
}

static void test_fields(void **state)
{
	struct canvas c;
	struct view v;

	(void)state;
	assert_true(canvas_init(&c, 1, 8));
	v = canvas_view(&c);
	view_fill(&v, L'.', plain);
	view_field(&v, 0, 1, 5, 0, plain, "ab");
	assert_string_equal(row_text(&c, 0), ".ab   ..");
	view_field(&v, 0, 1, 5, 1, plain, "ab");
	assert_string_equal(row_text(&c, 0), ".   ab..");
	view_field(&v, 0, 1, 5, 0, plain, "abcdefg");
	assert_string_equal(row_text(&c, 0), ".abcd~..");
	view_field(&v, 0, 1, 5, -1, plain, "/usr/lib/x");
	assert_string_equal(row_text(&c, 0), ".~ib/x..");
	view_field(&v, 0, 1, 5, 0, plain, "abc\u6f22\u6f22");
	assert_string_equal(row_text(&c, 0), ".abc~ ..");
	view_field(&v, 0, 1, 0, 0, plain, "abc");
	view_field(&v, 0, 1, 1, -1, plain, "abc");
	assert_string_equal(row_text(&c, 0), ".~bc~ ..");
	view_textf(&v, 0, 0, plain, "%d%s", 12, "ab");
	assert_string_equal(row_text(&c, 0), "12ab~ ..");
	canvas_release(&c);
}

static void test_resize_clears(void **state)
{
	struct canvas c;

	(void)state;
	assert_true(canvas_init(&c, 0, -3));
	assert_int_equal(c.rows * c.cols, 1);
	assert_int_equal(c.cursor_row, -1);
	assert_true(canvas_resize(&c, 2, 4));
	assert_string_equal(row_text(&c, 1), "    ");
	canvas_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clipping),
		cmocka_unit_test(test_text_widths),
		cmocka_unit_test(test_dangerous_bytes),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_resize_clears),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
