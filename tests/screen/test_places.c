/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_places.c - marks and the region: by key, by mouse, by command, as a target. */
#include "sample.h"
#include "ui/cmd.h"
#include "ui/place.h"

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

static void line(const char *text)
{
	assert_true(cmd_run_line(&app, text));
	screen_draw(&app, &canvas);
}

static void fails(const char *text, const char *part)
{
	assert_false(cmd_run_line(&app, text));
	if (!strstr(app.message, part))
		fail_msg("%s: %s", text, app.message);
}

/* --- marks --- */

static void test_mark_keys(void **state)
{
	(void)state;
	line("goto 300");
	keys("ma");
	assert_shows(&canvas, "mark a is block 300");
	keys("gg");
	assert_int_equal(app.map.cursor, 1);
	keys("'a");
	assert_int_equal(app.map.cursor, 300);
	/* Back to where the jump began, and back again. */
	keys("''");
	assert_int_equal(app.map.cursor, 1);
	keys("''");
	assert_int_equal(app.map.cursor, 300);
	/* The letter stands in the gutter of its row. */
	assert_shows(&canvas, "   a>");
	keys("m1");
	assert_shows(&canvas, "a mark is one letter");
	keys("'z");
	assert_shows(&canvas, "there is no mark z; set one with: mark z");
	keys("m\033");
	assert_int_equal(app.key_prefix, 0);
	keys("m");
	assert_shows(&canvas, " m");
}

static void test_mark_commands(void **state)
{
	(void)state;
	line("mark x 500; mark B g1; goto 'x");
	assert_int_equal(app.map.cursor, 500);
	line("goto 'B");
	assert_int_equal(app.map.cursor, 1025);
	line("region 'B,'x");
	assert_int_equal(app.map.region.start, 500);
	assert_int_equal(app.map.region.len, 526);
	line("region 'x+10");
	assert_int_equal(app.map.region.len, 10);
	/* A quoted letter is a quoted letter. */
	line("mark 'x' 7");
	assert_int_equal(app.map.marks[mark_index('x')].block, 7);
	line("marks");
	fails("mark xx", "one letter");
	fails("mark ''", "one letter");
	fails("goto 'q", "there is no mark q");
	fails("region 'q,5", "there is no mark q");
	fails("mark a 99999", "blocks are 1 to 2047");
	fails("mark", "mark LETTER");
}

/* --- the region --- */

static void test_region_keys(void **state)
{
	blkno_t scale, first;

	(void)state;
	line("goto 300; zoom 4");
	app_say(&app, "an old message");
	keys("v");
	assert_shows_not(&canvas, "an old message");
	assert_true(app.map.selecting);
	first = app.map.region.start;
	scale = app.map.region.len;
	assert_int_equal(scale, 4);
	assert_true(first <= 300 && first + scale > 300);
	keys("lll");
	assert_int_equal(app.map.region.start, first);
	assert_int_equal(app.map.region.len, 16);
	assert_shows(&canvas, "region 297..312: 16 blocks, 11 free, 1 piece of files");
	/* Backwards over the anchor, whose cell stays in. */
	keys("hhhhh");
	assert_int_equal(app.map.region.start, first - 8);
	assert_int_equal(app.map.region.len, 12);
	/* A command moves the cursor too. */
	line("goto 500");
	assert_true(app.map.region.start + app.map.region.len > 500);
	keys("v");
	assert_false(app.map.selecting);
	keys("gg");
	assert_true(app.map.region.start + app.map.region.len > 500);
	keys("v");
	assert_int_equal(app.map.region.len, 0);
	keys("vG\033");
	assert_int_equal(app.map.region.len, 0);
}

static void test_region_targets(void **state)
{
	(void)state;
	fails("tag region", "there is no region");
	line("region 290,510; tag region");
	assert_int_equal(app.tags.n, 2);
	assert_true(app_is_tagged(&app, 12) && app_is_tagged(&app, 13));
	line("untag; region 600,600");
	keys(" ");
	assert_int_equal(app.tags.n, 1);
	assert_true(app_is_tagged(&app, 14));
	line("untag; region 1000,1010");
	fails("tag sel", "no file owns a block of sel");
	line("region clear");
	assert_int_equal(app.map.region.len, 0);
	fails("region 5000", "blocks are 1 to 2047");
	fails("region foo", "is no place");
}

/* Plans what owns the region, not the file under the cursor. */
static void test_region_defrag(void **state)
{
	(void)state;
	line("region 300,301; goto 1100");
	keys("d");
	while (engine_pump(app.engine))
		;
	app_drain(&app);
	assert_non_null(app.plan);
	assert_true(app.plan->moves.n > 0);
	for (size_t i = 0; i < app.plan->moves.n; i++)
		assert_int_equal(app.plan->moves.v[i].ino, 12);
}

static void mouse(enum mouse_kind kind, int row, int col)
{
	struct mouse m = {kind, row, col};

	screen_mouse(&app, &canvas, &m);
	screen_draw(&app, &canvas);
}

