/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_screen.c - layout at all sizes, the lines around the panes, messages. */
#include "sample.h"
#include "ui/prompt.h"

static struct app app;
static struct canvas canvas;

static int setup(void **state)
{
	(void)state;
	sample_app(&app);
	assert_true(canvas_init(&canvas, 24, 80));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	canvas_release(&canvas);
	sample_release(&app);
	return 0;
}

static void draw_at(int rows, int cols)
{
	assert_true(canvas_resize(&canvas, rows, cols));
	screen_draw(&app, &canvas);
}

/* Parts inside the screen, none on another, and no cell without a part. */
static void check_cover(int rows, int cols)
{
	char *seen = calloc((size_t)rows, (size_t)cols);
	struct screen_layout l;

	assert_non_null(seen);
	screen_layout(&l, rows, cols);
	for (int i = 0; i < PART_COUNT; i++)
		for (int r = 0; r < l.part[i].rows; r++)
			for (int c = 0; c < l.part[i].cols; c++) {
				int row = l.part[i].row + r, col = l.part[i].col + c;

				assert_in_range(row, 0, rows - 1);
				assert_in_range(col, 0, cols - 1);
				assert_int_equal(seen[row * cols + col]++, 0);
			}
	for (int i = 0; i < rows * cols; i++)
		assert_int_equal(seen[i], l.too_small ? 0 : 1);
	free(seen);
}

static void test_layout_covers(void **state)
{
	(void)state;
	for (int rows = 1; rows < 70; rows++)
		for (int cols = 1; cols < 210; cols += cols < 30 ? 29 : 1)
			check_cover(rows, cols);
}

static void test_layout_shapes(void **state)
{
	struct screen_layout l;

	(void)state;
	screen_layout(&l, 24, 80);
	assert_false(l.wide);
	assert_in_range(l.part[PART_MAP].rows, 12, 14);
	assert_int_equal(l.part[PART_MAP].cols, 80);
	assert_int_equal(l.part[PART_BOTTOM].rows, 5);
	screen_layout(&l, 40, 120);
	assert_true(l.wide);
	assert_int_equal(l.part[PART_FILES].cols, 38);
	assert_int_equal(l.part[PART_MAP].cols, 81);
	assert_true(l.part[PART_INSPECT].rows >= 10);
	/* What goes first when rows are few. */
	screen_layout(&l, 14, 80);
	assert_int_equal(l.part[PART_TABS].rows, 0);
	assert_int_equal(l.part[PART_JOB].rows, 1);
	screen_layout(&l, 10, 40);
	assert_false(l.too_small);
	assert_int_equal(l.part[PART_JOB].rows, 0);
	assert_true(l.part[PART_MAP].rows >= 3 && l.part[PART_BOTTOM].rows >= 3);
	screen_layout(&l, 9, 200);
	assert_true(l.too_small);
	screen_layout(&l, 50, 39);
	assert_true(l.too_small);
}

static void test_narrow(void **state)
{
	(void)state;
	draw_at(24, 80);
	assert_string_equal(sample_row(&canvas, 0),
			    " sample.img ext4 2.0M 1k-blk 2 grp  used 14%  frag 50.0%"
			    "                   [RW]");
	assert_string_equal(sample_row(&canvas, 14),
			    "> Map --[Files]-- Inspect -- Plan -- Jobs -- Journal -- Log -- "
			    "Tree ------------");
	assert_shows(&canvas, "FRAG");
	assert_shows(&canvas, "3      20K        12          100");
	assert_shows(&canvas, "3 files, 2 fragmented, score ");
	assert_string_equal(sample_row(&canvas, 23),
			    "1Help   2View   3Find   4Sort   5Tag    6Plan   7Step   8Run"
			    "    9Undo   10Quit");
	assert_int_equal(canvas.cursor_row, -1);
}

static void test_wide(void **state)
{
	(void)state;
	draw_at(40, 120);
	assert_shows(&canvas, "1k blocks  2 groups  used 14%  frag 50.0%");
	assert_shows(&canvas, "[RW clean]");
	assert_shows(&canvas, "- Inspect -");
	assert_shows(&canvas, "> Map --[Plan]-- Jobs -- Journal -- Log ");
	assert_shows(&canvas, "no plan");
	draw_at(50, 200);
	assert_shows(&canvas, "- Inspect -");
	assert_int_equal(sample_find(&canvas, "1Help"), 49);
}

static void test_small(void **state)
{
	static const int sizes[][2] = {{1, 1}, {5, 20}, {1, 200}, {200, 1}, {9, 80}};

	(void)state;
	draw_at(10, 40);
	assert_shows(&canvas, "sample.img");
	assert_string_equal(sample_row(&canvas, 9),
			    "1Help 5Tag 6Plan 7Step 8Run 9Undo 10Quit");
	assert_shows_not(&canvas, "too small");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		draw_at(sizes[i][0], sizes[i][1]);
		assert_shows_not(&canvas, "FRAG");
	}
	draw_at(9, 80);
	assert_shows(&canvas, "terminal too small (need 40x10)");
	draw_at(5, 20);
	assert_shows(&canvas, "terminal too small (");
}

