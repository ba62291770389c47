/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_language.c - what a user makes of the command language: aliases, keys of one's own,
 * options, completion of both, the start file.
 */
#include "tests/screen/sample.h"
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ui/bind.h"
#include "ui/cmd.h"
#include "ui/options.h"
#include "ui/prompt.h"
#include "ui/script.h"

static struct app app;
static struct canvas canvas;

static int setup(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	sample_app(&app);
	assert_true(canvas_init(&canvas, 30, 90));
	assert_true(prompt_init(&app, NULL, &err));
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

static void says(const char *line, const char *text)
{
	app.message[0] = '\0';
	cmd_run_line(&app, line);
	if (!strstr(app.message, text))
		fail_msg("%s: \"%s\" instead of \"%s\"", line, app.message, text);
}

static void works(const char *line)
{
	app.message[0] = '\0';
	if (!cmd_run_line(&app, line))
		fail_msg("%s: %s", line, app.message);
}

static void press(int key)
{
	screen_key(&app, &canvas, key);
}

/* --- aliases --- */

static void test_alias(void **state)
{
	(void)state;
	works("alias big tag {blocks>40}");
	says("big", "2 files tagged");
	works("untag");
	/* What follows is the rest of its line, and commands after it come after it. */
	works("alias t tag; t \"ino 12\"; select \"ino 13\"");
	assert_int_equal(app.tags.n, 1);
	assert_int_equal(app.selected, 13);
	works("alias both=\"untag; tag {frag>1}\"");
	says("both", "2 files tagged");
	says("alias both", "alias both untag; tag {frag>1}");
	says("alias b", "there is no alias b");
	/* A failure inside ends the line outside. */
	app.selected = 0;
	works("alias bad tag {frag>1000}");
	assert_false(cmd_run_line(&app, "bad; select \"ino 12\""));
	assert_int_equal(app.selected, 0);
	/* Its own name inside means the verb, or nothing: no endless loop. */
	works("alias t tag {frag>50}; untag");
	says("t", "1 file tagged");
	works("alias loop loop");
	says("loop", "unknown command \"loop\"");
	works("alias a1 a2");
	works("alias a2 a1");
	says("a1", "a1");
	/* It may change itself while it runs. */
	works("alias me \"alias me echo two; echo one\"");
	says("me", "one");
	says("me", "two");
	works("unalias me");
	says("me", "unknown command");
	says("unalias me", "there is no alias me");
	says("alias run tag", "run is a command");
	says("alias a/b tag", "letters, digits");
}

/* --- keys --- */

static void key_is(const char *name, int want)
{
	int key = -1;

	if (!bind_parse_key(name, &key))
		key = -1;
	if (key != want)
		fail_msg("%s: %x instead of %x", name, (unsigned)key, (unsigned)want);
}

static void test_key_names(void **state)
{
	(void)state;
	key_is("x", 'x');
	key_is("^X", KEY_CTRL('x'));
	key_is("C-x", KEY_CTRL('x'));
	key_is("M-x", KEY_UI_META + 'x');
	key_is("gx", KEY_AFTER_G('x'));
	key_is("g", 'g');
	key_is("F5", KEY_UI_F5);
	key_is("F10", KEY_UI_F10);
	key_is("F", 'F');
	key_is("space", ' ');
	key_is("Enter", '\r');
	key_is("PgDn", KEY_UI_PGDN);
	key_is("S-Tab", KEY_UI_BACKTAB);
	key_is("F11", -1);
	key_is("F5x", -1);
	key_is("^1", -1);
	key_is("xy", -1);
	key_is("", -1);
}

static void test_bind(void **state)
{
	char *line;

	(void)state;
	app.map.cursor = 500; /* inode 13 */
	works("bind X tag {file}");
	press('X');
	assert_true(app.tags.n == 1 && app_is_tagged(&app, 13));
	/* It goes before the program's own key, in one pane or in all. */
	works("unbind X; bind --in files d \"untag; tag ino 12\"");
	app.focus = FOCUS_FILES;
	press('d');
	assert_true(app.tags.n == 1 && app_is_tagged(&app, 12));
	says("bind", "bind --in Files d untag; tag ino 12");
	works("unbind d --in files");
	says("unbind d", "d was not bound");
	/* With : it waits in the prompt. */
	works("bind gF :filter frag>");
	press('g');
	press('F');
	assert_true(prompt_active());
	prompt_feed("50\r", 3);
	line = prompt_take();
	assert_string_equal(line, "filter frag>50");
	free(line);
	/* Function keys have their label in the bar. */
	works("bind F6 spotlight on");
	screen_draw(&app, &canvas);
	assert_shows(&canvas, "6spotl");
	press(KEY_UI_F6);
	assert_true(app.map.spotlight);
	/* Help shows them. */
	works("alias big files size>1M; help");
	for (int i = 0; i < 120; i++) {
		app.help_scroll = i;
		screen_draw(&app, &canvas);
		if (sample_find(&canvas, "spotlight on") >= 0)
			break;
	}
	assert_shows(&canvas, "spotlight on");
	app.help_open = false;
	works("unbind F6; unbind gF");
	says("bind", "no keys are bound");
	says("bind F12 tag", "\"F12\" is no key");
	says("bind X", "usage: bind");
	says("bind --in attic X tag", "\"attic\" is no pane");
}

static void test_long_line(void **state)
{
	struct str line = STR_INIT;

	(void)state;
	str_add(&line, "bind X \"");
	for (int i = 0; i < 60; i++)
		str_add(&line, "echo x; ");
	str_add(&line, "tag ino 15\"");
	works(line.buf);
	press('X');
	assert_true(app_is_tagged(&app, 15));
	str_release(&line);
}

/* --- options --- */

static void test_options(void **state)
{
	struct str line = STR_INIT;

	(void)state;
	/* Each value of each option can be set, and is then what it says. */
	for (size_t i = 0; i < ui_option_count; i++) {
		const struct ui_option *o = &ui_options[i];
		char values[100], *save = NULL;

		snprintf(values, sizeof(values), "%s",
			 o->values ? o->values
			 : o->unit ? !strcmp(o->unit, "SIZE") ? "0K 64K" : "7 0.5"
				   : "default");
		for (char *v = strtok_r(values, " ", &save); v;
		     v = strtok_r(NULL, " ", &save)) {
			str_clear(&line);
			str_addf(&line, "set %s=%s", o->name, v);
			works(line.buf);
			if (strcmp(o->get(&app), v))
				fail_msg("%s: %s", line.buf, o->get(&app));
			str_clear(&line);
			str_addf(&line, "%s=%s", o->name, v);
			says("set", line.buf + strlen(line.buf)); /* it is listed */
		}
	}
	str_release(&line);
	works("set mouse=off spot=on");
	assert_false(app.mouse);
	assert_true(app.map.spotlight);
	works("set mouse");
	assert_true(app.mouse);
	says("set theme?", "theme=default");
	says("set theme=nothing", "\n  set theme=nothing\n      ^");
	says("set c=1", "no option is called \"c\"");
	says("set animate=off mouse=maybe", "mouse is one of: on off");
}

static void test_theme_preview(void **state)
{
	(void)state;
	press(':');
	for (const char *p = "theme \t\t"; *p; p++)
		press(*p);
	assert_string_equal(app.theme_id, "default");
	press('\t');
	assert_string_equal(app.theme_id, "dos"); /* seen while it is chosen */
	press('\t');
	assert_string_equal(app.theme_id, "high-contrast");
	press(0x1b); /* the list goes, and what it showed */
	assert_string_equal(app.theme_id, "default");
	press(0x1b);
	assert_false(prompt_active());
	press(':');
	for (const char *p = "theme \t\t\t\r"; *p; p++)
		press(*p);
	assert_string_equal(app.theme_id, "dos");
}

/* --- the start file --- */

static char rc[300];

static void write_rc(const char *text, mode_t mode)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	char dir[250];
	FILE *f;

	assert_non_null(config);
	mkdir(config, 0700);
	snprintf(dir, sizeof(dir), "%s/cdefrag", config);
	mkdir(dir, 0700);
	snprintf(rc, sizeof(rc), "%s/rc", dir);
	f = fopen(rc, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	chmod(rc, mode);
}

static void test_rc(void **state)
{
	char dir[] = "/tmp/cdefrag-rc-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(dir));
	setenv("XDG_CONFIG_HOME", dir, 1);
	script_run_rc(&app); /* none: no error */
	assert_string_equal(app.message, "");
	write_rc("# mine\nset mouse=off\nset speed=9\nalias big tag {blocks>40}\n", 0600);
	script_run_rc(&app);
	assert_false(app.mouse);
	assert_non_null(strstr(app.message, "/cdefrag/rc:3: no option is called"));
	says("big", "2 files tagged"); /* lines after a faulty one are run */
	write_rc("set mouse=on\n", 0622);
	script_run_rc(&app);
	assert_false(app.mouse);
	assert_non_null(strstr(app.message, "is not run: others could have written it"));
	unlink(rc);
	*strrchr(rc, '/') = '\0';
	rmdir(rc);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_alias, setup, teardown),
		cmocka_unit_test_setup_teardown(test_key_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bind, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_line, setup, teardown),
		cmocka_unit_test_setup_teardown(test_options, setup, teardown),
		cmocka_unit_test_setup_teardown(test_theme_preview, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rc, setup, teardown),
	};

	return cmocka_run_group_tests_name("language", tests, NULL, NULL);
}
