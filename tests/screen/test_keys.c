/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_keys.c - bytes to keys, the key table against panes and commands, dispatch. */
#include "sample.h"
#include <stdio.h>
#include "ui/cmd.h"
#include "ui/input.h"
#include "ui/keymap.h"
#include "ui/prompt.h"

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

/* --- the decoder --- */

/* Events of some bytes, fed in pieces of `step`, as one line of text. */
static const char *decode(const char *bytes, size_t step, bool utf8)
{
	static char out[400];
	struct input *in = input_new(utf8);
	size_t len = strlen(bytes);
	struct input_event ev;
	size_t n = 0;

	assert_non_null(in);
	assert_true(input_add_key(in, "\033Ox", KEY_UI_F9));
	out[0] = '\0';
	for (size_t i = 0; i <= len; i += step) {
		if (i < len)
			assert_true(input_feed(in, bytes + i,
					       len - i < step ? len - i : step));
		if (i + step > len && input_waiting(in) && i >= len)
			input_timeout(in);
		while (input_next(in, 1000, &ev)) {
			if (ev.kind == INPUT_KEY && ev.key >= KEY_UI_META)
				n += (size_t)sprintf(out + n, "M-%c ",
						     ev.key - KEY_UI_META);
			else if (ev.kind == INPUT_KEY && ev.key >= KEY_UI_BASE)
				n += (size_t)sprintf(out + n, "<%d> ",
						     ev.key - KEY_UI_BASE);
			else if (ev.kind == INPUT_KEY)
				n += (size_t)sprintf(out + n, "%x ", (unsigned)ev.key);
			else if (ev.kind == INPUT_MOUSE)
				n += (size_t)sprintf(out + n, "m%d,%d,%d ", ev.mouse.kind,
						     ev.mouse.row, ev.mouse.col);
			else
				n += (size_t)sprintf(out + n, "paste(%s) ", ev.text);
		}
	}
	if (input_waiting(in)) {
		input_timeout(in);
		while (input_next(in, 1000, &ev))
			n += (size_t)sprintf(out + n, "late %x ", (unsigned)ev.key);
	}
	input_free(in);
	return out;
}

static void test_decoder(void **state)
{
	static const struct {
		const char *bytes, *events;
	} rows[] = {
		{"a\r\177", "61 d <11> "},
		{"\303\251\342\202\254\360\237\230\200", "e9 20ac 1f600 "},
		{"\033[A\033[B\033OC\033[1;5D", "<1> <2> <4> <3> "},
		{"\033[H\033[4~\033[5~\033[6~\033[3~\033[Z",
		 "<5> <6> <7> <8> <10> <12> "},
		{"\033OP\033[12~\033[[C\033[21~\033Ox", "<15> <16> <17> <24> <23> "},
		{"\0331\033x", "M-1 M-x "},
		{"\033[<0;10;5M\033[<0;10;5m", "m0,4,9 m3,4,9 "},
		{"\033[<64;300;50M\033[<65;1;1M", "m4,49,299 m5,0,0 "},
		{"\033[<32;3;4M\033[<35;3;4M\033[<2;1;1M", "m2,3,2 "},
		{"\033[M !\"\033[M#!\"", "m0,1,0 m3,1,0 "},
		{"\033[200~rm -r\n\033[Ax\033[201~y", "paste(rm -r\n\033[Ax) 79 "},
		{"\033[?62;c\033[>1;2cz", "7a "},
		{"\033[99~\033[1;2z!", "21 "},
		{"\377a\303(", "61 28 "},
	};

	(void)state;
	/* In one piece, and cut at every byte. */
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_string_equal(decode(rows[i].bytes, 100, true), rows[i].events);
		assert_string_equal(decode(rows[i].bytes, 1, true), rows[i].events);
		assert_string_equal(decode(rows[i].bytes, 3, true), rows[i].events);
	}
}

static void test_escape_alone(void **state)
{
	(void)state;
	assert_string_equal(decode("\033", 9, true), "late 1b ");
	assert_string_equal(decode("a\033", 9, true), "61 late 1b ");
	/* Two: the first cannot begin anything. */
	assert_string_equal(decode("\033\033", 9, true), "1b late 1b ");
	/* The start of something longer is no key at all. */
	assert_string_equal(decode("\033[1;", 9, true), "");
}

