/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_prompt.c - readline fed from byte strings, drawn into a canvas, with no terminal.
 */
#include "sample.h"
#include <locale.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ui/prompt.h"

/* Keys in any order make readline 8.2 itself lose a few bytes; ours are still found. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libreadline\n";
}

static struct app app;
static struct canvas canvas;
static char folder[300];
static char history[400];

static int setup(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	unlink(history);
	sample_app(&app);
	assert_true(canvas_init(&canvas, 6, 40));
	assert_true(prompt_init(&app, history, &err));
	prompt_open("");
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

static void draw(void)
{
	struct view all = canvas_view(&canvas);
	struct view line = view_part(&all, canvas.rows - 1, 0, 1, canvas.cols);
	struct view above = view_part(&all, 0, 0, canvas.rows - 1, canvas.cols);
	struct style plain = {COLOR_DEFAULT, COLOR_DEFAULT, 0};

	view_fill(&all, L' ', plain);
	canvas.cursor_row = -1;
	prompt_draw(&app, &line, &above);
}

static const char *line_of(void)
{
	draw();
	return sample_row(&canvas, canvas.rows - 1);
}

static enum prompt_result feed(const char *bytes)
{
	return prompt_feed(bytes, strlen(bytes));
}

/* The line that these bytes and Enter give. */
static void check_line(const char *bytes, const char *want)
{
	char *line;

	if (!prompt_active())
		prompt_open("");
	assert_int_equal(feed(bytes), PROMPT_MORE);
	assert_int_equal(feed("\r"), PROMPT_LINE);
	line = prompt_take();
	assert_string_equal(line, want);
	free(line);
	assert_false(prompt_active());
}

static void test_editing(void **state)
{
	(void)state;
	check_line("defrag .", "defrag .");
	check_line("defrag x\177y", "defrag y");
	check_line("abc\001X", "Xabc");		     /* ^A */
	check_line("one two\027three", "one three"); /* ^W */
	check_line("abc\033[D\033[D\033[3~", "ac");  /* arrows, Delete */
	check_line("abc\033[HX\033[FY", "XabcY");    /* Home, End */
	check_line("abc def\033bX", "abc Xdef");     /* M-b */
	check_line("\0333ab\033[D\033[Dc", "aacab"); /* numeric argument */
}

static void test_undo(void **state)
{
	(void)state;
	check_line("abc\025\031\031", "abcabc"); /* ^U ^Y ^Y */
	check_line("gone\025\037", "gone");	 /* ^_ takes ^U back */
}

static void test_wide_characters(void **state)
{
	(void)state;
	feed("\346\274\242\303\251x");
	assert_string_equal(line_of(), ":??x");
	assert_int_equal(canvas.cursor_col, 5);
	assert_int_equal(prompt_key(KEY_UI_LEFT), PROMPT_MORE);
	assert_int_equal(prompt_key(KEY_UI_BACKSPACE), PROMPT_MORE);
	assert_int_equal(prompt_key(0x6f22), PROMPT_MORE);
	draw();
	assert_int_equal(canvas.cursor_col, 5);
	check_line("", "\346\274\242\346\274\242x");
}

static void test_cursor_and_scroll(void **state)
{
	(void)state;
	feed("0123456789012345678901234567890123456");
	assert_string_equal(line_of(), ":0123456789012345678901234567890123456");
	assert_int_equal(canvas.cursor_row, 5);
	assert_int_equal(canvas.cursor_col, 38);
	feed("7890");
	assert_int_equal(*line_of(), '<');
	assert_in_range(canvas.cursor_col, 1, 38);
	feed("\001"); /* ^A */
	assert_string_equal(line_of(), ":01234567890123456789012345678901234567>");
	assert_int_equal(canvas.cursor_col, 1);
	for (int cols = 1; cols < 12; cols++) {
		assert_true(canvas_resize(&canvas, 2, cols));
		feed("\005");
		draw();
		assert_in_range(canvas.cursor_col, 0, cols - 1);
	}
}

