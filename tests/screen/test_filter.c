/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_filter.c - filters: what they say of the sample volume (worked out by hand), what
 * is wrong with a faulty one and where, filters as targets, in the list and on its head.
 */
#include "tests/screen/sample.h"
#include <stdio.h>
#include "ui/cmd.h"
#include "ui/filter.h"

static struct app app;

static int setup(void **state)
{
	(void)state;
	sample_app(&app);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	sample_release(&app);
	return 0;
}

/* The inodes as text: "12 15". Paths are not known here. */
static const char *matches(const char *text)
{
	static char out[64];
	struct run_list runs = {0};
	struct err err = ERR_INIT;
	struct file_row row;
	struct filter f;
	bool oom = false;
	int n = 0;

	out[0] = '\0';
	if (!filter_parse(text, &f, NULL, &err))
		fail_msg("%s: %s", text, err.msg);
	for (inum_t ino = 12; ino <= 15; ino++) {
		enum filter_verdict v;

		assert_true(file_row_get(app.model, ino, &runs, &row, &oom));
		v = filter_test(&f, app.model, &row, NULL);
		if (v != FILTER_NO)
			n += sprintf(out + n, "%s%u%s", n ? " " : "", ino,
				     v == FILTER_YES ? "" : "?");
	}
	vec_release(&runs);
	filter_release(&f);
	return out;
}

static void test_figures(void **state)
{
	(void)state;
	assert_string_equal(matches(""), "12 13 14 15");
	assert_string_equal(matches("frag>1"), "12 15");
	assert_string_equal(matches("frags >= 3 blocks<100"), "12");
	assert_string_equal(matches("fragments=1"), "13 14");
	assert_string_equal(matches("excess>2"), "15");
	assert_string_equal(matches("ideal!=1"), "");
	assert_string_equal(matches("size<2K"), "14");
	assert_string_equal(matches("si=20k"), "12 13 15");
	assert_string_equal(matches("inode>13"), "14 15");
	assert_string_equal(matches("first<=500"), "12 13");
	assert_string_equal(matches("group=1"), "15");
	/* 12: 17 of 19 pairs are close; 15: 100 of 199; the others are whole. */
	assert_string_equal(matches("score<90%"), "12 15");
	assert_string_equal(matches("score<80"), "15");
	assert_string_equal(matches("score=100"), "13 14");
	assert_string_equal(matches("type=dir"), "14");
	assert_string_equal(matches("type!=d"), "12 13 15");
}

static void test_logic(void **state)
{
	(void)state;
	assert_string_equal(matches("!frag>1"), "13 14");
	assert_string_equal(matches("! type=dir blocks<100"), "12 13");
	assert_string_equal(matches("frag>50 | blocks=1"), "14 15");
	assert_string_equal(matches("| frag>50|blocks=1 type=file |"), "15");
	/* A name decides only where the rest leaves it open. */
	assert_string_equal(matches("frag>1 name~*.log"), "12? 15?");
	assert_string_equal(matches("blocks=1 | name=x"), "12? 13? 14 15?");
	assert_string_equal(matches("log"), "12? 13? 14? 15?");
	assert_string_equal(matches("blocks>1 !log"), "12? 13? 15?");
}

static const char *verdict(const char *text, const char *path)
{
	struct run_list runs = {0};
	struct file_row row;
	struct filter f;
	bool oom = false;
	int v;

	assert_true(filter_parse(text, &f, NULL, NULL));
	assert_true(file_row_get(app.model, 12, &runs, &row, &oom));
	v = (int)filter_test(&f, app.model, &row, path);
	vec_release(&runs);
	filter_release(&f);
	return v == FILTER_YES ? "yes" : v == FILTER_NO ? "no" : "?";
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(verdict("name~*.log", "/var/log/a.LOG"), "yes");
	assert_string_equal(verdict("name~*.Log", "/var/log/a.log"), "no");
	assert_string_equal(verdict("name~var", "/var/log/a.log"), "no");
	assert_string_equal(verdict("path~var", "/var/log/a.log"), "yes");
	assert_string_equal(verdict("path~/var/*", "/var/log/a.log"), "yes");
	assert_string_equal(verdict("name=a.log", "/var/log/a.log"), "yes");
	assert_string_equal(verdict("name!=a.log", "/var/log/a.log"), "no");
	assert_string_equal(verdict("name!~*.log", "/var/log/a.db"), "yes");
	assert_string_equal(verdict("name~\"two words\"", "/x/two words"), "yes");
	assert_string_equal(verdict("name='a|b'", "/a|b"), "yes");
	assert_string_equal(verdict("log frag>2", "/var/log/a.db"), "yes");
	assert_string_equal(verdict("name~[ab]*", "/x/b.db"), "yes");
}