static void test_double_click(void **state)
{
	static const char click[] = "\033[<0;5;5M\033[<0;5;5m";
	static const char other[] = "\033[<0;6;5M\033[<0;6;5m";
	const struct {
		const char *bytes;
		uint64_t time;
		enum mouse_kind kind;
	} steps[] = {
		{click, 1000, MOUSE_PRESS},  {click, 1300, MOUSE_DOUBLE},
		{click, 1500, MOUSE_PRESS},  {other, 1600, MOUSE_PRESS},
		{click, 1700, MOUSE_PRESS},  {click, 2101, MOUSE_PRESS},
		{click, 2500, MOUSE_DOUBLE},
	};
	struct input *in = input_new(true);
	struct input_event ev;

	(void)state;
	assert_non_null(in);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		assert_true(input_feed(in, steps[i].bytes, strlen(steps[i].bytes)));
		assert_true(input_next(in, steps[i].time, &ev));
		assert_int_equal(ev.mouse.kind, steps[i].kind);
		assert_true(input_next(in, steps[i].time, &ev));
		assert_int_equal(ev.mouse.kind, MOUSE_RELEASE);
	}
	input_free(in);
}

/* Any bytes, in any pieces: no crash, no hang, nothing held back for ever. */
static void test_decoder_noise(void **state)
{
	static const char alphabet[] = "\033\033\033[[<OM;0129~mA\303\251\377 x";
	struct input *in = input_new(true);
	struct input_event ev;
	uint32_t seed = 1;

	(void)state;
	assert_non_null(in);
	for (int i = 0; i < 200000; i++) {
		seed = seed * 1664525 + 1013904223;
		assert_true(input_feed(
			in, &alphabet[(seed >> 16) % (sizeof(alphabet) - 1)], 1));
		if ((seed >> 8) % 13 == 0)
			input_timeout(in);
		while (input_next(in, 0, &ev))
			;
	}
	assert_true(input_feed(in, "\033[201~", 6)); /* a paste may be open */
	input_timeout(in);
	while (input_next(in, 0, &ev))
		;
	assert_false(input_waiting(in));
	input_free(in);
}

/* --- the table --- */

/* No two rows claim a key in the same place, and every row says what it does. */
static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < keymap_count; i++) {
		const struct keymap_row *row = &keymap_table[i];

		assert_true(row->name && *row->name && row->help && *row->help);
		assert_true(row->where != 0 && row->keys[0] != 0);
		if (row->act == ACT_LINE || row->act == ACT_ASK_LINE)
			assert_non_null(row->line);
		for (unsigned bit = 1; bit <= IN_LOG; bit <<= 1)
			for (int k = 0; k < KEYMAP_KEYS && row->keys[k]; k++)
				if ((row->where & bit) && keymap_exists(row))
					assert_ptr_equal(keymap_find(row->keys[k], bit),
							 row);
	}
}

/* Every command line in the table runs a verb that exists. */
static void test_table_verbs(void **state)
{
	(void)state;
	for (size_t i = 0; i < keymap_count; i++)
		if (!keymap_exists(&keymap_table[i]))
			fail_msg("no such verb: %s", keymap_table[i].line);
}

/* What the table calls a motion of a pane, the pane takes. */
static void test_table_motions(void **state)
{
	struct plan plan;
	struct move move = {.ino = 12, .len = 5, .from = 300, .to = 900};

	(void)state;
	plan_init(&plan);
	for (int i = 0; i < 100; i++)
		assert_true(vec_push(&plan.moves, move));
	app.plan = &plan;
	app.selected = 15;
	for (size_t i = 0; i < keymap_count; i++) {
		const struct keymap_row *row = &keymap_table[i];
		struct view v = canvas_view(&canvas);

		for (unsigned bit = 1; bit <= IN_LOG; bit <<= 1)
			for (int k = 0; k < KEYMAP_KEYS && row->keys[k]; k++) {
				const struct pane *panes[] = {
					&pane_map,  &pane_files, &pane_inspect,
					&pane_plan, &pane_jobs,	 &pane_journal,
					&pane_log};
				int key = row->keys[k];
				int at = __builtin_ctz(bit);

				if (key == KEY_AFTER_G('g'))
					key = 'g';
				if (row->act == ACT_MAP && key < KEY_UI_BASE)
					assert_true(pane_map.key(&app, key, 0, &v));
				else if (row->act == ACT_PANE && (row->where & bit) &&
					 !panes[at]->key(&app, key, 0, &v))
					fail_msg("%s does not take %s", panes[at]->title,
						 row->name);
			}
	}
	app.plan = NULL;
	plan_release(&plan);
}

/* --- dispatch --- */