static void test_control_characters(void **state)
{
	(void)state;
	feed("a\026\001b\026\033"); /* ^V quotes */
	assert_string_equal(line_of(), ":a^Ab^[");
	check_line("", "a\001b\033");
}

static void test_history(void **state)
{
	struct err err = ERR_INIT;
	struct stat st;

	(void)state;
	check_line("first", "first");
	check_line("second", "second");
	check_line("second", "second"); /* once is enough */
	check_line("  ", "  ");
	check_line("\020\020", "first"); /* ^P ^P */
	prompt_release();
	assert_int_equal(stat(history, &st), 0);
	assert_int_equal(st.st_mode & 077, 0);
	assert_true(prompt_init(&app, history, &err));
	check_line("\033[A", "first");	   /* it is the last one entered */
	check_line("se\033[5~", "second"); /* Page Up: what starts alike */
}

static void test_search(void **state)
{
	(void)state;
	check_line("defrag /var", "defrag /var");
	check_line("sort size", "sort size");
	prompt_open("");
	feed("\022frag"); /* ^R */
	assert_string_equal(line_of(), "(reverse-i-search)`frag': defrag /var");
	/* Escape ends the search, not the line. */
	assert_int_equal(prompt_key(0x1b), PROMPT_MORE);
	assert_string_equal(line_of(), ":defrag /var");
	check_line("", "defrag /var");
	/* ^G gives up the search, a second one the line. */
	prompt_open("");
	feed("kept\022sort");
	assert_int_equal(prompt_key(KEY_CTRL('g')), PROMPT_MORE);
	assert_string_equal(line_of(), ":kept");
	assert_int_equal(prompt_key(KEY_CTRL('g')), PROMPT_CANCEL);
	assert_false(prompt_active());
}

static void test_cancel(void **state)
{
	static const int ways[] = {0x1b, KEY_CTRL('c'), KEY_CTRL('g')};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		if (!prompt_active())
			prompt_open("");
		feed("half a line");
		assert_int_equal(prompt_key(ways[i]), PROMPT_CANCEL);
		assert_false(prompt_active());
		assert_null(prompt_take());
		/* Nothing of it is left. */
		prompt_open("x");
		assert_string_equal(line_of(), ":x");
		prompt_cancel();
	}
	prompt_open("");
	assert_int_equal(feed("\004"), PROMPT_CANCEL); /* ^D on an empty line */
	prompt_open("");
	assert_int_equal(prompt_key(KEY_UI_BACKSPACE), PROMPT_CANCEL);
	/* In the middle of a key, a search, a quoted character. */
	prompt_open("");
	feed("\033[");
	prompt_cancel();
	prompt_open("");
	feed("\022fo");
	prompt_cancel();
	prompt_open("");
	feed("\026");
	prompt_cancel();
	check_line("fine", "fine");
}

static void test_paste(void **state)
{
	(void)state;
	feed("ab\033[D");
	prompt_paste("one\ntwo\r\n\033[Az");
	assert_string_equal(line_of(), ":aone two   [Azb");
	prompt_paste("\xff\xfe"); /* no text: not taken */
	assert_string_equal(line_of(), ":aone two   [Azb");
	assert_true(prompt_active());
	check_line("", "aone two   [Azb");
	prompt_paste("dropped");
	prompt_open("");
	assert_string_equal(line_of(), ":");
	prompt_cancel();
}