static void test_header_without_volume(void **state)
{
	(void)state;
	app.open = false;
	app.volume.path[0] = '\0';
	model_free(app.model);
	app.model = NULL;
	draw_at(24, 80);
	assert_string_equal(sample_row(&canvas, 0), " cdefrag");
	assert_shows(&canvas, "no volume is open");
	assert_shows_not(&canvas, "[RW]");
}

static void test_focus_shows(void **state)
{
	(void)state;
	draw_at(24, 80);
	app.focus = app.lower = FOCUS_INSPECT;
	screen_draw(&app, &canvas);
	assert_shows(&canvas, "- Map -- Files ->[Inspect]-- Plan ");
	/* The lower pane stays when the focus goes back to the map. */
	app.focus = FOCUS_MAP;
	screen_draw(&app, &canvas);
	assert_shows(&canvas, "> Map -- Files --[Inspect]-- Plan ");
	app_show_tab(&app, TAB_LOG);
	screen_draw(&app, &canvas);
	assert_shows(&canvas, "[Log]");
	assert_int_equal(app.focus, FOCUS_MAP);
	/* A tab that comes to the front takes the focus of what it hides, if it does. */
	app.focus = app.lower = FOCUS_FILES;
	draw_at(40, 120);
	app_show_tab(&app, TAB_PLAN);
	screen_draw(&app, &canvas);
	assert_int_equal(app.focus, FOCUS_FILES);
	draw_at(24, 80);
	assert_int_equal(app.focus, FOCUS_BOTTOM);
}

static void test_job_line(void **state)
{
	(void)state;
	app.job = 7;
	strcpy(app.job_name, "defrag /var");
	app.progress = (struct progress){.job = "run",
					 .phase = "copy",
					 .done = 45,
					 .total = 100,
					 .moves_done = 43,
					 .moves_total = 96,
					 .bytes_per_second = 18 << 20,
					 .eta_ms = 6500};
	draw_at(24, 80);
	assert_shows(&canvas, " run [############..............]  45%  #43/96  copy  "
			      "18M/s  0:07  ^C stop");
	app.theme.utf8 = true;
	draw_at(24, 80);
	assert_shows_not(&canvas, "[###");
	app.job = 0;
	screen_draw(&app, &canvas);
	assert_shows_not(&canvas, "^C stop");
}

static void test_messages(void **state)
{
	(void)state;
	draw_at(24, 80);
	app_say(&app, "short");
	screen_draw(&app, &canvas);
	assert_int_equal(sample_find(&canvas, " short"), 22);
	/* Two lines: a caret under a word stays where it belongs. */
	strcpy(app.message, "defrag /nowhere\n       ^ no such file");
	screen_draw(&app, &canvas);
	assert_string_equal(sample_row(&canvas, 21), " defrag /nowhere");
	assert_string_equal(sample_row(&canvas, 22), "        ^ no such file");
	memset(app.message, 'x', sizeof(app.message) - 1);
	app.message[sizeof(app.message) - 1] = '\0';
	memcpy(app.message, "first words ", 12);
	screen_draw(&app, &canvas);
	assert_int_equal(sample_find(&canvas, " first words"), 19);
	assert_int_equal(sample_find(&canvas, "1Help"), 23);
	app_ask(&app, "run 96 moves?", "run!");
	screen_draw(&app, &canvas);
	assert_string_equal(sample_row(&canvas, 22), " run 96 moves? (y/n)");
}

static void test_flaws_in_header(void **state)
{
	(void)state;
	app.volume.write = false;
	app.flaws.count = 3;
	draw_at(24, 80);
	assert_shows(&canvas, "[RO, 3 flaws]");
}

static void test_dangerous_volume_name(void **state)
{
	(void)state;
	strcpy(app.volume.path, "/tmp/evil\033[2Jname");
	draw_at(24, 80);
	assert_shows(&canvas, "evil\\x1B[2J");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout_covers),
		cmocka_unit_test(test_layout_shapes),
		cmocka_unit_test_setup_teardown(test_narrow, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wide, setup, teardown),
		cmocka_unit_test_setup_teardown(test_small, setup, teardown),
		cmocka_unit_test_setup_teardown(test_header_without_volume, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_focus_shows, setup, teardown),
		cmocka_unit_test_setup_teardown(test_job_line, setup, teardown),
		cmocka_unit_test_setup_teardown(test_messages, setup, teardown),
		cmocka_unit_test_setup_teardown(test_flaws_in_header, setup, teardown),
		cmocka_unit_test_setup_teardown(test_dangerous_volume_name, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