static void test_counts_and_prefix(void **state)
{
	(void)state;
	press('\t');
	assert_int_equal(app.focus, FOCUS_FILES);
	keys("2j");
	assert_int_equal(app.files->cursor, 2);
	keys("k");
	assert_int_equal(app.files->cursor, 1);
	keys("G");
	assert_int_equal(app.files->cursor, 3);
	keys("gg");
	assert_int_equal(app.files->cursor, 0);
	keys("10j");
	assert_int_equal(app.files->cursor, 3);
	keys("2G");
	assert_int_equal(app.files->cursor, 1);
	/* Half-typed ones are shown, and go away. */
	keys("12");
	assert_shows(&canvas, " 12");
	press(0x1b);
	assert_int_equal(app.key_count, 0);
	assert_int_equal(app.focus, FOCUS_MAP);
	keys("gx");
	assert_int_equal(app.key_prefix, 0);
	keys("99999999999999999999G");
	assert_int_equal(app.key_count, 0);
}

static void test_map_groups(void **state)
{
	(void)state;
	keys("G");
	assert_int_equal(app.map.cursor, 2047);
	keys("gg");
	assert_int_equal(app.map.cursor, 1);
	keys("1G");
	assert_int_equal(app.map.cursor, 1025);
}

static void test_focus_and_tabs(void **state)
{
	(void)state;
	for (int i = 1; i <= FOCUS_COUNT; i++) {
		press('\t');
		assert_int_equal(app.focus, i % FOCUS_COUNT);
	}
	press(KEY_UI_BACKTAB);
	assert_int_equal(app.focus, FOCUS_BOTTOM);
	keys("gt");
	assert_int_equal(app.tab, TAB_JOBS);
	keys("gTgT");
	/* Narrow: the tabs go on to the inspector. */
	assert_int_equal(app.focus, FOCUS_INSPECT);
	press(KEY_UI_META + '4');
	assert_int_equal(app.tab, TAB_LOG);
	assert_int_equal(app.focus, FOCUS_BOTTOM);
	keys("p");
	assert_int_equal(app.tab, TAB_PLAN);
	press(KEY_UI_META + '5');
	assert_int_equal(app.tab, TAB_TREE);
	keys("gt");
	assert_int_equal(app.focus, FOCUS_FILES);
	assert_true(canvas_resize(&canvas, 40, 120));
	press(KEY_UI_META + '5');
	keys("gt");
	assert_int_equal(app.tab, TAB_PLAN);
	assert_int_equal(app.focus, FOCUS_BOTTOM);
}

static void test_files(void **state)
{
	(void)state;
	press('\t');
	keys("j");
	assert_int_equal(app.selected, 13);
	keys(" ");
	assert_true(app_is_tagged(&app, 13));
	assert_int_equal(app.files->cursor, 2);
	keys("k ");
	assert_false(app_is_tagged(&app, 13));
	keys("gg  ");
	assert_int_equal(app.tags.n, 2);
	keys("u");
	assert_int_equal(app.tags.n, 0);
	keys("gg");
	press('\r');
	assert_int_equal(app.selected, 12);
	assert_int_equal(app.map.cursor, 100);
	assert_int_equal(app.focus, FOCUS_INSPECT);
	/* The fragment under the cursor is marked, and w leads to the next. */
	assert_shows(&canvas, ">    1              0            100     10");
	keys("w");
	assert_int_equal(app.map.cursor, 300);
	assert_shows(&canvas, ">    2             10            300      5");
}

static void test_sort(void **state)
{
	(void)state;
	press(KEY_UI_F4);
	assert_int_equal(app.files->sort, SORT_INODE + 1);
	keys("S");
	assert_true(app.files->reverse);
	keys("S");
	assert_false(app.files->reverse);
}

static void test_questions(void **state)
{
	(void)state;
	app_ask(&app, "leave?", "quit!");
	press('n');
	assert_false(app.quit);
	assert_null(app.confirm_line);
	app_ask(&app, "leave?", "quit!");
	press(0x1b);
	assert_false(app.quit);
	app_ask(&app, "leave?", "quit!");
	press('y');
	assert_true(app.quit);
}

static void test_undo_asks(void **state)
{
	struct history h = {0};
	struct history_action action = {.name = "defrag /var", .batches = 2};

	(void)state;
	app.history = &h;
	keys("U");
	assert_null(app.confirm_line);
	assert_shows(&canvas, "nothing to undo");
	assert_true(vec_push(&h.actions, action));
	keys("U");
	assert_shows(&canvas, "undo \"defrag /var\"? (y/n)");
	press('n');
	h.actions.v[0].undone = 2;
	press(KEY_CTRL('r'));
	assert_shows(&canvas, "redo \"defrag /var\"? (y/n)");
	app.job = 3;
	press('n');
	keys("U");
	assert_null(app.confirm_line);
	app.job = 0;
	app.history = NULL;
	vec_release(&h.actions);
}

static void test_quit(void **state)
{
	(void)state;
	app.job = 9;
	strcpy(app.progress.job, "run");
	keys("q");
	assert_false(app.quit);
	assert_shows(&canvas, "stop the run at its next safe point and quit? (y/n)");
	press('n');
	app.job = 0;
	press(KEY_UI_F10);
	assert_true(app.quit);
}

