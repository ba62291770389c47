/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_search.c - looking for files, repeating a plan, scrolling: the keys / n N . ^E ^Y P. */
#include "sample.h"
#include "ui/cmd.h"
#include "ui/names.h"
#include "ui/prompt.h"
#include "ui/search.h"

static struct app app;
static struct canvas canvas;

/* Paths as the engine would bring them. */
static void name(inum_t ino, const char *path)
{
	char *paths[] = {(char *)path};
	size_t len = strlen(path);
	struct event ev = {
		.kind = EV_PATHS, .paths = paths, .path_len = &len, .path_count = 1};
	struct event end = {.kind = EV_ENDED};

	assert_null(names_get(app.names, ino, &(size_t){0}));
	names_flush(app.names, &app);
	assert_true(names_busy(app.names));
	names_event(app.names, &ev);
	names_event(app.names, &end);
	/* The engine has no volume: what it answers is nobody's. */
	while (engine_pump(app.engine))
		;
	app_drain(&app);
}

static int setup(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	sample_app(&app);
	name(12, "/var/log/Syslog");
	name(13, "/home/ada/thesis.tex");
	name(14, "/var");
	name(15, "/var/mail/ada");
	assert_true(canvas_init(&canvas, 24, 80));
	assert_true(prompt_init(&app, NULL, &err));
	screen_draw(&app, &canvas);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	prompt_release();
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

static void fails(const char *text, const char *part)
{
	assert_false(cmd_run_line(&app, text));
	if (!strstr(app.message, part))
		fail_msg("%s: %s", text, app.message);
}

static void pump(void)
{
	while (engine_pump(app.engine))
		;
	app_drain(&app);
	screen_draw(&app, &canvas);
}

/* The list is in order of inodes: 12 13 14 15. */
static void test_search(void **state)
{
	(void)state;
	keys("/ada\r");
	assert_int_equal(app.selected, 13);
	assert_int_equal(app.map.cursor, 500);
	assert_shows(&canvas, "/home/ada/thesis.tex");
	keys("n");
	assert_int_equal(app.selected, 15);
	assert_shows_not(&canvas, "went on");
	keys("n");
	assert_int_equal(app.selected, 13);
	assert_shows(&canvas, "(went on from the other end)");
	keys("N");
	assert_int_equal(app.selected, 15);
	keys("N");
	assert_int_equal(app.selected, 13);
	/* Back from the jump. */
	keys("''");
	assert_int_equal(app.map.cursor, 1100);
}

static void test_search_patterns(void **state)
{
	(void)state;
	assert_true(cmd_run_line(&app, "search syslog"));
	assert_int_equal(app.selected, 12);
	/* The only match is found again. */
	assert_true(cmd_run_line(&app, "search Syslog"));
	assert_int_equal(app.selected, 12);
	assert_true(cmd_run_line(&app, "search SYSLOG"));
	assert_shows_not(&canvas, "no path");
	assert_string_equal(app.message, "no path matches \"SYSLOG\"");
	assert_true(cmd_run_line(&app, "search t*.tex"));
	assert_int_equal(app.selected, 13);
	assert_true(cmd_run_line(&app, "search /var/*/a?a"));
	assert_int_equal(app.selected, 15);
	assert_true(cmd_run_line(&app, "search [x]"));
	assert_string_equal(app.message, "no path matches \"[x]\"");
	assert_false(app.search.active);
}

static void test_search_nothing(void **state)
{
	(void)state;
	fails("search", "nothing was looked for yet");
	keys("n");
	assert_shows(&canvas, "nothing was looked for yet");
	fails("search a b", "one word too many");
}

/* Names that are not there yet: the search waits for them, and says so. */
static void test_search_waits(void **state)
{
	(void)state;
	names_clear(app.names);
	keys("/wanted\r");
	assert_true(app.search.active);
	assert_shows(&canvas, "looking for \"wanted\"...");
	/* The engine has no volume and fails: not known is an answer too. */
	pump();
	assert_false(app.search.active);
	assert_string_equal(app.message, "no path matches \"wanted\"");
}

static void test_repeat(void **state)
{
	(void)state;
	keys(".");
	assert_shows(&canvas, "nothing was planned yet");
	assert_true(cmd_run_line(&app, "goto 300"));
	keys("d");
	pump();
	assert_non_null(app.plan);
	assert_int_equal(app.plan->moves.v[0].ino, 12);
	/* The same for another file. */
	assert_true(cmd_run_line(&app, "plan clear; goto 1100"));
	keys(".");
	pump();
	assert_non_null(app.plan);
	assert_int_equal(app.plan->moves.v[0].ino, 15);
	keys("P");
	assert_null(app.plan);
	/* A typed line is repeated as typed. */
	assert_true(cmd_run_line(&app, "echo x; defrag \"ino 12\"; plan clear"));
	pump();
	assert_null(app.plan);
	assert_string_equal(app.repeat, "defrag \"ino 12\"");
	keys(".");
	pump();
	assert_int_equal(app.plan->moves.v[0].ino, 12);
}

static void press(int key)
{
	screen_key(&app, &canvas, key);
	screen_draw(&app, &canvas);
}

static void test_scroll(void **state)
{
	(void)state;
	assert_true(cmd_run_line(&app, "zoom 1; goto 400"));
	screen_draw(&app, &canvas);
	press(KEY_CTRL('y'));
	assert_int_equal(app.map.top, 1);
	press(KEY_CTRL('e'));
	assert_true(app.map.top > 1);
	assert_int_equal(app.map.cursor, 400);
	/* Far enough, and the cursor has to come along: it stays in its column. */
	for (int i = 0; i < 9; i++)
		press(KEY_CTRL('e'));
	assert_true(app.map.cursor > 400 && app.map.cursor >= app.map.top);
	assert_int_equal((app.map.cursor - 400) % 75, 0);
}

#define WITH_APP(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_APP(test_search),	       WITH_APP(test_search_patterns),
		WITH_APP(test_search_nothing), WITH_APP(test_search_waits),
		WITH_APP(test_repeat),	       WITH_APP(test_scroll),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