static void test_region_drag(void **state)
{
	blkno_t start;

	(void)state;
	line("zoom 2");
	mouse(MOUSE_PRESS, 2, 20);
	start = app.map.cursor;
	assert_int_equal(app.map.region.len, 0);
	mouse(MOUSE_DRAG, 2, 24);
	mouse(MOUSE_DRAG, 2, 29);
	assert_int_equal(app.map.region.start, start);
	assert_int_equal(app.map.region.len, 20);
	/* Let go outside of the map: it stays, and follows no more. */
	mouse(MOUSE_RELEASE, 23, 79);
	keys("G");
	assert_int_equal(app.map.region.len, 20);
	mouse(MOUSE_PRESS, 3, 20);
	assert_int_equal(app.map.region.len, 0);
	mouse(MOUSE_RELEASE, 3, 20);
}

/* Cells of the region are marked on the map: in reverse without colours. */
static void test_region_look(void **state)
{
	int reversed = 0;

	(void)state;
	line("zoom 2; region 301,310");
	for (int i = 0; i < 24 * 80; i++)
		reversed += (canvas.cells[i].style.attr & ATTR_REVERSE) != 0;
	line("region clear");
	for (int i = 0; i < 24 * 80; i++)
		reversed -= (canvas.cells[i].style.attr & ATTR_REVERSE) != 0;
	assert_int_equal(reversed, 5);
}

/* --- moving by hand --- */

static void pump(void)
{
	while (engine_pump(app.engine))
		;
	app_drain(&app);
	screen_draw(&app, &canvas);
}

/* Picked up is a fragment; its cells and the place below the cursor show as of a move. */
static void test_pick_fragment(void **state)
{
	(void)state;
	line("zoom 1; goto 302");
	keys("x");
	assert_int_equal(app.map.pick.start, 300);
	assert_int_equal(app.map.pick.len, 5);
	assert_shows(&canvas, "5 blocks from 300 picked up; here: free; x drops them");
	line("goto 598");
	assert_shows(&canvas, "here: 1 blocks in the way");
	line("goto 2045");
	assert_shows(&canvas, "here: too near to the end");
	line("goto 18");
	assert_shows(&canvas, "here: 3 blocks that never move");
	line("goto 700");
	assert_shows(&canvas, ".+>>>>.");
	keys("x");
	assert_int_equal(app.map.pick.len, 0);
	pump();
	assert_non_null(app.plan);
	assert_int_equal(app.plan->moves.n, 1);
	assert_int_equal(app.plan->moves.v[0].from, 300);
	assert_int_equal(app.plan->moves.v[0].to, 700);
	assert_int_equal(app.plan->moves.v[0].len, 5);
	assert_string_equal(app.repeat, ""); /* . does not do it again */
}

static void test_pick_region(void **state)
{
	(void)state;
	line("region 1100,1107; goto 1800");
	keys("x");
	assert_int_equal(app.map.pick.start, 1100);
	assert_int_equal(app.map.pick.len, 8);
	assert_int_equal(app.map.region.len, 0);
	screen_key(&app, &canvas, '\r');
	pump();
	assert_non_null(app.plan);
	for (size_t i = 0; i < app.plan->moves.n; i++)
		if (app.plan->moves.v[i].kind == MOVE_DATA)
			assert_int_equal(app.plan->moves.v[i].to,
					 app.plan->moves.v[i].from + 700);
}

/* The goals that take ranges take the region. */
static void test_region_goals(void **state)
{
	static const char *const lines[] = {"region 300,310; evacuate region",
					    "region 290,420; compact sel",
					    "region 300,304; move region 900"};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct range r;

		line(lines[i]);
		pump();
		r = app.map.region;
		assert_non_null(app.plan);
		assert_true(app.plan->moves.n > 0);
		for (size_t k = 0; k < app.plan->moves.n; k++)
			assert_true(app.plan->moves.v[k].from >= r.start &&
				    app.plan->moves.v[k].from < r.start + r.len);
		line("plan clear");
	}
}

static void test_pick_nothing(void **state)
{
	(void)state;
	line("goto 5");
	keys("x");
	assert_int_equal(app.map.pick.len, 0);
	assert_shows(&canvas, "nothing here that could be moved");
	line("goto 900");
	keys("x");
	assert_int_equal(app.map.pick.len, 0);
	/* Esc lets go of it before it leaves the region. */
	line("goto 100");
	keys("xv");
	assert_true(app.map.pick.len == 10 && app.map.region.len > 0);
	keys("\033");
	assert_true(app.map.pick.len == 0 && app.map.region.len > 0);
	keys("\033");
	assert_int_equal(app.map.region.len, 0);
}

#define WITH_APP(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_APP(test_mark_keys),     WITH_APP(test_mark_commands),
		WITH_APP(test_region_keys),   WITH_APP(test_region_targets),
		WITH_APP(test_region_defrag), WITH_APP(test_region_drag),
		WITH_APP(test_region_look),   WITH_APP(test_pick_fragment),
		WITH_APP(test_pick_region),   WITH_APP(test_pick_nothing),
		WITH_APP(test_region_goals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