static void test_help(void **state)
{
	(void)state;
	keys("?");
	assert_true(app.help_open);
	assert_shows(&canvas, "Keys of this pane: Map");
	assert_shows(&canvas, "previous, next hole");
	keys("G");
	/* The last verb of the command table ends the page. */
	assert_shows(&canvas, cmd_table[cmd_count - 1].verb);
	keys("q");
	assert_false(app.help_open);
	assert_false(app.quit);
	press('\t');
	press(KEY_UI_F1);
	assert_shows(&canvas, "Keys of this pane: Files");
	press(KEY_UI_F10);
	assert_false(app.quit);
}

static void test_wishes(void **state)
{
	(void)state;
	press(KEY_CTRL('l'));
	assert_true(app.redraw);
	press(KEY_CTRL('z'));
	assert_true(app.suspend);
	assert_false(app.quit);
}

static void click(enum mouse_kind kind, int row, int col)
{
	struct mouse m = {kind, row, col};

	screen_mouse(&app, &canvas, &m);
	screen_draw(&app, &canvas);
}

static void test_mouse(void **state)
{
	int row = sample_find(&canvas, "FRAG");
	const char *tabs;

	(void)state;
	click(MOUSE_PRESS, row + 2, 30);
	assert_int_equal(app.focus, FOCUS_FILES);
	assert_int_equal(app.files->cursor, 1);
	click(MOUSE_DOUBLE, row + 1, 30);
	assert_int_equal(app.selected, 12);
	assert_int_equal(app.map.cursor, 100);
	click(MOUSE_DOWN, row + 1, 30);
	assert_int_equal(app.files->cursor, 3);
	click(MOUSE_PRESS, row, 10); /* SIZE */
	assert_int_equal(app.files->sort, SORT_SIZE);
	click(MOUSE_PRESS, row, 10);
	assert_true(app.files->reverse);
	click(MOUSE_PRESS, 3, 40);
	assert_int_equal(app.focus, FOCUS_MAP);
	assert_int_not_equal(app.map.cursor, 100);
	tabs = sample_row(&canvas, row - 1);
	click(MOUSE_PRESS, row - 1, (int)(strstr(tabs, "Log") - tabs));
	assert_int_equal(app.tab, TAB_LOG);
	assert_shows(&canvas, ">[Log]");
	click(MOUSE_PRESS, 23, 1);
	assert_true(app.help_open);
	click(MOUSE_PRESS, 0, 0);
	assert_false(app.help_open);
}

/* A click is no answer. */
static void test_mouse_and_question(void **state)
{
	(void)state;
	app_ask(&app, "leave?", "quit!");
	click(MOUSE_PRESS, 23, 75);
	assert_non_null(app.confirm_line);
	assert_false(app.quit);
	press('n');
}

/* Any key anywhere at any size. */
static void test_noise(void **state)
{
	static const int sizes[][2] = {{24, 80}, {40, 120}, {10, 40}, {5, 20}, {1, 1}};
	static const char letters[] = "hjklwbHLgG0$[]{}+-=cz *sSudDptT12vm'\t\r\033?qn";
	uint32_t seed = 7;

	(void)state;
	for (int i = 0; i < 4000; i++) {
		int key;

		seed = seed * 1664525 + 1013904223;
		key = letters[(seed >> 16) % (sizeof(letters) - 1)];
		if ((seed >> 9) % 5 == 0)
			key = KEY_UI_UP + (int)((seed >> 16) % 13);
		if (i % 100 == 0)
			assert_true(canvas_resize(&canvas, sizes[i / 100 % 5][0],
						  sizes[i / 100 % 5][1]));
		screen_key(&app, &canvas, key);
		if (i % 10 == 0)
			screen_draw(&app, &canvas);
		app.quit = false;
		while (engine_pump(app.engine))
			;
		app_drain(&app);
	}
}

#define WITH_APP(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decoder),
		cmocka_unit_test(test_escape_alone),
		cmocka_unit_test(test_double_click),
		cmocka_unit_test(test_decoder_noise),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_table_verbs),
		WITH_APP(test_table_motions),
		WITH_APP(test_counts_and_prefix),
		WITH_APP(test_map_groups),
		WITH_APP(test_focus_and_tabs),
		WITH_APP(test_files),
		WITH_APP(test_sort),
		WITH_APP(test_questions),
		WITH_APP(test_undo_asks),
		WITH_APP(test_quit),
		WITH_APP(test_help),
		WITH_APP(test_wishes),
		WITH_APP(test_mouse),
		WITH_APP(test_mouse_and_question),
		WITH_APP(test_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
