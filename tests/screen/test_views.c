/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_views.c - the map in its other forms: without breaks, as a table of groups, after the
 * plan, before and after at once, coloured by the plan.
 */
#include "sample.h"
#include <time.h>
#include "ui/after.h"
#include "ui/ages.h"
#include "ui/cmd.h"
#include "ui/map_frame.h"

static struct app app;
static struct canvas canvas;

static int setup(void **state)
{
	(void)state;
	sample_app(&app);
	assert_true(canvas_init(&canvas, 24, 80));
	screen_draw(&app, &canvas);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	canvas_release(&canvas);
	sample_release(&app);
	return 0;
}

static void keys(const char *text)
{
	for (; *text; text++)
		screen_key(&app, &canvas, (unsigned char)*text);
	screen_draw(&app, &canvas);
}

static void press(int key)
{
	screen_key(&app, &canvas, key);
	screen_draw(&app, &canvas);
}

static void line(const char *text)
{
	assert_true(cmd_run_line(&app, text));
	while (engine_pump(app.engine))
		;
	app_drain(&app);
	screen_draw(&app, &canvas);
}

static void fails(const char *text, const char *part)
{
	assert_false(cmd_run_line(&app, text));
	if (!strstr(app.message, part))
		fail_msg("%s: %s", text, app.message);
}

static void mouse(enum mouse_kind kind, int row, int col)
{
	struct mouse m = {kind, row, col};

	screen_mouse(&app, &canvas, &m);
	screen_draw(&app, &canvas);
}

/* --- linear --- */

static void test_linear(void **state)
{

	(void)state;
	line("goto 1025");
	/* A group starts a row; without breaks it does not. */
	assert_int_equal(strncmp(sample_row(&canvas, 6), "  1 >+", 6), 0);
	keys("V");
	assert_int_equal(app.map.view, VIEW_LINEAR);
	assert_int_equal(app.map.cursor, 1025);
	assert_int_equal(sample_find(&canvas, " >+"), -1);
	assert_shows(&canvas, "3 blk/cell");
	line("map groups");
	assert_int_equal(app.map.view, VIEW_GROUPS);
	line("map linear; zoom 5");
	assert_shows(&canvas, "5 blk/cell");
	fails("map hilbert", "is not one of: groups, linear, table, now, after, split");
	fails("map after", "there is no plan to look at");
}

/* --- the table --- */

static void test_table(void **state)
{
	(void)state;
	keys("VV");
	assert_int_equal(app.map.view, VIEW_TABLE);
	assert_shows(&canvas, "GRP  BLOCKS");
	assert_shows(&canvas, "USED  HOLES  FRAGS LARGEST  FILES PIECED");
	/* Group 0: 20 + 20 + 50 + 1 of 1024 blocks; holes between. */
	assert_shows(&canvas, "8%      6      5     424      3      1");
	/* Group 1: 200 of 1023 blocks in 100 fragments of one file. */
	assert_shows(&canvas, "19%    101    100     550      1      1");
	keys("j");
	assert_int_equal(app.map.cursor, 1025);
	keys("j");
	assert_int_equal(app.map.cursor, 1025);
	keys("k");
	assert_int_equal(app.map.cursor, 1);
	/* A region of whole groups. */
	keys("vj");
	assert_int_equal(app.map.region.start, 1);
	assert_int_equal(app.map.region.len, 2047);
	press(0x1b);
	keys("G");
	assert_int_equal(app.map.cursor, 2047);
	press('\r');
	assert_int_equal(app.map.view, VIEW_GROUPS);
	keys("VVgg+");
	assert_int_equal(app.map.view, VIEW_GROUPS);
	assert_int_equal(app.map.cursor, 1);
}

static void test_table_mouse(void **state)
{
	(void)state;
	line("groups"); /* the same as: map table */
	assert_int_equal(app.map.view, VIEW_TABLE);
	mouse(MOUSE_PRESS, 3, 20);
	assert_int_equal(app.map.cursor, 1025);
	mouse(MOUSE_UP, 3, 20);
	assert_int_equal(app.map.cursor, 1);
	mouse(MOUSE_DOUBLE, 3, 20);
	assert_int_equal(app.map.view, VIEW_GROUPS);
	assert_int_equal(app.map.cursor, 1025);
}

/* The figures follow moves; only groups that were touched are counted again. */
static void test_table_follows(void **state)
{
	struct event *ev = calloc(1, sizeof(*ev));
	struct move move = {.ino = 12, .len = 5, .lblk = 10, .from = 300, .to = 110};

	(void)state;
	assert_non_null(ev);
	line("map table");
	assert_shows(&canvas, "8%      6      5     424      3      1");
	ev->kind = EV_MOVED;
	ev->moves = malloc(sizeof(move));
	ev->moves[0] = move;
	ev->move_count = 1;
	assert_true(app_event(&app, ev));
	screen_draw(&app, &canvas);
	assert_shows(&canvas, "8%      5      4     424      3      1");
	assert_shows(&canvas, "19%    101    100     550      1      1");
}

/* --- the plan --- */

static void test_after(void **state)
{
	const struct forecast *after;
	struct run r;

	(void)state;
	keys("A");
	assert_shows(&canvas, "there is no plan to look at");
	assert_false(app.map.after);
	line("zoom 4; goto 300; defrag \"ino 12\"");
	after = after_get(&app);
	assert_non_null(after);
	forecast_at(after, 300, &r);
	assert_int_equal(r.kind, OWNER_FREE);
	keys("A");
	assert_true(app.map.after);
	assert_shows(&canvas, "after the plan:");
	assert_shows(&canvas, "| then free");
	keys("A");
	assert_shows_not(&canvas, "after the plan:");
	assert_shows_not(&canvas, "| then");
	line("map after");
	assert_shows(&canvas, "after the plan:");
	/* Gone with the plan. */
	line("plan clear");
	assert_shows_not(&canvas, "after the plan:");
	assert_null(after_get(&app));
}