static void test_completion(void **state)
{
	(void)state;
	/* One possible word is finished. */
	feed("filt\t");
	assert_string_equal(line_of(), ":filter");
	check_line("", "filter ");
	/* Several: as far as they agree, and the list. */
	prompt_open("");
	feed("fi\t");
	assert_string_equal(line_of(), ":fil");
	assert_shows(&canvas, " files ");
	assert_shows(&canvas, " filter");
	/* On: one after the other, and back. */
	feed("\t");
	assert_string_equal(line_of(), ":files");
	feed("\t");
	assert_string_equal(line_of(), ":filter");
	assert_int_equal(prompt_key(KEY_UI_BACKTAB), PROMPT_MORE);
	assert_string_equal(line_of(), ":files");
	/* Escape closes the list only. */
	assert_int_equal(prompt_key(0x1b), PROMPT_MORE);
	assert_string_equal(line_of(), ":files");
	assert_shows_not(&canvas, " filter");
	feed("x");
	assert_shows_not(&canvas, " filter");
	check_line("\037\037\037\037", "fil"); /* taken back step by step */
}

static void test_completion_of_nothing(void **state)
{
	(void)state;
	feed("zzz\t");
	assert_string_equal(line_of(), ":zzz");
	/* Listings of readline's own: none. */
	feed("\033?\033*\033=");
	assert_string_equal(line_of(), ":zzz");
	check_line("", "zzz");
}

/* Any keys in any order: the line lives, and Enter ends it. */
static void test_noise(void **state)
{
	uint32_t seed = 3;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		int key;

		seed = seed * 1664525 + 1013904223;
		key = (int)(seed >> 16) & 0x7f;
		if (seed % 7 == 0)
			key = KEY_UI_UP + (int)((seed >> 20) % 12);
		else if (seed % 7 == 1)
			key += KEY_UI_META;
		else if (seed % 31 == 2)
			key = 0x6f22;
		if (!prompt_active()) {
			free(prompt_take());
			prompt_open("");
		}
		prompt_key(key);
		if (i % 50 == 0)
			draw();
		if (i % 500 == 0)
			prompt_cancel();
		if (i % 700 == 0)
			prompt_paste("a \xff paste\n");
	}
	free(prompt_take());
	prompt_cancel();
	assert_null(getenv("LINES"));
	assert_null(getenv("COLUMNS"));
}

static void test_history_path(void **state)
{
	struct str s = STR_INIT;
	struct stat st;
	char want[400];

	(void)state;
	unsetenv("SUDO_UID");
	setenv("XDG_STATE_HOME", folder, 1);
	assert_true(prompt_history_path(&s));
	snprintf(want, sizeof(want), "%s/cdefrag/history", folder);
	assert_string_equal(s.buf, want);
	snprintf(want, sizeof(want), "%s/cdefrag", folder);
	assert_int_equal(stat(want, &st), 0);
	assert_int_equal(rmdir(want), 0);
	/* Under sudo the caller's places are left alone. */
	setenv("SUDO_UID", "1000", 1);
	str_clear(&s);
	prompt_history_path(&s);
	assert_null(strstr(s.buf, folder));
	unsetenv("SUDO_UID");
	str_release(&s);
}

#define WITH_PROMPT(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PROMPT(test_editing),
		WITH_PROMPT(test_undo),
		WITH_PROMPT(test_wide_characters),
		WITH_PROMPT(test_cursor_and_scroll),
		WITH_PROMPT(test_control_characters),
		WITH_PROMPT(test_history),
		WITH_PROMPT(test_search),
		WITH_PROMPT(test_cancel),
		WITH_PROMPT(test_paste),
		WITH_PROMPT(test_completion),
		WITH_PROMPT(test_completion_of_nothing),
		WITH_PROMPT(test_noise),
		cmocka_unit_test(test_history_path),
	};
	int rc;

	setlocale(LC_ALL, "C.UTF-8");
	setenv("INPUTRC", "/dev/null", 1);
	unsetenv("LINES");
	unsetenv("COLUMNS");
	unsetenv("TERM");
	snprintf(folder, sizeof(folder), "%s/prompt-XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(folder))
		return 1;
	snprintf(history, sizeof(history), "%s/history", folder);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(history);
	rmdir(folder);
	return rc;
}
