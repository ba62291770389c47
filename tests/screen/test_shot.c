/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_shot.c - a small canvas as text, ANSI and SVG. */
#include "tests/lib/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ui/shot.h"

static const struct style plain = {COLOR_DEFAULT, COLOR_DEFAULT, 0};
static const struct style title = {231, 24, ATTR_BOLD};

static void draw(struct canvas *c)
{
	struct view v;
	struct style halves = {208, 24, 0}, lone = {34, COLOR_DEFAULT, 0};

	assert_true(canvas_init(c, 3, 6));
	v = canvas_view(c);
	view_text(&v, 0, 0, title, "<&>");
	view_text(&v, 1, 1, plain, "\u6f22 a");
	view_put(&v, 2, 0, L'\u2580', halves);
	view_put(&v, 2, 1, L'\u2580', halves);
	view_put(&v, 2, 2, L'\u2584', lone);
}

static void test_text(void **state)
{
	struct canvas c;
	struct str s = STR_INIT;

	(void)state;
	draw(&c);
	shot_text(&c, &s);
	assert_string_equal(s.buf, "<&>\n \u6f22 a\n\u2580\u2580\u2584\n");
	str_release(&s);
	canvas_release(&c);
}

static void test_ansi(void **state)
{
	struct canvas c;
	struct str s = STR_INIT;

	(void)state;
	draw(&c);
	shot_ansi(&c, &s);
	assert_string_equal(s.buf,
			    "\x1b[0;1;38;5;231;48;5;24m<&>\x1b[0m   \x1b[0m\n"
			    "\x1b[0m \u6f22 a \x1b[0m\n"
			    "\x1b[0;38;5;208;48;5;24m\u2580\u2580\x1b[0;38;5;34m\u2584"
			    "\x1b[0m   \x1b[0m\n");
	str_release(&s);
	canvas_release(&c);
}

static void test_svg(void **state)
{
	struct canvas c;
	struct str s = STR_INIT;

	(void)state;
	draw(&c);
	shot_svg(&c, &s);
	assert_non_null(strstr(s.buf, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
				      "width=\"54\" height=\"54\""));
	/* Grounds of one colour are one path, joined along the row. */
	assert_non_null(strstr(s.buf, "<path fill=\"#005f87\" d=\"M0 0h27v18h-27z"
				      "M0 36h18v18h-18z\"/>"));
	/* Half blocks are rectangles: the upper pair, the lower one alone. */
	assert_non_null(strstr(s.buf, "<path fill=\"#ff8700\" d=\"M0 36h18v9h-18z\"/>"));
	assert_non_null(strstr(s.buf, "<path fill=\"#00af00\" d=\"M18 45h9v9h-9z\"/>"));
	assert_non_null(strstr(s.buf, "font-weight=\"bold\">&lt;&amp;&gt;</text>"));
	assert_null(strstr(s.buf, "\u2580"));
	str_release(&s);
	canvas_release(&c);
}

static void test_write(void **state)
{
	char path[] = "/tmp/cdefrag-shot-XXXXXX.txt", line[40] = "";
	int fd = mkstemps(path, 4);
	struct err err = ERR_INIT;
	struct canvas c;
	FILE *f;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "longer than the shot that replaces it, surely", 45),
			 45);
	close(fd);
	draw(&c);
	assert_true(shot_write(&c, path, &err));
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fread(line, 1, sizeof(line) - 1, f), 21);
	fclose(f);
	assert_string_equal(line, "<&>\n \u6f22 a\n\u2580\u2580\u2584\n");
	unlink(path);
	assert_false(shot_write(&c, "/tmp/x.png", &err));
	assert_int_equal(err.class, ERR_USAGE);
	err_clear(&err);
	assert_false(shot_write(&c, "/no/such/folder/x.svg", &err));
	assert_int_equal(err.class, ERR_REFUSED);
	canvas_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_ansi),
		cmocka_unit_test(test_svg),
		cmocka_unit_test(test_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