static void refuses(const char *text, int at, const char *why)
{
	struct err err = ERR_INIT;
	struct filter f;
	int bad = -1;

	assert_false(filter_parse(text, &f, &bad, &err));
	assert_int_equal(err.class, ERR_USAGE);
	if (bad != at || !strstr(err.msg, why))
		fail_msg("%s: %d %s", text, bad, err.msg);
}

static void test_faults(void **state)
{
	(void)state;
	refuses("frog>3", 0, "\"frog\" is nothing to filter by");
	refuses("blocks>1 s>3", 9, "\"s\" is not clear");
	refuses("size>big", 0, "\"size>big\" does not say which files");
	refuses("blocks>1 name>a", 9, "does not say");
	refuses("type~dir", 0, "does not say");
	refuses("type=pipe", 0, "does not say");
	refuses("age<soon", 0, "does not say");
	refuses("name~\"open", 0, "does not say");
	refuses("name~", 0, "does not say");
	refuses(">3", 0, "does not say");
}

static void says(const char *line, const char *text)
{
	app.message[0] = '\0';
	cmd_run_line(&app, line);
	if (!strstr(app.message, text))
		fail_msg("%s: \"%s\" instead of \"%s\"", line, app.message, text);
}

static void test_commands(void **state)
{
	(void)state;
	says("tag {frag>1}", "2 files tagged");
	assert_true(app_is_tagged(&app, 12) && app_is_tagged(&app, 15));
	says("untag { frag > 50 | type=dir }", "1 file tagged");
	says("tag {frag>1000}", "no file is like that");
	says("tag {frag>1}x", "\"x\" is no target");
	says("tag {frag>1", "the brace { is not closed\n  tag {frag>1\n      ^");
	says("filter frag>1 s=3", "\n  filter frag>1 s=3\n                ^");
	assert_int_equal(app.files->list.n, 4);
	assert_true(cmd_run_line(&app, "filter frag>1 blocks<100"));
	assert_int_equal(app.files->list.n, 1);
	assert_int_equal(app.files->list.v[0], 12);
	assert_int_equal(app.files->total, 4);
	assert_true(cmd_run_line(&app, "sort size-; filter {type=file}"));
	assert_int_equal(app.files->list.n, 3);
	assert_true(cmd_run_line(&app, "filter"));
	assert_int_equal(app.files->list.n, 4);
}

static void test_screen(void **state)
{
	struct canvas c;

	(void)state;
	assert_true(canvas_init(&c, 24, 100));
	assert_true(cmd_run_line(&app, "filter frag>1"));
	screen_draw(&app, &c);
	assert_int_equal(app.focus, FOCUS_FILES);
	assert_shows(&c, "1/2");
	assert_true(cmd_run_line(&app, "filter frag>1000"));
	screen_draw(&app, &c);
	assert_shows(&c, "no file is like that");
	canvas_release(&c);
	assert_true(canvas_init(&c, 30, 80));
	assert_true(cmd_run_line(&app, "filter frag>1 inode<20"));
	screen_draw(&app, &c);
	assert_shows(&c, "NAME   [frag>1 inode<20]");
	/* The key. */
	screen_key(&app, &c, 'f');
	screen_draw(&app, &c);
	canvas_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_figures, setup, teardown),
		cmocka_unit_test_setup_teardown(test_logic, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_faults, setup, teardown),
		cmocka_unit_test_setup_teardown(test_commands, setup, teardown),
		cmocka_unit_test_setup_teardown(test_screen, setup, teardown),
	};

	return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