/* Fragmented cells of a part of the screen: letters are files in pieces. */
static int letters(int first, int last)
{
	int n = 0;

	for (int row = first; row <= last; row++)
		for (const char *p = sample_row(&canvas, row) + 5; *p; p++)
			n += *p >= 'a' && *p <= 'z';
	return n;
}

static void test_split(void **state)
{
	int rule;

	(void)state;
	line("defrag %");
	keys("|");
	assert_true(app.map.split);
	rule = sample_find(&canvas, "- after the plan -");
	assert_true(rule > 2);
	assert_true(letters(1, rule - 1) > 20);
	assert_int_equal(letters(rule + 1, rule * 2 - 1), 0);
	/* The cursor stands in both; a click below sets it as one above. */
	line("goto 500");
	mouse(MOUSE_PRESS, rule + 1, 30);
	assert_int_equal(app.map.cursor, 1 + 25 * 7);
	mouse(MOUSE_PRESS, 1, 30);
	assert_int_equal(app.map.cursor, 1 + 25 * 7);
	mouse(MOUSE_PRESS, rule, 30);
	assert_int_equal(app.map.cursor, 1 + 25 * 7);
	keys("|");
	assert_shows_not(&canvas, "- after the plan -");
	line("map split; map now");
	assert_shows_not(&canvas, "- after the plan -");
}

/* Counts a glyph on the map. */
static int glyphs(char c)
{
	int n = 0;

	for (int row = 1; row < 12; row++)
		for (const char *p = sample_row(&canvas, row); *p; p++)
			n += *p == c;
	return n;
}

static void test_plan_colours(void **state)
{
	(void)state;
	/* Without a plan c passes that mode over. */
	keys("ccccc");
	assert_int_equal(app.map.color, COLOR_BY_FILE);
	line("zoom 1; goto 300");
	keys("d");
	line("echo");
	assert_non_null(app.plan);
	/* The file was selected, and where it goes shows in any colours. */
	assert_int_equal(app.selected, 12);
	assert_true(glyphs('>') >= 10);
	assert_int_equal(glyphs('<'), 0);
	keys("ccccc");
	assert_int_equal(app.map.color, COLOR_BY_PLAN);
	assert_shows(&canvas, ".free");
	assert_shows(&canvas, "stays <from >to");
	line("color plan; select \"ino 13\"; goto 300");
	assert_true(glyphs('<') >= 5);
	keys("c");
	assert_int_equal(app.map.color, COLOR_BY_FILE);
	assert_int_equal(glyphs('<'), 0);
}

/* --- ages --- */

static void test_ages(void **state)
{
	int64_t now = (int64_t)time(NULL);
	struct inode_times times[] = {
		{12, now - 100, 0, 0},	       /* today */
		{13, 0, now - 20 * 86400, 0},  /* within a month */
		{14, now - 400 * 86400, 0, 0}, /* older */
		{15, now + 5 * 86400, 1, 0},   /* from the future: today */
	};
	struct event *ev = calloc(1, sizeof(*ev));

	(void)state;
	assert_non_null(ev);
	line("zoom 1; color age");
	assert_shows(&canvas, "day");
	ev->kind = EV_TIMES;
	ev->ticket = app.ages.ticket = 77;
	for (int i = 0; i < 4; i++)
		assert_true(vec_push(&ev->times, times[i]));
	assert_true(app_event(&app, ev));
	ev = calloc(1, sizeof(*ev));
	assert_non_null(ev);
	ev->kind = EV_ENDED;
	ev->ticket = 77;
	assert_true(app_event(&app, ev));
	assert_int_equal(app.ages.ticket, 0);
	line("goto 100");
	assert_shows(&canvas, ".+ddddddddd...");
	line("goto 500");
	assert_shows(&canvas, ".+mmmmmmmm");
	line("goto 300");
	assert_shows(&canvas, "....o");
	line("goto 1300");
	assert_shows(&canvas, "..dd..dd..dd");
	/* What is not known is not invented. */
	app.ages.v[12] = AGE_UNKNOWN;
	line("goto 100");
	assert_shows(&canvas, ".+?????????...");
}

/* Any view at any size: nothing is drawn outside, no key does harm. */
static void test_sizes(void **state)
{
	static const int sizes[][2] = {{1, 1},	 {2, 3},   {10, 40},
				       {11, 41}, {24, 80}, {50, 200}};
	static const char letters_[] = "VA|cjkhlvG+-=z";

	(void)state;
	line("defrag %");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_true(canvas_resize(&canvas, sizes[i][0], sizes[i][1]));
		for (int k = 0; k < 200; k++) {
			screen_key(&app, &canvas,
				   letters_[k * 7 % (sizeof(letters_) - 1)]);
			screen_draw(&app, &canvas);
		}
	}
}

#define WITH_APP(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_APP(test_linear),	     WITH_APP(test_table),
		WITH_APP(test_table_mouse),  WITH_APP(test_table_follows),
		WITH_APP(test_after),	     WITH_APP(test_split),
		WITH_APP(test_plan_colours), WITH_APP(test_ages),
		WITH_APP(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
