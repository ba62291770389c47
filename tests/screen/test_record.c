/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_record.c - recordings: what is written is what is read, as an asciicast. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/image.h"
#include "tests/lib/test.h"
#include "ui/record.h"

static void draw(struct canvas *c, int n)
{
	struct style plain = {COLOR_DEFAULT, COLOR_DEFAULT, 0};
	struct style bright = {(int16_t)(17 * n % 256), 236, ATTR_BOLD | ATTR_UNDERLINE};
	struct view all = canvas_view(c);

	view_fill(&all, L' ', plain);
	view_textf(&all, 1, 2, bright, "frame %d \"q\" \\ ▀▄ ü 漢", n);
	view_text(&all, n % c->rows, 0, (struct style){1, 2, ATTR_REVERSE | ATTR_DIM},
		  "x");
}

static void record(struct recording *r, int frames)
{
	struct canvas c;

	record_init(r, 6, 40);
	assert_true(canvas_init(&c, 6, 40));
	for (int i = 0; i < frames; i++) {
		draw(&c, i);
		assert_true(record_add(r, &c, i * 0.5));
		assert_true(record_add(r, &c, i * 0.5 + 0.1)); /* the same: left out */
	}
	canvas_release(&c);
}

static void test_round_trip(void **state)
{
	struct recording r, back;
	struct err err = ERR_INIT;

	(void)state;
	record(&r, 9);
	assert_int_equal(r.frames.n, 9);
	assert_true(record_write(&r, image_path("a.cast"), &err));
	assert_true(record_read(&back, image_path("a.cast"), &err));
	assert_int_equal(back.rows, 6);
	assert_int_equal(back.cols, 40);
	assert_int_equal(back.frames.n, 9);
	for (size_t i = 0; i < 9; i++) {
		const struct record_frame *x = &r.frames.v[i], *y = &back.frames.v[i];

		assert_true(x->time - y->time < 0.001 && y->time - x->time < 0.001);
		for (int k = 0; k < 6 * 40; k++) {
			assert_int_equal(x->canvas.cells[k].ch, y->canvas.cells[k].ch);
			assert_memory_equal(&x->canvas.cells[k].style,
					    &y->canvas.cells[k].style,
					    sizeof(struct style));
		}
	}
	record_release(&r);
	record_release(&back);
}

/* Every line is JSON, the first has the size; the SVG is XML with all frames. */
static void test_formats(void **state)
{
	struct recording r;
	struct err err = ERR_INIT;

	(void)state;
	record(&r, 5);
	assert_true(record_write(&r, image_path("a.cast"), &err));
	assert_true(record_write(&r, image_path("a.svg"), &err));
	record_release(&r);
	assert_int_equal(
		image_run("python3 -c 'import json,sys; l=[json.loads(x) for x in "
			  "open(\"%s\")]; "
			  "assert l[0][\"version\"]==2 and l[0][\"width\"]==40 and "
			  "l[0][\"height\"]==6; assert [x[1] for x in l[1:]]==[\"o\"]*5; "
			  "assert all(b[0]>a[0] for a,b in zip(l[1:],l[2:]))'",
			  image_path("a.cast")),
		0);
	assert_int_equal(
		image_run("python3 -c 'import xml.dom.minidom as m; d=m.parse(\"%s\"); "
			  "a=d.getElementsByTagName(\"animateTransform\")[0]; "
			  "assert len(a.getAttribute(\"values\").split(\";\"))==5 and "
			  "len(a.getAttribute(\"keyTimes\").split(\";\"))==5'",
			  image_path("a.svg")),
		0);
}

static void not_a_cast(const char *text)
{
	struct recording r;
	struct err err = ERR_INIT;
	FILE *f = fopen(image_path("bad.cast"), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_false(record_read(&r, image_path("bad.cast"), &err));
	assert_int_equal(err.class, ERR_USAGE);
}

static void test_what_is_none(void **state)
{
	struct recording r;
	struct err err = ERR_INIT;

	(void)state;
	not_a_cast("");
	not_a_cast("hello");
	not_a_cast(
		"{\"version\": 1, \"width\": 10, \"height\": 10}\n[0, \"o\", \"x\"]\n");
	not_a_cast("{\"version\": 2, \"width\": 0, \"height\": 10}\n[0, \"o\", \"x\"]\n");
	not_a_cast("{\"version\": 2, \"width\": 10, \"height\": 10}\n");
	assert_false(record_read(&r, image_path("none.cast"), &err));
	record_init(&r, 2, 2);
	err_clear(&err);
	assert_false(record_write(&r, image_path("a.gif"), &err));
	assert_int_equal(err.class, ERR_USAGE);
}

/* Sequences that it does not know, and places beyond the screen, do no harm. */
static void test_foreign_sequences(void **state)
{
	struct recording r;
	struct err err = ERR_INIT;
	FILE *f = fopen(image_path("f.cast"), "w");

	(void)state;
	assert_non_null(f);
	fputs("{\"version\": 2, \"width\": 10, \"height\": 2}\n"
	      "[0.0, \"o\", \"\\u001b[?25l\\u001b[2Jab\\r\\ncd\\u001b]\\u001b[99;99Hzz"
	      "\\u001b[38;5m\\u001b[;;;;;;;;;;;;;;;;;;;;;;m\\u001b\"]\n",
	      f);
	fclose(f);
	assert_true(record_read(&r, image_path("f.cast"), &err));
	assert_int_equal(r.frames.v[0].canvas.cells[0].ch, 'a');
	assert_int_equal(r.frames.v[0].canvas.cells[10].ch, 'c');
	record_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_what_is_none),
		cmocka_unit_test(test_foreign_sequences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
